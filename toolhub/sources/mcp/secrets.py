"""What of a server's configuration is secret, and how it stays out of everything that is shown or kept.

Masked are: header values, values of `${VAR}` from the environment, values under names like `API_KEY` in `env`, behind
flags like `--token`, and in addresses. Variables that name places (`${HOME}`, a path) are no secrets: results carry
paths that later steps need.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from switchyard.tools.core.masking import every_text, replaced, spelled, without_keys

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|passphrase|pwd$|auth(?!or)|credential|cookie|session|private|signature|dsn|jwt|bearer"
    r"|密码|口令|令牌|[密秘私]钥|授权码",
    re.IGNORECASE,
)
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
        self._spellings: tuple[str, ...] = ()
        self.add(values)

    def __repr__(self) -> str:
        return f"Secrets({len(self._spellings)})"

    def add(self, values: Iterable[str]) -> None:
        """Know more of them."""
        found = set(self._spellings)
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


def secret_variable(name: str, value: str, *, from_environment: bool) -> bool:
    """Whether the value of a `${VAR}` is to be masked."""
    if _SECRET_NAME.search(name) and name not in _PUBLIC_VARIABLES:
        return True
    public = name in _PUBLIC_VARIABLES or _PATH.match(value) or len(value) < _SHORTEST_UNNAMED
    return from_environment and not public


def secrets_written(
    env: Mapping[str, str], headers: Mapping[str, str], args: Sequence[str], url: str | None
) -> Iterable[str]:
    """The secrets that an entry spells out, with its variables filled in."""
    yield from (value for name, value in env.items() if _SECRET_NAME.search(name))
    for name, value in headers.items():
        if name.lower() not in _PUBLIC_HEADERS:
            yield value
            yield value.rpartition(" ")[2]  # what follows `Bearer`
    for flag, value in pairwise((*args, "")):
        name, equals, rest = flag.partition("=")
        if name.startswith("-") and _SECRET_NAME.search(name):
            yield rest if equals else value
    address = urlsplit(url or "")
    if address.password:
        yield address.password
        yield unquote(address.password)
    yield from (value for name, value in parse_qsl(address.query) if _SECRET_NAME.search(name))
