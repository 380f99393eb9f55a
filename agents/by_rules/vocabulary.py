"""The words for what is in a table: its columns, values and rows, whole or by their parts, in either language."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from switchyard.agents.by_rules.cells import LISTED
from switchyard.agents.by_rules.table import (
    CAMEL,
    FILE,
    FOLDER,
    LONGEST_PHRASE,
    VERBS,
    WEAK,
    Column,
    Table,
    plain_name,
    unit_of,
)
from switchyard.language.dictionary import glosses_of, meanings_of
from switchyard.language.lexicon import Key, Sense, key_of, narrows, senses_of
from switchyard.language.tables import rows as table_rows
from switchyard.language.tokeniser import has_chinese
from switchyard.language.units import unit_named

_SENTENCES = frozenset("heading note notes remark remarks comment comments description 备注 说明".split())  # noqa: SIM905
"""Columns that have sentences: of those a part is no name."""
LONGEST_CUT = 5
"""Words of a value that may be named by a part of it; a longer one is a sentence."""
MOST_MEANINGS = 4
"""Meanings of a Chinese word whose last word may name what is there."""
_COLLECTIONS = tuple("价目 目录 登记 安排 记录 清单 名单 明细 台账 列表 表 库存 信息 数据".split())  # noqa: SIM905
"""What the name of a Chinese file ends with that says that it has many of something."""
_TIME_WORD = re.compile(r"(?i)(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*|q|[年月日下上]+")
"""A part of a file's name that only says of when it is: sales-oct-2026, expenses Q3."""
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_PERIODS = frozenset({"hour", "day", "night", "week", "month", "year"})


def names_of_rows(stem: str) -> Iterable[str]:
    """What the rows of a file of this name are called."""
    words = _words_in(stem)
    if words:
        yield " ".join(words)
        yield from reversed(words)
        for kind in _COLLECTIONS:
            if words[-1].endswith(kind) and len(words[-1]) > len(kind):
                yield words[-1].removesuffix(kind)


def _words_in(name: str) -> list[str]:
    return [word for word in re.split(r"[\W_\d]+", CAMEL.sub(" ", name)) if word and not _TIME_WORD.fullmatch(word)]


def _around(path: str) -> dict[str, set[Sense]]:
    """What else a file is known by: the folders it lies in, and parts of a longer Chinese name."""
    *folders, name = [_words_in(part) for part in Path(path or "-").with_suffix("").parts]
    parts = [part for word in name if len(word) > 3 and not word.isascii() for part in (word[:2], word[-2:])]  # noqa: PLR2004
    sheets = [f"{part}{sheet}" for part in (*name, *parts) for sheet in ("表", "表里")]
    found = {word.lower(): {Sense("rowname", word, FOLDER)} for part in (*folders, name) for word in part}
    return found | {part: {Sense("rowname", part, FILE)} for part in (*parts, *sheets)}


def entries_of(
    columns: Sequence[Column], called: Iterable[str], path: str = ""
) -> tuple[dict[Key, frozenset[Sense]], dict[str, str]]:
    """The columns, values and rows of a table as a dictionary, and by kind of column the one that is of that kind."""
    found, exact = _named_columns(columns)
    flags = {column.name for column in columns if column.kind == "flag"}
    concepts = _by_concept(exact, found, flags)
    for column in columns:
        for value in column.values if column.kind == "text" else ():
            key = key_of(value)
            if key and len(key) <= LONGEST_PHRASE and not (len(key) == 1 and key[0].isdigit()):
                found.setdefault(key, set()).add(Sense("value", (column.name, value)))
    rows = {key_of(name): Sense("rowname", name, FILE) for name in called}
    _add_parts(found, rows, columns, path)
    for key, sense in rows.items():
        found.setdefault(key, set()).add(sense)
    return {key: frozenset(senses) for key, senses in found.items()}, concepts


