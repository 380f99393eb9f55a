"""What a text in a user's words means as arithmetic, if it means nothing else.

The words that only ask are taken off, the amounts are taken out, and the rest must be understood to the last word: as a
conversion, as an expression, or as one of `sentences`. What is not read here is not computed anywhere.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from switchyard.language.arithmetic.amounts import NUMBER, Amount, Tokens, counts_nothing, prepared, tokenise
from switchyard.language.arithmetic.conversions import read_conversion, unknown_unit
from switchyard.language.arithmetic.expression import Expression, read_expression
from switchyard.language.arithmetic.operations import misread, refused
from switchyard.language.arithmetic.outcomes import BASES, Outcome, formula, in_base, shown_formula, worked_out
from switchyard.language.arithmetic.sentences import Framed, Sentence, sentences, without_frame
from switchyard.language.errors import Impossible, Misread, Unreadable
from switchyard.language.messages import message

MAX_LENGTH = 2000
"""Characters a text may have."""

MOST_WORDS = 30
"""Words, or pairs of Chinese characters, that arithmetic may have beside its numbers: a longer text is about more."""

_WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]{2}", re.IGNORECASE)
_HAN = re.compile("[\u4e00-\u9fff]")
_CONSTANT = re.compile(r"\b(?:pi|e)\b|π|圆周率")
_ASKS = re.compile(r"\b(?:what|how much)\b|多少|几|等于", re.IGNORECASE)
_ALONE = re.compile(r"-?\(?n0\)?")


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A text that means arithmetic, and what it comes to."""

    text: str
    """The text without the words that only ask: reading it again gives the same."""
    shown: str
    """What was understood, to be set before an equals sign."""
    formula: str
    """The same as an expression that can be read again."""
    asked: str = ""
    """The same with the unit it is wanted in, where it is a conversion."""
    outcome: Outcome | None = None
    problem: Unreadable | None = None
    """Why it has no value, where it has none."""
    style: str = ""
    """`fraction`, `hexadecimal`, `binary` or `octal` where the answer is asked for as one."""
    chinese: bool = False
    computes: bool = True
    """Whether there is anything to work out: a number alone is nothing."""

    def result(self) -> Outcome:
        """The outcome.

        Raises:
            Unreadable: it has none.
        """
        if self.outcome is None:
            raise self.problem or misread(message("without_value"))
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
        return parse_plain(prepared(text), {})
    except Unreadable as error:
        return error


def parse_plain(plain: str, known: Mapping[str, Amount]) -> Arithmetic:
    """The arithmetic of a prepared text, in which some amounts may be private-use characters already.

    Raises:
        Unreadable: it is no arithmetic.
    """
    if counts_nothing(plain):
        raise misread(message("number_not_computed"))
    problem: Unreadable | None = None
    for measures in (False, True):
        tokens = tokenise(plain, measures=measures, known=known)
        if not (tokens.amounts or _CONSTANT.search(plain)) or (
            measures and not any(amount.unit for amount in tokens.amounts.values())
        ):
            continue
        if len(_WORDS.findall(tokens.text)) > MOST_WORDS:
            raise misread(message("text_not_arithmetic"))
        try:
            return _read(tokens, measures=measures)
        except Misread as error:
            problem = problem or error
    raise unknown_unit(plain) or problem or misread(message("nothing_to_compute", text=plain[:200]))


def _read(tokens: Tokens, *, measures: bool) -> Arithmetic:
    """The first reading of a text that understands all of it."""
    framed = without_frame(tokens.text)
    chinese = _HAN.search(tokens.spoken(tokens.text)) is not None
    problem: Misread | None = None
    for read in _readings(framed, tokens, measures=measures, chinese=chinese):
        try:
            found = read()
        except Misread as error:
            problem = problem or error
            continue
        if found is not None:
            styled = _styled(found, framed.style, tokens.spoken(tokens.text)) if framed.style else found
            return replace(styled, chinese=chinese)
    raise problem or misread(message("no_arithmetic", text=tokens.spoken(tokens.text)[:200]))


def _styled(found: Arithmetic, style: str, said: str) -> Arithmetic:
    """What was read, with how its answer is to be written."""
    try:
        if found.outcome and style in BASES:
            in_base(found.outcome, style)
    except Impossible as error:
        return replace(found, outcome=None, problem=error)
    return replace(found, text=said, style=style, computes=True)


def _readings(
    framed: Framed, tokens: Tokens, *, measures: bool, chinese: bool
) -> Iterator[Callable[[], Arithmetic | None]]:
    """The ways to read a text, the plainest first."""
    for candidate in framed.candidates if measures else ():
        yield partial(_conversion, candidate, tokens, chinese=chinese)
    for candidate in reversed(framed.candidates):
        yield partial(_expression, candidate, tokens, whole=framed.candidates[0], chinese=chinese)
    for candidate in framed.candidates:
        for sentence in sentences(candidate):
            yield partial(_sentence, candidate, sentence, tokens, chinese=chinese)


def _conversion(candidate: str, tokens: Tokens, *, chinese: bool) -> Arithmetic | None:
    conversion = read_conversion(candidate, tokens)
    if conversion is None:
        return None
    asked, target = f"{conversion.said} in {conversion.target.symbol}", conversion.target
    shown = conversion.shown(chinese=chinese)
    wanted = f"{shown}换算成{target.chinese}" if chinese else f"{shown} in {target.symbol}"
    found = Arithmetic(tokens.spoken(candidate), shown, asked, wanted)
    try:
        return replace(found, outcome=Outcome(conversion.value, target.symbol, target))
    except (Unreadable, ZeroDivisionError) as error:
        return replace(found, problem=error if isinstance(error, Unreadable) else refused(message("divides_by_zero")))


def _expression(candidate: str, tokens: Tokens, *, whole: str, chinese: bool) -> Arithmetic:
    """`whole` is the candidate with the words that ask."""
    expression = read_expression(candidate, tokens.amounts)
    said = tokens.spoken(candidate)
    shown = tokens.spoken(shown_formula(candidate, chinese=chinese))
    found = Arithmetic(said, shown, said)
    if _ALONE.fullmatch(expression.source):
        amount = expression.numbers["n0"]
        if amount.unit:
            raise misread(message("only_an_amount", text=said[:200]))
        in_words = amount.plane == NUMBER and not re.fullmatch(r"[0-9.,]+", amount.text)
        found = replace(found, text=tokens.spoken(whole), computes=in_words and _ASKS.search(whole) is not None)
    if re.search(r"\b(?:deviation|variance)\(", expression.source) and not re.search("population|总体", said):
        found = replace(found, shown=shown + ("（总体）" if chinese else " (population)"))
    return _with_outcome(found, expression)


def _sentence(candidate: str, sentence: Sentence, tokens: Tokens, *, chinese: bool) -> Arithmetic:
    expression = read_expression(sentence.text, tokens.amounts)
    plain = formula(sentence.text)
    shown = tokens.spoken(shown_formula(plain, chinese=chinese))
    readable = tokens.spoken(plain)
    found = Arithmetic(tokens.spoken(candidate), shown, f"{readable} as a percentage" if sentence.unit else readable)
    return _with_outcome(found, expression, sentence.unit)


def _with_outcome(found: Arithmetic, expression: Expression, unit: str = "") -> Arithmetic:
    """What was read with what it comes to, or with why it comes to nothing."""
    try:
        return replace(found, outcome=worked_out(expression, unit))
    except Impossible as error:
        return replace(found, problem=error)
