"""Every test starts without keys, without a `.env`, without MCP servers, and with folders of its own."""

import os
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from app.orchestrator import Orchestrator, open_orchestrator
from app.settings import Settings
from tests.support.endpoint import Endpoint, scripted_endpoint


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("APP_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")):
            monkeypatch.delenv(name)
    for name in ("data", "config", "cache"):
        monkeypatch.setenv(f"APP_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("APP_MCP_FILES", "[]")  # tests that want servers name them


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def make_settings(workspace: Path, tmp_path: Path) -> Callable[..., Settings]:
    """Settings of a test: rules only, in memory, unless it says otherwise."""

    def make(**given: Any) -> Settings:
        defaults: dict[str, Any] = {
            "workspace": workspace,
            "data_dir": tmp_path / "data",
            "database": ":memory:",
            "retry_delay": 0.0,
            "model_retries": 0,
        }
        return Settings.model_validate({**defaults, **given})

    return make


OpenOrchestrator = Callable[..., AbstractAsyncContextManager[Orchestrator]]


@pytest.fixture
def orchestrator_with(make_settings: Callable[..., Settings]) -> OpenOrchestrator:
    """Opens an orchestrator with the settings given."""

    def open_with(**given: Any) -> AbstractAsyncContextManager[Orchestrator]:
        return open_orchestrator(make_settings(**given))

    return open_with


@pytest.fixture
async def orchestrator(make_settings: Callable[..., Settings]) -> AsyncGenerator[Orchestrator]:
    """An orchestrator that works by rules."""
    async with open_orchestrator(make_settings()) as opened:
        yield opened


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A model endpoint over real HTTP that plays a script."""
    with scripted_endpoint() as running:
        yield running
