"""Keeping secrets out of what is shown and kept: in URLs, in arguments, and in texts that repeat what was sent."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote_plus

from switchyard.language.messages import Message
from switchyard.tools.core.json_values import is_list, is_object, json_in

MASK = "***"

_SHORTEST = 6
"""Shorter values are no secrets worth the name, and would be found everywhere."""
_SECRETS = (
    r"(?:token|secret|passwd|password|passphrase|passcode|pwd|signature|cookie|authorization|credentials?|appid|jwt"
    r"|(?:api|access|private|subscription|secret)[-_ ]?key|(?:auth|authorization|verification)[-_ ]?code"
    r"|(?:session|phpsess)[-_ ]?id|(?:^|[-_.])(?:auth|sig|key|bearer|otp|sess[-_]?id)"
    r"|密码|口令|令牌|[密秘私]钥|验证码|授权码|凭据|(?:登录|访问)凭证|会话[-_ ]?(?:id|标识)|(?:^|[-_.])签名)"
)
_AT_ITS_END = re.compile(f"{_SECRETS}$", re.IGNORECASE)
_ANYWHERE = re.compile(
    rf"{_SECRETS}(?![a-z])|key|token|secret|passw|passphrase|auth(?!or)|credential|cookie|session|private|signature|dsn|jwt"
    r"|bearer|密码|口令|令牌|[密秘私]钥|授权码",
    re.IGNORECASE,
)
"""A name ends with what it is a name of: `new_password`, 数据库密码; but `token_count`, 密码学 and 公钥 are no secrets.

A code that is sent to a person opens an account as a password does, for as long as it holds; a 授权码 is the password
that programs have for a mailbox.
"""

_KEY_LIKE = (
    r"(?i)(?<![A-Za-z0-9_])(?:sk|pk|tvly|gh[opsur]|xox[abeoprs]|xapp)[-_][A-Za-z0-9_*-]{8,}"
    r"|(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{8,}"
    r"|(?<![A-Za-z0-9_])glpat-[A-Za-z0-9_.-]{7,}[A-Za-z0-9_-]"
    r"|(?<![A-Za-z0-9])(?-i:A[KS]IA[0-9A-Z]{16})(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9_-])(?-i:AIza)[A-Za-z0-9_-]{30,}"
    r"|(?<![A-Za-z0-9_-])(?-i:eyJ)[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}"
    r"|-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
    r"|(?<=Bearer )[^\s，。；、）]+"
)
"""Keys of services as they begin, signed tokens, private keys also where they are cut off, and what follows `Bearer`.

What stands before one is looked at letter by letter: to `\\b`, a Chinese character is part of the word after it.
"""
_SIGNS = (b"xox", b"akia", b"asia", b"aiza", b"eyj", b"-----begin", b"bearer ")
_BEFORE_A_DASH = (b"sk", b"pk", b"tvly", b"gho", b"ghp", b"ghs", b"ghu", b"ghr", b"xapp", b"pat")
"""In small letters, what no key is without: few texts have any of it, and to search a long one takes its time."""
_URL = re.compile(r"(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s\"'<>，。；）]+", re.IGNORECASE)
"""An address of any scheme."""
_LOGIN = re.compile(r"^((?:[^/:]+\+)?https?://|[^/:]+://(?=[^/?#@:]*:))([^/?#]+)@", re.IGNORECASE)
"""Where no web page is asked for, a name alone is no secret: `ssh://git@…`."""
_PARAMETER = re.compile(r"([?&#]([^?=&#]+)=)([^&#]+)")
_WEBHOOK = re.compile(
    r"(hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/"
    r"|\.webhook\.office\.com/webhookb2/)([^\s\"'<>?#，。；）]+)",
    re.IGNORECASE,
)
"""Addresses whose path is all it takes to write to a channel; those of 钉钉 and 企业微信 have it as a parameter."""
_FORM = re.compile(r"[^\s=&?:/]{1,80}=[^\s&]*(?:&[^\s=&]{1,80}=[^\s&]*)*")
_FORM_PAIR = re.compile(r"((?:^|(?<=&))([^=&]+)=)([^&]+)")
"""A form as it is sent: user=me&password=…"""
_HEADERS = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]{0,60}:[ \t][^\r\n]*(?:\r?\n|$))+")
_HEADER = re.compile(r"^(([A-Za-z][A-Za-z0-9-]*):[ \t]+)([^\r\n]+)", re.MULTILINE)
"""Headers as text, a line each."""
_PAIR = re.compile(r"""(["']([^"'\\\n]{1,80})["']\s*:\s*["'])((?:[^"'\\]|\\.)*)(["']?)""")
"""A name and its text, as JSON writes them, also where the text is cut off."""


@lru_cache(maxsize=4096)  # every name in every prompt is looked at
def is_secret_name(name: str, *, anywhere: bool = False) -> bool:
    """Whether a header or a parameter of this name carries a secret; with `anywhere`, one like `TOKEN_FILE` too."""
    return (_ANYWHERE if anywhere else _AT_ITS_END).search(name) is not None


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


def masked(value: Any, secrets: Iterable[str]) -> Any:
    """A text, or a JSON value, without the secrets, however they are written."""
    forms = spelled(secrets)
    return every_text(value, lambda text: replaced(text, forms))


def every_text(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text in it changed, names too."""
    if isinstance(value, Message):
        return value.changed(change)
    if isinstance(value, str):
        return change(value)
    if is_list(value):
        return [every_text(part, change) for part in value]
    if is_object(value):
        return {every_text(name, change): every_text(part, change) for name, part in value.items()}
    return value


