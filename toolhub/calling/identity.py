"""Which call a call is: equal for two that give the tool the same, however they are written; and what it names (R7.2).

Compared are the arguments as the tool will get them, read by its own runner, with the defaults put in, and with paths
and web addresses written one way. Where the tool would not take them, they count as they were written.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

from switchyard.ledger.attempts import CallIdentity, call_signature, plain_text
from switchyard.toolhub.calling.arguments import as_mapping
from switchyard.toolhub.calling.request import with_action
from switchyard.toolhub.registry import ToolRegistry
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
    """What is known of a call before it is made: of a tool, or of an MCP server with the tool as `action`."""
    name, action = registry.resolve(name, action)
    given, read, shape = dict(arguments), None, as_mapping(None)
    if tool := next(iter(registry.candidates(name)), None):
        action, given = with_action(tool.spec, action, given)
        several = len(tool.spec.capabilities) > 1
        action = action if several else None  # whatever name a model gives the only one
        with suppress(Exception):  # it will fail for that reason when it is called, and say so
            read = tool.read(action, given)
        capability = tool.spec.capability(action)
        shape = capability.parameters if capability else shape
    said = {field: value for field, value in given.items() if value is not None} if read is None else read
    fields = as_mapping(shape.get("properties")).items()
    defaults = {field: as_mapping(own).get("default") for field, own in fields}
    meant = {**{field: value for field, value in defaults.items() if value is not None}, **said}
    meant.pop("explanation", None)
    meant = _each("", meant, shape, partial(_one_way, workspace))
    named: set[str] = set()
    # what it names holds no secrets
    _each("", shown_arguments(meant), shape, lambda field, value, part: named.update(_named(field, value, part)))
    return CallIdentity(call_signature(name, action, meant), tuple(sorted(named)))


def _each(field: str, value: Any, shape: Any, change: Callable[[str, Any, Any], Any]) -> Any:
    """A value with each single value inside it changed, by the name of its field and what its schema says of it."""
    if isinstance(value, Mapping):
        inner = as_mapping(as_mapping(shape).get("properties"))
        parts = cast("Mapping[Any, Any]", value).items()
        return {str(name): _each(str(name), part, inner.get(str(name)), change) for name, part in parts}
    if isinstance(value, list | tuple):
        items = as_mapping(shape).get("items")
        return [_each(field, part, items, change) for part in cast("list[Any]", value)]
    return change(field, value, shape)


def _one_way(workspace: Path | None, field: str, value: Any, shape: Any) -> Any:
    """A path or a web address written one way; any other value as it is."""
    if isinstance(value, str) and _is_address(field, value, shape):
        return _address(value)
    if isinstance(value, Path) or (isinstance(value, str) and _is_path(field, shape)):
        return _path(str(value), workspace)
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
    return f"{url.scheme}://{login}{place}{port}{url.raw_path.decode()}{place_within}"


def _named(field: str, value: Any, shape: Any) -> Iterator[str]:
    """The paths, hosts and ids that a single value names."""
    if isinstance(value, int | str) and not isinstance(value, bool) and _ID_FIELD.search(field) and value != MASK:
        yield f"id:{plain_text(str(value))}"
    elif isinstance(value, str) and value and not _CONTENT_FIELD.search(field):
        text = value[:_SCANNED]
        yield from (f"host:{url[1].lower()}" for url in _URL.finditer(text))
        if _is_path(field, shape) and "://" not in value:
            yield f"path:{value}"
            return
        found = [word.rstrip(".") for words in _WORDS for word in words.findall(_URL.sub(" ", text))]
        yield from (f"path:{_path(word, None)}" for word in found if _LOOKS_LIKE_A_PATH.search(word))
