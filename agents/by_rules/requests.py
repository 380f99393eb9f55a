"""A request to a web address as a text asks for it: method, address, headers, parameters and body, all or nothing.

What is named is in the request, or the text is not read as one: a body that was left out would be another request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from switchyard.language.structures import find_structures

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
_READING = frozenset({"GET", "HEAD"})

_URL = re.compile(r"https?://(?:\[[0-9A-Fa-f:.]+\])?[A-Za-z0-9\-._~:/?#@!$&()*+,;=%]+", re.IGNORECASE)
_AFTER_URL = re.compile(r"[^\u3400-\u9fff{\[]|发|提交|的|并|做|执行|$")
"""What may stand right behind an address: anything else would be a part of it that is not read."""
_QUOTED = re.compile(r"\"([^\"]*)\"|(?<!\w)'([^']*)'(?!\w)|`([^`]*)`|“([^”]*)”|「([^」]*)」|‘([^’]*)’|《([^》]*)》")
_ADDRESS = "\ue000"
_FIRST_VALUE, _MOST_VALUES, _VALUE = 0xE001, 100, "[\ue001-\uf8ff]"
"""The marks that stand for what was found, of a plane that no question uses."""

_METHOD = re.compile(
    r"(?<![A-Za-z0-9_-])(?:(GET|HEAD|POST|PUT|PATCH|DELETE)(?![A-Za-z0-9_-])"
    r"|((?i:get|head|post|put|patch|delete))(?=\s*(?:(?i:http)\s*)?(?:(?i:requests?)(?![A-Za-z])|请求)))"
)
"""In capitals it is HTTP's own word; in small letters only as a "post request"."""
_VERB = re.compile(r"^\W*(post|put|patch|delete)\b|(删除|删掉)", re.IGNORECASE)
_SENDS = re.compile(r"\b(?:send|submit|push)\b|发|提交|推送", re.IGNORECASE)
_CALLS = re.compile(r"\b(?:api|endpoint|request|call)\b|接口|请求|调用", re.IGNORECASE)

_HEADERS_BEFORE = re.compile(r"(?:\bheaders?|请求头|标头|头部)\W{0,3}(?:是|为|:|：|=)?\s*$", re.IGNORECASE)
_HEADER = re.compile(
    r"(?:\bheaders?|请求头|标头|头部)\s*(?:是|为|:|：)?\s*([A-Za-z][A-Za-z0-9-]*)\s*[:：=]\s*"
    rf"({_VALUE}|(?:(?:Bearer|Basic|Token)\s+)?[^\s,，;；。\ue000-\uf8ff]+)",
    re.IGNORECASE,
)
_QUERY = r"(?:\bquery(?:\s+(?:string|param(?:eter)?s?))?|查询参数|查询)"
_PARAMETERS_BEFORE = re.compile(rf"(?:{_QUERY}|\bparam(?:eter)?s?|参数)\W{{0,3}}(?:是|为|:|：|=)?\s*$", re.IGNORECASE)
_PARAMETER = re.compile(
    rf"(?<![\w=])(?!(?:body|payload|data|content|json)\b)([A-Za-z_][\w.-]*)\s?=\s?({_VALUE}|[^\s,，;；。&=\ue000-\uf8ff]+)"
)
_BODY = re.compile(
    r"\b(?:body|payload|data|content|text|message)\b|请求体|消息体|正文|主体|内容|数据|报文", re.IGNORECASE
)
_FILLING = re.compile(
    r"(?<![A-Za-z])(?:please|send|make|do|issue|perform|fire|submit|push|execute|an?|the|http|https|rest|web|json"
    r"|api|request|call|endpoint|to|from|at|against|on|with|using|via|through|by|and|in|of|as|is|are|body|payload|data"
    r"|content|text|message|headers?|query|string|param(?:eter)?s?|url|address|link|method|containing|saying)(?![A-Za-z])"
    r"|请求[头体]?|消息体|发送|发起|发出|发|提交|推送|一[个条次下]|个|请|帮我|[到至往从向给对用以把将为是的和并带]|使用|通过"
    r"|作为|内容|正文|主体|数据|报文|标头|头部|查询|参数|如下|方法|方式|接口|地址|网址|链接|调用|访问|执行|带上|附上",
    re.IGNORECASE,
)
"""Words that say nothing beyond what was read: anything else in the text asks for more than a request can do."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be sent, and where to."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict[str, str])
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    body: dict[str, Any] | list[Any] | str | None = None


def asks_for_request(text: str) -> bool:
    """Whether a text names an address and, in the words of HTTP, what is to be done there."""
    pieces = _pieces(text)
    return bool(pieces.addresses) and _METHOD.search(pieces.rest) is not None


def names_body(text: str) -> bool:
    """Whether a text speaks of what a request carries."""
    return _BODY.search(_pieces(text).rest) is not None


def read_request(text: str) -> Request | None:
    """The request a text asks for; None where it asks for none, or for anything beyond that."""
    pieces = _pieces(text)
    if pieces.torn or len(pieces.addresses) != 1:
        return None
    rest = re.sub(_ADDRESS, " ", pieces.rest)
    methods = {(capital or small).upper() for capital, small in _METHOD.findall(rest)}
    rest, headers = _headers(_METHOD.sub(" ", rest), pieces)
    in_address = re.search(_QUERY, rest, re.IGNORECASE) is not None
    rest, params = _params(rest, pieces)
    bodies = re.findall(_VALUE, rest)
    rest = re.sub(_VALUE, " ", rest)
    method, rest = _method(methods, rest, has_body=bool(bodies))
    if method is None or headers is None or params is None or len(bodies) > 1:
        return None
    if method not in _READING and ((params and not in_address) or (_BODY.search(rest) and not bodies)):
        return None  # what is called a parameter may be meant for the body; and a body that is named has to be there
    if re.search(r"[^\W_]", _FILLING.sub(" ", rest)):
        return None
    return Request(method, pieces.addresses[0], headers, params, pieces.value(bodies[0]) if bodies else None)


def takes_request(fields: Mapping[str, Any]) -> bool:
    """Whether these are the parameters of a tool that sends requests."""
    return {"url", "method"} <= fields.keys() and METHODS.issuperset(_methods(fields))


def request_arguments(request: Request | None, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments with which a tool sends just this request; None where it cannot."""
    if request is None or not takes_request(fields):
        return None
    said = {"headers": request.headers or None, "params": request.params or None, "body": request.body}
    given = {name: value for name, value in said.items() if value is not None}
    method = request.method if not (known := _methods(fields)) else known.get(request.method)
    fits = method is not None and given.keys() <= fields.keys()
    return {"url": request.url, "method": method, **given} if fits else None


