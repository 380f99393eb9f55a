"""The pages of a run: found by their URL, listened to, and kept few.

Playwright is loaded when it is first used: it is an extra, and slow to import.
"""

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from switchyard.language.messages import Message, message, quoted
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.late import Late
from switchyard.tools.use_browser.proxy import CheckedProxy

if TYPE_CHECKING:
    from playwright import async_api as playwright
else:
    playwright = Late("playwright.async_api")

MAX_TABS = 6
"""Pages a run may have open; the one used longest ago makes room."""
MAX_POPUPS = 3
"""Pages that one call may open besides its own."""
_MAX_NOTED = 20


@dataclass(slots=True, eq=False)
class Tab:
    """An open page, and what happened on it during the call under way."""

    page: "playwright.Page"
    asked: str = ""
    """The URL it was opened by, which may have led to another one."""
    landed: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    dialogs: list[str] = field(default_factory=list[str])
    downloads: list[str] = field(default_factory=list[str])
    popups: list["playwright.Page"] = field(default_factory=list["playwright.Page"])
    failed_url: str = ""
    """Where the page was going when it could not."""

    def is_at(self, url: str) -> bool:
        """Whether this is the page that a call means by `url`."""
        return url == self.page.url or (url == self.asked and self.page.url == self.landed)

    def begin(self) -> None:
        """Forget what happened during earlier calls."""
        for happened in (self.dialogs, self.downloads, self.popups):
            happened.clear()
        self.failed_url = ""


class Run:
    """The pages of one run: they share cookies among themselves and with nobody else."""

    def __init__(self, context: "playwright.BrowserContext", proxy: CheckedProxy) -> None:
        self.proxy = proxy
        self.busy = 0
        self.timer: asyncio.TimerHandle | None = None
        self._context = context
        self._tabs: dict[playwright.Page, Tab] = {}
        self._opening = asyncio.Lock()
        self._closing: set[asyncio.Future[None]] = set()
        context.on("page", lambda page: _nothing(self._adopt(page)))

    def wake(self) -> None:
        """Do not close because of idleness."""
        if self.timer is not None:
            self.timer.cancel()

    async def tab(self, url: str) -> Tab:
        """The page at that URL, the last used first, or an empty one."""
        async with self._opening:
            tab = next((tab for tab in reversed(self._tabs.values()) if tab.is_at(url)), None)
            tab = tab or self._adopt(await self._context.new_page())
            self._tabs[tab.page] = self._tabs.pop(tab.page)
            self._make_room(tab)
            return tab

    def keeps(self, page: "playwright.Page") -> bool:
        """Whether the page is open and will stay so."""
        return page in self._tabs and not page.is_closed()

    def abandon(self, tab: Tab) -> None:
        """Close a page that is of no more use."""
        self._tabs.pop(tab.page, None)
        self._later(tab.page.close())

    async def close(self) -> None:
        """Close every page and the way out."""
        self.wake()
        with contextlib.suppress(playwright.Error):
            await self._context.close()
        await self.proxy.close()

    def _adopt(self, page: "playwright.Page") -> Tab:
        """Listen to a page, whoever opened it; a dialog nobody answers would stop it."""
        if known := self._tabs.get(page):
            return known
        tab = self._tabs[page] = Tab(page)
        page.on("dialog", lambda dialog: self._answer(tab, dialog))
        page.on("download", lambda download: _note(tab.downloads, download.suggested_filename[:200]))
        page.on("popup", lambda popup: self._take_popup(tab, popup))
        page.on("requestfailed", lambda request: _note_failure(tab, request))
        page.on("crash", lambda _: self._later(page.close()))
        page.on("close", lambda _: _nothing(self._tabs.pop(page, None)))
        return tab

    def _take_popup(self, opener: Tab, popup: "playwright.Page") -> None:
        tab = self._adopt(popup)
        if len(opener.popups) < MAX_POPUPS:
            opener.popups.append(popup)
            self._make_room(tab)
        else:
            self.abandon(tab)

    def _make_room(self, newest: Tab) -> None:
        unused = [tab for tab in self._tabs.values() if tab is not newest and not tab.lock.locked()]
        for tab in unused[: max(len(self._tabs) - MAX_TABS, 0)]:
            self.abandon(tab)

    def _answer(self, tab: Tab, dialog: "playwright.Dialog") -> None:
        """Agree to nothing: close what only tells, refuse what asks. Leaving a page is not refused."""
        _note(tab.dialogs, f"{dialog.type}: {dialog.message[:500]}")
        self._later(dialog.accept() if dialog.type in {"alert", "beforeunload"} else dialog.dismiss())

    def _later(self, work: Awaitable[None]) -> None:
        async def quietly() -> None:
            with contextlib.suppress(playwright.Error):  # the page has gone already
                await work

        task = asyncio.ensure_future(quietly())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def broken(error: "playwright.Error") -> ToolFailed:
    """The page or the browser is gone, or does not do as it should."""
    return ToolFailed(message("browser_broke_down", problem=said(error)), kind="unavailable")


def said(error: "playwright.Error") -> Message:
    """What the browser said, without the log of the call, which repeats what was typed, and without addresses."""
    first = error.message.partition("\n")[0].partition(" at http")[0]
    return quoted(first.partition(": ")[2].removeprefix("Error: ")[:200] or first[:200])


def _nothing(_: object) -> None:
    """Listeners return nothing."""


def _note(happened: list[str], what: str) -> None:
    if len(happened) < _MAX_NOTED:
        happened.append(what)


def _note_failure(tab: Tab, request: "playwright.Request") -> None:
    if request.is_navigation_request() and request.frame == tab.page.main_frame:
        tab.failed_url = request.url
