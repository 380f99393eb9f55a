"""Keeping secrets out of what is shown: in URLs, and in texts that repeat what was sent."""

import base64
import json
import re
from collections.abc import Collection, Mapping
from typing import Any, cast
from urllib.parse import quote

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


def is_secret_name(name: str) -> bool:
    """Whether a header or a parameter of this name carries a secret."""
    return _NAME.search(name) is not None


def without_secrets(url: httpx.URL | str) -> str:
    """A URL without user and password, and with a mask for values that are named like secrets."""
    url = httpx.URL(url).copy_with(userinfo=b"")
    for name in filter(is_secret_name, set(url.params)):
        url = url.copy_set_param(name, MASK)
    return str(url).replace(quote(MASK), MASK)


def shown_url(url: httpx.URL | str) -> str:
    """A URL as a sentence can hold it: without secrets, and not too long."""
    text = without_secrets(url)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def secrets_of(url: httpx.URL, params: Mapping[str, Any], headers: Mapping[str, str]) -> set[str]:
    """The values of a request that must not be repeated: a password, and what is named like a secret."""
    named = [*url.params.multi_items(), *params.items(), *headers.items()]
    login = base64.b64encode(f"{url.username}:{url.password}".encode()).decode()
    values = {url.password, login, *(str(value) for name, value in named if is_secret_name(name))}
    return values | {value.partition(" ")[2].strip() for value in values}  # what follows Bearer


def masked(text: str, secrets: Collection[str]) -> str:
    """The text without the secrets, as they are and as JSON and URLs write them."""
    forms = {form for secret in secrets for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe=""))}
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, MASK) if len(form) >= _SHORTEST else text
    return text


def masked_json(value: Any, secrets: Collection[str]) -> Any:
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return masked(value, secrets)
    if isinstance(value, list):
        return [masked_json(part, secrets) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        return {masked(name, secrets): masked_json(part, secrets) for name, part in parts.items()}
    return value
