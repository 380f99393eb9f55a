"""An expression as people write it, its amounts taken out, read by precedence: `15% of 2480`, `2的3次方`, `√16 × 2`.

Its words are those of `data/functions.tsv`, in both languages; what they do is in `operations`.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from switchyard.language.arithmetic.amounts import ANY
from switchyard.language.arithmetic.operations import Amount, applied, misread
from switchyard.language.messages import message
from switchyard.language.tables import rows, values

_AFTER, _SIGN, _POWER, _TIGHT, _WHOLE = 35, 25, 45, 50, 5
"""How closely operators hold what is beside them: functions behind a value, a sign, powers, `%` and `!`, and what is
done to all that stands before it."""
_BINDING = {"root": _AFTER, "^": _POWER} | {
    name: binding
    for binding, names in (
        (10, "+ - grown shrunk"),
        (20, "* / // mod"),
        (30, "part off"),
        (_TIGHT, "percent multiple factorial"),
    )
    for name in names.split()
}
_DEEPEST = 50
"""Expressions inside expressions: beyond any bracket a person would write."""
_SEVERAL = frozenset({"round", "root", "^"})
"""Functions of several values, which stand in brackets."""
_CONSTANTS = {"pi": 3.141592653589793, "π": 3.141592653589793, "圆周率": 3.141592653589793, "e": 2.718281828459045}
_MINUS = frozenset({"-", "minus", "negative", "负"})
_COMMAS, _ANDS = frozenset(",;、"), frozenset({"and", "和", "与", "跟", "及", "以及", "还有"})
_AMOUNT = rf"(?:[{ANY}]|[0-9]+(?:\.[0-9]+)?)"


def read_expression(text: str, amounts: Mapping[str, Amount]) -> tuple[Amount, list[str]]:
    """What a text whose amounts are taken out comes to, and the operations it took.

    Raises:
        Misread: it is no arithmetic.
    """
    parser = _Parser(_lexed(text.lower().replace("([", "(").replace("])", ")"), amounts))
    value = parser.expression()
    if not parser.is_done:
        raise parser.unexpected()
    return value, parser.operations


class _Parser:
    """Reads one expression from left to right, and works it out."""

    def __init__(self, tokens: list[str | Amount]) -> None:
        self.operations: list[str] = []
        self._tokens, self._at, self._depth = tokens, 0, 0

    @property
    def is_done(self) -> bool:
        """Whether all of it is read."""
        return self._at >= len(self._tokens)

    def unexpected(self) -> Exception:
        """The error for what cannot stand where it does."""
        if self.is_done:
            return misread(message("ends_without_number"))
        if amount := self._amount():
            return misread(message("two_numbers_side_by_side", text=amount.text[:40]))
        word = self._word()
        return misread(message("bracket_closed_early") if word == ")" else message("no_arithmetic", text=word))

    def expression(self, binding: int = 0) -> Amount:
        """A value and all that is done to it by what binds it more closely than `binding`."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise misread(message("brackets_too_deep"))
        value = self._operand()
        while changed := self._continued(value, binding):
            value = changed
        self._depth -= 1
        return value

    def _word(self, ahead: int = 0) -> str:
        """The word to be read next, or so many later; nothing where it is an amount or the end."""
        token = self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""
        return token if isinstance(token, str) else ""

    def _amount(self, ahead: int = 0) -> Amount | None:
        token = self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else None
        return token if isinstance(token, Amount) else None

    def _take(self, words: frozenset[str]) -> bool:
        taken = self._word() in words
        self._at += taken
        return taken

    def _apply(self, name: str, *amounts: Amount) -> Amount:
        """An operation, with the second value that its name may have."""
        name, _, second = name.partition(" ")
        self.operations.append(name)
        return applied(name, [*amounts, Amount(Fraction(second))] if second else amounts)

    def _operand(self) -> Amount:
        word, amount = self._word(), self._amount()
        if word in _MINUS or word == "+":
            return self._signed()
        if word == "(":
            return self._listed(self._bracket())
        if self.is_done:
            raise self.unexpected()
        self._at += 1
        if amount:
            return self._listed([amount])
        if word in _CONSTANTS:
            return Amount(_CONSTANTS[word], word)
        if name := _words("before").get(word):
            return self._function(name)
        if name := _words("list").get(word):
            return self._list_function(name)
        raise misread(message("number_missing_before", name=word))

    def _signed(self) -> Amount:
        """A sign holds its number closer than 的 does (-4的平方根), and less than a power (-3^2)."""
        is_minus = self._word() in _MINUS
        self._at += 1
        amount, after = self._amount(), self._word(1)
        if amount and (after.startswith("的") or after in _COMMAS | _ANDS):
            self._at += 1
            return self._listed([self._apply("negative", amount) if is_minus else amount])
        if amount and after in {"squared", "cubed"}:
            raise misread(message("power_of_signed"))
        value = self.expression(_SIGN)
        return self._apply("negative", value) if is_minus else value

    def _function(self, name: str) -> Amount:
        """A function of one value; without brackets it takes the next one: `√16`, square root of half of 8."""
        self._take(frozenset({"of"}))
        if self._word() == "(":
            return self._apply(name, *self._bracket())
        if name in _SEVERAL:
            raise misread(message("cannot_be_worked_out"))
        value = self.expression(_POWER)
        while self._take(frozenset({"of"})):
            value = self._apply("part", value, self.expression(_BINDING["part"] - 1))
        return self._apply(name, value)

    def _list_function(self, name: str) -> Amount:
        """A function of several values; without brackets it takes all that follow: `sum of 3, 4 and 5`."""
        self._take(frozenset({"of"}))
        in_bracket = self._word() == "("
        found = self._bracket() if in_bracket else [self.expression(_BINDING["part"] - 1)]
        closed = self._at
        while self._separated():
            found.append(self.expression(_BINDING["part"] - 1))
        if len(found) == 1 and not in_bracket:
            raise misread(message("several_numbers_needed"))
        if closed < self._at and self._word() in _words("infix"):
            raise misread(message("belongs_unclear", name=self._word()))
        return self._apply(name, *found)

    def _bracket(self) -> list[Amount]:
        self._at += 1
        found = [self.expression()]
        while self._separated():
            found.append(self.expression())
        if not self._take(frozenset({")"})):
            raise misread(message("bracket_never_closed")) if self.is_done else self.unexpected()
        return found

    def _separated(self) -> bool:
        comma = self._take(_COMMAS)
        return self._take(_ANDS) or comma

    def _listed(self, found: list[Amount]) -> Amount:
        """What was just read, or the list that begins with it where its function follows: 3、5和8的平均值."""
        while True:
            at, several = self._at, [*found]
            while self._separated() and (self._amount() or self._word() in {"(", "-", "负"}):
                is_minus = self._take(_MINUS)
                if self._word() == "(":
                    several += self._bracket()
                elif amount := self._amount():
                    self._at += 1
                    several.append(self._apply("negative", amount) if is_minus else amount)
            name = _words("of_list").get(self._word())
            if name is None or len(several) == 1:
                break
            self._at += 1
            found = [self._apply(name, *several)]
        self._at = at
        if len(found) > 1:
            raise misread(message("several_values"))
        return found[0]

    def _around(self) -> tuple[str, Amount, int] | None:
        """An operation with a value inside its words (的3次方): its name, the value, how many words it has."""
        is_minus = self._word(1) == "-"
        inside = self._amount(1 + is_minus)
        for closes, length in ((self._word(2 + is_minus), 3), ("", 2)):
            if inside and (name := _inside().get((self._word(), closes))):
                return name, applied("negative", [inside]) if is_minus else inside, length + is_minus
        return None

    def _continued(self, value: Amount, binding: int) -> Amount | None:
        """What becomes of a value by what follows it; None where that does not bind closely enough."""
        word = self._word()
        infix, after, around = _words("infix").get(word), _words("after").get(word), self._around()
        if around:
            name, level = around[0], _BINDING.get(around[0], _WHOLE)
        elif after and not (infix and (self._word(1) in _begins() or self._amount(1))):
            name, level, infix = after, _BINDING.get(after, _AFTER), None
        elif infix or word in _begins():  # 2(3+4), 2π, half the sum of 3 and 5
            name, after = infix or "*", None
            level = _BINDING[name]
        else:
            return None
        if level <= binding:
            return None
        self._at += around[2] if around else bool(infix or after)
        if around:
            if name in {"discounted", "saved"} and self.operations:
                raise misread(message("belongs_unclear", name="打折"))
            return self._apply(name, value, around[1])
        if after:
            return self._apply(name, value)
        # 的 takes what is nearest (144的一半的平方), `of` all that follows; powers group from the right
        right = _AFTER if word == "的" else level - 1 if name in {"part", "off", "^"} else level
        return self._apply(name, value, self.expression(right))


