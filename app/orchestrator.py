"""The orchestrator: everything opened once, questions asked many times.

async with open_orchestrator(settings) as orchestrator:
    report = await orchestrator.ask("What is 15% of 2480?")
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import datetime
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from switchyard.agents.execution.approval import is_approval, read_replies
from switchyard.agents.parsing import whole_characters
from switchyard.agents.scope import Custom, Equipment, Model, local_now
from switchyard.app.hub import open_library
from switchyard.app.models import ConfiguredModels
from switchyard.app.report import RunReport, build_report, waiting_for
from switchyard.app.settings import NO_MODEL, Settings, load_settings
from switchyard.app.storage import Storage, explained, open_storage, readable
from switchyard.graphs.channels import Channels, read_channels
from switchyard.graphs.nodes import hidden
from switchyard.graphs.orchestrator import OrchestratorGraph, build_graph
from switchyard.language.messages import message
from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.journal import Journal, RunRow
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.memory.experience import Experiences
from switchyard.tools.core.errors import SettingsInvalid, ThreadDamaged, ThreadUnknown

LONGEST_THREAD_ID = 200


class Orchestrator:
    """The compiled graph with its hub and its storage."""

    def __init__(self, settings: Settings, equipment: Equipment, storage: Storage) -> None:
        async def ready() -> Equipment:
            return equipment

        self.settings = settings
        self.library: UnifiedToolLibrary = equipment.library
        self.journal: Journal = equipment.journal
        self.experience: Experiences | None = equipment.experience
        self.storage = storage
        self.models = equipment.models
        self._secrets = equipment.secrets
        self.graph: OrchestratorGraph = build_graph(ready, checkpointer=storage.saver)
        """The compiled LangGraph graph: invoke it, stream it, nest it.

        A `recursion_limit` of the caller's own ends in the best answer so far, from 2 upward; with 1 LangGraph raises.
        """
        self._one_run_per_thread: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._slots = asyncio.Semaphore(settings.max_runs)

    async def ask(self, question: str, *, thread_id: str | None = None, options: RunOptions | None = None) -> RunReport:
        """Answer a question, in a new thread or as the next one of an old."""
        is_new = thread_id is None
        thread_id = thread_id or new_thread_id()
        async for _ in self.stream(question, thread_id=thread_id, options=options, abandon=is_new):
            pass
        return await self.report(thread_id, options=options)

    async def stream(
        self, question: str, *, thread_id: str, options: RunOptions | None = None, abandon: bool = False
    ) -> AsyncIterator[dict[str, Any]]:
        """Answer a question and tell what happens meanwhile; `report` has the outcome afterwards.

        Args:
            question: what to answer.
            thread_id: the conversation it belongs to.
            options: what is special about this run.
            abandon: give up a run of the thread that is not finished; without this, such a thread takes no question.

        Raises:
            SettingsInvalid: when the question is empty or the thread cannot take it.
            ToolUnknown: when the options name a tool that is not there.
        """
        question = whole_characters(question)
        if not question.strip():
            raise SettingsInvalid(message("question_missing"))
        check_thread_id(thread_id)
        await self._check_tools(options)
        run = {"question": question}
        async with aclosing(self._run(run, thread_id, options, only_finished=not abandon)) as events:
            async for event in events:
                yield event

    async def resume(self, thread_id: str, reply: Any = None, *, options: RunOptions | None = None) -> RunReport:
        """Finish a run that was stopped, or give it the reply it waits for."""
        async for _ in self.stream_resume(thread_id, reply, options=options):
            pass
        return await self.report(thread_id, options=options)

    async def stream_resume(
        self, thread_id: str, reply: Any = None, *, options: RunOptions | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """Finish a run and tell what happens meanwhile. Nothing happens where there is nothing to finish.

        A thread that is not there is `ThreadUnknown`, a reply that cannot be read `SettingsInvalid`.
        """
        from langgraph.types import Command  # noqa: PLC0415  next to its only use

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
                held = self._secrets.of(read_channels(state.values).context.run_id)
            # LangGraph stores what it is resumed with: a secret that a person typed stays here
            kept = {"decision", "arguments"}
            reply = {key: hidden(one, held).model_dump(include=kept) for key, one in replies.items()}
        async with aclosing(self._run(Command(resume=reply) if waiting else None, thread_id, options)) as events:
            async for event in events:
                yield event

    async def report(self, thread_id: str, *, options: RunOptions | None = None) -> RunReport:
        """The last run of a thread; `ThreadUnknown` where there is none, `ThreadDamaged` where it cannot be read."""
        state = await self._state(thread_id)
        with readable(thread_id):
            seen = read_channels(state.values)
            runs = await self.journal.runs(thread_id)
        if runs and runs[-1].run_id != seen.context.run_id:
            # stopped in its first node: the state is still that of the run before
            seen = Channels(context=ExecutionContext(run_id=runs[-1].run_id, task=runs[-1].question))
        run_id = seen.context.run_id
        chosen = self.settings.options.overridden_by(options)
        model = self.models.name_for(chosen, "planning")
        with readable(thread_id):
            attempts = await self.journal.attempts(run_id) if run_id else []
            report = build_report(thread_id, seen, attempts, model=model, interrupts=list(state.interrupts))
        # not `next`: a node whose writes were kept but not yet taken over is no longer in it
        if state.tasks and report.status != "waiting":
            report.status = "cancelled"
        return report

    async def threads(self) -> dict[str, list[RunRow]]:
        """The runs of every thread, the one used last coming last; `ThreadDamaged` names one that cannot be read."""
        found: dict[str, list[RunRow]] = {}
        try:
            every = await self.journal.runs()
        except ValueError:
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

    async def delete_thread(self, thread_id: str) -> None:
        """Forget a thread: its conversation, its runs, its results; `ThreadUnknown` where there is none."""
        with suppress(ThreadDamaged):
            await self._state(thread_id)
        await self.storage.saver.adelete_thread(thread_id)
        await self.journal.forget_thread(thread_id)

    async def _run(
        self, run: Any, thread_id: str, options: RunOptions | None, *, only_finished: bool = False
    ) -> AsyncGenerator[dict[str, Any]]:
        config: Any = {"configurable": {"thread_id": thread_id}}
        lock = self._one_run_per_thread.setdefault(thread_id, asyncio.Lock())
        async with lock, self._slots:
            if only_finished and (await self._peek(thread_id)).tasks:
                raise SettingsInvalid(message("thread_unfinished", thread=thread_id))
            with explained(self.settings.database_path):
                graph: Any = self.graph  # its own signature is only partly typed
                stream: AsyncIterator[tuple[str, Any]] = graph.astream(
                    run,
                    config,
                    context=options,
                    stream_mode=["custom", "messages"],
                    durability="sync",  # a step is done when it is on disk: a killed process loses none
                )
                try:
                    async for mode, chunk in stream:
                        if mode == "custom":
                            yield chunk
                        elif (text := str(chunk[0].text)) and chunk[0].type == "AIMessageChunk":
                            yield {"event": "token", "text": text}
                except (asyncio.CancelledError, GeneratorExit):
                    await self._note_cancelled(thread_id)
                    raise
                await self.storage.prune(thread_id)

    async def _note_cancelled(self, thread_id: str) -> None:
        """The run's row says that it was stopped. The state cannot: a write to it would take the step to go on with."""
        runs = await self.journal.runs(thread_id)
        if runs and runs[-1].status == "running":
            await self.journal.write_run(runs[-1].model_copy(update={"status": "cancelled"}))

    async def _check_tools(self, options: RunOptions | None) -> None:
        named = options.named_tools if options else []
        if any(self.library.get_tool_by_id(name) is None for name in named):
            await self.library.refresh()  # it may have come a moment ago
        for name in named:
            if self.library.get_tool_by_id(name) is None:
                raise self.library.unknown(name)

    async def _state(self, thread_id: str) -> Any:
        state = await self._peek(thread_id)
        if not state.values and not state.tasks:
            raise ThreadUnknown(message("thread_unknown", thread=thread_id))
        return state

    async def _peek(self, thread_id: str) -> Any:
        with explained(self.settings.database_path), readable(thread_id):
            return await self.graph.aget_state({"configurable": {"thread_id": thread_id}})