def _add_parts(found: dict[Key, set[Sense]], rows: Mapping[Key, Sense], columns: Sequence[Column], path: str) -> None:
    """Put what stands for a longer name, where no other has it."""
    dates = {column.name for column in columns if column.kind in {"date", "flag"}}
    parted = (_about(columns), _words_of(columns), _around(path), _parts_of_values(columns), _done_by(columns))
    for parts in parted:
        by_key: dict[Key, set[Sense]] = {}
        for part, senses in parts.items():
            if len(part) > 2 or not part.isascii():  # noqa: PLR2004  of, to
                by_key.setdefault(key_of(part), set()).update(senses)
        for key, senses in by_key.items():
            verbs = VERBS if dates.issuperset(sense.value for sense in senses) else frozenset[str]()
            known = {sense.kind for sense in senses_of(key)} - WEAK - verbs
            meant = {sense.value[0] if sense.kind == "value" else sense for sense in senses}  # values of one column
            if len(meant) == 1 and key not in found and key not in rows and not known:
                found[key] = senses


_UNIT_BEHIND = re.compile(
    r"(?<=[\u3400-\u9fff]{2})(?:欧元|美元|元|公斤|千克|毫米|厘米|公里|平方米|立方米|小时|分钟|毫升|公升|千瓦|天数?|[吨升克斤米])(?:[每/].{1,3})?$"
)
"""What a Chinese column is measured in, where nothing parts it from its name: 库存公斤, 单价元每公斤."""


def _named_columns(columns: Sequence[Column]) -> tuple[dict[Key, set[Sense]], dict[Key, str]]:
    """The columns by their names, as they are written and as they are spoken."""
    found: dict[Key, set[Sense]] = {}
    exact: dict[Key, str] = {}
    short = [_UNIT_BEHIND.sub("", one.name) if one.kind == "number" else one.name for one in columns]
    for column, bare in zip(columns, short, strict=True):
        names = (column.name, plain_name(column.name).removeprefix("已"), *([bare] if short.count(bare) == 1 else []))
        spoken = [
            re.sub(r"[_.?？:：-]|[(（][^)）]*[)）]$", " ", CAMEL.sub(" ", name)) for name in names
        ]  # 金额（元） is 金额
        for key in dict.fromkeys(map(key_of, (*names, *spoken))):
            if key and not (key in exact and exact[key] != column.name):
                found.setdefault(key, set()).add(Sense("column", column.name))
                exact.setdefault(key, column.name)
        words = key_of(spoken[0])
        if unit := re.search(r"[(（]([\u3400-\u9fff]{1,2})[)）]$", column.name):
            found.setdefault(key_of(f"{unit[1]}数"), set()).add(Sense("column", column.name))  # 副数 of 数量(副)
        parts = [part.lower() for part in re.split(r"[\W_]+", column.name) if part and part != "per"]
        if len(parts) == 2 and parts[1] in _PERIODS:  # noqa: PLR2004  hours a week of hours_week
            for between in ("a", "per", "each"):
                found.setdefault(key_of(f"{parts[0]} {between} {parts[1]}"), set()).add(Sense("column", column.name))
        if len(words) > 2 and unit_of(column.name):  # noqa: PLR2004  lead_time_days is the lead time
            found.setdefault(words[:-1], set()).add(Sense("column", column.name))
    return found, exact


@cache
def _listed_concepts() -> list[tuple[str, dict[Key, str]]]:
    """The words for each kind of column, by their keys."""
    listed = (
        (concept, [word for cell in cells for word in cell.split("|")]) for concept, *cells in table_rows("concepts")
    )
    return [(concept, {key_of(word): word for word in words}) for concept, words in listed]


