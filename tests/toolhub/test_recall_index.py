"""The index follows the catalogue, and scores as a fresh one would."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.toolhub.recall import bm25 as module
from switchyard.toolhub.recall.bm25 import highest
from switchyard.toolhub.recall.index import Bm25Recall, ToolIndex, text_of
from switchyard.tools.core import ToolCapability, ToolSpec

WORDS = ["alpha", "beta", "gamma", "水位", "雨量", "delta"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12)
CATALOGUES = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from(WORDS), max_size=6))


def spec(name: str, summary: str = "", **given: Any) -> ToolSpec:
    return ToolSpec.model_validate({"tool_id": name, "description": summary, **given})


def named(*specs: ToolSpec) -> dict[str, ToolSpec]:
    return {one.tool_id: one for one in specs}


@given(st.lists(CATALOGUES, min_size=2, max_size=4))
def test_tools_that_come_go_and_change_leave_the_scores_of_a_fresh_build(
    catalogues: list[dict[str, list[str]]],
) -> None:
    index = ToolIndex()
    for catalogue in catalogues:
        specs = [spec(name, " ".join(words)) for name, words in catalogue.items()]
        before, index = index, index.updated(named(*specs))
        for word in WORDS:
            fresh = Bm25Recall(specs).recall(word, 10)
            found = Bm25Recall(index).recall(word, 10)
            assert [(one.name, one.terms) for one in found] == [(one.name, one.terms) for one in fresh]
            assert [one.score for one in found] == pytest.approx([one.score for one in fresh])
        assert {one.name for one in Bm25Recall(before).recall(" ".join(WORDS), 10)} <= before.specs.keys()


@given(DOCUMENTS, st.integers(0, 6))
def test_tools_that_come_one_by_one_leave_the_scores_of_a_fresh_build(documents: list[list[str]], late: int) -> None:
    specs = [spec(f"t{number}", " ".join(words)) for number, words in enumerate(documents)]
    index = ToolIndex()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "LATE", late)
        for one in specs:
            before, index = index, index.updated({**index.specs, one.tool_id: one})
            assert len(before.specs) == len(index.specs) - 1
    fresh = ToolIndex.of(specs)
    for word in WORDS:
        assert index.terms.frequency(word) == fresh.terms.frequency(word)
        assert index.terms.scores({word: 1.0}) == pytest.approx(fresh.terms.scores({word: 1.0}), abs=1e-5)


def test_an_index_that_another_came_from_does_not_change() -> None:
    before = ToolIndex.of([spec("one", "alpha")])
    after = before.updated(named(*before.specs.values(), spec("two", "alpha beta")))
    assert [found.name for found in Bm25Recall(before).recall("alpha beta", 5)] == ["one"]
    assert [found.name for found in Bm25Recall(after).recall("beta", 5)] == ["two"]
    assert before.terms.frequency("beta") == 0


def test_a_described_anew_tool_is_found_by_its_new_words_only() -> None:
    others = [spec(f"other_{number}", "counts apples") for number in range(8)]
    index = ToolIndex.of([*others, spec("gauge", "reads the river")])
    index = index.updated(named(*others, spec("gauge", "reads the reservoir 水库")))
    assert Bm25Recall(index).recall("river", 3) == []
    assert [found.name for found in Bm25Recall(index).recall("水库", 3)] == ["gauge"]


def test_equal_texts_in_new_objects_leave_the_index_as_it_is() -> None:
    index = ToolIndex.of([spec("gauge", "reads the river")])
    assert index.updated(named(spec("gauge", "reads the river"))).terms is index.terms


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


@given(st.lists(st.integers(0, 6), min_size=1, max_size=400), st.integers(1, 24))
def test_the_highest_scores_are_all_found_with_those_that_equal_the_last(numbers: list[int], count: int) -> None:
    scores = np.array(numbers, np.float32)
    last = sorted(numbers, reverse=True)[:count][-1]
    wanted = {slot for slot, number in enumerate(numbers) if number >= last}
    assert set(highest(scores, count).tolist()) == wanted


def test_an_index_whose_tools_have_all_gone_finds_nothing() -> None:
    index = ToolIndex.of([spec("alpha"), spec("水位")]).updated({})
    assert Bm25Recall(index).recall("alpha 水位", 5) == []
