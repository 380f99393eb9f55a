"""One Chromium for the whole process, with a context of its own for each run.

It lives in a thread with an event loop of its own, so that callers on any loop share it. It starts with the first call
and ends when no run has used it for a while, when it is closed, and at the end of the program.
"""

import asyncio
import contextlib
import importlib
import os
import shutil
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from switchyard.language.messages import message
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.processes import keep
from switchyard.tools.use_browser.proxy import CheckedProxy
from switchyard.tools.use_browser.run import Run, broken, playwright, said

T = TypeVar("T")

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What Chromium is called on the path."""
IDLE_SECONDS = 300.0
"""A run's pages are closed when it has not used them for so long."""
MAX_RUNS = 8

_CLOSE_SECONDS = 15.0
_LOCALES = {"en": "en-US", "zh": "zh-CN"}
_NOWHERE = "http://only-through-the-proxy-of-a-run.invalid"
_FLAGS = [
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # what older ones call it
]
"""Nothing goes around the proxy."""


class SharedBrowser:
    """Starts, shares and ends the browser."""

    def __init__(self, programs: tuple[str, ...] = PROGRAMS, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._programs = programs
        self._idle_seconds = idle_seconds
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        # what follows belongs to the browser's loop
        self._playwright: playwright.Playwright | None = None
        self._browser: playwright.Browser | None = None
        self._runs: dict[str, Run] = {}
        self._changing = asyncio.Lock()
        self._ending: set[asyncio.Future[None]] = set()

    async def run(self, context: ToolContext, work: Callable[[Run], Awaitable[T]]) -> T:
        """Let `work` use the pages of the run; cancelling the call cancels it."""
        serving = asyncio.run_coroutine_threadsafe(self._serve(context, work), self._running_loop())
        return await asyncio.wrap_future(serving)

    def close(self) -> None:
        """End the browser and its thread; the next call starts anew."""
        with self._starting:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        with contextlib.suppress(TimeoutError):  # the driver ends with its pipe, and the browser with the driver
            asyncio.run_coroutine_threadsafe(self._end(), loop).result(_CLOSE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop, self._changing = asyncio.new_event_loop(), asyncio.Lock()
                self._thread = threading.Thread(target=self._loop.run_forever, name="browser", daemon=True)
                self._thread.start()
                keep(self.close)
            return self._loop

    async def _serve(self, context: ToolContext, work: Callable[[Run], Awaitable[T]]) -> T:
        # whoever is cancelled, a start under way is finished: half of one could not be ended
        run = await asyncio.shield(asyncio.ensure_future(self._run_of(context)))
        run.busy += 1
        run.wake()
        try:
            return await work(run)
        except playwright.Error as error:
            raise broken(error) from error
        finally:
            run.busy -= 1
            self._expire_later(run)

    async def _run_of(self, context: ToolContext) -> Run:
        """The pages of that run; those used longest ago make room."""
        key = context.run_id or context.thread_id
        async with self._changing:
            if self._browser is None or not self._browser.is_connected():
                await self._stop()
                self._browser = await self._start()
            run = self._runs.pop(key, None) or await _new_run(self._browser, context)
            self._runs[key] = run
            self._expire_later(run)
            unused = [name for name, other in self._runs.items() if other is not run and not other.busy]
            for name in unused[: max(len(self._runs) - MAX_RUNS, 0)]:
                await self._runs.pop(name).close()
            return run

    def _expire_later(self, run: Run) -> None:
        """Close the run when it is not used for a while, and with the last one the browser."""

        async def end() -> None:
            async with self._changing:
                if not run.busy:
                    self._runs = {key: other for key, other in self._runs.items() if other is not run}
                    await run.close()
                if not self._runs:
                    await self._stop()

        def start() -> None:
            task = asyncio.ensure_future(end())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)

        run.wake()
        if not run.busy:
            run.timer = asyncio.get_running_loop().call_later(self._idle_seconds, start)

    async def _start(self) -> "playwright.Browser":
        program = await asyncio.to_thread(_prepare, self._programs)
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
        async with self._changing:
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


def _prepare(programs: tuple[str, ...]) -> str:
    """Import Playwright, which reads many files, and find the browser."""
    importlib.import_module("playwright.async_api")
    return find_program(programs)


def find_program(programs: tuple[str, ...]) -> str:
    """The first of these programs on the path."""
    found = next((path for program in programs if (path := shutil.which(program))), None)
    if found is None:
        needed = message("browser_needs_chromium", programs=list(programs))
        raise ToolFailed(needed, kind="unavailable", lasting=True)
    return found


shared = SharedBrowser()
"""The browser of this process."""
