"""Selection without a model: rather no tool than a wrong one."""

from functools import cache

from switchyard.agents.by_rules.selector import Earlier, assign, assigned
from switchyard.app.places import ROOT
from switchyard.ledger.decisions import Assignment
from switchyard.ledger.plan import Step
from switchyard.toolhub.recall.bm25 import Bm25Recall
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core.spec import ToolSpec


@cache
def specs() -> dict[str, ToolSpec]:
    return {found.spec.name: found.spec for found in discover(ROOT / "tools", "switchyard.tools").tools}


@cache
def recall() -> Bm25Recall:
    return Bm25Recall(specs().values())


def selected(text: str, *dependencies: str) -> Assignment:
    step = Step(id="s2", description=text, dependencies=list(dependencies))
    earlier = Earlier(dependencies[-1]) if dependencies else None
    return assign(step, [(scored, specs()[scored.name]) for scored in recall().recall(text, 20)], earlier=earlier)


def test_a_step_that_builds_on_another_refers_to_its_number() -> None:
    assert selected("add 14% to it", "s1").arguments == {"expression": "{{s1.value}} + 14%"}


def test_candidates_come_with_the_words_that_found_them() -> None:
    assert "几点" in selected("东京现在几点").candidates[0].why


def test_one_tool_is_filled_even_where_something_is_missing() -> None:
    assert assigned(Step(id="s1", description="read the file"), specs()["read_file"]).missing == ["path"]
