"""What a column is by what stands in its cells: numbers, dates, yes and no, or texts, and how they are written."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.table import Column

FEWEST_NUMBERED = 8
"""Rows from which on numbers that rise one by one are no chance."""
MOST_VALUES = 3_000
"""Different values of a column that are known; a column with more names things one by one."""
LONGEST_VALUE = 60
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_NUMBERED = re.compile(r"(?i)(?:^|[\W_])(?:id|no|nr|num|number|code|ref|sku|phone|tel|mobile|line)$|号|电话|手机")
"""Names of columns of numbers that say which row it is, not how much."""
_WRITTEN_NUMBER = re.compile(r"[£$€¥￥]?\s?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?(?:%|元|欧元|£|€|[A-Z]{3}|kr)?")
_WITH_COMMA = re.compile(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?")
"""The same as most of Europe writes it: 1.249,00."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
TRUE, FALSE = ("true", "yes", "y", "✓", "√", "有", "是"), ("false", "no", "n", "✗", "×", "无", "没有", "否")
"""How columns of yes and no are written, and read."""
_NOTHING = ("none", "n/a", "-", "--", "无", "没有", "空")
"""How a cell of texts says that it has nothing."""
LISTED = re.compile(r"\s*[,;/|、，；]\s*")
"""What parts the things that stand in one cell: peanuts, eggs."""


def column_of(name: str, cells: Sequence[Any], *, names_rows: bool) -> Column:
    """The column of these cells; `names_rows`: it is called what the rows are."""
    if any(isinstance(cell, dict | list) for cell in cells):
        return Column(name, "text")
    told = {cell if isinstance(cell, str) else "" if cell is None else str(cell) for cell in cells}
    texts = {text.strip() for text in told} - {""}
    empty = "" in told or not texts
    unique = not empty and len(texts) == len(cells) > 1
    if texts and all(text.lower() in TRUE + FALSE for text in texts):
        return Column(name, "flag", tuple(sorted(texts)), complete=not empty)
    if texts and all(map(_NUMBER.fullmatch, texts)):
        numbered = unique and (names_rows or _NUMBERED.search(name) is not None or _is_sequence(cells))
        return Column(name, "number", unique=numbered, complete=not empty, most=max(map(float, texts)))
    if texts and all(map(_DATE.fullmatch, texts)):
        months = {"{}-{:0>2}".format(*re.split(r"\D", text)[:2]) for text in texts}
        daily = unique and len({text[:10] for text in texts}) == len(texts)  # times of one day are no days
        return Column(name, "date", tuple(sorted(months)), daily, not empty)
    if (written := _written_otherwise(name, texts)) is not None:
        return replace(written, complete=not empty, unique=unique and written.kind == "date")
    nothing = tuple(text for text in sorted(texts) if text.lower() in _NOTHING)
    kept = tuple(sorted(text for text in texts.difference(nothing) if len(text) <= LONGEST_VALUE))
    return Column(name, "text", kept if len(kept) <= MOST_VALUES else (), unique, not empty and not nothing, nothing)


def _is_sequence(cells: Sequence[Any]) -> bool:
    """Whether whole numbers only tell the rows apart: 4101, 4102, 4105, one after the other."""
    texts = [str(cell).strip() for cell in cells]
    if not all(map(str.isdecimal, texts)):
        return False
    numbers = [int(text) for text in texts]
    rises = all(one < other for one, other in pairwise(numbers))
    return rises and len(numbers) >= FEWEST_NUMBERED and numbers[-1] - numbers[0] <= 2 * len(numbers)


def _written_otherwise(name: str, texts: Collection[str]) -> Column | None:
    """A column of numbers with signs in them, or of dates in another form, if it can be told which."""
    said = f"CAST({quoted(name)} AS VARCHAR)"
    if all(map(_WITH_COMMA.fullmatch, texts)) and any(re.search(r",(?!\d{3}$)", text) for text in texts):
        most = max(float(text.replace(".", "").replace(",", ".")) for text in texts)
        read_as = f"TRY_CAST(replace(replace({said}, '.', ''), ',', '.') AS DOUBLE)"
        return Column(name, "number", read_as=read_as, most=most)
    signs = {re.sub(r"[\d.,\s-]", "", text) for text in texts} - {""}  # pounds are no euros
    if texts and all(map(_WRITTEN_NUMBER.fullmatch, texts)) and len(signs) < 2:  # noqa: PLR2004
        most = max(float(re.sub(r"[^\d.-]", "", text)) for text in texts)
        read_as = f"TRY_CAST(regexp_replace({said}, '[^0-9.-]', '', 'g') AS DOUBLE)"
        return Column(name, "number", read_as=read_as, most=most)
    forms = [(form, days) for form in _DATE_FORMS if (days := _days_written(texts, form))]
    if not forms or any(days != forms[0][1] for _, days in forms):
        return None
    read_as = f"coalesce(TRY_CAST({said} AS DATE), CAST(try_strptime({said}, '{forms[0][0]}') AS DATE))"
    return Column(name, "date", tuple(sorted({f"{day:%Y-%m}" for day in forms[0][1]})), read_as=read_as)


_DATE_FORMS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%Y年%m月%d日")


def _days_written(texts: Collection[str], form: str) -> set[datetime]:
    """The days that texts are in a form; none where one is not."""
    try:
        return {datetime.strptime(text, form) for text in texts}  # noqa: DTZ007  a day has no zone
    except ValueError:
        return set()
