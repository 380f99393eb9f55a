"""Which call a call is: equal for two that give the tool the same, however they are written; and what it names (R7.2).

Compared are the arguments as the tool will get them, read by its own runner, with the defaults put in, and with paths
and web addresses written one way. Where the tool would not take them, they count as they were written.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from switchyard.ledger.attempts import CallIdentity, call_signature, plain_text
from switchyard.toolhub.calling.request import with_action
from switchyard.toolhub.calling.schema import as_mapping
from switchyard.toolhub.registry import RegisteredTool, ToolRegistry
from switchyard.tools.core.masking import MASK, shown_arguments

PATH_FIELD = re.compile(r"path|file|folder|directory|^dir$|source|路径|文件|目录", re.IGNORECASE)
"""Names of fields that hold paths, where the schema does not say so."""

_PATH_FORMATS = {"path", "file-path", "directory-path"}
_ADDRESS_FORMATS = {"uri", "url", "iri", "uri-reference"}
_ID_FIELD = re.compile(r"(?:^|[_-])(?:id|ids|uuid|name)$|[a-z]Ids?$|编号|标识|名称", re.IGNORECASE)
_CONTENT_FIELD = re.compile(r"content|text|body|内容|文本|正文", re.IGNORECASE)
"""What such a field mentions is written, not looked for."""
_ADDRESS = re.compile(r"https?://\S", re.IGNORECASE)
_ADDRESS_FIELD = re.compile(r"url|uri|href|link|endpoint|address|网址|链接|地址", re.IGNORECASE)
"""Names of fields that hold nothing but an address: a space in it belongs to it, and no sentence follows."""
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_OF_AN_ADDRESS = "%:/?#[]@!$&'()*+,;=~"
"""Characters that mean something where they stand (RFC 3986)."""
_LONGEST_PATH = 1024
_SCANNED = 2_000
"""Characters of a text in which names are looked for."""
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://(?:[^\s/@\"']*@)?([^\s/?#:\"'，。；）]+)[^\s\"'<>，。；）]*", re.IGNORECASE)
_WORDS = (re.compile(r"[\w~./-]+"), re.compile(r"[A-Za-z0-9_~./-]+"))
"""What may be a path in a text: with letters of any language, and where those before it belong to the sentence."""
_LOOKS_LIKE_A_PATH = re.compile(r"\w/|/\w|\w\.[A-Za-z]\w{0,4}$")


def identified(
    registry: ToolRegistry, name: str, action: str | None, arguments: Mapping[str, Any], workspace: Path | None = None
) -> CallIdentity:
    """What is known of a call before it is made.

    Args:
        registry: the tools there are.
        name: the tool, or an MCP server with the tool as `action`.
        action: one of several actions of the tool.
        arguments: as whoever calls wrote them.
        workspace: what paths are relative to.
    """
    name, action = registry.resolve(name, action)
    tool = next(iter(registry.candidates(name)), None)
    said = {field: value for field, value in arguments.items() if value is not None}
    fields: Mapping[str, Any] = {}
    if tool is not None:
        action, given = with_action(tool.spec, action, dict(arguments))
        several = len(tool.spec.capabilities) > 1
        action = action if several else None  # whatever name a model gives the only one
        said = _as_read(tool, action, given)
        capability = tool.spec.capability(action)
        fields = as_mapping(capability.parameters.get("properties") if capability else None)
    defaults = {field: as_mapping(shape).get("default") for field, shape in fields.items()}
    meant = {**{field: value for field, value in defaults.items() if value is not None}, **said}
    meant.pop("explanation", None)
    meant = {field: _one_way(field, value, fields.get(field), workspace) for field, value in meant.items()}
    shown = shown_arguments(meant).items()  # what it names holds no secrets
    named = {one for field, value in shown for one in _named(field, value, fields.get(field))}
    return CallIdentity(call_signature(name, action, meant), tuple(sorted(named)))


def _as_read(tool: RegisteredTool, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
    if (read := tool.reads) is not None:
        try:
            return read(action, arguments)
        except Exception:  # noqa: BLE001, S110  it will fail for that reason when it is called, and say so
            pass
    return {field: value for field, value in arguments.items() if value is not None}


def _one_way(field: str, value: Any, shape: Any, workspace: Path | None) -> Any:
    """A value with the paths and web addresses in it written one way."""
    match value:
        case str() if _is_address(field, value, shape):
            return _address(value)
        case str() if _is_path(field, shape):
            return _path(value, workspace)
        case list() | tuple():
            return [
                _one_way(field, part, as_mapping(shape).get("items"), workspace) for part in cast("list[Any]", value)
            ]
        case Mapping():
            inner = as_mapping(shape).get("properties")
            parts = cast("Mapping[Any, Any]", value).items()
            return {
                str(name): _one_way(str(name), part, as_mapping(inner).get(str(name)), workspace)
                for name, part in parts
            }
        case Path():
            return _path(str(value), workspace)
        case _:
            return value


def _is_path(field: str, shape: Any) -> bool:
    return PATH_FIELD.search(field) is not None or as_mapping(shape).get("format") in _PATH_FORMATS


def _is_address(field: str, value: str, shape: Any) -> bool:
    text = value.strip()
    if _ADDRESS.match(text) is None or _CONTENT_FIELD.search(field):
        return False
    if len(text.split(maxsplit=1)) == 1:
        return True
    of_one_thing = _is_path(field, shape) or _ADDRESS_FIELD.search(field) is not None
    return of_one_thing or as_mapping(shape).get("format") in _ADDRESS_FORMATS


def _path(written: str, workspace: Path | None) -> str:
    """A path relative to the workspace, without detours: `./a`, `b/../a` and `a/` are `a`."""
    text = plain_text(written)
    if not text or "://" in text or "\n" in text or len(text) > _LONGEST_PATH:
        return text
    path = posixpath.normpath(text)
    root = None if workspace is None else workspace.absolute().as_posix()
    if root is not None and (path == root or path.startswith(f"{root}/")):
        return path[len(root) + 1 :] or "."
    return path


def _address(written: str) -> str:
    """A web address as its server gets it: `http://H:80/a b#c` is `http://h/a%20b`."""
    import httpx  # noqa: PLC0415  most calls name no address

    text = plain_text(written)
    try:
        url = httpx.URL(text)
        host = url.host  # as people write it, in Chinese too: other calls may name it in a sentence
    except (httpx.InvalidURL, ValueError):  # the call will fail for that reason, and say so
        return text
    login = f"{url.userinfo.decode()}@" if url.userinfo else ""
    place = f"[{host}]" if ":" in host else host
    port = "" if url.port is None else f":{url.port}"
    # the server never sees a fragment; but a page that is one program has its places there
    place_within = f"#{url.fragment}" if url.fragment.startswith(("/", "!")) else ""
    asked = quote(_ESCAPE.sub(_unescaped, url.raw_path.decode()), safe=_OF_AN_ADDRESS)
    return f"{url.scheme}://{login}{place}{port}{asked}{place_within}"


def _unescaped(escape: re.Match[str]) -> str:
    """A character that needs no escape; any other stays escaped, in capitals."""
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def _named(field: str, value: Any, shape: Any) -> Iterator[str]:
    """The paths, hosts and ids in a value."""
    match value:
        case list() | tuple():
            for part in cast("list[Any]", value):
                yield from _named(field, part, as_mapping(shape).get("items"))
        case Mapping():
            inner = as_mapping(shape).get("properties")
            for name, part in cast("Mapping[Any, Any]", value).items():
                yield from _named(str(name), part, as_mapping(inner).get(str(name)))
        case bool() | None:
            return
        case int() | str() if _ID_FIELD.search(field) and value != MASK:
            yield f"id:{plain_text(str(value))}"
        case str() if value and not _CONTENT_FIELD.search(field):
            yield from _named_in(value, is_path=_is_path(field, shape))
        case _:
            return


def _named_in(text: str, *, is_path: bool) -> Iterator[str]:
    for url in _URL.finditer(text[:_SCANNED]):
        yield f"host:{url[1].lower()}"
    if is_path and "://" not in text:
        yield f"path:{text}"
        return
    rest = _URL.sub(" ", text[:_SCANNED])
    for word in (found.rstrip(".") for words in _WORDS for found in words.findall(rest)):
        if _LOOKS_LIKE_A_PATH.search(word):
            yield f"path:{_path(word, None)}"
