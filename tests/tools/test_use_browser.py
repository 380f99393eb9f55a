"""The browser: a real Chromium, and real pages on loopback."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from tests.support.pages import Site, running_site
from tools._browser import PROGRAMS, SharedBrowser, find_program
from tools._browser_page import MAX_TEXT
from tools._browser_proxy import CheckedProxy
from tools._browser_run import MAX_POPUPS, MAX_TABS
from tools.core import RetryTool, ToolContext, ToolFailed, ToolResult, ToolSpec
from tools.core.errors import ToolError
from tools.core.network import NetworkPolicy
from tools.use_browser import ClickParams, ExtractParams, PageParams, ScreenshotParams, TypeParams, UseBrowser


@pytest.fixture(scope="module")
def browser() -> Iterator[SharedBrowser]:
    """One browser for all tests: it does not belong to the loop of any."""
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

    async def screenshot(self, path: str, file: str, **more: Any) -> dict[str, Any]:
        params = ScreenshotParams(url=self._url(path), path=file, **more)
        return (await self.tool.screenshot(params, self.context)).result

    def _url(self, path: str) -> str:
        return self.site.url(path) if path.startswith("/") else path


@pytest.fixture
def hand(browser: SharedBrowser, site: Site, workspace: Path, request: pytest.FixtureRequest) -> Hand:
    return Hand(browser, site, workspace, request.node.nodeid)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits a moment only for what will not come."""
    monkeypatch.setattr("tools._browser_elements.APPEAR_MS", 500)
    monkeypatch.setattr("tools._browser_page.USE_MS", 500)


