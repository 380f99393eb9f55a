"""Stage one: the few tools that share words with a question."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from switchyard.language.tokeniser import tokens
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.descriptions import definition
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.recall.bm25 import K1, B
from switchyard.toolhub.recall.index import Bm25Recall, terms_of, text_of
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolCapability, ToolResult, ToolSpec


async def run(request: ToolRequest) -> ToolResult:
    return ToolResult(result=request.given)


def spec(name: str, summary: str = "", **given: Any) -> ToolSpec:
    return ToolSpec.model_validate({"tool_id": name, "description": summary, **given})


WATER = spec("query_reservoir_last", "查询水库最新水位", tags=("水库", "水位", "reservoir"))
RAIN = spec("query_rain", "查询测站雨量", tags=("雨量", "rain"))


@pytest.fixture
async def hub() -> ToolHub:
    opened = ToolHub(skills=None)
    await opened.open()
    return opened


@pytest.mark.parametrize("query", ["read a file", "读取文件", ""])
def test_an_empty_catalogue_recalls_nothing(query: str) -> None:
    assert Bm25Recall([]).recall(query, 5) == []


@pytest.mark.parametrize("query", ["reservoir", "水库"])
def test_the_only_tool_is_found(query: str) -> None:
    assert [found.name for found in Bm25Recall([WATER]).recall(query, 5)] == ["query_reservoir_last"]


@pytest.mark.parametrize("query", ["", "   ", "🎉", "the of", "的", "translate poetry", "翻译诗歌"])
def test_what_shares_no_word_is_cut_not_padded_in(query: str) -> None:
    assert Bm25Recall([WATER, RAIN]).recall(query, 5) == []


def test_a_tool_without_words_is_no_obstacle() -> None:
    assert [found.name for found in Bm25Recall([spec("🎉"), RAIN]).recall("rain", 5)] == ["query_rain"]


def test_a_tool_is_found_with_the_words_it_was_found_by() -> None:
    assert "雨量" in Bm25Recall([WATER, RAIN]).recall("雨量", 5)[0].terms


def test_no_more_than_asked_for_are_recalled() -> None:
    assert len(Bm25Recall([WATER, RAIN]).recall("query", 1)) == 1


def test_every_score_is_above_zero_even_for_a_word_all_tools_share() -> None:
    assert all(found.score > 0 for found in Bm25Recall([WATER, RAIN]).recall("query 查询", 5))


def test_equal_scores_come_in_the_order_of_names() -> None:
    tools = [spec(name, "count apples") for name in ("b", "c", "a")]
    assert [found.name for found in Bm25Recall(tools).recall("apples", 5)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "word", ["tally", "水位", "search", "summary", "Details", "hydrology", "station_code", "sample"]
)
def test_a_tool_is_found_by_everything_that_describes_it(word: str) -> None:
    tool = spec(
        "tally",
        "A summary\nDetails here",
        tags=("水位",),
        capability_tags=("search",),
        category="hydrology",
        sentences=("a sample",),
        capabilities=(
            ToolCapability(name="tally", parameters={"properties": {"station_code": {}, "explanation": {}}}),
        ),
    )
    assert Bm25Recall([tool]).recall(word, 1)


def test_the_explanation_every_tool_takes_finds_none() -> None:
    capability = ToolCapability(name="t", parameters={"properties": {"explanation": {}}})
    assert tokens("explanation")[0] not in terms_of(text_of(spec("t", capabilities=(capability,))))


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("What is 15% of 2480? Calculate it", "calculate"),
        ("计算2480的15%", "calculate"),
        ("What time is it in Tokyo?", "get_time"),
        ("东京现在几点？", "get_time"),
        ("What did I ask before?", "get_conversation_history"),
        ("我刚才问了什么？", "get_conversation_history"),
        ("How many lines are in notes.txt?", "read_file"),
        ("notes.txt 有多少行？", "read_file"),
        ("Which files are in the docs folder?", "list_dir"),
        ("docs 目录下有哪些文件？", "list_dir"),
        ("Search for TODO in the code", "grep_search"),
        ("在代码里搜索 TODO", "grep_search"),
    ],
)
async def test_the_right_one_of_the_six_tools_comes_first(hub: ToolHub, question: str, tool: str) -> None:
    assert (await hub.finder.recall(question, 3))[0].name == tool


async def test_a_tool_that_comes_is_recalled_at_once(hub: ToolHub) -> None:
    assert await hub.finder.recall("reservoir", 5) == []
    hub.registry.add(RegisteredTool(WATER, run))
    assert [found.name for found in await hub.finder.recall("reservoir", 5)] == ["query_reservoir_last"]


async def test_a_tool_that_goes_is_not_recalled_any_more(hub: ToolHub) -> None:
    assert (await hub.finder.recall("计算", 5))[0].name == "calculate"
    assert hub.registry.remove("calculate")
    assert "calculate" not in {found.name for found in await hub.finder.recall("计算", 5)}


@pytest.mark.parametrize("ahead", [True, False])
async def test_the_size_of_the_catalogue_follows_its_tools(hub: ToolHub, *, ahead: bool) -> None:
    if ahead:
        await hub.cost.count()
    before = hub.cost.tokens()
    assert before == sum(estimate_tokens(definition(spec)) for spec in hub.registry.listed())
    hub.registry.add(RegisteredTool(WATER, run))
    assert hub.cost.tokens() > before


@given(
    documents=st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "水位", "雨量"]), max_size=6), min_size=1),
    query=st.lists(st.sampled_from(["alpha", "beta", "gamma", "水位", "雨量", "nothing"]), min_size=1, max_size=4),
)
def test_scores_over_postings_are_those_of_rank_bm25(documents: list[list[str]], query: list[str]) -> None:
    specs = [ToolSpec(tool_id=f"t{i}", description=" ".join(words), category="") for i, words in enumerate(documents)]
    recall = Bm25Recall(specs)
    model = cast("Any", BM25Plus)([terms_of(text_of(spec)) for spec in specs], k1=K1, b=B)
    terms = list(dict.fromkeys(tokens(" ".join(query))))  # a word counts once, however often it is said
    # BM25Plus adds this to every document, whether or not it has the term
    floor = sum(model.delta * (model.idf.get(term) or 0) for term in terms)
    wanted = {spec.tool_id: score - floor for spec, score in zip(specs, model.get_scores(terms), strict=True)}
    for found in recall.recall(" ".join(query), len(specs)):
        assert found.score == pytest.approx(wanted[found.name])
