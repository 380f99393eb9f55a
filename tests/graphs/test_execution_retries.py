"""A failure that may pass is tried again with the same arguments, up to a limit; one for good never is."""

import re
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from langgraph.types import Command, interrupt

from switchyard.ledger.options import RunOptions
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolCapability, ToolFailed, ToolResult, ToolSpec
from switchyard.tools.core.errors import FailureKind
from tests.graphs.conftest import OpenHanded
from tests.support.plans import QUESTION, Handed, call

PARAMETERS = {"properties": {"label": {"type": "string"}}, "required": ["label"]}
LAMP = call("flicker", label="lamp")


class Flicker:
    """Fails as often as it is told to, then works."""

    def __init__(self, kind: FailureKind, failures: int) -> None:
        self.kind: FailureKind = kind
        self.failures = failures
        self.calls: list[dict[str, Any]] = []

    async def __call__(self, request: ToolRequest) -> ToolResult:
        self.calls.append(request.given)
        if len(self.calls) <= self.failures:
            raise ToolFailed("忙", kind=self.kind)
        return ToolResult(result={"label": request.given["label"]})

    def register(self, opened: Handed, name: str = "flicker", **spec: Any) -> "Flicker":
        described = {
            "tool_id": name,
            "description": "Flicker a lamp. 闪烁。",
            "tags": ("flicker", "lamp", "闪烁"),
            "capabilities": (ToolCapability(name=name, parameters=PARAMETERS),),
            **spec,
        }
        opened.hub.registry.add(RegisteredTool(ToolSpec.model_validate(described), self))
        return self


@pytest.fixture
async def opened(handed_with: OpenHanded) -> AsyncGenerator[Handed]:
    async with handed_with() as handed:
        yield handed


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "unavailable"])
async def test_a_failure_that_passes_is_survived(opened: Handed, kind: FailureKind) -> None:
    flicker = Flicker(kind, 2).register(opened)
    report = await opened.ask(LAMP)
    assert report.status == "answered"
    assert flicker.calls == [{"label": "lamp"}] * 3


async def test_a_failure_that_does_not_pass_is_given_up_after_three_attempts(opened: Handed) -> None:
    flicker = Flicker("unavailable", 99).register(opened)
    report = await opened.ask(LAMP)
    assert len(flicker.calls) == 3
    assert report.status == "failed"
    assert report.limits_hit == ["attempts"]


async def test_how_often_is_a_setting(opened: Handed) -> None:
    flicker = Flicker("unavailable", 99).register(opened)
    await opened.ask(LAMP, options=RunOptions(max_attempts=1))
    assert len(flicker.calls) == 1


@pytest.mark.parametrize("kind", ["not_found", "bad_arguments", "permission", "crash", "wrong_result"])
async def test_a_failure_for_good_is_never_repeated(opened: Handed, kind: FailureKind) -> None:
    flicker = Flicker(kind, 99).register(opened)
    report = await opened.ask(LAMP)
    assert len(flicker.calls) == 1
    assert report.steps[0].error_type == kind


async def test_after_a_failure_for_good_the_next_tool_is_taken(opened: Handed) -> None:
    Flicker("crash", 99).register(opened)
    other = Flicker("crash", 0).register(opened, name="glow", description="Let a lamp glow or flicker. 闪烁或发光。")
    report = await opened.ask(call("flicker", others=("glow",), label="lamp"))
    assert report.status == "answered"
    assert len(other.calls) == 1
    assert "switch_tool" in {decision.action for decision in report.decisions}


async def test_a_step_that_is_tried_again_does_not_run_its_siblings_again(opened: Handed) -> None:
    flicker = Flicker("timeout", 1).register(opened)
    steady = Flicker("timeout", 0).register(opened, name="shine", tags=("shine",), description="Shine.")
    await opened.ask(LAMP, call("shine", label="moon"))
    assert (len(flicker.calls), len(steady.calls)) == (2, 1)


async def test_what_waits_for_a_step_that_is_tried_again_runs_in_the_end(opened: Handed) -> None:
    Flicker("timeout", 1).register(opened)
    steady = Flicker("timeout", 0).register(opened, name="shine", tags=("shine",), description="Shine.")
    report = await opened.ask(LAMP, call("shine", "s1", label="moon"))
    assert report.status == "answered"
    assert len(steady.calls) == 1


async def test_the_number_of_rounds_is_limited(opened: Handed) -> None:
    Flicker("timeout", 99).register(opened)
    report = await opened.ask(LAMP, options=RunOptions(max_iterations=2, max_attempts=9))
    assert report.limits_hit == ["iterations"]


async def test_a_writing_call_that_ran_out_of_time_is_not_made_again_unasked(opened: Handed) -> None:
    flicker = Flicker("timeout", 1).register(opened, writes=True)
    waiting = await opened.ask(LAMP, options=RunOptions(auto_approve=True))
    assert waiting.status == "waiting"
    assert len(flicker.calls) == 1
    assert isinstance(waiting.waiting_for, list)
    assert re.search("may already have happened|可能已经生效", waiting.waiting_for[0].reason)
    report = await opened.resume(waiting.thread_id, "approve", options=RunOptions(auto_approve=True))
    assert (report.status, len(flicker.calls)) == ("answered", 2)


class Pausing:
    """A tool that pauses the graph itself, as LangGraph lets any code do."""

    async def __call__(self, request: ToolRequest) -> ToolResult:
        del request
        return ToolResult(result={"reply": interrupt("and now?")})


async def test_a_tool_may_pause_the_graph_itself(opened: Handed) -> None:
    capability = ToolCapability(name="pause", parameters={"properties": {}})
    spec = ToolSpec(tool_id="pause", description="Pause. 暂停。", tags=("pause", "暂停"), capabilities=(capability,))
    opened.hub.registry.add(RegisteredTool(spec, Pausing()))
    config: Any = {"configurable": {"thread_id": "pausing"}}
    opened.plan(call("pause"))
    paused = await opened.graph.ainvoke({"question": QUESTION}, config)
    assert [found.value for found in paused["__interrupt__"]] == ["and now?"]
    resumed = await opened.graph.ainvoke(Command(resume="on 继续"), config)
    assert "on 继续" in resumed["answer"]


async def test_a_change_that_was_made_is_not_made_again_unasked(opened: Handed) -> None:
    flicker = Flicker("timeout", 0).register(opened, writes=True)
    again = call("flicker", "s1", label="lamp")
    waiting = await opened.ask(LAMP, again, options=RunOptions(auto_approve=True))
    assert (waiting.status, len(flicker.calls)) == ("waiting", 1)
    assert isinstance(waiting.waiting_for, list)
    assert "already done in this run" in waiting.waiting_for[0].reason


async def test_equal_changes_that_were_approved_together_are_not_both_made_unasked(opened: Handed) -> None:
    flicker = Flicker("timeout", 0).register(opened, writes=True)
    waiting = await opened.ask(LAMP, LAMP)
    waiting = await opened.resume(waiting.thread_id, "approve")
    assert (waiting.status, len(flicker.calls)) == ("waiting", 1)
    assert isinstance(waiting.waiting_for, list)
    assert "already done in this run" in waiting.waiting_for[0].reason
    await opened.resume(waiting.thread_id, "approve")
    assert len(flicker.calls) == 2