def without_keys(text: str) -> str:
    """The text without what looks like a key, whatever it is called, and without the secrets in addresses."""
    return _shown_in_text(text, lambda _: MASK)


def shown_arguments(arguments: Mapping[str, Any], mask: Callable[[Any], str] = lambda _: MASK) -> dict[str, Any]:
    """The arguments of a call as they may be shown and kept; the call itself needs them as they are.

    Masked are the values of what is named like a secret, also in headers, parameters and JSON texts, logins and named
    secrets in addresses, and what looks like a key. A field of a tool that is just called `key` is no secret.
    """
    return {name: _shown_part("" if name.lower() == "key" else name, value, mask) for name, value in arguments.items()}


def without_said(text: str) -> str:
    """A text in which JSON may stand, without what is named like a secret there, in URLs, or looks like a key."""
    text = _PAIR.sub(lambda match: f"{match[1]}{MASK}{match[4]}" if is_secret_name(match[2]) else match[0], text)
    return without_keys(text)


def _shown_part(name: str, value: Any, mask: Callable[[Any], str]) -> Any:
    if value and is_secret_name(name) and not isinstance(value, bool):
        return mask(value)
    if isinstance(value, str):
        return _shown_text(value, mask)
    if is_list(value):
        return [_shown_part("", part, mask) for part in value]
    if is_object(value):
        called = value.get("name")  # as in {"name": "X-Api-Key", "value": …}
        return {
            key: _shown_part(called if key == "value" and isinstance(called, str) else key, part, mask)
            for key, part in value.items()
        }
    return value


def _shown_text(text: str, mask: Callable[[Any], str]) -> str:
    said = json_in(text)
    shown = _shown_part("", said, mask)
    if shown != said:
        return json.dumps(shown, ensure_ascii=False)
    for form, pair in ((_FORM, _FORM_PAIR), (_HEADERS, _HEADER)):
        if form.fullmatch(text):
            text = _without_named(pair, text, mask)
    return _shown_in_text(text, mask)


def _shown_in_text(text: str, mask: Callable[[Any], str]) -> str:
    if "://" in text:
        text = _URL.sub(lambda match: _shown_address(match[0], mask), text)
    small = text.lower().encode("ascii", "ignore")
    if b"hook" in small:
        text = _WEBHOOK.sub(lambda match: f"{match[1]}{mask(match[2])}", text)
    before_dashes = small.replace(b"_", b"-").split(b"-")[:-1]
    if any(map(small.__contains__, _SIGNS)) or any(one.endswith(_BEFORE_A_DASH) for one in before_dashes):
        text = re.sub(_KEY_LIKE, lambda match: mask(match[0]), text)  # compiled here, because that takes a while
    return text


def _shown_address(url: str, mask: Callable[[Any], str]) -> str:
    url = _LOGIN.sub(lambda match: f"{match[1]}{mask(match[2])}@", url)
    return _without_named(_PARAMETER, url, mask)


def _without_named(pairs: re.Pattern[str], text: str, mask: Callable[[Any], str]) -> str:
    """The text without the values of pairs (what stands before a value, its name, the value) that are named so."""
    return pairs.sub(
        lambda match: f"{match[1]}{mask(match[3])}" if is_secret_name(unquote_plus(match[2])) else match[0], text
    )
