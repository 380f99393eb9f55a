"""The one place where a model is called: a prompt and a schema in, a validated object or nothing out.

Time limits, the second try after an unusable answer, usage, the readable record of each call and the recorded
downgrade live here. The model is never trusted: what it says is data, checked by pydantic here and by the ledger later.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

import structlog
from pydantic import BaseModel

from agents.customising import Prompt
from agents.parsing import Unparsable, parse, whole_characters
from agents.scope import Model, RunScope
from ledger.journal import ModelCall
from ledger.secrets import masked
from ledger.tokens import estimate_tokens
from tools.core.date_rules import WEEKDAYS
from tools.core.errors import ModelFailed

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import RunnableConfig

R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)

log = structlog.get_logger(__name__)

AGAIN = "That answer cannot be used: {problem}. Answer again with the JSON object alone, nothing around it."

TODAY = "Today is {weekday}, {date}{zone}. Weeks begin on Monday; next Friday (下周五) is the Friday of the next week."
"""At the end of every prompt; what the tools understand by a weekday, a model has to understand too."""

TRIES = 2
"""An unusable answer is asked for once more, with what was wrong."""

_INNER: "RunnableConfig" = {"tags": ["nostream"]}
"""Keeps calls that are not the answer out of LangGraph's `messages` stream."""

_UNREACHABLE = ("timeout", "connection", "authentication", "permissiondenied", "notfound")
"""Parts of the names of errors after which the rest of the run does not wait for the model again."""

_REFUSED = frozenset({400, 422})
"""What endpoints without `response_format` answer to it."""


async def ask(scope: RunScope, agent: str, prompt: Prompt, schema: type[T]) -> T | None:
    """Ask for an object; None when there is no model or it gave nothing usable: the rules take over."""
    prompt = _customised(scope, agent, schema.__name__, prompt)
    return await _with_model(scope, agent, lambda line: line.ask_for_object(prompt, schema))


async def ask_for_text(scope: RunScope, agent: str, prompt: Prompt, *, is_answer: bool = False) -> "AIMessage | None":
    """Ask for free text; the answer itself is streamed to whoever listens to the graph's messages."""
    prompt = _customised(scope, agent, "text", prompt)
    return await _with_model(scope, agent, lambda line: line.ask_for_text(prompt, is_answer=is_answer))


def _customised(scope: RunScope, agent: str, answer: str, prompt: Prompt) -> Prompt:
    """The prompt with the date at its end, where it spoils no cache of what comes before, as the user wants it."""
    prompt = replace(prompt, user=f"{prompt.user.rstrip()}\n\n{dated(scope.equipment.clock())}\n")
    change = scope.equipment.custom.prompts
    return prompt if change is None else change(agent, answer, prompt)


def dated(now: datetime) -> str:
    """What day it is, and where."""
    offset = now.isoformat(timespec="minutes")[16:]
    zone = f", in the time zone {getattr(now.tzinfo, 'key', None) or now.tzname()} (UTC{offset})" if offset else ""
    return TODAY.format(weekday=WEEKDAYS[now.weekday()], date=now.date().isoformat(), zone=zone)


def has_model(scope: RunScope, agent: str) -> bool:
    """Whether this agent can ask a model at all in this run."""
    return scope.equipment.models.name_for(scope.options, agent) is not None and not scope.model_down


async def _with_model(scope: RunScope, agent: str, use: "Callable[[_Line], Awaitable[R]]") -> R | None:
    name = scope.equipment.models.name_for(scope.options, agent)
    if name is None or scope.model_down:
        return None
    try:
        async with asyncio.timeout(scope.meter.seconds_left()):
            model = await scope.equipment.models.get(name)
            # nothing is awaited from here to where the call is counted: steps that run together share the limit
            if scope.meter.allows_model_call():
                return await use(_Line(scope, agent, model))
        scope.downgrade(agent, f"the limit of {scope.meter.hit[-1]} is reached", lasting=True)
    except TimeoutError:
        scope.meter.reached_time()
        scope.downgrade(agent, "the run's time was up before the model answered", lasting=True)
    except ModelFailed as error:
        log.warning("model_failed", agent=agent, model=name, reason=str(error))
        scope.downgrade(agent, str(error), lasting=error.lasting)
    return None


@dataclass(slots=True)
class _Reply:
    message: "AIMessage"
    text: str
    prompt_tokens: int
    completion_tokens: int
    ms: float


