"""Wordings that worked join a tool, failures speak against it, and the shared index stays as it is."""

import pytest

from switchyard.language.tokeniser import tokens
from switchyard.toolhub.recall.bm25 import TermIndex
from switchyard.toolhub.recall.index import Bm25Recall, Overlay, ToolIndex, terms_of
from switchyard.toolhub.recall.learned import WORDINGS_KEPT, Learned
from switchyard.toolhub.recall.query import Query
from switchyard.tools.core import ToolSpec

GAUGE = ToolSpec(tool_id="gauge", description="reads the water level of a reservoir 查询水库水位")
LAMP = ToolSpec(tool_id="lamp", description="turns a light on or off 开关灯光")
INDEX = ToolIndex.of([GAUGE, LAMP])


def names(query: str, learned: Learned) -> list[str]:
    return [found.name for found in Bm25Recall(INDEX, Overlay(INDEX, learned)).recall(query, 5)]


@pytest.mark.parametrize(
    ("wording", "query"), [("how full is Panshitou", "is Panshitou full"), ("盘石头满了吗", "盘石头")]
)
def test_a_tool_is_found_by_what_it_served_before(wording: str, query: str) -> None:
    assert names(query, Learned()) == []
    assert names(query, Learned().with_success("gauge", wording, 1.0)) == ["gauge"]


def test_an_overlay_leaves_the_shared_index_as_it_is() -> None:
    before = INDEX.terms.scores({"reservoir": 1.0}).tolist()
    names("Panshitou", Learned().with_success("gauge", "how full is Panshitou", 1.0))
    assert INDEX.terms.scores({"reservoir": 1.0}).tolist() == before
    assert Bm25Recall(INDEX).recall("Panshitou", 5) == []


@pytest.mark.parametrize("query", ["reservoir", "could you read the level, friend", "朋友，水位多少"])
def test_joined_documents_score_as_if_they_had_been_built_with_their_wordings(query: str) -> None:
    learned, documents = Learned(), dict[str, list[str]]()
    for tool, wording in (("gauge", "could you read it, friend 朋友"), ("lamp", "could you, friend, dim it 朋友")):
        learned = learned.with_success(tool, wording, 1.0)
        documents[tool] = [*terms_of(INDEX.text(tool)), *dict.fromkeys(tokens(wording))]
    fresh = TermIndex.of(list(documents.values()))
    wanted, found = (one.scores(Query(query).weighted) for one in (fresh, Overlay(INDEX, learned)))
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-4)


@pytest.mark.parametrize(("word", "query"), [("friend", "friend light"), ("朋友", "朋友灯光")])
def test_a_word_that_everybody_asks_with_tells_less(word: str, query: str) -> None:
    quiet = Learned().with_success("lamp", word, 1.0)
    asked = quiet.with_success("gauge", word, 1.0)
    quietly, often = (Overlay(INDEX, known).scores(Query(query).weighted)[0] for known in (quiet, asked))
    assert often < quietly


@pytest.mark.parametrize("wording", ["show the level", "显示水位"])
def test_a_failure_takes_back_what_was_learned_from_the_same_wording(wording: str) -> None:
    learned = Learned().with_success("gauge", wording, 1.0).with_failure("gauge", wording, 2.0)
    assert learned.tools["gauge"].served == ()
    assert learned.with_success("gauge", wording, 3.0).tools["gauge"].failed == ()


@pytest.mark.parametrize("query", ["light level", "灯光 水位"])
def test_a_tool_that_keeps_failing_on_a_wording_sinks_there_and_only_there(query: str) -> None:
    first, *_ = names(query, Learned())
    learned = Learned()
    for at in range(4):
        learned = learned.with_failure(first, query, float(at))
    sunk = names(query, learned)
    assert sunk[-1] == first
    assert len(sunk) == 2
    assert names("reservoir 水库", learned)[0] == "gauge"


def test_more_failures_speak_louder_and_never_above_one() -> None:
    learned, before = Learned(), 0.0
    for at in range(30):
        learned = learned.with_failure("lamp", "dim the light", float(at))
        against = learned.penalties(["dim", "light"])["lamp"]
        assert before < against < 1
        before = against


def test_the_least_useful_wording_goes_first_and_the_new_one_stays() -> None:
    learned = Learned().with_success("gauge", "often asked", 0.0).with_success("gauge", "often asked", 1.0)
    for number in range(2 * WORDINGS_KEPT):
        learned = learned.with_success("gauge", f"question number{number} word{number}", 2.0 + number)
    texts = [wording.text for wording in learned.tools["gauge"].served]
    assert len(texts) == WORDINGS_KEPT
    assert "often asked" in texts
    assert texts[-1].startswith(f"question number{2 * WORDINGS_KEPT - 1}")
    assert not any(text.startswith("question number0 ") for text in texts)


