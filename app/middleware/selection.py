"""Which of an agent's tools a model call sees: recalled for the question, without a model call, and better with use."""

import asyncio
import contextlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from pydantic import ValidationError

from switchyard.agents.parsing import Unparsable, parse
from switchyard.agents.tool_selection.prompts import RankAnswer, rank_prompt
from switchyard.app.middleware.agent_tools import SUGGESTED, AgentTools, at_once, failure_in, question_of
from switchyard.language.messages import message
from switchyard.language.tokeniser import has_chinese, words
from switchyard.ledger.journal import label
from switchyard.ledger.plan import Step
from switchyard.toolhub.calling.arguments import as_mapping
from switchyard.toolhub.descriptions import summary_lines
from switchyard.toolhub.memory.experience import LONGEST_PLAN, USERS_AT_HAND, Known, Lesson, taught
from switchyard.toolhub.memory.memory import THE_TOOLS_FAULT
from switchyard.toolhub.recall.learned import Learned
from switchyard.toolhub.recall.query import Scored
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.logs import get_logger

RANKED_OUT_OF = 2
"""So many times `topk` tools are recalled for a model to rank."""
SURE, CUT = 5, 0.3
"""Behind the first so many, a tool that scores less than this share of the best is left out: the highest share at which
no set of `python -m benchmarks.middleware` loses half a point of recall@10."""
MOST_SHOWN = 128
"""Tools that a model sees where the question cannot be read here: as many as providers take with a request."""
ENOUGH = 4
"""Words of a question from which on it says by itself what it is about."""
LOOKED_BACK = 500
"""Characters of what was said before one that does not."""
KEPT = 10
"""Tools that were used or named before the question and stay in view, the latest; those used since all do."""
RANKINGS_KEPT = 256
_NAME = re.compile(r"[A-Za-z0-9_-]+")

log = get_logger(__name__)


