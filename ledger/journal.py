"""The journal: what was tried and what came back, committed row by row (R1.5).

LangGraph's checkpoints are per superstep; a round of many calls needs more. A row is written before a writing call
starts and when any call ends, and a call is finished when its row is committed. Results live here once: the graph's
state carries a key and an excerpt.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from urllib.parse import unquote

from langgraph.store.base import BaseStore
from pydantic import Field

from switchyard.language.messages import STORED
from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import RunStatus
from switchyard.ledger.stored import Versioned
from switchyard.tools.core.json_values import no_items
from switchyard.tools.core.late_model import LateModel

RUNS_AT_HAND = 256
"""Runs whose attempts are kept in memory while they are under way."""

_ALL = 100_000
"""Rows a listing returns; the Store interface wants a number."""


class ModelCall(LateModel):
    """One model call, readable afterwards (R9.6)."""

    run_id: str
    agent: str
    model: str
    messages: list[dict[str, str]] = Field(default_factory=no_items)
    answer: str = ""
    parsed: dict[str, Any] | None = None
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0
    at: float = Field(default_factory=time.time)


class RunRow(Versioned):
    """A run as its thread lists it."""

    thread_id: str
    run_id: str
    question: str
    status: RunStatus = "running"
    answer: str = ""
    at: float = Field(default_factory=time.time)


@runtime_checkable
class ListsKeys(Protocol):
    """A store that can say what is in it without reading it: rows that are damaged can be removed, too."""

    async def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """The keys of a namespace."""
        ...


class Journal:
    """Rows of runs, attempts and model calls in a LangGraph Store.

    Attempts of the runs under way are kept at hand as well, so that a run reads its own rows once.
    """

    def __init__(self, store: BaseStore, *, volatile: bool = False) -> None:
        """`volatile`: the store lives and dies with this process, so a run that begins here has no rows yet."""
        self._store = store
        self.volatile = volatile
        self._at_hand: OrderedDict[str, _Rows] = OrderedDict()
        self._calls: dict[str, list[ModelCall]] = {}

    def begin(self, run_id: str) -> None:
        """A run's first node begins."""
        if self.volatile and run_id not in self._at_hand:
            self._keep_at_hand(run_id, [])

    async def write_attempt(self, attempt: Attempt) -> Attempt:
        """Commit an attempt, before it starts and again when it ends; returns it with its place in the run."""
        rows = await self._rows_of(attempt.run_id)
        rows.last += 1
        attempt = attempt.model_copy(update={"order": rows.last})
        namespace = ("attempts", label(attempt.run_id))
        stored = attempt.model_dump(mode="json", context=STORED)
        row = self._store.aput(namespace, attempt.key, stored, index=False)
        await self.together(row, *self._noted(attempt.run_id))
        rows.by_key[attempt.key] = attempt
        return attempt

    async def attempts(self, run_id: str) -> list[Attempt]:
        """Every attempt of a run, in the order they ended."""
        rows = await self._rows_of(run_id)
        return sorted(rows.by_key.values(), key=lambda attempt: (attempt.order, attempt.at))

    def note_call(self, call: ModelCall) -> None:
        """Keep a model call; it is written with the next row of its run, which saves a wait for each."""
        self._calls.setdefault(call.run_id, []).append(call)

    async def write_calls(self, run_id: str) -> None:
        """Write the model calls of a run that were noted so far."""
        await self.together(*self._noted(run_id))

    async def calls(self, run_id: str) -> list[ModelCall]:
        """Every model call of a run, oldest first."""
        await self.write_calls(run_id)
        rows = await self._rows(("calls", label(run_id)))
        return sorted((ModelCall.model_validate(row) for row in rows), key=lambda call: call.at)

    async def write_run(self, run: RunRow) -> None:
        """Keep where a run stands."""
        namespace = ("runs", label(run.thread_id))
        row = self._store.aput(namespace, run.run_id, run.model_dump(mode="json"), index=False)
        await self.together(row, *self._noted(run.run_id))

    async def runs(self, thread_id: str | None = None) -> list[RunRow]:
        """The runs of a thread, or of every one, oldest first."""
        rows = await self._rows(("runs",) if thread_id is None else ("runs", label(thread_id)))
        return sorted((RunRow.model_validate(row) for row in rows), key=lambda run: run.at)

    async def threads(self) -> list[str]:
        """The ids of all threads; none of their rows is read."""
        found = await self._store.alist_namespaces(prefix=("runs",), limit=_ALL)
        return [unquote(namespace[1]) for namespace in found]

    async def forget_thread(self, thread_id: str) -> None:
        """Remove every row of a thread."""
        runs = ("runs", label(thread_id))
        for run_id in await self._keys(runs):
            for namespace in (("attempts", label(run_id)), ("calls", label(run_id))):
                for key in await self._keys(namespace):
                    await self._store.adelete(namespace, key)
            self._at_hand.pop(run_id, None)
            await self._store.adelete(runs, run_id)

    async def _keys(self, namespace: tuple[str, ...]) -> list[str]:
        if isinstance(self._store, ListsKeys):
            return await self._store.keys(namespace)
        return [one.key for one in await self._store.asearch(namespace, limit=_ALL) if one.namespace == namespace]

    async def _rows(self, namespace: tuple[str, ...]) -> list[dict[str, Any]]:
        found = await self._store.asearch(namespace, limit=_ALL)
        # a store may search by the beginning of the text: "runs.t1" must not find "runs.t10"
        return [item.value for item in found if tuple(item.namespace[: len(namespace)]) == namespace]

    def _noted(self, run_id: str) -> list[Coroutine[Any, Any, None]]:
        """The rows of the calls noted for a run, to be written."""
        namespace = ("calls", label(run_id))
        rows = [(f"{one.at:.6f}-{one.agent}", one.model_dump(mode="json")) for one in self._calls.pop(run_id, ())]
        return [self._store.aput(namespace, key, row, index=False) for key, row in rows]

    async def together(self, *work: Coroutine[Any, Any, Any]) -> None:
        """Read and write at the same time, which is one trip to a database; where there is none, in turn."""
        if not self.volatile and len(work) > 1:
            await asyncio.gather(*work)
            return
        for one in work:
            await one

    async def _rows_of(self, run_id: str) -> "_Rows":
        """The attempts of a run, read once."""
        if run_id not in self._at_hand:
            found = [Attempt.model_validate(row) for row in await self._rows(("attempts", label(run_id)))]
            if run_id not in self._at_hand:  # nobody was faster: what they wrote meanwhile is not among these
                self._keep_at_hand(run_id, found)
        return self._at_hand[run_id]

    def _keep_at_hand(self, run_id: str, attempts: list[Attempt]) -> None:
        by_key = {attempt.key: attempt for attempt in attempts}
        self._at_hand[run_id] = _Rows(by_key, max((attempt.order for attempt in attempts), default=0))
        while len(self._at_hand) > RUNS_AT_HAND:
            self._at_hand.popitem(last=False)


@dataclass(slots=True)
class _Rows:
    """The attempts of one run, and how many places were given."""

    by_key: dict[str, Attempt]
    last: int


def label(name: str) -> str:
    """A thread's or a run's id as a namespace label, which may hold no dot and not be empty."""
    return name.replace("%", "%25").replace(".", "%2E") or "%00"
