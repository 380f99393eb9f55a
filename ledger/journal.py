"""The journal: what was tried, what came back and what was asked, committed row by row (R1.5).

LangGraph's checkpoints are per superstep; a round of many calls needs more. A row is written before a writing call
starts and when any call ends, and a call is finished when its row is committed. Results live here once: the graph's
state carries a key and an excerpt.
"""

import time
from typing import Any, Literal

from langgraph.store.base import BaseStore
from pydantic import BaseModel, Field

from ledger.attempts import Attempt
from ledger.context import RunStatus
from tools.core.result import ToolResult

_ALL = 100_000
"""Rows a listing returns; the Store interface wants a number."""


class ModelCall(BaseModel):
    """One model call, readable afterwards (R9.6)."""

    run_id: str
    agent: str
    model: str
    messages: list[dict[str, str]] = Field(default_factory=list[dict[str, str]])
    answer: str = ""
    parsed: dict[str, Any] | None = None
    error: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: float = 0.0
    at: float = Field(default_factory=time.time)


class RunRow(BaseModel):
    """A run as its thread lists it."""

    thread_id: str
    run_id: str
    question: str
    status: RunStatus | Literal["running"] = "running"
    answer: str = ""
    at: float = Field(default_factory=time.time)


class Journal:
    """Rows of runs, attempts and model calls in a LangGraph Store."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    async def write_attempt(self, attempt: Attempt) -> None:
        """Commit an attempt: before it starts, and again when it ends."""
        await self._store.aput(
            ("attempts", _label(attempt.run_id)), attempt.key, attempt.model_dump(mode="json"), index=False
        )

    async def attempts(self, run_id: str) -> list[Attempt]:
        """Every attempt of a run, in the order they ended."""
        rows = await self._rows(("attempts", _label(run_id)))
        return sorted((Attempt.model_validate(row) for row in rows), key=lambda attempt: attempt.at)

    async def result(self, run_id: str, key: str) -> ToolResult | None:
        """The full result of one attempt."""
        row = await self._store.aget(("attempts", _label(run_id)), key)
        return None if row is None else Attempt.model_validate(row.value).result

    async def write_call(self, call: ModelCall) -> None:
        """Keep a model call."""
        key = f"{call.at:.6f}-{call.agent}"
        await self._store.aput(("calls", _label(call.run_id)), key, call.model_dump(mode="json"), index=False)

    async def calls(self, run_id: str) -> list[ModelCall]:
        """Every model call of a run, oldest first."""
        rows = await self._rows(("calls", _label(run_id)))
        return sorted((ModelCall.model_validate(row) for row in rows), key=lambda call: call.at)

    async def write_question(self, run_id: str, question: str) -> None:
        """Keep what the planner asked the user: the node that waits for the reply starts anew when it comes."""
        await self._store.aput(("questions", _label(run_id)), "asked", {"question": question}, index=False)

    async def question(self, run_id: str) -> str | None:
        """What the planner asked the user in this run."""
        row = await self._store.aget(("questions", _label(run_id)), "asked")
        return None if row is None else str(row.value["question"])

    async def write_run(self, run: RunRow) -> None:
        """Keep where a run stands."""
        await self._store.aput(("runs", _label(run.thread_id)), run.run_id, run.model_dump(mode="json"), index=False)

    async def runs(self, thread_id: str) -> list[RunRow]:
        """The runs of a thread, oldest first."""
        rows = await self._rows(("runs", _label(thread_id)))
        return sorted((RunRow.model_validate(row) for row in rows), key=lambda run: run.at)

    async def all_runs(self) -> list[RunRow]:
        """The runs of every thread, oldest first."""
        rows = await self._rows(("runs",))
        return sorted((RunRow.model_validate(row) for row in rows), key=lambda run: run.at)

    async def forget_thread(self, thread_id: str) -> None:
        """Remove every row of a thread."""
        for run in await self.runs(thread_id):
            for kind in ("attempts", "calls", "questions"):
                for item in await self._store.asearch((kind, _label(run.run_id)), limit=_ALL):
                    await self._store.adelete(item.namespace, item.key)
            await self._store.adelete(("runs", _label(thread_id)), run.run_id)

    async def _rows(self, namespace: tuple[str, ...]) -> list[dict[str, Any]]:
        return [item.value for item in await self._store.asearch(namespace, limit=_ALL)]


def _label(name: str) -> str:
    """A thread's or a run's id as a namespace label, which may hold no dot and not be empty."""
    return name.replace("%", "%25").replace(".", "%2E") or "%00"
