"""What a text in a user's words means as arithmetic, if it means nothing else.

The words that only ask are taken off, the amounts are taken out, and the rest must be understood to the last word: as
an expression, as one of `sentences`, or as `quantities` in prose. What is not read here is not computed anywhere; so is
what is to be done to an earlier number, and how the answer is written.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from switchyard.language.arithmetic.amounts import (
    MEASURE,
    NUMBER,
    Tokens,
    counts_nothing,
    currencies,
    prepared,
    tokenise,
)
from switchyard.language.arithmetic.expression import read_expression
from switchyard.language.arithmetic.frames import Wish, find_wish, without_frame, without_verb
from switchyard.language.arithmetic.operations import (
    Amount,
    Number,
    Percent,
    applied,
    clean,
    factors,
    misread,
    rounded,
    whole,
)
from switchyard.language.arithmetic.quantities import PER_CENT, Quantity, find_quantity
from switchyard.language.errors import Misread, Unreadable
from switchyard.language.messages import message
from switchyard.language.numbers import read_number, written
from switchyard.language.units import UNKNOWN, unit_named

MAX_LENGTH = 2000
"""Characters a text may have."""

_MOST_WORDS = 30
"""Words, or pairs of Chinese characters, that arithmetic may have beside its numbers: a longer text is about more."""
_DEEPEST = 3
"""Sentences inside sentences: rounding a percentage of a sum is two deep."""

_WORDS = re.compile(r"(?i)[a-z]+|[\u4e00-\u9fff]{2}")
_HAN = re.compile("[\u4e00-\u9fff]")
_CONSTANT = re.compile(r"\b(?:pi|e)\b|π|圆周率")
_ASKS = re.compile(r"(?i)\b(?:what|how much)\b|多少|几|等于")
_CALL = re.compile(r"[a-z]\(")
_OF_ALL = frozenset({"deviation", "variance"})

_PLACES, _DIGITS = 10, 15
_SMALL = Fraction(1, 10**6)
_BASES = {"hexadecimal": "#x", "binary": "#b"}

_NUMBER_HERE, _MEASURE_HERE = chr(NUMBER + 0xFFF), chr(MEASURE + 0xFFF)
"""The characters that stand for the earlier number while a text is read."""

_SPOKEN_OF = re.compile(
    r"(?i)\b(?:(?:the|that|this|your|my)\s+(?:(?:previous|last|first|above|final)\s+)?"
    r"(?:result|answer|number|value|outcome|figure|amount|price|product|quotient|difference|sum|total|count)\b(?!\s+of\b)"
    r"|(?:it|that|this|them)\b)"
    r"|[把将]?(?:(?:上面|前面|刚才|上述|所得|得到|得出|上一步)的?)?"
    r"(?:(?:这个|那个|该|此)?(?:结果|得数|答案)|(?:这个|那个|该|此)(?:数字?|值|和)|它)"
)
_LEADS = re.compile(
    r"^(?:[\s,]|(?:and|then|now|next|finally|also|please|after that|ok|so)\b"
    r"|再|然后|接着|最后|那么?|现在|请|帮我|又|并|把|将)+",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?i)(?:multiply|divided?|increased?|decreased?|reduced?|raised?|lower|cut|round(?:ed)?|convert|change|turn|split"
    r"|shared?|express|add|plus|subtract|deduct|take|knock|get|find|calculate|compute|half|the|square|cube|factorial"
    r"|reciprocal|absolute|doubled?|tripled?|quadruple|halved?|minus|times|over|multiplied|to the|squared|cubed|in|into"
    r"|with|as|less|mod)\b|(?:what (?:is|are|about)|how about)\s(?=in\b)"
    r"|[-+*/^×÷²³!%的加减乘除打平开保四换转是等涨降翻增合用分取提]"
    r"|.*\b(?:of|off)$"
)
"""How a sentence begins, or ends, that leaves out the number it changes."""
_FORMS = ("{it} {said}", "{verb} {it} {rest}", "{said} to {it}", "{said} from {it}", "{said} of {it}", "{said} {it}")
"""Where that number may belong: the first that can be read is meant."""
_ANY_VALUE = Fraction(4)
"""What a placeholder is taken for while a text is read: it has a root, a factorial and a logarithm."""
_LONGEST_CHANGE = 80


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A text that means arithmetic, and what it comes to."""

    text: str
    """The text without the words that only ask: reading it again gives the same."""
    formula: str
    """What was understood, as an expression that can be read again."""
    shown: str
    """The same as people write it, to be set before an equals sign."""
    outcome: Amount
    style: str = ""
    """How the answer is asked for: `hexadecimal`, `binary`, `prime`, `factors`."""
    chinese: bool = False
    computes: bool = True
    """Whether there is anything to work out: a number alone is nothing."""

    def result(self) -> Amount:
        """The outcome.

        Raises:
            Unreadable: it has none.
        """
        if self.outcome.problem:
            raise self.outcome.problem
        return self.outcome


