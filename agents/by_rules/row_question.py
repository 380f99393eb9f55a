"""A question about rows: which table it speaks of, and the query it asks of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any

from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.agents.by_rules.query import Condition, Measure, NotRead, Other, Query
from switchyard.agents.by_rules.roles import Roles
from switchyard.agents.by_rules.rows import read_query
from switchyard.agents.by_rules.unknown_words import explained
from switchyard.agents.by_rules.world import (
    FILE,
    FOLDER,
    Table,
    across,
    plain_name,
    tables_at,
    tables_in,
    unit_of,
    with_values_in,
)
from switchyard.language.asides import core_of
from switchyard.language.dictionary import is_english, meanings_of
from switchyard.language.lexicon import Entries, Sense, Token, key_of, lexicon, segment, stem
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.messages import message
from switchyard.language.numbers import find_numbers
from switchyard.language.tables import listed
from switchyard.language.units import Unit, find_units, unit_named
from switchyard.language.words import Language

ROWS_ASKED = 100
"""Rows that are asked for where nobody says how many."""
SHORTEST_SLIP = 5
"""Letters of a word that may be spelled wrongly; of shorter ones, too many are one letter apart."""
LONGEST_ENDING = 3
"""Letters by which the name of somebody is longer than what he does."""
LONGEST_ABOUT_ROWS = 300
"""Characters of a question that is read as one about rows."""
MOST_TRIED = 8
"""Phrasings that are tried before none is shown."""
LARGEST = 1e200
"""Beyond it nothing is compared with a number; a float, multiplied, may not hold it."""

_MONTHS: Sequence[str] = "january february march april may june july august september october november december".split()  # noqa: SIM905  a list of words
_MONTH_OF = re.compile(
    rf"(?i)\b(?P<name>{'|'.join(_MONTHS)})\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b"
    r"|(?<!\d)(?P<y>(?:19|20)\d\d)\s*(?:年\s*|[-/])(?P<m>\d{1,2})(?:\s*月份?|(?![\d月/-]))(?!\s*\d)"
)
_LEAD = re.compile(r"(?i)^(?:(?:and|what about|how about|now|ok|also)\b|那么|那|还有|而|再看|再)[\s,，]*")
"""How a question begins that goes on from another."""
_ONE_OF = re.compile(r"[哪每某这那]$")
"""Before a 一 that is no number: 哪一项."""
_MARKS = " .。!！?？,，;；\n"
_PLACES = ("path", "url", "glob")
"""Kinds of mentions that say where something is."""
_DAY = re.compile(r"(?i)\d.*[a-z]{3}|[a-z]{3}.*\d|\d+\s*月")
_ADDED = Sense("op", "+")
HOUR = 3600
_TOGETHER = frozenset({"together", "combined", "added up", "added together", "加起来", "加在一起", "相加"})
_YEAR = re.compile(r"\d{4}|年")


@dataclass(frozen=True, slots=True)
class RowQuestion:
    """A question that was read as one about the rows of a table."""

    table: Table
    query: Query
    grounded: int
    """Words that speak of this table: its columns, its values, its name."""
    named: bool = False
    """Whether it says what the rows are, or where they stand."""
    loosely: bool = False
    """Read by words that are only like those of the table."""


def read_after(question: str, earlier: RowQuestion, today: date) -> RowQuestion | None:
    """What a question asks after another one about rows, of which it says only what changes: and in May?"""
    if len(question) > LONGEST_ABOUT_ROWS or any(one.kind in _PLACES for one in find_mentions(question, today)):
        return None
    text = _LEAD.sub("", question.strip())
    if (converted := _converted(text, earlier)) is not None:
        return converted
    for leniently in (False, True):
        tokens = tokens_of(text, earlier.table, today, leniently=leniently)
        try:
            query = read_query(tokens, earlier.table, earlier.query)
        except NotRead:
            continue
        return RowQuestion(earlier.table, query, earlier.grounded)
    return None


_CONVERTS = re.compile(
    r"(?i)(?:convert|in|into|to|that|it|is|was|what|how many|make|makes|"
    r"换算|折合|折算|相当于|等于|换|折|合|成|那|是|多少|呢|就|有|[\s?？,，。])+"
)


def _converted(text: str, earlier: RowQuestion) -> RowQuestion | None:
    """The figures of the question before in another unit: in tonnes?, 换算成吨是多少."""
    units = find_units(text)
    if len(units) != 1 or not _CONVERTS.fullmatch(text[: units[0].start] + " " + text[units[0].end :]):
        return None
    table, measures = earlier.table, list[Measure]()
    for one in earlier.query.measures:
        own = unit_of(one.column or "")
        if one.column is None or own is None or own.kind != units[0].unit.kind or own.offset or units[0].unit.offset:
            return None
        table, name = table.with_converted(one.column, own, units[0].unit)
        measures.append(replace(one, column=name))
    return RowQuestion(table, replace(earlier.query, measures=measures), earlier.grounded) if measures else None


def read_in_workspace(question: str, place: Place, today: date) -> RowQuestion | None:
    """The query a question asks of the one table of a workspace that it speaks of.

    It is read as it is, and else without what is said around it; what is said behind it is never a part of it.
    """
    core = core_of(question)
    ends = question.rstrip(_MARKS).endswith(core.text.rstrip(_MARKS))
    found = _read_in_workspace(question, "", place, today) if ends and not core.wish else None
    return found or (_read_in_workspace(*core, place, today) if core.text != question else None)


def _read_in_workspace(question: str, wish: str, place: Place, today: date) -> RowQuestion | None:
    text, tables = _spoken_of(question, place, today)
    named = text != question and len(tables) == 1
    return read_row_question(text, tables, today, named=named, wish=wish) if tables else None


def _spoken_of(question: str, place: Place, today: date) -> tuple[str, Sequence[Table]]:
    """A question without the name of its file, and the tables in that; all there are where it names none."""
    named = [one for one in find_mentions(question, today) if one.kind in _PLACES or _is_quoted_file(one, place)]
    if not named:
        return question, tables_in(place.root)
    if len(named) > 1 or named[0].kind not in {"path", "quoted"}:
        return question, ()
    path = place.apart(named[0])
    text = _BEFORE_PATH.sub(" ", question[: path.start]) + " " + question[path.end :]
    return text, _named_tables(place, str(path.value))


_BEFORE_PATH = re.compile(
    r"(?i)[\s,;.(（，。？?]*(?:\b(?:see|according to|(?:have a )?look (?:at|in|into)|check"
    r"|it(?:'s| is| should be)? in|going by|as per|per)|看一?下|看看|查一?下|依据|根据|按照?|见|在)\s*$"
)
"""What leads to the name of a file, and says only where something stands."""


def not_understood(question: str, place: Place, today: date) -> tuple[Table | None, list[str]]:
    """The table that a declined question speaks of, if it does of one, and the words for which it is declined."""
    text, tables = _spoken_of(question, place, today) if len(question) <= LONGEST_ABOUT_ROWS else (question, ())
    best: tuple[int, Table | None, list[str]] = (0 if text != question else 1, None, [])
    for table in tables:
        tokens, reckoned = _reckoned(*_in_units(tokens_of(text, table, today), table))
        grounded = 1 + sum(1 for token in tokens if token.has("column", "value", "rowname"))
        try:
            read_query(tokens, reckoned)
        except NotRead as error:
            best = max(best, (grounded, table, list(error.words)), key=lambda one: one[0])
    return best[1:]


def phrasing_over(table: Table, place: Place, today: date, language: Language) -> str:
    """A question over a table that is understood, to show how one is asked; empty where there is none."""
    columns = sorted((one for one in table.columns if not one.unique), key=lambda one: len(one.values))
    numbers = [one.name for one in columns if one.kind == "number"]
    texts = [(one.name, value) for one in columns if one.kind == "text" for value in one.values[:1]]
    figures = (message("example.figures", path=table.path, number=one, by=by) for one in numbers for by, _ in texts)
    counts = (message("example.count", path=table.path, column=column, value=value) for column, value in texts)
    tried = islice((one.text(language) for one in chain(figures, counts)), MOST_TRIED)
    return next((one for one in tried if read_in_workspace(one, place, today) is not None), "")


def _is_quoted_file(one: Mention, place: Place) -> bool:
    """Whether what is quoted is the name of a file that is there: "warranty claims.csv"."""
    name = str(one.value)
    return one.kind == "quoted" and "." in name and bool(_named_tables(place, name))


def _named_tables(place: Place, name: str) -> Sequence[Table]:
    """The tables of that path, or of the only file of that name."""
    found = place.found(name)
    return tables_at(place.root, place.root / found) if place.exists(found) else ()


def told(question: RowQuestion, language: Language) -> str:
    """What a query asks, in words: the table and the conditions."""
    conditions = [_condition(condition, language) for condition in question.query.conditions]
    where = ("，" if language == "zh" else ", ").join(conditions)
    if not where:
        return question.table.path
    return f"{question.table.path}（{where}）" if language == "zh" else f"{question.table.path} ({where})"


def _condition(condition: Condition, language: Language) -> str:
    name, value = condition.column, condition.value
    match condition.op:
        case "empty" | "none" | "filled":
            chinese, english = ("不为空", "with") if condition.op == "filled" else ("为空", "no")
            return f"{name}{chinese}" if language == "zh" else f"{english} {name}"
        case "as text":
            return f"{name}: {value[-1] if language == 'zh' else value[0]}"
        case "in" | "not in" | "has" | "has not":
            sign = "=" if condition.op in {"in", "has"} else "≠"
            return f"{name} {sign} {(' 或 ' if language == 'zh' else ' or ').join(value)}"
        case "among":
            return f"{name} {message('found_before').text(language)}"
        case "contains":
            return f"{name} 含“{value}”" if language == "zh" else f'{name} contains "{value}"'
        case _:
            return f"{name} {condition.op} {value.column if isinstance(value, Other) else value}"


def read_row_question(
    text: str, tables: Sequence[Table], today: date, *, named: bool, wish: str = ""
) -> RowQuestion | None:
    """The question as a query over the one table it speaks of, or names; None where it is none, or two fit as well."""
    if len(text) > LONGEST_ABOUT_ROWS:
        return None
    tables = [with_values_in(text, table) for table in tables]
    found: list[RowQuestion] = []
    for leniently in (False, True):
        read = (_asked_of(text, table, today, named=named, leniently=leniently) for table in tables if not found)
        found = found or [one for one in read if one is not None]
    found = [one for one in (_showing(one, wish, today) for one in found) if one is not None] if wish else found
    best = max((one.grounded for one in found), default=0)
    fitting = [one for one in found if one.grounded == best]
    return fitting[0] if len(fitting) == 1 else None


_OPENER = re.compile(
    r"(?i)(?P<who>[^:：?？]{0,30}?)(?:\b(?:wants?|needs?|asks?|asked|wanted|is asking|are asking|am doing|i'm doing"
    r"|doing|wants to know|need to know|checking|preparing|writing)\b|要|想|需要|在问|问我|正在|得)"
    r"(?P<what>[^:：?？]{0,40})[:：]\s*(?=.{6})"
)
"""Who wants to know it, and what for: 何敏要查账：, I'm doing the books: """


