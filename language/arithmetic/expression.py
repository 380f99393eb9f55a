"""An expression as people write it, its amounts taken out, read by precedence: `15% of 2480`, `2的3次方`, `√16 × 2`.

Its words are those of `data/functions.tsv`, in both languages. What is read is a program of `operations`; nothing is
computed here.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY
from switchyard.language.arithmetic.operations import Amount, Program, misread
from switchyard.language.messages import message
from switchyard.language.tables import rows, values

_AFTER, _SIGN, _POWER, _TIGHT, _WHOLE = 35, 25, 45, 50, 5
"""How closely operators hold what is beside them: functions behind a value, a sign, powers, `%` and `!`, and what is
done to all that stands before it."""
_BINDING = {">": 3, "<": 3, "+": 10, "-": 10, "grown": 10, "shrunk": 10, "*": 20, "/": 20, "//": 20, "mod": 20} | {
    name: binding
    for binding, names in ((30, "part off"), (_AFTER, "root"), (_POWER, "^"), (_TIGHT, "percent multiple factorial"))
    for name in names.split()
}
_DEEPEST = 50
"""Expressions inside expressions: beyond any bracket a person would write."""
_SEVERAL = frozenset({"round", "root", "^"})
"""Functions of several values, which stand in brackets."""
_OF_SIGNED = frozenset({"root 2", "root 3", "abs", "root"})
"""Functions that take the sign of what they stand behind: -4的平方根."""
_CONSTANTS = {"pi": 3.141592653589793, "π": 3.141592653589793, "圆周率": 3.141592653589793, "e": 2.718281828459045}
_SIGNS = {"-": -1, "minus": -1, "negative": -1, "负": -1, "+": 1}
_COMMAS, _ANDS = frozenset(",;、"), frozenset({"and", "和", "与", "跟", "及", "以及", "还有"})
_AMOUNT = rf"(?:[{ANY}]|[0-9]+(?:\.[0-9]+)?)"


class _Token(NamedTuple):
    word: str
    amount: Amount | None = None


def read_expression(text: str, amounts: Mapping[str, Amount]) -> Program:
    """Read a text whose amounts are taken out; Misread when it is no arithmetic."""
    parser = _Parser(_lexed(text.lower(), amounts))
    parser.expression()
    if parser.token is not None:
        raise parser.unexpected()
    return parser.program


class _Parser:
    """Reads one expression; each method appends to the program and returns how many values it leaves."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.program: Program = []
        self._tokens, self._at, self._depth = tokens, 0, 0

    @property
    def token(self) -> _Token | None:
        """The one to be read next."""
        return self._peek(0)

    def unexpected(self) -> Exception:
        """The error for a token that cannot stand where it does."""
        token = self.token
        if token is None:
            return misread(message("ends_without_number"))
        if token.amount:
            return misread(message("two_numbers_side_by_side", text=token.amount.text[:40]))
        if token.word == ")":
            return misread(message("bracket_closed_early"))
        return misread(message("no_arithmetic", text=token.word))

    def expression(self, binding: int = 0) -> int:
        """A value and all that is done to it by what binds it more closely than `binding`."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise misread(message("brackets_too_deep"))
        count = self._operand()
        while (token := self.token) and self._continues(token, binding, count):
            count = 1
        self._depth -= 1
        return count

    def _peek(self, ahead: int) -> _Token | None:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else None

    def _word(self, ahead: int = 0) -> str:
        token = self._peek(ahead)
        return token.word if token else ""

    def _take(self, words: frozenset[str]) -> bool:
        taken = self._word() in words
        self._at += taken
        return taken

    def _begins(self, ahead: int = 0) -> bool:
        """Whether a value begins there that is written close to another: `2(3+4)`, `2π`, half the sum of 3 and 5."""
        return self._word(ahead) in {"(", *_CONSTANTS, *_words("before"), *_words("list")}

    def _operand(self) -> int:
        token = self.token
        if token is None:
            raise self.unexpected()
        word = token.word
        if word in _SIGNS:
            return self._signed(_SIGNS[word])
        if word == "(":
            return self._listed(self._bracket())
        self._at += 1
        if token.amount is not None:
            self.program.append(token.amount)
            return self._listed(1)
        if word in _CONSTANTS:
            self.program.append(Amount(_CONSTANTS[word], word))
        elif name := _words("before").get(word):
            self._function(name)
        elif name := _words("list").get(word):
            self._list_function(name)
        else:
            raise misread(message("number_missing_before", name=word))
        return 1

    def _signed(self, sign: int) -> int:
        self._at += 1
        negative = [("negative", 1)] if sign < 0 else []
        if self.token and self.token.amount:
            around = self._around(1)
            name = around[0] if around else _words("after").get(self._word(1), "")
            if name in {"^ 2", "^ 3", "^"} and self._word(1) not in {"²", "³"}:
                raise misread(message("power_of_signed"))
            if name in _OF_SIGNED or self._word(1) in _COMMAS | _ANDS:
                self.program += [self.token.amount, *negative]
                self._at += 1
                return self._listed(1)
        self.expression(_SIGN)
        self.program += negative
        return 1

    def _around(self, ahead: int = 0) -> tuple[str, Program, int] | None:
        """An operation with a value inside its words (的3次方): its name, the value, how many words it has."""
        minus = self._word(ahead + 1) == "-"
        inside = self._peek(ahead + 1 + minus)
        if inside is None or inside.amount is None:
            return None
        value: Program = [inside.amount, *([("negative", 1)] if minus else [])]
        for closes, length in ((self._word(ahead + 2 + minus), 3), ("", 2)):
            if name := _inside().get((self._word(ahead), closes)):
                return name, value, length + minus
        return None

    def _function(self, name: str) -> None:
        """A function of one value; without brackets it takes the next one: `√16`, square root of half of 8."""
        self._take(frozenset({"of"}))
        if self._word() == "(":
            self._apply(name, self._bracket())
            return
        if name in _SEVERAL:
            raise misread(message("cannot_be_worked_out"))
        self.expression(_POWER)
        while self._take(frozenset({"of"})):
            self.expression(_BINDING["part"] - 1)
            self.program.append(("part", 2))
        self._apply(name, 1)

    def _apply(self, name: str, count: int) -> None:
        """Append an operation, with the second value that its name has."""
        name, _, second = name.partition(" ")
        self.program += [Amount(Fraction(second)), (name, count + 1)] if second else [(name, count)]

    def _list_function(self, name: str) -> None:
        """A function of several values; without brackets it takes all that follow: `sum of 3, 4 and 5`."""
        self._take(frozenset({"of"}))
        bracket, listed = self._word() == "(", False
        count = self._bracket() if bracket else self.expression(_BINDING["part"] - 1)
        while self._separated():
            count, listed = count + self.expression(_BINDING["part"] - 1), True
        if count == 1 and not bracket:
            raise misread(message("several_numbers_needed"))
        if listed and self._word() in _words("infix"):
            raise misread(message("belongs_unclear", name=self._word()))
        self.program.append((name, count))

    def _bracket(self) -> int:
        self._at += 1
        count = self.expression()
        while self._separated():
            count += self.expression()
        if not self._take(frozenset({")"})):
            raise self.unexpected() if self.token else misread(message("bracket_never_closed"))
        return count

    def _separated(self) -> bool:
        if self._take(_COMMAS):
            self._take(_ANDS)
            return True
        return self._take(_ANDS)

    def _listed(self, count: int) -> int:
        """What was just read, or the list that begins with it where its function follows: 3、5和8的平均值."""
        while True:
            at, length, several = self._at, len(self.program), count
            while self._separated() and (token := self.token) and (token.amount or token.word in {"(", "-", "负"}):
                negative = self._take(frozenset({"-", "负"}))
                if token.word == "(":
                    several += self._bracket()
                elif (token := self.token) and token.amount:
                    self._at += 1
                    several += 1
                    self.program += [token.amount, *([("negative", 1)] if negative else [])]
            name = _words("of_list").get(self._word())
            if name is None or several == 1:
                self._at = at
                del self.program[length:]
                return count
            self._at += 1
            self.program.append((name, several))
            count = 1

    def _continues(self, token: _Token, binding: int, count: int) -> bool:
        """Read what is done to the value before, if it binds closely enough."""
        if token.amount:
            return False
        infix, after, around = _words("infix").get(token.word), _words("after").get(token.word), self._around()
        if around:
            name, level = around[0], _BINDING.get(around[0], _WHOLE)
        elif after and not (infix and (self._begins(1) or (self._peek(1) or token).amount)):
            name, level = after, _BINDING.get(after, _AFTER)
        elif infix or self._begins():
            name = infix or "*"
            level = _BINDING[name]
        else:
            return False
        if level <= binding:
            return False
        if count > 1:
            raise misread(message("several_values"))
        self._at += around[2] if around else bool(infix or after)
        if around:
            if name in {"discounted", "saved"} and len(self.program) > 1:
                raise misread(message("belongs_unclear", name="打折"))
            self.program += [*around[1], (name, 2)]
        elif name == after:
            self._apply(name, 1)
        else:
            # 的 takes what is nearest (144的一半的平方), `of` all that follows; powers group from the right
            right = _AFTER if token.word == "的" else level - 1 if name in {"part", "off", "^"} else level
            self.expression(right)
            self.program.append((name, 2))
        return True


def _lexed(text: str, amounts: Mapping[str, Amount]) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    while position < len(text):
        match = _symbol().match(text, position)
        if match is None:
            rest = re.sub(f"[{ANY}]", lambda letter: amounts[letter[0]].text, text[position : position + 20])
            raise misread(message("no_arithmetic", text=rest))
        if said := match["amount"]:
            found.append(_Token("", amounts.get(said) or Amount(Fraction(said), said)))
        elif word := match["word"]:
            found.append(_Token({"[": "(", "]": ")"}.get(word, word)))
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
def _inside() -> dict[tuple[str, str], str]:
    """The operations with a value inside their words, by what stands before it and what behind."""
    return {
        (opens, closes): name
        for kind, name, opens, *behind in rows("functions")
        if kind == "around"
        for closes in (behind[0] if behind else "").split("|")
    }


@cache
def _symbol() -> re.Pattern[str]:
    """Every word of an expression, the longest first; one made of letters does not run on into another letter."""
    roles = ("infix", "before", "after", "list", "of_list")
    words = {word for role in roles for word in _words(role)} | {word for pair in _inside() for word in pair if word}
    ordered = sorted({*words, *_SIGNS, *_CONSTANTS, *_COMMAS, *_ANDS, *"()[]"}, key=len, reverse=True)
    said = "|".join(re.escape(word) + "(?![a-z])" * (word.isascii() and word[-1].isalpha()) for word in ordered)
    return re.compile(rf"\s+|the\b|(?P<amount>{_AMOUNT})|(?P<word>{said})")