def _by_concept(exact: dict[Key, str], found: dict[Key, set[Sense]], flags: Collection[str]) -> dict[str, str]:
    """The words people use for the columns there are; a column whose own name a word is comes first.

    Of a column of yes and no (`flags`) no part says of what kind it is: a sick_day is no date.
    """
    concepts: dict[str, str] = {}
    own: dict[Key, str] = {(part,): name for key, name in exact.items() if len(key) > 1 for part in key}
    for concept, listed in _listed_concepts():
        words = listed.keys()
        named = [name for key, name in exact.items() if key in words and name != "line"]  # which line is no count
        longer = ((key, name) for key, name in exact.items() if len(key) > 1 and name not in flags)
        parts = [name for key, name in longer if any((part,) in words for part in key if part.isascii())]
        meant = list(dict.fromkeys(named or (parts if concept != "paid" else ())))  # paid by is who paid
        own_name = [name for name in meant if concept in key_of(name.replace("_", " "))]  # price_eur before cost_eur
        if chosen := meant if len(meant) == 1 else own_name:
            concepts[concept] = chosen[0]
        for word in words if len(meant) == 1 else ():
            if word in own and own[word] != meant[0]:
                continue  # due is in the name of another column
            if word not in exact and unit_named(listed[word]) is None:  # hours are no minutes
                found.setdefault(word, set()).add(Sense("column", meant[0]))
    return concepts


_HEADS = tuple("编号 名称 名 号 款 日期 时间 数量 数 等级 金额 id name no code date".split())  # noqa: SIM905
"""What the name of a column ends with that says what it has of the thing it is about: 药名, pet_id."""
_NAMES = ("名称", "名", "name")


