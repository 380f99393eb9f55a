"""Arguments read out of a sentence by the tool's own schema: names, types and descriptions say what to look for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.language.expressions import find_change, find_expression
from tools.core.places import find_places

_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|「([^」]+)」|‘([^’]+)’")
_PATH = re.compile(
    r"(?<![\w*])(?:[\w~.-]+/[\w./*-]*|[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b(?![\w.]*/)|\.{1,2}(?=\s|$)|\b(?:README|LICENSE|Makefile|Dockerfile)\b)",
    re.ASCII,
)
_UNDER = re.compile(
    r"\b(?:in|under|inside|from|of)\s+(?:the\s+)?(?:folder\s+|directory\s+)?([\w./-]+)(?:\s+(?:folder|directory))?\s*$"
    r"|\b(?:the\s+)?([\w.-]+)\s+(?:folder|directory)\b"
    r"|(?:在|列出|目录|文件夹)\s*([A-Za-z0-9_./-]+)\s*(?:目录|文件夹|下|里|中)?",
    re.IGNORECASE,
)
_GLOB = re.compile(r"(?<!\S)(\*+[\w./*?-]+)")
_SOUGHT = re.compile(
    r"(?:\b(?:mention(?:s|ing)?|contain(?:s|ing)?|match(?:es|ing)?|(?:search|look|grep)(?:\s+for)?|for)\s+"
    r"|包含|提到|含有|搜索|查找|有)\s*(?:the\s+word\s+|单词|词|字符串)?\s*([\w.-]+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_KINDS = {"python": "*.py", "markdown": "*.md", "json": "*.json", "text": "*.txt", "yaml": "*.y*ml", "toml": "*.toml"}


@dataclass(frozen=True, slots=True)
class Filled:
    """What could be read, and what is required but was not there."""

    arguments: dict[str, Any]
    missing: list[str]


def fill(schema: Mapping[str, Any], text: str, *, earlier: str | None = None) -> Filled:
    """The arguments a text gives for a schema.

    Args:
        schema: the JSON schema of the tool's parameters.
        text: the step in the user's words.
        earlier: a reference to the number an earlier step found, where the text speaks of it.
    """
    properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
    arguments: dict[str, Any] = {}
    for name, field in properties.items():
        value = _value(name, field, text, earlier)
        if value is not None:
            arguments[name] = value
    required = cast("list[str]", schema.get("required", []))
    return Filled(arguments, [name for name in required if name not in arguments])


def quoted(text: str) -> str | None:
    """The first quoted piece of a text."""
    match = _QUOTED.search(text)
    return next((group for group in match.groups() if group), None) if match else None


def _value(name: str, field: Mapping[str, Any], text: str, earlier: str | None) -> Any:
    if "glob" in name or "glob" in str(field.get("description", "")).lower():
        return _file_pattern(text)
    for reader, words in _MEANINGS:
        if words.intersection(name.lower().split("_")):
            return reader(text, earlier)
    if name == "explanation" or "default" in field:
        return None
    if "enum" in field:
        return next((value for value in field["enum"] if str(value).lower() in text.lower()), None)
    if field.get("type") in {"integer", "number"}:
        match = _NUMBER.search(text)
        return None if match is None else (float(match[0]) if "." in match[0] else int(match[0]))
    return quoted(text) if field.get("type") == "string" else None


def _expression(text: str, earlier: str | None) -> str | None:
    change = find_change(text, earlier) if earlier else None
    return change or find_expression(text)


def _place(text: str, _: str | None) -> str | None:
    found = find_places(text)
    return text[found[0].start : found[0].end] if found else None


def _path(text: str, _: str | None) -> str | None:
    bare = _GLOB.sub(" ", _QUOTED.sub(" ", text))
    match = _PATH.search(bare) or next(
        (found for found in (_PATH.fullmatch(piece or "") for piece in _groups(_QUOTED, text)) if found), None
    )
    if match:
        return match[0].rstrip(".,") or match[0]
    under = _groups(_UNDER, bare)
    return next((group for group in under if group), None)


def _sought(text: str, _: str | None) -> str | None:
    if (inside := quoted(text)) is not None:
        return inside
    return next((group for group in _groups(_SOUGHT, text) if group), None)


def _file_pattern(text: str) -> str | None:
    match = _GLOB.search(text)
    if match:
        return match[1]
    lowered = text.lower()
    return next((glob for word, glob in _KINDS.items() if re.search(rf"\b{word}\s*(?:files?|文件)", lowered)), None)


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str | None, ...]:
    match = pattern.search(text)
    return match.groups() if match else ()


_MEANINGS: tuple[tuple[Callable[[str, str | None], str | None], set[str]], ...] = (
    (_expression, {"expression", "formula", "equation"}),
    (_place, {"timezone", "zone", "city", "place", "location", "country"}),
    (_path, {"path", "file", "filename", "folder", "directory"}),
    (_sought, {"pattern", "query", "keyword", "keywords", "needle"}),
)
"""Words in a parameter's name that say what it wants, and who reads that."""