async def failure(doing: Awaitable[Any]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await doing
    return caught.value


def drivers() -> set[psutil.Process]:
    """The living processes that this one has started itself; each drives a browser."""
    return {process for process in psutil.Process().children() if _alive(process)}


def started_since(older: set[psutil.Process]) -> set[psutil.Process]:
    """The new drivers with all that belongs to them; other browsers start processes at any time too."""
    new = drivers() - older
    return new.union(*(driver.children(recursive=True) for driver in new))


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  nothing tells when a process ends
            await asyncio.sleep(0)


async def test_a_page_is_read(hand: Hand):
    assert await hand.navigate("/en") == {
        "status": 200,
        "url": hand.site.url("/en"),
        "title": "Harbour",
        "text": "Harbour news\nFirst ship\nSecond ship\nNext page",
        "elements": [{"selector": "#next", "kind": "a", "text": "Next page"}],
        "loaded": True,
        "dialogs": [],
        "popups": [],
        "downloads": [],
    }


async def test_a_chinese_page_is_read(hand: Hand):
    result = await hand.navigate("/zh")
    assert (result["title"], result["text"]) == ("港口", "港口消息\n第一艘船\n第二艘船\n返回首页")
    assert result["elements"] == [{"selector": "#返回", "kind": "a", "text": "返回首页"}]


async def test_the_page_is_the_source(hand: Hand):
    result: ToolResult = await hand.tool.navigate(PageParams(url=hand.site.url("/en")), hand.context)
    assert result.meta.sources == [hand.site.url("/en")]


async def test_elements_are_extracted_with_their_text_or_an_attribute(hand: Hand):
    result = await hand.extract("/en", ".item")
    assert (result["items"], result["count"]) == (["First ship", "Second ship"], 2)
    assert (await hand.extract("/zh", ".条目", limit=1))["items"] == ["第一艘船"]
    assert (await hand.extract("/en", "a", attribute="href"))["items"] == [hand.site.url("/zh")]
    assert (await hand.extract("/en", "a", attribute="missing"))["items"] == [None]


async def test_an_element_that_comes_late_is_waited_for(hand: Hand):
    assert (await hand.extract("/late", "#late"))["items"] == ["arrived 到了"]


async def test_a_click_leads_on(hand: Hand):
    result = await hand.click("/en", "#next")
    assert (result["url"], result["title"]) == (hand.site.url("/zh"), "港口")


async def test_a_form_is_filled_in_and_sent(hand: Hand):
    await hand.type("/form", "#search-box", "天气 weather")
    await hand.type("/form", "#lang", "中文")
    assert (await hand.click("/form", "#submit-button"))["text"] == "天气 weather / zh"


async def test_typing_can_submit(hand: Hand):
    result = await hand.type("/form", "input[name=q]", "再次", submit=True)
    assert result["text"] == "再次 / en"


async def test_a_long_text_is_posted(hand: Hand):
    await hand.type("/post", "textarea", "长" * 9_000)
    assert (await hand.click("/post", "#send"))["text"] == "9000"


async def test_an_unknown_option_names_the_others(hand: Hand):
    error = await failure(hand.type("/form", "#lang", "法语"))
    assert isinstance(error, RetryTool)
    assert "English, 中文" in error.hint


async def test_an_open_page_is_used_as_it_stands_and_an_unknown_one_is_opened(hand: Hand):
    site = hand.site
    await hand.type("/form", "#search-box", "kept")
    before = len(site.requests)
    assert (await hand.click("/form", "#submit-button"))["text"] == "kept / en"
    assert site.requests[before:] == ["/result?q=kept&lang=en"]
    assert (await hand.extract("/form", "#search-box", attribute="value"))["items"] == [None]
    assert site.requests[before + 1 :] == ["/form"]


async def test_a_page_is_known_by_the_url_that_led_to_it(hand: Hand):
    await hand.navigate("/redirect?to=/zh")
    before = len(hand.site.requests)
    assert (await hand.extract("/redirect?to=/zh", "h1"))["items"] == ["港口消息"]
    assert (await hand.extract("/zh", "h1"))["items"] == ["港口消息"]
    assert len(hand.site.requests) == before


async def test_navigating_loads_anew(hand: Hand):
    await hand.navigate("/en")
    before = len(hand.site.requests)
    await hand.navigate("/en")
    assert hand.site.requests[before:] == ["/en"]


async def test_runs_do_not_share_pages_or_cookies(hand: Hand, browser: SharedBrowser, workspace: Path):
    other = Hand(browser, hand.site, workspace, "another run")
    await hand.navigate("/set-cookie")
    assert (await hand.navigate("/cookie"))["text"] == "seen=yes"
    assert (await other.navigate("/cookie"))["text"] == "none"


async def test_calls_of_one_run_at_once(hand: Hand):
    results = await asyncio.gather(*(hand.extract(f"/result?q={n}&lang=zh", "#found") for n in range(MAX_TABS + 2)))
    assert [result["items"] for result in results] == [[f"{n} / zh"] for n in range(MAX_TABS + 2)]


@pytest.mark.parametrize(
    ("path", "selector", "near"),
    [
        ("/en", ".itm", ".item"),
        ("/form", "#submit", "#submit-button (Search)"),
        ("/form", "input.search", "#search-box"),
        ("/zh", ".条木", ".条目"),
        ("/zh", 'a:has-text("返回页")', "#返回 (返回首页)"),
        ("/en", "a[[", "#next (Next page)"),
        ("/shared", "span.price", ".price"),
    ],
)
@pytest.mark.usefixtures("impatient")
async def test_a_wrong_selector_gets_the_nearest_of_the_page(hand: Hand, path: str, selector: str, near: str):
    error = await failure(hand.extract(path, selector))
    assert isinstance(error, RetryTool)
    assert near in error.hint
    assert f"'{selector}'" in str(error)


@pytest.mark.usefixtures("impatient")
async def test_an_empty_page_has_nothing_near(hand: Hand):
    assert "Nothing else on the page" in str(await failure(hand.click("/empty", "#x")))


async def test_several_elements_are_not_guessed_among(hand: Hand):
    error = await failure(hand.click("/many", ".go"))
    assert "2 elements fit '.go'. Choose one: #first (First); #second (第二个)." in str(error)


@pytest.mark.parametrize(
    ("path", "selector", "why"),
    [("/covered", "#under", 'covered by <div class="overlay">'), ("/disabled", "#off", "it is not enabled")],
)
@pytest.mark.usefixtures("impatient")
async def test_an_element_that_cannot_be_clicked_says_why(hand: Hand, path: str, selector: str, why: str):
    error = await failure(hand.click(path, selector))
    assert isinstance(error, RetryTool)
    assert why in str(error)


async def test_text_goes_into_fields_only_and_is_not_repeated(hand: Hand):
    error = await failure(hand.type("/form", "#submit-button", "secret-text"))
    assert isinstance(error, RetryTool)
    assert "secret-text" not in str(error)


async def test_dialogs_are_answered_and_reported(hand: Hand):
    asked = await hand.click("/dialog", "#ask")
    assert asked["dialogs"] == ["confirm: Delete it? 删除吗？"]
    assert "false" in asked["text"]
    told = await hand.click("/dialog", "#tell")
    assert (told["dialogs"], "told" in told["text"]) == (["alert: done"], True)


async def test_a_page_that_does_not_want_to_be_left(hand: Hand):
    await hand.click("/leave", "#stay")
    assert (await hand.navigate("/leave"))["title"] == "Leave"


@pytest.mark.parametrize("path", ["/popup", "/blank"])
async def test_a_new_window_can_be_used_by_its_url(hand: Hand, path: str):
    assert (await hand.click(path, "#open"))["popups"] == [hand.site.url("/zh")]
    before = len(hand.site.requests)
    assert (await hand.extract("/zh", "h1"))["items"] == ["港口消息"]
    assert len(hand.site.requests) == before


async def test_a_flood_of_windows_is_held_back(hand: Hand):
    await hand.type("/form", "#search-box", "kept")
    assert len((await hand.click("/flood", "#open"))["popups"]) == MAX_POPUPS
    assert (await hand.click("/form", "#submit-button"))["text"] == "kept / en"


async def test_a_download_is_refused(hand: Hand):
    error = await failure(hand.navigate("/download"))
    assert "file to download" in str(error)
    assert (await hand.click("/save", "#save"))["downloads"] == ["report.csv"]


@pytest.mark.parametrize(("path", "text"), [("/half", "一半 half"), ("/waiting-image", "Text before")])
async def test_a_page_that_never_finishes_is_read_as_far_as_it_came(hand: Hand, path: str, text: str):
    result = await hand.navigate(path)
    assert (result["text"], result["loaded"]) == (text, False)


@pytest.mark.parametrize("path", ["/never", "/busy", "/alerts"])
async def test_a_page_that_does_not_answer_is_given_up(hand: Hand, path: str):
    await hand.navigate("/en")
    error = await failure(hand.navigate(path, timeout=3))
    assert error.kind == "timeout"
    assert "within 3 s" in str(error)
    assert (await hand.navigate("/zh"))["title"] == "港口"


@pytest.mark.parametrize("path", ["/link?to=/never", "/window?to=/never"])
async def test_a_click_that_leads_nowhere_is_made_once(hand: Hand, path: str):
    before = len(hand.site.requests)
    try:
        assert (await hand.click(path, "#go", timeout=6))["title"] == "Window"
    except ToolFailed as error:
        assert error.kind == "timeout"  # noqa: PT017
    assert hand.site.requests[before:] == [path, "/never"]


async def test_a_long_text_is_cut(hand: Hand):
    assert MAX_TEXT - 10 < len((await hand.navigate("/long"))["text"]) <= MAX_TEXT


async def test_an_error_of_the_server_is_an_error(hand: Hand):
    error = await failure(hand.navigate("/missing"))
    assert error.kind == "not_found"
    assert "404 (Not here)" in str(error)


@pytest.mark.parametrize("path", ["/redirect?to={}", "/refresh?to={}"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_redirect_to_a_private_address_is_refused(hand: Hand, private: Site, path: str, scheme: str):
    error = await failure(hand.navigate(path.format(f"{scheme}://{private.host}/en")))
    assert error.kind == "permission"
    assert re.search(rf"redirected to {scheme}://{private.host}/en, which is a private address\.", str(error))
    assert private.requests == []


async def test_a_private_address_is_refused_before_the_browser_starts(hand: Hand, private: Site):
    hand.tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    for address in (private.url("/en"), "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.1.2.3"):
        assert (await failure(hand.navigate(address))).kind == "permission"
    assert private.requests == []


async def test_a_click_to_a_private_address_is_refused(hand: Hand, private: Site):
    error = await failure(hand.click(f"/link?to={private.url('/en')}", "#go"))
    assert error.kind == "permission"
    assert (await hand.click(f"/window?to={private.url('/en')}", "#go"))["popups"] == []
    assert private.requests == []


@pytest.mark.parametrize("path", ["/reach?to=http://{}/en", "/socket?to=ws://{}/"])
async def test_scripts_frames_and_sockets_reach_no_private_address(hand: Hand, private: Site, path: str):
    await hand.navigate(path.format(private.host))
    assert (await hand.extract(path.format(private.host), "#out"))["items"] == ["refused"]
    assert private.requests == []


def own_address() -> str:
    """The address other machines know this one by; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network but loopback")
        return probe.getsockname()[0]


@pytest.mark.parametrize(("path", "end"), [("/call", "gathered"), ("/transport", "refused")])
async def test_calls_and_transports_do_not_go_around_the_check(hand: Hand, path: str, end: str):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind((own_address(), 0))
        listening.settimeout(0)
        url = f"{path}?to={':'.join(map(str, listening.getsockname()))}"
        await hand.navigate(url)
        assert (await hand.extract(url, "#out"))["items"] == [end]
        with pytest.raises(BlockingIOError):
            listening.recv(1)


async def test_scripts_reach_what_is_allowed(hand: Hand):
    assert (await hand.extract(f"/reach?to={hand.site.url('/en')}", "#out"))["items"] == ["reached"]


async def test_tunnels_lead_to_allowed_hosts_only(site: Site, private: Site):
    proxy = CheckedProxy(NetworkPolicy(allow_private=(site.host,)))
    port = int((await proxy.start()).rpartition(":")[2])
    answers: list[bytes] = []
    for host in (site.host, private.host):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"CONNECT {host} HTTP/1.1\r\n\r\nGET /en HTTP/1.0\r\n\r\n".encode())
        answers.append(await reader.read())
        writer.close()
    await proxy.close()
    assert answers[0].startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200")
    assert answers[1] == b""
    assert private.requests == []


@pytest.mark.parametrize("request_", [b"", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT :x HTTP/1.1\r\n\r\n"])
async def test_the_proxy_hangs_up_on_what_is_no_request(request_: bytes):
    proxy = CheckedProxy(NetworkPolicy())
    reader, writer = await asyncio.open_connection("127.0.0.1", int((await proxy.start()).rpartition(":")[2]))
    writer.write(request_)
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    await proxy.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("file:///etc/passwd", "'file' addresses"),
        ("javascript:alert(1)", "'javascript' addresses"),
        ("example.com", "without http"),
        ("http://", "names no host"),
        ("你好", "without http"),
    ],
)
async def test_only_web_addresses_are_opened(workspace: Path, url: str, message: str):
    tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    with pytest.raises(RetryTool, match=message):
        await tool.navigate(PageParams(url=url), ToolContext(workspace=workspace))


async def test_a_host_nobody_knows(workspace: Path):
    with pytest.raises(ToolFailed, match="cannot be found") as caught:
        await UseBrowser().navigate(PageParams(url="http://no-such-host.invalid/"), ToolContext(workspace=workspace))
    assert caught.value.kind in {"not_found", "unavailable"}


async def test_a_screenshot_is_a_png_in_the_workspace(hand: Hand, workspace: Path):
    result = await hand.screenshot("/zh", "图/港口.png")
    assert (result["path"], result["width"], result["height"]) == ("图/港口.png", 1280, 720)
    assert (workspace / "图" / "港口.png").read_bytes().startswith(b"\x89PNG\r\n")
    one = await hand.screenshot("/zh", "h1.png", selector="h1")
    assert one["height"] < 100
    whole = await hand.screenshot("/tall", "tall.png", full_page=True)
    assert whole["height"] > 2000
    assert await asyncio.to_thread(lambda: len(list(workspace.rglob("*.*")))) == 3


@pytest.mark.parametrize(("path", "message"), [("../x.png", "outside the workspace"), ("x.jpg", "ends in .png")])
async def test_where_a_screenshot_may_go(hand: Hand, path: str, message: str):
    assert message in str(await failure(hand.screenshot("/en", path)))


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


async def test_an_idle_browser_ends_by_itself(hand: Hand):
    shared = SharedBrowser(idle_seconds=0.1)
    hand.tool = UseBrowser(shared)
    older = drivers()
    await hand.navigate("/en")
    await until(lambda: not started_since(older))
    assert (await hand.navigate("/zh"))["title"] == "港口"
    await asyncio.to_thread(shared.close)


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)"], ids=["exit", "kill"])
async def test_the_end_of_the_program_leaves_no_process(hand: Hand, end: str):
    program = (
        "import asyncio, os, psutil\n"
        "from pathlib import Path\n"
        "from tools.core import ToolContext\n"
        "from tools.core.network import NetworkPolicy\n"
        "from tools.use_browser import PageParams, UseBrowser\n"
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
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60, check=False
    )


async def test_without_chromium_the_sentence_says_what_to_install(hand: Hand):
    hand.tool = UseBrowser(SharedBrowser(("no-such-browser",)))
    error = await failure(hand.navigate("/en"))
    assert error.kind == "unavailable"
    assert "apt install chromium" in str(error)


async def test_without_playwright_the_sentence_says_what_to_install(hand: Hand, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    hand.tool = UseBrowser(SharedBrowser())
    assert "switchyard[browser]" in str(await failure(hand.navigate("/en")))


def test_playwright_is_not_imported_at_the_start():
    assert _run_program("import sys, tools.use_browser; sys.exit('playwright' in sys.modules)").returncode == 0


def test_reading_is_free_and_changing_asks():
    spec: ToolSpec = UseBrowser.__dict__["__tool_spec__"]
    asks = {capability.name: spec.for_action(capability.name).asks_first for capability in spec.capabilities}
    assert asks == {"navigate": False, "click": True, "type": True, "extract": False, "screenshot": True}


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