def _about(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """What columns are about, by the name without its last part; a name says it better than a number."""
    found: dict[str, dict[str, Column]] = {}
    for column in columns:
        for head in _HEADS:
            thing = column.name.lower().removesuffix(head).rstrip("_ -")
            if thing and thing != column.name.lower():
                found.setdefault(thing, {})[head] = column
                break
    senses: dict[str, set[Sense]] = {}
    for thing, by_head in found.items():
        named = [column for head, column in by_head.items() if head in _NAMES] or by_head.values()
        senses[thing] = {_sense_of(column) for column in named}
    return senses


def _done_by(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """What people do by the name of the column that says who: 接送 of 接送人."""
    done = (one for one in columns if len(one.name) > 2 and one.name[-1] in "人者商员师")  # noqa: PLR2004  not 主人
    return {one.name[:-1]: {Sense("column", one.name)} for one in done}


def _sense_of(column: Column) -> Sense:
    """What a part of a column's name means: the rows, where the column has a value for each."""
    return Sense("rowname" if column.unique and column.kind == "text" else "column", column.name)


def _words_of(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """The words of longer names of columns, with what they are a part of."""
    found: dict[str, set[Sense]] = {}
    for column in columns:
        name = plain_name(column.name)
        words = [word.lower() for word in re.split(r"[\W_.]+", CAMEL.sub(" ", name)) if word]
        if len(words) == 1:
            is_long = len(name) > 3 and not name.isascii()  # noqa: PLR2004  库存数量 is 库存
            words = [name[:2], name[-2:]] if is_long else []
        runs = [" ".join(words[:2]), " ".join(words[-2:])] if len(words) > 2 else []  # noqa: PLR2004  first_aid_expiry
        parts = [word for before, word in pairwise(["", *words]) if not _EACH.fullmatch(f"{before} {word}")]
        for part in (*parts, *runs):
            if not _is_narrowed(name, part):
                found.setdefault(part, set()).add(_sense_of(column))
    return found


_EACH = re.compile(r".* (?:hour|dai|week|month|year|quarter)ly|per (?:hour|day|week|month|year)")
"""What says of a figure how often it is paid or made: hourly_eur is no number of hours, and hours_per_week no week."""


def _is_narrowed(name: str, part: str) -> bool:
    """Whether the rest of a column's name says that it is the least or the most of a thing: 最低库存, min_stock."""
    rest = CAMEL.sub(" ", name).lower().replace(part, " ")
    said = [word for word in re.split(r"[\W_.]+", rest) if word]
    return any(narrows(word) for word in said)


def _parts_of_values(columns: Sequence[Column]) -> dict[str, set[Sense]]:
    """Parts of longer values: Old Town of Old Town Deli, 浦东 of 浦东新区; what all of a column have says nothing."""
    found: dict[str, set[Sense]] = {}
    for column in columns:
        values = column.values if column.kind == "text" and column.name.lower() not in _SENTENCES else ()
        parts: dict[str, set[Sense]] = {}
        for value in values:
            for part in _parts(value):
                parts.setdefault(part, set()).add(Sense("value", (column.name, value)))
        for part, senses in parts.items():
            if (len(senses) < len(values) or len(values) == 1) and not _is_kind(part, senses, values):
                found.setdefault(part, set()).update(senses)
    return found


def _is_kind(part: str, senses: Collection[Sense], values: Sequence[str]) -> bool:
    """Whether the end of a Chinese value is what others are too: 赛马鞍 is a 马鞍, and so is 儿童鞍."""
    if len(part) != 2 or part.isascii() or not all(one.value[1].endswith(part) for one in senses):  # noqa: PLR2004
        return False
    return sum(value.endswith(part[-1]) for value in values) > len(senses)


def _parts(value: str) -> Iterable[str]:
    """Words of a value that stand together; of a Chinese one its beginning and its end; the things of a list."""
    words = value.lower().split()
    if len(listed := LISTED.split(value.lower())) > 1:
        yield from (one for one in listed if not one.isdigit())
    if 1 < len(words) <= LONGEST_CUT:
        for start in range(len(words)):
            ends = (end for end in range(start + 1, len(words) + 1) if end - start < len(words))
            yield from (" ".join(words[start:end]) for end in ends if not LISTED.search(words[end - 1][-1]))
    for word in words if len(words) <= LONGEST_CUT else ():
        if _HAN_RUN.fullmatch(word) and 2 < len(word) <= LONGEST_PHRASE + 1:  # noqa: PLR2004  a part has two characters
            yield from (part for cut in range(2, len(word)) for part in (word[:cut], word[-cut:]))


def across(text: str, table: Table) -> dict[Key, frozenset[Sense]]:
    """The dictionary of a table with the words of a question that mean, in the other language, what is there."""
    found = dict(table.entries)
    for key, meanings in _translated(text) if has_chinese(text) else ():
        there = frozenset(one for meaning in meanings for one in table.whole(key_of(meaning)))
        there = there or _by_head("".join(key), table)
        if key not in found and there:
            found[key] = found["已", *key] = there
    wanted = set(key_of(text))
    for said, senses in table.in_english:
        if wanted.issuperset(said):
            found[said] = found.get(said, frozenset()) | senses
    return found


def _by_head(word: str, table: Table) -> frozenset[Sense]:
    """What a Chinese word means by the last word of a meaning, where that is one thing: 时薪, hourly wage, the wage.

    The rows or a figure alone: of a text the first word says which (藏语, Tibetan language).
    """
    heads = {key_of(meaning.split()[-1]) for meaning in meanings_of(word, MOST_MEANINGS) if " " in meaning}
    known = [(head, one) for head in heads if not senses_of(head) for one in table.entries.get(head, ())]
    there = {one for _, one in known}
    figures = {one.name for one in table.columns if one.kind == "number"}
    own = [one for head, one in known if one.kind == "column" and set(head) <= {*key_of(one.value.replace("_", " "))}]
    told = [one for one in there if one.kind == "rowname" or (one in own and one.value in figures)]  # no survival rate
    return frozenset(there) if len(there) == len(told) == 1 else frozenset()


ENDED = frozenset("好完成掉坏")
"""What Chinese verbs end with that say how it ended: 修好 is more than a repair."""


@lru_cache(maxsize=128)
def _translated(text: str) -> list[tuple[Key, tuple[str, ...]]]:
    """The Chinese words of a text, or what may be one, with what they mean in English."""
    runs = _HAN_RUN.findall(text)
    words = {run[at : at + length]: None for run in runs for at in range(len(run)) for length in (2, 3, 4)}
    known = ((key_of(word), glosses_of(word)) for word in words if len(word) > 1 and word[-1] not in ENDED)
    weak = WEAK | {"title", "deal", "event"}
    return [one for one in known if one[1] and all(sense.kind in weak for sense in senses_of(one[0]))]
