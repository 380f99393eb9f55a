"""Time that a test lets pass at once, so that a limit is met when something was seen and not when a machine is slow."""

import asyncio
import time
from types import SimpleNamespace

import pytest


class PassingTime:
    """The clock of the running event loop and of a run's limits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._passed = 0.0
        self._loop = asyncio.get_running_loop()
        of_the_loop, of_the_limits = self._loop.time, time.monotonic
        monkeypatch.setattr(self._loop, "time", lambda: of_the_loop() + self._passed)
        limits = SimpleNamespace(monotonic=lambda: of_the_limits() + self._passed)
        monkeypatch.setattr("switchyard.ledger.limits.time", limits)

    def passes(self, seconds: float) -> None:
        """Let this much pass now; may be called from any thread."""
        self._passed += seconds
        self._loop.call_soon_threadsafe(lambda: None)  # a loop that sleeps looks at its clock again
