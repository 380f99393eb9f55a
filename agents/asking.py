"""The one place where a model is called: a prompt and a schema in, a validated object or nothing out.

Time limits, the second try after an unusable answer, usage, the readable record of each call and the recorded
downgrade live here. The model is never trusted: what it says is data, checked by pydantic here and by the ledger later.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeGuard, TypeVar, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from pydantic import BaseModel

from switchyard.agents.parsing import LONGEST, Unparsable, parse, read_json
from switchyard.agents.prompt import Prompt
from switchyard.agents.scope import Model, RunScope
from switchyard.agents.thoughts import TAG, Thoughts
from switchyard.language.dates import WEEKDAYS
from switchyard.language.messages import Message, message, quoted
from switchyard.language.words import whole_characters
from switchyard.ledger.journal import ModelCall
from switchyard.ledger.limits import limit_reached
from switchyard.ledger.secrets import masked, plain
from switchyard.ledger.tokens import estimate_tokens
from switchyard.tools.core.errors import ModelFailed
from switchyard.tools.core.logs import get_logger

R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)

log = get_logger(__name__)

AGAIN = "That answer cannot be used: {problem}. Answer again with the JSON object alone, nothing around it."

TODAY = "Today is {weekday}, {date}{zone}. Weeks begin on Monday; next Friday (下周五) is the Friday of the next week."
"""Where a prompt needs it; what the tools understand by a weekday, a model has to understand too."""

SHORT = 2_000
"""Characters of an answer that is read in less time than a thread takes to start."""

TRIES = 2
"""An unusable answer is asked for once more, with what was wrong."""
QUOTED = 20_000
"""Characters of an unusable answer that the model is shown again."""

MOST_TOKENS = 1_000_000
"""Tokens no prompt and no answer has, hidden reasoning included: an endpoint that says so is not believed."""

FAILED_IN_A_ROW = 3
"""Calls without a usable answer, whoever asked, after which the rest of the run does without the model."""

_TRIED_AGAIN = frozenset({408, 409, 429})
"""Statuses after which the client sends a call again by itself, besides those from 500 on."""

_INNER: RunnableConfig = {"tags": ["nostream"]}
"""Keeps calls that are not the answer out of LangGraph's `messages` stream."""

_UNREACHABLE = ("timeout", "connection", "authentication", "permissiondenied", "notfound")
"""Parts of the names of errors after which the rest of the run does not wait for the model again."""

_REFUSED = frozenset({400, 422})
"""What endpoints without `response_format` answer to it."""


async def ask(scope: RunScope, agent: str, prompt: Prompt, schema: type[T]) -> T | None:
    """Ask for an object; None when there is no model or it gave nothing usable: the rules take over."""
    prompt = _customised(scope, agent, schema.__name__, prompt)
    return await _with_model(scope, agent, lambda line: line.ask_for_object(prompt, schema))


async def ask_for_text(
    scope: RunScope, agent: str, prompt: Prompt, *, is_answer: bool = False, held_back: re.Pattern[str] | None = None
) -> AIMessage | None:
    """Ask for free text; the answer itself is streamed to whoever listens to the graph's messages.

    `held_back` is what the end of it matches, as far as it has come, that is not for whoever listens.
    """
    prompt = _customised(scope, agent, "text", prompt)
    return await _with_model(
        scope, agent, lambda line: line.ask_for_text(prompt, is_answer=is_answer, held_back=held_back)
    )


def _customised(scope: RunScope, agent: str, answer: str, prompt: Prompt) -> Prompt:
    """The prompt as it is sent, and as the user wants it."""
    prompt = prompt.whole(lambda: dated(scope.equipment.clock()))
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
        scope.downgrade(agent, limit_reached(scope.meter.hit[-1]), lasting=True)
    except TimeoutError:
        scope.meter.reached_time()
        scope.downgrade(agent, message("model_out_of_time"), lasting=True)
    except ModelFailed as error:
        log.warning("model_failed", agent=agent, model=name, reason=str(error))
        scope.downgrade(agent, str(error), lasting=error.lasting)
    return None


