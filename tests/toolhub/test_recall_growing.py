"""What is worked out for a catalogue is kept while tools come, and forgotten when they have gone."""

import numpy as np
import pytest

from switchyard.toolhub.recall.bm25 import Bm25Recall
from switchyard.toolhub.recall.embedding import EmbeddingRecall, VectorTable
from switchyard.toolhub.recall.fusion import FEW, SURE, Fusion
from switchyard.toolhub.recall.index import ToolIndex
from switchyard.toolhub.recall.query import Query
from switchyard.tools.core import ToolSpec


class Counting:
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
    return ToolSpec(name=f"tool_{number}", summary=f"{said} {number}")


def test_a_tool_that_comes_is_embedded_alone_and_what_has_gone_is_forgotten() -> None:
    model = Counting()
    table, index = VectorTable(model), ToolIndex.of([spec(number) for number in range(20)])
    table.of(index)
    model.embedded.clear()
    grown = index.updated([*index.specs.values(), spec(20)])
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
        EmbeddingRecall(index, table).scores(Query("apples"))
        _gone, *others = index.specs.values()
        index = index.updated([*others, spec(number, "写诗 poetry")])
    fresh = EmbeddingRecall(ToolIndex.of(index.specs.values()), VectorTable(model))
    grown = EmbeddingRecall(index, table)
    for query in ("write poetry", "写诗"):
        wanted = {one.name: one.score for one in fresh.recall(query, 40)}
        assert {one.name: one.score for one in grown.recall(query, 40)} == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("query", ["reservoir level", "水库水位"])
def test_behind_the_first_tools_only_those_near_the_best_are_recalled(query: str) -> None:
    gauge = ToolSpec(name="gauge", summary="reads the reservoir level 查询水库水位")
    others = [spec(number, "counts birds in the level wood 统计鸟类 位") for number in range(4 * FEW)]
    index = ToolIndex.of([gauge, *others])
    words, nothing = Bm25Recall(index), EmbeddingRecall(index, VectorTable(Speechless()))
    assert len(Fusion(words, nothing, abstains=False).recall(query, 20)) == 20
    found = Fusion(words, nothing).recall(query, 20)
    assert found[0].name == "gauge"
    assert len(found) == SURE
