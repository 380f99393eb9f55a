"""An expression as people write it, read by precedence and worked out: `15% of 2480`, `2的3次方`, `√16 × 2`.

Its words are those of `data/functions.tsv`, in both languages; what they do is in `operations`.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from switchyard.language.arithmetic.operations import Amount, applied, misread
from switchyard.language.arithmetic.words import Word
from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.language.tables import rows, values

_WHOLE, _SIGN, _PART, _AFTER, _POWER = 5, 25, 30, 35, 45
"""How closely operators hold what is beside them: what is done to all that stands before it, a sign, `of`, functions
behind a value, powers."""
_BINDING = {"root": _AFTER, "^": _POWER, "discounted": _WHOLE} | {
    name: binding
    for binding, names in (
        (10, "+ - grown shrunk"),
        (20, "* / // mod"),
        (_PART, "part off"),
        (50, "percent multiple factorial"),
    )
    for name in names.split()
}
_DEEPEST = 50
"""Expressions inside expressions: beyond any bracket a person would write."""
_SEVERAL = frozenset({"round", "root", "^"})
"""Functions of several values, which stand in brackets."""
CONSTANTS = {name: float(value) for name, value in values("functions", "constant").items()}
_MINUS = frozenset({"-", "minus", "negative", "负"})
_COMMAS, _ANDS = frozenset(",;、"), frozenset({"and", "和", "与", "跟", "及", "还有", "or"})
_EMPTY = frozenset({"the", "啊", "呀"})
_JOINTS = frozenset("的之中里")
"""What may stand between a value and the Chinese word for what is done to it."""
_FROM = frozenset({"to", "from", "of"})
"""Behind a verb: the second value is the one that is changed."""


class Expression:
    """One expression, read from left to right and worked out.

    Raises:
        Misread: it is none, or mixes what does not go together.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        self.operations: list[str] = []
        self.problem: Impossible | None = None
        """Why it has no value, where it has none."""
        self._words, self._at, self._depth = [word for word in words if word.text not in _EMPTY], 0, 0
        self.value = self._expression()
        if self._at < len(self._words):
            raise self._unexpected()

    def _unexpected(self) -> Exception:
        if self._at >= len(self._words):
            return misread(message("ends_without_number"))
        word = self._words[self._at]
        return misread(message("no_arithmetic", text=word.amount.text[:40] if word.amount else word.text))

    def _expression(self, binding: int = 0) -> Amount:
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
        return self._words[self._at + ahead].text if self._at + ahead < len(self._words) else ""

    def _amount(self, ahead: int = 0) -> Amount | None:
        return self._words[self._at + ahead].amount if self._at + ahead < len(self._words) else None

    def _take(self, words: frozenset[str]) -> bool:
        taken = self._word() in words
        self._at += taken
        return taken

    def _apply(self, name: str, *amounts: Amount) -> Amount:
        """An operation, with the second value that its name may have; what has no value is read on all the same."""
        name, _, second = name.partition(" ")
        self.operations.append(name)
        try:
            return applied(name, [*amounts, Amount(Fraction(second))] if second else amounts)
        except Impossible as error:
            self.problem = self.problem or error
            return Amount(Fraction(1), amounts[0].unit)

    def _operand(self) -> Amount:
        word, amount = self._word(), self._amount()
        if word in _MINUS or word == "+":
            return self._signed()
        if word == "(":
            return self._listed(self._bracket())
        if not (amount or word in _begins() or word in _verbs()):
            raise self._unexpected()
        self._at += 1
        if amount or word in CONSTANTS:
            return self._listed([amount or Amount(CONSTANTS[word])])
        if word in _verbs():
            return self._verb(*_verbs()[word])
        function = _named("value", 0).get(word)
        return self._function(function) if function else self._list_function(_named("list", 0)[word])

    def _signed(self) -> Amount:
        """A sign holds its number closer than 的 does (-4的平方根), and less than a power (-3^2)."""
        is_minus = self._word() in _MINUS
        self._at += 1
        amount, after = self._amount(), self._word(1)
        if amount and (after in _JOINTS or after in _COMMAS | _ANDS):
            self._at += 1
            return self._listed([self._apply("negative", amount) if is_minus else amount])
        if amount and after in {"squared", "cubed"}:
            raise misread(message("belongs_unclear", name=after))
        value = self._expression(_SIGN)
        return self._apply("negative", value) if is_minus else value

    def _function(self, name: str) -> Amount:
        """A function of one value; without brackets it takes the next one: `√16`, square root of half of 8."""
        of = self._take(frozenset({"of"}))
        if self._word() == "(":
            return self._apply(name, *self._bracket())
        if name in _SEVERAL:
            raise misread(message("cannot_be_worked_out"))
        return self._apply(name, self._expression(_PART - 1 if of else _POWER))

    def _list_function(self, name: str) -> Amount:
        """A function of several values; without brackets it takes all that follow: `sum of 3, 4 and 5`."""
        self._take(frozenset({"of", "for", ":", ","}))
        in_bracket = self._word() == "("
        found = self._bracket() if in_bracket else [self._expression(_PART - 1)]
        closed = self._at
        while self._separated():
            found.append(self._expression(_PART - 1))
        if len(found) == 1 and not in_bracket:
            raise misread(message("several_numbers_needed"))
        if closed < self._at and self._word() in values("functions", "infix"):
            raise misread(message("belongs_unclear", name=self._word()))
        return self._apply(name, *found)

    def _verb(self, name: str, joints: frozenset[str]) -> Amount:
        """What a verb says is done: subtract 4 from 9; what else follows could belong to either."""
        first, joint = self._expression(_PART), self._word()
        if not self._take(joints):
            raise self._unexpected()
        second = self._expression(_PART)
        if self._word() not in {"", ")"}:
            raise misread(message("belongs_unclear", name=self._word()))
        return self._apply(name, second, first) if joint in _FROM else self._apply(name, first, second)

    def _bracket(self) -> list[Amount]:
        self._at += 1
        found = [self._expression()]
        while self._separated():
            found.append(self._expression())
        if not self._take(frozenset({")"})):
            raise misread(message("bracket_never_closed"))
        return found

    def _separated(self) -> bool:
        comma = self._take(_COMMAS)
        return self._take(_ANDS) or comma

    def _listed(self, found: list[Amount]) -> Amount:
        """What was just read, or what becomes of the list it begins, where that follows: 3、5和8的平均值."""
        at, several = self._at, [*found]
        while self._separated() and (self._amount() or self._word() in {"(", "-", "负"}):
            is_minus = self._take(_MINUS)
            if self._word() == "(":
                several += self._bracket()
            elif amount := self._amount():
                self._at += 1
                several.append(self._apply("negative", amount) if is_minus else amount)
        joint = self._word() in _JOINTS
        name = _named("list", 1).get(self._word(joint))
        if name and len(several) > 1 and (joint or len(self._word()) > 1):
            self._at += 1 + joint
            return self._apply(name, *several)
        self._at = at
        if len(found) > 1:
            raise misread(message("several_values"))
        return found[0]

    def _around(self) -> tuple[str, Amount, int] | None:
        """An operation with a value inside its words (的3次方): its name, the value, how many words it has."""
        is_minus = self._word(1) == "-"
        inside = self._amount(1 + is_minus)
        name = _inside().get((self._word(), self._word(2 + is_minus))) if inside else None
        return (name, applied("negative", [inside]) if is_minus else inside, 3 + is_minus) if inside and name else None

    def _continued(self, value: Amount, binding: int) -> Amount | None:
        """What becomes of a value by what follows it; None where that does not bind closely enough."""
        word, joint, around = self._word(), self._word() in _JOINTS, self._around()
        infix, after = values("functions", "infix").get(word), _named("value", 1).get(self._word(joint))
        begins = self._word(1) == "(" or self._amount(1) or self._word(1) in _begins()
        if around:
            name, level, length = around[0], _BINDING.get(around[0], _WHOLE), around[2]
        elif after and (joint or not (infix and begins)):
            name, level, length = after, _BINDING.get(after, _AFTER), 1 + joint
        elif infix or word in _begins():  # 2(3+4), 2π, half the sum of 3 and 5
            name, level, length, after = infix or "*", _BINDING[infix or "*"], bool(infix), None
        else:
            return None
        if level <= binding:
            return None
        self._at += length
        if around:
            if name == "discounted" and self.operations:
                raise misread(message("belongs_unclear", name="打折"))
            return self._apply(name, value, around[1])
        if after:
            return self._apply(name, value)
        # 的 takes what is nearest (144的一半的平方), `of` all that follows; powers group from the right
        right = _AFTER if word == "的" else level - 1 if name in {"part", "off", "^"} else level
        return self._apply(name, value, self._expression(right))


@cache
def _named(kind: str, side: int) -> dict[str, str]:
    """The words of functions of a value or a list, each with its operation: before it (0), or behind it (1)."""
    kept = (row for row in rows("functions") if row[0] == kind and len(row) > 2 + side)
    return {said: row[1] for row in kept for said in row[2 + side].split("|") if said}


@cache
def _begins() -> frozenset[str]:
    """What begins a value that may be written close to another."""
    return frozenset({"(", *CONSTANTS, *_named("value", 0), *_named("list", 0)})


@cache
def _inside() -> dict[tuple[str, str], str]:
    """The operations with a value inside their words, by what stands before it and what behind."""
    around = (row for row in rows("functions") if row[0] == "around")
    return {(opens, closes): name for _, name, opens, behind in around for closes in behind.split("|")}


@cache
def _verbs() -> dict[str, tuple[str, frozenset[str]]]:
    """Verbs of two values, each with its operation and what stands between the values."""
    kept = (row for row in rows("functions") if row[0] == "verb")
    return {verb: (name, frozenset(joints.split("|"))) for _, name, verbs, joints in kept for verb in verbs.split("|")}