@dataclass(slots=True)
class _Reply:
    """What came back of a call, and what it took; nothing where it failed."""

    sent: list[BaseMessage]
    message: AIMessage | None = None
    text: str = ""
    """All of it, thoughts included."""
    said: str = ""
    """The text without its thoughts."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0


@dataclass(slots=True)
class _Line:
    """An agent's line to a model, for one question."""

    scope: RunScope
    agent: str
    model: Model

    async def ask_for_object(self, prompt: Prompt, schema: type[T]) -> T:
        messages: list[BaseMessage] = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
        problem = ""
        for _ in range(TRIES):
            reply = await self._send(messages, self._invoke(messages, schema))
            calls = cast("list[dict[str, Any]]", reply.message.tool_calls if reply.message else [])
            try:
                parsed = await _aside(reply.text, partial(parse, reply.text, calls, schema))
            except Unparsable as error:
                problem = str(error)
                self._record(reply, error=problem)
                self.scope.model_failures += 1
                wrong = AIMessage(reply.said[:QUOTED] or "(empty)")
                messages = [*messages, wrong, HumanMessage(AGAIN.format(problem=problem))]
                if self._has_failed() or not self.scope.meter.allows_model_call():
                    break
            else:
                self._record(reply, parsed=parsed)
                self.scope.model_failures = 0
                return parsed
        unusable = message("model_unusable", model=self.model.name, problem=quoted(problem))
        raise ModelFailed(unusable, lasting=self._has_failed())

    async def ask_for_text(self, prompt: Prompt, *, is_answer: bool, held_back: re.Pattern[str] | None) -> AIMessage:
        messages: list[BaseMessage] = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
        # whoever follows the run token by token
        streamed = is_answer and any(hasattr(handler, "tap_output_aiter") for handler in listening())
        reply = await self._send(messages, self._speak(messages, held_back) if streamed else self._invoke(messages))
        self._record(reply)
        said = reply.said
        if reply.message is None or not said.strip():
            self.scope.model_failures += 1
            raise ModelFailed(message("model_empty", model=self.model.name), lasting=self._has_failed())
        self.scope.model_failures = 0
        if len(said) > LONGEST:
            cut = message("model_wrote_too_much", model=self.model.name, length=len(said), longest=LONGEST)
            self.scope.downgrade(self.agent, cut)
        same = said == reply.message.content and len(said) <= LONGEST
        return reply.message if same else reply.message.model_copy(update={"content": said[:LONGEST]})

    async def _send(self, messages: list[BaseMessage], call: Awaitable[AIMessage]) -> _Reply:
        """Make a call, and count what it took."""
        started, meter = time.perf_counter(), self.scope.meter
        meter.added.model_calls += 1  # before it is made: another step's call must not take its place
        try:
            spoken = await call
        except Exception as error:  # providers raise what they like; here all of it means: no answer
            lasting = any(part in type(error).__name__.lower() for part in _UNREACHABLE)
            self.scope.model_failures += self._times_sent(error)
            failed = ModelFailed(_failure(self.model, error), lasting=lasting or self._has_failed())
            self._record(_Reply(messages, ms=_ms_since(started)), error=str(failed))
            raise failed from error
        text = whole_characters(str(spoken.text))
        said = await _aside(text, partial(self._said, text)) if TAG.search(text) else text
        prompt_tokens, completion_tokens = _tokens(spoken, messages, text)
        meter.added.prompt_tokens += prompt_tokens
        meter.added.completion_tokens += completion_tokens
        return _Reply(messages, spoken, text, said, prompt_tokens, completion_tokens, _ms_since(started))

    def _has_failed(self) -> bool:
        """Whether so many calls in a row gave nothing that it is not asked again."""
        return self.scope.model_failures >= FAILED_IN_A_ROW

    def _times_sent(self, error: Exception) -> int:
        """How often the endpoint was asked before a call was given up: the client tries again, and so do we."""
        status = cast("int | None", getattr(error, "status_code", None))
        if status is None:
            return 1
        if status in _REFUSED and self.model.takes_response_format:
            return 2
        retries = cast("int | None", getattr(self.model.chat, "max_retries", None)) or 0
        return 1 + (retries if status in _TRIED_AGAIN or status >= 500 else 0)  # noqa: PLR2004  the server's own errors

    def _said(self, text: str) -> str:
        """A text without its thoughts; JSON alone has none, whatever its texts speak of."""
        if read_json(text) is not text:
            return text
        thoughts = Thoughts()
        said = thoughts.whole(text)
        self.model.begins_thinking = self.model.begins_thinking or thoughts.unopened
        return said

    async def _speak(self, messages: list[BaseMessage], held_back: re.Pattern[str] | None) -> AIMessage:
        """The call for the answer: what is said of it, without its thoughts, goes to the `messages` stream (R1.8)."""
        from langgraph.graph.message import push_message  # noqa: PLC0415  loads all of LangGraph, which a run has

        thoughts = Thoughts(begun=self.model.begins_thinking)
        identity, whole, held = f"{self.scope.run_id}-spoken", None, ""

        def tell(said: str) -> None:
            nonlocal held
            said = held + said
            may_be_more = held_back.search(said) if held_back else None
            said, held = (said[: may_be_more.start()], may_be_more[0]) if may_be_more else (said, "")
            if said:
                push_message(AIMessageChunk(content=said, id=identity), state_key=None)

        async for piece in self.model.chat.astream(messages, _INNER):
            whole = piece if whole is None else whole + piece
            tell(thoughts.take(str(piece.text)))
        tell(thoughts.end())
        return (whole or AIMessageChunk(content="")).model_copy(update={"id": identity})

    async def _invoke(self, messages: list[BaseMessage], schema: type[BaseModel] | None = None) -> AIMessage:
        chat, inner = self.model.chat, self.model.inner
        if schema is None or not self.model.takes_response_format:
            return await chat.ainvoke(messages, _INNER, **inner)
        # not strict: tool arguments are an open object, which the strict form cannot express
        wanted = {"name": schema.__name__, "schema": schema.model_json_schema()}
        try:
            shape = {"type": "json_schema", "json_schema": wanted}
            return await chat.ainvoke(messages, _INNER, response_format=shape, **inner)
        except Exception as error:
            if getattr(error, "status_code", None) not in _REFUSED:
                raise
            message = await chat.ainvoke(messages, _INNER, **inner)
            # it works without: the endpoint has no structured output; the prompt asks for JSON all the same
            self.model.takes_response_format = False
            return message

    def _record(self, reply: _Reply, *, parsed: BaseModel | None = None, error: str | None = None) -> None:
        held = self.scope.secrets
        # hiding what was parsed makes its secrets known, so that the texts around it are masked too
        shown = plain(held.hide(parsed.model_dump(mode="json"))) if parsed else None
        # what we wrote ourselves has no secrets
        sent = [(one.type, str(one.content)) for one in reply.sent]
        call = ModelCall(
            run_id=self.scope.run_id,
            agent=self.agent,
            model=self.model.name,
            messages=[
                {"role": role, "text": text if role == "system" else held.mask_said(text)} for role, text in sent
            ],
            answer=held.mask_said(reply.text),
            parsed=shown,
            error=error,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            ms=reply.ms,
        )
        self.scope.emit("model_call", {"agent": self.agent, "ms": call.ms, "error": error})
        self.scope.equipment.journal.note_call(call)


