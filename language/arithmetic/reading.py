"""What a text in a user's words means as arithmetic, if it means nothing else.

The words that only ask are taken off, and the rest must be understood to the last word: as an expression, or as
`quantities` in prose; either may say how its answer is wanted. What is not read here is not computed anywhere; so is
what is to be done to an earlier number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache

from switchyard.language.arithmetic.expression import CONSTANTS, Expression
from switchyard.language.arithmetic.operations import Amount, applied, misread
from switchyard.language.arithmetic.quantities import PER_CENT, find_quantity
from switchyard.language.arithmetic.words import COUNTS_NOTHING, Word, currencies, find_words, prepared, said
from switchyard.language.errors import Impossible, Misread, Unreadable
from switchyard.language.messages import message
from switchyard.language.numbers import read_number
from switchyard.language.tables import rows, values
from switchyard.language.units import UNKNOWN, unit_named

MAX_LENGTH = 2000
"""Characters a text may have."""
_MOST_WORDS = 60
"""Words that prose may have: a longer text is about more."""
_HAN = re.compile("[\u4e00-\u9fff]")
_ROUNDED = {
    "round": (" rounded to {} decimals", "保留{}位小数"),
    "to_multiple": (" to the nearest {}", "精确到{}"),
}

_HERE = "\U000f0000"
"""The character that stands for the earlier number while a text is read."""
_SPOKEN_OF = re.compile(
    r"(?i)\b(?:(?:the|that|this|your|my)\s+(?:(?:previous|last|first|above|final)\s+)?"
    r"(?:result|answer|number|value|outcome|figure|amount|price|product|quotient|difference|sum|total|count)\b(?!\s+of\b)"
    r"|(?:it|that|this|them)\b)"
    r"|[把将]?(?:(?:上面|前面|刚才|上述|所得|得到|得出|上一步)的?)?"
    r"(?:(?:这个|那个|该|此)?(?:结果|得数|答案)|(?:这个|那个|该|此)(?:数字?|值|和)|它)"
)
_FORMS = ("{it} {said}", "{verb} {it} {rest}", "{said} to {it}", "{said} from {it}", "{said} of {it}", "{said} {it}")
"""Where the earlier number may belong when it is left out: the first that can be read is meant."""
_ANY_VALUE = Fraction(4)
"""What a placeholder is taken for while a text is read: it has a root, a factorial and a logarithm."""
_LONGEST_CHANGE = 80


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A text that means arithmetic, and what it comes to."""

    text: str
    """The text without the words that only ask: reading it again gives the same."""
    shown: str
    """What was understood as people write it, to be set before an equals sign."""
    outcome: Amount
    problem: Impossible | None = None
    """Why it has no value, where it has none."""
    style: str = ""
    """How the answer is asked for: `hexadecimal`, `binary`, `prime`, `factors`."""
    chinese: bool = False
    computes: bool = True
    """Whether there is anything to work out: a number alone is nothing."""


_MONTH = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])")


def find_arithmetic(text: str) -> str | None:
    """What is to be worked out, as `calculate` takes it; None where the text is not arithmetic as a whole."""
    if _MONTH.fullmatch(text.strip(" ?？。.")):
        return None  # 2026-10 is no difference
    found = _remembered(text)
    return found.text if isinstance(found, Arithmetic) and found.computes else None


def parse(text: str) -> Arithmetic:
    """The arithmetic a text means.

    Raises:
        Misread: it is no arithmetic; the sentence says where it stops to be any.
        Impossible: it has no value.
    """
    found = _remembered(text)
    if isinstance(found, Unreadable):
        raise found
    if found.problem:
        raise found.problem
    return found


@lru_cache(maxsize=512)
def _remembered(text: str) -> Arithmetic | Unreadable:
    """Remembered, because every tool that may serve a text looks at it."""
    if len(text) > MAX_LENGTH:
        return misread(message("expression_too_long", most=MAX_LENGTH))
    try:
        return _read(prepared(text), {})
    except Unreadable as error:
        return error


def _read(plain: str, known: dict[str, Amount]) -> Arithmetic:
    """The arithmetic of a prepared text, in which the characters of `known` stand for amounts.

    Raises:
        Unreadable: it is no arithmetic.
    """
    if COUNTS_NOTHING.search(plain):
        raise misread(message("number_not_computed"))
    words = _trimmed(find_words(plain, known), said("polite"), said("thanks"))
    if not any(word.amount or word.text in CONSTANTS for word in words):
        raise misread(message("nothing_to_compute", text=plain[:200]))
    return _Reading(plain, words, _HAN.search(plain) is not None).read()


def _trimmed(words: Sequence[Word], before: frozenset[str], after: frozenset[str]) -> Sequence[Word]:
    """The words without some at their beginning and some at their end."""
    first, last = 0, len(words)
    while first < last and words[first].text in before:
        first += 1
    while last > first and words[last - 1].text in after:
        last -= 1
    return words[first:last]


_Wish = tuple[Sequence[Word], str, Amount]
"""How an answer is wanted: the words without that, an operation or the form it has, and what it is rounded to."""