@pytest.mark.parametrize("wording", ["", "🎉", "the of", "的了"])
def test_a_wording_that_says_nothing_is_not_learned(wording: str) -> None:
    assert Learned().with_success("gauge", wording, 1.0).tools == {}


def test_what_was_learned_survives_as_plain_data() -> None:
    learned = Learned().with_success("gauge", "how full", 1.0).with_failure("lamp", "太亮了", 2.0)
    assert Learned.model_validate_json(learned.model_dump_json()) == learned
    assert "gauge" not in learned.without("gauge").tools


def test_what_was_learned_of_a_tool_that_has_gone_is_no_obstacle() -> None:
    learned = Learned().with_success("gone", "how full", 1.0).with_failure("gone", "reservoir", 1.0)
    assert names("reservoir", learned) == ["gauge"]


@pytest.mark.parametrize("query", ["please help me find the tide", "请帮我查一下潮位"])
def test_what_every_question_has_does_not_put_learned_tools_before_others(query: str) -> None:
    names = [f"counter_{number}" for number in range(40)]
    specs = [ToolSpec(tool_id=name, description=f"counts apples 数苹果 {name}") for name in names]
    tide = ToolSpec(tool_id="tide", description="tells the tide 潮位")
    index = ToolIndex.of([*specs, tide])
    learned = Learned()
    for name in names:
        learned = learned.with_success(name, f"please help me find the apples of {name} 请帮我查一下苹果", 1.0)
    assert Bm25Recall(index, Overlay(index, learned)).recall(query, 1)[0].name == "tide"


@pytest.mark.parametrize("query", ["please tell me the tide", "tide of the apples", "潮位", "苹果的潮位"])
def test_a_tool_that_has_not_learned_stays_where_it_was(query: str) -> None:
    names = ["apples", "tide", "pears", "moon"]
    said = (
        "counts apples 数苹果",
        "tells the tide 潮位",
        "counts pears and apples 数梨和苹果",
        "moon and tide 月亮和潮位",
    )
    index = ToolIndex.of(ToolSpec(tool_id=name, description=text) for name, text in zip(names, said, strict=True))
    learned = Learned().with_success("pears", "please tell me how many of the fruit 请问有多少水果", 1.0)
    learned = learned.with_success("apples", "please tell me how red they are 请问有多红", 1.0)
    before = [one.name for one in Bm25Recall(index).recall(query, 5)]
    after = [one.name for one in Bm25Recall(index, Overlay(index, learned)).recall(query, 5)]
    places = [(name, before.index(name)) for name in ("tide", "moon") if name in before]
    assert places
    assert places == [(name, after.index(name)) for name, _ in places]


def test_among_tools_that_have_learned_what_they_were_asked_decides() -> None:
    specs = [ToolSpec(tool_id=name, description="counts fruit 数水果") for name in ("apples", "pears")]
    index = ToolIndex.of(specs)
    learned = (
        Learned().with_success("apples", "red ones 红的", 1.0).with_success("pears", "green ones on the tree 绿的", 1.0)
    )
    for query, first in (("count the green fruit there", "pears"), ("数红的水果", "apples")):
        assert Bm25Recall(index, Overlay(index, learned)).recall(query, 1)[0].name == first


@pytest.mark.parametrize(
    ("wording", "query"), [("is Panshitou bright", "Is Panshitou bright?"), ("盘石头灯满", "盘石头灯满吗")]
)
def test_a_tool_that_was_asked_the_same_comes_before_all_others(wording: str, query: str) -> None:
    others = [ToolSpec(tool_id=f"lamp_{number}", description="bright light of the lamp 灯满") for number in range(5)]
    index = ToolIndex.of([*others, GAUGE])
    assert Bm25Recall(index, Overlay(index, Learned())).recall(query, 1)[0].name != "gauge"
    learned = Learned().with_success("gauge", wording, 1.0)
    assert Bm25Recall(index, Overlay(index, learned)).recall(query, 1)[0].name == "gauge"


def test_a_tool_that_was_asked_something_like_it_comes_right_behind_the_first() -> None:
    others = [
        ToolSpec(tool_id=f"lamp_{number}", description=f"bright light {'of a lamp ' * number}") for number in range(5)
    ]
    index = ToolIndex.of([*others, GAUGE])
    learned = Learned().with_success("gauge", "how bright is the evening sky of Panshitou", 1.0)
    query = "how bright is the evening sky of Nanhai"
    before = [one.name for one in Bm25Recall(index).recall(query, 3)]
    assert "gauge" not in before
    after = [one.name for one in Bm25Recall(index, Overlay(index, learned)).recall(query, 3)]
    assert after == [before[0], "gauge", before[1]]
