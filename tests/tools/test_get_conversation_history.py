"""Earlier messages."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from switchyard.tools.core import ToolContext, Turn
from switchyard.tools.get_conversation_history import GetConversationHistory, GetConversationHistoryParams

_HISTORY = (
    Turn("user", "What time is it in Tokyo?"),
    Turn("assistant", "It is 08:30 in TOKYO."),
    Turn("user", "那东京的天气呢？"),
    Turn("assistant", "我不知道。"),
)


async def look_up(**arguments: Any) -> dict[str, Any]:
    context = ToolContext(workspace=Path(), history=_HISTORY)
    return await GetConversationHistory().execute(GetConversationHistoryParams(**arguments), context)


async def test_the_messages_come_oldest_first():
    result = await look_up()
    assert [turn["text"] for turn in result["turns"]] == [turn.text for turn in _HISTORY]
    assert result["turns"][0] == {"role": "user", "text": "What time is it in Tokyo?"}
    assert result["count"] == 4


async def test_the_latest_are_kept_and_all_are_counted():
    result = await look_up(limit=1)
    assert [turn["text"] for turn in result["turns"]] == ["我不知道。"]
    assert result["count"] == 4


@pytest.mark.parametrize(("query", "count"), [("tokyo", 2), ("东京", 1), ("Paris", 0), ("", 4)])
async def test_a_query_filters_in_any_case(query: str, count: int):
    result = await look_up(query=query)
    assert result["count"] == len(result["turns"]) == count


async def test_a_conversation_that_has_just_begun_is_empty():
    context = ToolContext(workspace=Path())
    result = await GetConversationHistory().execute(GetConversationHistoryParams(), context)
    assert result == {"turns": [], "count": 0}


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValidationError):
        GetConversationHistoryParams(limit=0)
