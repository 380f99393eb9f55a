"""Arguments that point into earlier results: `{{step.path}}`, and `{{item.path}}` inside a for-each step.

A string that is one reference becomes the value itself, with its type; a reference inside a longer string becomes text.
Only steps that are known count: `{{name}}` in a user's own text stays as it is, and what was bound is not read again,
so a tool's output cannot smuggle in a reference.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from switchyard.language.messages import message
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.plain_words import kind_of_value

ITEM = "item"
"""The name of the current item of a for-each step."""

_PATH = re.compile(r"(?:\.[\w-]+|\[-?\d+\]|\[\*\])*")
_REFERENCE = re.compile(rf"\{{\{{\s*([\w-]+)({_PATH.pattern})\s*\}}\}}")
_PATH_PART = re.compile(r"\.([\w-]+)|\[(-?\d+)\]|\[(\*)\]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A step (or `item`) and a path into its result."""

    step: str
    path: str = ""

    def __str__(self) -> str:
        return f"{{{{{self.step}{self.path}}}}}"


def references(value: Any, known: Collection[str]) -> Iterator[Reference]:
    """Every reference inside an argument."""
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            if match[1] in known or match[1] == ITEM:
                yield Reference(match[1], match[2])
    elif is_mapping(value):
        for part in value.values():
            yield from references(part, known)
    elif is_list(value):
        for part in value:
            yield from references(part, known)


def bind(value: Any, results: Mapping[str, Any]) -> Any:
    """`value` with every reference replaced by what it points at.

    Args:
        value: a literal, a string with references, or a nested structure of them.
        results: the finished results by step id, and `item` where there is one.

    Raises:
        BadArguments: when a path leads nowhere; the text names the fields there are.
    """
    if isinstance(value, str):
        return _bind_text(value, results)
    if is_mapping(value):
        return {key: bind(part, results) for key, part in value.items()}
    if is_list(value):
        return [bind(part, results) for part in value]
    return value


def follow(result: Any, path: str, *, name: str = "result") -> Any:
    """The value at `path` inside `result`; `[*]` collects over a list, and the first dot may be left out.

    Raises:
        BadArguments: when the path leads nowhere, or is none.
    """
    if path and path[0] not in ".[":
        path = f".{path}"
    if not _PATH.fullmatch(path):
        raise BadArguments(message("no_path_written", path=f"{name}{path}"))
    current = result
    for match in _PATH_PART.finditer(path):
        field, index, _ = match.groups()
        if match[3]:
            if not is_list(current):
                raise BadArguments(message("no_list_before", path=f"{name}{path}"))
            rest = path[match.end() :]
            return [follow(part, rest, name=name) for part in current]
        current = _field(current, field, name, path) if field else _element(current, int(index), name, path)
    return current


def as_text(value: Any) -> str:
    """A value as people and models read it, by itself or inside a longer text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _bind_text(text: str, results: Mapping[str, Any]) -> Any:
    whole = _REFERENCE.fullmatch(text.strip())
    if whole and whole[1] in results:
        return follow(results[whole[1]], whole[2], name=whole[1])

    def replace(match: re.Match[str]) -> str:
        if match[1] not in results:
            return match[0]
        return as_text(follow(results[match[1]], match[2], name=match[1]))

    return _REFERENCE.sub(replace, text)


def _field(value: Any, field: str, name: str, path: str) -> Any:
    if is_mapping(value):
        if field in value:
            return value[field]
        fields = list(value) or message("none")
        raise BadArguments(message("no_such_field", path=f"{name}{path}", field=field, fields=fields))
    raise BadArguments(message("field_of_no_object", path=f"{name}{path}", field=field, what=kind_of_value(value)))


def _element(value: Any, index: int, name: str, path: str) -> Any:
    if is_list(value):
        if -len(value) <= index < len(value):
            return value[index]
        raise BadArguments(message("only_items", path=f"{name}{path}", count=len(value)))
    raise BadArguments(message("index_of_no_list", path=f"{name}{path}", index=index, what=kind_of_value(value)))