@dataclass(slots=True)
class _Line:
    """An agent's line to a model, for one question."""

    scope: RunScope
    agent: str
    model: Model

    async def ask_for_object(self, prompt: Prompt, schema: type[T]) -> T:
        from langchain_core.messages import AIMessage, HumanMessage  # noqa: PLC0415  only the model path needs them

        messages, problem = _messages(prompt), ""
        for _ in range(TRIES):
            reply = await self._send(messages, _INNER, schema)
            try:
                parsed = parse(reply.text, cast("list[dict[str, Any]]", reply.message.tool_calls), schema)
            except Unparsable as error:
                problem = str(error)
                self._record(messages, reply, error=problem)
                messages = [*messages, AIMessage(reply.text or "(empty)"), HumanMessage(AGAIN.format(problem=problem))]
                if not self.scope.meter.allows_model_call():
                    break
            else:
                self._record(messages, reply, parsed=parsed)
                return parsed
        raise ModelFailed(f"{self.model.name} gave nothing usable: {problem}")

    async def ask_for_text(self, prompt: Prompt, *, is_answer: bool) -> "AIMessage":
        messages = _messages(prompt)
        reply = await self._send(messages, {} if is_answer else _INNER, None)
        self._record(messages, reply)
        if not reply.text.strip():
            raise ModelFailed(f"{self.model.name} gave an empty answer")
        return reply.message.model_copy(update={"content": reply.text})

    async def _send(
        self, messages: "list[BaseMessage]", config: "RunnableConfig", schema: type[BaseModel] | None
    ) -> _Reply:
        started, meter = time.perf_counter(), self.scope.meter
        meter.count_model_call(0, 0)  # before it is made: another step's call must not take its place
        try:
            message = await self._invoke(messages, config, schema)
        except Exception as error:  # providers raise what they like; here all of it means: no answer
            lasting = any(part in type(error).__name__.lower() for part in _UNREACHABLE)
            reason = masked(_described(error), self.model.secret)
            failed = ModelFailed(f"{self.model.name}: {reason}", lasting=lasting)
            self._record(messages, None, error=str(failed), ms=_ms_since(started))
            raise failed from error
        text = whole_characters(str(message.text))
        usage = message.usage_metadata
        reply = _Reply(
            message=message,
            text=text,
            prompt_tokens=usage["input_tokens"] if usage else sum(estimate_tokens(str(m.text)) for m in messages),
            completion_tokens=usage["output_tokens"] if usage else estimate_tokens(text),
            ms=_ms_since(started),
        )
        meter.added.prompt_tokens += reply.prompt_tokens
        meter.added.completion_tokens += reply.completion_tokens
        return reply

    async def _invoke(
        self, messages: "list[BaseMessage]", config: "RunnableConfig", schema: type[BaseModel] | None
    ) -> "AIMessage":
        inner = self.model.inner if config is _INNER else {}
        if schema is None or not self.model.takes_response_format:
            return await self.model.chat.ainvoke(messages, config, **inner)
        try:
            return await self.model.chat.ainvoke(messages, config, response_format=_response_format(schema), **inner)
        except Exception as error:
            if getattr(error, "status_code", None) not in _REFUSED:
                raise
            message = await self.model.chat.ainvoke(messages, config, **inner)
            # it works without: the endpoint has no structured output; the prompt asks for JSON all the same
            self.model.takes_response_format = False
            return message

    def _record(
        self,
        messages: "list[BaseMessage]",
        reply: _Reply | None,
        *,
        parsed: BaseModel | None = None,
        error: str | None = None,
        ms: float = 0.0,
    ) -> None:
        call = ModelCall(
            run_id=self.scope.run_id,
            agent=self.agent,
            model=self.model.name,
            messages=[{"role": message.type, "text": str(message.text)} for message in messages],
            answer=reply.text if reply else "",
            parsed=parsed.model_dump(mode="json") if parsed else None,
            error=error,
            prompt_tokens=reply.prompt_tokens if reply else 0,
            completion_tokens=reply.completion_tokens if reply else 0,
            ms=reply.ms if reply else ms,
        )
        self.scope.emit("model_call", {"agent": self.agent, "ms": call.ms, "error": error})
        self.scope.equipment.journal.note_call(call)


def _messages(prompt: Prompt) -> "list[BaseMessage]":
    from langchain_core.messages import HumanMessage, SystemMessage  # noqa: PLC0415  only the model path needs them

    return [SystemMessage(prompt.system), HumanMessage(prompt.user)]


def _response_format(schema: type[BaseModel]) -> dict[str, Any]:
    # not strict: tool arguments are an open object, which the strict form cannot express
    return {"type": "json_schema", "json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()}}


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _described(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}{f' ({status})' if status else ''}: {text}"
