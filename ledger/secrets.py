"""Secrets stay out of logs, reports, prompts and the database.

A call under way needs them all the same, perhaps after a person has approved it. So they are held here, in this
process alone, and what is stored has a handle in the place of each: `***[4f1c…]`. A process that starts anew does not
know the handle, and the person is asked for the value again.
"""

import hmac
import json
import re
import secrets
from collections.abc import Callable
from itertools import pairwise, zip_longest
from typing import Any, cast
from urllib.parse import unquote

from switchyard.tools.core.json_values import is_list, is_object, with_texts
from switchyard.tools.core.masking import (
    MASK,
    every_text,
    replaced,
    shown_arguments,
    spelled,
    without_keys,
    without_said,
)

RUNS_HELD = 256
"""Runs whose secrets are held; the one used longest ago goes first."""

_SHORTEST = len(MASK) + 1
_HANDLE = re.compile(re.escape(MASK) + r"\[([0-9a-f]{16})\]")
_BARE = re.compile(re.escape(MASK) + r"(?!\[[0-9a-f]{16}\])")
_LOST = f"{MASK}[{'0' * 16}]"
"""Stands where a secret belongs that nobody gave."""


def masked(text: str, *known: str | None) -> str:
    """`text` without what looks like a key, and without the secrets that are known."""
    return without_keys(replaced(text, spelled(filter(None, known), _SHORTEST)))


def plain(value: Any) -> Any:
    """A hidden value as people see it: a mask, without its handle."""
    return every_text(value, lambda text: _HANDLE.sub(MASK, text)) if MASK in str(value) else value


def unmasked(edited: Any, hidden: Any) -> Any:
    """Arguments that were edited as they are shown, with handles put back where the masks were left as they are."""
    if edited == plain(hidden):
        return hidden
    if is_object(edited) and is_object(hidden):
        return {name: unmasked(part, hidden.get(name)) for name, part in edited.items()}
    if is_list(edited) and is_list(hidden):
        return [unmasked(part, before) for part, before in zip_longest(edited, hidden[: len(edited)])]
    handles = [match[0] for match in _HANDLE.finditer(hidden)] if isinstance(hidden, str) else []
    pieces = _BARE.split(edited) if isinstance(edited, str) and handles else []
    if len(pieces) < 2:  # noqa: PLR2004  no mask was left in it
        return edited
    in_order = handles if len(pieces) == len(handles) + 1 else [_LOST] * (len(pieces) - 1)
    return "".join(part for both in zip(pieces, [*in_order, ""], strict=True) for part in both)


class RunSecrets:
    """The secrets of one run."""

    def __init__(self) -> None:
        self._salt = b""
        """Drawn for the first secret; most runs have none."""
        self._held: dict[str, Any] = {}
        """Secrets by handle."""
        self._texts: dict[str, str] = {}
        """Texts with secrets in them by what they are hidden as, so that each comes back to the letter."""

    def hide(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with a handle in the place of each secret; what is hidden already stays so."""
        hidden = shown_arguments(arguments, self._handle)
        if not self._held:
            return hidden
        known = self._known()  # the same value elsewhere is as secret
        hidden = cast("dict[str, Any]", with_texts(hidden, lambda text: self._covered(text, known, self._handle)))
        self._note(hidden, arguments)
        return hidden

    def reveal(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as they were; a handle that is not known stays."""
        if not self._held:
            return arguments
        return cast("dict[str, Any]", with_texts(arguments, self._revealed))

    def lost(self, arguments: dict[str, Any]) -> bool:
        """Whether something is hidden here that this process does not hold."""
        return any(handle not in self._held for handle in _HANDLE.findall(str(arguments)))

    def cover(self, value: Any) -> Any:
        """A JSON value for storing: without the secrets held, wherever they are repeated; handles stay."""
        if not self._held:
            return value
        known = self._known()
        return every_text(value, lambda text: self._covered(text, known, lambda _: MASK))

    def mask(self, value: Any) -> Any:
        """A JSON value for showing: without the secrets held, and without handles."""
        return plain(self.cover(value)) if self._held else value

    def mask_said(self, text: str) -> str:
        """A text that a model or a user wrote, for storing: it may have secrets that nobody parsed."""
        return str(self.mask(without_said(text)))

    def _known(self) -> tuple[str, ...]:
        return spelled(part for secret in self._held.values() for part in _parts(secret))

    def _covered(self, text: str, known: tuple[str, ...], mask: Callable[[str], str]) -> str:
        """The text without what is known; what is hidden in it already is left alone."""
        if not any(form in text for form in known):
            return text
        ends = [0, *(place for match in _HANDLE.finditer(text) for place in match.span()), len(text)]
        pieces = [text[start:end] for start, end in pairwise(ends)]
        for position in range(0, len(pieces), 2):  # the others are handles
            for form in known:
                if form in pieces[position]:
                    pieces[position] = pieces[position].replace(form, mask(form))
        return "".join(pieces)

    def _handle(self, secret: Any) -> str:
        if isinstance(secret, str) and (secret == MASK or _HANDLE.search(secret)):
            return secret
        self._salt = self._salt or secrets.token_bytes(16)
        written = json.dumps(secret, ensure_ascii=False, sort_keys=True, default=str)
        handle = hmac.digest(self._salt, written.encode("utf-8", "surrogatepass"), "sha256").hex()[:16]
        self._held[handle] = secret
        return f"{MASK}[{handle}]"

    def _note(self, hidden: Any, value: Any) -> None:
        if is_object(hidden) and is_object(value):
            for name, part in hidden.items():
                self._note(part, value[name])
        elif is_list(hidden) and is_list(value):
            for part, before in zip(hidden, value, strict=True):
                self._note(part, before)
        elif isinstance(hidden, str) and isinstance(value, str) and hidden != value:
            self._texts[hidden] = value

    def _revealed(self, value: str) -> Any:
        if MASK not in value:
            return value
        if whole := _HANDLE.fullmatch(value):
            return self._held.get(whole[1], value)
        if value in self._texts:
            return self._texts[value]
        if value.lstrip()[:1] in {"{", "["}:  # JSON text that was edited: what was inside goes back inside
            try:
                return json.dumps(with_texts(json.loads(value), self._revealed), ensure_ascii=False)
            except (ValueError, RecursionError):
                pass
        return _HANDLE.sub(lambda match: str(self._held.get(match[1], match[0])), value)


def _parts(secret: Any) -> list[str]:
    """The texts of a secret, and what of each is one by itself: after `Bearer`, after the name of a user."""
    if is_object(secret):
        return [part for value in secret.values() for part in _parts(value)]
    if is_list(secret):
        return [part for value in secret for part in _parts(value)]
    text = str(secret)
    return [text, text.partition(" ")[2], text.partition(":")[2], unquote(text)]


class HeldSecrets:
    """The secrets of the runs of one process."""

    def __init__(self) -> None:
        self._runs: dict[str, RunSecrets] = {}

    def of(self, run_id: str) -> RunSecrets:
        """The secrets of a run."""
        self._runs[run_id] = found = self._runs.pop(run_id, None) or RunSecrets()
        if len(self._runs) > RUNS_HELD:
            del self._runs[next(iter(self._runs))]
        return found

    def forget(self, run_id: str) -> None:
        """Let go of a run's secrets: it has ended."""
        self._runs.pop(run_id, None)
