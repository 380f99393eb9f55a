"""The orchestrator: everything opened once, questions asked many times.

async with open_orchestrator(settings) as orchestrator:
    report = await orchestrator.ask("What is 15% of 2480?")
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from contextvars import Context, copy_context
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4
from weakref import WeakValueDictionary

from anyio import CancelScope
from langgraph.types import Command

from switchyard.agents.execution.approval import hidden, is_approval, read_replies
from switchyard.agents.protocols import Agents
from switchyard.agents.scope import Custom, Equipment, Model, local_now
from switchyard.app.events import Event
from switchyard.app.hub import open_hub
from switchyard.app.models import ConfiguredModels
from switchyard.app.settings import NO_MODEL, Settings, load_settings, tell_misspelt
from switchyard.app.storage import Storage, explained, open_storage, readable
from switchyard.graphs.channels import Channels, read_channels
from switchyard.graphs.orchestrator import OrchestratorGraph, build_graph
from switchyard.language.messages import message
from switchyard.language.words import whole_characters
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.journal import Journal, RunRow
from switchyard.ledger.options import RunOptions
from switchyard.ledger.results import full_result
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.memory.experience import Experiences
from switchyard.tools.core.errors import (
    OrchestratorClosed,
    SettingsInvalid,
    StateUnreadable,
    ThreadDamaged,
    ThreadUnknown,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from switchyard.app.report import RunReport
    from switchyard.toolhub.library import UnifiedToolLibrary

LONGEST_THREAD_ID = 200
"""Of an id that can be stored and typed."""


class Orchestrator:
    """The compiled graph with its hub and its storage."""

    def __init__(self, settings: Settings, equipment: Equipment, storage: Storage) -> None:
        async def ready() -> Equipment:
            return equipment

        self.settings = settings
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self.equipment = equipment
        """What the runs share."""
        self.hub = equipment.hub
        self.journal: Journal = equipment.journal
        self.experience = equipment.experience
        self.storage = storage
        self.models = equipment.models
        self.graph: OrchestratorGraph = build_graph(ready, checkpointer=storage.saver)
        """The compiled LangGraph graph: invoke it, stream it, nest it.

        A `recursion_limit` of the caller's own ends in the best answer so far, from 2 upward; with 1 LangGraph raises.
        """
        self._one_run_per_thread: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._slots = asyncio.Semaphore(settings.max_runs)

    @cached_property
    def library(self) -> "UnifiedToolLibrary":
        """The tools by themselves."""
        from switchyard.agents.tool_selection.agent import rank_for  # noqa: PLC0415  few need them
        from switchyard.toolhub.library import UnifiedToolLibrary  # noqa: PLC0415

        rank = partial(rank_for, self.equipment)
        return UnifiedToolLibrary(hub=self.hub, tool_timeout=self.settings.tool_timeout, rank=rank)

    async def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        options: RunOptions | None = None,
        abandon: bool = False,
    ) -> "RunReport":
        """Answer a question, in a new thread or as the next one of an old; arguments and errors as of `stream`."""
        is_new = thread_id is None
        thread_id = thread_id or new_thread_id()
        async for _ in self.stream(question, thread_id=thread_id, options=options, abandon=abandon or is_new):
            pass
        return await self.report(thread_id, options=options)

    async def stream(
        self, question: str, *, thread_id: str, options: RunOptions | None = None, abandon: bool = False
    ) -> AsyncIterator[Event]:
        """Answer a question and tell what happens meanwhile; `report` has the outcome afterwards.

        Args:
            question: what to answer.
            thread_id: the conversation it belongs to.
            options: what is special about this run.
            abandon: give up a run of the thread that is not finished; without this, such a thread takes no question.

        Raises:
            SettingsInvalid: when the question is empty or the thread cannot take it.
            ToolUnknown: when the options name a tool that is not there.
            OrchestratorClosed: after its end, or in another event loop.
        """
        self._check_open()
        question = whole_characters(question)
        if not question.strip():
            raise SettingsInvalid(message("question_missing"))
        if not thread_id.isprintable() or not 0 < len(thread_id) <= LONGEST_THREAD_ID:
            raise SettingsInvalid(message("thread_id_unusable", most=LONGEST_THREAD_ID, thread=ascii(thread_id[:40])))
        await self.hub.check(options.named_tools if options else [])
        run = {"question": question}
        async with aclosing(self._run(run, thread_id, options, only_finished=not abandon)) as events:
            async for event in events:
                yield event

    async def resume(self, thread_id: str, reply: Any = None, *, options: RunOptions | None = None) -> "RunReport":
        """Finish a run that was stopped, or give it the reply it waits for."""
        async for _ in self.stream_resume(thread_id, reply, options=options):
            pass
        return await self.report(thread_id, options=options)

    async def stream_resume(
        self, thread_id: str, reply: Any = None, *, options: RunOptions | None = None
    ) -> AsyncIterator[Event]:
        """Finish a run and tell what happens meanwhile. Nothing happens where there is nothing to finish.

        A thread that is not there is `ThreadUnknown`, a reply that cannot be read `SettingsInvalid`.
        """
        from switchyard.app.report import waiting_for  # noqa: PLC0415  not needed to open

        state = await self._state(thread_id)
        waiting = bool(state.interrupts)
        if not state.tasks or (waiting and reply is None):
            return
        if not waiting and reply is not None and not is_approval(reply):
            raise SettingsInvalid(message("thread_waits_not", thread=thread_id))
        with readable(thread_id):
            asked = waiting_for(list(state.interrupts))
        if isinstance(asked, list):
            replies = read_replies(reply, asked)  # what cannot be read is said at once, and the run still waits
            with readable(thread_id):
                held = self.equipment.secrets.of(read_channels(state.values).context.run_id)
            # LangGraph stores what it is resumed with: a secret that a person typed stays here
            kept = {"decision", "arguments"}
            reply = {key: hidden(one, held).model_dump(include=kept) for key, one in replies.items()}
        async with aclosing(self._run(Command(resume=reply) if waiting else None, thread_id, options)) as events:
            async for event in events:
                yield event

    async def report(self, thread_id: str, *, options: RunOptions | None = None) -> "RunReport":
        """The last run of a thread; `ThreadUnknown` where there is none, `ThreadDamaged` where it cannot be read."""
        from switchyard.app.report import build_report  # noqa: PLC0415  not needed to open

        state = await self._state(thread_id)
        with readable(thread_id):
            seen = read_channels(state.values)
            runs = await self.journal.runs(thread_id)
        if runs and runs[-1].run_id != seen.context.run_id:
            # stopped in its first node: the state is still that of the run before
            seen = Channels(context=ExecutionContext(run_id=runs[-1].run_id, task=runs[-1].question))
        run_id = seen.context.run_id
        model = self.models.name_for(self.equipment.options.overridden_by(options), "planning")
        with readable(thread_id):
            attempts = await self.journal.attempts(run_id) if run_id else []
            report = build_report(thread_id, seen, attempts, model=model, interrupts=list(state.interrupts))
        # not `next`: a node whose writes were kept but not yet taken over is no longer in it
        unfinished = bool(state.tasks) and report.status != "waiting"
        given_up = not state.tasks and report.status in {"running", "waiting"}
        if unfinished or given_up:
            under_way = self._one_run_per_thread.get(thread_id)
            report.status = "running" if under_way is not None and under_way.locked() else "cancelled"
        return report

    async def result(self, thread_id: str, step_id: str) -> Any:
        """All of what a step of a thread's last run gave; a report has no more of it than is good to read.

        Raises:
            ThreadUnknown: where there is no such thread, or no such step that gave something.
        """
        state = await self._state(thread_id)
        with readable(thread_id):
            seen = read_channels(state.values)
            attempts = await self.journal.attempts(seen.context.run_id)
        steps = seen.plan.steps if seen.plan else []
        found = [one for one in steps if one.id == step_id and seen.context.status(step_id) == "done"]
        if not found:
            raise ThreadUnknown(message("step_unknown", step=step_id, thread=thread_id))
        return full_result(found[0], seen.context.steps[step_id], attempts)

    async def threads(self) -> dict[str, list[RunRow]]:
        """The runs of every thread, the one used last coming last; `ThreadDamaged` names one that cannot be read."""
        found: dict[str, list[RunRow]] = {}
        try:
            every = await self.journal.runs()
        except (StateUnreadable, ValueError):
            for thread_id in await self.journal.threads():
                with readable(thread_id):
                    await self.journal.runs(thread_id)
            raise
        for run in every:
            found[run.thread_id] = [*found.pop(run.thread_id, []), run]
        for thread_id, runs in found.items():
            if runs[-1].status in {"running", "cancelled"}:  # written when it began, or was stopped: the state knows
                try:
                    state = await self._peek(thread_id)
                except ThreadDamaged:  # said by name when it is shown or resumed; the others are listed as ever
                    runs[-1].status = "failed"
                    continue
                runs[-1].status = "waiting" if state.interrupts else "cancelled" if state.tasks else runs[-1].status
        return found

    async def abandon(self, thread_id: str) -> None:
        """Give up what a thread's run had still to do, so that it takes the next question; what was done stays done."""
        state = await self._state(thread_id)
        if not state.tasks:
            return
        async with self._one_run_per_thread.setdefault(thread_id, asyncio.Lock()):
            config: Any = {"configurable": {"thread_id": thread_id}}
            await self.graph.aupdate_state(config, None, as_node="__end__")
            await self._note_cancelled(thread_id)

    async def delete_thread(self, thread_id: str) -> None:
        """Forget a thread: its conversation, its runs, its results; `ThreadUnknown` where there is none."""
        with suppress(ThreadDamaged):
            await self._state(thread_id)
        await self.storage.saver.adelete_thread(thread_id)
        await self.journal.forget_thread(thread_id)

    async def _run(
        self, run: Any, thread_id: str, options: RunOptions | None, *, only_finished: bool = False
    ) -> AsyncGenerator[Event]:
        config: Any = {"configurable": {"thread_id": thread_id}}
        lock = self._one_run_per_thread.setdefault(thread_id, asyncio.Lock())
        async with lock, self._slots:
            if only_finished and (await self._peek(thread_id)).tasks:
                raise SettingsInvalid(message("thread_unfinished", thread=thread_id))
            with explained(self.settings.database_path):
                graph: Any = self.graph  # its own signature is only partly typed
                stream: AsyncGenerator[tuple[str, Any]] = graph.astream(
                    run,
                    config,
                    context=options,
                    stream_mode=["custom", "messages"],
                    durability="sync",  # a step is done when it is on disk: a killed process loses none
                )
                try:
                    context = copy_context()
                    while (told := await _next(stream, context)) is not None:
                        mode, chunk = told
                        if mode == "custom":
                            yield cast("Event", chunk)
                        elif (text := str(chunk[0].text)) and chunk[0].type == "AIMessageChunk":
                            yield {"event": "token", "text": text}
                except (asyncio.CancelledError, GeneratorExit):
                    with CancelScope(shield=True):
                        await stream.aclose()
                        await self._note_cancelled(thread_id)
                    raise
                await self.storage.prune(thread_id)

    async def _note_cancelled(self, thread_id: str) -> None:
        """The run's row says that it was stopped. The state cannot: a write to it would take the step to go on with."""
        runs = await self.journal.runs(thread_id)
        if runs and runs[-1].status == "running":
            await self.journal.write_run(runs[-1].model_copy(update={"status": "cancelled"}))

    async def _state(self, thread_id: str) -> Any:
        state = await self._peek(thread_id)
        if not state.values and not state.tasks:
            raise ThreadUnknown(message("thread_unknown", thread=thread_id))
        return state

    def close(self) -> None:
        """Take no more questions."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise OrchestratorClosed(message("orchestrator_closed"))
        if asyncio.get_running_loop() is not self._loop:
            raise OrchestratorClosed(message("orchestrator_of_another_loop"))

    async def _peek(self, thread_id: str) -> Any:
        self._check_open()
        with explained(self.settings.database_path), readable(thread_id):
            return await self.graph.aget_state({"configurable": {"thread_id": thread_id}})


async def _next(stream: AsyncGenerator[tuple[str, Any]], context: Context) -> tuple[str, Any] | None:
    """What comes next, pulled in a task of its own.

    Whoever cancels by a scope of anyio's, and so every service on Starlette whose browser goes away, cancels again at
    each await: LangGraph would be cancelled over its own ending and leave its nodes, and their tools, running.
    """

    async def pull() -> tuple[str, Any] | None:
        return await anext(stream, None)

    step = asyncio.get_running_loop().create_task(pull(), context=context)
    try:
        await asyncio.wait([step])
    except asyncio.CancelledError:
        step.cancel()
        with CancelScope(shield=True):
            await asyncio.gather(step, return_exceptions=True)
        raise
    return step.result()


@asynccontextmanager
async def open_orchestrator(
    settings: Settings | None = None,
    *,
    model: "BaseChatModel | Model | str | None" = None,
    checkpointer: "BaseCheckpointSaver[Any] | None" = None,
    store: "BaseStore | None" = None,
    tools: Iterable[Any] = (),
    agents: Agents | None = None,
    clock: Callable[[], datetime] = local_now,
    custom: Custom | None = None,
) -> AsyncGenerator[Orchestrator]:
    """Open hub and storage, and close them when the block is left; what the caller hands in stays the caller's.

    Args:
        settings: how to work; read from the environment and `.env` when left out.
        model: a chat model, or the name of one: for all agents, or for those whose settings name it.
        checkpointer: a LangGraph saver for the conversations, instead of our database.
        store: a LangGraph store for the journal and for what is learned, instead of our database.
        tools: plain functions, LangChain tools, and tools of ours, beside those that are found.
        agents: the caller's own in place of ours, by node: `{"verify": mine}`.
        clock: what "today" and "next Friday" in a question count from.
        custom: recall, ranker and prompts of the caller's own.

    Raises:
        SettingsInvalid: when one of them cannot be used; the text says why.
    """
    if settings is None:
        settings = load_settings()
    else:
        tell_misspelt()  # it was read from the environment too
    if unknown := [name for name in agents or {} if name not in Agents.__annotations__]:
        raise SettingsInvalid(message("agent_unknown", name=unknown[0], names=list(Agents.__annotations__)))
    custom = custom or Custom()
    custom = replace(custom, agents={**custom.agents, **(agents or {})})
    database, wait = settings.database_path, settings.database_wait
    async with open_storage(database, wait=wait, saver=checkpointer, store=store) as storage:
        workspace = await asyncio.to_thread(settings.checked_workspace)
        async with open_hub(settings) as hub, aclosing(ConfiguredModels(settings)) as models:
            await _register(hub, list(tools))
            options = settings.options
            if model is not None and (name := models.use(model)):
                options = options.model_copy(update={"model": name})
            equipment = Equipment(
                hub,
                Journal(storage.store, volatile=storage.volatile),
                models,
                workspace,
                options,
                Experiences(storage.store, hub.memory),
                settings.network,
                clock,
                custom=custom,
                by_meaning=settings.embeddings != NO_MODEL,
            )
            orchestrator = Orchestrator(settings, equipment, storage)
            try:
                yield orchestrator
            finally:
                orchestrator.close()


async def _register(hub: ToolHub, tools: Sequence[Any]) -> None:
    if not tools:
        return
    from switchyard.toolhub.library import UnifiedToolLibrary  # noqa: PLC0415  few need it

    library = UnifiedToolLibrary(hub=hub)
    for given in tools:
        done = await library.register(given)
        if not done.success:
            raise SettingsInvalid(message("tool_unusable", tool=repr(given)[:80], why=str(done.error)))


def ask_sync(
    question: str,
    settings: Settings | None = None,
    *,
    thread_id: str | None = None,
    options: RunOptions | None = None,
    **given: Any,
) -> "RunReport":
    """Answer one question from synchronous code, also where an event loop runs; `given`: as of `open_orchestrator`."""
    from anyio.from_thread import start_blocking_portal  # noqa: PLC0415  synchronous callers alone need it

    async def ask() -> "RunReport":
        async with open_orchestrator(settings, **given) as orchestrator:
            return await orchestrator.ask(question, thread_id=thread_id, options=options)

    with start_blocking_portal() as portal:
        return portal.call(ask)


def new_thread_id() -> str:
    """An id short enough to type."""
    return uuid4().hex[:12]
