"""Words that neither the lexicon nor the table knows, and that narrow nothing down all the same.

Three kinds of them are told by where they stand: one that is explained right behind it (the heather family
(Ericaceae), still out, i.e. no return date), the end of a longer word for the rows (school bookings), and, where the
file is named, a verb whose subject or object is a value of the table, which is what narrows (寄给昆明植物园). Any other
unknown word declines the question.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from switchyard.agents.by_rules.world import Table
from switchyard.language.dictionary import is_verb
from switchyard.language.lexicon import Sense, Token, key_of, stem
from switchyard.language.tables import words
from switchyard.language.tokeniser import has_chinese

_FREE, _ROWS = frozenset({Sense("free")}), frozenset({Sense("rowname", "rows")})
_EXPLAINS = frozenset({"i.e.", "i.e", "ie", "that is", "meaning", "也就是", "即", "-", "–", "—"})
_NARROWS = ("value", "column", "empty", "not", "cmp", "before", "after", "date", "month", "quoted")
_ENDS_NOUN = (
    *("free", "is", "mark", "event", "deal", "money", "value", "and"),
    *("date", "month", "month_of", "year_of", "who"),
)
"""Kinds of words before which a noun is over."""
LONGEST_EXPLAINED = 3
FEW = 6
"""Values of a column that says of which kind a row is."""
_TIMES = ("date", "day_of_year", "month", "month_of", "year_of", "span")
_WEEKDAY = re.compile(r"(?i)(?:mon|tue|wed|thu|fri|sat|sun)|周|星期")
_DOING = ("act", "change", "deed")
"""Kinds of verbs that ask for something to be done."""


def explained(tokens: Sequence[Token], table: Table, *, named: bool) -> list[Token]:
    """The tokens of a question over a table, those that nobody knows with what they are where that can be told."""
    found = _without_repeats(list(tokens))
    if all(token.senses for token in found):
        return found
    found = _glossed(found)
    for at, token in enumerate(found):
        if token.senses:
            continue
        if _goes_on(found, at) or _is_counted_noun(found, at, table):
            found[at] = replace(token, senses=_ROWS)
        elif named and _is_verb_of_value(found, at) and not _has_outcome(found, table):
            meant = _kinds_of(token.text, table)
            found[at] = replace(token, senses=meant or _FREE) if len(meant) <= 1 else token
    return found


def _without_repeats(tokens: list[Token]) -> list[Token]:
    """A time or a column that is said once more in parentheses says nothing new: today (18 Nov)."""
    for at in range(1, len(tokens) - 2):
        end = next((n for n in range(at + 1, len(tokens)) if tokens[n].text in {")", "）"}), 0)
        inner = tokens[at + 1 : end]
        if tokens[at].text not in {"(", "（"} or not inner:
            continue
        same = len(inner) == 1 and set(tokens[at - 1].all("column")) & set(inner[0].all("column"))
        times = tokens[at - 1].has(*_TIMES) and any(one.has(*_TIMES) for one in inner)
        if same or (times and all(one.has(*_TIMES, "num", "to", "free") or _WEEKDAY.match(one.text) for one in inner)):
            tokens[at + 1 : end] = [replace(one, senses=_FREE) for one in inner]
    return tokens


def _glossed(tokens: list[Token]) -> list[Token]:
    """Words right before what explains them: in parentheses, or after "i.e." and a dash."""
    found = list(tokens)
    for at, token in enumerate(tokens):
        inside = token.text in {"(", "（"}
        apart = 0 < at < len(tokens) - 1 and tokens[at - 1].end < token.start and token.end < tokens[at + 1].start
        if not inside and (token.text.lower() not in _EXPLAINS or not (apart or not token.text.isascii())):
            continue
        end = next((n for n in range(at + 1, len(tokens)) if tokens[n].text in {")", "）"}), len(tokens))
        told = tokens[at + 1 : end if inside else len(tokens)]
        if not told or not all(one.senses for one in told) or not any(one.has(*_NARROWS) for one in told):
            continue
        if not inside and not token.has("mark"):
            found[at] = replace(token, senses=_FREE)
        over = ("column",) if inside else ("mark", "free", "rowname", "row")
        place, count = at - 1, 0
        while place >= 0 and (not tokens[place].senses or tokens[place].has(*over)) and count < LONGEST_EXPLAINED:
            if re.search(r"\d", tokens[place].text):
                break  # a number that nobody has is not explained away
            if not tokens[place].senses:
                count += 1
                found[place] = replace(tokens[place], senses=_FREE)
            elif inside and count:
                break
            place -= 1
    return found


def _goes_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether an unknown word ends a longer word for the rows that are counted: how many school bookings."""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if not (at > 0 and tokens[at - 1].has("rowname") and (after is None or after.has(*_ENDS_NOUN))):
        return False
    before = at - 2
    while before >= 0 and tokens[before].has("free"):
        before -= 1
    return before >= 0 and tokens[before].has("count", "each")


