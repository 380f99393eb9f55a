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
from typing import Any, TypedDict
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

MEMORY = 1_000_000_000
MAX_VALUE = 10_000
MAX_SPAN = 50
NEAREST = 5

_COMPARED = 5000
_SIMILAR = 45
_COMBINATOR = re.compile(r"[\s>+~]+")
_FIELD = re.compile(r"(.*?)(?:@([\w:.-]+))?", re.DOTALL)
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


class Wanted(TypedDict):
    """What to read of a page."""

    html: str
    url: str
    """Where the page is, for the links on it."""
    selector: str | None
    """Elements to take, as text, or as `selector@attribute`."""
    fields: dict[str, str]
    """More selectors of this kind by name: what is first inside each element, or of the page."""
    links: bool
    tables: bool
    limit: int
    most: int
    """Characters of text to return."""


class _WrongSelector(Exception):
    pass


def read(wanted: Wanted) -> dict[str, Any]:
    """What was asked for; `wrong` names a selector that is none, `missing` those that find nothing, with near ones."""
    page = LexborHTMLParser(wanted["html"])
    title = page.css_first("title")
    found: dict[str, Any] = {"title": _flat(title.text()) if title else ""}
    if wanted["tables"]:
        found["tables"] = [table for node in page.css("table") if (table := _table(node))]
        found["headings"] = [_flat(node.text()) for node in page.css("h1, h2, h3, h4, h5, h6, caption, dt")]
    for node in page.css(_BLOCKS):  # the words of two blocks are not one word
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in page.css("td, th"):
        node.insert_after(" ")
    if wanted["links"]:
        found["links"] = list(_links(page, wanted["url"], wanted["limit"]))
    try:
        if wanted["selector"] or wanted["fields"]:
            found |= _elements(page, wanted["selector"] or "html", wanted)
        else:
            found["text"] = _readable(page)
    except _WrongSelector as error:
        return {"wrong": str(error)}
    found["truncated"] = found.get("truncated", False) or len(found["text"]) > wanted["most"]
    found["text"] = found["text"][: wanted["most"]]
    return found


def _elements(page: LexborHTMLParser, selector: str, wanted: Wanted) -> dict[str, Any]:
    """Each element that the selector finds: its value, or the fields inside it."""
    fields, limit = wanted["fields"], wanted["limit"]
    nodes, attribute = _find(page.root, selector)
    values = (_row(node, fields) if fields else _value(node, attribute) for node in nodes)
    found: list[Any] = list(islice(filter(None, values), limit + 1))
    items = found[:limit]
    missing = [field for name, field in fields.items() if not any(item[name] for item in items)]
    return {
        "items": items,
        "count": len(items),
        "truncated": len(found) > limit,
        "missing": _nearest(page, missing if items else [selector]),
        "text": "\n".join(", ".join(f"{n}: {v}" for n, v in item.items()) if fields else item for item in items),
    }


def _row(node: LexborNode, fields: dict[str, str]) -> dict[str, str | None]:
    """What each field finds first inside an element."""
    row: dict[str, str | None] = {}
    for name, field in fields.items():
        nodes, attribute = _find(node, field)
        row[name] = next((value for found in nodes if (value := _value(found, attribute))), None)
    return row


def _find(node: LexborNode | None, field: str) -> tuple[list[LexborNode], str | None]:
    """What a field finds below a node, or the node itself, and the attribute to take."""
    match = _FIELD.fullmatch(field)
    selector, attribute = (match[1].strip(), match[2]) if match else (field, None)
    if node is None:
        return [], attribute
    try:
        return node.css(selector) if selector else [node], attribute
    except SelectolaxError as error:
        raise _WrongSelector(selector) from error


def _value(node: LexborNode, attribute: str | None) -> str:
    if attribute:
        return (node.attributes.get(attribute.lower()) or "")[:MAX_VALUE]
    return _flat(node.text())[:MAX_VALUE]


def _nearest(page: LexborHTMLParser, missing: list[str]) -> dict[str, list[str]]:
    """For each field that finds nothing, the selectors on the page that look most like it, or the commonest ones."""
    if not missing:
        return {}
    from rapidfuzz import fuzz, process  # noqa: PLC0415  needed only after a miss

    there = Counter(name for node in page.css("body *")[:_COMPARED] for name in _selectors(node))
    common = [name for name, _ in there.most_common(NEAREST)]
    nearest: dict[str, list[str]] = {}
    for field in missing:
        last = _COMBINATOR.split(field)[-1]
        near = process.extract(last, list(there), scorer=fuzz.ratio, limit=NEAREST, score_cutoff=_SIMILAR)
        nearest[field] = [name for name, _, _ in near] or common
    return nearest


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
                yield {"text": _value(node, None), "url": target}


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
    wanted = json.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(read(wanted)).encode())


if __name__ == "__main__":
    main()
