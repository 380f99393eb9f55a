"""Words, meaning and kind together; nothing where nothing fits; words alone where a model fails."""

import logging
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable, WordVectors
from switchyard.toolhub.recall.fusion import Fusion, TypeMatch
from switchyard.toolhub.recall.index import Bm25Recall, Overlay, ToolIndex
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import MOST_PARTS, Query
from switchyard.tools.core import ToolSpec


def spec(name: str, summary: str = "", **given: Any) -> ToolSpec:
    return ToolSpec.model_validate({"tool_id": name, "description": summary, **given})


TOOLS = [
    spec("get_forecast", "Tells tomorrow's weather for a city", tags=("weather",)),
    spec("book_flight", "Reserves a seat on an airplane"),
    spec("play_song", "Plays music by an artist"),
    spec("query_rain", "查询测站雨量", tags=("雨量",)),
    spec("web_lookup", "Searches the web", capability_tags=("search", "搜索")),
    spec("translate_text", "Translates text into another language"),
]
INDEX = ToolIndex.of(TOOLS)
WORDS = WordVectors()


class Failing(Embeddings):
    """Embeds the catalogue and fails on questions."""

    def __init__(self) -> None:
        self.asked = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:  # noqa: ARG002  as LangChain names it
        self.asked += 1
        raise ConnectionError("the endpoint is gone")


def fusion(index: ToolIndex = INDEX, model: Embeddings | WordVectors = WORDS, learned: Learned | None = None) -> Fusion:
    overlay = None if learned is None else Overlay(index, learned)
    meaning = EmbeddingRecall(index, VectorTable(model), overlay)
    return Fusion(Bm25Recall(index, overlay), meaning, TypeMatch(index))


def test_a_tool_is_found_by_meaning_where_no_word_is_shared() -> None:
    query = "will there be sunshine and temperatures above 20 degrees"
    found = EmbeddingRecall(INDEX, VectorTable(WORDS)).recall(query, 1)
    assert [one.name for one in found] == ["get_forecast"]


@pytest.mark.parametrize("query", ["ਮੈਨੂੰ ਦੱਸੋ", "🎉", ""])
def test_a_model_is_not_asked_in_a_language_it_does_not_know(query: str) -> None:
    assert EmbeddingRecall(INDEX, VectorTable(WORDS)).recall(query, 5) == []


@pytest.mark.parametrize(("query", "tool"), [("明天会下雨吗", "a"), ("这句英语怎么说", "c")])
def test_chinese_is_read_by_what_its_words_mean(query: str, tool: str) -> None:
    index = ToolIndex.of([spec("a", "气象预测"), spec("b", "播放音乐"), spec("c", "翻译文本")])
    assert not Bm25Recall(index).recall(query, 3)
    assert EmbeddingRecall(index, VectorTable(WORDS)).recall(query, 1)[0].name == tool


@pytest.mark.parametrize(
    ("query", "tool"),
    [("weather in Paris", "get_forecast"), ("查一下雨量", "query_rain"), ("搜索新闻", "web_lookup")],
)
def test_the_right_tool_comes_first_with_what_each_strategy_says(query: str, tool: str) -> None:
    best = fusion().recall(query, 3)[0]
    assert best.name == tool
    assert best.parts["bm25"] > 0


MANY = ToolIndex.of([*TOOLS, *(spec(f"counter_{number}", f"counts apples {number}") for number in range(300))])


@pytest.mark.parametrize("query", ["", "🎉🚀", "the of and", "的了吗", "ਮੈਨੂੰ ਦੱਸੋ", "㐂㐄㐅"])
def test_a_question_that_shares_nothing_with_any_tool_recalls_nothing(query: str) -> None:
    assert fusion(MANY).recall(query, 5) == []


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("My grandmother is coming on Sunday. Shall we sit in the garden, or will we get wet?", "get_forecast"),
        ("奶奶星期天要来，我们能坐在花园里吗，会不会下雨？", "query_rain"),
    ],
)
def test_a_vague_question_keeps_its_tool_among_many_others(query: str, tool: str) -> None:
    assert tool in [one.name for one in fusion(MANY).recall(query, 10)]


@pytest.mark.parametrize("catalogue", [[], [spec("lamp")], [spec("a", "same"), spec("b", "same")]])
def test_small_and_bare_catalogues_are_no_obstacle(catalogue: list[ToolSpec]) -> None:
    found = fusion(ToolIndex.of(catalogue)).recall("same lamp", 5)
    assert [one.name for one in found] == [one.tool_id for one in catalogue]


