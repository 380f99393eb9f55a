"""One line of the table, and how two things are timed against each other."""

import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import BaseModel

CONFIGURING = ("APP_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")
"""Prefixes of environment variables that would change what is measured."""


class Line(BaseModel):
    """What was measured against what was wanted."""

    name: str
    ours: float
    reference: float | None = None
    ratio: float | None = None
    wanted: str = ""
    met: bool | None = None
    """None: there is no target, the figure is for information."""
    unit: str = "ms"
    note: str = ""


def compared(
    name: str, ours: float, reference: float, *, wanted: str = "", met: bool | None = None, unit: str, note: str
) -> Line:
    """A line of two figures and their ratio."""
    ratio = ours / reference
    return Line(name=name, ours=ours, reference=reference, ratio=ratio, wanted=wanted, met=met, unit=unit, note=note)


class Samples:
    """Times of several things measured in turns, by name."""

    def __init__(self) -> None:
        self._times: dict[str, list[float]] = {}

    def add(self, name: str, milliseconds: float) -> None:
        """Keep one time."""
        self._times.setdefault(name, []).append(milliseconds)

    def median(self, name: str) -> float:
        """The middle of the times of a name."""
        return statistics.median(self._times[name])

    def spread(self, name: str) -> str:
        """The middle half of the times, to judge the noise by."""
        low, _, high = statistics.quantiles(self._times[name], n=4)
        return f"{low:.1f}–{high:.1f}"

    def versus(self, name: str, ours: str, reference: str, most: float) -> Line:
        """Ours against a reference, with the largest ratio wanted."""
        mine, other = self.median(ours), self.median(reference)
        ratio = mine / other
        note = f"middle half {self.spread(ours)} against {self.spread(reference)}, n={len(self._times[ours])}"
        return Line(
            name=name, ours=mine, reference=other, ratio=ratio, wanted=f"≤ {most:g}", met=ratio <= most, note=note
        )

    def told(self, name: str, ours: str, reference: str) -> Line:
        """The same without a target."""
        line = self.versus(name, ours, reference, most=float("inf"))
        return line.model_copy(update={"wanted": "", "met": None})


async def in_turns(work: Mapping[str, Callable[[], Awaitable[Any]]], *, rounds: int, warm_up: int) -> Samples:
    """Do each piece of work once per round, so that noise falls on all alike."""
    samples = Samples()
    for number in range(warm_up + rounds):
        for name, do in work.items():
            started = time.perf_counter()
            await do()
            if number >= warm_up:
                samples.add(name, (time.perf_counter() - started) * 1000)
    return samples


def clean_environment() -> dict[str, str]:
    """The environment without anything that configures ours or traces LangChain."""
    return {name: value for name, value in os.environ.items() if not name.startswith(CONFIGURING)}


def progress(text: str) -> None:
    """Say on standard error what is going on."""
    sys.stderr.write(f"  {text}\n")
    sys.stderr.flush()
