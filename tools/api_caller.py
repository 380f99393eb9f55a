"""Calls of web APIs: one action that reads, one that sends and asks first."""

import base64
import hashlib
import json
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import httpx
from pydantic import BeforeValidator, Field, StringConstraints

from switchyard.language.messages import message, quoted
from switchyard.tools.core import BaseToolParams, Effect, ToolContext, ToolFailed, ToolResult, action, tool
from switchyard.tools.core.json_values import json_in
from switchyard.tools.core.masking import is_secret_name, masked, shown_arguments
from switchyard.tools.web.reply import WebReply, kind_of_status, read_json, text_of
from switchyard.tools.web.request import allowed_addresses, checked_url, fetch, port_of, shown_url, without_secrets

MAX_TEXT = 200_000
"""Longer text is cut."""
_JSON_SHOWN = 2000
_REASON = 300
_ONE_LINE = 100
_FORM = "application/x-www-form-urlencoded"
_HEADERS = ("content-type", "content-length", "etag", "last-modified", "link", "location", "retry-after")
"""The headers of an answer that a next step may need."""
_OVERRIDES = frozenset(
    {"x-http-method-override", "x-http-method", "x-method-override", "-method", "x-method", "http-method-override"}
)
"""Headers and query parameters that servers take another method from, with hyphens."""

_Value = str | int | float | bool
_InCapitals = BeforeValidator(lambda value: value.upper() if isinstance(value, str) else value)


class _RequestParams(BaseToolParams):
    url: str = Field(description="The address, in full, like https://api.example.com/v1/items.")
    params: dict[str, _Value | list[_Value]] = Field(
        default_factory=dict[str, _Value | list[_Value]], description="Query parameters to add to the address."
    )
    headers: dict[str, str] = Field(
        default_factory=dict[str, str], description="Headers to send, such as {'Authorization': 'Bearer …'}."
    )
    accept_errors: bool = Field(
        default=False, description="Return an answer with status 400 or above as a result instead of failing."
    )
    timeout: float = Field(default=20, gt=0, le=60, description="Seconds the whole call may take.")


class ApiReadParams(_RequestParams):
    """What to read."""

    method: Annotated[Literal["GET", "HEAD"], _InCapitals] = Field(
        default="GET", description="GET, or HEAD for status and headers alone. The action send has the others."
    )


class ApiSendParams(_RequestParams):
    """What to send."""

    method: Annotated[Literal["POST", "PUT", "PATCH", "DELETE"], _InCapitals] = Field(
        default="POST", description="POST, PUT, PATCH or DELETE."
    )
    body: dict[str, Any] | list[Any] | Annotated[str, StringConstraints(strip_whitespace=False)] | None = Field(
        default=None,
        description="An object or a list is sent as JSON, or as a form when the header Content-Type says so; a text "
        "is sent as it is.",
    )


@tool(
    category="api",
    capability_tags=("api", "fetch", "接口", "抓取"),
    returns="url, status, content_type, headers (a few), json (the value, or null), text (of JSON the "
    "beginning), truncated",
    timeout=65,
)
class ApiCaller:
    """Call a web API over HTTP: read from it, or send something to it.

    Answers with status 400 and above are failures unless accept_errors is set. Binary answers are refused, and so are
    private addresses, but for those the settings allow. Values of headers and parameters that are named like secrets do
    not come back.
    """

    @action(sends=True, needs_approval=False)  # nothing but the question goes out, as with any page
    async def read(self, params: ApiReadParams, context: ToolContext) -> ToolResult:
        """Read from an API with GET or HEAD; redirects are followed."""
        _refuse_other_methods(params)
        return await _call(params, params.method, context)

    @action(writes=True, sends=True)
    async def send(self, params: ApiSendParams, context: ToolContext) -> ToolResult:
        """Send to an API with POST, PUT, PATCH or DELETE; redirects are returned, not followed."""
        body, kind = _encoded(params.body, params.headers)
        ours = {"Content-Type": kind} if kind else {}
        if context.idempotency_key:
            ours["Idempotency-Key"] = hashlib.sha256(context.idempotency_key.encode()).hexdigest()[:32]
        return await _call(params, params.method, context, body, ours)

    async def preview_send(self, params: ApiSendParams, context: ToolContext) -> list[Effect]:
        """The request as it would go out, without its secrets."""
        url = checked_url(params.url, params.params)
        if _is_local(url.host):  # names are not looked up: that alone would send something out
            await allowed_addresses(context.network, url.host, port_of(url))
        data, kind = _encoded(body := shown_arguments({"body": params.body})["body"], params.headers)
        is_json = kind != _FORM and not isinstance(body, str | None)
        text = json.dumps(body, ensure_ascii=False) if is_json else (data or b"").decode()
        text = json.dumps(body, ensure_ascii=False, indent=2) if is_json and len(text) > _ONE_LINE else text
        text = masked(text, secrets_of(url, params.params, params.headers))
        return [Effect(kind="sends", target=f"{params.method} {without_secrets(url)}", text=text)]


