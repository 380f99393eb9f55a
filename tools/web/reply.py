"""What a server answered: its text, in whatever encoding it came, its JSON, and what a status means."""

import codecs
import json
import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

import httpx

from switchyard.language.messages import Message, message
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.json_values import is_list, is_object

MAX_DEPTH = 100
"""JSON that is nested more deeply is not read: whoever walks through it would not come back."""
_BEGINNING = 4096
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_IN_PAGE = re.compile(rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "iso8859-1": "cp1252", "ascii": "utf-8"}
"""What servers mean by these names."""
_OF_PAGES = re.compile(r"utf-8|gb|big5|shift_jis|euc|iso8859|iso2022|cp\d|koi8|mac-|tis")
"""Codecs that pages come in; Python has others that are none of a page's business."""
_BROKEN = re.compile("[\ufffd\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UNREADABLE = 0.05
"""The share of characters that may be broken before it is no text at all."""
_TOO_DEEP = "it is nested too deeply"
_KINDS: dict[int, FailureKind] = {
    **dict.fromkeys((401, 403, 407, 451), "permission"),
    **dict.fromkeys((404, 410), "not_found"),
    **dict.fromkeys((408, 504), "timeout"),
    429: "rate_limit",
}


@dataclass(frozen=True, slots=True)
class WebReply:
    """What a server answered."""

    url: str
    """Where the answer came from, after all redirects, without user and password."""
    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def content_type(self) -> str:
        """The media type without its parameters, or nothing."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_error(self) -> bool:
        """Whether the status says that something is wrong."""
        return self.status >= 400  # noqa: PLR2004  where the errors of HTTP begin

    @property
    def wait(self) -> float | None:
        """The seconds the server wants to be left alone, by its `Retry-After`."""
        said = self.headers.get("retry-after", "").strip()
        return float(said[:9]) if said.isdigit() else None

    @property
    def described(self) -> Message:
        """What it is, where it is no text: its media type and its size."""
        return message("media_and_size", media=self.content_type or message("binary_data"), size=len(self.body))


def text_of(reply: WebReply) -> str | None:
    """The text, or None when it is none.

    The encoding is the one that leaves the fewest characters unreadable, of those that the server names, the page
    names, or that are common; the first of them where they are equal.
    """
    body = reply.body
    mark = next((encoding for mark, encoding in _MARKS.items() if body.startswith(mark)), None)
    if mark is None and b"\x00" in body[:_BEGINNING]:
        return None
    texts = (body.decode(encoding, "replace") for encoding in ([mark] if mark else _candidates(reply)))
    text = min(texts, key=lambda text: text.count("\ufffd"))
    return text if len(_BROKEN.findall(text)) <= len(text) * _UNREADABLE else None


def _candidates(reply: WebReply) -> list[str]:
    named = _CHARSET.findall(reply.headers.get("content-type", ""))
    named += [name.decode() for name in _IN_PAGE.findall(reply.body[:_BEGINNING])]
    known = [encoding for name in named if (encoding := _known(name))]
    # every byte is a character of the western one: it says nothing, and servers name it by default
    return sorted(dict.fromkeys([*known, "utf-8", "gb18030"]), key=lambda encoding: encoding == "cp1252")


def _known(name: str) -> str | None:
    """The codec of a name as the web uses it, or None."""
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return None
    return _WIDER.get(codec, codec) if _OF_PAGES.match(codec) or codec in _WIDER else None


def kind_of_status(status: int) -> FailureKind:
    """The class of failure that a status of 400 or more stands for."""
    return _KINDS.get(status, "unavailable" if status >= 500 else "bad_arguments")  # noqa: PLR2004  the server's own


def read_json(text: str) -> Any:
    """The value of a JSON text; NaN and infinities, which JSON does not have, become null."""
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inside = [one.values() if is_object(one) else one for one in level if is_object(one) or is_list(one)]
        level = [*chain.from_iterable(inside)]
    if level:
        raise ValueError(_TOO_DEEP)
    return value
