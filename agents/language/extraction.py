"""Arguments read out of a sentence by the tool's own schema: names, types and descriptions say what to look for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.language.expressions import find_change, find_expression
from tools.core.places import find_places

_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'(?!\w)|`([^`]+)`|“([^”]+)”|「([^」]+)」|‘([^’]+)’")
_PATH = re.compile(
    # a name with an ending, Chinese too; where no space parts it from the verb before, without the verb
    r"(?:(?<![\w*./~-])|(?<=读取|打开|查看|显示|统计))(?!读取|打开|查看|显示|统计)"
    r"(?:[\w~.-]{1,100}/){0,20}[\w-]{1,100}(?:\.[\w-]{1,30}){0,5}\.[A-Za-z][A-Za-z0-9]{0,5}(?![A-Za-z0-9_/])"
    r"|(?<![A-Za-z0-9_*./~-])(?:[A-Za-z0-9_~.-]{1,100}/[A-Za-z0-9_./*-]*|\.{1,2}(?=\s|$)"
    r"|(?:README|LICENSE|Makefile|Dockerfile)(?![A-Za-z0-9_]))"
    r"|(?<![\w./:*~-])/[\w.-][\w./-]{0,300}"
)
_FILE_NAME = re.compile(r".*\.[A-Za-z0-9]{1,6}|.*/.*")
_UNDER = re.compile(
    r"\b(?:in|under|inside|from|of)\s+(?:the\s+)?(?:folder\s+|directory\s+)?([\w./-]{1,200})(?:\s+(?:folder|directory))?\s*$"
    r"|\b(?:the\s+)?([\w.-]{1,100})\s+(?:folder|directory)\b"
    r"|(?:在|列出|目录|文件夹)\s*([A-Za-z0-9_./-]+)\s*(?:目录|文件夹|下|里|中)?"
    r"|(?<![A-Za-z0-9_./-])([A-Za-z0-9_./-]{1,200})\s?(?:目录|文件夹)?\s?[里下中内]",
    re.IGNORECASE,
)
_HERE = frozenset(
    {"this", "that", "the", "a", "any", "all", "current", "here", "it", "my", "our"}
    | {"project", "workspace", "repository", "repo", "code", "files", "file", "folder", "directory"}
)
"""Words that name no folder of their own: the workspace is meant."""
_GLOB = re.compile(r"(?<!\S)(\*+[\w./*?-]+)")
_SOUGHT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:mention(?:s|ing)?|contain(?:s|ing)?|match(?:es|ing)?)\s+(?:the\s+word\s+)?([\w.-]+)",
        r"\bfor\s+(?:the\s+word\s+)?([\w.-]+)",
        r"\b(?:search|look|grep|find)\s+(?!the\b|in\b|all\b|this\b|my\b)([\w.-]+)",
        (
            r"(?:包含|提到|含有|搜索|查找(?!包含|提到|含有))[了过]?\s*(?:单词|词|字符串)?\s*"
            r"(\S.{0,200}?)(?=\s?的\s?(?:[A-Za-z]{1,20}\s?)?(?:文件|代码|行|内容|地方|文本)|\s在\s|[，。？！?]|$)"
        ),
        r"有\s*([A-Za-z0-9_.-]+)",
    )
)
"""Where a text says what is looked for, the surest first."""
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
    sought = {value for name, value in arguments.items() if _reader(name) is _sought}
    for name in [name for name in arguments if _reader(name) is _path and arguments[name] in sought]:
        del arguments[name]  # what is looked for is not where
    return Filled(arguments, [name for name in required if name not in arguments])


def quoted(text: str) -> str | None:
    """The first quoted piece of a text."""
    match = _QUOTED.search(text)
    return next((group for group in match.groups() if group), None) if match else None


def _value(name: str, field: Mapping[str, Any], text: str, earlier: str | None) -> Any:
    if "glob" in name or "glob" in str(field.get("description", "")).lower():
        return _file_pattern(text)
    reader = _reader(name)
    if reader is not None:
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
    match = _PATH.search(bare)
    if match:
        return match[0].rstrip(".,") or match[0]
    under = next((group for group in _groups(_UNDER, bare) if group), None)
    if under is not None and under.lower() not in _HERE:
        return under
    named = quoted(text)
    return named if named is not None and _FILE_NAME.fullmatch(named) else None


def _sought(text: str, _: str | None) -> str | None:
    if (inside := quoted(text)) is not None:
        return inside
    return next((match[1] for pattern in _SOUGHT if (match := pattern.search(text))), None)


def _file_pattern(text: str) -> str | None:
    match = _GLOB.search(text)
    if match:
        return match[1]
    lowered = text.lower()
    return next((glob for word, glob in _KINDS.items() if re.search(rf"\b{word}\s*(?:files?|文件)", lowered)), None)


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str | None, ...]:
    match = pattern.search(text)
    return match.groups() if match else ()


def _reader(name: str) -> "Reader | None":
    words = name.lower().split("_")
    return next((reader for reader, meant in _MEANINGS if meant.intersection(words)), None)


Reader = Callable[[str, str | None], str | None]
"""Finds one kind of value in a text; the second argument refers to an earlier result."""

_MEANINGS: tuple[tuple[Reader, set[str]], ...] = (
    (_expression, {"expression", "formula", "equation"}),
    (_place, {"timezone", "zone", "city", "place", "location", "country"}),
    (_path, {"path", "file", "filename", "folder", "directory"}),
    (_sought, {"pattern", "query", "keyword", "keywords", "needle"}),
)
"""Words in a parameter's name that say what it wants, and who reads that."""
