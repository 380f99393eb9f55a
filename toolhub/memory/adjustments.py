"""Arguments that failed, changed in the one way that is likely to help (R7.3).

What helped before comes first; then timeouts are doubled, a missing path becomes the nearest one there is, and a
selector one of those the tool saw on the page and named in its error.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic import BaseModel

from switchyard.language.messages import Message, Said, message
from switchyard.toolhub.calling.identity import PATH_FIELD
from switchyard.toolhub.calling.schema import as_mapping
from switchyard.toolhub.memory.memory import Memory
from switchyard.tools.core.errors import FailureKind, ToolFailed
from switchyard.tools.core.files import nearest_path
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.spec import ToolSpec
from switchyard.tools.core.workspace import resolve_inside

LONGEST_TIMEOUT = 60.0
"""Seconds."""

_TIMEOUT = re.compile(r"time_?out|超时|等待", re.IGNORECASE)
_MILLISECONDS = re.compile(r"_?ms$|毫秒", re.IGNORECASE)
_SELECTOR = re.compile(r"selector|css|xpath|^fields$|选择器", re.IGNORECASE)
_SHORTEST_SLIP = 3
"""Letters of a name from which on it can be told what was meant."""
_QUOTED = re.compile(r"'([^']+)'")


class AdjustedArguments(BaseModel):
    """Arguments for another try, and what was changed in them."""

    arguments: dict[str, Any]
    reason: Said


class Adjuster:
    """Suggests arguments for another try of a call that failed."""

    def __init__(self, spec: ToolSpec, memory: Memory, workspace: Path, user: str = "") -> None:
        self._spec = spec
        self._memory = memory
        self._workspace = workspace
        self._user = user

    async def adjusted(
        self, action: str | None, arguments: Mapping[str, Any], kind: FailureKind, error: str
    ) -> AdjustedArguments | None:
        """Other arguments that are likely to work; None where nothing is known to help."""
        if self._spec.for_action(action).writes and kind != "timeout":
            return None  # another path or element is another change
        if known := self._known_to_help(arguments):
            return known
        match kind:
            case "timeout":
                return self._with_more_time(action, arguments)
            case "not_found":
                near = await anyio.to_thread.run_sync(lambda: self._with_nearest_path(arguments))
                return near or self._with_seen_selector(arguments, error)
            case "bad_arguments":
                return self._with_seen_selector(arguments, error)
            case _:
                return None

    def _known_to_help(self, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        for change in self._memory.patterns(self._spec.name, self._user).adjustments:
            before = arguments.get(change.field)
            # in its form, not in what is asked
            in_form = any(form.search(change.field) for form in (_TIMEOUT, PATH_FIELD, _SELECTOR))
            if in_form and before is not None and before == change.before and change.after is not None:
                return _changed(arguments, change.field, change.after, message("changed_as_before"))
        return None

    def _with_more_time(self, action: str | None, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        capability = self._spec.capability(action)
        fields = as_mapping(capability.parameters.get("properties") if capability else None)
        for name in {**fields, **arguments}:
            most = LONGEST_TIMEOUT * (1000 if _MILLISECONDS.search(name) else 1)
            before = arguments.get(name, fields.get(name, {}).get("default"))
            if _TIMEOUT.search(name) and isinstance(before, int | float) and 0 < before < most:
                return _changed(arguments, name, min(before * 2, type(before)(most)), message("changed_to_wait"))
        return None

    def _with_nearest_path(self, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        for name, value in arguments.items():
            if PATH_FIELD.search(name) and isinstance(value, str) and "://" not in value and self._is_missing(value):
                near = nearest_path(self._workspace, value)
                if near is not None and near not in self._failed() and _is_a_slip(value, near):
                    return _changed(arguments, name, near, message("changed_to_nearest"))
        return None

    def _is_missing(self, path: str) -> bool:
        try:
            return not resolve_inside(self._workspace, path).exists()
        except (ToolFailed, OSError):
            return False  # outside: its nearest name inside is another thing

    def _with_seen_selector(self, arguments: Mapping[str, Any], error: str) -> AdjustedArguments | None:
        for name, value in _texts(arguments):
            quoted = f"'{value}'"
            if not _SELECTOR.search(name) or quoted not in error:
                continue
            seen = [one for one in _listed(error.partition(quoted)[2]) if one != value and one not in self._failed()]
            if seen:
                replaced = {field: _replaced(part, value, seen[0]) for field, part in arguments.items()}
                return _changed(arguments, name, replaced[name], message("changed_to_seen"))
        return None

    def _failed(self) -> Sequence[Any]:
        return self._memory.failed_values(self._spec.name, self._user)


def _is_a_slip(asked: str, near: str) -> bool:
    """Whether one path is the other written carelessly: its case, folder or ending, or a slip of one letter.

    A letter may be too many or too few, or have changed places with its neighbour. Another digit or another letter is
    another file: `a.md` is not `b.md`, and `v1.md` is not `v2.md`.
    """
    one, other = Path(asked.casefold()), Path(near.casefold())
    if one.stem == other.stem:
        return True
    if one.suffix != other.suffix or min(len(one.stem), len(other.stem)) < _SHORTEST_SLIP:
        return False
    if re.sub(r"\D", "", one.stem) != re.sub(r"\D", "", other.stem):
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415  only mistakes need it

    is_another_letter = len(one.stem) == len(other.stem) and sorted(one.stem) != sorted(other.stem)
    return OSA.distance(one.stem, other.stem) == 1 and not is_another_letter


def _changed(arguments: Mapping[str, Any], name: str, value: Any, why: Message) -> AdjustedArguments:
    reason = message("argument_changed", name=name, value=repr(value), why=why)
    return AdjustedArguments(arguments={**arguments, name: value}, reason=reason)


def _texts(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each text among the arguments, and in objects among them, under the name of its argument."""
    for name, value in arguments.items():
        parts = value.values() if is_object(value) else [value]
        yield from ((name, part) for part in parts if isinstance(part, str))


def _replaced(part: Any, old: str, new: str) -> Any:
    if is_object(part):
        return {name: new if value == old else value for name, value in part.items()}
    return new if part == old else part


def _listed(text: str) -> list[str]:
    """What a sentence lists after its colon: `'a', 'b'`, or `a (what it says); b`."""
    listed = text.partition(": ")[2].rstrip(". ")
    split: Callable[[str], list[str]] = _QUOTED.findall if listed.startswith("'") else lambda one: one.split("; ")
    return [name for part in split(listed) if (name := part.partition(" (")[0].strip())]
