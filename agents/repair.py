"""Broken JSON, read as what was meant by it: cut off, single quotes, bare words, comments, commas too many or too few.

It goes through the text once and never back, so that no text takes long: libraries that guess by trying again and again
take seconds over an ordinary answer that was cut off, and minutes over a few thousand characters made for it.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

DEEPEST = 50
"""Levels of nesting; what is nested deeper is no answer and could not be written down."""

_GAP = re.compile(r"(?:\s|//[^\n]*+|\#[^\n]*+)*+")
_CLOSING = {'"': '"', "'": "'", "“": '”“"', "”": '”"', "‘": "’‘'", "’": "’'"}
_CHUNKS = {quote: re.compile(rf"[^\\{closing}]*") for quote, closing in _CLOSING.items()}
_QUOTES = "\"'“”‘’"
_ENDS_A_VALUE = re.compile(
    rf"\s*+(?:[}}\]]|$|//|/\*|\#|[,，]\s*+(?:[{_QUOTES}{{\[}}\]\d-]|\w++[{_QUOTES}]?\s*+[:：]|\w++\s*+[,\]}}]|//|/\*|\#|$))"
    rf"|\s++[{_QUOTES}]"
)
"""What comes after the mark that ends a value: the next one, the end, or a remark; and not more words."""
_ENDS_A_KEY = re.compile(rf"\s*+(?:[:：,，}}\]]|$)|\s++[{_QUOTES}]")
_FIELD = re.compile(rf"[{_QUOTES}]([^{_QUOTES}\\\n]*+)[{_QUOTES}](?=\s*+[:：])")
_UNCLOSED_KEY = re.compile(rf"[{_QUOTES}]([^{_QUOTES}:：,{{}}\[\]\n]*+)(?=[:：])")
_BARE_KEY = re.compile(rf"([^{_QUOTES}:：,{{}}\[\]\n]*+)[{_QUOTES}]?+")
_BARE_VALUE = re.compile(r"([^\"“”,{}\[\]\n]*+)[\"“”]?+")
_LEFT_OPEN = " \t\r\n}]`"
"""What closes an object or a fence, at the end of a text whose own mark is missing."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}


class NestedTooDeeply(ValueError):
    """More levels than anything that was asked for has."""


class Mended(NamedTuple):
    """What was read, where it ends, and whether it was brought to an end."""

    value: Any
    end: int
    closed: bool


def mend(text: str, start: int) -> Mended:
    """Read the object or list that begins at a bracket.

    Raises:
        NestedTooDeeply: when it has more than `DEEPEST` levels.
    """
    reader = _Reader(text, start)
    value = reader.value()
    return Mended(value, reader.position, not reader.cut)


@dataclass(slots=True)
class _Reader:
    text: str
    position: int
    cut: bool = False
    """The text ended before what was begun did."""
    awaited: list[str] = field(default_factory=list[str])
    """The closing brackets of what is open, the innermost last."""

    def value(self) -> Any:
        match self._next():
            case "{":
                return self._object()
            case "[":
                return self._list()
            case quote if quote in _CLOSING:
                return self._string(quote, _ENDS_A_VALUE)
            case _:
                return _meant(self._run(_BARE_VALUE))

    def _object(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        self._open("}")
        while self._goes_on("}"):
            before = self._next()
            if before == "{" and fields and self.awaited[-2:-1] == ["]"]:  # the next item of a list: this one is over
                self.awaited.pop()
                break
            if before in "{[":
                inner = self.value()
                if isinstance(inner, dict):  # a bracket too many around the fields
                    fields.update(cast("dict[str, Any]", inner))
                continue
            key = self._key(before)
            after = self._next()
            if after and after in ":：":
                self.position += 1
                fields[key] = None if self._next() in {",", "}", "]", ""} else self.value()
            elif after in _CLOSING and before in _CLOSING:
                fields[key] = self.value()
        return fields

    def _key(self, quote: str) -> str:
        if quote not in _CLOSING:
            return self._run(_BARE_KEY).strip()
        for pattern in (_FIELD, _UNCLOSED_KEY):
            if pattern.match(self.text, self.position):
                return self._run(pattern)
        return self._string(quote, _ENDS_A_KEY)

    def _list(self) -> list[Any]:
        items: list[Any] = []
        self._open("]")
        while self._goes_on("]"):
            if "}" in self.awaited and _FIELD.match(self.text, self.position):  # a field: the list is over
                self.awaited.pop()
                break
            items.append(self.value())
        return items

    def _open(self, closing: str) -> None:
        self.awaited.append(closing)
        if len(self.awaited) > DEEPEST:
            raise NestedTooDeeply
        self.position += 1

    def _goes_on(self, closing: str) -> bool:
        """Whether there is more before the closing bracket; one that closes something further out closes this too."""
        while (character := self._next()) and character in ",，:：}]":
            if character == closing:
                self.position += 1
            if character == closing or character in self.awaited:
                self.awaited.pop()
                return False
            self.position += 1
        if not character:
            self.cut = True
            self.awaited.pop()
        return bool(character)

    def _next(self) -> str:
        """The next character that means something; nothing at the end."""
        self._run(_GAP)
        while self.text.startswith("/*", self.position):
            end = self.text.find("*/", self.position)
            self.position = end + 2 if end >= 0 else len(self.text)
            self._run(_GAP)
        return self.text[self.position : self.position + 1]

    def _run(self, pattern: re.Pattern[str]) -> str:
        """What the pattern finds here, without what it takes along."""
        found = pattern.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found[found.lastindex or 0]

    def _string(self, quote: str, ends: re.Pattern[str]) -> str:
        """A text up to the quotation mark that ends it: one in the midst of words belongs to them."""
        parts: list[str] = []
        self.position += 1
        while True:
            parts.append(self._run(_CHUNKS[quote]))
            character = self.text[self.position : self.position + 1]
            if not character:
                self.cut = True
                return "".join(parts).rstrip(_LEFT_OPEN)
            self.position += 1
            if character == "\\":
                parts.append(self._escaped())
            elif ends.match(self.text, self.position):
                return "".join(parts)
            elif parts[-1].rstrip().endswith(",") and _FIELD.match(self.text, self.position - 1):
                self.position -= 1  # the next field begins: the mark that ends this text was left out
                return "".join(parts).rstrip().removesuffix(",")
            else:
                parts.append(character)

    def _escaped(self) -> str:
        character = self.text[self.position : self.position + 1]
        digits = self.text[self.position + 1 : self.position + 5]
        self.position += 1
        if character == "u" and re.fullmatch("[0-9a-fA-F]{4}", digits):
            self.position += 4
            return chr(int(digits, 16))
        # a backslash that JSON does not know, as in a path or an expression, is meant as one
        return _ESCAPES.get(character, f"\\{character}" if character.isalnum() else character)


def _meant(word: str) -> Any:
    """What stands for itself without quotation marks: a number, yes, no, nothing, or words."""
    word = word.split("//", 1)[0].strip() if " //" in word else word.strip()
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    try:
        return json.loads(word)
    except ValueError:
        return word