def _without_opener(text: str, table: Table, today: date) -> str:
    """A question without what is said before it and asks nothing, unless that speaks of what is there."""
    match = _OPENER.match(text)
    if match is None:
        return text
    speaks = ("column", "value", "rowname", "num", "date", "month", "month_of", "year_of", "day_of_year", "quoted")
    return text if any(token.has(*speaks) for token in tokens_of(match["what"], table, today)) else text[match.end() :]


def _asked_of(text: str, table: Table, today: date, *, named: bool, leniently: bool) -> RowQuestion | None:
    """What a question asks of one table; `leniently`: by words of the other language, and with a slip, too."""
    tokens = tokens_of(_without_opener(text, table, today), table, today, leniently=leniently)
    tokens = explained(tokens, table, named=named)
    if not named and not any(token.has("value", "column", "ticked") or _names(token, table) for token in tokens):
        return None
    if any(not token.senses and not any(token.text in one.name for one in table.columns) for token in tokens):
        return None  # a word that nobody knows is passed over by nothing
    tokens, table = _reckoned(*_in_units(tokens, table))
    try:
        query = read_query(tokens, table)
    except NotRead:
        return None
    says = named or any(_names(token, table) for token in tokens)
    return RowQuestion(table, query, _grounded(tokens, table), says, leniently)


