"""A question about rows: which table it speaks of, and the query it asks of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import chain, islice, pairwise
from typing import Any

from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.agents.by_rules.query import Condition, NotRead, Other, Query
from switchyard.agents.by_rules.roles import Roles
from switchyard.agents.by_rules.rows import read_query
from switchyard.agents.by_rules.table import FILE, FOLDER, Table, plain_name, unit_of
from switchyard.agents.by_rules.vocabulary import ENDED, across
from switchyard.agents.by_rules.world import tables_at, tables_in, with_values_in
from switchyard.language.asides import SOMEBODY, Question, core_of
from switchyard.language.dictionary import glosses_of, is_english
from switchyard.language.lexicon import Entries, Sense, Token, key_of, narrows, segment, senses_of, stem
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.messages import message
from switchyard.language.numbers import find_numbers
from switchyard.language.tables import rows
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.units import unit_named
from switchyard.language.words import Language

ROWS_ASKED = 100
"""Rows that are asked for where nobody says how many."""
SHORTEST_SLIP = 5
"""Letters of a word that may be spelled wrongly; of shorter ones, too many are one letter apart."""
LONGEST_ABOUT_ROWS = 300
"""Characters of a question that is read as one about rows."""
MOST_TRIED = 8
"""Phrasings that are tried before none is shown."""
LONGEST_MONTH = 31
LARGEST = 1e200
"""Beyond it nothing is compared with a number; a float, multiplied, may not hold it."""

_MONTHS: Sequence[str] = "january february march april may june july august september october november december".split()  # noqa: SIM905  a list of words
_MONTH_OF = re.compile(
    rf"(?i)\b(?P<name>{'|'.join(_MONTHS)})\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b"
    r"|(?<!\d)(?P<y>(?:19|20)\d\d)\s*(?:年\s*|[-/])(?P<m>\d{1,2})(?:\s*月份?|(?![\d月/-]))(?!\s*\d)"
)
_LEAD = re.compile(r"(?i)^(?:(?:and|what about|how about|now|ok|also)\b|那么|那|还有|而|再看|再)[\s,，]*")
"""How a question begins that goes on from another."""
_NO_NUMBER = re.compile(r"(?<=[哪每某这那])|(?=一[列栏])")
"""Where a 一 is no number: 哪一项, 国家一列."""
_MARKS = " .。!！?？,，;；\n"
_FULL_STOPS = (".", "!", "?", "。", "！", "？")
_PLACES = ("path", "url", "glob")
"""Kinds of mentions that say where something is."""
_DAY = re.compile(r"(?i)\d.*[a-z]{3}|[a-z]{3}.*\d|\d+\s*月")
_NARROWS = ("num", "date", "month", "month_of", "year_of", "day_of_year", "span", "quoted")
"""Kinds of words that say which rows are meant, even in a sentence of their own."""
_WEEKDAY = re.compile(r"(?i)(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜).")
"""A day of any week: neither last nor next, 上 nor 下."""
_NOW = re.compile(r"(?i)(?<=\bbetween )(?:now|today)\b|(?<=从)(?:现在|今天)(?=起?到)")
_DAY_ALONE = re.compile(r"(?i)(?:on )?(?:the )?(\d{1,2})(?:st|nd|rd|th|日|号)")
"""A day of a month that nobody names: the 14th, 15号."""
_MONTH = "|".join(f"(?-i:{month.capitalize()}|{month[:3].capitalize()})" for month in _MONTHS)
_DAYS_OF_MONTH = re.compile(
    r"(?i)\b(?:(?:the )?(?P<d1>\d{1,2})(?:st|nd|rd|th)?"
    r"(?P<or> or | and |, )?(?(or)|(?: to |\s?[-–—]\s?| through | until ))"
    rf"(?:the )?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH})"
    rf"|(?P<m2>{_MONTH}) (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?: to |\s?[-–—]\s?| through )"
    r"(?P<d4>\d{1,2})(?:st|nd|rd|th)?)"
    r"(?:,? (?P<y>20\d\d)\b)?(?![\w.])"
    r"|(?:(?P<zy>20\d\d)年)?(?P<zm>\d{1,2})月(?P<z1>\d{1,2})[日号]?(?:(?P<zor>[和或、])|[到至~～—–-])(?P<z2>\d{1,2})[日号](?:这一?(?:周|个?星期|几天|段时间))?"
)
"""Two days of a month that is said once: 9 to 15 November, the 18th or 19th of November, 11月9日到15日."""
_WHEN = ("date", "month", "month_of", "year_of", "day_of_year", "span")
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
    for leniently in (False, True):
        tokens = _added_once(_explained(tokens_of(text, earlier.table, today, leniently=leniently)))
        tokens, table = _reckoned(_in_units(tokens, earlier.table), earlier.table)
        try:
            query = read_query(tokens, table, earlier.query)
        except NotRead:
            continue
        return RowQuestion(table, query, earlier.grounded)
    return None


def _added_once(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without a word for a sum that another says again: 加起来一共多少; what they are worth is money."""
    sums = [at for at, token in enumerate(tokens) if any(one.value == "sum" for one in token.all("agg"))]
    worth = frozenset({Sense("money")})
    told = [
        replace(one, senses=worth) if sums and one.has("worth") and not one.has("column") else one for one in tokens
    ]
    return [one for at, one in enumerate(told) if at not in sums[:-1]]


