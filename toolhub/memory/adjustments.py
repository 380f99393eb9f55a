"""Arguments that failed, changed in the one way that is likely to help (R7.3).

What helped before comes first, and a field by its right name; then timeouts are doubled, a missing path becomes the
nearest one there is, a name that the error calls unknown the one it lists that must be meant (a column, a sheet, a
key), and a selector one of those on the page: as the error names them, or as an earlier call saw it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import anyio.to_thread
from pydantic import BaseModel

from switchyard.language.messages import Message, Said, message
from switchyard.toolhub.calling.arguments import as_mapping, required_fields
from switchyard.toolhub.calling.identity import PATH_FIELD
from switchyard.toolhub.calling.request import LONGEST_SECONDS
from switchyard.toolhub.memory.memory import Memory
from switchyard.tools.core.errors import FailureKind, ToolFailed
from switchyard.tools.core.files import nearest_path
from switchyard.tools.core.json_values import with_texts
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.spec import ToolSpec
from switchyard.tools.core.workspace import resolve_inside

_TIMEOUT = re.compile(r"time_?out|超时|等待", re.IGNORECASE)
_MILLISECONDS = re.compile(r"_?ms$|毫秒", re.IGNORECASE)
_SELECTOR = re.compile(r"selector|css|xpath|^fields$|选择器", re.IGNORECASE)
_FORM = re.compile(r"column|condition|field|key|sheet|table|sql|(?:^|_)by$|列|字段|键|工作表", re.IGNORECASE)
"""Arguments that name a part of what is looked at."""
_SHORTEST_SLIP = 3
"""Letters of a name from which on it can be told what was meant."""
_QUOTED = re.compile(r"'([^']+)'")
_QUOTES = re.compile(r"'[^']{1,80}'|\"[^\"]{1,80}\"|“[^”]{1,80}”|`[^`]{1,80}`|「[^」]{1,80}」")
_LISTED = re.compile(r"[^\s,;、，；。：:()（）'\"“”]+")
"""Names that a sentence lists without quotes."""
_ELEMENT = re.compile(r"<(?P<tag>[a-z][\w-]*)(?P<attributes>\s[^<>]*)", re.IGNORECASE)
_NAMES = re.compile(
    r"(?<![\w-])(?P<kind>class|id)\s*=\s*([\"'])?(?P<names>(?(2)(?:(?!\2).)+|[^\s\"']+))", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?<![\w/:.-])(?:https?://[\w.:-]+)?/[\w./-]+")
_REFERENCE = re.compile(r"\{\{[^{}]*\}\}")
_FOLDER_WORD = re.compile(r"(?i)(?:文件夹|夹|目录|[ _-](?:folder|dir))$")
_PAGE_READ = 200_000
"""Characters of a page in which elements are looked for."""


class AdjustedArguments(BaseModel):
    """Arguments for another try, and what was changed in them."""

    arguments: dict[str, Any]
    reason: Said
    sure: bool = True
    """Whether it is what was meant beyond doubt, so that nobody has to be asked."""


@dataclass(frozen=True, slots=True)
class Adjuster:
    """Suggests arguments for another try of a call that failed."""

    spec: ToolSpec
    memory: Memory
    workspace: Path
    user: str = ""
    observed: Iterable[Any] = ()
    """What calls of the run gave, where the elements of a page may be found."""

    async def adjusted(
        self, action: str | None, arguments: Mapping[str, Any], kind: FailureKind, error: str
    ) -> AdjustedArguments | None:
        """Other arguments that are likely to work; None where nothing is known to help."""
        if kind == "bad_arguments" and (renamed := self._with_right_fields(action, arguments)):
            return renamed
        if self.spec.for_action(action).writes and kind != "timeout":
            return None  # another path or element is another change
        if known := self._known_to_help(arguments):
            return known
        if kind == "timeout":
            return self._with_more_time(action, arguments)
        if kind not in {"not_found", "bad_arguments"}:
            return None
        near = await anyio.to_thread.run_sync(lambda: self._with_nearest_path(arguments))
        return (
            near
            or self._with_right_name(arguments, error)
            or self._with_told_address(arguments, error)
            or self._with_seen_selector(arguments, error)
        )

    def _with_right_fields(self, action: str | None, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        """Every field that the tool does not have by the name of the one that is meant; nothing else is changed."""
        capability = self.spec.capability(action)
        schema = capability.parameters if capability else {}
        fields, given = as_mapping(schema.get("properties")), arguments.keys() - {"explanation"}
        missing = [name for name in required_fields(schema) if name not in given]
        unknown = [name for name in arguments if name in given - fields.keys()]
        renamed: dict[str, str] = {}
        for name in unknown:
            left = [field for field in fields if field not in {*given, *renamed.values()}]
            near = [field for field in left if _is_name_of(name, field, whole=field not in missing)]
            renamed |= {name: near[0]} if len(near) == 1 else {}
        odd = [name for name in unknown if name not in renamed]
        last = [field for field in missing if field not in renamed.values()]
        if len(odd) == len(last) == 1:  # what is left over on both sides belongs together
            renamed |= {odd[0]: last[0]}
        elif odd:
            return None
        if not renamed or {*missing} - {*renamed.values()}:
            return None
        reason = message("fields_renamed", fields=[f"{name} → {field}" for name, field in renamed.items()])
        return AdjustedArguments(
            arguments={renamed.get(name, name): value for name, value in arguments.items()}, reason=reason
        )

    def _with_right_name(self, arguments: Mapping[str, Any], error: str) -> AdjustedArguments | None:
        """A name that the error calls unknown, by the one of those it lists that must be meant."""
        for quoted in dict.fromkeys(_QUOTES.findall(error)):
            wrong, rest = quoted[1:-1], error.partition(quoted)[2]
            name = next((field for field, value in arguments.items() if _renamed(value, wrong, "") != value), None)
            if name is None or PATH_FIELD.search(name) or _SELECTOR.search(name) or len(wrong) < _SHORTEST_SLIP - 1:
                continue
            references = _REFERENCE.findall(arguments[name]) if isinstance(arguments[name], str) else []
            referred = any(_renamed(one, wrong, "") != one for one in references)
            if referred and "." in wrong:
                continue  # the whole way to a field, of which one name is wrong
            after_colon = _LISTED.findall(rest.rpartition(":")[2])
            listed = {one[1:-1] for one in _QUOTES.findall(rest)} | {one.rstrip(".") for one in after_colon}
            same = [one for one in listed - {wrong} if _letters(one) == _letters(wrong)]
            if not same and (_FORM.search(name) or referred):  # elsewhere, one letter may be another station
                same = [one for one in listed - {wrong} if _is_name_of(wrong, one)]
            if len(same) == 1 and same[0] not in self._failed():
                forms = {field for field in arguments if field == name or _FORM.search(field)}
                named = {field: _renamed(arguments[field], wrong, same[0]) for field in forms}
                return _changed({**arguments, **named}, name, named[name], message("changed_to_listed"))
        return None

    def learned(self, action: str | None, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        """Other arguments for a call that was not made yet: this very call failed before, and another one served."""
        shown = {name: value for name, value in arguments.items() if name != "explanation"}
        changes = self.memory.notes(self.user, self.spec.tool_id).adjustments
        known = next((one for one in reversed(changes) if one.fits(shown) and one.after is not None), None)
        if known is None or self.spec.for_action(action).writes:
            return None
        return _changed(arguments, known.field, known.after, message("changed_as_before"))

    def _known_to_help(self, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        for change in reversed(self.memory.notes(self.user, self.spec.tool_id).adjustments):
            before = arguments.get(change.field)
            # in its form, not in what is asked
            in_form = any(form.search(change.field) for form in (_TIMEOUT, PATH_FIELD, _SELECTOR, _FORM))
            if in_form and before is not None and before == change.before and change.after is not None:
                return _changed(arguments, change.field, change.after, message("changed_as_before"))
        return None

    def _with_more_time(self, action: str | None, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        capability = self.spec.capability(action)
        fields = as_mapping(capability.parameters.get("properties") if capability else None)
        for name in {**fields, **arguments}:
            most = LONGEST_SECONDS * (1000 if _MILLISECONDS.search(name) else 1)
            before = arguments.get(name, fields.get(name, {}).get("default"))
            if _TIMEOUT.search(name) and isinstance(before, int | float) and 0 < before < most:
                return _changed(arguments, name, min(before * 2, type(before)(most)), message("changed_to_wait"))
        return None

    def _with_nearest_path(self, arguments: Mapping[str, Any]) -> AdjustedArguments | None:
        for name, value in arguments.items():
            if PATH_FIELD.search(name) and isinstance(value, str) and "://" not in value and self._is_missing(value):
                near = nearest_path(self.workspace, value)
                if near is not None and near not in self._failed() and is_a_slip(value, near):
                    return _changed(arguments, name, near, message("changed_to_nearest"))
        return None

    def _with_told_address(self, arguments: Mapping[str, Any], error: str) -> AdjustedArguments | None:
        """An address that moved, by the one that its own server names in the answer: the same thing elsewhere."""
        texts = {name: value for name, value in arguments.items() if isinstance(value, str)}
        addresses = {name: urlsplit(text) for name, text in texts.items() if text.startswith(("http://", "https://"))}
        for name, asked in addresses.items():
            for found in (urljoin(asked.geturl(), one.rstrip(".")) for one in _ADDRESS.findall(error)):
                there = urlsplit(found)
                same = (there.scheme, there.netloc) == (asked.scheme, asked.netloc)
                if same and there.path != asked.path and Path(there.path).name == Path(asked.path).name:
                    return _changed(arguments, name, found, message("changed_to_told"))
        return None

    def _is_missing(self, path: str) -> bool:
        try:
            return not resolve_inside(self.workspace, path).exists()
        except (ToolFailed, OSError):
            return False  # outside: its nearest name inside is another thing

    def _with_seen_selector(self, arguments: Mapping[str, Any], error: str) -> AdjustedArguments | None:
        named = [name for name in arguments if _SELECTOR.search(name)]
        for name, selector in [(field, text) for field in named for text in _texts_in([arguments[field]])]:
            quoted = f"'{selector}'"
            seen = _listed(error.partition(quoted)[2]) if quoted in error else []
            left = [one for one in seen or _on_pages(self.observed, selector) if one not in {selector, *self._failed()}]
            if left:
                instead = {selector: left[0]}
                meant = with_texts(arguments[name], lambda text, instead=instead: instead.get(text, text))
                found = _changed(arguments, name, meant, message("changed_to_seen"))
                return found.model_copy(update={"sure": False})
        return None

    def _failed(self) -> list[Any]:
        """Every argument that was in a failed call of the tool."""
        patterns = self.memory.patterns(self.spec.tool_id, self.user)
        return [value for values in patterns.arguments.values() for value in values]


def _is_name_of(asked: str, listed: str, *, whole: bool = False) -> bool:
    """Whether a name must be what another one means: the same letters, a slip of one, or, unless `whole`, a part."""
    short, long = sorted((_letters(asked), _letters(listed)), key=len)
    if not whole and short in long and len(short) >= (_SHORTEST_SLIP if short.isascii() else _SHORTEST_SLIP - 1):
        return True
    return bool(short) and is_a_slip(f"{short}.x", f"{long}.x")


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _renamed(value: Any, old: str, new: str) -> Any:
    """An argument with a name in it replaced, where it stands as a word of a text."""
    return with_texts(value, lambda text: re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text))


def _texts_in(values: Iterable[Any]) -> list[str]:
    found: list[str] = []
    for value in values:
        with_texts(value, found.append)
    return found


def _on_pages(observed: Iterable[Any], selector: str) -> list[str]:
    """The selectors of elements on the pages that were read that are most like one that found nothing."""
    pages = [text[:_PAGE_READ] for text in _texts_in(observed) if "<" in text]
    there = {
        f"{element['tag'].lower()}{'#' if found['kind'].lower() == 'id' else '.'}{name}": None
        for page in pages
        for element in _ELEMENT.finditer(page)
        for found in _NAMES.finditer(element["attributes"])
        for name in found["names"].split()
    }
    return nearest(selector.rsplit(maxsplit=1)[-1], there, likeness=60, most=3)


def is_a_slip(asked: str, near: str) -> bool:
    """Whether one path is the other written carelessly: its case, folder or ending, or a slip of one letter.

    The word for a folder is no part of its name (发票, 发票夹). A letter may be too many or too few, or have changed
    places with its neighbour. Another digit or another letter is another file: `a.md` is not `b.md`, and `v1.md` is
    not `v2.md`.
    """
    one, other = Path(asked.casefold()), Path(near.casefold())
    no_files = one.suffix == other.suffix == ""
    if one.stem == other.stem or (no_files and bare_folder(one.name) == bare_folder(other.name)):
        return True
    digits, others = (re.sub(r"\D", "", path.stem) for path in (one, other))
    is_another_letter = len(one.stem) == len(other.stem) and sorted(one.stem) != sorted(other.stem)
    if one.suffix != other.suffix or digits != others or is_another_letter:
        return False
    from rapidfuzz.distance import OSA  # noqa: PLC0415  only mistakes need it

    return min(len(one.stem), len(other.stem)) >= _SHORTEST_SLIP and OSA.distance(one.stem, other.stem) == 1


def bare_folder(name: str) -> str:
    """The name of a folder without the word for one."""
    return _FOLDER_WORD.sub("", name) or name


def _changed(arguments: Mapping[str, Any], name: str, value: Any, why: Message) -> AdjustedArguments:
    reason = message("argument_changed", name=name, value=repr(value), why=why)
    return AdjustedArguments(arguments={**arguments, name: value}, reason=reason)


def _listed(text: str) -> list[str]:
    """What a sentence lists after its colon: `'a', 'b'`, or `a (what it says); b`."""
    listed = text.partition(": ")[2].rstrip(". ")
    split: Callable[[str], list[str]] = _QUOTED.findall if listed.startswith("'") else lambda one: one.split("; ")
    return [name for part in split(listed) if (name := part.partition(" (")[0].strip())]
