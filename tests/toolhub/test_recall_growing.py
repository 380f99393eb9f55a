"""What is worked out for a catalogue is kept while tools come, and forgotten when they have gone."""

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from switchyard.toolhub.recall.embedding import ROUGH_FROM, EmbeddingRecall, VectorTable
from switchyard.toolhub.recall.fusion import TypeMatch
from switchyard.toolhub.recall.index import ToolIndex
from switchyard.tools.core import ToolSpec


class Counting(Embeddings):
    """Embeds a text by its letters, and counts what it is asked."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        counts = np.bincount([ord(letter) % 97 for letter in text], minlength=97)
        return [float(count) for count in counts]


class Speechless(Counting):
    """Knows no language."""

    def knows(self, text: str) -> bool:
        return not text


def spec(number: int, said: str = "counts apples 数苹果") -> ToolSpec:
    return ToolSpec(tool_id=f"tool_{number}", description=f"{said} {number}")


def test_a_tool_that_comes_is_embedded_alone_and_what_has_gone_is_forgotten() -> None:
    model = Counting()
    table, index = VectorTable(model), ToolIndex.of([spec(number) for number in range(20)])
    table.of(index)
    model.embedded.clear()
    grown = index.updated({**index.specs, "tool_20": spec(20)})
    assert table.of(grown) is not None
    assert len(model.embedded) == 1
    again = ToolIndex.of([spec(number) for number in range(10)])
    table.of(again)
    assert len(model.embedded) == 1
    table.of(ToolIndex.of([spec(number) for number in range(20)]))
    assert len(model.embedded) == 11


def test_tools_that_come_and_go_have_the_likeness_of_a_fresh_table() -> None:
    model = Counting()
    table, index = VectorTable(model), ToolIndex.of([spec(number) for number in range(12)])
    for number in range(12, 40):
        EmbeddingRecall(index, table).likeness(["apples"])
        _gone, *others = [*index.specs.values(), spec(number, "写诗 poetry")]
        index = index.updated({one.tool_id: one for one in others})
    fresh = EmbeddingRecall(ToolIndex.of(index.specs.values()), VectorTable(model))
    grown = EmbeddingRecall(index, table)
    for query in ("write poetry", "写诗"):
        wanted = {one.name: one.score for one in fresh.recall(query, 40)}
        assert {one.name: one.score for one in grown.recall(query, 40)} == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("query", ["search", "搜索"])
def test_kinds_follow_tools_that_come_and_go(query: str) -> None:
    first, seek = (ToolSpec(tool_id=name, description="", tags=("搜索",)) for name in ("find_page", "seek"))
    index = ToolIndex.of([first, spec(1), spec(2)])
    grown = index.updated({**index.specs, "seek": seek})
    kinds = TypeMatch(grown, before=TypeMatch(index))
    assert [one.name for one in kinds.recall(query, 5)] == ["find_page", "seek"]
    kinds = TypeMatch(grown.updated({"tool_1": spec(1), "seek": seek}), before=kinds)
    assert [one.name for one in kinds.recall(query, 5)] == ["seek"]


def test_a_large_catalogue_looked_at_roughly_finds_what_a_close_look_finds() -> None:
    table = VectorTable(Counting())
    specs = [spec(number, f"{'abcdefghij'[number % 10] * 3} 水位{number}") for number in range(ROUGH_FROM + 1)]
    index = ToolIndex.of(specs[:ROUGH_FROM])
    assert EmbeddingRecall(index, table).recall("apples", 1)
    meaning = EmbeddingRecall(index.updated({one.tool_id: one for one in specs}), table)
    likeness, close = (meaning.likeness(["aaa 水位 17"]) for _ in range(2))
    assert likeness is not None
    assert close is not None
    assert likeness.tools.axes is not None
    close.look_closely(np.arange(len(specs)))
    exact = close.rows[0]
    rough = np.argsort(-likeness.rows[0])[:50]
    assert set(np.argsort(-exact)[:5].tolist()) <= set(rough.tolist())
    likeness.look_closely(rough)
    assert likeness.rows[0, rough] == pytest.approx(exact[rough], abs=1e-5)
