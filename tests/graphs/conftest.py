"""What the tests of the graph work with: a bench for one round, and orchestrators that are handed their plans."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from switchyard.app.settings import Settings
from tests.support.bench import Bench
from tests.support.counting_tools import write_counting_tools
from tests.support.plans import Handed, open_handed

OpenHanded = Callable[..., AbstractAsyncContextManager[Handed]]


@pytest.fixture
def bench(workspace: Path) -> Bench:
    return Bench(workspace)


@pytest.fixture
def handed_with(make_settings: Callable[..., Settings]) -> OpenHanded:
    """Opens an orchestrator that is handed its plans, with the settings given."""

    def open_with(**given: Any) -> AbstractAsyncContextManager[Handed]:
        return open_handed(make_settings(**given))

    return open_with


@pytest.fixture
def kept_counting(tmp_path: Path) -> dict[str, Any]:
    """Settings with the tools that count and a database that outlives the process."""
    return {
        "tool_folders": [write_counting_tools(tmp_path / "counting")],
        "database": str(tmp_path / "runs.sqlite"),
    }


@pytest.fixture
async def counting(handed_with: OpenHanded, kept_counting: dict[str, Any]) -> AsyncGenerator[Handed]:
    """The tools that count, and plans for them."""
    async with handed_with(**kept_counting) as opened:
        yield opened