def read_in_workspace(question: str, place: Place, today: date) -> RowQuestion | None:
    """The query a question asks of the one table of a workspace that it speaks of.

    It is read as it is, and else without what is said around it; what is said behind it is never a part of it.
    """
    if _OF_THOSE.match(question) or _COMING.search(question) or _THERE.search(question):
        return None
    core = core_of(question)
    ends = question.rstrip(_MARKS).endswith(core.text.rstrip(_MARKS))
    found = _of_remark(core, place, today) if core.remark else None
    found = found or (_read_in_workspace(Question(question), place, today) if ends and not core.wish else None)
    return found or (_read_in_workspace(core, place, today) if core.text != question else None)


def _of_remark(core: Question, place: Place, today: date) -> RowQuestion | None:
    """What is asked of somebody whom the sentence before names: Ottica called. How many shipments are theirs?"""
    rest, found = core.text[len(core.remark) :], list[RowQuestion]()
    for table in _spoken_of(rest, place, today)[1] if len(SOMEBODY.findall(rest)) == 1 else ():
        said = [one for one in tokens_of(core.remark, table, today) if one.has("value", "not", *_NARROWS)]
        if len(said) == 1 and said[0].has("value") and core.remark.lstrip().startswith(said[0].text):
            read = _read_in_workspace(Question(SOMEBODY.sub(said[0].text, rest), core.wish), place, today)
            found += [read] if read and read.table.path == table.path else []
    return found[0] if len(found) == 1 else None


def _read_in_workspace(asked: Question, place: Place, today: date) -> RowQuestion | None:
    text, tables = _spoken_of(asked.text, place, today)
    named = text != asked.text and len(tables) == 1
    return read_row_question(asked._replace(text=text), tables, today, named=named) if tables else None


def _spoken_of(question: str, place: Place, today: date) -> tuple[str, Sequence[Table]]:
    """A question without the name of its file, and the tables in that; all there are where it names none."""
    named = [one for one in find_mentions(question, today) if one.kind in _PLACES or _is_quoted_file(one, place)]
    named = [one for one in named if not _is_in_cell(one, place)]
    if not named:
        return question, tables_in(place.root)
    if len(named) > 1 or named[0].kind not in {"path", "quoted"}:
        return question, ()
    path = place.apart(named[0])
    text = _BEFORE_PATH.sub(" ", question[: path.start]) + " " + _AFTER_PATH.sub("", question[path.end :])
    return text, _named_tables(place, str(path.value))


_COMING = re.compile(r"(?i)\b(?:the|our|my) next\b(?! (?:week|month|year|\d))|下一?[次场班位]|下一个(?!月|季|年)")
"""One that is still to come: rows do not say which is the next."""
_THERE = re.compile(
    r"(?i)(?<!is )(?<!are )(?<!was )(?<!were )(?<!have )(?<!in )\bthere\b"
    r"(?!['’]| (?:is|are|was|were|has|have|had|be|been|any)\b)"
    r"|(?:^|[\s，,。.；;！!？?在去到从住])那(?:里|边|儿)"
)
"""A place that was spoken of before, which nothing here looks for: who lives there? Not 科克那边."""
_OF_THOSE = re.compile(
    r"(?i)\W*(?:and\s+|那么?|那)?(?:(?:how many )?(?:of|among) (?:those|them|these)\b|[这那其当]里?[面中头](?!的?文件))"
)
"""What a question begins with that asks of what was found before, and of nothing else."""
_BEFORE_PATH = re.compile(
    r"(?i)[\s,;.(（，。？?]*(?:\b(?:see|according to|(?:have a )?look (?:at|in|into)|check"
    r"|it(?:'s| is| should be)? in|going by|as per|per|by)|看一?下|看看|查一?下|依据|根据|按照?|见|在)\s*$"
)
"""What leads to the name of a file, and says only where something stands."""
_AFTER_PATH = re.compile(r"^\s*(?:里[面头]?(?![程海])|当中|之中|中(?![国文级等间午心学型号药])|内(?![部容衣科]))")
"""What follows it and says the same: 登记.csv中已经完成的 are not those of the grade 中."""