def _showing(found: RowQuestion, wish: str, today: date) -> RowQuestion | None:
    """The same with the columns that are wished for: names only, 给编号; None where they are none of the table's."""
    said = Roles(tokens_of(wish, found.table, today, leniently=True), found.table)
    if found.query.measures and not found.query.groups:
        return None
    shown: list[str] = []
    for token in said.tokens:
        column = said.named(token)
        if column is None and token.has("head", "row", "rowname"):  # numbers: what tells the rows apart
            column = next((one for one in found.table.columns if one.unique), None)
        if column is None and not token.has("free", "and", "mark", "show"):
            return None
        shown += [column.name] if column else []
    return replace(found, query=replace(found.query, shown=list(dict.fromkeys(shown)))) if shown else None


def _reckoned(tokens: list[Token], table: Table) -> tuple[list[Token], Table]:
    """Two columns of numbers and what is done with them as one column: quantity times price, 库存乘单价."""
    said = Roles(tokens, table)
    at = 1
    while at < len(tokens) - 1:
        sign = said.tokens[at].get("op") or (_ADDED if _is_added(said.tokens, at) else None)
        sides = [said.named(said.tokens[place], "number") for place in (at - 1, at + 1)]
        if sign is None or sides[0] is None or sides[1] is None:
            at += 1
            continue
        said.table, name = said.table.with_reckoned(sides[0].name, str(sign.value), sides[1].name)
        first, last = said.tokens[at - 1], said.tokens[at + 1]
        whole = Token(f"{first.text} {last.text}", first.start, last.end, frozenset({Sense("column", name)}))
        said.tokens[at - 1 : at + 2] = [whole]
    return said.tokens, said.table