def read_arithmetic(text: str) -> Arithmetic | None:
    """The arithmetic a text means; None when it is not arithmetic as a whole."""
    found = _remembered(text)
    return found if isinstance(found, Arithmetic) else None


def parse(text: str) -> Arithmetic:
    """The arithmetic a text means.

    Raises:
        Unreadable: it is no arithmetic; the sentence says where it stops to be any.
    """
    found = _remembered(text)
    if isinstance(found, Unreadable):
        raise found
    return found


@lru_cache(maxsize=512)
def _remembered(text: str) -> Arithmetic | Unreadable:
    """Remembered, because every tool that may serve a text looks at it."""
    if len(text) > MAX_LENGTH:
        return misread(message("expression_too_long", most=MAX_LENGTH))
    try:
        return _parse_plain(prepared(text), {})
    except Unreadable as error:
        return error


def _parse_plain(plain: str, known: dict[str, Amount]) -> Arithmetic:
    """The arithmetic of a prepared text, in which some amounts may be private-use characters already.

    Raises:
        Unreadable: it is no arithmetic.
    """
    if counts_nothing(plain):
        raise misread(message("number_not_computed"))
    tokens = tokenise(plain, known)
    if not (tokens.amounts or _CONSTANT.search(plain)):
        raise misread(message("nothing_to_compute", text=plain[:200]))
    if len(_WORDS.findall(tokens.text)) > _MOST_WORDS:
        raise misread(message("text_not_arithmetic"))
    chinese = _HAN.search(tokens.spoken(tokens.text)) is not None
    return replace(_Reading(tokens, chinese=chinese).read(tokens.text), chinese=chinese)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The reading of one text, or of a part of it that is a sentence of its own."""

    tokens: Tokens
    chinese: bool
    depth: int = 0

    def read(self, text: str) -> Arithmetic:
        """The first reading that understands all of it."""
        problem: Misread | None = None
        for read in self._ways(text):
            try:
                return read()
            except Misread as error:
                problem = problem or error
        raise problem or misread(message("no_arithmetic", text=self.tokens.spoken(text)[:200]))

    def _ways(self, text: str) -> Iterator[Callable[[], Arithmetic]]:
        """The ways to read a text, the plainest first."""
        candidates = without_frame(text)
        found = [(said, one) for said in candidates if (one := find_quantity(said, self.tokens, chinese=self.chinese))]
        for candidate, quantity in found:
            if quantity.converts:
                yield partial(self._quantity, candidate, quantity)
        for candidate in reversed(candidates):
            yield partial(self._expression, candidate, candidates[0])
            for ordered in without_verb(candidate):
                yield partial(self._expression, ordered, candidates[0])
        for candidate in candidates if self.depth < _DEEPEST else ():
            if wish := find_wish(candidate):
                yield partial(self._wished, candidate, wish)
        for candidate, quantity in found:
            yield partial(self._quantity, candidate, quantity)

    def _quantity(self, candidate: str, found: Quantity) -> Arithmetic:
        said = self.tokens.spoken(candidate)
        return Arithmetic(said, found.formula or said, found.shown, found.outcome)

    def _expression(self, candidate: str, whole: str) -> Arithmetic:
        """`whole` is the candidate with the words that ask."""
        outcome, done = read_expression(candidate, self.tokens.amounts)
        said = self.tokens.spoken(candidate)
        found = Arithmetic(said, said, self._shown(candidate, done), outcome)
        if done in ([], ["negative"]) and not _CONSTANT.search(candidate):
            unit, value = outcome.unit, outcome.value
            if unit and not unit.kind.startswith("currency"):
                raise misread(message("only_an_amount", text=said[:200]))
            plain = unit or isinstance(value, Percent) or re.fullmatch(r"-?\s?[0-9.,]+", said)
            return replace(found, text=self.tokens.spoken(whole), computes=not plain and bool(_ASKS.search(whole)))
        return found

    def _wished(self, candidate: str, wish: Wish) -> Arithmetic:
        """The answer as it is wanted: rounded, in percent, or in another form."""
        found, said = replace(self, depth=self.depth + 1).read(wish.text), self.tokens.spoken(candidate)
        if found.style:
            raise misread(message("several_values"))
        if wish.form == "percent":
            share = replace(found.outcome, value=found.outcome.value * 100, unit=PER_CENT)
            return Arithmetic(said, said, found.shown, share)
        if wish.form:
            return Arithmetic(said, said, found.shown, found.outcome, wish.form.replace("value", ""))
        by = self.tokens.amounts.get(wish.places or wish.step) or Amount(Fraction(wish.step), wish.step)
        outcome = applied("round" if wish.places else "to_multiple", [found.outcome, by])
        way = (
            ("保留{}位小数" if wish.places else "精确到{}")
            if self.chinese
            else " rounded to {} decimals"
            if wish.places
            else " to the nearest {}"
        )
        shown = f"({found.shown})" if found.computes and found.shown != found.formula else found.shown
        return Arithmetic(said, found.formula + way.format(by.text), shown + way.format(by.text), outcome)

    def _shown(self, text: str, done: list[str]) -> str:
        """A formula as people write it: `(120 - 80) ÷ 80`, remainder of 7 ÷ 2."""
        text = text.replace(" * ", " × ").replace(" / ", " ÷ ")
        if remainder := re.fullmatch(r"(\S+) mod (\S+)", text):
            text = ("{} ÷ {} 的余数" if self.chinese else "remainder of {} ÷ {}").format(*remainder.groups())
        shown = self.tokens.spoken(text)
        if done and done[-1] in _OF_ALL and not re.search("population|总体", shown):
            shown += "（总体）" if self.chinese else " (population)"
        return shown


# how the answer is written


def styled(outcome: Amount, style: str) -> Any:
    """What an answer of a style is: 0xff, prime factors; None where it is a number.

    Raises:
        Unreadable: the number has none.
    """
    if style in {"prime", "factors"}:
        found = factors(outcome.value)
        return len(found) == 1 if style == "prime" else list(found)
    if style not in _BASES:
        return None
    if outcome.unit:
        raise misread(message("unit_with_number"))
    return format(whole(outcome.value), _BASES[style])


def sentence(shown: str, outcome: Amount, style: str, *, chinese: bool) -> str:
    """What was computed, and what it comes to."""
    if style in {"prime", "factors"}:
        product = " × ".join(str(factor) for factor in factors(outcome.value))
        if style == "factors":
            return f"{shown} 的质因数 = {product}" if chinese else f"prime factors of {shown} = {product}"
        if styled(outcome, style):
            return f"{product} 是质数" if chinese else f"{product} is a prime number"
        return f"{shown} 不是质数：{product}" if chinese else f"{shown} is not a prime number: {product}"
    digits, exact = (styled(outcome, style), True) if style else _outcome_shown(outcome, chinese=chinese)
    return f"{shown} {'=' if exact else '≈'} {digits}"


def _number_shown(value: Number, *, measured: bool, money: bool) -> tuple[str, bool]:
    """The digits of a value that mean something, and whether they are all of it."""
    exact = clean(value)
    if exact.denominator == 1:
        return str(exact.numerator), True
    if money:
        cents = rounded(exact, Fraction(2))
        return f"{float(cents):.2f}", cents == exact
    full = written(exact)
    places = len(full.partition(".")[2])
    if "⁄" not in full and places <= (5 if measured else _PLACES) and len(full) <= _DIGITS + 2:
        return full, not isinstance(value, float)
    if abs(exact) < _SMALL:
        return f"{float(exact):.6g}", False
    first = math.floor(math.log10(abs(float(exact)))) + 1
    kept = max(2, 4 - first) if measured else min(max(6, 6 - first), max(0, _DIGITS - first))
    near = rounded(exact, Fraction(kept))
    return written(near), near == exact


def _outcome_shown(outcome: Amount, *, chinese: bool) -> tuple[str, bool]:
    """A value with its unit, and whether it is exact."""
    unit = outcome.unit
    money = unit is not None and unit.kind.startswith("currency")
    digits, exact = _number_shown(outcome.value, measured=unit is not None and not money, money=money)
    if unit is None:
        return digits, exact
    name = unit.name(chinese=chinese)
    if money and not name[0].isalpha():
        return f"{'-' if digits.startswith('-') else ''}{name}{digits.lstrip('-')}", exact
    return (f"{digits}{name}" if name in {"%", "°"} else f"{digits} {name}"), exact


# what is to be done to an earlier number


def find_arithmetic(text: str) -> str | None:
    """What is to be worked out, as `calculate` takes it; None where the text is not arithmetic as a whole."""
    found = read_arithmetic(text)
    return found.text if found is not None and found.computes else None


@lru_cache(maxsize=512)
def find_change(text: str, reference: str) -> str | None:
    """What a text asks to do with an earlier number, as an expression: "add 14% to it" gives `reference + 14%`.

    Args:
        text: a clause.
        reference: the earlier number, with its unit where it has one, or a placeholder for it.
    """
    if len(text) > _LONGEST_CHANGE:
        return None
    if not text.lstrip().startswith(("+", "-")) and find_arithmetic(text):
        return None  # a sum of its own
    try:
        plain = prepared(text)
    except Unreadable:
        return None
    for letter, amount in _readings_of(reference):
        for said in _with_number(plain, letter):
            try:
                found = _parse_plain(" ".join(said.split()), {letter: amount})
            except Unreadable:
                continue
            formula = " ".join(found.formula.split())
            if found.computes and amount.text in formula and amount.text != formula:
                return formula
    return None


def _readings_of(reference: str) -> list[tuple[str, Amount]]:
    """The earlier number as an amount: with its unit, without, or, where it is a placeholder, as anything."""
    said, _, unit_name = reference.strip().partition(" ")
    value = read_number(said)
    if value is None:
        number, measure = Amount(_ANY_VALUE, reference), Amount(_ANY_VALUE, reference, unit=UNKNOWN)
        return [(_NUMBER_HERE, number), (_MEASURE_HERE, measure)]
    unit = unit_named(unit_name) if unit_name else None
    if unit is not None:
        return [(_MEASURE_HERE, Amount(value, reference, unit=unit)), (_NUMBER_HERE, Amount(value, said))]
    currency = currencies().get(unit_name)
    return [(_NUMBER_HERE, Amount(value, reference if currency else said, currency))]


def _with_number(plain: str, letter: str) -> Iterator[str]:
    """The text with the earlier number in it: for the word that speaks of it, or where one was left out."""
    if spoken_of := _SPOKEN_OF.search(plain):
        yield f"{plain[: spoken_of.start()]} {letter} {plain[spoken_of.end() :]}"
        return
    bare = _LEADS.sub("", plain).strip(" .?!。？！")
    verb, _, rest = bare.partition(" ")
    forms = _FORMS[: len(_FORMS) if bare.isascii() else 1] if _BEGINS.match(bare) else ()
    for form in ("{said} is {it}",) if verb.lower() == "how" else forms:
        yield form.format(said=bare, verb=verb, rest=rest, it=letter)