def not_understood(question: str, place: Place, today: date) -> tuple[Table | None, list[str]]:
    """The table that a declined question speaks of, if it does of one, and the words for which it is declined."""
    text, tables = _spoken_of(question, place, today) if len(question) <= LONGEST_ABOUT_ROWS else (question, ())
    best: tuple[int, Table | None, list[str]] = (0 if text != question else 1, None, [])
    for table in tables:
        tokens, reckoned = _reckoned(_in_units(tokens_of(text, table, today), table), table)
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


def _is_in_cell(one: Mention, place: Place) -> bool:
    """Whether what looks like a path is no file, but stands in a table: the invoice 2026/11/07-B."""
    if one.kind != "path" or place.exists(place.found(str(one.value))):
        return False
    return any(one.text.lower() == said for table in tables_in(place.root) for said, _, _ in table.odd_values)


def _named_tables(place: Place, name: str) -> Sequence[Table]:
    """The tables of that path, or of the only file of that name."""
    found = place.found(name)
    return tables_at(place.root, place.root / found) if place.exists(found) else ()


def told(question: RowQuestion, language: Language) -> str:
    """What a query asks, in words: the table and the conditions."""
    conditions = [_condition(one, language) for one in question.query.conditions if one.op != "of"]
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
        case "in" | "not in":
            sign = "=" if condition.op == "in" else "≠"
            return f"{name} {sign} {(' 或 ' if language == 'zh' else ' or ').join(map(str, value))}"
        case _:
            return f"{name} {condition.op} {value.column if isinstance(value, Other) else value}"


def read_row_question(asked: Question, tables: Sequence[Table], today: date, *, named: bool) -> RowQuestion | None:
    """The question as a query over the one table it speaks of, or names; None where it is none, or two fit as well."""
    text, wish, lead = asked[:3]
    if len(text) > LONGEST_ABOUT_ROWS:
        return None
    tables = [with_values_in(text, table) for table in tables]
    found: list[RowQuestion] = []
    for leniently in (False, True):
        read = (_asked_of(text, table, today, named=named, leniently=leniently) for table in tables if not found)
        found = found or [one for one in read if one is not None]
    found = [one for one in (showing(one, wish, today) for one in found) if one is not None] if wish else found
    narrows = (
        (*_NARROWS, "value") if lead.rstrip().endswith(_FULL_STOPS) else (*_NARROWS, "value", "column", "not", "empty")
    )
    found = [one for one in found if not any(token.has(*narrows) for token in tokens_of(lead, one.table, today))]
    found = [one for one in found if named or not _is_of_another(text, one.table, tables, today)]
    best = max((one.grounded for one in found), default=0)
    fitting = [one for one in found if one.grounded == best]
    if len(fitting) != 1 or (best <= _ONE_WORD and not named and _is_of_unread(text, fitting[0], tables, today)):
        return None
    return fitting[0]


_ONE_WORD = 2
"""What `_grounded` says where one word alone speaks of a table, and only by its meaning."""


def _is_of_unread(text: str, found: RowQuestion, tables: Sequence[Table], today: date) -> bool:
    """Whether a question speaks more of a table over which it could not be read: it is asked of that."""
    others = (table for table in tables if table.path != found.table.path)
    return any(_grounded(tokens_of(text, table, today), table) > found.grounded for table in others)


def says_which(text: str, table: Table, today: date) -> bool:
    """Whether a text around a question says of which rows of a table it is."""
    said = tokens_of(text, with_values_in(text, table), today, leniently=True)
    return any(token.has(*_NARROWS, "value", "not", "empty", "ticked") for token in said)


