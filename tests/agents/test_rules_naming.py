"""What a text names is used by the call; what only serves other tools is told when it is asked for."""

import pytest

from switchyard.agents.by_rules.naming import leaves_out
from switchyard.tools.core.spec import ToolSpec

LISTER = ToolSpec(name="list_shops", summary="Lists all shops 列出商店", tags=("shops", "商店"))


@pytest.mark.parametrize(
    ("rest", "other", "left_out"),
    [
        ("shops in Anyang", "shops in       ", True),
        ("安阳的商店", "  的商店", True),
        ("shops in       ", "shops in       ", False),
        ("  的商店", "  的商店", False),
        ("all shops", "all      ", False),
        ("列出商店", "列出  ", False),
    ],
)
def test_a_name_that_another_tool_takes_is_not_left_out(rest: str, other: str, left_out: bool) -> None:  # noqa: FBT001
    assert leaves_out(rest, LISTER, [other]) is left_out
