"""One Chromium for the whole process, and the pages of each run in it, which share cookies with nobody else.

It lives in a thread with an event loop of its own, so that callers on any loop share it. It starts with the first call
and ends with the last hub, or with the program. Playwright is loaded when it is first used: it is an extra, and slow to
import.
"""

import asyncio
import contextlib
import importlib
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from anyio.from_thread import start_blocking_portal

from switchyard.language.messages import Message, message, quoted
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.late import Late
from switchyard.tools.core.processes import keep
from switchyard.tools.use_browser.proxy import CheckedProxy

if TYPE_CHECKING:
    from playwright import async_api as playwright
else:
    playwright = Late("playwright.async_api")

T = TypeVar("T")

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What Chromium is called on the path."""
MAX_RUNS = 8
MAX_TABS = 6
"""Pages a run may have open; the one used longest ago makes room."""
MOST_NOTED = 20
"""Dialogs, windows or downloads of one call that are told."""

_CLOSE_SECONDS = 15.0
_LOCALES = {"en": "en-US", "zh": "zh-CN"}
_NOWHERE = "http://only-through-the-proxy-of-a-run.invalid"
_FLAGS = [
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # what older ones call it
]
"""Nothing goes around the proxy."""


@dataclass(slots=True, eq=False)
class Tab:
    """An open page, and what happened on it during the call under way."""

    page: "playwright.Page"
    asked: str = ""
    """The URL it was opened by, which may have led to another one."""
    landed: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    happened: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    failed_url: str = ""
    """Where the page was going when it could not."""

    def is_at(self, url: str) -> bool:
        """Whether this is the page that a call means by `url`."""
        return url == self.page.url or (url == self.asked and self.page.url == self.landed)

    def begin(self) -> None:
        """Forget what happened during earlier calls."""
        self.happened = {"dialogs": [], "popups": [], "downloads": []}
        self.failed_url = ""

    def note(self, kind: str, what: str) -> None:
        """Keep what happened, as long as it is not too much."""
        if len(noted := self.happened.setdefault(kind, [])) < MOST_NOTED:
            noted.append(what)

    def note_failure(self, request: "playwright.Request") -> None:
        """Keep where the page could not go."""
        if request.is_navigation_request() and request.frame == self.page.main_frame:
            self.failed_url = request.url


class Run:
    """The pages of one run: they share cookies among themselves and with nobody else."""

    def __init__(self, context: "playwright.BrowserContext", proxy: CheckedProxy) -> None:
        self.proxy = proxy
        self.busy = 0
        self._context = context
        self._tabs: list[Tab] = []
        """The one used last at the end."""
        self._opening = asyncio.Lock()
        self._closing: set[asyncio.Future[None]] = set()

    async def tab(self, url: str) -> Tab:
        """The page at that URL, the last used first, or an empty one."""
        async with self._opening:
            tab = next((tab for tab in reversed(self._tabs) if tab.is_at(url)), None)
            tab = tab or self._listen(Tab(await self._context.new_page()))
            self._tabs = [*(other for other in self._tabs if other is not tab), tab]
            unused = [other for other in self._tabs[:-1] if not other.lock.locked()]
            for other in unused[: max(len(self._tabs) - MAX_TABS, 0)]:
                self.abandon(other)
            return tab

    def abandon(self, tab: Tab) -> None:
        """Close a page that is of no more use."""
        self._forget(tab)
        self._later(tab.page.close())

    async def close(self) -> None:
        """Close every page and the way out."""
        with contextlib.suppress(playwright.Error):
            await self._context.close()
        await self.proxy.close()

    def _listen(self, tab: Tab) -> Tab:
        """A dialog that nobody answers would stop the page; a window it opens is closed, and can be had by its URL."""
        page = tab.page
        page.on("dialog", lambda dialog: self._answer(tab, dialog))
        page.on("download", lambda download: tab.note("downloads", download.suggested_filename[:200]))
        page.on("popup", lambda popup: self._refuse(tab, popup))
        page.on("requestfailed", lambda request: tab.note_failure(request))  # noqa: PLW0108  it marks methods
        page.on("crash", lambda _: self._later(page.close()))
        page.on("close", lambda _: self._forget(tab))
        return tab

    def _forget(self, tab: Tab) -> None:
        self._tabs = [other for other in self._tabs if other is not tab]

    def _refuse(self, opener: Tab, popup: "playwright.Page") -> None:
        if not popup.url.startswith("chrome-error:"):
            opener.note("popups", popup.url)
        self._later(popup.close())

    def _answer(self, tab: Tab, dialog: "playwright.Dialog") -> None:
        """Agree to nothing: close what only tells, refuse what asks. Leaving a page is not refused."""
        tab.note("dialogs", f"{dialog.type}: {dialog.message[:500]}")
        self._later(dialog.accept() if dialog.type in {"alert", "beforeunload"} else dialog.dismiss())

    def _later(self, work: Awaitable[None]) -> None:
        """Start something that nobody waits for; it is kept until it has ended."""

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


class SharedBrowser:
    """Starts, shares and ends the browser."""

    def __init__(self, programs: tuple[str, ...] = PROGRAMS) -> None:
        self._programs = programs
        self._starting = threading.Lock()
        self._thread = contextlib.ExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        # what follows belongs to the browser's loop
        self._playwright: playwright.Playwright | None = None
        self._browser: playwright.Browser | None = None
        self._runs: dict[str, Run] = {}
        self._changing = asyncio.Lock()

    async def run(self, context: ToolContext, work: Callable[[Run], Awaitable[T]]) -> T:
        """Let `work` use the pages of the run; cancelling the call cancels it."""
        serving = asyncio.run_coroutine_threadsafe(self._serve(context, work), self._running_loop())
        return await asyncio.wrap_future(serving)

    def close(self) -> None:
        """End the browser and its thread; the next call starts anew."""
        with self._starting:
            thread, self._thread, self._loop = self._thread, contextlib.ExitStack(), None
        thread.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                portal = self._thread.enter_context(start_blocking_portal(name="browser"))
                self._loop, self._changing = portal.call(_own_loop), asyncio.Lock()
                self._thread.callback(portal.call, self._end)
                keep(self.close)
            return self._loop

    async def _serve(self, context: ToolContext, work: Callable[[Run], Awaitable[T]]) -> T:
        # whoever is cancelled, a start under way is finished: half of one could not be ended
        run = await asyncio.shield(asyncio.ensure_future(self._run_of(context)))
        run.busy += 1
        try:
            return await work(run)
        except playwright.Error as error:
            raise broken(error) from error
        finally:
            run.busy -= 1

    async def _run_of(self, context: ToolContext) -> Run:
        """The pages of that run; those used longest ago make room."""
        key = context.run_id or context.thread_id
        async with self._changing:
            if self._browser is None or not self._browser.is_connected():
                await self._stop()
                self._browser = await self._start()
            run = self._runs.pop(key, None) or await _new_run(self._browser, context)
            self._runs[key] = run
            unused = [name for name, other in self._runs.items() if other is not run and not other.busy]
            for name in unused[: max(len(self._runs) - MAX_RUNS, 0)]:
                await self._runs.pop(name).close()
            return run

    async def _start(self) -> "playwright.Browser":
        await asyncio.to_thread(importlib.import_module, "playwright.async_api")  # which reads many files
        program = await asyncio.to_thread(find_program, self._programs)
        try:
            self._playwright = await playwright.async_playwright().start()
            return await self._playwright.chromium.launch(
                executable_path=program,
                chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),  # it does not work for root
                proxy={"server": _NOWHERE},
                args=_FLAGS,
            )
        except playwright.Error as error:
            await self._stop()
            silent = message("chromium_does_not_start", program=program, problem=said(error))
            raise ToolFailed(silent, kind="unavailable") from error

    async def _end(self) -> None:
        with contextlib.suppress(TimeoutError):  # the driver ends with its pipe, and the browser with the driver
            async with asyncio.timeout(_CLOSE_SECONDS), self._changing:
                await self._stop()

    async def _stop(self) -> None:
        runs, self._runs = list(self._runs.values()), {}
        for run in runs:
            await run.close()
        browser, driver, self._browser, self._playwright = self._browser, self._playwright, None, None
        if browser is not None:
            with contextlib.suppress(playwright.Error):  # it has ended by itself
                await browser.close()
        if driver is not None:
            await driver.stop()


async def _own_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def _new_run(browser: "playwright.Browser", context: ToolContext) -> Run:
    proxy = CheckedProxy(context.network)
    try:
        pages = await browser.new_context(
            proxy={"server": await proxy.start(), "bypass": "<-loopback>"},  # loopback goes through it too
            accept_downloads=False,
            locale=_LOCALES[context.language],
        )
    except playwright.Error as error:
        await proxy.close()
        raise broken(error) from error
    pages.set_default_timeout(0)  # a call is timed as a whole
    return Run(pages, proxy)


def find_program(programs: tuple[str, ...]) -> str:
    """The first of these programs on the path."""
    found = next((path for program in programs if (path := shutil.which(program))), None)
    if found is None:
        needed = message("browser_needs_chromium", programs=list(programs))
        raise ToolFailed(needed, kind="unavailable", lasting=True)
    return found


shared = SharedBrowser()
"""The browser of this process."""
