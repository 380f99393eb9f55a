"""Requests and their answers as they may be shown: without passwords, keys and what else is named like a secret."""

import base64
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.masking import MASK, every_text, is_secret_name, replaced, spelled

_SHOWN = 200
"""Characters of a URL in a sentence."""


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
    """The text without the secrets, however they are written."""
    return replaced(text, spelled(secrets))


def masked_json(value: Any, secrets: Collection[str]) -> Any:
    """The same for every text in a JSON value."""
    forms = spelled(secrets)
    return every_text(value, lambda text: replaced(text, forms))


def masked_failure(error: ToolFailed, secrets: Collection[str]) -> ToolFailed:
    """The same for what a failure says."""
    return ToolFailed(masked_json(str(error), secrets), kind=error.kind)