class SwitchyardToolSelection(AgentTools):
    """Before each model call, only the right few of the agent's tools are in the request.

    They are recalled by the question, without a model. Tools that were used or named in the conversation stay in view.
    A tool that served a question is found more easily for the next one like it; with a `store` in the agent, that is
    kept.
    """

    def __init__(
        self,
        topk: int = 10,
        *,
        always: Sequence[str] = (),
        rank: BaseChatModel | bool = False,
        user: Callable[[Runtime[Any]], str] | None = None,
    ) -> None:
        """Nothing is read yet.

        Args:
            topk: how many tools are recalled for a question; used and named ones come on top.
            always: names of tools that are in every request.
            rank: stage two: a model chooses among twice as many recalled tools, once for a question. True: the agent's.
            user: whose experience counts and is added to; one for all when left out.

        Raises:
            SettingsInvalid: when `topk` is no number of tools.
        """
        super().__init__()
        if topk < 1:
            raise SettingsInvalid(message("topk_unusable", topk=topk))
        self._topk, self._always, self._rank = topk, list(always), rank
        self._user: Callable[[Runtime[Any]], str] = user or (lambda _runtime: "")
        self._learned: OrderedDict[str, Learned] = OrderedDict()
        self._writing = Lock()
        self._rankings: OrderedDict[tuple[str, ...], list[str]] = OrderedDict()

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """The same for a synchronous agent."""
        return at_once(self.awrap_model_call(request, partial(asyncio.to_thread, handler)))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Choose the tools, call the model, and learn once it has answered."""
        response = await handler(await self._narrowed(request))
        has_answered = response.structured_response is not None or not any(map(_calls, response.result))
        if has_answered and (lessons := list(_lessons_of(request.messages))):
            await self._learn(request, lessons)
        return response

    async def _narrowed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        by_name = {tool.name: tool for tool in request.tools if isinstance(tool, BaseTool)}
        question = _asked(request.messages)
        if len(by_name) <= self._topk or not question:
            return request
        self._know(list(by_name.values()))
        if unknown := [name for name in self._always if name not in by_name]:
            raise self._hub.unknown(unknown[0])
        found = await self._recalled(request, question)
        names = dict.fromkeys([*found, *_kept(request, by_name), *self._always])
        given = [tool for tool in request.tools if not isinstance(tool, BaseTool)]  # of the provider: it runs them
        return request.override(tools=[*(by_name[name] for name in names if name in by_name), *given])

    async def _recalled(self, request: ModelRequest[Any], question: str) -> list[str]:
        learned = await self._experience(request.runtime)
        depth = self._topk * RANKED_OUT_OF if self._rank else self._topk
        found = await self._hub.finder.recall(question, depth, strategy="fused", learned=learned)
        if not found and _is_foreign(question):  # the model can read it, and has its tools as without us
            found = [Scored(tool.name, 0.0) for tool in self._known[:MOST_SHOWN]]
        if self._rank:
            return await self._ranked(request, question, [one.name for one in found])
        return [one.name for place, one in enumerate(found) if place < SURE or one.score >= CUT * found[0].score]

    async def _ranked(self, request: ModelRequest[Any], question: str, names: list[str]) -> list[str]:
        """Stage two, once for a question; where the model gives nothing usable, the recall order stands."""
        key = (question, *names)
        if key in self._rankings or not names:
            return self._rankings.get(key, [])
        model = request.model if isinstance(self._rank, bool) else self._rank
        summaries = summary_lines(self._hub.registry, names)
        prompt = rank_prompt(question, [Step(id="s1", description=question)], summaries, self._topk).whole(str)
        sent = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
        try:
            answer = await model.ainvoke(sent, {"tags": ["nostream"]})
            chosen = parse(answer.text, [], RankAnswer).of("s1")
        except Exception as error:  # noqa: BLE001  whatever a provider raises: the agent can do without
            log.warning("not_ranked", error=str(error) if isinstance(error, Unparsable) else type(error).__name__)
            return names[: self._topk]
        known = [name for name in chosen or () if name in names]
        ranked = (names if chosen is None or (chosen and not known) else known)[: self._topk]
        self._rankings[key] = ranked
        while len(self._rankings) > RANKINGS_KEPT:
            self._rankings.popitem(last=False)
        return ranked

    async def _learn(self, request: ModelRequest[Any], lessons: list[Lesson]) -> None:
        store, user, now = request.runtime.store, self._user(request.runtime), time.time()
        await self._experience(request.runtime)
        with self._writing:
            before = self._learned.get(user, Learned())
            self._learned[user] = learned = taught(before, lessons, now)
        if store is not None:
            changed = {one.tool for one in lessons if learned.tools.get(one.tool) is not before.tools.get(one.tool)}
            await asyncio.to_thread(_written, store, user, learned, changed, now)

    async def _experience(self, runtime: Runtime[Any]) -> Learned:
        user = self._user(runtime)
        known = self._learned.get(user)
        if known is None:
            rows = await asyncio.to_thread(_read, runtime.store, user) if runtime.store is not None else {}
            with self._writing:
                known = self._learned.setdefault(user, Learned(tools=rows))
                while len(self._learned) > USERS_AT_HAND:
                    self._learned.popitem(last=False)
        return known


def _asked(messages: Sequence[AnyMessage]) -> str:
    """What tools are looked for by: the question, behind what was said before it where it says little by itself."""
    texts = [one for one in messages if isinstance(one, HumanMessage | AIMessage) and one.text]
    last = max((place for place, one in enumerate(texts) if isinstance(one, HumanMessage)), default=-1)
    question = texts[last].text if last >= 0 else ""
    before = [one.text[-LOOKED_BACK:] for one in texts[max(0, last - 2) : max(0, last)]]
    return question if len(set(words(question))) >= ENOUGH else "\n".join([*before, question])


def _is_foreign(question: str) -> bool:
    """Whether it may be in a language that tools are not found by here: neither plain English nor Chinese."""
    return any(letter.isalpha() for letter in question if not letter.isascii()) and not has_chinese(question)


def _run(messages: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """What came after the question."""
    asked = [place for place, one in enumerate(messages) if isinstance(one, HumanMessage)]
    return messages[asked[-1] + 1 :] if asked else messages


def _kept(request: ModelRequest[Any], names: Iterable[str]) -> list[str]:
    """The tools that stay in view: all that the run used, and of those that were used or named before, the latest."""
    messages, known = request.messages, set(names)
    used = {call["name"]: None for one in _run(messages) for call in _calls(one)}
    earlier = (name for one in reversed(messages) for name in (*(call["name"] for call in _calls(one)), *_named(one)))
    chosen = _NAME.findall(str(request.tool_choice or ""))
    latest = dict.fromkeys(name for name in (*chosen, *earlier) if name in known and name not in used)
    return [name for name in (*used, *islice(latest, KEPT)) if name in known]


def _calls(one: BaseMessage) -> list[Any]:
    return list(one.tool_calls) if isinstance(one, AIMessage) else []


def _named(one: AnyMessage) -> Iterator[str]:
    """What may be the name of a tool in what was said, or in what the guard suggests.

    What a tool returned is not looked through. A plain word is no name: a question that has it finds the tool by it.
    """
    if isinstance(one, ToolMessage):
        yield from as_mapping(one.artifact).get(SUGGESTED, ())
    elif isinstance(one, HumanMessage | AIMessage):
        yield from (word for word in _NAME.findall(one.text) if not word.isalpha() or not word.islower())


def _lessons_of(messages: Sequence[AnyMessage]) -> Iterator[Lesson]:
    """Which tools served the question, and which failed on it.

    A tool that came only after another had failed for good may be a makeshift: it teaches nothing. Neither does a run
    of many tools, or one whose question does not say what they are for.
    """
    question, run = question_of(messages), _run(messages)
    called = {call["id"]: call["name"] for one in run for call in _calls(one)}
    ended = [
        (called[one.tool_call_id], one) for one in run if isinstance(one, ToolMessage) and one.tool_call_id in called
    ]
    served = {tool: None for tool, one in ended if failure_in(one) is None}
    failed = {tool: kind for tool, one in ended if (kind := failure_in(one)) and tool not in served}
    first = next((place for place, (tool, _) in enumerate(ended) if tool in failed), len(ended))
    if not question or question != _asked(messages) or len(served) > LONGEST_PLAN:
        return
    meant = [tool for tool in served if tool in {name for name, _ in ended[:first]}]
    yield from (Lesson(tool=tool, wording=question, success=True) for tool in meant)
    speaking = [tool for tool, kind in failed.items() if kind in THE_TOOLS_FAULT or served]
    yield from (Lesson(tool=tool, wording=question, success=False) for tool in speaking)


def _place(user: str) -> tuple[str, ...]:
    return ("experience_of_agents", label(user))


def _read(store: BaseStore, user: str) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for item in store.search(_place(user), limit=100_000):
        with contextlib.suppress(ValidationError):  # written by another version: learned anew
            row = Known.model_validate(item.value)
            rows[row.tool] = row.wordings
    return rows


def _written(store: BaseStore, user: str, learned: Learned, changed: Iterable[str], now: float) -> None:
    for tool in changed:
        if tool in learned.tools:
            row = Known(tool=tool, wordings=learned.tools[tool], at=now)
            store.put(_place(user), tool, row.model_dump(mode="json"), index=False)
        else:
            store.delete(_place(user), tool)
