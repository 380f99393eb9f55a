"""Calls that a person decides on: put together once per round with what they would do, answered each (R1.6)."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Literal, cast

from pydantic import Field, ValidationError

from switchyard.language.messages import message
from switchyard.ledger.secrets import RunSecrets, plain
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import SettingsInvalid, ToolError
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.masking import MASK, is_secret_name, shown_arguments, without_said

PREVIEW_SECONDS = 5.0
"""What a tool may take to say what it would do."""
MAX_EFFECTS, MAX_LINES, LINE_LENGTH = 20, 60, 300
"""What is kept with a request: effects, lines of each, characters of a line."""
LONGEST_QUOTED = 300
"""Characters of a reply that could not be read, in the sentence that says so."""

_YES = {"approve", "approved", "yes", "y", "ok", "true", "批准", "同意", "是", "好"}
_NO = {"refuse", "refused", "no", "n", "false", "reject", "拒绝", "否", "不"}
_NAMED = re.compile(r"^([ +-]?[ \t]*(?:export\s+)?[\"']?(?!key\b)([\w.-]+)[\"']?[ \t]*[:=][ \t]*)\S.*$", re.MULTILINE)
"""A line of a file that gives something named a value, such as `API_KEY=…`."""

log = get_logger(__name__)

Why = Literal["may_have_happened", "already_done", "secret_lost", "writes", "asks"]


class ApprovalRequest(LateModel):
    """A call that waits for a person. What is approved is what runs: its arguments are bound."""

    step_id: str
    description: str
    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    reason: str
    effect: list[Effect] = Field(default_factory=list[Effect])
    """What the call would do, as far as its tool can say."""
    why: Why = "writes"
    signature: str = ""
    """Of the call that is asked about; a reply is for this one alone."""
    attempt: int = 1
    """The number the attempt will have: once it has begun, the reply is used up."""


class ApprovalReply(LateModel):
    """What the person decided."""

    decision: Literal["approve", "edit", "refuse"]
    arguments: dict[str, Any] | None = None
    """The arguments to use instead, for `edit`."""
    signature: str | None = None
    """The request's, where whoever replies wants to be sure that it is still the one that waits."""


class Approval(LateModel):
    """A request, and what the person replied to it."""

    request: ApprovalRequest
    reply: ApprovalReply | None = None
    """None while it is waited for."""

    def covers(self, why: Why, signature: str) -> bool:
        """Whether the reply is about this call, for this reason; one whose arguments were edited is another call."""
        edited = self.reply is not None and self.reply.decision == "edit"
        return self.request.why in {why, "secret_lost"} and (edited or self.request.signature == signature)


async def effects_of(dispatcher: Dispatcher, request: ToolRequest) -> list[Effect]:
    """What the tool says the call would do, without secrets and not too much; nothing where it cannot say.

    Raises:
        ToolError: with what the tool says against the call.
    """
    try:
        async with asyncio.timeout(PREVIEW_SECONDS):
            effects = await dispatcher.preview(request)
    except ToolError:
        raise
    except Exception as error:  # noqa: BLE001  what a tool cannot say beforehand keeps nobody from deciding
        log.warning("preview_failed", tool=request.tool, step=request.context.step_id, error=type(error).__name__)
        return []
    return [_bounded(effect) for effect in effects[:MAX_EFFECTS]]


def read_replies(raw: Any, requests: list[ApprovalRequest]) -> dict[str, ApprovalReply]:
    """The replies by step, from whatever form a person or a program answered in.

    One word answers all; an object answers by step id, each with a word or `{"decision", "arguments"}`; LangChain's
    interfaces send `{"decisions": [{"type": "approve"}, …]}`, in the order of the requests. Of several, what is not
    answered is refused: nothing runs that nobody approved. A reply that is about none of them is no refusal.

    Raises:
        SettingsInvalid: when the form cannot be read, or it is for another request; the text shows the right one.
    """
    listed: Any = raw.get("decisions") if is_mapping(raw) else raw
    if is_list(listed):
        if len(listed) != len(requests):
            raise _unread(raw, requests[0])
        return {one.step_id: _reply(_common(said), one) for one, said in zip(requests, listed, strict=True)}
    if not is_mapping(raw) or "decision" in raw:
        return {request.step_id: _reply(raw, request) for request in requests}
    if not any(request.step_id in raw for request in requests):
        raise _unread(raw, requests[0])
    return {request.step_id: _reply(raw.get(request.step_id, "refuse"), request) for request in requests}


def is_approval(raw: Any) -> bool:
    """Whether a reply says yes and nothing else."""
    return str(raw).strip().lower() in _YES


def shown_requests(approvals: Mapping[str, Approval]) -> list[dict[str, Any]]:
    """The requests as a person gets them: secrets are masks, without the handles they are held under."""
    return [cast("dict[str, Any]", plain(one.request.model_dump(mode="json"))) for one in approvals.values()]


def asked_for(approvals: Mapping[str, Approval]) -> dict[str, Any]:
    """What a person is asked: our requests, and beside them the form that LangChain's interfaces draw buttons for."""
    requests = shown_requests(approvals)
    return {
        "requests": requests,
        "action_requests": [
            {"name": one["tool"], "args": one["arguments"], "description": f"{one['description']}\n{one['reason']}"}
            for one in requests
        ],
        "review_configs": [
            {"action_name": name, "allowed_decisions": ["approve", "edit", "reject"]}
            for name in dict.fromkeys(one["tool"] for one in requests)
        ],
    }


def _common(said: Any) -> Any:
    """A decision in LangChain's form as one of ours; anything else as it is."""
    decision: dict[str, Any] = dict(said) if is_mapping(said) else {}
    match decision.get("type"):
        case "approve" | "accept":
            return "approve"
        case "reject" | "ignore":
            return "refuse"
        case "edit":
            action: dict[str, Any] = decision.get("edited_action") or {"args": decision.get("args")}
            return {"decision": "edit", "arguments": action.get("args")}
        case _:
            return cast("Any", said)


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
        raise _unread(raw, request)
    if reply.signature not in {None, request.signature}:
        raise SettingsInvalid(message("reply_for_another", step=request.step_id))
    return reply


def _unread(raw: Any, request: ApprovalRequest) -> SettingsInvalid:
    form = {request.step_id: {"decision": "edit", "arguments": request.arguments}}
    return SettingsInvalid(message("reply_unread", form=str(form), reply=without_said(repr(raw))[:LONGEST_QUOTED]))


def _bounded(effect: Effect) -> Effect:
    """The effect without secrets and not too long, whatever the tool made of it."""
    text = shown_arguments({"text": effect.text})["text"]
    # a line without its value, where the name says that it is a secret
    lines = _NAMED.sub(lambda line: f"{line[1]}{MASK}" if is_secret_name(line[2]) else line[0], text).splitlines()
    return Effect(
        kind=effect.kind,
        target=_cut(shown_arguments({"target": effect.target})["target"]),
        text="\n".join(map(_cut, lines[:MAX_LINES])),
        left_out=effect.left_out + max(len(lines) - MAX_LINES, 0),
    )


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…"


def hidden(reply: ApprovalReply, secrets: RunSecrets) -> ApprovalReply:
    """A reply as it is stored: without the secrets among the arguments that were edited."""
    if reply.arguments is None:
        return reply
    return reply.model_copy(update={"arguments": secrets.hide(reply.arguments)})
