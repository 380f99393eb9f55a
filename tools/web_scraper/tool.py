"""What a web page says: its text, or the parts that CSS selectors choose."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.processes import run_process
from switchyard.tools.web.reply import WebReply, kind_of_status, text_of
from switchyard.tools.web.request import fetch, shown_url, without_secrets

_ACCEPT = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"}
_READER = (sys.executable, "-P", str(Path(__file__).with_name("reader.py")))
"""`-P`: the folder of the file is not a place to import from."""
MAX_TEXT = 200_000
"""Characters of a page that are returned."""
SECONDS = 10.0
"""What reading a page may take."""


class WebScraperParams(BaseToolParams):
    """Which page, and what of it."""

    url: str = Field(description="The page, in full, like https://example.com/news.")
    selector: str | None = Field(
        default=None,
        description="A CSS selector of the elements to return, such as h2; a.title@href takes an attribute.",
    )
    links: bool = Field(default=False, description="Also return the links of the page.")
    tables: bool = Field(default=False, description="Also return the headings and tables of the page, rows as objects.")
    limit: int = Field(default=50, ge=1, le=1000, description="How many elements, values or links to return at most.")
    timeout: float = Field(default=20, gt=0, le=60, description="Seconds the page may take to arrive.")


@tool(
    category="extraction",
    capability_tags=("extract", "fetch", "提取", "抓取"),
    returns="url, title, text (of the page, or of what was selected), truncated; with a selector items (their texts) "
    "and count; with links=true links with text and url; with tables=true tables and headings",
    sends=True,
    needs_approval=False,
    timeout=75,
)
class WebScraper:
    """Read a web page: its main text and title, its links, or the elements that CSS selectors choose.

    Pages are read as they arrive, scripts do not run. Private addresses are refused, but for those the settings allow.
    """

    needs: ClassVar = {"selectolax": "switchyard[pages]"}

    async def execute(self, params: WebScraperParams, context: ToolContext) -> ToolResult:
        """The page, or the parts that were asked for."""
        reply = await fetch(context.network, params.url, headers=_ACCEPT, seconds=params.timeout)
        url, text, kind = without_secrets(reply.url), _text(reply), reply.content_type
        if "html" in kind or "xml" in kind or (not kind and text.lstrip().startswith("<")):
            found = await _read(reply, text, params)
        elif params.selector:
            raise RetryTool(message("page_plain_text", url=shown_url(reply.url)), hint=message("leave_selectors_out"))
        else:
            found = {"title": "", "text": text}
        cut = {"text": found["text"][:MAX_TEXT], "truncated": found.get("truncated") or len(found["text"]) > MAX_TEXT}
        return ToolResult.of({"url": url, **found, **cut}, url)


def _text(reply: WebReply) -> str:
    url = shown_url(reply.url)
    if reply.is_error:
        answered = message("answered_status", url=url, status=reply.status)
        raise ToolFailed(answered, kind=kind_of_status(reply.status), wait=reply.wait)
    text = text_of(reply)
    if text is None:
        raise ToolFailed(message("no_page_with_text", url=url, what=reply.described), kind="bad_arguments")
    return text


async def _read(reply: WebReply, text: str, params: WebScraperParams) -> dict[str, Any]:
    asked = params.model_dump(include={"selector", "links", "tables", "limit"})
    found = await read_page({"html": text, "url": reply.url, **asked})
    selector = params.selector or ""
    if "wrong" in found:
        raise RetryTool(message("no_css_selector", selector=selector), hint=message("write_selector"))
    if "near" in found:
        near = [f"'{name}'" for name in found["near"]]
        hint = message("similar_selectors", near=near) if near else message("page_without_elements")
        nothing = message("nothing_on_url_fits", url=shown_url(reply.url), selectors=[f"'{selector}'"])
        raise RetryTool(nothing, hint=hint)
    return found


async def read_page(wanted: dict[str, Any], seconds: float = SECONDS) -> dict[str, Any]:
    """What the reader found, in a process of its own; `wanted` is what its `read` takes."""
    try:
        async with asyncio.timeout(seconds):
            ended = await run_process(_READER, wanted)
    except TimeoutError as error:
        raise ToolFailed(message("page_too_slow_to_read", seconds=seconds), kind="wrong_result") from error
    if ended.returncode:
        raise ToolFailed(message("page_too_tangled"), kind="wrong_result")
    return json.loads(ended.stdout)
