"""A real browser: open pages, click, type, read.

A page is waited for until it is quiet; what is not found on it is told with what is there instead.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints
from rapidfuzz import fuzz, utils

from switchyard.language.messages import message, quoted
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, action, tool
from switchyard.tools.use_browser.chromium import Run, SharedBrowser, Tab, playwright, said, shared
from switchyard.tools.web.reply import kind_of_status
from switchyard.tools.web.request import allowed_addresses, checked_url, port_of, redirected, shown_url

MAX_TEXT = 20_000
"""Characters of a page's text that are returned."""
MAX_ITEM = 5_000
"""Characters of one extracted element."""
MAX_ELEMENTS = 60
"""Elements that are listed."""
USE_MS = 5_000
"""How long an element may take to be ready for use."""
APPEAR_MS = 3_000
"""How long an element that is not there is waited for."""

Work = Callable[[Run, Tab], Awaitable[dict[str, Any]]]
"""Something done on a page, and what came of it."""

Element = dict[str, str]
"""Selector, kind and text."""

_FILE = Path(__file__).with_name("page.js")
SCRIPTS = dict(re.findall(r"(?ms)^// (\w+):.*?\n(.+?)\n(?=\n|\Z)", _FILE.read_text("utf-8")))
"""What is asked of a page, by name."""
_LOAD_MS = 3_000
_LEAVE_MS = 10_000
"""How long a page may take to leave that says it leaves at once."""
_MOST_LEAVES = 5
"""How often a page may lead to another one before it is taken as it stands."""
_HTTP_ERROR = 400
_COMPARED = 1500
_NEAREST = 5
_REASON = re.compile(r"element is not \w+|<.{1,200}? intercepts pointer events")
_USABLE = "a[href], button, input, select, textarea, summary, [role=button], [role=link], [contenteditable]"
_NAMED = f"{_USABLE}, [id], [class], [name], [data-testid], h1, h2, h3, table, form, main, article"

Url = Annotated[str, Field(description="The page, as a full URL. It is opened if it is not open in this run.")]
Selector = Annotated[
    str, StringConstraints(min_length=1, max_length=1000), Field(description="A CSS selector, like #login or a.next.")
]


class PageParams(BaseToolParams):
    """Which page."""

    url: Url
    timeout: float = Field(default=30, gt=0, le=60, description="Seconds the whole action may take.")


class ClickParams(PageParams):
    """What to click."""

    selector: Selector


class TypeParams(PageParams):
    """What to write, and where."""

    selector: Selector
    text: Annotated[str, StringConstraints(strip_whitespace=False, max_length=50_000)] = Field(
        description="The text for the field, or the option of a list."
    )
    submit: bool = Field(default=False, description="Press Enter afterwards.")


class ExtractParams(PageParams):
    """What to read."""

    selector: Selector = "body"
    attribute: str | None = Field(default=None, description="An attribute, like href; the text when left out.")
    limit: int = Field(default=50, ge=1, le=1000, description="How many elements to return at most.")


_VIEW = (
    "url and title of the page after it, text (what a reader sees), elements (selector, kind and text of what can be "
    "used), loaded, dialogs, popups (URLs of new pages), downloads (refused; their names)"
)


