"""The browser as a process: shared, started again, ended with nothing left; and the tool's description."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from switchyard.tools.core import ToolFailed, ToolSpec
from switchyard.tools.use_browser.chromium import SharedBrowser
from switchyard.tools.use_browser.tool import ClickParams, ExtractParams, PageParams, TypeParams, UseBrowser
from tests.tools.browser.conftest import Hand, failure, until


def drivers() -> set[psutil.Process]:
    """The living processes that this one has started itself; each drives a browser."""
    return {process for process in psutil.Process().children() if _alive(process)}


def started_since(older: set[psutil.Process]) -> set[psutil.Process]:
    """The new drivers with all that belongs to them; other browsers start processes at any time too."""
    new = drivers() - older
    return new.union(*map(_belonging, new))


def _belonging(driver: psutil.Process) -> list[psutil.Process]:
    try:
        return driver.children(recursive=True)
    except psutil.NoSuchProcess:  # it ended a moment ago
        return []


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_cancelling_closes_the_page_and_leaves_the_browser_usable(hand: Hand):
    before = len(hand.site.requests)
    task = asyncio.create_task(hand.navigate("/never"))
    await until(lambda: "/never" in hand.site.requests[before:])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await hand.navigate("/en"))["title"] == "Harbour"


async def test_a_browser_that_died_is_started_again(hand: Hand):
    shared = SharedBrowser()
    hand.tool = UseBrowser(shared)
    older = drivers()
    await hand.navigate("/en")
    lines = {process: process.cmdline() for process in started_since(older)}
    [main] = [one for one, line in lines.items() if "--headless" in line and "--type" not in " ".join(line)]
    main.kill()
    result = None
    for _ in range(2):  # the call under way when it is noticed may fail
        try:
            result = await hand.navigate("/zh")
        except ToolFailed as error:
            assert error.kind == "unavailable"  # noqa: PT017
    assert result is not None
    await asyncio.to_thread(shared.close)


async def test_closing_leaves_no_process(hand: Hand):
    shared = SharedBrowser()
    hand.tool = UseBrowser(shared)
    older = drivers()
    await hand.navigate("/en")
    started = started_since(older)
    assert started
    await asyncio.to_thread(shared.close)
    await until(lambda: not any(map(_alive, started)))
    assert (await hand.navigate("/en"))["title"] == "Harbour"
    await asyncio.to_thread(shared.close)


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"], ids=["exit", "kill"])
async def test_the_end_of_the_program_leaves_no_process(hand: Hand, end: str):
    program = (
        "import asyncio, os, psutil\n"
        "from pathlib import Path\n"
        "from switchyard.tools.core import ToolContext\n"
        "from switchyard.tools.core.network import NetworkPolicy\n"
        "from switchyard.tools.use_browser.tool import PageParams, UseBrowser\n"
        f"context = ToolContext(workspace=Path('.'), network=NetworkPolicy(allow_private=({hand.site.host!r},)))\n"
        f"page = PageParams(url={hand.site.url('/en')!r})\n"
        "asyncio.run(UseBrowser().navigate(page, context))\n"
        "print(*(process.pid for process in psutil.Process().children(recursive=True)), flush=True)\n"
        f"{end}\n"
    )
    done = await asyncio.to_thread(_run_program, program)
    assert (done.stderr, done.returncode) == ("", -signal.SIGKILL if end else 0)
    started = [int(pid) for pid in done.stdout.split()]
    assert len(started) > 2
    await until(lambda: not any(psutil.pid_exists(pid) and _alive(psutil.Process(pid)) for pid in started))


def _run_program(program: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[3]
    return subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=300, check=False
    )


async def test_without_chromium_the_sentence_says_what_to_install(hand: Hand):
    hand.tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    error = await failure(hand.navigate("/en"))
    assert error.kind == "unavailable"
    assert "apt install chromium" in str(error)


def test_playwright_is_not_imported_at_the_start():
    assert (
        _run_program("import sys, switchyard.tools.use_browser.tool; sys.exit('playwright' in sys.modules)").returncode
        == 0
    )


def test_reading_is_free_and_changing_asks():
    spec: ToolSpec = UseBrowser.__dict__["__tool_spec__"]
    asks = {capability.name: spec.for_action(capability.name).asks_first for capability in spec.capabilities}
    assert asks == {"navigate": False, "click": True, "type": True, "extract": False}


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (PageParams, {"url": "http://a", "timeout": 61}),
        (ClickParams, {"url": "http://a", "selector": ""}),
        (ExtractParams, {"url": "http://a", "limit": 0}),
        (TypeParams, {"url": "http://a", "selector": "#a"}),
    ],
)
def test_arguments_are_checked(model: type[PageParams], arguments: dict[str, Any]):
    with pytest.raises(ValidationError):
        model(**arguments)
