"""A real browser: open pages, click, type, read, take pictures of them."""

import asyncio
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from switchyard.language.messages import message
from switchyard.tools.core import (
    BaseToolParams,
    ResultMeta,
    RetryTool,
    ToolContext,
    ToolFailed,
    ToolResult,
    action,
    tool,
)
from switchyard.tools.core.workspace import resolve_inside, shown
from switchyard.tools.files.writing import whole_file
from switchyard.tools.use_browser.chromium import Run, SharedBrowser, Tab, shared
from switchyard.tools.use_browser.page import SCRIPTS, USE_MS, Work, click, enter, found, go, settle, the_one, use, view
from switchyard.tools.web.request import allowed_addresses, checked_url, port_of, shown_url

MAX_ITEM = 5_000
"""Characters of one extracted element."""


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


class ScreenshotParams(PageParams):
    """What to take a picture of, and where to keep it."""

    path: str = Field(default="screenshot.png", description="The PNG file to write, relative to the workspace.")
    selector: Selector | None = Field(default=None, description="Only this element; the window when left out.")
    full_page: bool = Field(default=False, description="The whole page, not only what a window shows.")


_VIEW = (
    "url and title of the page after it, text (what a reader sees), elements (selector, kind and text of what can be "
    "used), loaded, dialogs, popups (URLs of new pages), downloads (refused; their names)"
)


@tool(category="web", capability_tags=("browse", "extract", "浏览", "提取"), timeout=75.0)
class UseBrowser:
    """Use web pages in a real browser, with scripts: open, click, type, read by CSS selector, take screenshots.

    Each call names its page by URL; a page that is open in this run is used as it stands, with what was typed into it.
    """

    needs: ClassVar = {"playwright": "switchyard[browser]"}

    def __init__(self, browser: SharedBrowser = shared) -> None:
        self._browser = browser

    @action(returns=f"status; {_VIEW}", refreshes=True)
    async def navigate(self, params: PageParams, context: ToolContext) -> ToolResult:
        """Load a page, anew if it is open, and return its text and what can be used on it."""

        async def work(run: Run, tab: Tab) -> dict[str, Any]:
            return {"status": await go(run, tab, str(checked_url(params.url))), **await view(run, tab)}

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

    @action(returns="url, title, path (of the PNG file), width, height", writes=True)
    async def screenshot(self, params: ScreenshotParams, context: ToolContext) -> ToolResult:
        """Take a picture of a page, or of one element, and keep it as a PNG file in the workspace."""
        file = await asyncio.to_thread(resolve_inside, context.workspace, params.path)
        if file.suffix.lower() != ".png":
            raise RetryTool(message("no_png", path=params.path), hint=message("name_png"))

        async def work(_run: Run, tab: Tab) -> dict[str, Any]:
            if params.selector is None:
                picture = await tab.page.screenshot(full_page=params.full_page)
            else:
                picture = await (await the_one(tab.page, params.selector)).screenshot(timeout=USE_MS)
            await asyncio.to_thread(_write, file, picture)
            width, height = struct.unpack(">II", picture[16:24])  # of the PNG's first chunk
            path = await asyncio.to_thread(shown, context.workspace, file)
            taken = {"path": path, "width": width, "height": height}
            return {"url": tab.page.url, "title": await tab.page.title(), **taken}

        return await self._on_page(params, context, work)

    async def _change(
        self, params: PageParams, context: ToolContext, doing: Callable[[Tab], Awaitable[None]]
    ) -> ToolResult:
        """Do something to a page, wait until it is quiet, and return the page as it is then."""

        async def work(run: Run, tab: Tab) -> dict[str, Any]:
            await doing(tab)
            await settle(run, tab)
            return await view(run, tab)

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
        return ToolResult(result=result, meta=ResultMeta(sources=[name]))


def _write(file: Path, picture: bytes) -> None:
    with whole_file(file) as target:
        target.write(picture)