def _wish(words: Sequence[Word]) -> _Wish | None:
    """How a text wants its answer: in a form named at either end, rounded to places or to a step; None if not said."""
    joints, rounds, forms = said("glue"), said("round"), values("arithmetic", "form")
    words = _trimmed(words, joints, joints)
    if len(words) < len(("number", "form")):
        return None
    *rest, before, last = words
    by = last.amount or Amount(Fraction(values("arithmetic", "step").get(last.text, "0")), text=last.text)
    if last.text in said("places") and before.amount:
        kind, by = "round", before.amount
    elif last.text in forms:
        kind, rest = forms[last.text], words[:-1]
    elif words[0].text in forms and any(word.text == "of" for word in words):
        kind, rest = forms[words[0].text], words[1:]
    elif before.text in said("nearest") and by.value:
        kind = "to_multiple"
    elif rounds & {words[0].text, last.text}:
        kind, by, rest = "to_multiple", Amount(Fraction(1), text="1"), words
    else:
        return None
    rest = _trimmed(rest, joints | rounds | said("nearest"), joints | rounds | said("nearest"))
    return (rest, kind, by) if rest else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The reading of one text."""

    plain: str
    words: Sequence[Word]
    chinese: bool

    def read(self) -> Arithmetic:
        """The first reading that understands all of it: as an expression, with a wish for its answer, as prose."""
        try:
            return self._expression(self.words)
        except Misread as error:
            problem = error
        wish = _wish(self.words)
        found = self._wished(*wish) if wish else None
        if found is None and (wish is None or wish[1] == "percent"):
            found = self._prose(self.words)
        if found is None:
            raise problem
        return found

    def _expression(self, words: Sequence[Word]) -> Arithmetic:
        asked = _trimmed(words, said("ask"), said("asked"))
        found, text = Expression(asked), self._said(asked)
        shown = text.replace(" * ", " × ").replace(" / ", " ÷ ")
        if found.operations[-1:] in (["deviation"], ["variance"]):
            shown += "（总体）" if self.chinese else " (population)"
        computes = found.operations not in ([], ["negative"]) or any(word.text in CONSTANTS for word in asked)
        if found.value.unit and not computes:
            raise misread(message("only_an_amount", text=text[:200]))
        return Arithmetic(text, shown, found.value, found.problem, chinese=self.chinese, computes=computes)

    def _prose(self, words: Sequence[Word]) -> Arithmetic | None:
        if len(words) > _MOST_WORDS:
            return None
        text = self._said(words)
        try:
            found = find_quantity(self.plain, words, chinese=self.chinese)
        except Impossible as error:
            return Arithmetic(text, text, Amount(Fraction(0)), error)
        return found and Arithmetic(text, *found, chinese=self.chinese)

    def _wished(self, words: Sequence[Word], kind: str, by: Amount) -> Arithmetic | None:
        """The answer as it is wanted: rounded, in percent, or in another form."""
        try:
            found = self._expression(words)
        except Misread:
            found = self._prose(words)
        if found is None:
            return None
        found = replace(found, text=self._said(self.words), computes=True)
        if kind == "percent":
            return replace(found, outcome=Amount(found.outcome.value * 100, PER_CENT))
        if kind not in _ROUNDED:
            return replace(found, style=kind)
        way = _ROUNDED[kind][self.chinese].format(by.text)
        shown = f"({found.shown}){way}" if re.search("[-+×÷ ]", found.shown) else found.shown + way
        return replace(found, shown=shown, outcome=applied(kind, [found.outcome, by]))

    def _said(self, words: Sequence[Word]) -> str:
        """A part of the text as it was written."""
        return self.plain[words[0].start : words[-1].end] if words else ""


# what is to be done to an earlier number


@lru_cache(maxsize=512)
def find_change(text: str, reference: str) -> str | None:
    """What a text asks to do with an earlier number, as an expression: "add 14% to it" gives `add 14% to reference`.

    Args:
        text: a clause.
        reference: the earlier number, with its unit where it has one, or a placeholder for it.
    """
    if len(text) > _LONGEST_CHANGE or (text.lstrip()[:1] not in "+-" and find_arithmetic(text)):
        return None  # a sum of its own
    try:
        forms = [*_with_number(prepared(text))]
    except Unreadable:
        return None
    for amount in _readings_of(reference):
        for form in forms:
            try:
                found = _read(" ".join(form.split()), {_HERE: amount})
            except Unreadable:
                continue
            if found.computes and _HERE in found.text:
                return found.text.replace(_HERE, amount.text)
    return None


def _readings_of(reference: str) -> list[Amount]:
    """The earlier number as an amount: with its unit, without, or, where it is a placeholder, as anything."""
    number, _, name = reference.strip().partition(" ")
    value = read_number(number)
    if value is None:
        return [Amount(_ANY_VALUE, text=reference), Amount(_ANY_VALUE, UNKNOWN, reference)]
    unit = unit_named(name) or currencies().get(name)
    return [*([Amount(value, unit, reference)] if unit else []), Amount(value, text=number)]


def _with_number(plain: str) -> Iterator[str]:
    """The text with the earlier number in it: for the word that speaks of it, or where one was left out."""
    if spoken_of := _SPOKEN_OF.search(plain):
        space = " " if plain.isascii() else ""
        yield f"{plain[: spoken_of.start()]}{space}{_HERE}{space}{plain[spoken_of.end() :]}"
        return
    words = _trimmed(find_words(plain, {}), said("polite"), said("thanks"))
    bare = plain[words[0].start : words[-1].end] if words else ""
    verb, _, rest = bare.partition(" ")
    if verb.lower() == "how":
        yield f"{bare} is {_HERE}"
    elif words and (words[0].text in _operations() or words[-1].text in {"of", "off"} | said("places")):
        for form in _FORMS if bare.isascii() else ("{it}{said}",):
            yield form.format(said=bare, verb=verb, rest=rest, it=_HERE)


@cache
def _operations() -> frozenset[str]:
    """Words that do something to a number: a sentence that begins with one may leave the number out."""
    roles = {"plus", "less", "split", "to", "with", "fold", "up", "down", "off"}
    done = {word for row in rows("functions") for cell in row[2:] for word in cell.split("|")}
    prose = {word for word, role in values("arithmetic", "prose").items() if role in roles}
    return (said("round") | said("nearest") | done | prose | {"是", "等于", "合", "保留"}) - {""}