def _is_of_another(text: str, table: Table, tables: Sequence[Table], today: date) -> bool:
    """Whether what a question speaks of is what another table is called by: 修的次数 is of 维修记录, not of trips."""
    all_ = tokens_of(text, table, today)
    tokens = [one for one in all_ if not one.has("column", "value") and not _names(one, table)]
    said = [one for one in tokens if one.has("event", "deal", "rowname") or Sense("row", "event") in one.senses]
    words = [stem(one.text) if one.text.isascii() else one.text.rstrip("的了过") for one in said]
    others = [other.stem for other in tables if other.path != table.path]
    names = {key_of(one.name) for other in tables if other.path != table.path for one in other.columns}
    if any(one.has("which") and key_of(after.text) in names and _is_only_row(after) for one, after in pairwise(all_)):
        return True  # which lot has the most: no row of another table is one
    return any(_is_called_by(word, other) for word in words for other in others if not _is_called_by(word, table.stem))


def _is_only_row(token: Token) -> bool:
    return token.has("row") and not token.has("column", "value", "rowname")


def _is_called_by(word: str, name: str) -> bool:
    return word in name if has_chinese(word) else word in map(stem, re.split(r"[\W_\d]+", name))


def _asked_of(text: str, table: Table, today: date, *, named: bool, leniently: bool) -> RowQuestion | None:
    """What a question asks of one table; `leniently`: by words of the other language, and with a slip, too."""
    tokens = _in_units(_explained(tokens_of(text, table, today, leniently=leniently)), table)
    if not named and not any(token.has("value", "column", "ticked") or _names(token, table) for token in tokens):
        return None
    if any(not token.senses and not any(token.text in one.name for one in table.columns) for token in tokens):
        return None  # a word that nobody knows is passed over by nothing
    tokens, table = _reckoned(tokens, table)
    try:
        query = read_query(tokens, table)
    except NotRead:
        return None
    says = named or any(_names(token, table) and not token.has("column") for token in tokens)
    return RowQuestion(table, query, _grounded(tokens, table), says, leniently)


def showing(found: RowQuestion, wish: str, today: date) -> RowQuestion | None:
    """The same with the columns that are wished for: names only, 给编号; None where they are none of the table's."""
    said = Roles(tokens_of(wish, found.table, today, leniently=True), found.table)
    digits = said.number(0) if len(said.tokens) == 2 and said.at(1, "decimals") else None  # noqa: PLR2004  two decimals
    if digits and (found.query.measures or found.query.share):
        return replace(found, query=replace(found.query, decimals=int(digits[0])))
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
        sign = said.tokens[at].get("op")
        sides = [said.named(said.tokens[place], "number") for place in (at - 1, at + 1)]
        if sign is None or sides[0] is None or sides[1] is None:
            at += 1
            continue
        said.table, name = said.table.with_reckoned(sides[0].name, str(sign.value), sides[1].name)
        first, last = said.tokens[at - 1], said.tokens[at + 1]
        whole = Token(f"{first.text} {last.text}", first.start, last.end, frozenset({Sense("column", name)}))
        said.tokens[at - 1 : at + 2] = [whole]
    return said.tokens, said.table


def _in_units(tokens: list[Token], table: Table) -> list[Token]:
    """The tokens where a unit that is asked for names the one column that is measured in it: how many kilos."""
    found = list(tokens)
    numbers = [one.name for one in table.columns if one.kind == "number"]
    for at, token in enumerate(found):
        counted = at == 0 or not found[at - 1].has("num", "mult")  # 5 kg is a bound, kilos per species are asked for
        unit = unit_named(token.text) if counted and token.has("unit", "count") and not token.has("column") else None
        measured = [name for name in numbers if unit and unit_of(name) == unit]
        if len(measured) > 1:  # kg beside grade_a_kg
            measured = [name for name in measured if unit_named(name.lower()) == unit]
        if at and found[at - 1].has("count") and (token.has("row") or not token.senses):  # 多少副 of 数量(副), kW
            measured = [name for name in numbers if _counted_in(name) == token.text.lower()]
        if len(measured) == 1 and measured[0] not in table.reckoned:
            found[at] = replace(token, senses=frozenset({Sense("column", measured[0])}))
    return found


def _counted_in(name: str) -> str:
    """What the numbers of a column are counted in, by the end of its name: 数量(副), power_kw."""
    match = re.search(r"[(（]([^()（）]+)[)）]$|_([A-Za-z]+)$", name)
    return (match[1] or match[2]).lower() if match else ""


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
    plain = _PARTED.sub(r"\1leaving out \2", _EITHER_WAY.sub("", without_courtesy(text, after=True)))
    plain = _HYPHENATED.sub(lambda match: match[0] if _is_known(match[0], table) else match[0].replace("-", " "), plain)
    entries = across(plain, table) if leniently else table.entries
    cut = [_as_value(token, entries) for token in segment(plain, _mentions(plain, table, today), entries)]
    cut = [part for token in _past(cut, table, today) for part in _denied(token, entries, table)]
    tokens = [_whole(token, table) for token in cut]
    tokens = [_as_written(token.without("free") if token.text == "US" else token) for token in tokens]
    tokens = [token.without("value") if token.text == "a" else token for token in tokens]  # a germination, not hall A
    tokens = [token.without("agg") if token.text in {"Min", "Max"} else token for token in tokens]  # people
    tokens = [_of_flag(token, table) for token in tokens]
    tokens = _excepted(tokens)
    if leniently:
        tokens = [replace(token, senses=_meant(token, table) or token.senses) for token in tokens]
    return _without_light_verbs(tokens)