def _methods(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The methods a tool names, as it writes them."""
    named = cast("list[Any]", cast("Mapping[str, Any]", fields["method"]).get("enum") or [])
    return {str(one).upper(): one for one in named}


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A text in which a mark stands for each address and each value."""

    rest: str
    addresses: list[str]
    values: list[Any]
    torn: bool
    """Something is quoted or bracketed that cannot be read."""

    def value(self, mark: str) -> Any:
        return self.values[ord(mark) - _FIRST_VALUE]


@lru_cache(maxsize=256)
def _pieces(text: str) -> _Pieces:
    found: list[tuple[int, int, Any]] = [(start, end, value) for value, start, end in find_structures(text)]
    for quote in _QUOTED.finditer(text):
        inside = next((group for group in quote.groups() if group is not None), "")
        found.append((*quote.span(), _Address(inside) if _URL.fullmatch(inside) else inside))
    for match in _URL.finditer(text):
        url = match[0].rstrip(".,;:!?)")
        found.append((match.start(), match.start() + len(url), _Address(url)))
    rest, position, torn = "", 0, re.search(rf"{_VALUE}|{_ADDRESS}", text) is not None
    addresses: list[str] = []
    values: list[Any] = []
    for start, end, value in sorted(found, key=lambda one: one[:2]):
        if start < position:
            continue  # inside of what was taken
        if isinstance(value, _Address):
            torn = torn or not _AFTER_URL.match(text, end)
            addresses.append(str(value))
            mark = _ADDRESS
        else:
            mark = chr(_FIRST_VALUE + len(values))
            values.append(value)
        rest, position = f"{rest}{text[position:start]}{mark}", end
    rest += text[position:]
    torn = torn or len(values) > _MOST_VALUES or re.search(r"[{}\[\]\"“”「」《》`]", rest) is not None
    return _Pieces(rest, addresses, values, torn)


class _Address(str):
    """A text that is an address."""

    __slots__ = ()


def _headers(rest: str, pieces: _Pieces) -> tuple[str, dict[str, str] | None]:
    """The rest of a text without its headers, and these; None where they cannot be read."""
    headers: dict[str, str] = {}
    for match in _HEADER.finditer(rest):
        headers[match[1]] = str(pieces.value(match[2]) if re.fullmatch(_VALUE, match[2]) else match[2])
    rest, given = _labelled(_HEADER.sub(" ", rest), _HEADERS_BEFORE, pieces)
    if not all(isinstance(value, str) for value in given.values()) or None in given:
        return rest, None
    return rest, {**headers, **given}


def _params(rest: str, pieces: _Pieces) -> tuple[str, dict[str, Any] | None]:
    """The rest of a text without its parameters, and these; None where they cannot be read."""
    params: dict[str, Any] = {}
    for match in _PARAMETER.finditer(rest):
        params[match[1]] = pieces.value(match[2]) if re.fullmatch(_VALUE, match[2]) else match[2]
    rest, given = _labelled(_PARAMETER.sub(" ", rest), _PARAMETERS_BEFORE, pieces)
    return rest, None if None in given else {**params, **given}


def _labelled(rest: str, label: re.Pattern[str], pieces: _Pieces) -> tuple[str, dict[Any, Any]]:
    """The rest of a text without the object behind a label, and its fields; {None: …} where that is no object."""
    for mark in re.finditer(_VALUE, rest):
        if label.search(rest[: mark.start()]):
            value = pieces.value(mark[0])
            fields = cast("dict[Any, Any]", value) if isinstance(value, dict) else {None: value}
            return rest[: mark.start()] + " " + rest[mark.end() :], fields
    return rest, {}


def _method(named: set[str], rest: str, *, has_body: bool) -> tuple[str | None, str]:
    """The method a text names, or means where it names none; and the rest of the text without the word for it."""
    if named:
        return (named.pop() if len(named) == 1 else None), rest
    if verb := _VERB.search(rest):
        return (verb[1] or "delete").upper(), _VERB.sub(" ", rest)
    if has_body:
        return ("POST" if _SENDS.search(rest) else None), rest
    return ("GET" if _CALLS.search(rest) else None), rest
