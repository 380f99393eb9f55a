"""Arguments that point into earlier results: `{{step.path}}`, and `{{item.path}}` inside a for-each step.

A string that is one reference becomes the value itself, with its type; a reference inside a longer string becomes text.
`{{step#number}}` is the number a result is about, `{{step#content}}` what it says: text, rows or a value.
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
from switchyard.tools.core.json_values import is_list, is_mapping, with_texts
from switchyard.tools.core.plain_words import kind_of_value

ITEM = "item"
"""The name of the current item of a for-each step."""

_PATH = re.compile(r"(?:\.[\w-]+|\[-?\d+\]|\[\*\])*")
_REFERENCE = re.compile(rf"\{{\{{\s*([\w-]+)({_PATH.pattern})(#number|#content)?\s*\}}\}}")
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
    elif is_mapping(value) or is_list(value):
        for part in value.values() if is_mapping(value) else value:
            yield from references(part, known)


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """`value` with its references to the steps that have other names now."""

    def change(text: str) -> str:
        return _REFERENCE.sub(lambda match: match[0].replace(match[1], names.get(match[1], match[1]), 1), text)

    return with_texts(value, change)


def bind(value: Any, results: Mapping[str, Any]) -> Any:
    """`value` with every reference replaced by what it points at: a result by step id, or the current item.

    Raises:
        BadArguments: when a path leads nowhere; the text names the fields there are.
    """
    return with_texts(value, lambda text: _bind_text(text, results))


def follow(result: Any, path: str, *, name: str = "result") -> Any:
    """The value at `path` inside `result`; `[*]` collects over a list, and the first dot may be left out.

    Raises:
        BadArguments: when the path leads nowhere, or is none.
    """
    if path and path[0] not in ".[":
        path = f".{path}"
    if not _PATH.fullmatch(path):
        raise BadArguments(message("no_path_written", path=f"{name}{path}"))
    current, where = result, f"{name}{path}"
    for match in _PATH_PART.finditer(path):
        field, index, every = match.groups()
        if every:
            if not is_list(current):
                raise BadArguments(message("no_list_before", path=where))
            return [follow(part, path[match.end() :], name=name) for part in current]
        current = _field(current, field, where) if field else _element(current, int(index), where)
    return current


def as_text(value: Any) -> str:
    """A value as people and models read it, by itself or inside a longer text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _bind_text(text: str, results: Mapping[str, Any]) -> Any:
    whole = _REFERENCE.fullmatch(text.strip())
    if whole and whole[1] in results:
        return _meant(whole, results)
    return _REFERENCE.sub(lambda match: as_text(_meant(match, results)) if match[1] in results else match[0], text)


def _meant(match: re.Match[str], results: Mapping[str, Any]) -> Any:
    """What a reference points at."""
    value = follow(results[match[1]], match[2], name=match[1])
    if match[3] == "#number":
        number = number_of(value)
        if number is None:
            raise BadArguments(message("no_single_number", name=match[1]))
        return number
    return content_of(value) if match[3] else value


def number_of(result: Any) -> int | float | str | None:
    """The number a result is about, with its unit where it says one; None where it is about none, or several."""
    if isinstance(result, int | float) and not isinstance(result, bool):
        return result
    if is_list(result):
        return number_of(result[0]) if len(result) == 1 else None
    if not is_mapping(result):
        return None
    if is_list(rows := result.get("rows")) and len(rows) == 1 and (told := number_of(rows[0])) is not None:
        return told  # that it is one row is told beside it
    numbers = [value for value in result.values() if isinstance(value, int | float) and not isinstance(value, bool)]
    found = result["value"] if result.get("value") in numbers else numbers[0] if len(numbers) == 1 else None
    if found is None or not isinstance(unit := result.get("unit"), str):
        return found
    return f"{found} {unit}"


def content_of(result: Any) -> Any:
    """What a result says, as it is written down: its text, its rows, or itself."""
    if isinstance(result, int | float):
        return as_text(result)
    if not is_mapping(result):
        return result
    for name in ("text", "rows", "entries", "matches", "links", "json", "value", "sentence"):
        if result.get(name) is not None:
            return content_of(result[name])
    return result


def _field(value: Any, field: str, path: str) -> Any:
    if not is_mapping(value):
        raise BadArguments(message("field_of_no_object", path=path, field=field, what=kind_of_value(value)))
    if field not in value:
        raise BadArguments(message("no_such_field", path=path, field=field, fields=list(value) or message("none")))
    return value[field]


def _element(value: Any, index: int, path: str) -> Any:
    if not is_list(value):
        raise BadArguments(message("index_of_no_list", path=path, index=index, what=kind_of_value(value)))
    if not -len(value) <= index < len(value):
        raise BadArguments(message("only_items", path=path, count=len(value)))
    return value[index]