@tool(category="web", capability_tags=("browse", "extract", "浏览", "提取"), timeout=75.0)
class UseBrowser:
    """Use web pages in a real browser, with scripts: open, click, type, read by CSS selector.

    Each call names its page by URL; a page that is open in this run is used as it stands, with what was typed into it.
    """

    needs: ClassVar = {"playwright": "switchyard[browser]"}

    def __init__(self, browser: SharedBrowser = shared) -> None:
        self._browser = browser

    @action(returns=f"status; {_VIEW}", refreshes=True)
    async def navigate(self, params: PageParams, context: ToolContext) -> ToolResult:
        """Load a page, anew if it is open, and return its text and what can be used on it."""

        async def work(run: Run, tab: Tab) -> dict[str, Any]:
            return {"status": await go(run, tab, str(checked_url(params.url))), **await view(tab)}

        return await self._on_page(params, context, work, load=False)

    @action(returns=_VIEW, writes=True, sends=True)
    async def click(self, params: ClickParams, context: ToolContext) -> ToolResult:
        """Click one element of a page; return the page as it is afterwards."""
        return await self._change(params, context, lambda tab: click(tab, params.selector))

    @action(name="type", returns=_VIEW, writes=True, sends=True)
    async def type_text(self, params: TypeParams, context: ToolContext) -> ToolResult:
        """Put a text into a field of a page in place of what it holds, or choose from a list; submit it if asked."""
        selector, text, submit = params.selector, params.text, params.submit
        return await self._change(params, context, lambda tab: enter(tab, selector, text, submit=submit))

    @action(returns="url, title, selector, items (the text or the attribute of each element), count (of all that fit)")
    async def extract(self, params: ExtractParams, context: ToolContext) -> ToolResult:
        """Read the text, or an attribute, of the elements that a CSS selector means."""

        async def work(_run: Run, tab: Tab) -> dict[str, Any]:
            elements = await found(tab.page, params.selector)
            items = await elements.evaluate_all(SCRIPTS["extract"], [params.attribute, params.limit, MAX_ITEM])
            found_there = {"selector": params.selector, "items": items, "count": await elements.count()}
            return {"url": tab.page.url, "title": await tab.page.title(), **found_there}

        return await self._on_page(params, context, work)

    async def _change(
        self, params: PageParams, context: ToolContext, doing: Callable[[Tab], Awaitable[None]]
    ) -> ToolResult:
        """Do something to a page, wait until it is quiet, and return the page as it is then."""

        async def work(run: Run, tab: Tab) -> dict[str, Any]:
            await doing(tab)
            await settle(run, tab)
            return await view(tab)

        return await self._on_page(params, context, work)

    async def _on_page(self, params: PageParams, context: ToolContext, work: Work, *, load: bool = True) -> ToolResult:
        """Do the work on the page of that URL; with `load` it is opened first where it is not open."""
        url = checked_url(params.url)
        name = shown_url(url)
        await allowed_addresses(context.network, url.raw_host.decode("ascii"), port_of(url))
        try:
            async with asyncio.timeout(params.timeout):
                result = await self._browser.run(context, lambda run: use(run, str(url), work, load=load))
        except TimeoutError as error:
            raise ToolFailed(message("action_too_slow", url=name, seconds=params.timeout), kind="timeout") from error
        return ToolResult.of(result, name)


async def use(run: Run, url: str, work: Work, *, load: bool) -> dict[str, Any]:
    """Do the work on the page of that URL; with `load` it is opened first where it is not open."""
    tab = await run.tab(url)
    async with tab.lock:
        tab.begin()
        try:
            if load and not tab.is_at(url):
                await go(run, tab, url)
            return await work(run, tab)
        except BaseException as error:
            if not tab.landed or isinstance(error, asyncio.CancelledError):
                run.abandon(tab)  # nothing is there, or nobody knows what
            raise


async def go(run: Run, tab: Tab, url: str) -> int | None:
    """Load a page and wait until it is quiet; returns its status, where the server was asked."""
    try:
        response = await tab.page.goto(url, wait_until="commit")
    except playwright.Error as error:
        raise _not_reached(run, tab, url, error) from error
    tab.asked = url
    try:
        await settle(run, tab)
    except ToolFailed as error:
        raise _led_away(tab, url, error) from error
    tab.landed = tab.page.url
    if response is not None and response.status >= _HTTP_ERROR:
        title = (await tab.page.title())[:100]
        told = message("page_answers_status", url=shown_url(url), status=response.status, title=title)
        raise ToolFailed(told, kind=kind_of_status(response.status))
    return response.status if response else None


async def settle(run: Run, tab: Tab) -> None:
    """Wait until the page has loaded and its scripts have stopped changing it, but not for long."""
    for _ in range(_MOST_LEAVES):
        with suppress(playwright.TimeoutError):
            await tab.page.wait_for_load_state("load", timeout=_LOAD_MS)
        try:
            await tab.page.evaluate(SCRIPTS["quiet"])
            if await tab.page.evaluate(SCRIPTS["stays"]):
                break
            await tab.page.wait_for_function(SCRIPTS["stays"], timeout=_LEAVE_MS)
        except playwright.TimeoutError:
            break  # it says that it leaves, and does not
        except playwright.Error:
            if tab.page.is_closed():
                raise
            # it has just left for another page: wait for that one
    # a way that was refused is told at once: the page that says so may not stand there yet
    refused = run.proxy.failure(tab.failed_url) if tab.failed_url else None
    if refused is not None or tab.page.url.startswith("chrome-error:"):
        url = tab.failed_url or tab.asked
        raise (
            refused
            or run.proxy.failure(url)
            or ToolFailed(message("unreachable", url=shown_url(url)), kind="unavailable")
        )


async def view(tab: Tab) -> dict[str, Any]:
    """The page as it is now, and what happened on the way."""
    page = tab.page
    return {
        "url": page.url,
        "title": await page.title(),
        "text": str(await page.evaluate(SCRIPTS["text"], MAX_TEXT)).strip(),
        "elements": await page.locator(_USABLE).evaluate_all(SCRIPTS["describe"], MAX_ELEMENTS),
        "loaded": await page.evaluate("document.readyState") == "complete",
        **tab.happened,
    }