def _of_flag(token: Token, table: Table) -> Token:
    """A phrase that says nothing elsewhere as the column of yes and no that its first word is: showed up, of showed."""
    first = table.entries.get(key_of(token.text)[:1], frozenset()) if " " in token.text and token.has("free") else ()
    flags = frozenset(one for one in first if one.kind == "column" and table.column(one.value).kind == "flag")
    return replace(token, senses=flags) if flags else token


_PARTED = re.compile(
    r"(?i)(^|[.,;?!] *|\b(?:if (?:we|you)|please|and|but) )leav(?:e|ing) ((?:the )?[\w' -]{1,40}?) (?:out|aside)\b"
)
"""Leave the cancelled ones out."""
_EITHER_WAY = re.compile(r"(?i),\s*(?:whether )?\b\w+ or not\b|[，,](?:不管|无论|不论)(\w{1,3})没\1")
"""Whether so or not: paid or not."""
_HYPHENATED = re.compile(r"\b[A-Za-z]{2,}(?:-[A-Za-z]{2,})+\b")


def _is_known(word: str, table: Table) -> bool:
    """Whether a word with hyphens is one, in the dictionary or in the table; else it is its parts: first-aid."""
    key = key_of(word)
    return key in table.entries or bool(senses_of(key)) or any(word.lower() == said for said, _, _ in table.odd_values)


def _excepted(tokens: Sequence[Token]) -> list[Token]:
    """The tokens where what is left out is named behind the rest: without the cancelled one."""
    found = list(tokens)
    for at, token in enumerate(tokens):
        behind = next((one for one in tokens[at + 1 : at + 4] if one.text.lower() not in _ARTICLES), None)
        if token.text.lower() == "without" and behind and behind.has("value"):
            found[at] = replace(token, senses=frozenset({Sense("except")}))
        ends = at + 1 == len(tokens) or tokens[at + 1].has("mark")
        if token.text.lower() in {"one", "ones"} and ends and at and tokens[at - 1].has("value"):
            found[at] = replace(token, senses=_FREE)
    return found


_ARTICLES = frozenset({"the", "any", "all", "those", "that", "那些", "那个"})


def _as_written(token: Token) -> Token:
    """A word that is both a column and a value by its stem, as what it is written like: customers, open."""
    said = token.text.lower()
    column = max((len(one.value) for one in token.all("column") if said.startswith(str(one.value).lower())), default=0)
    value = max((len(one.value[1]) for one in token.all("value") if said.startswith(one.value[1].lower())), default=0)
    if column == value or not token.has("column") or not token.has("value"):
        return token
    return token.without("value" if column > value else "column")


_FREE = frozenset({Sense("free")})
_EXPLAINS = ("value", "column", "empty", "not", "cmp", "before", "after", "date", "month", "quoted")
LONGEST_EXPLAINED = 3
"""Words that parentheses behind them explain."""
_LEADS_ON = frozenset("to from by with for the at on in 给 我们 咱们 了 过 的 到 来 去".split())  # noqa: SIM905
"""What may stand between a verb and what it is done to: not "did we", after which it says something of its own."""


def _explained(tokens: Sequence[Token]) -> list[Token]:
    """The tokens where a word that nobody knows says nothing beside what explains it: 大理(Dali), red ones (Rosa)."""
    found = list(tokens)
    for at in (at for at, token in enumerate(tokens) if at and token.text in {"(", "（"}):
        end = next((n for n in range(at, len(tokens)) if tokens[n].text in {")", "）"}), len(tokens))
        told = tokens[at + 1 : end]
        if told and all(one.senses for one in told) and any(one.has(*_EXPLAINS) for one in told):
            translated = told[0].text.isascii() and has_chinese(tokens[at - 1].text)
            for place in _word_before(tokens, at) if translated else _unknown_before(tokens, at):
                found[place] = replace(tokens[place], senses=_FREE)
    return found