@pytest.mark.parametrize("piece", ["weather forecast. ", "查询雨量。"])
def test_fifty_thousand_characters_are_recalled_by_their_beginning(piece: str) -> None:
    query = piece * (50_000 // len(piece))
    assert fusion().recall(query, 1)[0].name in {"get_forecast", "query_rain"}


def test_each_task_of_a_question_finds_its_tool() -> None:
    found = fusion().recall("Play a song by Queen. Then book a flight to Rome.", 2)
    assert {one.name for one in found} == {"play_song", "book_flight"}


def test_a_model_that_fails_is_asked_once_and_words_take_over(caplog: pytest.LogCaptureFixture) -> None:
    model = Failing()
    fused = fusion(model=model)
    with caplog.at_level(logging.WARNING, "switchyard"):
        first = fused.recall("weather in Paris", 3)
        second = fused.recall("weather in Rome", 3)
    assert first[0].name == second[0].name == "get_forecast"
    assert model.asked == 1
    [told] = [line.message for line in caplog.records]
    assert told.startswith("the embedding model failed: tools are recalled by words alone")


def test_what_a_tool_served_draws_it_nearer() -> None:
    query = "I fancy some jazz"
    plain = EmbeddingRecall(INDEX, VectorTable(WORDS)).likeness([query])
    learned = Learned().with_success("book_flight", "I fancy some jazz tonight", 1.0)
    joined = EmbeddingRecall(INDEX, VectorTable(WORDS), Overlay(INDEX, learned)).likeness([query])
    assert plain is not None
    assert joined is not None
    assert joined.rows[0, -1] > plain.rows[0, INDEX.slot_of["book_flight"]]
    assert joined.rows[0, :-1].tolist() == plain.rows[0].tolist()


@pytest.mark.parametrize("query", ["search", "搜索", "search the web for news"])
def test_kind_finds_tools_by_their_tags(query: str) -> None:
    assert [one.name for one in TypeMatch(INDEX).recall(query, 3)] == ["web_lookup"]


def test_kind_finds_nothing_where_no_tag_is_meant() -> None:
    assert TypeMatch(INDEX).recall("apples 苹果", 3) == []


@pytest.mark.parametrize("task_type", ["search", "搜索", "search information"])
def test_the_type_of_a_task_speaks_for_tools_of_its_kind(task_type: str) -> None:
    kind = TypeMatch(INDEX)
    best = INDEX.slot_of["web_lookup"]
    assert not kind.scores(Query("apples 苹果")).any()
    assert kind.scores(Query("apples 苹果", kind=task_type)).argmax() == best
    fusion = Fusion(Bm25Recall(INDEX), EmbeddingRecall(INDEX, VectorTable(WORDS)), kind)
    assert fusion.recall("苹果", 3, task_type)[0].name == "web_lookup"


def test_a_general_task_speaks_for_no_tool() -> None:
    index = ToolIndex.of([spec("anything", "Does it all"), spec("other", "Does the rest")])
    assert not TypeMatch(index).scores(Query("apples 苹果", kind="general")).any()


async def test_the_library_recalls_by_any_langchain_embeddings_and_for_each_user() -> None:
    async with ToolHub(skills=None, embeddings=DeterministicFakeEmbedding(size=8)) as hub:
        found = await hub.finder.recall("What time is it in Tokyo?", 3, strategy="fused")
        assert found[0].name == "get_time"
        assert "embedding" in found[0].parts
        learned = Learned().with_success("calculate", "frobnicate the widget", 1.0)
        assert await hub.finder.recall("frobnicate", 3) == []
        assert [one.name for one in await hub.finder.recall("frobnicate", 3, learned=learned)] == ["calculate"]
        assert await hub.finder.recall("frobnicate", 3) == []


@pytest.mark.parametrize(
    ("filler", "last"),
    [("paint fence number{}", "measure the reservoir level"), ("给栅栏{}刷油漆", "测量水库水位")],
)
def test_no_part_of_a_question_with_many_is_lost(filler: str, last: str) -> None:
    asked = Query("; ".join([*(filler.format(number) for number in range(20)), last]))
    assert 1 < len(asked.parts) <= MOST_PARTS
    said = {term for part in asked.parts for term in part.terms}
    assert set(asked.terms) <= said


def test_a_question_of_one_piece_has_no_parts() -> None:
    assert [Query(text).parts for text in ("water level of the dam", "大坝的水位", "")] == [[], [], []]


@pytest.mark.parametrize(
    ("query", "tool"), [("the forcast", "get_forecast"), ("seacrh", "search_pages"), ("temperatura", "temperature")]
)
def test_a_word_with_a_slip_in_it_finds_what_was_meant(query: str, tool: str) -> None:
    words = Bm25Recall([spec(name) for name in ("get_forecast", "search_pages", "temperature", "starch")])
    asked = words.index.asked(query)
    assert words.index.best(words.scores(asked), 1, asked)[0].name == tool


@pytest.mark.parametrize("query", ["dental care", "rentals", "profil", "ren"])
def test_another_letter_is_another_word(query: str) -> None:
    words = Bm25Recall([spec("rental_cars"), spec("profit")])
    found = words.scores(words.index.asked(query))
    assert found.any() == (query == "rentals")