def _in_units(tokens: list[Token], table: Table) -> tuple[list[Token], Table]:
    """The tokens where a unit that is asked for names the one column that is measured in it: how many kilos."""
    found = list(tokens)
    for at, token in enumerate(found):
        counted = at == 0 or not found[at - 1].has("num", "mult")  # 5 kg is a bound, kilos per species are asked for
        unit = unit_named(token.text) if counted and token.has("unit", "count", "column") else None
        measured = [] if unit is None else _measured_in(unit, table)
        if unit is None or len(measured) != 1:
            continue
        name, own = measured[0]
        if own != unit and "time" in {own.kind, unit.kind} and max(own.factor, unit.factor) > HOUR:
            continue  # days are counted, not measured
        if own != unit:
            table, name = table.with_converted(name, own, unit)
        elif token.has("column"):
            continue
        found[at] = replace(token, senses=frozenset({Sense("column", name)}))
    return found, table


def _measured_in(unit: Unit, table: Table) -> list[tuple[str, Unit]]:
    """The columns that have what a unit measures, with their own units."""
    numbers = ((one.name, unit_of(one.name)) for one in table.columns if one.kind == "number")
    return [(name, own) for name, own in numbers if own and own.kind == unit.kind and name not in table.reckoned]


def _is_added(tokens: list[Token], at: int) -> bool:
    """Whether what stands on both sides of an "and" is said to be added up: 配件费和工时费加起来."""
    return tokens[at].has("and") and any(one.text.lower() in _TOGETHER for one in tokens[at + 2 : at + 4])


def _names(token: Token, table: Table) -> bool:
    """Whether a word is the name of the table's own file, or a part of it."""
    return any(one.kind == "rowname" and (one.about == FILE or one.value == table.stem) for one in token.senses)


def _grounded(tokens: Sequence[Token], table: Table) -> int:
    """How much of a question speaks of a table: its own name or that of a column says more than a word for one."""
    found = [token for token in tokens if token.has("column", "value", "rowname")]
    names = [(one, [plain_name(str(sense.value)) for sense in one.all("column")]) for one in found]
    own = sum(key_of(one.text) == key_of(table.stem) for one in found)
    return 2 * (len(found) + own) + sum(1 for one, own in names if key_of(one.text) in map(key_of, own))