async def click(tab: Tab, selector: str) -> None:
    """Click the one element that the selector means."""
    element = await the_one(tab.page, selector)
    await _patiently(tab, selector, element.click(trial=True, timeout=USE_MS))
    await element.click()  # which waits for where it leads to; nobody must think that it was not done


async def enter(tab: Tab, selector: str, text: str, *, submit: bool) -> None:
    """Fill in the one field that the selector means, or choose from it if it is a list."""
    element = await the_one(tab.page, selector)
    if await element.evaluate("element => element.localName") == "select":
        await _choose(element, text)
    else:
        await _patiently(tab, selector, element.fill(text, timeout=USE_MS))
    if submit:
        await element.press("Enter")


async def _patiently(tab: Tab, selector: str, doing: Awaitable[None]) -> None:
    """Do something with an element, or say why it cannot be done."""
    try:
        await doing
    except playwright.Error as error:
        if tab.page.is_closed():
            raise
        reason = _REASON.search(error.message)  # the rest of the log repeats what was typed
        why = quoted(reason[0]) if reason else said(error)
        unusable = message("element_unusable", selector=selector, why=why)
        raise RetryTool(unusable, hint=await _nearest(tab.page, selector)) from error


async def _choose(element: "playwright.Locator", text: str) -> None:
    try:
        await element.select_option(text, timeout=USE_MS / 5)
    except playwright.TimeoutError as error:
        options = [option.strip() for option in await element.locator("option").all_inner_texts()]
        there = message("options_there", options=", ".join(options)[:1000])
        raise RetryTool(message("no_such_option"), hint=there) from error


def _not_reached(run: Run, tab: Tab, url: str, error: "playwright.Error") -> ToolFailed:
    if "Download is starting" in error.message:
        return ToolFailed(message("page_is_download", url=shown_url(url)), kind="bad_arguments")
    known = run.proxy.failure(tab.failed_url or url)
    if known is not None:
        return _led_away(tab, url, known)
    return ToolFailed(message("page_does_not_open", url=shown_url(url), problem=said(error)), kind="unavailable")


def _led_away(tab: Tab, url: str, error: ToolFailed) -> ToolFailed:
    """The failure of a page, which says so where it is of another host that the page led to."""
    there = tab.failed_url
    return redirected(url, there, error) if there and urlsplit(there).netloc != urlsplit(url).netloc else error


async def found(page: "playwright.Page", selector: str) -> "playwright.Locator":
    """The elements a selector means, at least one."""
    elements = page.locator(selector)
    try:
        await elements.first.wait_for(state="attached", timeout=APPEAR_MS)
    except playwright.Error as error:
        if page.is_closed():
            raise
        is_missing = isinstance(error, playwright.TimeoutError)
        wrong = message("nothing_on_page_fits" if is_missing else "is_no_css_selector", selector=selector)
        raise RetryTool(wrong, hint=await _nearest(page, selector)) from error
    return elements


async def the_one(page: "playwright.Page", selector: str) -> "playwright.Locator":
    """The one element a selector means."""
    elements = await found(page, selector)
    visible = elements.filter(visible=True)
    count = await visible.count()
    if count > 1:
        first = await visible.evaluate_all(SCRIPTS["describe"], _NEAREST)
        hint = message("choose_element", elements=_listed(first))
        raise RetryTool(message("several_elements_fit", count=count, selector=selector), hint=hint)
    return visible if count else elements.first


async def _nearest(page: "playwright.Page", selector: str) -> str:
    """A sentence with the selectors of the page that look most like the one that failed."""
    elements = page.locator(_NAMED)
    known: list[Element] = await elements.evaluate_all(SCRIPTS["describe"], _COMPARED)
    known += await elements.evaluate_all(SCRIPTS["classes"])

    def likeness(element: Element) -> float:
        about = f"{element['selector']} {element['text']}"
        by_words = fuzz.token_set_ratio(selector, about, processor=utils.default_process)
        return fuzz.ratio(selector, element["selector"]) + by_words

    others = [element for element in known if element["selector"] != selector]
    best = sorted(others, key=likeness, reverse=True)[:_NEAREST]
    return message("nearest_elements", elements=_listed(best)) if best else message("no_other_element")


def _listed(elements: list[Element]) -> str:
    return "; ".join(f"{one['selector']} ({one['text'][:40]})" if one["text"] else one["selector"] for one in elements)
