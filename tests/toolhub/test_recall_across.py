"""A question in one language over a catalogue that is described in the other, with no model to translate it."""

from collections.abc import Iterator

import pytest

from switchyard.language import dictionary as across
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.recall.finder import Finder
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core import ToolResult, ToolSpec

ENGLISH = {
    "play_song": "Plays a song or an album on the speaker.",
    "translate_text": "Translates a text into another language.",
    "loan_payment": "Works out the monthly payment of a loan.",
    "find_recipe": "Finds recipes for the ingredients at hand.",
    "send_email": "Sends an email to a contact.",
    "predict_earthquake": "Predicts the risk of earthquakes for a region.",
    "adopt_pet": "Lists pets that can be adopted from a shelter.",
    "repair_bicycle": "Books a bicycle repair in a workshop nearby.",
}
CHINESE = {
    "play": "在音箱上播放歌曲或专辑。",
    "translate": "把文本翻译成另一种语言。",
    "repay": "计算贷款每月的还款额。",
    "cookbook": "按现有食材查找菜谱。",
    "mailing": "给联系人发送电子邮件。",
    "seism": "预测某个地区的地震风险。",
    "shelter": "列出收容所里可以领养的宠物。",
    "bicycles": "预约附近修理自行车的店铺。",
}


async def nothing(request: ToolRequest) -> ToolResult:
    return ToolResult(result=[request.action, request.given, request.context.step_id])


def catalogue(tools: dict[str, str], filler: str) -> Finder:
    """The tools among many others."""
    others = {f"other_{number}": filler.format(number) for number in range(60)}
    specs = [ToolSpec(tool_id=name, description=summary) for name, summary in {**tools, **others}.items()]
    registry = ToolRegistry()
    registry.replace("all", [RegisteredTool(spec, nothing) for spec in specs])
    return Finder(registry)


@pytest.fixture
def english() -> Finder:
    return catalogue(ENGLISH, "Tunes the valve number {} of a chemical plant.")


@pytest.fixture
def chinese() -> Finder:
    return catalogue(CHINESE, "调节化工厂的{}号阀门。")


async def first(tools: Finder, query: str) -> list[str]:
    return [found.name for found in await tools.recall(query, 3, strategy="fused")]


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("播放一首歌", "play_song"),
        ("帮我把这段话翻译成法语", "translate_text"),
        ("贷款每个月要付多少", "loan_payment"),
        ("这里会发生地震吗", "predict_earthquake"),
        ("我想领养一只宠物", "adopt_pet"),
        ("自行车坏了，哪里能修理", "repair_bicycle"),
    ],
)
async def test_a_chinese_question_finds_english_tools(english: Finder, query: str, tool: str) -> None:
    assert tool in await first(english, query)


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("Play a song", "play"),
        ("Translate this text into French", "translate"),
        ("What is the monthly repayment of my loan?", "repay"),
        ("Will there be an earthquake in this region?", "seism"),
        ("Which pets can I adopt?", "shelter"),
        ("My bicycle needs a repair", "bicycles"),
    ],
)
async def test_an_english_question_finds_chinese_tools(chinese: Finder, query: str, tool: str) -> None:
    assert tool in await first(chinese, query)


async def test_a_tool_that_came_later_is_found_across_languages_too(chinese: Finder) -> None:
    assert "umbrella" not in await first(chinese, "Where can I rent an umbrella?")
    chinese.registry.add(RegisteredTool(ToolSpec(tool_id="rental", description="租借雨伞的地点。"), nothing))
    assert (await first(chinese, "Where can I rent an umbrella?"))[0] == "rental"


@pytest.fixture
def without_dictionary(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    across.meanings_of.cache_clear()
    across.english_terms.cache_clear()
    monkeypatch.setattr(across, "_entries", dict[str, str])
    yield
    across.meanings_of.cache_clear()
    across.english_terms.cache_clear()


@pytest.mark.usefixtures("without_dictionary")
async def test_without_the_dictionary_the_bilingual_words_are_left(english: Finder, chinese: Finder) -> None:
    assert "play_song" in await first(english, "播放一首歌")
    assert "play" in await first(chinese, "Play a song")
    assert across.meanings_of("地震") == ()


def test_a_word_is_read_with_its_first_meanings_only() -> None:
    assert across.meanings_of("地震") == ("earthquake",)
    assert len(across.meanings_of("打")) == across.SENSES
    assert not any("(" in meaning or meaning.startswith("CL:") for meaning in across.meanings_of("歌"))
    assert across.meanings_of("没有这个词") == ()