def _refuse_other_methods(params: ApiReadParams) -> None:
    """A server may take the method from a header or a parameter: what reads, unasked, must not change anything."""
    asked = {*params.params, *checked_url(params.url).params}
    for name in (*params.headers, *asked):
        if name.strip().lower().replace("_", "-") in _OVERRIDES:
            raise ToolFailed(message("other_method", name=name), kind="bad_arguments")


def _is_local(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
    return True


def secrets_of(url: httpx.URL, params: Mapping[str, Any], headers: Mapping[str, str]) -> set[str]:
    """The values of a request that must not be repeated: a password, and what is named like a secret."""
    named = [*url.params.multi_items(), *params.items(), *headers.items()]
    login = base64.b64encode(f"{url.username}:{url.password}".encode()).decode()
    values = {url.password, login, *(str(value) for name, value in named if is_secret_name(name))}
    return values | {value.partition(" ")[2].strip() for value in values}  # what follows Bearer


async def _call(
    params: _RequestParams, method: str, context: ToolContext, body: bytes | None = None, ours: Mapping[str, str] = {}
) -> ToolResult:
    given = {name.lower() for name in params.headers}
    headers = {name: value for name, value in ours.items() if name.lower() not in given} | params.headers
    secrets = secrets_of(checked_url(params.url), params.params, params.headers)
    try:
        sent: dict[str, Any] = {"method": method, "params": params.params, "headers": headers, "body": body}
        reply = await fetch(context.network, params.url, seconds=params.timeout, **sent)
        result = _result(reply, secrets)
        if reply.is_error and not params.accept_errors:
            raise _refusal(method, reply, result["text"])
    except ToolFailed as error:
        error.args = (masked(error.args[0], secrets),)
        raise
    return ToolResult.of(result, result["url"])


def _encoded(body: dict[str, Any] | list[Any] | str | None, headers: Mapping[str, str]) -> tuple[bytes | None, str]:
    """The body as it is sent, and its type unless the headers name one."""
    named = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    if body is None:
        return None, ""
    if isinstance(body, str):
        is_json = json_in(body) is not None
        return body.encode(errors="replace"), "application/json" if is_json else "text/plain; charset=utf-8"
    if isinstance(body, dict) and named.partition(";")[0].strip().lower() == _FORM:
        return urlencode(body, doseq=True, errors="replace").encode(), _FORM
    return json.dumps(body).encode(), "application/json"


def _result(reply: WebReply, secrets: set[str]) -> dict[str, Any]:
    text = text_of(reply)
    if text is None:
        neither = message("neither_json_nor_text", url=shown_url(reply.url), what=reply.described)
        raise ToolFailed(neither, kind="bad_arguments")
    value = _json(reply, text)
    longest = MAX_TEXT if value is None else _JSON_SHOWN
    return {
        "url": without_secrets(reply.url),
        "status": reply.status,
        "content_type": reply.content_type,
        "headers": {name: masked(reply.headers[name], secrets) for name in _HEADERS if name in reply.headers},
        "json": masked(value, secrets),
        "text": masked(text, secrets)[:longest],
        "truncated": value is None and len(text) > longest,
    }


def _json(reply: WebReply, text: str) -> Any:
    """What the text is as JSON: whatever is declared as that has to be it, an object or a list may be it unsaid."""
    declared = reply.content_type in {"application/json", "text/json"} or reply.content_type.endswith("+json")
    if not text.strip() or not (declared or text.lstrip().startswith(("{", "["))):
        return None
    try:
        return read_json(text)
    except ValueError as error:
        if not declared or reply.is_error:
            return None  # of an error, what it says is the smaller trouble
        begins, problem = " ".join(text.split())[:100], quoted(str(error))
        wrong = message("json_declared_unreadable", url=shown_url(reply.url), problem=problem, begins=begins)
        raise ToolFailed(wrong, kind="wrong_result") from error


def _refusal(method: str, reply: WebReply, text: str) -> ToolFailed:
    said = {"method": method, "url": shown_url(reply.url), "status": reply.status}
    reason = quoted(" ".join(text.split())[:_REASON])
    why = message("call_failed_because", **said, reason=reason) if text.strip() else message("call_failed", **said)
    return ToolFailed(why, kind=kind_of_status(reply.status), wait=reply.wait)
