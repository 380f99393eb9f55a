"""A text in plain characters, before its numbers are read: one sign for each meaning, nothing invisible."""

import re

from switchyard.language.arithmetic.operations import MAX_DIGITS, refused
from switchyard.language.numbers import narrow

_VULGAR = "½1⁄2 ⅓1⁄3 ⅔2⁄3 ¼1⁄4 ¾3⁄4 ⅕1⁄5 ⅖2⁄5 ⅗3⁄5 ⅘4⁄5 ⅙1⁄6 ⅚5⁄6 ⅛1⁄8 ⅜3⁄8 ⅝5⁄8 ⅞7⁄8"
_SIGNS = "，, ；; ：: 。. ？? ！! （( ）) 【[ 】] ’' ‘' ﹪% －- −- –- —- ✕× ·× ⋅× ∙× ∕/ ￥¥ ≈="
_TYPED = str.maketrans(
    {pair[0]: pair[1:] for pair in _SIGNS.split()} | {pair[0]: f" {pair[1:]}" for pair in _VULGAR.split()}
)
_SMALL = {ord("A") + n: ord("a") + n for n in range(26)}
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000f0000-\U000fffff]")
_TOO_LONG = re.compile(rf"[0-9][0-9,.]{{{MAX_DIGITS},}}|[0-9.]e[+-]?[0-9]{{4,}}", re.IGNORECASE)
_SPOKEN = (
    (re.compile(r"(?<![0-9a-z])(?!0\s?x)([0-9.]+|\))\s?x\s?(?=[0-9(])", re.IGNORECASE), r"\1×"),  # 3x4, 3 x 4
    (
        re.compile(r"([0-9]{1,2})\s?['′]\s?([0-9]{1,2}(?:\.[0-9]+)?)\s?(?:\"|”|″|'')?(?![0-9a-z])", re.IGNORECASE),
        r"\1 ft \2 in",
    ),
    (re.compile(r"(?<=[0-9])(ft|h)(?=[0-9])", re.IGNORECASE), r" \1 "),  # 6ft2
    (re.compile(r"(?<=[a-z])(?<!\be)(?<!\bpi)\^2(?![0-9])", re.IGNORECASE), "²"),
    (re.compile(r"(?<=[a-z])(?<!\be)(?<!\bpi)\^3(?![0-9])", re.IGNORECASE), "³"),
    (re.compile(r"\b(what|that|how|it|which|there)'?s\b(?<!\bits)(?<!\bhows)", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bi'm\b", re.IGNORECASE), "i am"),
    (re.compile(r"\b(i|we)'d\b", re.IGNORECASE), r"\1 would"),
    (
        re.compile(
            r"(?:\b(?:lit(?:er|re)s?|l)|升)\s?(?:/|per\s|每)\s?(?:100|百)\s?(?:km\b|kilomet\w+|公里|千米)",
            re.IGNORECASE,
        ),
        "L/hkm",
    ),
    (
        re.compile(
            r"(?<=[0-9一二三四五六七八九十])分(?=\s?[0-9一二三四五六七八九十]+\s?秒)|(?<=时)([0-9一二三四五六七八九十]{1,3})分(?!钟|之)"
        ),
        r"\1分钟",
    ),
    (re.compile(r"每(秒|分钟|小时)(多少|几)(公里|千米|米|英里)"), r"\2\3每\1"),
    (re.compile(r"零下(?=\s?[0-9零一二两三四五六七八九十])"), "-"),
)
_LISTS = re.compile(
    r"\b(?:min|max|sum|mean|avg|average|median|mode|product|gcd|lcm|stdev|std|log|round|pow)\s*\(|\[", re.IGNORECASE
)
_COUNTS_NOTHING = re.compile(
    # dates, telephone numbers, versions, numbers of orders
    r"(?<![0-9.])[12][0-9]{3}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}|年)"
    r"|(?<![0-9./])[0-9]{1,2}[/.][0-9]{1,2}[/.](?:[0-9]{2}){1,2}(?![0-9./])"
    r"|[0-9一二三四五六七八九十]月\s*[0-9一二三四五六七八九十]|(?<![0-9.,])0[0-9]|[0-9]\.[0-9]+\.[0-9]"
    r"|(?<![0-9])[0-9]{3}-[0-9]{3}-[0-9]{4}(?![0-9])|^[0-9]{3}-[0-9]{4}$"
)
_CLOCK = re.compile(
    r"(?<![0-9:])[0-2]?[0-9]:[0-5][0-9](?![0-9])|[0-9一二三四五六七八九十]点(?:半|[0-9]|钟)|\b[0-9]{1,2}\s?[ap]m\b",
    re.IGNORECASE,
)


def prepared(text: str) -> str:
    """The text with signs of all kinds as ASCII and single spaces.

    Raises:
        Impossible: a number has more digits than are computed.
    """
    plain = narrow(_INVISIBLE.sub(" ", text).translate(_TYPED))
    if _TOO_LONG.search(plain):
        raise refused(f"Numbers with more than {MAX_DIGITS} digits are not computed.")
    for pattern, outcome in _SPOKEN:
        plain = pattern.sub(outcome, plain)
    return " ".join(_with_lists_apart(plain).split())


def in_small_letters(text: str) -> str:
    """The text without capitals, every character in its place."""
    return text.translate(_SMALL)


def counts_nothing(plain: str) -> bool:
    """Whether the digits of a text are those of a date, a clock, a telephone number, a version."""
    clock = _CLOCK.search(plain) is not None and re.search("ratio|比|按", plain) is None  # 10:15 may be a ratio
    return clock or _COUNTS_NOTHING.search(plain) is not None


def _with_lists_apart(plain: str) -> str:
    """A space after each comma inside the brackets of a list: there `1,234` is two numbers."""
    pieces, position = list[str](), 0
    for opening in _LISTS.finditer(plain):
        start, depth = opening.end(), 1
        if start < position:
            continue
        end = start
        while end < len(plain) and depth:
            depth += (plain[end] in "([") - (plain[end] in ")]")
            end += 1
        pieces += [plain[position:start], plain[start:end].replace(",", ", ")]
        position = end
    return "".join(pieces) + plain[position:]