@asynccontextmanager
async def open_equipment(
    settings: Settings,
    *,
    model: Model | None = None,
    clock: Callable[[], datetime] = local_now,
    custom: Custom | None = None,
) -> AsyncGenerator[tuple[Equipment, Storage]]:
    """Open what the runs of one orchestrator share, and where it is stored; all of it is closed with the block."""
    async with open_storage(settings.database_path, wait=settings.database_wait) as storage:
        workspace = await asyncio.to_thread(settings.checked_workspace)
        async with open_library(settings) as library, aclosing(ConfiguredModels(settings)) as models:
            if model is not None:
                models.add(model)
            equipment = Equipment(
                library,
                Journal(storage.store, volatile=storage.volatile),
                models,
                workspace,
                settings.options,
                settings.network,
                clock,
                experience=Experiences(storage.store, library.memory, volatile=storage.volatile),
                custom=custom or Custom(),
                by_meaning=settings.embeddings != NO_MODEL,
            )
            yield equipment, storage


@asynccontextmanager
async def open_orchestrator(
    settings: Settings | None = None,
    *,
    model: Model | None = None,
    clock: Callable[[], datetime] = local_now,
    custom: Custom | None = None,
) -> AsyncGenerator[Orchestrator]:
    """Open hub and storage, and close them when the block is left.

    Args:
        settings: how to work; read from the environment and `.env` when left out.
        model: a chat model of the caller's own, to be named in the settings or options by its name.
        clock: what "today" and "next Friday" in a question count from.
        custom: recall, ranker and prompts of the caller's own.
    """
    settings = settings or load_settings()
    async with open_equipment(settings, model=model, clock=clock, custom=custom) as (equipment, storage):
        yield Orchestrator(settings, equipment, storage)


def ask_sync(
    question: str, settings: Settings | None = None, *, thread_id: str | None = None, options: RunOptions | None = None
) -> RunReport:
    """Answer one question from synchronous code, also where an event loop is already running."""
    from anyio.from_thread import start_blocking_portal  # noqa: PLC0415  synchronous callers alone need it

    async def ask() -> RunReport:
        async with open_orchestrator(settings) as orchestrator:
            return await orchestrator.ask(question, thread_id=thread_id, options=options)

    with start_blocking_portal() as portal:
        return portal.call(ask)


def new_thread_id() -> str:
    """An id short enough to type."""
    return uuid4().hex[:12]


def check_thread_id(thread_id: str) -> None:
    """Make sure that an id can be stored and typed."""
    if not thread_id.isprintable() or not 0 < len(thread_id) <= LONGEST_THREAD_ID:
        raise SettingsInvalid(message("thread_id_unusable", most=LONGEST_THREAD_ID, thread=ascii(thread_id[:40])))
