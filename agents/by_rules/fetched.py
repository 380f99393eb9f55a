"""What is asked of something that is fetched first: the question is read once its rows, keys and lines are there.

Beforehand it is known only that it asks one thing of one address, and does nothing else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from switchyard.agents.by_rules.looked_for import DETAILS, asked_in, stands, without_lead
from switchyard.agents.by_rules.lookups import RECKONS, best_of, sql_of_found
from switchyard.agents.by_rules.passages import Passage, Words, base, in_json, lines, rows_of
from switchyard.agents.by_rules.pieces import without_courtesy
from switchyard.agents.by_rules.query import sql_of
from switchyard.agents.by_rules.row_question import LONGEST_ABOUT_ROWS, ROWS_ASKED, read_row_question
from switchyard.agents.by_rules.table import Table
from switchyard.agents.by_rules.world import table_of, tables_in_json
from switchyard.language.asides import Question
from switchyard.language.clauses import clauses
from switchyard.language.lexicon import Sense, key_of
from switchyard.language.mentions import find_mentions
from switchyard.language.messages import message
from switchyard.language.tables import words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.words import Language, needs_a_model
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.json_values import is_list, is_object

_PARTS = re.compile(r"(?i)\b(?:link|image|headline|button)s?\b|链接|图片|标题|按钮")
"""What a page has beside its text."""
_ASKS = re.compile(
    r"(?i)\b(?:whats?|which|who|whose|when|where|how|add up|total|sum|average)\b"
    r"|^(?:is|are|was|does|do|did|has|have)\b(?! not)"
    r"|多[少久长]|几[^乎]|什么|哪|谁|何时|吗|加起来|合计|总和|平均|最"
)
_GOES_ON = re.compile(
    r"(?i)^[\s,，:：-]*(?:(?:and|then|to)\b\s*)?"
    r"(?:(?:tell me|see|find out|check|let me know|give me|show me|says?)\b[\s,:]*)?"
    r"(?:(?:这个)?(?:首页|主页|页面|网页|网站|接口)?[上里中](?:面|写[着明了]?|写的|说的|说|显示的?)?|这个(?:页面|网页|接口)|说"
    r"|看看|告诉我|查一下|看一下|看(?=[，,])|的|[\s，,])*"
)
_TELL = re.compile(r"(?i)^\W*(?:and )?(?:tell|give|show) me\b")
_MEASURED = {"price", "amount", "quantity", "weight", "size", "stock", "discount", "freight"}
"""Kinds of columns whose texts are no figures that can be compared."""
_API = re.compile(r"(?i)\b(?:api|endpoint)\b|接口")
_WHETHER = re.compile(r"(?i)^(?:is|are|was|were|does|do|did|has|have|can)\b|吗|是否|是不是|有没有")
"""What is asked of whether it is so: of that, a line without the word says nothing."""
_HOW_TO = re.compile(r"(?i)\bhow (?:do|to|can|should)\b|怎么|如何")


def asked_of_address(text: str, today: date) -> tuple[str, str] | None:
    """The address a question asks one thing of, and the question without it; None where it is not that."""
    mentions = find_mentions(text, today) if len(text) <= LONGEST_ABOUT_ROWS else ()
    found = [one for one in mentions if one.kind in {"url", "path", "quoted"}]
    if len(found) != 1 or found[0].kind != "url" or needs_a_model(text):
        return None
    url = str(found[0].value).rstrip("?")
    before = without_lead(text[: found[0].start].rstrip())
    after = DETAILS.sub("?", text[found[0].end :]) or "?" * (url != found[0].value)
    rest = without_courtesy(f"{without_courtesy(before)} {_GOES_ON.sub('', after)}".strip())
    if not _ASKS.search(rest) and not has_chinese(rest) and (rest.endswith("?") or _TELL.search(after)):
        rest = f"what is {rest}"  # tell me the hours on Saturday
    said = [match.lower() for match in re.findall(r"[A-Za-z]+", rest)]
    asking = [part for part in clauses(rest) if _ASKS.search(part.text)]
    last_asks = rest.endswith(("?", "？")) or (asking and asking[-1] == clauses(rest)[-1])
    if not asking or (len(asking) < len(clauses(rest)) and not last_asks):
        return None  # what does not ask may be something to be done
    acts = words("words", "act") | words("words", "change")
    bids = bool(said) and base(said[0]) in acts and not _ASKS.match(rest)  # add up … does not
    changes = bids or any(one in rest for one in acts if has_chinese(one))
    other = changes or _HOW_TO.search(rest) or _PARTS.search(rest)
    return None if other else (url, rest)


def is_api(url: str, text: str) -> bool:
    """Whether what an address gives is meant for programs: by its name, or as it is called."""
    return url.rstrip("?.").endswith(".json") or _API.search(text.replace(url, " ")) is not None


def query_of(question: str, content: Any, url: str, today: date, language: Language) -> dict[str, Any]:
    """The rows and the SQL by which what was fetched of an address answers a question.

    Raises:
        BadArguments: where it does not, or lacks a word of the question.
    """
    is_page = is_object(content) and isinstance(content.get("text"), str) and "url" in content
    if is_page:
        rows_by_place = [_with_numbers(table) for table in content.get("tables") or ()]
        tables = [table_of(str(at), rows) for at, rows in enumerate(rows_by_place)]
        passages = _in_page(content, rows_by_place)
    else:
        rows_by_place = [content if is_list(content) else [content]]
        tables = [*tables_in_json("0", content)]
        passages = in_json(content, re.sub(r"\W", " ", url.rpartition("/")[2]), "0")
    title = str(cast("Any", content).get("title", "")) if is_page else ""
    tables = [_with_names(table, question, f"{re.sub(r'.*/|[.].*', '', url)} {title}") for table in tables]
    asked = asked_in(question, today)
    read = read_row_question(Question(question), tables, today, named=len(tables) == 1)
    if read is not None and not (asked and asked.several and read.query.extreme is None):  # one query is one figure
        sql, rows = sql_of(read.query, read.table.rows, language), rows_by_place[int(read.table.path)]
        return {"rows": rows, "sql": sql, "limit": read.query.limit or ROWS_ASKED}
    looked_up = asked is not None and not RECKONS.search(question)
    found = best_of(passages, replace(asked, places=("",)), today) if asked and looked_up else None  # of this alone
    if found is None:
        raise BadArguments(message("not_said_there"))
    if found.unsaid and _WHETHER.search(question):
        raise BadArguments(message("ask_words_unsaid", words=found.unsaid))
    if found.passage.path:
        rows = cast("Any", content)["tables"] if is_page else rows_by_place  # told as it is written there: 5.40
        at = int(found.passage.path)
        return {"rows": rows[at], "sql": sql_of_found(found), "limit": 1, "unsaid": found.unsaid}
    line = found.passage.said.removeprefix("# ").replace("'", "''")
    sql = f"SELECT value AS line FROM data WHERE value = '{line}'"  # noqa: S608  it is quoted
    return {"rows": cast("Any", content)["text"], "sql": sql, "limit": 1, "unsaid": found.unsaid}


def _with_names(table: Table, question: str, page: str) -> Table:
    """A table with those words of a question that mean what its rows are: its first column, or the page itself."""
    first = table.columns[0].name if table.columns else ""
    known = Words(f"{first} {page}")
    said = [word for word in re.findall(r"[A-Za-z]{3,}", question) if base(word) in known.stems | known.meanings]
    chinese = [word for word, _, _ in located_words(question) if has_chinese(word)]
    chinese += [two[:end] for two in re.findall(r"哪[\u3400-\u9fff]([\u3400-\u9fff]{2})", question) for end in (1, 2)]
    said += [word for word in chinese if stands(known, word)]
    rows = {key_of(word): frozenset({Sense("rowname", word)}) for word in said}
    texts = {one.name for one in table.columns if one.kind == "text"}  # of 95 EUR and 120 CHF none is the highest
    concepts = {kind: name for kind, name in table.concepts.items() if kind not in _MEASURED or name not in texts}
    return replace(table, entries={**rows, **table.entries}, concepts=concepts)


def _in_page(page: Mapping[str, Any], tables: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Passage]:
    """The rows of the tables of a page, and the other lines of its text."""
    of_tables = [" ".join(map(str, row.values())) for table in page.get("tables") or () for row in table]
    heads = [" ".join(table[0]) for table in tables if table]
    of_tables += [head for head in heads if not re.search(r"\d", head)]  # Economy (8-11 working days) tells something
    kept = [line for line in str(page["text"]).splitlines() if line not in of_tables]
    source = " ".join([str(page.get("title", "")), *(kept[:3] if len(tables) == 1 else ())])
    for at, table in enumerate(tables):
        yield from rows_of(table, source, str(at))
    marked = "\n".join(f"# {line}" if line in (page.get("headings") or ()) else line for line in kept)
    yield from lines(marked, str(page.get("title", "")), "", marked=True)


def _with_numbers(table: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """A table with its numbers as such: as a text, 42 would be more than 285."""
    return [{name: _number(cell) for name, cell in row.items()} for row in table]


def _number(cell: str) -> float | str | None:
    try:
        return float(cell.replace(",", "")) if cell.strip() else None
    except ValueError:
        return cell
