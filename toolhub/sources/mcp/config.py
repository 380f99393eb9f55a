"""`mcp.local.json`: which servers there are, in the form every MCP client reads.

    {"mcpServers": {"time": {"command": "${PYTHON}", "args": ["-m", "mcp_server_time"]},
                    "notes": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${NOTES_TOKEN}"}}}}

`${VAR}` and `${VAR:-default}` are taken from the environment that is handed in; `${PYTHON}` is the running interpreter.
A server that cannot be used is named with what to change, and the others stay.

What is secret of a configuration stays out of everything that is shown or kept: header values, values of `${VAR}` from
the environment, values under names like `API_KEY` in `env`, behind flags like `--token`, and in addresses. Variables
that name places (`${HOME}`, a path) are no secrets: results carry paths that later steps need.
"""

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from switchyard.language.messages import Message, joined, message
from switchyard.ledger.secrets import MASK
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.files import write_whole
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.masking import every_text, is_secret_name, replaced, spelled, without_keys
from switchyard.tools.core.plain_words import nearest

_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,64}")
_VARIABLE = re.compile(r"\$\{(?P<name>[^}:]*)(?::-(?P<default>[^}]*))?\}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TRANSPORTS = {"stdio", "http", "streamablehttp"}
_PUBLIC_VARIABLES = frozenset(
    {
        *("HOME", "HOSTNAME", "LANG", "LOGNAME", "PATH", "PWD", "PYTHON", "SHELL"),
        *("TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER", "USERNAME", "USERPROFILE"),
    }
)
_PUBLIC_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
_PATH = re.compile(r"[/~.]|[A-Za-z]:[\\/]")
_SHORTEST = 4
"""Shorter values are words, not secrets; masking them would tear results apart."""
_SHORTEST_UNNAMED = 6
"""The same for values whose name does not say that they are secret."""
_SHORTEST_LINE = 16


class Secrets:
    """The secret values of one server, in the ways a text may spell them."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        found: set[str] = set()
        for value in values:
            lines = [line for line in value.splitlines() if len(line) >= _SHORTEST_LINE]
            found.update(spelled((value, *lines), _SHORTEST))
        self._spellings = tuple(sorted(found, key=len, reverse=True))

    def text(self, text: str) -> str:
        """A text about the server: without its secrets, and without what looks like a key."""
        return without_keys(replaced(text, self._spellings))

    def data(self, value: Any) -> Any:
        """JSON data without the secrets, wherever they are in it."""
        return every_text(value, lambda text: replaced(text, self._spellings)) if self._spellings else value


def secrets_written(
    env: Mapping[str, str], headers: Mapping[str, str], args: Sequence[str], url: str | None
) -> Iterable[str]:
    """The secrets that an entry spells out, with its variables filled in."""
    yield from (value for name, value in env.items() if is_secret_name(name, anywhere=True))
    for name, value in headers.items():
        if name.lower() not in _PUBLIC_HEADERS:
            yield value
            yield value.rpartition(" ")[2]  # what follows `Bearer`
    for flag, value in pairwise((*args, "")):
        name, equals, rest = flag.partition("=")
        if name.startswith("-") and is_secret_name(name, anywhere=True):
            yield rest if equals else value
    address = urlsplit(url or "")
    if address.password:
        yield address.password
        yield unquote(address.password)
    yield from (value for name, value in parse_qsl(address.query) if is_secret_name(name, anywhere=True))


class ServerEntry(BaseModel):
    """A server as the file has it. Fields of other clients are allowed and ignored."""

    model_config = ConfigDict(frozen=True, extra="allow", coerce_numbers_to_str=True, hide_input_in_errors=True)

    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str])
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    type: str | None = None
    transport: str | None = None
    disabled: bool = False
    timeout: float | None = Field(default=None, gt=0, le=3600)
    """Seconds a call may take; None takes the hub's setting."""


@dataclass(frozen=True)
class ServerConfig:
    """A server ready to be started: variables filled in. Its repr shows no secret."""

    name: str
    fingerprint: str
    """The hash of the entry as written: what its tool list is cached under."""
    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: Path | None = None
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    disabled: bool = False
    timeout: float | None = None
    secrets: Secrets = field(default_factory=Secrets, repr=False, compare=False)

    @property
    def transport(self) -> str:
        """`stdio` or `http`."""
        return "http" if self.url else "stdio"

    def reached_by(self) -> str:
        """The command line or the address, for people: secrets masked."""
        shown = self.shown()
        return shown.get("url") or shlex.join([shown.get("command", ""), *shown.get("args", [])])

    def shown(self) -> dict[str, Any]:
        """The entry for people: values of `env`, `headers` and the address's query masked, other secrets too."""
        address = urlsplit(self.url)
        fields = {
            "command": self.command,
            "args": list(self.args),
            "env": dict.fromkeys(self.env, MASK),
            "cwd": str(self.cwd or ""),
            "url": address._replace(query=MASK if address.query else "").geturl(),
            "headers": dict.fromkeys(self.headers, MASK),
            "disabled": self.disabled,
            "timeout": self.timeout,
        }
        return self.secrets.data({name: value for name, value in fields.items() if value})


@dataclass(frozen=True)
class Configured:
    """What the files gave: servers that can be used, and what is wrong with the rest."""

    servers: dict[str, ServerConfig] = field(default_factory=dict[str, ServerConfig])
    problems: Mapping[str, str] = field(default_factory=dict[str, str])
    """By server, or by file when it cannot be read at all."""
    unreadable: bool = False
    """A file could not be read: what it named before is not known to be gone."""


def read_configs(given: Iterable[Path | Mapping[str, Any]], environment: Mapping[str, str]) -> Configured:
    """The servers of files, or of entries by name; a later entry takes the place of an earlier one of its name."""
    servers: dict[str, ServerConfig] = {}
    problems: dict[str, str] = {}
    unreadable = False
    for one in given:
        folder = one.parent if isinstance(one, Path) else None
        try:
            entries = read_entries(one) if isinstance(one, Path) else one
        except SettingsInvalid as error:
            problems[cast("Path", one).name], unreadable = str(error), True
            continue
        for name, entry in entries.items():
            servers.pop(name, None)
            problems.pop(name, None)
            try:
                servers[name] = resolve_entry(name, entry, environment, folder=folder)
            except SettingsInvalid as error:
                problems[name] = str(error)
    return Configured(servers, problems, unreadable=unreadable)


def read_entries(path: Path) -> dict[str, Any]:
    """The entries of a file, unchecked; none when there is no file."""
    return _read(path)["mcpServers"]


def write_entry(path: Path, name: str, entry: Mapping[str, Any] | None) -> bool:
    """Set a server in the file, or with None take it out; says whether that changed anything. The rest stays."""
    content = _read(path)
    servers = content["mcpServers"]
    if servers.get(name) == entry:
        return False
    if entry is None:
        del servers[name]
    else:
        servers[name] = dict(entry)
    write_whole(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return True


def _read(path: Path) -> dict[str, Any]:
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {"mcpServers": {}}
    except json.JSONDecodeError as error:
        told = message("mcp_not_json", file=path.name, line=error.lineno, column=error.colno, why=error.msg)
        raise SettingsInvalid(told) from error
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsInvalid(message("mcp_unreadable", file=path.name, why=type(error).__name__)) from error
    if not is_object(content) or not is_object(content.get("mcpServers")):
        raise SettingsInvalid(message("mcp_no_servers", file=path.name))
    return content


def resolve_entry(name: str, entry: Any, environment: Mapping[str, str], *, folder: Path | None = None) -> ServerConfig:
    """An entry with its variables filled in; a relative `cwd` counts from `folder`."""
    if not _NAME.fullmatch(name):
        raise SettingsInvalid(message("mcp_name", name=name[:80]))
    try:
        written = ServerEntry.model_validate(entry)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        said = [_sentence(detail["loc"], detail["msg"]) for detail in details]
        raise SettingsInvalid(message("mcp_entry", name=name, why=joined(*said, by="; "))) from error
    if problem := _problem(written):
        raise SettingsInvalid(message("mcp_entry", name=name, why=problem))
    values = _Values(name, environment)
    args, url = tuple(map(values.fill, written.args)), values.fill(written.url or "")
    env = {key: values.fill(value) for key, value in written.env.items()}
    headers = {key.strip(): values.fill(value).strip() for key, value in written.headers.items()}
    if url and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname):
        is_socket = urlsplit(url).scheme in {"ws", "wss"}
        raise SettingsInvalid(message("mcp_entry", name=name, why=message("mcp_websocket" if is_socket else "mcp_url")))
    for header, value in headers.items():
        if not _HEADER_NAME.fullmatch(header) or not value.isprintable():
            raise SettingsInvalid(message("mcp_entry", name=name, why=message("mcp_header", header=header)))
    return ServerConfig(
        name=name,
        fingerprint=hashlib.sha256(json.dumps([name, written.model_dump()], sort_keys=True).encode()).hexdigest(),
        command=values.fill(written.command or ""),
        args=args,
        env=env,
        cwd=(folder or Path()) / Path(values.fill(written.cwd)).expanduser() if written.cwd else None,
        url=url,
        headers=headers,
        disabled=written.disabled,
        timeout=written.timeout,
        secrets=Secrets([*values.secrets, *secrets_written(env, headers, args, url)]),
    )


class _Values:
    """Fills variables in, and keeps the values that may be secret."""

    def __init__(self, server: str, environment: Mapping[str, str]) -> None:
        self._server = server
        self._environment = environment
        self.secrets: list[str] = []

    def fill(self, text: str) -> str:
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        # an empty variable counts as none, as in a shell's `:-`
        given = sys.executable if name == "PYTHON" else self._environment.get(name) or None
        value = default if given is None else given
        if value is None:
            raise SettingsInvalid(message("mcp_entry", name=self._server, why=message("mcp_variable", variable=name)))
        if name not in _PUBLIC_VARIABLES:
            is_no_secret = given is None or _PATH.match(value) or len(value) < _SHORTEST_UNNAMED
            self.secrets += [value] if is_secret_name(name, anywhere=True) or not is_no_secret else []
        return value


def _sentence(where: Sequence[int | str], why: str) -> Message:
    place = ".".join(map(str, where))
    return message("mcp_field", place=place, why=f"{why[:1].lower()}{why[1:]}") if place else message("mcp_no_object")


def _problem(written: ServerEntry) -> Message | None:
    """What keeps an entry of the right types from being used; a field of another client is no problem."""
    for name in written.model_extra or ():
        if near := nearest(name, ServerEntry.model_fields, likeness=85):
            return message("mcp_misspelt", name=name, near=near[0])
    kind = (written.type or written.transport or "stdio").lower()
    if kind.replace("-", "").replace("_", "") not in _TRANSPORTS:
        return message("mcp_transport", kind=kind)
    if bool(written.command) == bool(written.url):
        return message("mcp_both" if written.url else "mcp_neither")
    return None
