"""What a text in a user's words means as arithmetic, if it means nothing else.

The words that only ask are taken off, the amounts are taken out, and the rest must be understood to the last word: as a
conversion, as an expression, or as one of `sentences`. What is not read here is not computed anywhere.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import cast

from switchyard.language.arithmetic.amounts import ANY, Tokens, counts_nothing, prepared, tokenise
from switchyard.language.arithmetic.conversions import converted, find_conversion, shown_measure, unknown_unit
from switchyard.language.arithmetic.expression import read_expression
from switchyard.language.arithmetic.operations import Amount, Percent, Program, clean, evaluate, misread
from switchyard.language.arithmetic.proportions import find_proportion
from switchyard.language.arithmetic.sentences import Template, matches, without_frame, word_value
from switchyard.language.arithmetic.wording import PER_CENT, list_name, shown_formula, shown_list, styled
from switchyard.language.errors import Impossible, Misread, Unreadable
from switchyard.language.messages import message
from switchyard.language.numbers import written
from switchyard.language.units import Unit, unit_named

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


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A text that means arithmetic, and what it comes to."""

    text: str
    """The text without the words that only ask: reading it again gives the same."""
    formula: str
    """What was understood, as an expression that can be read again."""
    shown: str
    """The same as people write it, to be set before an equals sign."""
    outcome: Amount | None = None
    problem: Unreadable | None = None
    """Why it has no value, where it has none."""
    style: str = ""
    """How the answer is asked for: `fraction`, `hexadecimal`, `binary`, `octal`, `prime`, `factors`, `truth`."""
    chinese: bool = False
    computes: bool = True
    """Whether there is anything to work out: a number alone is nothing."""

    def result(self) -> Amount:
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
    try:
        return replace(_Reading(tokens, chinese=chinese).read(tokens.text), chinese=chinese)
    except Misread as error:
        raise unknown_unit(plain) or error from error


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
        if self.depth == 0 and any(amount.unit for amount in self.tokens.amounts.values()):
            for candidate in candidates:
                if conversion := find_conversion(candidate, self.tokens):
                    yield partial(self._conversion, candidate, *conversion)
        if found := find_proportion(candidates[0], self.tokens):
            yield partial(self._proportion, candidates[0], *found)
        for candidate in reversed(candidates):
            yield partial(self._expression, candidate, candidates[0])
        for candidate in candidates if self.depth < _DEEPEST else ():
            for template, parts in matches(candidate):
                yield partial(self._sentence, candidate, template, parts)

    def _conversion(self, candidate: str, amount: Amount, target: Unit) -> Arithmetic:
        wanted = f"换算成{target.chinese}" if self.chinese else f" in {target.symbol}"
        shown = shown_measure(amount, target, chinese=self.chinese)
        found = Arithmetic(self.tokens.spoken(candidate), amount.text + wanted, shown)
        try:
            return replace(found, outcome=converted(amount, target))
        except Unreadable as error:
            return replace(found, problem=error)

    def _proportion(self, candidate: str, text: str, unit: Unit | None) -> Arithmetic:
        program, said = read_expression(text, self.tokens.amounts), self.tokens.spoken(candidate)
        found = _worked_out(Arithmetic(said, said, self._shown(text, program)), program, "")
        return replace(found, outcome=found.outcome and replace(found.outcome, unit=unit))

    def _expression(self, candidate: str, whole: str) -> Arithmetic:
        """`whole` is the candidate with the words that ask."""
        program = read_expression(candidate, self.tokens.amounts)
        said = self.tokens.spoken(candidate)
        found = Arithmetic(said, said, self._shown(candidate, program))
        first = program[0]
        if isinstance(first, Amount) and program[1:] in ([], [("negative", 1)]):
            if first.unit and not first.unit.kind.startswith("currency"):
                raise misread(message("only_an_amount", text=said[:200]))
            plain = first.unit or isinstance(first.value, Percent) or re.fullmatch(r"[0-9.,]+", first.text)
            asked = not plain and _ASKS.search(whole) is not None
            found = replace(found, text=self.tokens.spoken(whole), computes=asked)
        return _worked_out(found, program, "truth" if program[-1] in ((">", 2), ("<", 2)) else "")

    def _sentence(self, candidate: str, template: Template, parts: list[str]) -> Arithmetic:
        said, style = self.tokens.spoken(candidate), template.style
        try:
            text = re.sub(
                r"\{(\d)(?::(\w+))?\}",
                lambda slot: self._part(parts[int(slot[1])], slot[2], template),
                template.outcome,
            )
        except Impossible as error:
            return Arithmetic(said, said, said, problem=error)
        program = read_expression(text, self.tokens.amounts)
        shown = self._shown(text, program)
        if _CALL.search(shown):
            text, shown = candidate, self._shown(candidate, program)
        spoken = self.tokens.spoken(text)
        formula = f"{spoken} as a percentage" if style == "percent" else said if style != "value" else spoken
        return _worked_out(Arithmetic(said, formula, shown), program, "" if style == "value" else style)

    def _part(self, part: str, kind: str | None, template: Template) -> str:
        """A part as an expression takes it: a list, what a word stands for, or an amount; a part of its own is read."""
        if kind == "list":
            return shown_list(re.findall(rf"-?[{ANY}]", part.replace("- ", "-")), chinese=self.chinese)
        if kind == "bare":
            value = self.tokens.amounts[part].value
            return self.tokens.letter(Amount(value, written(clean(value))))
        if kind == "months":
            months = converted(self.tokens.amounts[part], cast("Unit", unit_named("month"))).value
            return self.tokens.letter(Amount(months, written(clean(months))))
        if kind:
            return word_value(part) if kind == "word" else list_name(part, chinese=self.chinese)
        if not re.search(f"[{ANY}]", part) or re.fullmatch(rf"-?[{ANY}]", part):
            return part
        found = replace(self, depth=self.depth + 1).read(part)
        if found.style:
            raise misread(message("several_values"))
        said = f"({found.shown})" if found.computes and template.outcome != "{0}" else found.shown
        return self.tokens.letter(replace(found.result(), text=said))

    def _shown(self, text: str, program: Program) -> str:
        shown = self.tokens.spoken(shown_formula(text, chinese=self.chinese))
        last = program[-1]
        if isinstance(last, tuple) and last[0] in {"deviation", "variance"} and not re.search("population|总体", shown):
            shown += "（总体）" if self.chinese else " (population)"
        return shown


def _worked_out(found: Arithmetic, program: Program, style: str) -> Arithmetic:
    """What was read with what it comes to, or with why it comes to nothing."""
    try:
        outcome = evaluate(program)
        if style == "whole":  # full cases, and what is left over
            rest = clean(evaluate([*program[:-1], ("mod", 2)]).value)
            left = f"（余 {rest}）" if _HAN.search(found.text) else f" (remainder {rest})"
            return replace(found, outcome=outcome, shown=found.shown.replace("//", "÷") + left)
        if style == "percent":
            if outcome.unit:
                raise misread(message("percentage_of_like"))
            return replace(found, outcome=Amount(outcome.value * 100, unit=PER_CENT))
        styled(outcome, style)
    except Impossible as error:
        return replace(found, problem=error)
    return replace(found, outcome=outcome, style=style, computes=found.computes or bool(style))
