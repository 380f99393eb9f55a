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
_VERBS = "multiply divide increase decrease reduce raise lower cut round convert change turn split share express"
_OPERATORS = (
    r"(?=[-+*/^×÷²³!%]|[的加减乘除打平开保四换转是等涨降翻增合用分取提]|(?:plus|minus|times|over|divided|multiplied"
    r"|to the|squared|cubed|doubled|tripled|halved|in|into|rounded|with|as|less|increased|decreased|reduced|raised|mod"
    r"|split|shared)\b)"
)
_LEFT_OUT = tuple(
    # where the number belongs that a sentence leaves out
    (re.compile(verb, re.IGNORECASE), form)
    for verb, form in (
        (rf"(?:{_VERBS.replace(' ', '|')}|round off)\b", "{verb} {it} {rest}"),
        (r"(?:add|plus)\b", "add {rest} to {it}"),
        (r"(?:subtract|deduct|take away)\b", "subtract {rest} from {it}"),
        (r"(?:take|knock)\b", "{verb} {rest} {it}"),
        (r"(?:take|get|find|calculate|compute)\b", "{rest} of {it}"),
        (r"(?:half|(?:the )?(?:square root|cube root|factorial|reciprocal|absolute value))\b", "{verb} of {it} {rest}"),
        (r"(?:double|triple|quadruple|halve|square|cube|round up|round down)\b", "{verb} {it} {rest}"),
        (r"how (?:many|much)\b", "{verb} {rest} is {it}"),
        (r"(?:what (?:is|are|about)|how about)\s(?=in\b|[0-9])", "{it} {rest}"),
        (_OPERATORS, "{it} {rest}"),
        (r"(?=.*\b(?:of|off)$)", "{rest} {it}"),
    )
)
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
    for verb, form in _LEFT_OUT:
        if match := verb.match(bare):
            yield form.format(verb=match[0], it=letter, rest=bare[match.end() :].strip())
