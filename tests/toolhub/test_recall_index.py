"""The index grows tool by tool, and scores as rank-bm25 would on a fresh build."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from switchyard.toolhub.recall.bm25 import Bm25Recall
from switchyard.toolhub.recall.documents import text_of
from switchyard.toolhub.recall.index import K1, B, TermIndex, highest
from switchyard.toolhub.recall.tool_index import ToolIndex
from switchyard.tools.core import ToolCapability, ToolSpec

WORDS = ["alpha", "beta", "gamma", "水位", "雨量", "delta"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12)


def spec(name: str, summary: str = "", **given: Any) -> ToolSpec:
    return ToolSpec.model_validate({"name": name, "summary": summary, **given})


@given(documents=DOCUMENTS, laid_out=st.integers(0, 12), gone=st.sets(st.integers(0, 11)))
def test_tools_that_come_and_go_leave_the_scores_of_a_fresh_build(
    documents: list[list[str]], laid_out: int, gone: set[int]
) -> None:
    named = {f"t{number}": terms for number, terms in enumerate(documents)}
    first = dict(list(named.items())[:laid_out])
    later = dict(list(named.items())[laid_out:])
    removed = [slot for slot in gone if slot < len(first)]
    index = TermIndex.of(first).changed(later, removed)
    for slot in (slot for slot in gone if len(first) <= slot < len(named)):
        index = index.changed({}, [slot])
    left = [terms for slot, terms in enumerate(documents) if slot not in gone]
    slots = [slot for slot in range(len(documents)) if slot not in gone]
    assert index.size == len(left)
    if not any(left):
        return
    model = cast("Any", BM25Plus)(left, k1=K1, b=B)
    for term in WORDS:
        wanted = model.get_scores([term]) - model.delta * (model.idf.get(term) or 0)
        assert index.scores({term: 1.0})[slots] == pytest.approx(wanted, abs=1e-4)


def test_an_index_that_another_came_from_does_not_change() -> None:
    before = TermIndex.of({"one": ["alpha"]})
    after = before.changed({"two": ["alpha", "beta"]}, [0])
    assert before.scores({"alpha": 1.0}).tolist() == TermIndex.of({"one": ["alpha"]}).scores({"alpha": 1.0}).tolist()
    assert not before.scores({"beta": 1.0}).any()
    assert after.scores({"alpha": 1.0})[0] == 0.0


def test_a_described_anew_tool_is_found_by_its_new_words_only() -> None:
    others = [spec(f"other_{number}", "counts apples") for number in range(8)]
    index = ToolIndex.of([*others, spec("gauge", "reads the river")])
    index = index.updated([*others, spec("gauge", "reads the reservoir 水库")])
    assert Bm25Recall(index).recall("river", 3) == []
    assert [found.name for found in Bm25Recall(index).recall("水库", 3)] == ["gauge"]


def test_equal_texts_in_new_objects_leave_the_index_as_it_is() -> None:
    index = ToolIndex.of([spec("gauge", "reads the river")])
    assert index.updated([spec("gauge", "reads the river")]).terms is index.terms


def test_many_changes_are_laid_out_anew() -> None:
    specs = [spec(f"tool_{number}", f"counts apples {number}") for number in range(10)]
    index = ToolIndex.of(specs)
    for number in range(10, 200):
        specs = [*specs[1:], spec(f"tool_{number}", f"counts apples {number}")]
        index = index.updated(specs)
    assert len(index.terms.bags) < 100
    assert {found.name for found in Bm25Recall(index).recall("apples", 50)} == {one.name for one in specs}


def test_names_of_parameters_in_english_say_nothing_of_a_tool_described_in_chinese() -> None:
    parameters = {"properties": {"station_code": {"description": "测站编码"}}}
    capability = ToolCapability(name="t", parameters=parameters)
    chinese = text_of(spec("t", "查询水位", capabilities=(capability,)))
    english = text_of(spec("t", "Reads the level", capabilities=(capability,)))
    assert "station_code" not in chinese.parameters
    assert "测站编码" in chinese.parameters
    assert "station_code" in english.parameters


@pytest.mark.parametrize("topk", [0, 1, 5])
def test_an_empty_catalogue_has_no_best(topk: int) -> None:
    assert Bm25Recall([]).recall("anything 什么", topk) == []


@pytest.mark.parametrize("length", [100_000])
def test_a_description_of_100_kb_is_found_by_its_beginning(length: int) -> None:
    index = ToolIndex.of([spec("long", "reservoir " + "x y z " * (length // 6)), spec("short", "river")])
    assert [found.name for found in Bm25Recall(index).recall("reservoir", 2)] == ["long"]


def test_tools_without_description_and_with_the_same_one_are_found_by_name() -> None:
    index = ToolIndex.of([spec("lamp_on"), spec("lamp_off"), spec("b", "same words"), spec("a", "same words")])
    assert [found.name for found in Bm25Recall(index).recall("lamp", 4)] == ["lamp_off", "lamp_on"]
    assert [found.name for found in Bm25Recall(index).recall("words", 4)] == ["a", "b"]
    assert np.all(index.terms.alive)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=400), st.integers(1, 24))
def test_the_highest_scores_are_all_found_with_those_that_equal_the_last(numbers: list[int], count: int) -> None:
    scores = np.array(numbers, np.float32)
    last = sorted(numbers, reverse=True)[:count][-1]
    wanted = {slot for slot, number in enumerate(numbers) if number >= last}
    assert set(highest(scores, count).tolist()) == wanted


def test_an_index_whose_tools_have_all_gone_finds_nothing() -> None:
    index = TermIndex.of({"one": ["alpha"], "two": ["水位"]}).changed({}, [0, 1])
    assert not index.scores({"alpha": 1.0, "水位": 1.0}).any()
