"""Several answers become one: by the model where it is worth it, side by side where it is not."""

import asyncio
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from switchyard.language.messages import message
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.calling.synthesis import SYSTEM, Answer, merged, side_by_side, user_prompt
from switchyard.toolhub.capabilities import Likeness
from switchyard.tools.core import Language, ResultMeta, ToolResult, ToolSpec
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.spec import ToolSource
from tests.support.hub_tools import with_model

T = TypeVar("T", bound=BaseModel)


def answer(name: str, result: Any, source: ToolSource = "native", *sources: str, ms: float = 0) -> Answer:
    spec = ToolSpec(tool_id=name, description=name, source=source)
    return Answer(spec, ToolResult(result=result, meta=ResultMeta(source=source, sources=list(sources), ms=ms)))


class Model:
    """Answers with what it is told to, and keeps what it was asked."""

    def __init__(self, text: Any = "merged 合并") -> None:
        self.text = text
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, system: str, user: str, answer: type[T]) -> T | None:
        self.asked.append((system, user))
        if isinstance(self.text, BaseException):
            raise self.text
        return None if self.text is None else answer.model_validate({"text": self.text})


TWO = [answer("web", "The level is 102.5 m."), answer("库", "水位102.5米。", "skill")]


async def merge(
    answers: list[Answer], model: Any = None, likeness: Likeness = "search", language: Language = "en"
) -> ToolResult:
    context = with_model(model, language=language) if model else ToolContext(language=language)
    request = ToolRequest("web", None, {"query": "水位"}, context)
    return await merged(request, answers, likeness, seconds=120)


async def test_the_models_text_is_the_result_and_the_full_results_stay() -> None:
    result = await merge(TWO, Model("两处都说 102.5 米。"))
    assert result.success
    assert result.result == {
        "text": "两处都说 102.5 米。",
        "results": [
            {"tool": "web", "source": "native", "result": "The level is 102.5 m."},
            {"tool": "库", "source": "skill", "result": "水位102.5米。"},
        ],
    }


async def test_the_result_says_where_it_comes_from() -> None:
    answers = [answer("a", 1, "native", "x.md", "y.md", ms=5), answer("b", 2, "mcp", "x.md"), answer("c", 3, "mcp")]
    meta = (await merge(answers, Model())).meta
    assert (meta.synthesised, meta.source_count, meta.source) == (True, 3, "native, mcp")
    assert meta.sources == ["x.md", "y.md", "c"]
    assert meta.ms >= 5
    assert meta.downgrades == []


async def test_without_a_model_results_stand_side_by_side() -> None:
    result = await merge(TWO)
    assert result.result["text"] == "web (native): The level is 102.5 m.\n\n库 (skill): 水位102.5米。"
    assert result.meta.downgrades == []


@pytest.mark.parametrize("text", [None, "", RuntimeError("no"), TimeoutError()])
async def test_a_model_that_gives_nothing_is_a_downgrade(text: Any) -> None:
    result = await merge(TWO, Model(text))
    assert result.result["text"] == side_by_side(TWO)
    assert result.meta.downgrades == [message("not_merged")]


async def test_a_model_that_takes_too_long_is_not_waited_for() -> None:
    cancelled = asyncio.Event()

    async def never(system: str, user: str, answer: type[T]) -> T | None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    result = await merged(ToolRequest("web", context=with_model(never)), TWO, "search", seconds=0.01)
    assert result.result["text"] == side_by_side(TWO)
    assert result.meta.downgrades == [message("not_merged")]
    assert cancelled.is_set()


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([answer("a", "水" * 1000), answer("b", "x" * 1000)], True),
        ([answer("a", "水" * 1001), answer("b", "x" * 1000)], False),
        ([answer(name, "短") for name in "abc"], True),
        ([answer(name, "短") for name in "abcd"], False),
    ],
)
async def test_much_or_many_results_are_merged_without_the_model(answers: list[Answer], *, asked: bool) -> None:
    model = Model()
    result = await merge(answers, model)
    assert bool(model.asked) is asked
    assert (result.result["text"] == "merged 合并") is asked
    assert result.meta.downgrades == []


@pytest.mark.parametrize(
    ("likeness", "count", "length"),
    [
        ("calculation", 2, 100),
        ("search", 2, 300),
        ("search", 3, 200),
        ("extraction", 3, 300),
        ("time", 2, 250),
        ("other", 2, 250),
    ],
)
def test_the_model_sees_as_much_of_each_as_its_kind_needs(likeness: Likeness, count: int, length: int) -> None:
    prompt = user_prompt(ToolRequest("call"), [answer(str(at), "水" * 700) for at in range(count)], likeness)
    assert prompt.count("水") == count * (length - 1)


def test_side_by_side_each_keeps_three_hundred_characters() -> None:
    assert side_by_side([answer("a", "水" * 700), answer("b", "x" * 700)]).count("水") == 299


def test_results_are_cut_at_the_end_of_a_sentence() -> None:
    text = side_by_side([answer("a", "The level is high. " * 30), answer("b", "水位很高。" * 100)])
    english, chinese = text.split("\n\n")
    assert english.endswith("high.…")
    assert chinese.endswith("高。…")


def test_data_is_shown_as_json_in_its_own_script() -> None:
    assert side_by_side([answer("a", {"水位": 1}), answer("b", [1])]) == 'a (native): {"水位": 1}\n\nb (native): [1]'


@pytest.mark.parametrize(("language", "said"), [("en", "Write in English."), ("zh", "Write in Chinese.")])
async def test_the_model_is_asked_for_the_language_of_the_question(language: Language, said: str) -> None:
    model = Model()
    await merge(TWO, model, language=language)
    assert said in model.asked[0][0]


async def test_what_the_model_reads() -> None:
    model = Model()
    await merge(TWO, model)
    system, user = model.asked[0]
    assert system == SYSTEM.format(language="English")
    assert '{"text": "..."}' in system
    first, second = "<data>The level is 102.5 m.</data>", "<data>水位102.5米。</data>"
    assert user == f'Call: web {{"query": "水位"}}\n\nweb (native): {first}\n\n库 (skill): {second}\n'
