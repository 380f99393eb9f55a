"""Calls that a person decides on: put together once per round, answered each (R1.6)."""

from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, ValidationError

from tools.core.errors import SettingsInvalid
from tools.core.masking import shown_arguments
from tools.core.spec import Language


class ApprovalRequest(BaseModel):
    """A call that waits for a person."""

    step_id: str
    description: str
    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    reason: str


class ApprovalReply(BaseModel):
    """What the person decided."""

    decision: Literal["approve", "edit", "refuse"]
    arguments: dict[str, Any] | None = None
    """The arguments to use instead, for `edit`."""


REASONS: dict[str, dict[Language, str]] = {
    "may_have_happened": {
        "en": "It was under way when the run stopped and may already have happened; run it again?",
        "zh": "上次停止时它正在执行，可能已经生效；要再执行一次吗？",
    },
    "already_done": {
        "en": "The same was already done in this run; do it again?",
        "zh": "这次运行中已经做过同样的操作；要再做一次吗？",
    },
    "writes": {"en": "It changes something outside the run.", "zh": "它会改变运行之外的内容。"},
    "asks": {"en": "It needs your approval.", "zh": "它需要您的批准。"},
}
"""Why a person is asked, in the language of the question."""

_YES = {"approve", "approved", "yes", "y", "ok", "true", "批准", "同意", "是", "好"}
_NO = {"refuse", "refused", "no", "n", "false", "reject", "拒绝", "否", "不"}


def read_replies(raw: Any, requests: list[ApprovalRequest]) -> dict[str, ApprovalReply]:
    """The replies by step, from whatever form a person or a program answered in.

    One word answers all; an object answers by step id, each with a word or `{"decision", "arguments"}`. What is not
    answered is refused: nothing runs that nobody approved.

    Raises:
        SettingsInvalid: when the form cannot be read; the text shows the right one.
    """
    if isinstance(raw, Mapping) and "decision" not in raw:
        by_step = cast("Mapping[str, Any]", raw)
        return {request.step_id: _reply(by_step.get(request.step_id, "refuse"), request) for request in requests}
    return {request.step_id: _reply(raw, request) for request in requests}


def unmasked(edited: dict[str, Any], real: Mapping[str, Any]) -> dict[str, Any]:
    """Edited arguments with what was masked in the request put back, where the person left the mask as it was."""
    return cast("dict[str, Any]", _restored(edited, shown_arguments(real), real))


def _restored(edited: Any, shown: Any, real: Any) -> Any:
    if edited == shown:
        return real
    if not all(isinstance(part, Mapping) for part in (edited, shown, real)):
        return edited
    parts, masked, before = cast("tuple[Mapping[str, Any], ...]", (edited, shown, real))
    return {name: _restored(part, masked.get(name), before.get(name)) for name, part in parts.items()}


def _reply(raw: Any, request: ApprovalRequest) -> ApprovalReply:
    word = str(raw).strip().lower()
    if word in _YES:
        return ApprovalReply(decision="approve")
    if word in _NO:
        return ApprovalReply(decision="refuse")
    try:
        reply = ApprovalReply.model_validate(raw)
    except ValidationError:
        reply = None
    if reply is None or (reply.decision == "edit" and reply.arguments is None):
        form = {request.step_id: {"decision": "edit", "arguments": request.arguments}}
        raise SettingsInvalid(f"An approval is 'approve', 'refuse', or an object such as {form}; got {raw!r}.")
    return reply