def tokens_of(text: str, table: Table, today: date, *, leniently: bool = False) -> list[Token]:
    """The words of a question with what they mean over a table."""
    plain = without_courtesy(text, after=True)
    entries = across(plain, table) if leniently else table.entries
    cut = [_as_value(token, entries) for token in segment(plain, _mentions(plain, table, today), entries)]
    tokens = [_whole(part, table) for token in cut for part in _denied(token, entries)]
    tokens = [token.without("free") if token.text == "US" else token for token in tokens]
    tokens = [_numbers_of(token, table) for token in tokens]
    if leniently:
        tokens = [replace(token, senses=_meant(token, entries, table) or token.senses) for token in tokens]
        tokens = [
            token.without("rowname") if _is_torn(at, tokens, entries) else token for at, token in enumerate(tokens)
        ]
    return tokens


def _numbers_of(token: Token, table: Table) -> Token:
    """The numbers of things are those that tell them apart; the number of things is how many there are."""
    names = [one.name for one in table.columns if one.unique and one.kind == "text"]
    if token.text.lower() not in {"numbers of", "the numbers"} or not names or not token.has("count"):
        return token
    return replace(token, senses=frozenset({Sense("column", names[0])}))


def _as_value(token: Token, entries: Entries) -> Token:
    """What is quoted as the value it is, where the table has it: 状况是“需修理”."""
    there = entries.get(key_of(str(token.the("quoted").value))) if token.has("quoted") else None
    values = frozenset(one for one in there or () if one.kind == "value")
    return replace(token, senses=values) if values else token


def _denied(token: Token, entries: Entries) -> Iterable[Token]:
    """A word that nobody knows as what it denies, where that is there: unpaid, where there is a column paid."""
    rest = token.text[2:]
    if token.senses or token.text[:2].lower() != "un" or key_of(rest) not in entries:
        return [token]
    not_so = Token(token.text[:2], token.start, token.start + 2, frozenset({Sense("not")}))
    return [not_so, Token(rest, token.start + 2, token.end, frozenset(entries[key_of(rest)]))]


def _whole(token: Token, table: Table) -> Token:
    """A word without what it means as a part of a longer value, unless it can be nothing else than a name.

    Several words are, and one that is written as a name (Shimano, not parts), that is in no dictionary, or that says
    which of the things it is that the rows are (tractors, at one end of their names).
    """
    said = key_of(token.text)
    if any(one.about == FOLDER and one.value.lower() != token.text.lower() for one in token.all("rowname")):
        return token.without("rowname")  # an account number is none of accounts/
    if not token.text[:1].islower() or len(said) > 1 or not token.has("value"):
        return token
    in_part = frozenset(one for one in token.all("value") if len(key_of(one.value[1])) != 1)
    ends = [(table.column(one.value[0]), key_of(one.value[1])) for one in in_part]
    at_end = all(column.unique and said in {value[:1], value[-1:]} for column, value in ends)
    if at_end or not is_english(token.text):
        return token
    return replace(token, senses=token.senses - in_part)


def _is_torn(at: int, tokens: Sequence[Token], entries: Entries) -> bool:
    """Whether a single character is torn out of a word that nobody knows: 员 of 会员, in a list of 员工."""
    token = tokens[at]
    if len(token.text) > 1 or token.text.isascii() or key_of(token.text) in entries:
        return False
    for one, other in pairwise(tokens[max(at - 1, 0) : at + 2]):
        near = one if other is token else other
        if (
            one.end == other.start
            and len(near.text) == 1
            and near.has("free", "row")
            and meanings_of(one.text + other.text)
        ):
            return True
    return False


def _meant(token: Token, entries: Entries, table: Table) -> frozenset[Sense] | None:
    """What a word means that nobody knows and that is one letter away from just one that is known.

    A Chinese word that is a part of the file's name stands for its rows: 班 for those of 排班表. Win is known where
    there is won.
    """
    core = re.sub(r"[\W\d_年月日上中下第]", "", table.stem)
    if not token.senses and not token.text.isascii() and all(letter in core for letter in token.text):
        return frozenset({Sense("rowname", table.stem)})
    forms = next((one.split("/") for one in listed("words", "forms") if token.text.lower() in one.split("/")), ())
    for form in forms if not token.senses else ():
        if key_of(form) in entries:
            return frozenset(entries[key_of(form)])
    if token.senses or not token.text.isascii() or not token.text.isalpha() or len(token.text) < SHORTEST_SLIP:
        return None
    word = stem(token.text)
    whole = [stem(column.name) for column in table.columns if column.kind == "text" and column.complete]
    if any(name.startswith(word) and len(name) - len(word) <= LONGEST_ENDING for name in whole):
        return frozenset({Sense("event")})  # conducted, where every row has its conductor
    near = _near(word) | {one for one in table.words if one[-1:].isalpha() and _is_slip(one, word)}
    slip = min(near) if len(near) == 1 else ""
    is_slip = len(slip) >= SHORTEST_SLIP and slip != word and not is_english(token.text.lower())  # matches, not March
    return frozenset(table.entries.get((slip,)) or lexicon()[slip,]) if is_slip else None


