"""A state that a person has edited goes on from there and uses the edit, in Studio and by `update_state` (R1.3)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.plans import Handed, call

CONFIG: Any = {"configurable": {"thread_id": "t"}}
QUESTIONS = ["What is 15% of 2480?", "2480 的 15% 是多少？"]


async def forked(graph: Any, node: str, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """The outcome of a run that goes on before a node, with what a person makes of the state there."""
    found = [one async for one in graph.aget_state_history(CONFIG) if one.next == (node,)][-1]
    config = await graph.aupdate_state(found.config, edit(found.values))
    assert (await graph.aget_state(config)).next == (node,)
    return cast("dict[str, Any]", await graph.ainvoke(None, config))


def edited(values: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    assigned = values["assignments"]
    return {"assignments": {**assigned, "s1": {**assigned["s1"], "arguments": arguments}}}


def half(values: dict[str, Any]) -> dict[str, Any]:
    return edited(values, expression="50% of 2480")


def nothing(_: dict[str, Any]) -> dict[str, Any]:
    return {"approvals": {}}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_edited_arguments_are_used(orchestrator_with: OpenOrchestrator, question: str) -> None:
    async with orchestrator_with() as opened:
        graph: Any = opened.graph
        assert "372" in (await graph.ainvoke({"question": question}, CONFIG))["answer"]
        outcome = await forked(graph, "execute", half)
        assert (outcome["status"], "1240" in outcome["answer"]) == ("answered", True)


@pytest.mark.parametrize("node", ["select_tools", "execute", "verify", "coordinate"])
@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_run_goes_on_from_every_node(orchestrator_with: OpenOrchestrator, question: str, node: str) -> None:
    async with orchestrator_with() as opened:
        graph: Any = opened.graph
        await graph.ainvoke({"question": question}, CONFIG)
        outcome = await forked(graph, node, nothing)
        assert (outcome["status"], "372" in outcome["answer"]) == ("answered", True)


async def test_what_builds_on_an_edited_step_is_done_again_and_nothing_else(counting: Handed, workspace: Path) -> None:
    plan = [call("tally", label="apples"), call("tally", "s1", label="{{s1.value}} 个"), call("tally", label="pears")]
    counting.plan(*plan)
    await counting.graph.ainvoke({"question": "tally 数一数"}, CONFIG)
    outcome = await forked(counting.graph, "execute", lambda values: edited(values, label="plums"))
    begun = [line for line in (workspace / "calls.log").read_text(encoding="utf-8").splitlines() if "start" in line]
    assert sorted(begun) == ["start s1 apples", "start s1 plums", "start s2 5 个", "start s2 6 个", "start s3 pears"]
    assert outcome["status"] == "answered"


async def test_a_decision_leads_on_although_it_is_no_longer_there(counting: Handed, workspace: Path) -> None:
    counting.plan(call("break", label="cup", others=("tally",)))
    await counting.graph.ainvoke({"question": "tally 数一数"}, CONFIG)
    history = [one async for one in counting.graph.aget_state_history(CONFIG)]
    [switched] = [one for one in history if one.next == ("select_tools",) and one.values["context"]["decisions"]]
    config = await counting.graph.aupdate_state(switched.config, {"approvals": {}}, as_node="coordinate")
    assert (await counting.graph.aget_state(config)).next == ("select_tools",)
