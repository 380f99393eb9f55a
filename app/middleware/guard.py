"""A call that failed is not made again by an agent, and its model is told what may help (R7.2, R7.3)."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp, is_invalid_resume
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from switchyard.app.middleware.agent_tools import SUGGESTED, AgentTools, at_once, failure_in, question_of
from switchyard.language.messages import STORED, Message, message, quoted, said
from switchyard.language.words import language_of
from switchyard.ledger.attempts import Attempt, CallIdentity, Failure, failures_of
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.guard import back_off, refusal, repeated
from switchyard.toolhub.calling.dispatch import classified, classify, wait_said
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import TRANSIENT, ToolError
from switchyard.tools.core.result import ToolResult

Answer = ToolMessage | Command[Any]

LONGEST_ERROR = 2_000
"""Characters of an error that the agent's state keeps."""


def _of_the_run(before: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls are added; nothing begins the next run of the thread."""
    return [*before, *new] if new else []


class _GuardState(AgentState[Any]):
    switchyard_calls: NotRequired[Annotated[list[dict[str, Any]], PrivateStateAttr, _of_the_run]]
    """The calls of the run that failed, and those that changed something, as attempts."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that is wanted, and what the run knows."""

    request: ToolCallRequest
    identity: CallIdentity
    attempts: list[Attempt]

    @property
    def failures(self) -> list[Failure]:
        return [failures_of(one)[-1] for one in self.attempts if one.state == "failed"]

    @property
    def question(self) -> str:
        return question_of(self.request.state["messages"])

    def ended(self, *, writes: bool, failed: ToolResult | None = None) -> Attempt:
        """The call as the state keeps it."""
        return Attempt(
            run_id="",
            step_id="",
            number=1,
            tool=self.request.tool_call["name"],
            signature=self.identity.signature,
            names=list(self.identity.names),
            order=1 + max((one.order for one in self.attempts), default=0),
            writes=writes,
            state="failed" if failed else "finished",
            result=failed,
            at=time.time(),
            idempotency_key="",
        )


class SwitchyardFailureGuard(AgentTools):
    """A call that failed is not made again in the run, unless the failure may pass or something was changed since.

    The model is told so, why it failed, and what may help: other arguments, other tools of the agent. What a tool
    raises is told like what it reports. What is known of a run is in the agent's state, where a checkpointer keeps it.
    """

    state_schema = _GuardState

    def __init__(self, *, max_attempts: int = 3, retry_delay: float = 0.5, workspace: Path | None = None) -> None:
        """Nothing is read yet.

        Args:
            max_attempts: how often a call is made whose failure may pass: a time-out, a rate limit.
            retry_delay: seconds before it is made again, doubled each time; longer where the tool says so.
            workspace: the folder of the tools' paths, in which a missing one is looked for; nothing is when left out.
        """
        super().__init__()
        self._most, self._delay = max_attempts, retry_delay
        self._context = ToolContext(workspace=workspace or Path(os.devnull))

    def before_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        """What failed for an earlier question of the thread may work for this one."""
        del state, runtime
        return {"switchyard_calls": []}

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Answer]) -> Answer:
        """The same for a synchronous agent."""
        return at_once(self.awrap_tool_call(request, partial(asyncio.to_thread, handler)))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Answer]]
    ) -> Answer:
        """Refuse the call, or make it and note what became of it."""
        call = self._call(request)
        signature = call.identity.signature
        if failure := repeated(signature, call.failures, call.attempts, most=self._most):
            return _answered(call, refusal(failure), await self._remedies(call, failure))
        await asyncio.sleep(back_off(signature, call.failures, self._delay))
        try:
            answer = await handler(request)
        except Exception as error:  # noqa: BLE001  a tool is not trusted: what it raises becomes data
            return await self._told(call, _raised(call, error))
        if not isinstance(answer, ToolMessage):
            return answer
        if failed := self._failed(call, answer):
            return await self._told(call, failed, answer.artifact)
        # it may have changed something that another call depends on
        spec = self._hub.registry.get(request.tool_call["name"])
        return _with_note(answer, call.ended(writes=True)) if spec is not None and spec.writes else answer

    def _call(self, request: ToolCallRequest) -> _Call:
        self._know(cast("Any", request).runtime.tools)
        attempts = [Attempt.model_validate(row) for row in request.state.get("switchyard_calls") or ()]
        wanted = request.tool_call
        identity = self._hub.identify(wanted["name"], None, wanted["args"], self._context.workspace)
        return _Call(request, identity, attempts)

    def _failed(self, call: _Call, answer: ToolMessage) -> ToolResult | None:
        """What went wrong, if something did; a text alone does not say whose fault it is."""
        if (kind := failure_in(answer)) is None:
            return None
        wanted = call.request.tool_call
        if call.request.tool is None:  # LangChain's own sentence names every tool there is
            return ToolResult.failed(str(self._hub.unknown(wanted["name"])), "not_found")
        wrong = self._hub.dispatcher.check(ToolRequest(wanted["name"], None, wanted["args"]))
        return ToolResult.failed(answer.text[:LONGEST_ERROR], "bad_arguments" if wrong else kind)

    async def _told(self, call: _Call, failed: ToolResult, artifact: Any = None) -> Answer:
        """The failure as the model reads it, with what may help."""
        if failed.error_type in TRANSIENT and failed.meta.wait is None:
            failed.meta.wait = wait_said(failed.error or "")
        ended = call.ended(writes=False, failed=failed)
        told = _answered(call, failed.error or "", await self._remedies(call, failures_of(ended)[-1]))
        told.artifact = artifact or told.artifact
        return _with_note(told, ended)

    async def _remedies(self, call: _Call, failure: Failure) -> list[str]:
        execution = ExecutionContext(task=call.question, failures=[*call.failures, failure])
        return await self._library.remedies(failure, call.request.tool_call["args"], execution, self._context)


def _raised(call: _Call, error: Exception) -> ToolResult:
    """What a tool raised as data; what is LangGraph's own goes on."""
    if isinstance(error, GraphBubbleUp) or is_invalid_resume(error):
        raise error
    if isinstance(error, ToolError):
        failed = ToolResult.failed(str(error), error.kind)
        failed.meta.wait, failed.meta.lasting = error.wait, error.lasting
        return failed
    text = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
    kind = classify(error)
    crashed = message("tool_crashed", tool=call.request.tool_call["name"], error=quoted(text))
    return ToolResult.failed(crashed, classified(text) if kind == "crash" else kind)


def _answered(call: _Call, why: str, remedies: Sequence[str]) -> ToolMessage:
    """What the model reads in the place of a result."""
    wanted = call.request.tool_call
    tools = [name for one in remedies for name in cast("Any", getattr(one, "fields", {})).get("tools", ())]
    return ToolMessage(
        "\n".join(_said(call, one) for one in (why, *remedies)),
        name=wanted["name"],
        tool_call_id=wanted["id"],
        status="error",
        artifact={SUGGESTED: tools} if tools else None,
    )


def _said(call: _Call, text: str) -> str:
    """A sentence of ours in the language of the question; anybody else's as it is."""
    return said(text, language_of(call.question)) if isinstance(text, Message) else text


def _with_note(answer: ToolMessage, ended: Attempt) -> Command[Any]:
    row = ended.model_dump(mode="json", context=STORED, exclude_defaults=True)
    return Command(update={"messages": [answer], "switchyard_calls": [row]})