def _lexed(text: str, amounts: Mapping[str, Amount]) -> list[str | Amount]:
    found: list[str | Amount] = []
    position = 0
    while position < len(text):
        match = _symbol().match(text, position)
        if match is None:
            rest = re.sub(f"[{ANY}]", lambda letter: amounts[letter[0]].text, text[position : position + 20])
            raise misread(message("no_arithmetic", text=rest))
        if said := match["amount"]:
            found.append(amounts.get(said) or Amount(Fraction(said), said))
        elif word := match["word"]:
            found.append({"[": "(", "]": ")"}.get(word, word))
        position = match.end()
    return found


@cache
def _words(role: str) -> dict[str, str]:
    """The words of a role, each with its operation: before a value or a list, behind one, or between two values.

    A Chinese word behind its value may be joined by 的; one that is also the "and" of a list (和) must be.
    """
    if role == "infix":
        return values("functions", "infix")
    kind, is_behind = {"before": ("value", 0), "after": ("value", 1), "list": ("list", 0), "of_list": ("list", 1)}[role]
    found: dict[str, str] = {}
    for _, name, *sides in (row for row in rows("functions") if row[0] == kind and len(row) > 2 + is_behind):
        for said in filter(None, sides[is_behind].split("|")):
            joints = "" if said.isascii() or not is_behind else "的之中里" if kind == "list" else "的之"
            must = kind == "list" and is_behind and len(said) == 1
            found |= dict.fromkeys([*([] if must else [said]), *(joint + said for joint in joints)], name)
    return found


@cache
def _begins() -> frozenset[str]:
    """What begins a value that may be written close to another."""
    return frozenset({"(", *_CONSTANTS, *_words("before"), *_words("list")})


@cache
def _inside() -> dict[tuple[str, str], str]:
    """The operations with a value inside their words, by what stands before it and what behind."""
    around = (row for row in rows("functions") if row[0] == "around")
    return {(opens, closes): name for _, name, opens, *behind in around for closes in "|".join(behind).split("|")}


@cache
def _symbol() -> re.Pattern[str]:
    """Every word of an expression, the longest first; one made of letters does not run on into another letter."""
    roles = ("infix", "before", "after", "list", "of_list")
    words = {word for role in roles for word in _words(role)} | {word for pair in _inside() for word in pair if word}
    ordered = sorted({*words, *_MINUS, *_CONSTANTS, *_COMMAS, *_ANDS, *"()[]"}, key=len, reverse=True)
    said = "|".join(re.escape(word) + "(?![a-z])" * (word.isascii() and word[-1].isalpha()) for word in ordered)
    return re.compile(rf"\s+|the\b|(?P<amount>{_AMOUNT})|(?P<word>{said})")