@lru_cache(maxsize=1024)
def _near(word: str) -> frozenset[str]:
    """The single words of the lexicon that are one letter away."""
    single = (key[0] for key in lexicon() if len(key) == 1)
    return frozenset(name for name in single if name[-1:].isalpha() and _is_slip(name, word))


def _is_slip(name: str, word: str) -> bool:
    from rapidfuzz.distance import OSA  # noqa: PLC0415  only slips need it

    return abs(len(name) - len(word)) <= 1 and OSA.distance(name, word, score_cutoff=1) <= 1


def _mentions(text: str, table: Table, today: date) -> list[Token]:
    """What stands for itself; of two that overlap, a value, or the longer."""
    found: list[Token] = []
    for token in (*_odd_values(text, table), *times_said(text, today)):
        named = token.has("date", "day_of_year") and _is_in_name(token, text, table)
        if not named and all(token.end <= one.start or token.start >= one.end for one in found):
            found.append(token)
    return found


@lru_cache(maxsize=128)
def times_said(text: str, today: date) -> list[Token]:
    """What stands for itself whatever it is asked of, the longest first."""
    found = (*_periods(text, today), *_months(text), *_spoken(text, today))
    return sorted(found, key=lambda one: one.start - one.end)


def _odd_values(text: str, table: Table) -> Iterable[Token]:
    """Values with digits or signs in them, which would be cut as words: B25-001, check-up."""
    small = text.lower()
    for said, column, value in table.odd_values:
        at = small.find(said)
        while at >= 0:
            around = small[at - 1 : at], small[at + len(said) : at + len(said) + 1]
            if not any(one.isascii() and one.isalnum() for one in around):
                yield _token(text, (at, at + len(said)), "value", (column, value))
            at = small.find(said, at + len(said))


_MONTH = re.compile(
    r"(?<![\d年一二三四五六七八九十])(?P<digits>1[0-2]|[1-9])月份?(?!\s*\d)|(?<![年十一二三四五六七八九第])(?P<han>十[一二]?|[一二三四五六七八九])月份?(?![\d一二三四五六七八九十])"
)
_HAN = "一二三四五六七八九十"


_THIS = re.compile(
    r"(?i)\b(?P<en>this|last|next) (?P<unit>year|yr|month|week)\b"
    r"|(?P<zh>今年|去年|前年|明年|本月|这个月|上个月|上月|下个月|下月|(?:[上下]个?|这个?|本)(?:周|星期|礼拜)(?![一二三四五六日天末]))"
)
_QUARTER = re.compile(
    r"(?i)\b(?:the )?(?:q(?P<q>[1-4])|(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th) (?P<part>quarter|half))\b"
    r"(?: of)?(?: the year\b| (?P<year>\d{4}\b|this year|last year))?"
    r"|(?:(?P<han_year>\d{4}年|今年|去年)的?)?(?:第?(?P<han>[一二三四1-4])季度|(?P<half>[上下])半年)"
)
_LATELY = re.compile(
    r"(?i)\b(?:the )?(?:last|past|previous) (?P<n>\d{1,3}) (?P<unit>days|weeks)\b"
    r"|(?:最近|过去|近)(?P<han>\d{1,3})(?P<zh>天|周|个星期)"
)


