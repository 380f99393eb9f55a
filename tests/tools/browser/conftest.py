"""A real Chromium, real pages on loopback, and a hand that uses the tool as one run does."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import ToolContext, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.use_browser.chromium import PROGRAMS, SharedBrowser, find_program
from switchyard.tools.use_browser.tool import (
    ClickParams,
    ExtractParams,
    PageParams,
    TypeParams,
    UseBrowser,
)
from tests.support.pages import Site, running_site


@pytest.fixture(scope="module")
def browser() -> Iterator[SharedBrowser]:
    """One browser for all tests of a file: it does not belong to the loop of any."""
    try:
        find_program(PROGRAMS)
    except ToolFailed:
        pytest.skip("no Chromium or Google Chrome on the PATH")
    shared = SharedBrowser()
    yield shared
    shared.close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@pytest.fixture
def private() -> Iterator[Site]:
    """A site that is not allowed."""
    with running_site() as running:
        yield running


class Hand:
    """Uses the tool as one run does."""

    def __init__(self, browser: SharedBrowser, site: Site, workspace: Path, run_id: str) -> None:
        self.tool = UseBrowser(browser)
        self.site = site
        self.context = ToolContext(
            workspace=workspace, run_id=run_id, network=NetworkPolicy(allow_private=(site.host,))
        )

    async def navigate(self, path: str, **more: Any) -> dict[str, Any]:
        return (await self.tool.navigate(PageParams(url=self._url(path), **more), self.context)).result

    async def click(self, path: str, selector: str, **more: Any) -> dict[str, Any]:
        return (await self.tool.click(ClickParams(url=self._url(path), selector=selector, **more), self.context)).result

    async def type(self, path: str, selector: str, text: str, **more: Any) -> dict[str, Any]:
        params = TypeParams(url=self._url(path), selector=selector, text=text, **more)
        return (await self.tool.type_text(params, self.context)).result

    async def extract(self, path: str, selector: str, **more: Any) -> dict[str, Any]:
        params = ExtractParams(url=self._url(path), selector=selector, **more)
        return (await self.tool.extract(params, self.context)).result

    def _url(self, path: str) -> str:
        return self.site.url(path) if path.startswith("/") else path


@pytest.fixture
def hand(browser: SharedBrowser, site: Site, workspace: Path, request: pytest.FixtureRequest) -> Hand:
    return Hand(browser, site, workspace, request.node.nodeid)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits a moment only for what will not come."""
    monkeypatch.setattr("switchyard.tools.use_browser.tool.APPEAR_MS", 500)
    monkeypatch.setattr(
        "switchyard.tools.use_browser.tool.USE_MS", 2_000
    )  # why it cannot be used is found out meanwhile


async def failure(doing: Awaitable[Any]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await doing
    return caught.value


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110  nothing tells when a process ends
            await asyncio.sleep(0)