def _is_counted_noun(tokens: Sequence[Token], at: int, table: Table) -> bool:
    """Whether a Chinese noun after a measure word is another one for the rows: 哪几根绳子, of 绳索检查.csv."""
    lead, said = tokens[at - 1] if at else None, tokens[at].text
    if lead is None or not has_chinese(said) or said[0] not in table.stem:
        return False
    many = not {"people", "quantity"}.isdisjoint(table.concepts)  # a row may be of several
    return lead.has("row", "each") or (lead.has("count") and not many)


_BETWEEN = frozenset("to from by with for the at on in 给 了 过 的 到 来 去".split())  # noqa: SIM905
"""What may stand between a verb and what it is done to: not "did we", after which it says something of its own."""


_OUTCOME = re.compile(r"(?i)status|state|result|outcome|stage|状态|结果|进度|是否")


def _has_outcome(tokens: Sequence[Token], table: Table) -> bool:
    """Whether rows say how it ended, and the question names none of that: then a verb may ask for just those."""
    told = {one.value[0] for token in tokens for one in token.all("value")}
    ends = [one.name for one in table.columns if _OUTCOME.search(one.name) or one.kind == "flag"]
    return bool(ends) and told.isdisjoint(ends)


def _kinds_of(verb: str, table: Table) -> frozenset[Sense]:
    """The values by which rows are of one kind or another that have a verb in them: 寄 of 寄出, beside 收到."""
    few = [one for one in table.columns if one.kind == "text" and len(one.values) <= FEW]
    return frozenset(
        Sense("value", (one.name, value))
        for one in few
        for value in one.values
        if (verb in value and not verb.isascii()) or (verb.isascii() and stem(verb) in key_of(value))
    )


def _is_verb_of_value(tokens: Sequence[Token], at: int) -> bool:
    """Whether an unknown word is a verb beside a value, which says the same more exactly."""
    said = tokens[at].text
    if not is_verb(said) or any(
        key_of(said)[0] in words("words", kind) or said in words("words", kind) for kind in _DOING
    ):
        return False
    for step in (-1, 1):
        place = at + step
        while (
            0 <= place < len(tokens) and tokens[place].text.lower() in _BETWEEN and abs(place - at) <= LONGEST_EXPLAINED
        ):
            place += step
        if 0 <= place < len(tokens) and tokens[place].has("value") and not _says_which(tokens, at):
            return True
    of_time = at > 0 and tokens[at - 1].has(*_TIMES) and [one.text for one in tokens[at + 1 : at + 2]] == ["的"]
    return of_time and at + 2 < len(tokens) and tokens[at + 2].has("rowname")  # 十月开的发票


def _says_which(tokens: Sequence[Token], at: int) -> bool:
    """Whether a verb stands right before what it narrows down: botched Berlin orders, 搞砸了的上海订单."""
    after = next((n for n in range(at + 1, len(tokens)) if tokens[n].text not in {"了", "过", "的"}), len(tokens))
    described = after < len(tokens) and tokens[after].has("value", "rowname", "row")
    return described and (after > at + 1 or tokens[at].text.endswith(("ed", "ing")))