def _word_before(tokens: Sequence[Token], at: int) -> Iterable[int]:
    """The places of the characters of the Chinese word that ends before a place; none where something there has it."""
    first = at
    while first and has_chinese(tokens[first - 1].text) and tokens[first - 1].end == tokens[first].start:
        first -= 1
    _, start, _ = located_words("".join(one.text for one in tokens[first:at]))[-1]
    places = [place for place in range(first, at) if tokens[place].start >= tokens[first].start + start]
    own = [tokens[place] for place in places if len(places) == 1 or len(tokens[place].text) > 1]  # 国 of 德国 is none
    return () if any(one.has("value", "column", "rowname") for one in own) else places


def _unknown_before(tokens: Sequence[Token], at: int) -> Iterable[int]:
    """The places of words that nobody knows right before a place, but for the word for a column; none has a digit."""
    for place in range(at - 1, max(-1, at - 1 - LONGEST_EXPLAINED), -1):
        if re.search(r"\d", tokens[place].text) or (tokens[place].senses and not tokens[place].has("column")):
            return
        if not tokens[place].senses:
            yield place


def _without_light_verbs(tokens: Sequence[Token]) -> list[Token]:
    """The tokens where a verb that any thing does says nothing beside a value or the most: speak German, 吃清真的."""
    found = list(tokens)
    for at, token in enumerate(found):
        if token.has("light") and not token.has("column", "value", "rowname"):
            sides = (_next(found, at, -1), _next(found, at, 1))
            beside = any(one is not None and one.has("value", "column", "sup") for one in sides)
            found[at] = replace(token, senses=_FREE) if beside else token.without("light")
    return found


def _next(tokens: Sequence[Token], at: int, step: int) -> Token | None:
    """The next word on one side of a place, over words that only lead to it."""
    places = range(at + step, at + step * (LONGEST_EXPLAINED + 1), step)
    near = (tokens[place] for place in places if 0 <= place < len(tokens))
    return next((one for one in near if one.text.lower() not in _LEADS_ON), None)


def _as_value(token: Token, entries: Entries) -> Token:
    """What is quoted as the value it is, where the table has it: 状况是“需修理”."""
    there = entries.get(key_of(str(token.the("quoted").value))) if token.has("quoted") else None
    values = frozenset(one for one in there or () if one.kind == "value")
    return replace(token, senses=values) if values else token


def _past(tokens: Sequence[Token], table: Table, today: date) -> Iterable[Token]:
    """The tokens where what is over, or overdue, is so today, which may be said beside it: 今天已经过期的."""
    past = any(token.has("past", "late") for token in tokens) and not any(token.has("before") for token in tokens)
    now, expiry = Sense("date", today.isoformat()), table.concepts.get("expiry")
    dated = expiry or any(table.column(one.value).kind == "date" for token in tokens for one in token.all("column"))
    for token in tokens:
        if token.has("past") and not token.has("value", "column"):
            until = any(one.has(*_WHEN) and now not in one.senses for one in tokens)  # 年底之前过期
            said = (
                *([Sense("column", expiry)] if expiry else []),
                *(() if expiry and until else (Sense("before"), now)),
            )
            yield from (replace(token, senses=frozenset({sense} if dated else ())) for sense in said)
        elif token.has("late"):
            yield replace(token, senses=frozenset({Sense("late", today.isoformat())}))
        else:
            yield replace(token, senses=frozenset({Sense("free")})) if past and now in token.senses else token


def _denied(token: Token, entries: Entries, table: Table) -> Iterable[Token]:
    """A word as what it denies, where that is there: unpaid, where there is a column paid; what is owed is not paid."""
    paid = table.concepts.get("paid", "")
    rest = token.text[2:] if token.text[:2].lower() == "un" and not token.senses else paid if token.has("owed") else ""
    if not rest or key_of(rest) not in entries or (paid and table.column(paid).kind == "number"):
        return [token]
    not_so = Token(token.text[:2], token.start, token.start, frozenset({Sense("not")}))
    return [not_so, Token(rest, token.start, token.end, frozenset(entries[key_of(rest)]))]


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
    in_part = frozenset(one for one in token.all("value") if one.value[1].isascii() and said != key_of(one.value[1]))
    ends = [(table.column(one.value[0]), key_of(one.value[1])) for one in in_part]
    at_end = all(column.unique and said in {value[:1], value[-1:]} for column, value in ends)
    if at_end or not is_english(token.text):
        return token
    return replace(token, senses=token.senses - in_part)


