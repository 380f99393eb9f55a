"""The two stages of selection as one public call: reasons, scores, strategies by name, tools that are given (R3.9)."""

from collections.abc import Sequence

import pytest

from switchyard.language.messages import said
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Rank, Scored
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core.errors import BadArguments, ToolUnknown
from tests.support.hub_tools import answering, made

TOOLS = [
    made("get_forecast", answering(1), description="Tells tomorrow's weather for a city."),
    made("play_song", answering(1), description="Plays music by an artist."),
    made("query_rain", answering(1), description="查询测站雨量。", produces=("station",)),
    made("web_lookup", answering(1), description="在互联网上搜索网页。 Searches the web."),
    made("alarm", answering(1), description="Rings at a station. 测站报警。", requires=("station",)),
]


def library_of(*tools: RegisteredTool, rank: Rank | None = None) -> UnifiedToolLibrary:
    """A library that has only these."""
    library = UnifiedToolLibrary(rank=rank)
    for tool in tools:
        library.hub.registry.add(tool)
    return library


@pytest.mark.parametrize(
    ("question", "tool", "why"),
    [
        ("weather in Paris", "get_forecast", "Shares forecast, weather"),
        ("查一下雨量", "query_rain", "共有词："),
        ("I fancy some jazz", "play_song", "Close in meaning."),
    ],
)
async def test_the_best_tool_comes_first_with_score_and_reason(question: str, tool: str, why: str) -> None:
    best, *_ = await library_of(*TOOLS).recommend(question, 3)
    assert best.tool_id == tool
    assert best.score > 0
    assert why in {said(best.reason, language)[: len(why)] for language in ("en", "zh")}


async def test_what_was_learned_and_what_others_need_is_a_reason_too() -> None:
    library = library_of(*TOOLS)
    learned = Learned().with_success("alarm", "wake me 叫醒", 1.0)
    found = {one.tool_id: one for one in await library.recommend("ring the alarm 报警", 4, learned=learned)}
    assert "Served before: “wake me 叫醒”." in found["alarm"].reason
    assert "提供其他工具需要的 station。" in said(found["query_rain"].reason, "zh")


@pytest.mark.parametrize("strategy", ["fused", "bm25", "embedding", "type"])
async def test_each_strategy_can_be_chosen_by_name(strategy: str) -> None:
    found = await library_of(*TOOLS).recommend("search the web", 1, strategy=strategy)
    assert [one.tool_id for one in found] == ["web_lookup"]


@pytest.mark.parametrize("question", ["look it up for me: look up", "帮我搜寻"])
async def test_kind_is_the_reason_where_nothing_else_is(question: str) -> None:
    library = library_of(made("seeker", answering(1), description="", capability_tags=("search",)))
    [found] = await library.recommend(question, 1, strategy="type")
    assert said(found.reason, "en") == "Of the kind that is asked for."
    assert said(found.reason, "zh") == "属于所问的种类。"


async def test_an_unknown_strategy_is_answered_with_those_there_are() -> None:
    library = library_of(*TOOLS)
    with pytest.raises(BadArguments) as error:
        await library.recommend("weather", strategy="magic")
    told = error.value.args[0]
    assert said(told, "en") == "There is no recall strategy magic. Choose one of fused, bm25, embedding, type."
    assert said(told, "zh") == "没有名为 magic 的召回策略。可选：fused、bm25、embedding、type。"


@pytest.mark.parametrize("question", ["same lamp", "同一盏灯"])
async def test_none_one_bare_and_equal_tools_are_no_obstacle(question: str) -> None:
    assert await library_of().recommend(question) == []
    assert await library_of().get_recommended_tool_info(question) == ""
    bare = made("lamp", answering(1), description="")
    twin = made("lamp", answering(2), description="same 同一盏灯")
    for tools in ([bare], [bare, twin], [twin, bare]):
        found = await library_of(*tools).recommend(f"{question} lamp")
        assert [one.tool_id for one in found] == ["lamp"]


async def test_the_tools_to_recommend_among_may_be_named() -> None:
    library = library_of(*TOOLS)
    found = await library.recommend("weather 雨量", 5, tools=["query_rain", "alarm"])
    assert {one.tool_id for one in found} <= {"query_rain", "alarm"}
    with pytest.raises(ToolUnknown, match="querry_rain"):
        await library.recommend("雨量", tools=["querry_rain"])


@pytest.mark.parametrize("question", ["weather 雨量", ""])
async def test_only_what_is_specified_is_taken_as_it_is(question: str) -> None:
    library = library_of(*TOOLS)
    every = sorted(tool.spec.tool_id for tool in TOOLS)
    named = await library.recommend(question, 1, tools=["alarm", "web_lookup"], only_specified=True)
    assert [one.tool_id for one in named] == ["alarm", "web_lookup"]
    found = await library.recommend(question, 1, tools=["<all>"], only_specified=True)
    assert [one.tool_id for one in found] == every
    assert {said(one.reason, "zh") for one in found} == {"指定的工具。"}


async def test_recommended_tools_and_fixed_ones_are_defined_for_a_prompt() -> None:
    library = library_of(*TOOLS)
    told = await library.get_recommended_tool_info("查一下雨量", fixed=["alarm", "query_rain", "no_such"], topk=1)
    assert told.count("query_rain:") == 1
    assert "alarm:" in told
    assert "get_forecast" not in told


async def test_ranking_chooses_among_what_was_recalled_and_may_choose_nothing() -> None:
    seen: list[list[str]] = []
    answers: list[list[str] | None] = [["alarm", "made_up", "alarm"], [], None]

    async def rank(question: str, recalled: Sequence[Scored], topk: int) -> list[str] | None:
        seen.append([question, *(one.name for one in recalled), str(topk)])
        return answers.pop(0)

    library = library_of(*TOOLS, rank=rank)
    [chosen] = await library.recommend("station 测站", 2, rank=True)
    assert chosen.tool_id == "alarm"
    assert chosen.reason.startswith("Chosen by the model. Shares")
    assert seen[0][0] == "station 测站"
    assert await library.recommend("station 测站", 2, rank=True) == []
    assert [one.tool_id for one in await library.recommend("station 测站", 2, rank=True)] == seen[0][1:3]


async def test_ranking_without_a_model_is_answered_with_what_is_missing() -> None:
    with pytest.raises(BadArguments) as error:
        await library_of(*TOOLS).recommend("weather", rank=True)
    assert "APP_MODEL" in said(error.value.args[0], "en")
    assert "没有配置模型" in said(error.value.args[0], "zh")
