"""One try of one call, what it gave, and how two calls are known to be the same."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel, Field

from tools.core.errors import TRANSIENT, FailureKind
from tools.core.result import ToolResult


class Failure(BaseModel):
    """What went wrong with one call (R7.1)."""

    step_id: str
    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    kind: FailureKind
    error: str
    signature: str
    at: float
    """Seconds since the epoch."""

    @property
    def transient(self) -> bool:
        """Whether the same call may work a moment later."""
        return self.kind in TRANSIENT


class Attempt(BaseModel):
    """A row of the journal."""

    run_id: str
    step_id: str
    item: int | None = None
    """The position in a for-each step."""
    number: int
    tool: str
    source: str = ""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    signature: str
    writes: bool = False
    state: Literal["started", "finished", "failed"]
    result: ToolResult | None = None
    at: float
    idempotency_key: str

    @property
    def key(self) -> str:
        """Unique within the run."""
        item = "" if self.item is None else f"[{self.item}]"
        return f"{self.step_id}{item}#{self.number:03d}"


def call_signature(
    tool: str, action: str | None, arguments: Mapping[str, Any], schema: Mapping[str, Any] | None = None
) -> str:
    """Equal for two calls that mean the same (R7.2).

    The order of keys, surrounding white space, the free-text explanation, nulls and values equal to the schema's
    default do not tell calls apart.
    """
    fields = cast("Mapping[str, Mapping[str, Any]]", (schema or {}).get("properties", {}))
    meant = {
        name: _normal(value)
        for name, value in arguments.items()
        if name != "explanation"
        and value is not None
        and _normal(value) != fields.get(name, {}).get("default", _NO_DEFAULT)
    }
    text = json.dumps(
        [tool, None if action == tool else action, meant], ensure_ascii=False, sort_keys=True, default=str
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


_NO_DEFAULT = object()


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value).strip()
    if isinstance(value, Mapping):
        return {key: _normal(part) for key, part in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_normal(part) for part in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
