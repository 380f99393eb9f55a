"""Keeping secrets out of what is shown and kept: in URLs, in arguments, and in texts that repeat what was sent."""

import base64
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

if TYPE_CHECKING:
    import httpx

MASK = "***"

_SHOWN = 200
_SHORTEST = 6
"""Shorter values are no secrets worth the name, and would be found everywhere."""
_NAME = re.compile(
    r"(?:token|secret|passwd|password|pwd|signature|cookie|authorization|credentials?|appid"
    r"|(?:api|access|private|subscription|secret)[-_]?key|(?:^|[-_.])(?:auth|sig|key))$",
    re.IGNORECASE,
)

_KEY_LIKE = re.compile(r"\b(?:sk|pk|tvly|ghp|xox[abp])[-_][A-Za-z0-9_*-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s\"'<>，。；）]+", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a header or a parameter of this name carries a secret."""
    return _NAME.search(name) is not None


def without_secrets(url: "httpx.URL | str") -> str:
    """A URL without user and password, and with a mask for values that are named like secrets."""
    import httpx  # noqa: PLC0415  not everything that masks knows URLs

    url = httpx.URL(url).copy_with(userinfo=b"")
    for name in filter(is_secret_name, set(url.params)):
        url = url.copy_set_param(name, MASK)
    return str(url).replace(quote(MASK), MASK)


def shown_url(url: "httpx.URL | str") -> str:
    """A URL as a sentence can hold it: without secrets, and not too long."""
    text = without_secrets(url)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def secrets_of(url: "httpx.URL", params: Mapping[str, Any], headers: Mapping[str, str]) -> set[str]:
    """The values of a request that must not be repeated: a password, and what is named like a secret."""
    named = [*url.params.multi_items(), *params.items(), *headers.items()]
    login = base64.b64encode(f"{url.username}:{url.password}".encode()).decode()
    values = {url.password, login, *(str(value) for name, value in named if is_secret_name(name))}
    return values | {value.partition(" ")[2].strip() for value in values}  # what follows Bearer


def spelled(secrets: Iterable[str], shortest: int = _SHORTEST) -> tuple[str, ...]:
    """The secrets as they are and as JSON and URLs write them, the longest first."""
    forms = {
        form
        for secret in secrets
        for form in (
            secret,
            quote(secret, safe=""),
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
        )
    }
    return tuple(sorted((form for form in forms if len(form) >= shortest), key=len, reverse=True))


def replaced(text: str, forms: Iterable[str]) -> str:
    """The text with a mask for each of these."""
    for form in forms:
        text = text.replace(form, MASK)
    return text


def masked(text: str, secrets: Collection[str]) -> str:
    """The text without the secrets, however they are written."""
    return replaced(text, spelled(secrets))


def masked_json(value: Any, secrets: Collection[str]) -> Any:
    """The same for every text in a JSON value."""
    forms = spelled(secrets)
    return every_text(value, lambda text: replaced(text, forms))


def every_text(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text in it changed, names too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [every_text(part, change) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {every_text(name, change): every_text(part, change) for name, part in items}
    return value


def without_keys(text: str) -> str:
    """The text without what looks like a key, whatever it is called."""
    return _KEY_LIKE.sub(MASK, text)


def shown_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call as they may be shown and kept; the call itself needs them as they are.

    Masked are the values of what is named like a secret, also in headers, parameters and JSON texts, passwords and
    named secrets in URLs, and what looks like a key. A field of a tool that is just called `key` is no secret.
    """
    return {name: _shown_part("" if name.lower() == "key" else name, value) for name, value in arguments.items()}


def _shown_part(name: str, value: Any) -> Any:
    if value and is_secret_name(name) and not isinstance(value, bool):
        return MASK
    if isinstance(value, str):
        return _shown_text(value)
    if isinstance(value, list):
        return [_shown_part("", part) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        called = parts.get("name")  # as in {"name": "X-Api-Key", "value": …}
        return {
            key: _shown_part(called if key == "value" and isinstance(called, str) else key, part)
            for key, part in parts.items()
        }
    return value


def _shown_text(text: str) -> str:
    if text.lstrip()[:1] in {"{", "["}:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = None
        shown = _shown_part("", said)
        if shown != said:
            return json.dumps(shown, ensure_ascii=False)
    return without_keys(_URL.sub(lambda match: _shown_address(match[0]), text))


def _shown_address(url: str) -> str:
    import httpx  # noqa: PLC0415  not everything that masks knows URLs

    try:
        has_secret = bool(httpx.URL(url).userinfo) or any(map(is_secret_name, httpx.URL(url).params))
        return without_secrets(url) if has_secret else url
    except httpx.InvalidURL:
        return url
