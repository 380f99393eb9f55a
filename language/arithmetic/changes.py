"""What the rules look for in a text: what is to be worked out, and what is to be done to an earlier number.

Both are read by the reader that `calculate` computes with: what is found here can be computed there.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from switchyard.language.arithmetic.amounts import MEASURE, NUMBER, currencies, prepared
from switchyard.language.arithmetic.operations import Amount
from switchyard.language.arithmetic.reading import parse_plain, read_arithmetic
from switchyard.language.errors import Unreadable
from switchyard.language.numbers import read_number
from switchyard.language.units import UNKNOWN, unit_named

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
    r"|with|as|less|mod)\b|(?:what (?:is|are|about)|how about)\s(?=in\b|[0-9])"
    r"|[-+*/^×÷²³!%的加减乘除打平开保四换转是等涨降翻增合用分取提]"
    r"|.*\b(?:of|off)$"
)
"""How a sentence begins, or ends, that leaves out the number it changes."""
_FORMS = ("{it} {said}", "{verb} {it} {rest}", "{said} of {it}", "{said} to {it}", "{said} from {it}", "{said} {it}")
"""Where that number may belong: the first that can be read is meant."""
_ANY_VALUE = Fraction(4)
"""What a placeholder is taken for while a text is read: it has a root, a factorial and a logarithm."""
_LONGEST_CHANGE = 80


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
                found = parse_plain(said, {letter: amount})
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
