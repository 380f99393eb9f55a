"""One try of one call, what it gave, and how two calls are known to be the same."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import Field, SecretBytes, SecretStr

from switchyard.language.messages import Said, message
from switchyard.ledger.stored import Versioned
from switchyard.tools.core.errors import LONGEST_WAIT, TRANSIENT, FailureKind
from switchyard.tools.core.json_values import no_fields, no_items
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.result import ToolResult


@dataclass(frozen=True, slots=True)
class CallIdentity:
    """What is known of a call before it is made; the hub finds it out (`toolhub.calling.identity`)."""

    signature: str
    """Equal for two calls that mean the same."""
    names: tuple[str, ...] = ()
    """The paths, hosts and ids in its arguments, such as `path:docs/a.md`: what it reads, or changes."""


class _CallRecord(LateModel):
    """What is kept of a call, whether it worked or not."""

    step_id: str
    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=no_fields)
    signature: str = ""
    """Of the call that was made; empty where none was."""
    names: list[str] = Field(default_factory=no_items)
    """What the call named, as in `CallIdentity`."""
    order: int = 0
    """Its place among all rows of the run, which the journal gives: what has a higher one came later."""
    at: float
    """Seconds since the epoch, for people: clocks are set back."""


class Failure(_CallRecord):
    """What went wrong with one call (R7.1)."""

    kind: FailureKind
    error: Said
    wait: float | None = None
    """Seconds after which the same call is welcome, where somebody said so."""
    lasting: bool = False
    """It does not pass by itself, whatever its class."""

    @property
    def transient(self) -> bool:
        """Whether the same call may work a moment later."""
        return self.kind in TRANSIENT and not self.lasting and (self.wait or 0) <= LONGEST_WAIT


class Repeat(_CallRecord):
    """A call that was wanted again although it had failed: it was not made, and is no attempt (R7.2)."""

    reason: Said


class Attempt(_CallRecord, Versioned):
    """A row of the journal."""

    run_id: str
    item: int | None = None
    """The position in a for-each step."""
    number: int
    source: str = ""
    writes: bool = False
    refreshes: bool = False
    """It brought in anew what other calls look at, such as a page."""
    state: Literal["started", "finished", "failed"]
    result: ToolResult | None = None
    idempotency_key: str
    given: str = ""
    """Digest of the assignment, and of the attempts that gave what it builds on; equal while nobody has edited them."""

    @property
    def key(self) -> str:
        """Unique within the run."""
        item = "" if self.item is None else f"[{self.item}]"
        return f"{self.step_id}{item}#{self.number:03d}"


def failures_of(attempt: Attempt) -> list[Failure]:
    """What the run remembers of an attempt: the stand-ins that failed in its place, and last its own failure."""
    result = attempt.result or ToolResult.failed(message("no_result"), "crash")
    own_kind, own_error = result.error_type or "crash", result.error or message("no_reason_given")
    said: dict[str, Any] = {"step_id": attempt.step_id, "order": attempt.order, "at": attempt.at}
    failed = attempt.state == "failed"
    found = [
        Failure.model_validate(
            {**one.model_dump(), **said, "kind": one.kind or own_kind, "error": one.error or own_error}
        )
        for one in result.meta.stand_ins
        if failed or one.kind
    ]
    if failed:
        own = attempt.model_dump(include=set(_CallRecord.model_fields))
        passing = result.meta.model_dump(include={"wait", "lasting"})
        found.append(Failure.model_validate({**own, **said, **passing, "kind": own_kind, "error": own_error}))
    return found


def digest_of(*values: Any) -> str:
    """Short, and equal for equal values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:16]


def call_signature(tool: str, action: str | None, arguments: Mapping[str, Any]) -> str:
    """Equal for two calls whose arguments are the same to a reader (R7.2); the hub says what a tool reads.

    The order of keys, surrounding white space, characters that cannot be seen, the free-text explanation and nulls do
    not tell calls apart.
    """
    meant = {name: _normal(value) for name, value in arguments.items() if name != "explanation" and value is not None}
    text = json.dumps([tool, None if action == tool else action, meant], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def plain_text(text: str) -> str:
    """A text as it is seen: composed, without white space around it and without characters of no width."""
    if text.isascii():
        return text.strip()
    seen = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFC", seen).strip()


def _normal(value: Any) -> Any:
    match value:
        case str():
            return plain_text(value)
        case SecretStr() | SecretBytes():
            return str(value.get_secret_value())  # shown, all secrets are equal
        case Mapping():
            return {str(key): _normal(part) for key, part in cast("Mapping[Any, Any]", value).items()}
        case list() | tuple() | set() | frozenset():
            parts = [_normal(part) for part in cast("list[Any]", value)]
            return sorted(parts, key=repr) if isinstance(value, set | frozenset) else parts
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