def _meant(token: Token, table: Table) -> frozenset[Sense] | None:
    """What a word means that nobody knows and that is one letter away from just one that is known.

    A Chinese word that is a part of the file's name stands for its rows: 班 for those of 排班表.
    """
    core = re.sub(r"[\W\d_年月日上中下第]", "", table.stem)
    if not token.senses and not token.text.isascii() and all(letter in core for letter in token.text):
        return frozenset({Sense("rowname", table.stem)})
    if not token.senses and has_chinese(token.text) and token.text[-1] not in ENDED:  # 菜 of dishes.csv
        named = (table.entries.get(key_of(one), frozenset()) for one in glosses_of(token.text))
        return next((frozenset(senses) for senses in named if any(one.about == FILE for one in senses)), None)
    word = token.text.lower()
    if token.senses or not (word.isascii() and word.isalpha()) or len(word) < SHORTEST_SLIP:
        return None
    own = stem(word)
    kin = [one for one in table.words if _are_kin(one, own)]
    if len(kin) == 1 and any(one.kind in {"column", "rowname"} for one in table.entries[kin[0],]):
        return table.entries[kin[0],]
    if is_english(word):
        return None  # matches, not March
    near = _near(word, _written()) or _near(stem(word), table.words)
    return frozenset(table.entries.get(key_of(near[0])) or senses_of(key_of(near[0]))) if len(near) == 1 else None


def _are_kin(one: str, other: str) -> bool:
    """Whether two stems are of one word: allerg, of allergic, and allergi, of allergies."""
    short, long = sorted((one, other), key=len)
    return len(short) >= SHORTEST_SLIP and len(long) - len(short) <= 1 and long.startswith(short)


@cache
def _written() -> frozenset[str]:
    """The single words of the lexicon as they are written."""
    return frozenset(phrase for _, *cells in rows("lexicon") for cell in cells for phrase in cell.split("|"))


