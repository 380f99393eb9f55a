"""What is asked of something that is fetched first: the question is read once its rows, keys and lines are there.

Beforehand it is known only that it asks one thing of one address, and does nothing else.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from switchyard.agents.by_rules.looked_for import asked_in
from switchyard.agents.by_rules.lookups import best_of, sql_of_passage
from switchyard.agents.by_rules.passages import Passage, base, cells, entries, lines, records
from switchyard.agents.by_rules.pieces import without_courtesy
from switchyard.agents.by_rules.query import quoted, sql_of
from switchyard.agents.by_rules.row_question import LONGEST_ABOUT_ROWS, ROWS_ASKED, read_row_question
from switchyard.agents.by_rules.world import table_of, tables_in_json
from switchyard.language.asides import Question
from switchyard.language.clauses import clauses
from switchyard.language.mentions import find_mentions
from switchyard.language.tables import words
from switchyard.language.tokeniser import has_chinese
from switchyard.language.words import Language, needs_a_model
from switchyard.tools.core.json_values import is_list, is_object

_PARTS = re.compile(r"(?i)\b(?:link|image|headline|button)s?\b|链接|图片|标题|按钮")
"""What a page has beside its text."""
_ASKS = re.compile(
    r"(?i)\b(?:what|which|who|whose|when|where|how|add up|total|sum|average)\b"
    r"|^(?:is|are|was|does|do|did|has|have)\b(?! not)"
    r"|多少|几[^乎]|什么|哪|谁|何时|吗|加起来|合计|总和|平均|最"
)
_LEADS = re.compile(
    r"(?:^|(?<=[\s,，-]))(?:(?:have|take) a look (?:at|on|in)|look (?:at|up|in|on)|go(?:ing)? (?:to|by)|according to"
    r"|check|fetch|open|see|call|read|visit|get|it'?s on|from|on|in|at|per|the page|the site"
    r"|(?:the )?(?:api|endpoint)"
    r"|(?:(?:our|their|the|this|its) )?(?:[\w'-]+ ){0,2}(?:home ?page|web ?page|web ?site|page|site)"
    r"|[\u3400-\u9fff]{0,10}(?:首页|网页|页面|网站|[通公][知告]页|页)"
    r"|(?:调用|请求|访问|查询)?(?:这个)?(?:接口|API)|看看|看一下|打开|访问|调用|查一下|查看|读取|抓取|按照?|根据|去|在|从|把)\s*$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?i)^[\s,，:：-]*(?:(?:and|then|to)\b\s*)?"
    r"(?:(?:tell me|see|find out|check|let me know|give me|show me|says?)\b[\s,:]*)?"
    r"(?:(?:这个)?(?:首页|主页|页面|网页|网站|接口)?[上里中](?:面|写的|说的|说|显示的?)?|这个(?:页面|网页|接口)|说"
    r"|看看|告诉我|查一下|看一下|看(?=[，,])|的|[\s，,])*"
)
_TELL = re.compile(r"(?i)^\W*(?:and )?(?:tell|give|show) me\b")
_API = re.compile(r"(?i)\b(?:api|endpoint)\b|接口")
_HOW_TO = re.compile(r"(?i)\bhow (?:do|to|can|should)\b|怎么|如何")


def asked_of_address(text: str, today: date) -> tuple[str, str] | None:
    """The address a question asks one thing of, and the question without it; None where it is not that."""
    mentions = find_mentions(text, today) if len(text) <= LONGEST_ABOUT_ROWS else ()
    found = [one for one in mentions if one.kind in {"url", "path", "quoted"}]
    if len(found) != 1 or found[0].kind != "url" or needs_a_model(text):
        return None
    before, after = text[: found[0].start].rstrip(), text[found[0].end :]
    while (bare := _LEADS.sub("", before).rstrip(" ,，:：-")) != before:
        before = bare
    rest = without_courtesy(f"{without_courtesy(before)} {_GOES_ON.sub('', after)}".strip())
    if not _ASKS.search(rest) and not has_chinese(rest) and (rest.endswith("?") or _TELL.search(after)):
        rest = f"what is {rest}"  # tell me the hours on Saturday
    said = [match.lower() for match in re.findall(r"[A-Za-z]+", rest)]
    asking = [part for part in clauses(rest) if _ASKS.search(part.text)]
    if not asking or (len(asking) < len(clauses(rest)) and not rest.endswith(("?", "？"))):
        return None  # what does not ask may be something to be done
    acts = words("words", "act") | words("words", "change")
    changes = any(one in rest for one in acts if has_chinese(one)) or (bool(said) and base(said[0]) in acts)
    other = changes or _HOW_TO.search(rest) or _PARTS.search(rest)
    return None if other else (str(found[0].value), rest)


def is_api(url: str, text: str) -> bool:
    """Whether what an address gives is meant for programs: by its name, or as it is called."""
    return url.rstrip("?.").endswith(".json") or _API.search(text.replace(url, " ")) is not None


def query_of(question: str, content: Any, url: str, today: date, language: Language) -> dict[str, Any] | None:
    """The rows and the SQL by which what was fetched of an address answers a question; None where it does not."""
    if is_object(content) and isinstance(content.get("text"), str) and "url" in content:
        page = cast("Mapping[str, Any]", content)
        if not str(page["text"]).lstrip().startswith(("{", "[")):
            return _of_page(question, page, today, language)
        try:
            content = json.loads(page["text"])
        except ValueError:
            return None
    return _of_json(question, content, url, today, language)


def _of_json(question: str, content: Any, url: str, today: date, language: Language) -> dict[str, Any] | None:
    rows = content if is_list(content) else [content]
    if not rows or not all(map(is_object, rows)):
        return None
    tables = list(tables_in_json("", content))
    found = read_row_question(Question(question), tables, today, named=len(tables) == 1)
    if found is not None:
        sql = sql_of(found.query, found.table.rows, language)
        return {"rows": rows, "sql": sql, "limit": found.query.limit or ROWS_ASKED}
    source = re.sub(r"\W", " ", url.rpartition("/")[2])
    passages = [*entries(content, source, ""), *records(content, source, "")]
    if (entry := _best(question, passages, today)) is not None:
        return {"rows": rows, "sql": sql_of_passage(entry), "limit": 1}
    return None


def _of_page(question: str, page: Mapping[str, Any], today: date, language: Language) -> dict[str, Any] | None:
    """A cell of a table or a line of the text; else what the rows of a table say, or one of them."""
    tables: Sequence[list[dict[str, str]]] = page.get("tables") or []
    in_tables = {" ".join(row.values()) for table in tables for row in table} | {" ".join(table[0]) for table in tables}
    kept = [line for line in str(page["text"]).splitlines() if line not in in_tables]
    intro = " ".join(line for line in kept[:3] if len(tables) == 1)
    source = f"{page.get('title', '')} {intro}"
    marked = "\n".join(f"# {line}" if line in (page.get("headings") or ()) else line for line in kept)
    text = list(lines(marked, source, "", marked=True))
    found = _best(question, [*(cell for table in tables for cell in cells(table, source, "")), *text], today)
    if found is not None and found.keys:
        name, column = found.keys
        table = next(one for one in tables if column in one[0] and name in (next(iter(row.values())) for row in one))
        first = quoted(next(iter(table[0])))
        sql = f"SELECT {first}, {quoted(column)} FROM data WHERE {first} = {_literal(name)}"  # noqa: S608
        return {"rows": table, "sql": sql, "limit": 2}
    made = [table_of(str(at), one) for at, one in enumerate(tables)]
    read = read_row_question(Question(question), made, today, named=len(tables) == 1) if found is None else None
    if read is not None:
        sql = sql_of(read.query, read.table.rows, language)
        numbers = {column.name for column in read.table.columns if column.kind == "number"}
        rows = [
            {name: _number(cell) if name in numbers else cell for name, cell in row.items()}
            for row in tables[int(read.table.path)]
        ]
        return {"rows": rows, "sql": sql, "limit": read.query.limit or ROWS_ASKED}
    of_tables = [one for at, table in enumerate(tables) for one in records(table, source, str(at))]
    found = found or _best(question, [*of_tables, *text], today)
    if found is not None and found.rows:
        return {"rows": tables[int(found.path)], "sql": sql_of_passage(found), "limit": 1}
    if found is not None:
        sql = f"SELECT value AS line FROM data WHERE value = {_literal(found.said.removeprefix('# '))}"  # noqa: S608
        return {"rows": page["text"], "sql": sql, "limit": 1}
    return None


def _number(cell: str) -> float | str:
    """A cell of a column of numbers: as a text, 42 would be more than 285."""
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return cell


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _best(question: str, passages: Iterable[Passage], today: date) -> Passage | None:
    asked = asked_in(question, today)
    return None if asked is None else best_of(passages, replace(asked, places=("",)), today)  # of this alone
