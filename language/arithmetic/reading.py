"""What a text in a user's words means as arithmetic, if it means nothing else.

The words that only ask are taken off, the amounts are taken out, and the rest must be understood to the last word: as a
conversion (5 miles in km, 3斤苹果是多少克), as an expression, as one of `sentences`, or as
`quantities` in prose. What is not read here is not computed anywhere.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from switchyard.language.arithmetic.amounts import ANY, Tokens, counts_nothing, prepared, tokenise
from switchyard.language.arithmetic.expression import read_expression
from switchyard.language.arithmetic.operations import Amount, Percent, misread
from switchyard.language.arithmetic.quantities import Quantity, find_quantity
from switchyard.language.arithmetic.sentences import Template, matches, without_frame, word_value
from switchyard.language.arithmetic.wording import PER_CENT, shown_list
from switchyard.language.errors import Misread, Unreadable
from switchyard.language.messages import message

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
    """How the answer is asked for: `hexadecimal`, `binary`, `prime`, `factors`, `truth`."""
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
        return parse_plain(prepared(text), {})
    except Unreadable as error:
        return error


def parse_plain(plain: str, known: dict[str, Amount]) -> Arithmetic:
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
        found = find_quantity(candidates[0], self.tokens, chinese=self.chinese) if candidates else None
        if found and found.converts:
            yield partial(self._quantity, candidates[0], found)
        for candidate in reversed(candidates):
            yield partial(self._expression, candidate, candidates[0])
        for candidate in candidates if self.depth < _DEEPEST else ():
            for template, parts in matches(candidate):
                yield partial(self._sentence, candidate, template, parts)
        if found:
            yield partial(self._quantity, candidates[0], found)

    def _quantity(self, candidate: str, found: Quantity) -> Arithmetic:
        said = self.tokens.spoken(candidate)
        return Arithmetic(said, found.formula or said, found.shown, found.outcome)

    def _expression(self, candidate: str, whole: str) -> Arithmetic:
        """`whole` is the candidate with the words that ask."""
        outcome, done = read_expression(candidate, self.tokens.amounts)
        said = self.tokens.spoken(candidate)
        style = "truth" if done and done[-1] in "<>" else ""
        found = Arithmetic(said, said, self._shown(candidate, done), outcome, style)
        if done in ([], ["negative"]) and not _CONSTANT.search(candidate):
            unit, value = outcome.unit, outcome.value
            if unit and not unit.kind.startswith("currency"):
                raise misread(message("only_an_amount", text=said[:200]))
            plain = unit or isinstance(value, Percent) or re.fullmatch(r"-?\s?[0-9.,]+", said)
            return replace(found, text=self.tokens.spoken(whole), computes=not plain and bool(_ASKS.search(whole)))
        return found

    def _sentence(self, candidate: str, template: Template, parts: list[str]) -> Arithmetic:
        said, style, amounts = self.tokens.spoken(candidate), template.style, self.tokens.amounts
        text = re.sub(
            r"\{(\d)(?::(\w+))?\}", lambda slot: self._part(parts[int(slot[1])], slot[2], template), template.outcome
        )
        outcome, done = read_expression(text, amounts)
        if _CALL.search(template.outcome):
            text = candidate
        spoken, shown = self.tokens.spoken(text), self._shown(text, done)
        if style == "value":
            return Arithmetic(said, spoken, shown, outcome)
        if style == "percent":
            if outcome.unit:
                raise misread(message("percentage_of_like"))
            share = replace(outcome, value=outcome.value * 100, unit=PER_CENT)
            return Arithmetic(said, f"{spoken} as a percentage", shown, share)
        return Arithmetic(said, said, shown, outcome, style)

    def _part(self, part: str, kind: str | None, template: Template) -> str:
        """A part as an expression takes it: a list, what a word stands for, or an amount; a part of its own is read."""
        if kind == "list":
            return shown_list(re.findall(rf"-?[{ANY}]", part.replace("- ", "-")), chinese=self.chinese)
        if kind == "word":
            return word_value(part)
        if not re.search(f"[{ANY}]", part) or re.fullmatch(rf"-?[{ANY}]", part):
            return part
        found = replace(self, depth=self.depth + 1).read(part)
        if found.style:
            raise misread(message("several_values"))
        said = f"({found.shown})" if found.computes and template.outcome != "{0}" else found.shown
        return self.tokens.letter(replace(found.outcome, text=said))

    def _shown(self, text: str, done: list[str]) -> str:
        """A formula as people write it: `(120 - 80) ÷ 80`, remainder of 7 ÷ 2."""
        text = text.replace(" * ", " × ").replace(" / ", " ÷ ")
        if remainder := re.fullmatch(r"(\S+) mod (\S+)", text):
            text = ("{} ÷ {} 的余数" if self.chinese else "remainder of {} ÷ {}").format(*remainder.groups())
        shown = self.tokens.spoken(text)
        if done and done[-1] in _OF_ALL and not re.search("population|总体", shown):
            shown += "（总体）" if self.chinese else " (population)"
        return shown