def _near(word: str, known: Iterable[str]) -> list[str]:
    """The words that are one letter away."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415  only slips need it

    alike = (one for one in known if abs(len(one) - len(word)) <= 1 and len(one) >= SHORTEST_SLIP and one.isalpha())
    return [one for one in alike if OSA.distance(one, word, score_cutoff=1) == 1]


def _mentions(text: str, table: Table, today: date) -> list[Token]:
    """What stands for itself; of two that overlap, a value, or the longer."""
    found: list[Token] = []
    for token in (*_odd_values(text, table), *_parted_names(text, table), *times_said(text, today)):
        named = token.has("date", "day_of_year", "num") and _is_in_name(token, text, table)
        if not named and all(token.end <= one.start or token.start >= one.end for one in found):
            found.append(token)
    return found


@lru_cache(maxsize=128)
def times_said(text: str, today: date) -> list[Token]:
    """What stands for itself whatever it is asked of, the longest first."""
    found = (*_days_of_month(text), *_periods(text, today), *_months(text), *_spoken(text, today))
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


def _parted_names(text: str, table: Table) -> Iterable[Token]:
    """The names of columns that are said with a 的 inside: 污染的袋数 for 污染袋数; not the least of the stock."""
    for name in (one.name for one in table.columns if one.kind == "date"):  # 上次检修的日期
        for match in re.finditer(f"{re.escape(name)}的?(?:日期|时间|日子)", text) if has_chinese(name) else ():
            yield _token(text, match.span(), "column", name)
    for name in (one.name for one in table.columns) if "的" in text else ():
        plain = plain_name(name)
        if has_chinese(plain) and len(plain) > 2 and not narrows(plain[:2]):  # noqa: PLR2004
            for match in re.finditer("的?".join(map(re.escape, plain)), text):
                if "的" in match[0]:
                    yield _token(text, match.span(), "column", name)


_THIS = re.compile(
    r"(?i)\b(?P<en>this|last|next) (?P<unit>year|yr|month|week)\b"
    r"|(?P<zh>今年|去年|前年|明年|本月|这个月|上个月|上月|下个月|下月|(?:[上下]个?|这个?|本)(?:周|星期|礼拜)(?![一二三四五六日天末]))"
)
_QUARTER = re.compile(
    r"(?i)\b(?:the )?(?:q(?P<q>[1-4])|(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th) quarter)\b"
    r"(?: of)?(?: the year\b| (?P<year>\d{4}\b|this year|last year))?"
    r"|(?:(?P<han_year>\d{4}年|今年|去年)的?)?第?(?P<han>[一二三四1-4])季度"
)
_NTH = [one.split() for one in ("1 first 1st 一", "2 second 2nd 二", "3 third 3rd 三", "4 fourth 4th 四")]


def _periods(text: str, today: date) -> Iterable[Token]:
    """This year, 上个月, last week, the second quarter."""
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
            days = (monday.isoformat(), (monday + timedelta(days=6)).isoformat(), "day")
            yield _token(text, match.span(), "span", days)
    for match in _QUARTER.finditer(text):
        said = (match["q"] or match["nth"] or match["han"]).lower()
        last = 3 * next(number for number, names in enumerate(_NTH, 1) if said in names)
        year = (match["year"] or match["han_year"] or "").lower()[:4].rstrip("年")
        year = str(today.year - (year in {"last", "去"})) if year and not year.isdigit() else year
        months = f"{last - 2:02d}", f"{last:02d}"
        span = tuple(f"{year}-{month}" for month in months) if year else tuple(map(int, months))
        yield _token(text, match.span(), "span", (*span, "month_of_year" if year else "month"))


def _days_of_month(text: str) -> Iterable[Token]:
    """From one day of a month to another, or two of its days where they are next to each other."""
    for match in _DAYS_OF_MONTH.finditer(text):
        name = match["m"] or match["m2"] or ""
        month = int(match["zm"] or next(at for at, one in enumerate(_MONTHS, 1) if one.startswith(name.lower())))
        first, last = (int(match[day]) for day in ("d1", "d2", "d3", "d4", "z1", "z2") if match[day])
        apart = (match["or"] or match["zor"]) and last != first + 1
        if not apart and 1 <= month <= len(_MONTHS) and 1 <= first < last <= LONGEST_MONTH:
            year = match["y"] or match["zy"]
            days = tuple(f"{year + '-' if year else ''}{month:02d}-{day:02d}" for day in (first, last))
            yield _token(text, match.span(), "span", (*days, "day" if year else "day_of_year"))


def _months(text: str) -> Iterable[Token]:
    for token in segment(text, (), {}):
        if token.has("month") and not token.text.isascii() and not text[: token.start].endswith("年"):
            yield replace(token, senses=frozenset(token.all("month")))
    for match in _MONTH_OF.finditer(text):
        year = match["year"] or match["y"]
        month = _MONTHS.index(match["name"].lower()) + 1 if match["name"] else int(match["m"])
        if 1 <= month <= len(_MONTHS):
            yield _token(text, match.span(), "month_of", f"{year}-{month:02d}")


def _spoken(text: str, today: date) -> Iterable[Token]:
    for match in _NOW.finditer(text):
        yield _token(text, match.span(), "date", today.isoformat())
    for mention in find_mentions(text, today):
        span = (mention.start, mention.end)
        if mention.kind == "date" and (alone := _DAY_ALONE.fullmatch(text[slice(*span)])):
            yield _token(text, span, "day_of_year", f"{today:%m}-{int(alone[1]):02d}", f"{today:%Y}")
        elif mention.kind == "date" and _DAY.search(text[slice(*span)]) and not _YEAR.search(text[slice(*span)]):
            yield _token(text, span, "day_of_year", f"{mention.value:%m-%d}", f"{today:%Y}")
        elif mention.kind == "date" and _WEEKDAY.fullmatch(text[slice(*span)]):
            yield _token(text, span, "weekday", f"{mention.value.isoweekday()}")
        elif mention.kind == "date":
            yield _token(text, span, "date", mention.value.isoformat())
        elif mention.kind in {"quoted", *_PLACES}:
            yield _token(text, span, "quoted" if mention.kind == "quoted" else "place", mention.value)
    for number in find_numbers(text):
        if abs(number.value) < LARGEST and not _NO_NUMBER.match(text, number.start):
            yield _token(text, (number.start, number.end), "num", float(number.value))


def _is_in_name(token: Token, text: str, table: Table) -> bool:
    """Whether a word for a day or a number is a part of what the table is called, or of a value: 月末关账, 圣诞颂歌."""
    if re.search(r"\d", token.text):
        return False
    begun = text[token.start : token.start + 2]  # 零 of 零件号
    if len(token.text) == 1 and any(one.name.startswith(begun) for one in table.columns):
        return True
    return any(token.text in name and name != token.text and name in text for name in table.names)


def _token(text: str, span: tuple[int, int], kind: str, value: Any, about: str = "") -> Token:
    return Token(text[slice(*span)], *span, frozenset({Sense(kind, value, about)}))
