"""Numbers as people write and say them, in English and Chinese: 2,480; 3.5万; two thirds; 一百二十; 百分之十五.

Nothing is guessed: what is no number for certain (一共, 第一, no one, 三四十) is left alone. Values are exact.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from switchyard.language.tables import listed

_MAX_LENGTH = 1000
"""Characters a number may have; Python itself refuses to read many more digits."""


@cache
def numerals(*kinds: str) -> dict[str, int]:
    """The words of numbers of some kinds (`data/number_words.tsv`), each with what it is worth."""
    pairs = (pair.partition("=") for kind in kinds for pair in listed("number_words", kind))
    return {word: int(worth) for word, _, worth in pairs}


_SMALL = ("zero", "ones", "teens", "tens")
"""The kinds of all words below a hundred."""
_TEN, _HUNDRED = 10, 100
_SPOKEN_DIGITS = 3
"""Han digits in a row from which they are a number read digit by digit; 三四 is "three or four"."""

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]{1,3}\b)?"
_FRACTION_SLASH = "⁄"
_NO_ONE = ("no", "any", "every", "some", "each", "which", "this", "that", "the", "another", "only", "other")
_HAN_BEGINS = "零〇一二三四五六七八九十百千万亿两半第星礼周唯统之单同任每某逐不专"
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class FoundNumber(NamedTuple):
    """A number and where it stands."""

    value: Fraction
    start: int
    end: int


def read_number(text: str) -> Fraction | None:
    """The number that is the whole text, or None."""
    text = text.strip()
    above, slash, below = text.replace(_FRACTION_SLASH, "/").partition("/")
    if slash:
        numerator, denominator = read_number(above), read_number(below)
        return numerator / denominator if numerator is not None and denominator else None
    found = find_numbers(text)
    return found[0].value if len(found) == 1 and found[0][1:] == (0, len(text)) else None


def find_numbers(text: str) -> list[FoundNumber]:
    """Every number in a text, percentages as what they are worth: 15% is 3/20."""
    found: list[FoundNumber] = []
    plain = narrow(text)
    for value, start, end in number_spans(plain):
        share = value
        begin, stop = start, end
        if after := _PERCENT_AFTER.match(plain, end):
            share, stop = value / 100, after.end()
        elif plain.endswith("百分之", 0, start):
            share, begin = value / 100, start - len("百分之")
        if sign := _SIGN.search(plain, max(begin - len("negative  "), 0), begin):
            share, begin = -share, sign.start()
        found.append(FoundNumber(share, begin, stop))
    return found


def written(value: Fraction) -> str:
    """The digits of a number: `305`, `2.5`, or `1⁄3` where they would not end."""
    below = value.denominator
    twos = (below & -below).bit_length() - 1
    fives = round(math.log(below >> twos, 5))
    if 2**twos * 5**fives != below:
        return f"{value.numerator}{_FRACTION_SLASH}{below}"
    places = max(twos, fives)
    digits = f"{abs(value.numerator) * 10**places // below:0{places + 1}d}"
    return ("-" if value < 0 else "") + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def narrow(text: str) -> str:
    """Full-width digits and signs as plain ones, each in its place."""
    return text.translate(_NARROW)


@lru_cache(maxsize=256)
def number_spans(text: str) -> tuple[FoundNumber, ...]:
    """Every number in a text without sign or percent sign; full-width digits are not read."""
    found: list[FoundNumber] = []
    pattern, begins, position = _pattern(spelled=_spelled().search(text) is not None), _begins(), 0
    while begin := begins.search(text, position):
        match = pattern.match(text, begin.start())
        position = match.end() if match else begin.start() + 1
        kind = (match.lastgroup or "") if match else ""
        if match and kind in _READERS and len(match[0]) <= _MAX_LENGTH:
            value = _READERS[kind](match[0])
            if value is not None:
                found.append(FoundNumber(value, *match.span()))
    return tuple(found)


def _digits(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _english(text: str) -> Fraction | None:
    """A number in words: three hundred and five, two thirds, two and a half million."""
    words, parts = re.split(r"[\s-]+", text.lower()), numerals("parts")
    named = [parts.get(word) or parts.get(word.removesuffix("s")) for word in words]
    at = next((at for at, part in enumerate(named) if part), 0)
    if below := named[at]:
        middle = at - words[:at][::-1].index("and") if "and" in words[:at] else 0
        whole, above, times = (_cardinal(said) for said in (words[:middle], words[middle:at], words[at + 1 :]))
        return (
            None
            if whole is None or above is None or times is None
            else (whole + (above or Fraction(1)) / below) * (times or 1)
        )
    return _cardinal(words)


def _cardinal(words: list[str]) -> Fraction | None:
    total, group, last = Fraction(0), Fraction(0), max(numerals("big").values()) + 1
    for word in words:
        if word in numerals(*_SMALL):
            group += numerals(*_SMALL)[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in numerals("big"):
            if numerals("big")[word] >= last:
                return None
            last = numerals("big")[word]
            total, group = total + (group or 1) * last, Fraction(0)
        elif word not in {"and", "a", "an"}:
            group += _digits(word)
    return total + group


def _han(text: str) -> Fraction | None:
    """一万两千三百, 三点五万, 3万5千, 二〇二六."""
    whole, point, decimals = text.partition("点")
    if point:
        units = decimals.lstrip("".join(numerals("digits")))
        behind = "".join(str(numerals("digits")[digit]) for digit in decimals[: len(decimals) - len(units)])
        before = _han(whole)
        scale = _han(f"一{units}")
        return None if before is None or scale is None else (before + Fraction(f"0.{behind}")) * scale
    tokens: list[str] = re.findall(rf"{_DIGITS}|\S", text)
    if all(token in numerals("digits") for token in tokens):
        if len(tokens) > 1 and ("两" in tokens or (len(tokens) < _SPOKEN_DIGITS and not {"零", "〇"} & {*tokens})):
            return None
        return Fraction("".join(str(numerals("digits")[token]) for token in tokens))
    return _places(tokens)


def _places(tokens: list[str], above: int = 1, *, closed: bool = False) -> Fraction | None:
    """A number of digits and places, 万 and 亿 first; `above` is the place to its left, `closed`: one stands behind."""
    for han, place in numerals("large_places").items():
        if han in tokens:
            at = tokens.index(han)
            head = _places(tokens[:at], closed=True) if at else None
            tail = _places(tokens[at + 1 :], place, closed=closed) if tokens[at + 1 :] else Fraction(0)
            return None if head is None or tail is None or tail >= place else head * place + tail
    return _group(tokens, above, closed=closed)


def _group(tokens: list[str], above: int, *, closed: bool) -> Fraction | None:
    """Up to 千: the places go down, and 一百二 is short for 120 where nothing follows."""
    total, current, lowest, zero = Fraction(0), None, 10**4, False
    for han in tokens:
        place = numerals("places").get(han)
        if han in "零〇":
            if current is not None or zero:
                return None
            zero = True
        elif place is None:
            if current is not None:
                return None
            current = Fraction(numerals("digits")[han]) if han in numerals("digits") else _digits(han)
        elif place >= lowest or (current is None and han != "十"):
            return None
        else:
            total += (1 if current is None else current) * place
            current, lowest, above, zero = None, place, place, False
    short = above >= _HUNDRED and not zero and current is not None and current < _TEN
    if (closed and short) or (zero and current is None):
        return None
    return total + (current or 0) * (Fraction(above, 10) if short else 1)


def _han_fraction(text: str) -> Fraction | None:
    """三分之一, 三又二分之一, 千分之五."""
    whole, _, rest = text.rpartition("又")
    below, _, above = rest.partition("分之")
    values = [_han(whole or "零"), _han(f"一{below}" if below in {"千", "万"} else below), _han(above)]
    if values[0] is None or not values[1] or values[2] is None:
        return None
    return values[0] + values[2] / values[1]


_READERS: dict[str, Callable[[str], Fraction | None]] = {
    "halves": lambda _: Fraction(1, 2),
    "and_a_half": lambda text: (whole := _han(text.removesuffix("个半"))) and whole + Fraction(1, 2),
    "pair": lambda text: Fraction("".join(str(numerals("digits")[digit]) for digit in text)),
    "han_fraction": _han_fraction,
    "han": _han,
    "english": _english,
    "digits": _digits,
}

_PERCENT_AFTER = re.compile(r"\s*(?:%(?!\s*[0-9(])|per\s?cent\b)", re.IGNORECASE | re.ASCII)
_SIGN = re.compile(r"(?i)(?:(?<![\w)\]%])[-−]|负|\bnegative\s+)$")


@cache
def _begins() -> re.Pattern[str]:
    """Where a number, or what only looks like one, can begin: most of a text is passed over without a closer look."""
    words = "|".join([*numerals(*_SMALL), "an?", "half", *_NO_ONE])
    return re.compile(rf"[0-9.{_HAN_BEGINS}]|\b(?:{words})\b", re.IGNORECASE | re.ASCII)


@cache
def _spelled() -> re.Pattern[str]:
    """English words that numbers are made of."""
    parts = (f"{part}s?" for part in numerals("parts"))
    words = "|".join([*numerals(*_SMALL, "big"), "hundred", "half", "halves", *parts])
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE | re.ASCII)


@cache
def _pattern(*, spelled: bool) -> re.Pattern[str]:
    """Everything a number can look like, what only looks like one (`skip`) first.

    The English words are a long pattern that takes a moment to compile: only a text that has some pays for it.
    """
    ones, teens, tens, big = ("|".join(words) for words in map(numerals, ("ones", "teens", "tens", "big")))
    below_100 = rf"(?:(?:{tens})(?:[\s-]+(?:{ones}))?|{teens}|{ones}|zero)\b"
    below_1000 = rf"(?:(?:{below_100}|an?)\s+hundred\b(?:(?:\s+and)?\s+{below_100})?|{below_100})"
    words = (
        rf"(?:(?:{below_1000}|an?)\s+(?:{big})\b(?:\s+(?:and\s+)?{below_1000}\s+(?:{big})\b)*"
        rf"(?:\s+(?:and\s+)?{below_1000})?|{below_1000})(?!\s+(?:hundred|{big})\b)"
    )
    part = "|".join(numerals("parts"))
    ends = r"(?=\s*(?:$|of\b|plus\b|minus\b|times\b|divided\b|over\b|to\b|the\b|[^\sa-z]))"
    share = rf"(?:(?:{words}|{_DIGITS})[\s-]+(?:{part})s\b|(?:one|1)[\s-]+(?:{part})\b|an?\s+(?:{part})\b{ends})"
    english = (
        rf"\b(?:(?:{words}|(?<![\w.]){_DIGITS})\s+and\s+(?:{share}|an?\s+half\b)(?:\s+(?:hundred|{big})\b)?|{share}"
        rf"|half\s+an?\s+(?:hundred|{big})\b|half\s+an?\b|half\b{ends}|{words})"
        rf"|(?<![\w.]){_DIGITS}\s*(?:hundred|{big})\b"
    )
    digit, before = "零〇一二三四五六七八九", "零〇一二三四五六七八九十百千万亿两0-9"
    place = "(?:[十万亿萬億]|百(?!帕)|千(?![克米卡帕焦瓦字比赫伏]))"
    han_digit = rf"(?:(?!一共)[{digit}]|(?<![{before}])两|两(?=[百千万亿萬億]))"
    amount = rf"(?:{_DIGITS}\s?(?={place})|{han_digit}|(?<![百千万亿])十)(?:{place}|{han_digit}|{_DIGITS}(?={place}))*"
    amount = rf"(?:{amount}(?:点[{digit}]+(?!分(?!之)|刻)[十百千万亿]*)?|{amount})"
    number = rf"(?:{amount}|{_DIGITS})"
    week = rf"(?:星期|礼拜|(?<![{before}个])周)[一二三四五六]"
    skip = (
        rf"四舍五入|第\s*{amount}|{week}|[万唯统之单同任每某逐不专]一|十分(?![之钟])|三明治|四川|三亚|九江|零[件售食]|二维码|二手|(?:十六|[二八十])进制"
        r"|一[共下些起样直定般切旦边面向致律再阵番带路并旁]|一会|一方面|一系列|一点(?![零〇一二三四五六七八九])"
        rf"|\b(?:{'|'.join(_NO_ONE)})[\s-]one\b(?!\s+(?:hundred|{big}|{part}))"
        r"|\bone(?=(?:'s|\s+of|\s+another|\s+by\s+one|\s+or\s+more|\s+who|\s+that)\b)"
        rf"|\b(?:{tens})[\s-]+(?:first|second|{part})\b"
    )
    kinds = {
        "skip": skip,
        "halves": "一半|(?<![一大多过])半(?=个?(?:小时|公斤|公里|千克|斤|天|英里|升|吨|米|磅|亩|分钟|年))",
        "and_a_half": rf"{number}个半",
        "pair": rf"[{digit[2:]}]{{2}}(?=折)",
        "han_fraction": rf"(?:{number}又)?(?:{number}|(?<![{before}])[千万])分之{number}",
        **({"english": english} if spelled else {}),
        "han": amount,
        "digits": rf"(?<![a-z0-9_.]){_DIGITS}(?!\.?[0-9]|e[+-]?[0-9])",
    }
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in kinds.items()), re.IGNORECASE | re.ASCII)
