"""Every test starts without keys, without a `.env`, without MCP servers, and with folders of its own."""

import os
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

import hypothesis
import pytest

from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.settings import Settings
from tests.support.endpoint import Endpoint, scripted_endpoint
from tests.support.passing_time import PassingTime

SLOW = (
    "app/",
    "examples/test_create_agent_middleware.py",
    "examples/test_fastapi_service.py",
    "examples/test_notebooks.py",
    "examples/test_subgraph.py",
    "graphs/test_hub_sources.py",
    "graphs/test_model_mending.py::test_endless_code_is_run_once",
    "toolhub/mcp/",
    "toolhub/skills/test_skill_scripts.py",
    "toolhub/test_arguments_read.py",
    "toolhub/test_library_registration.py",
    "toolhub/test_library_sources.py",
    "toolhub/test_shipped_tools.py::test_our_own_tools_are_opened_without_importing_one",
    "toolhub/test_toolhub_page.py",
    "tools/browser/",
    "tools/test_data_analyzer.py",
    "tools/test_knowledge_index.py::test_a_killed_search_leaves_a_good_index",
    "tools/test_knowledge_index.py::test_several_processes_search_at_once",
    "tools/test_native_descriptions.py::test_the_packages_that_tools_work_with_are_loaded_when_they_work",
    "tools/test_python_executor.py",
    "tools/test_table_worker.py",
    "tools/test_web_scraper.py::test_a_page_made_to_keep_a_reader_busy_ends_with_it",
    "tools/test_write_to_file.py::test_a_killed_process_appends_nothing_twice",
)
"""Where tests start processes, servers or browsers, or kill them."""

ANY_MACHINE: dict[str, Any] = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
"""How fast a machine is decides no test."""
hypothesis.settings.register_profile("loop", max_examples=20, **ANY_MACHINE)
hypothesis.settings.register_profile("all", max_examples=100, **ANY_MACHINE)

left_out = pytest.StashKey[int]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if f"{item.path.relative_to(here).as_posix()}::{item.name}".startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each process collects all tests and leaves out the same ones."""
    node.config.stash[left_out] = getattr(node, "workeroutput", {}).get("left_out", 0)


class LeftOut:
    """Counts what `-m` leaves out."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        found = self._config.stash.get(left_out, 0) + len(items)
        self._config.stash[left_out] = found
        if hasattr(self._config, "workeroutput"):
            cast("Any", self._config).workeroutput["left_out"] = found


def is_loop(config: pytest.Config) -> bool:
    """Whether this is the developer's loop (`make test`): what is drawn by chance is drawn less often there."""
    return config.getoption("-m") == "not slow"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LeftOut(config))
    hypothesis.settings.load_profile("loop" if is_loop(config) else "all")


@pytest.fixture(scope="session")
def samples_of_each(pytestconfig: pytest.Config) -> int:
    """How many of the things that a sentence may say are tried."""
    return 4 if is_loop(pytestconfig) else 24


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if count := config.stash.get(left_out, 0):
        terminalreporter.write_line(f"{count} tests were left out; `make check` runs all, `pytest -m slow` only those.")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("APP_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_", "LC_")):
            monkeypatch.delenv(name)
    for name in ("data", "config", "cache"):
        monkeypatch.setenv(f"APP_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("APP_MCP_FILES", "[]")  # tests that want servers name them
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))  # no authorities: reading the usual ones costs each client 40 ms


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
            "rules_first": "never",  # a test's model plans what the rules could read, too
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


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    """Time passes when the test says so."""
    return PassingTime(monkeypatch)