def _periods(text: str, today: date) -> Iterable[Token]:
    """This year, 上个月, last week, the second quarter, the last 30 days."""
    for match in _THIS.finditer(text):
        said = (match["en"] or match["zh"]).lower()
        back = 2 if said == "前年" else int(said[0] in "l上去") - int(said[0] in "n下明")
        if (match["unit"] or said)[-1].lower() in "r年":
            yield _token(text, match.span(), "year_of", str(today.year - back))
        elif (match["unit"] or said)[-1].lower() in "h月":
            months = today.year * 12 + today.month - 1 - back
            yield _token(text, match.span(), "month_of", f"{months // 12}-{months % 12 + 1:02d}")
        else:
            monday = today - timedelta(days=today.weekday() + 7 * back)
            yield _days(text, match.span(), monday, monday + timedelta(days=6))
    for match in _QUARTER.finditer(text):
        first, last = _months_of(match)
        year = (match["year"] or match["han_year"] or "").lower()
        of = {"": "", "this": str(today.year), "今年": str(today.year)}.get(year[:4].rstrip("年"), year[:4])
        of = str(today.year - 1) if year[:4] in {"last", "去年"} else of
        span = (f"{of}-{first:02d}", f"{of}-{last:02d}", "month_of_year") if of else (first, last, "month")
        yield _token(text, match.span(), "span", span)
    for match in _LATELY.finditer(text):
        days = int(match["n"] or match["han"]) * (1 if (match["unit"] or match["zh"]).lower() in {"days", "天"} else 7)
        yield _days(text, match.span(), today - timedelta(days=days), today)


def _months_of(match: re.Match[str]) -> tuple[int, int]:
    """The months of a quarter or a half of a year."""
    said = (match["q"] or match["nth"] or match["han"] or match["half"]).lower()
    number = 1 + next(at for at, names in enumerate(_NTH) if said in names)
    length = 6 if match["half"] or (match["part"] or "").lower() == "half" else 3
    return length * (number - 1) + 1, length * number


_NTH = [one.split() for one in ("1 first 1st 一 上", "2 second 2nd 二 下", "3 third 3rd 三", "4 fourth 4th 四")]


def _days(text: str, span: tuple[int, int], first: date, last: date) -> Token:
    return _token(text, span, "span", (first.isoformat(), last.isoformat(), "day"))


def _months(text: str) -> Iterable[Token]:
    for match in _MONTH.finditer(text):
        han = match["han"] or ""
        month = int(match["digits"]) if match["digits"] else 10 * (len(han) - 1) + _HAN.index(han[-1]) + 1
        yield _token(text, match.span(), "month", str(month))
    for match in _MONTH_OF.finditer(text):
        year = match["year"] or match["y"]
        month = _MONTHS.index(match["name"].lower()) + 1 if match["name"] else int(match["m"])
        if 1 <= month <= len(_MONTHS):
            yield _token(text, match.span(), "month_of", f"{year}-{month:02d}")


_LATE = re.compile(
    r"(?i)\b(?:overdue|past due|past their due dates?|should have been (?:back|returned|paid)(?: by now)?)\b"
    r"|逾期未?[还付缴交归]?|超期未?[还付]?|到期未[还付]|过期未[还付]"
)
"""What should have been given back or paid by today, and was not."""


def _spoken(text: str, today: date) -> Iterable[Token]:
    for mention in find_mentions(text, today):
        span = (mention.start, mention.end)
        if mention.kind == "date" and _DAY.search(text[slice(*span)]) and not _YEAR.search(text[slice(*span)]):
            yield _token(text, span, "day_of_year", f"{mention.value:%m-%d}")
        elif mention.kind == "date":
            yield _token(text, span, "date", mention.value.isoformat())
        elif mention.kind in {"quoted", *_PLACES}:
            yield _token(text, span, "quoted" if mention.kind == "quoted" else "place", mention.value)
    for match in _LATE.finditer(text):
        yield _token(text, match.span(), "late", today.isoformat())
    for number in find_numbers(text):
        if abs(number.value) < LARGEST and not _ONE_OF.search(text[: number.start]):
            yield _token(text, (number.start, number.end), "num", float(number.value))


def _is_in_name(token: Token, text: str, table: Table) -> bool:
    """Whether a word for a day is a part of what the table is called, or of a value in it: 月末关账, 圣诞颂歌."""
    if re.search(r"\d", token.text):
        return False
    return any(token.text in name and name != token.text and name in text for name in table.names)


def _token(text: str, span: tuple[int, int], kind: str, value: Any) -> Token:
    return Token(text[slice(*span)], *span, frozenset({Sense(kind, value)}))
