"""Reads a page in a process of its own: what is asked for comes in as JSON, what was found goes out as JSON.

A page is a stranger's: one made for it keeps a parser busy for hours or fills the memory. Here it can only end this
process. The file runs by itself and imports nothing of the project.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

MEMORY = 1_000_000_000
MAX_VALUE = 10_000
MAX_SPAN = 50
NEAREST = 5

_COMPARED = 5000
_SIMILAR = 45
_COMBINATOR = re.compile(r"[\s>+~]+")
_ATTRIBUTE = re.compile(r"@(?=[\w:.-]+$)")
_NOT_READ = "script, style, noscript, template, svg, iframe, object, head"
_AROUND = "nav, header, footer, aside, form, dialog, [role=navigation], [role=banner], [role=contentinfo], [hidden]"
_MAIN = "article, main, [role=main], #content, #main, .content, .article, .post"
_MAIN_SHARE = 0.3
"""A part with less of the text than this is not what the page is about."""
_BLOCKS = (
    "address, article, aside, blockquote, br, dd, details, div, dl, dt, figcaption, figure, footer, form, "
    "h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, summary, table, tr, ul"
)
_BREAK = "\x1e"
_INDENT = "\ue000"
"""A space that stays where it is."""


def read(html: str, url: str, *, selector: str | None, links: bool, tables: bool, limit: int) -> dict[str, Any]:
    """What a page at that URL says: its text, or at most `limit` elements that a selector means, links and tables.

    `wrong` says that the selector is none, `near` names others where it finds nothing.
    """
    page = LexborHTMLParser(html)
    title = page.css_first("title")
    found: dict[str, Any] = {"title": _flat(title.text()) if title else ""}
    if tables:
        found["tables"] = [table for node in page.css("table") if (table := _table(node))]
        found["headings"] = [_flat(node.text()) for node in page.css("h1, h2, h3, h4, h5, h6, caption, dt")]
    for node in page.css(_BLOCKS):  # the words of two blocks are not one word
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in page.css("td, th"):
        node.insert_after(" ")
    if links:
        found["links"] = list(_links(page, url, limit))
    try:
        return {**found, **(_elements(page, selector, limit) if selector else {"text": _readable(page)})}
    except SelectolaxError:
        return {"wrong": True}


def _elements(page: LexborHTMLParser, selector: str, limit: int) -> dict[str, Any]:
    """The text, or the attribute, of each element that the selector finds."""
    css, *attribute = _ATTRIBUTE.split(selector, maxsplit=1)
    values = (_value(node, *attribute) for node in page.css(css.strip()))
    found = list(islice(filter(None, values), limit + 1))
    if not found:
        return {"near": _nearest(page, selector)}
    items = found[:limit]
    return {"text": "\n".join(items), "items": items, "count": len(items), "truncated": len(found) > limit}


def _value(node: LexborNode, attribute: str | None = None) -> str:
    value = node.attributes.get(attribute.lower()) if attribute else _flat(node.text())
    return (value or "")[:MAX_VALUE]


def _nearest(page: LexborHTMLParser, selector: str) -> list[str]:
    """The selectors on the page that look most like one that finds nothing, or the commonest ones."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  needed only after a miss

    there = Counter(name for node in page.css("body *")[:_COMPARED] for name in _selectors(node))
    last = _COMBINATOR.split(selector)[-1]
    near = process.extract(last, list(there), scorer=fuzz.ratio, limit=NEAREST, score_cutoff=_SIMILAR)
    return [name for name, _, _ in near] or [name for name, _ in there.most_common(NEAREST)]


def _selectors(node: LexborNode) -> Iterator[str]:
    tag, attributes = node.tag or "", node.attributes
    yield tag
    if identity := attributes.get("id"):
        yield f"#{identity}"
    for name in (attributes.get("class") or "").split():
        yield f"{tag}.{name}"
    yield from (f"{tag}@{name}" for name in attributes if name not in {"id", "class", "style"})


def _links(page: LexborHTMLParser, url: str, limit: int) -> Iterator[dict[str, str]]:
    base = page.css_first("base[href]")
    url = urljoin(url, base.attributes.get("href") or "") if base else url
    seen: set[str] = set()
    for node in page.css("a[href]"):
        with suppress(ValueError):  # an address that is none
            target = urljoin(url, (node.attributes.get("href") or "").strip()).partition("#")[0]
            if target.startswith(("http://", "https://")) and target not in seen and len(seen) < limit:
                seen.add(target)
                yield {"text": _value(node), "url": target}


def _table(node: LexborNode) -> list[dict[str, str]]:
    """The rows of a table by its head; none where it has no head."""
    head, *rows = [_cells(row) for row in node.css("tr")] or [[]]
    if len(set(head)) < len(head) or not node.css("th") or not all(head):
        return []
    return [dict(zip(head, row, strict=False)) for row in rows if len(row) == len(head)]


def _cells(row: LexborNode) -> list[str]:
    """The texts of a row, what spans several columns in each of them."""
    found: list[str] = []
    for cell in row.css("td, th"):
        span = cell.attributes.get("colspan") or ""
        found += [_flat(cell.text())] * (int(span) if span.isdecimal() and int(span) <= MAX_SPAN else 1)
    return found


def _readable(page: LexborHTMLParser) -> str:
    """The text that a reader came for, a line for each block. The page is taken apart for it."""
    for node in page.css(_NOT_READ):
        node.decompose()
    if page.body is None:
        return ""
    enough = len(_flat(page.body.text())) * _MAIN_SHARE
    main = max([part for part in page.css(_MAIN) if _length(part) >= enough], key=_length, default=page.body)
    for node in main.css(_AROUND):
        if _length(node) < enough:  # some pages are one big form
            node.decompose()
    for node in main.css("pre"):
        node.replace_with(node.text().replace("\n", _BREAK).replace(" ", _INDENT))
    lines = map(_flat, main.text().split(_BREAK))
    return "\n".join(line for line in lines if line).replace(_INDENT, " ")


def _length(node: LexborNode) -> int:
    return len(_flat(node.text()))


def _flat(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    """Read one page."""
    with suppress(ImportError, OSError, ValueError):  # not every system has it
        import resource  # noqa: PLC0415  POSIX only

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    found = read(**json.loads(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(json.dumps(found).encode())


if __name__ == "__main__":
    main()