def listening() -> list[object]:
    """Who listens to the run under way through LangChain's callbacks."""
    callbacks: Any = (var_child_runnable_config.get() or {}).get("callbacks") or []
    return cast("list[object]", getattr(callbacks, "handlers", callbacks))


async def _aside(text: str, work: Callable[[], R]) -> R:
    """Work on a text off the event loop; what is short is done before a thread would have begun."""
    return work() if len(text) <= SHORT else await asyncio.to_thread(work)


def _tokens(message: AIMessage, messages: list[BaseMessage], text: str) -> tuple[int, int]:
    """What a call took, prompt and completion: as the endpoint says where that can be, else as we estimate it."""
    usage = cast("Mapping[str, Any]", message.usage_metadata or {})
    prompt, completion = usage.get("input_tokens"), usage.get("output_tokens")
    return (
        prompt if _can_be(prompt, 1) else sum(_estimate(str(one.content)) for one in messages),
        completion if _can_be(completion, 1 if text else 0) else _estimate(text),
    )


def _can_be(figure: object, least: int) -> TypeGuard[int]:
    return isinstance(figure, int) and least <= figure <= MOST_TOKENS


def _estimate(text: str) -> int:
    """Tokens of a text; those of one without end are counted on its beginning."""
    return estimate_tokens(text[:LONGEST]) * max(len(text), LONGEST) // LONGEST


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _failure(model: Model, error: Exception) -> Message:
    """What a provider's exception says, by its name and status."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    text = " ".join(str(error).split())[:300]
    described = masked(f"{name}{f' ({status})' if status else ''}: {text}", model.secret)
    told = {"model": model.name, "described": described}
    words = quoted(masked(text, model.secret))
    if not status:
        if name.endswith("ConnectionError"):
            return message("model_unreachable", **told, text=words)
        return message("model_too_slow" if name.endswith("TimeoutError") else "model_broke", **told, text=words)
    match name:
        case "AuthenticationError":
            return message("model_key_refused", **told, status=status)
        case "RateLimitError":
            return message("model_asked_too_often", **told, status=status)
        case "NotFoundError":
            return message("model_unknown", **told, status=status)
        case _:
            return message("model_failed", **told, status=status, text=words)
