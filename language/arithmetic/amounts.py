"""A text in plain characters with its amounts taken out: each number, percentage, sum of money or measure is one sign.

What is left is short and has no digits, so that patterns over it are exact and quick. Four planes of private-use
characters tell the four kinds apart.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from switchyard.language.arithmetic.operations import MAX_DIGITS, Amount, Part, Percent
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.numbers import narrow, number_spans
from switchyard.language.tables import rows
from switchyard.language.units import Unit, unit_at, unit_named

NUMBER, PERCENT, MONEY, MEASURE = 0xF0000, 0xF1000, 0xF2000, 0xF3000


def _class(*planes: int) -> str:
    return "".join(f"{chr(first)}-{chr(first + 0xFFF)}" for first in planes)


PERCENTS, MEASURES, COUNTS, ANY = (
    _class(PERCENT),
    _class(MEASURE),
    _class(NUMBER, MONEY, MEASURE),
    _class(*range(NUMBER, MEASURE + 1, 0x1000)),
)
"""The characters of each kind, for a class in a pattern."""

_VULGAR = "½1⁄2 ⅓1⁄3 ⅔2⁄3 ¼1⁄4 ¾3⁄4 ⅕1⁄5 ⅖2⁄5 ⅗3⁄5 ⅘4⁄5 ⅙1⁄6 ⅚5⁄6 ⅛1⁄8 ⅜3⁄8 ⅝5⁄8 ⅞7⁄8"
_SIGNS = "，, ；; ：: 。. ？? ！! （( ）) 【[ 】] ’' ‘' ﹪% －- −- –- —- ✕× ·× ⋅× ∙× ∕/ ￥¥ ≈="
_TYPED = str.maketrans(
    {pair[0]: pair[1:] for pair in _SIGNS.split()} | {pair[0]: f" {pair[1:]}" for pair in _VULGAR.split()}
)
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000f0000-\U000fffff]")
_TOO_LONG = re.compile(rf"(?i)[0-9][0-9,.]{{{MAX_DIGITS},}}|[0-9.]e[+-]?[0-9]{{4,}}")
_HAN_NUMBER = "[0-9一二三四五六七八九十]"
_DECIMAL_ASKED = r"(?:数|\s?(?:number|value))?\s?({})(?![0-9a-z_.])(?=.*(?:\bdecimal|十进制))"
_SPOKEN = tuple(
    (re.compile(pattern, re.IGNORECASE), outcome)
    for pattern, outcome in (
        (r"(?<![0-9a-z])(?!0\s?x)([0-9.]+|\))\s?x\s?(?=[0-9(])", r"\1×"),  # 3x4, 3 x 4
        (r"([0-9]{1,2})\s?['′]\s?([0-9]{1,2}(?:\.[0-9]+)?)\s?(?:\"|”|″|'')?(?![0-9a-z])", r"\1 ft \2 in"),
        (r"(?<=[0-9])(ft|h)(?=[0-9])", r" \1 "),  # 6ft2
        (r"(?<=[a-z])(?<!\be)(?<!\bpi)\^2(?![0-9])", "²"),
        (r"(?<=[a-z])(?<!\be)(?<!\bpi)\^3(?![0-9])", "³"),
        (r"\b(what|that|how|it|which|there)'?s\b(?<!\bits)(?<!\bhows)", r"\1 is"),
        (r"\bi'm\b", "i am"),
        (r"\bi'd\b", "i would"),
        (rf"(?<={_HAN_NUMBER})分(?=\s?{_HAN_NUMBER}+\s?秒)|(?<=时)({_HAN_NUMBER}{{1,3}})分(?!钟|之)", r"\1分钟"),
        (r"每(秒|分钟|小时)(多少|几)(公里|千米|米|英里)", r"\2\3每\1"),
        (r"\?*\s?\((?:保留|精确到|取)?([0-9一二两三四])位小数\)", r",保留\1位小数"),
        (r"(摄氏|华氏)(?:是|为)?(多少|几)度", r"\2\1度"),
        (r"零下(?=\s?[0-9零一二两三四五六七八九十])", "-"),
        (r"(?:\bhex(?:adecimal)?|十六进制)" + _DECIMAL_ASKED.format("[0-9a-f]+"), r"0x\1"),
        (r"(?:\bbinary|二进制)" + _DECIMAL_ASKED.format("[01]+"), r"0b\1"),
    )
)
_LISTS = re.compile(
    r"(?i)\b(?:min|max|sum|mean|avg|average|median|mode|product|gcd|lcm|stdev|std|log|round|pow|distance)\s*\(|\["
)
_COUNTS_NOTHING = re.compile(
    # dates, telephone numbers, versions, numbers of orders
    r"(?i)(?<![0-9.])[12][0-9]{3}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}|年)"
    r"|(?<![0-9./])[0-9]{1,2}[/.][0-9]{1,2}[/.](?:[0-9]{2}){1,2}(?![0-9./])"
    r"|[0-9一二三四五六七八九十]月\s*[0-9一二三四五六七八九十]|(?<![0-9.,a-z])0[0-9]|[0-9]\.[0-9]+\.[0-9]"
    r"|(?<![0-9])[0-9]{3}-[0-9]{3}-[0-9]{4}(?![0-9])|^[0-9]{3}-[0-9]{4}$"
    r"|(?<![0-9:])[0-2]?[0-9]:[0-5][0-9](?![0-9])|[0-9一二三四五六七八九十]点(?:半|[0-9]|钟)|\b[0-9]{1,2}\s?[ap]m\b"
)
_BASED = re.compile(r"(?i)(?<![0-9a-z_.])0(?:x[0-9a-f]+|b[01]+)(?![0-9a-z_.])")
_MIXED = re.compile(r"(?<![0-9.,/⁄])(?:([0-9]{1,6})\s)?([0-9]{1,6})([/⁄])([0-9]{1,6})(?![0-9.,/⁄]*[0-9/⁄])")
_OF = re.compile(r"(?i)\s+of\b")
_ONE = re.compile(r"(?i)\b(an?)\s+(?=[a-z]{3})")
_ASKED_UNIT = re.compile(r"(?:多少|几|[换算转合][成为])个?两$")
"""两 asked for is the unit, not the number."""

_SIGN_BEFORE = re.compile(r"(?i)(us\$|hk\$|[$€£¥₹])\s?$")
_NO_MONEY = "(?![板糖石肉布木砖玻饼面地电巧蛋豆香披])"
"""What 块 counts that is no money."""
_PERCENT_BEFORE = re.compile(r"百分之\s?$")
_PERCENT_AFTER = re.compile(r"(?i)%(?![0-9(])|\s?(?:%(?!\s*[0-9(])|per\s?cents?\b|percents?\b)|成(?=$|[的是,.?])")
_PART = re.compile("(?i)[a-z]|分之|半")
_BELOW_ZERO = re.compile(r"(?i)(?:^|[,:是为把]\s?|\b(?:is|of|at|convert)\s)((?:-|minus |负)\s?)$")
_THOUSANDS = re.compile(r"(?i)(?<=[0-9])k(?![a-z0-9])")

_SPACE = re.compile(r"\s?-?(?:个(?!月))?")
_NO_UNIT = re.compile(
    r"in(?!\s*(?:$|[?,;:.)=*]|(?:in|to|into|as|is|are|equals?|tall|long|wide|high|by|and)\b))|k"
    r"|里(?=[面的,0-9])|平(?=[均分摊方])|升(?=[到至了高幅值])|节(?=[省约])"
)
"""Words that look like a unit: the preposition of "5 in cm", 30k, 从80升到100."""
_HALF_AFTER = re.compile(r"半(?![个小天年月斤公里])")
_HEIGHT = re.compile(r"(?:[0-9]{1,2}|[一二三四五六七八九]{1,2})(?![0-9.一二三四五六七八九十百千万分厘]|\s?[a-z])")
_AROUND = re.compile(
    r"(?:每|一)(?P<time>秒|分|小时)钟?\s?$|(?P<speed>[时秒])速(?:是|为)?\s?$|(?P<scale>华氏|摄氏)(?:温度)?\s?$"
)
_COMPOUND = re.compile(
    rf"(?i)([{MEASURES}])(?P<between>(?:\s?,)?\s?(?:and\s)?|又|零)([{MEASURES}]|[{_class(NUMBER)}](?!\s?[a-z]*['\"]))"
)
_LEFT_OUT = {"ft": "in", "h": "min"}
"""Units after which the next smaller one goes without saying: 6 ft 2, 1h30."""
_HAN_SPACE = re.compile(r"\s*([\u3400-\u9fff、])\s*")
_SIDE_BY_SIDE = re.compile(rf"[{ANY}](?: [{ANY}]){{2,}}")

_Span = tuple[Fraction, int, int]
_Read = tuple[Amount, int, int]
"""An amount with where it begins and ends."""


@dataclass(slots=True)
class Tokens:
    """A text, and the amounts that its private-use characters stand for."""

    text: str
    amounts: dict[str, Amount]

    def letter(self, amount: Amount) -> str:
        """A character for an amount, of the plane of its kind."""
        kind = amount.unit.kind.partition(" ")[0] if amount.unit else ""
        plane = MONEY if kind == "currency" else MEASURE if kind else NUMBER
        if isinstance(amount.value, Percent):
            plane = PERCENT
        letter = chr(plane + len(self.amounts))
        self.amounts[letter] = amount
        return letter

    def spoken(self, text: str) -> str:
        """A part of the text as it was written."""
        return re.sub(f"[{ANY}]", lambda match: self.amounts[match[0]].text, text)


def prepared(text: str) -> str:
    """The text with signs of all kinds as ASCII and single spaces.

    Raises:
        Impossible: a number has more digits than are computed.
    """
    plain = narrow(_INVISIBLE.sub(" ", text).translate(_TYPED))
    if _TOO_LONG.search(plain):
        raise Impossible(message("number_too_long", digits=MAX_DIGITS))
    for pattern, outcome in _SPOKEN:
        plain = pattern.sub(outcome, plain)
    if _LISTS.search(plain):  # there `1,234` is two numbers
        plain = plain.replace(",", ", ")
    return " ".join(plain.split())


def counts_nothing(plain: str) -> bool:
    """Whether the digits of a text are those of a date, a clock, a telephone number, a version."""
    return _COUNTS_NOTHING.search(plain) is not None


def tokenise(plain: str, known: dict[str, Amount]) -> Tokens:
    """A prepared text with its amounts taken out; the characters of `known` ones stand in it already."""
    tokens = Tokens("", dict(known))
    pieces, position = list[str](), 0
    for value, start, end in sorted(_numbers(plain), key=lambda span: (span[1], -span[2])):
        if start >= position:
            amount, begin, stop = _amount(plain, value, start, end, position)
            pieces += [plain[position:begin], tokens.letter(replace(amount, text=plain[begin:stop]))]
            position = stop
    tokens.text = _HAN_SPACE.sub(r"\1", "".join(pieces) + plain[position:])
    _merge(tokens)
    tokens.text = _SIDE_BY_SIDE.sub(lambda several: several[0].replace(" ", ", "), tokens.text)
    return tokens


@cache
def currencies() -> dict[str, Unit]:
    """Every currency by its names, in small letters; those that name a unit too (pounds) are none here."""
    found: dict[str, Unit] = {}
    for row in rows("currencies"):
        unit = Unit(row[1], f"currency {row[1]}", Fraction(1), row[1])
        names = (name for cell in row[1:] for name in cell.split("|"))
        found |= {name.lower(): unit for name in names if name and unit_named(name) is None}
    return found


@cache
def _money_after() -> re.Pattern[str]:
    longest = sorted(currencies(), key=len, reverse=True)
    names = "|".join(re.escape(name) + _NO_MONEY * (name == "块") for name in longest)
    return re.compile(rf"(?i)\s?({names})(?![a-z])")


def _numbers(plain: str) -> list[_Span]:
    """Every number with where it stands; 3/4 is a division like any other, but 1 3/4, ¾ and 3/4 of 120 are numbers."""
    taken: list[_Span] = [(Fraction(int(match[0], 0)), *match.span()) for match in _BASED.finditer(plain)]
    for match in _MIXED.finditer(plain):
        whole, above, slash, below = match.groups()
        mixed = slash == "⁄" or (whole and int(above) < int(below))
        start, end = match.span()
        part_of = _OF.match(plain, end) or plain.endswith("的", 0, start) or _measured(plain, Fraction(1), start, end)
        if int(below) and (mixed or part_of):
            taken.append((Fraction(int(whole or 0)) + Fraction(int(above), int(below)), *match.span()))
    for number in number_spans(plain):
        apart = all(end <= number.start or number.end <= start for _, start, end in taken)
        if apart and not _ASKED_UNIT.search(plain, max(number.start - 3, 0), number.end):
            taken.append((number.value, number.start, number.end))
    ones = (match.span(1) for match in _ONE.finditer(plain))
    return taken + [(Fraction(1), *span) for span in ones if _measured(plain, Fraction(1), *span)]


def _amount(plain: str, value: Fraction, start: int, end: int, earliest: int) -> _Read:
    """The number at this place with what belongs to it on both sides, but not before `earliest`."""
    if before := _PERCENT_BEFORE.search(plain, earliest, start):
        return Amount(Percent(value / 100)), before.start(), end
    if after := _PERCENT_AFTER.match(plain, end):
        return Amount(Percent(value / (10 if after[0] == "成" else 100))), start, after.end()
    if measure := _measured(plain, value, start, end):
        amount, begin, stop = measure
        below = _BELOW_ZERO.search(plain, earliest, start) if amount.unit and amount.unit.offset else None
        return (
            (replace(amount, value=-amount.value), below.start(1), stop)
            if below
            else (amount, max(begin, earliest), stop)
        )
    is_part = 0 < value < 1 and _PART.search(plain, start, end)
    if thousands := _THOUSANDS.match(plain, end):
        value, end = value * 1000, thousands.end()
    if sign := _SIGN_BEFORE.search(plain, earliest, start):
        return Amount(value, unit=currencies()[sign[1].lower()]), sign.start(), end
    if named := _money_after().match(plain, end):
        return Amount(value, unit=currencies()[named[1].lower()]), start, named.end()
    return Amount(Part(value) if is_part else value), start, end


def _measured(plain: str, value: Fraction, start: int, end: int) -> _Read | None:
    """The number at this place with its unit: 5 km, 华氏72度, 三斤半, 一米七五; None where it counts no unit."""
    space = _SPACE.match(plain, end)
    found = unit_at(plain, space.end() if space else end)
    other = _NO_UNIT.match(plain, found.start) if found else None
    if found is None or (other and other.end() == found.end) or plain[end : found.end].lower() == "st":
        return None
    unit, stop = found.unit, found.end
    name = plain[found.start : stop]
    if (around := _AROUND.search(plain, max(start - 10, 0), start)) and (meant := _around(around, name)):
        return Amount(value, unit=meant), around.start(), stop
    if half := _HALF_AFTER.match(plain, stop):
        return Amount(value + Fraction(1, 2), unit=unit), start, half.end()
    if name == "米" and (tail := _HEIGHT.match(plain, stop)):
        decimals = "".join(str("零一二三四五六七八九".find(digit) % 10) if digit > "9" else digit for digit in tail[0])
        return Amount(value + Fraction(f"0.{decimals}"), unit=unit), start, tail.end()
    return Amount(value, unit=unit), start, stop


def _around(match: re.Match[str], name: str) -> Unit | None:
    """The unit that words on both sides of a number make: 每秒…米, 时速…公里, 华氏…度."""
    if match["scale"]:
        return unit_named(match["scale"]) if name in {"度", "°"} else None
    time = match["time"] or match["speed"]
    return unit_named(f"{name}每{'小时' if time == '时' else time}")


def _merge(tokens: Tokens) -> None:
    """Make one of measures that belong together: 5 feet 7 inches, 1 hour and 30 minutes, 三斤二两."""
    position = 0
    while match := _COMPOUND.search(tokens.text, position):
        first, second = tokens.amounts[match[1]], tokens.amounts[match[3]]
        position = match.start() + 1
        large = first.unit
        small = second.unit or unit_named(_LEFT_OUT.get(large.symbol if large else "", ""))
        if large is None or small is None or not _joins(large, second.value * small.factor, small, match["between"]):
            continue
        value = first.value + second.value * small.factor / large.factor
        letter = tokens.letter(Amount(value, f"{first.text} {second.text}", large))
        tokens.text, position = tokens.text[: match.start()] + letter + tokens.text[match.end() :], match.start()


def _joins(large: Unit, rest: float | Fraction, small: Unit, between: str) -> bool:
    same = large.kind == small.kind and large.kind != "temperature"
    spoken = not between.strip(" ,") or large.kind == "time" or large.symbol in {"ft", "lb", "st", "yd", "year"}
    return same and spoken and large.factor > small.factor and rest < large.factor
