"""What a text asks of a table in a file: a figure of a column, its columns, its first rows."""

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from switchyard.language.mentions import find_mentions

_TABLE = re.compile(r"\.(?:csv|tsv|json|jsonl|ndjson|parquet)$", re.IGNORECASE)
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "avg": ("average", "mean", "avg", "平均值", "平均数", "均值", "平均"),
    "median": ("median", "中位数", "中值"),
    "sum": ("sum", "total", "总和", "合计", "总计", "之和", "总额", "和", "总"),
    "max": ("maximum", "max", "highest", "largest", "greatest", "最大值", "最高值", "最大", "最高"),
    "min": ("minimum", "min", "lowest", "smallest", "最小值", "最低值", "最小", "最低"),
}
_BY_WORD = {word: function for function, words in _FUNCTIONS.items() for word in words}
_ENGLISH = "|".join(word for word in _BY_WORD if word.isascii())
_NOUNS = "|".join(word for word in _BY_WORD if not word.isascii() and word != "总")
_BEFORE = "平均|最大|最高|最小|最低|总"
_COLUMN = r"(?P<column>[\w-]+|'[^']+'|\"[^\"]+\"|`[^`]+`|“[^”]+”)"
_COUNTED = r"(?!(?:numbers?|lines?|words?|characters?|rows?|size|count|of|the)\b|[行字词个]?数|字符)"
_LEAD = (
    r"(?:(?:what(?:'s|\s+is|\s+are|\s+was)|calculate|compute|find|get|give\s+me|show(?:\s+me)?|tell\s+me|work\s+out"
    r"|determine|and)\s+)?(?:the\s+)?"
)
_LEAD_ZH = r"(?:请|帮我|求|计算|算一?下|算出|算|统计一?下|统计|查一?下|看一?下|告诉我|数据|data|文件|表格|\s|[，,])*"
_END_ZH = r"(?:\s*(?:是多少|有多少|为多少|等于多少|多少|是什么|是几))?"
_OF_EACH_ZH = r"(?:(?:各个?|每个|每种|按)\s*(?P<group>[\w-]+?)(?:分组)?\s*的)?\s*"
_FIGURES = tuple(
    re.compile("^" + "".join(pieces) + "$", re.IGNORECASE)
    for pieces in (
        (
            rf"{_LEAD}(?P<function>{_ENGLISH})\s+(?:values?\s+)?(?:of\s+)?(?:the\s+)?(?:column\s+)?{_COUNTED}{_COLUMN}",
            r"(?:\s+(?:column|values?))?(?:\s+(?:grouped\s+by|by|per|for\s+each|of\s+each)\s+(?P<group>[\w-]+))?",
        ),
        (_LEAD_ZH, _OF_EACH_ZH, rf"(?P<function>{_BEFORE})的?\s*(?!值|数){_COUNTED}(?P<column>[\w-]+?)", _END_ZH),
        (
            *(_LEAD_ZH, _OF_EACH_ZH, r"(?P<column>[A-Za-z0-9_-]+|(?:(?![的和与、])[\u4e00-\u9fff])+?|“[^”]+”)\s*"),
            *(rf"(?:这?一?列|字段)?\s*的?\s*(?P<function>{_NOUNS})", _END_ZH),
        ),
    )
)
_COLUMNS = re.compile(
    r"^(?:(?:what|which|how\s+many)\s+(?:are\s+the\s+)?(?:columns?|fields|rows|records|column\s+names)(?:\s+names)?"
    r"(?:\s+(?:does|do|are|is|has|have|there|can\s+be\s+found))*"
    r"|(?:list|show|name|give\s+me|tell\s+me)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:columns?|column\s+names|fields)"
    r"|(?:列出|显示|查看|看看)?\s*(?:有|包含|一共有|的)?(?:哪些|什么|哪几个?|几个?|多少个?|所有|全部)?的?(?:列|字段|列名|字段名)(?:名称?)?"
    r"(?:有哪些|是什么)?|(?:有|一共有|共有)?(?:多少|几)条(?:记录|数据))(?:\s*have)?$",
    re.IGNORECASE,
)
_FIRST_ROWS = re.compile(
    r"^(?:show|give|list|display|print)?\s*(?:me\s+)?(?:the\s+)?(?:first|top)\s+(\d{1,3})\s+(?:rows|records)$"
    r"|^(?:显示|列出|查看|看看|给我看)?\s*的?前\s*(\d{1,3})\s*条(?:记录|数据)?$",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"\b(?:in|of|from|inside|within)\s+(?:the\s+)?(?:(?:data|csv|json)\s+)?(?:(?:file|table)\s+)?(?=\x00)"
    r"|(?<=\x00)\s*(?:file|table)\b|(?:在|从)?\s*(?:文件|表格?)?\s*(?=\x00)"
    r"|(?<=\x00)\s*(?:这个)?(?:数据)?(?:文件|表格?)?\s*(?:里面?|中|内)?的?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """An operation on a table, with its arguments."""

    operation: Literal["aggregate", "describe", "head"]
    arguments: dict[str, Any]


@lru_cache(maxsize=256)
def read_table_question(text: str, today: date) -> TableQuestion | None:
    """What a text as a whole asks of one table; None where it asks something else, or more."""
    text = re.sub(r"\s+", " ", text)
    paths = [mention for mention in find_mentions(text, today) if mention.kind == "path"]
    if len(paths) != 1 or not _TABLE.search(str(paths[0].value)):
        return None
    path = str(paths[0].value)
    rest = _PLACED.sub(" ", f"{text[: paths[0].start]}\0{text[paths[0].end :]}").replace("\0", " ")
    rest = " ".join(rest.split()).strip(" ,，.?!。？！:：")
    if _COLUMNS.match(rest):
        return TableQuestion("describe", {"path": path})
    if rows := _FIRST_ROWS.match(rest):
        return TableQuestion("head", {"path": path, "limit": int(rows[1] or rows[2])})
    return next((asked for pattern in _FIGURES if (asked := _figure(pattern, rest, path)) is not None), None)


def _figure(pattern: re.Pattern[str], rest: str, path: str) -> TableQuestion | None:
    match = pattern.match(rest)
    if match is None:
        return None
    arguments: dict[str, Any] = {
        "path": path,
        "functions": [_BY_WORD[match["function"].lower()]],
        "columns": [match["column"].strip("'\"`“”")],
    }
    if match["group"]:
        arguments["group_by"] = [match["group"]]
    return TableQuestion("aggregate", arguments)
