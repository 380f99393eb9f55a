"""How what is found shall stand in a file: which of its columns, in what order, with a heading or without.

A form that is not understood stays in the text, where nothing takes it: then nothing is written.
"""

import re
import unicodedata
from dataclasses import replace
from datetime import date
from functools import cache
from typing import NamedTuple

from switchyard.agents.by_rules.query import Query
from switchyard.agents.by_rules.row_question import RowQuestion, read_after, showing
from switchyard.agents.by_rules.table import Column
from switchyard.language.lexicon import stem
from switchyard.language.words import courtesy

_SIDES = ("each", "form", "order", "header", "bare", "commas")
LONGEST = 500
"""Characters of a text that is looked through for the form of what it writes."""
_TABLE = r"(?:[\w'-]+ ){0,2}?(?:table|list|file|sheet|original)"
_ITS_TABLE = "(?:原来|原文件|原|(?:这个|该|这张)?(?:[\u3400-\u9fff]{0,4}表格?|名单|清单|列表|文件|文档)[里中内上]?面?)"
_AS_THERE = (
    r"(?:in (?:the )?(?:same )?order (?:(?:that )?they (?:have|are|stand|appear|come) )?(?:in|of|as in) (?:the |that )?"
    rf"{_TABLE}|(?:in )?(?:the )?(?:same|{_TABLE}|table'?s|file'?s) order(?: as (?:in )?(?:the )?{_TABLE})?"
    rf"|as (?:they are )?in the {_TABLE}"
    rf"|(?:保持|顺序)?(?:按照?|照|依照?|跟|和|与|同){_ITS_TABLE}的?(?:原有|原来)?的?(?:顺序|次序|先后|排列|一样|一致|相同|来|排)+"
    rf"|(?:顺序|次序)(?:按照?|照|依照?|跟|和|与|同){_ITS_TABLE})"
)
"""In the order in which the rows stand in the table."""
_ITS_NAME = re.compile(
    r"(?i)\b(?!(?:in|of|the|that|same|original|this|our|my) )([\w'-]+) (?:table|list|file|sheet)\b"
    r"|(?:照|按|依|跟|和|与|同)(?![原这该表照])([\u3400-\u9fff]{1,4}?)(?:表|名单|清单|列表|文件|文档)"
)
"""What the table is called in whose order they stand: the stock list, 库存表."""
_ALPHABETICAL = (
    r"(?:(?:sorted |ordered )?(?:in )?alphabetical(?:ly| order)?"
    r"(?: (?:of|by) (?:the |their )?(?P<letters>[\w ]{2,30}?))?|按字母(?:表)?(?:的?顺序)?(?:排[序列]?)?)"
)
_BY = (
    r"(?:(?:sorted|ordered|arranged|listed) )?(?:by|in order of) (?:the )?(?P<by>[\w '-]{2,30}?)"
    r"|(?:the )?(?P<first>\w+est(?: \w+){0,2}) first"
    r"|(?:按照?|依照?|照)(?P<按>[^,，;；。]{1,12}?)的?(?:顺序|次序|先后|排序|排列|排)*"
    r"(?:(?<=[序次后列排])|(?P<way>从[小早低少高大晚多]到[小早低少高大晚多])(?:的?顺序|排序|排列|排)?)好?"
)
_WISH = (
    r"(?:just|only|nothing but) (?:the |their )?(?P<wish>[\w '-]{2,40}?)(?! and (?!nothing|no\b|in\b|sorted))"
    r"|(?P<alone>(?!one\b)[\w '-]{2,30}?) only"
    r"|(?:只[写要留存记](?!数字)|(?P<told>[两二三四五六\d])列[:：])(?P<只>[^,，;；。]{1,30}?)"
    r"(?:这?(?P<count>[两二三四五六\d])列)?(?:就行|即可|就好|就可以)?"
)
_SPELLED = re.compile(
    r"(?i)[:：]\s?(?P<wish>[\w '-]{2,30}(?:(?:,|，| and|,? then|、|和) ?[\w '-]{2,30}){1,3})[.。]?\s*$"
)
"""What stands in a line, after a colon: name, then phone number."""
_HEADED = re.compile(
    r"(?i)[\s,:]*\b(?:with )?(?:the |a )?(?:(?P<head>header|heading)(?: line| row)?|columns?):? "
    r"(?P<en>[\w(]+[\w() ]*(?:, ?[\w() ]+)*?)"
    r"(?:,? and (?:then )?|, then )(?:below (?:it|that) )?(?:a (?:row|line) for )?(?=(?:all|every|each|the) )"
    r"|[\s,:]+with (?P<of>\w[\w() ]*?(?:, ?\w[\w() ]*?)* and \w[\w() ]*?) of (?=(?:every|each) )"
    r"|\s*[,，;；:：]\s*(?:第一行)?(?:是|写|为)?(?P<表头>表头)[是为写:：]?\s*[“\"]?(?P<zh>[^“”\"]+?)[”\"]?\s*"
    r"(?:[,，]\s*(?:下面|然后)?(?:把|将|列出|写上)|[。.]?\s*$)"
)
"""What the columns are, or are called in the heading, said before the rows: the header lot,item and then all lots."""
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?")
_EACH = re.compile(r"(?i)^(?:one|each) (\w+) (?:per|a|on)\b|^[一每]行写?一个(\w+)|^每个(\w+)一行")
_NAME = re.compile(r"(?i)\bnames?\b|名")
_ONLY_NAMES = re.compile(r"(?i)names?|名[称字]|姓名")
_SORT = re.compile(r"^(?:sorted by |按)|(?:从.到.)?排序$")
_PARTS = re.compile(r"\s*[,，、]\s*(?:and )?|\s+and\s+|[和与及]")
FULL_NAME = re.compile(r"(?i)\b(first|given) and (last|family) names?\b")
"""Two columns, of which one is named by half."""
_WHOLE_NAMES = ({"first", "last"}, {"first", "family"}, {"given", "family"}, {"first", "surname"})


class Form(NamedTuple):
    """What was said of the form."""

    said: frozenset[str] = frozenset()
    """`each` on a line, `order` of the table, `header`, `bare`, `alphabet`."""
    wish: str = ""
    """The columns that are to stand there."""
    by: str = ""
    """What the rows are sorted by, as a question."""
    one: str = ""
    """What stands in each line, where it says so: one name per line."""
    table: str = ""
    """What the table is called in whose order the rows shall stand."""
    heading: tuple[str, ...] = ()
    """What the columns shall be called."""

    @property
    def changes(self) -> bool:
        """Whether it wants other columns, or another order, than what was found has."""
        return bool(self.wish or self.by or self.table or "alphabet" in self.said)


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Two things said of the form with nothing between them (按表里的顺序一行一个), and one."""
    said = [f"(?P<{side}>{courtesy(side)})" for side in _SIDES]
    said = "|".join(said).replace("…", r"\w{1,12}")
    anywhere = rf"[\s,，;；.。(（:：]\s?(?:and )?(?:{said}|(?P<there>{_AS_THERE}))"
    apart = rf"[,，;；(（]\s*(?:and )?(?:(?P<alphabet>{_ALPHABETICAL})|{_BY}|{_WISH})"
    ends = r"[)）]?(?=\s*[,，;；.。!！)）]|:\s*\w|\s+(?:to|as|in|into|and)\b|\s*$)"
    plain = rf"(?:{courtesy(*_SIDES)}|{_AS_THERE})".replace("…", r"\w{1,12}")
    return re.compile(rf"(?i)({plain})\s*(?={plain})"), re.compile(rf"(?i)(?:{anywhere}|{apart}){ends}")


def without_form(text: str) -> tuple[str, Form]:
    """A text without how the file it writes shall look, and what of that was said."""
    form = Form()
    if len(text) > LONGEST:
        return text, form
    run_on, forms = _forms()
    text = run_on.sub(r"\1, ", text)
    for one in reversed(list(forms.finditer(text))):
        by = one["by"] or one["letters"] or one["按"]
        asked = f"按{by}{one['way'] or ''}排序" if one["按"] else f"sorted by {by}" if by else ""
        asked = asked or (f"the {one['first']}" if one["first"] else "")
        wish = one["wish"] or one["alone"] or one["只"] or ""
        if (asked and form.by) or (wish and form.wish):
            return text, form  # two ways to sort: what is left declines it
        said = {name for name in (*_SIDES, "alphabet") if one[name] and not one["letters"]}
        said |= {"order"} if one["there"] else set[str]()
        noun = _EACH.search(one["each"] or "")
        its_name = _ITS_NAME.search(one["there"] or "")
        count = (one["told"] or one["count"] or "").replace("两", "二")
        if count and len(_PARTS.split(wish)) != max("0123456".find(count), "零一二三四五六".find(count)):
            return text, form  # three columns, of which two are named
        one_each = noun[noun.lastindex or 0] if noun else form.one
        table = its_name[its_name.lastindex or 0] if its_name else form.table
        form = Form(form.said | said, wish or form.wish, asked or form.by, one_each, table)
        text = text[: one.start()].rstrip(" ,，;；") + text[one.end() :]
    if headed := None if form.wish else _HEADED.search(text):
        wish = headed["en"] or headed["of"] or headed["zh"]
        heading = tuple(_PARTS.split(wish)) if headed["head"] or headed["表头"] else ()
        rest = re.sub(r"(?i)^(?:every|each)\b", "all", text[headed.end() :])
        rest = f" with {rest}" if not headed["zh"] else f"，把{rest}" if rest else ""
        text = text[: headed.start()] + rest
        form = form._replace(wish=wish, heading=heading)
    elif spelled := None if form.wish else _SPELLED.search(text):
        return text[: spelled.start()], form._replace(wish=re.sub(r"(?i)\bthen\b", "and", spelled["wish"]))
    return text, form


def formed(asked: RowQuestion, form: Form, today: date) -> RowQuestion | None:
    """What is asked of rows, with the columns and in the order that a form wants; None where they have no such."""
    query, columns, path = asked.query, asked.table.columns, asked.table.path
    called = path if not form.table.isascii() else [stem(one) for one in re.split(r"[\W_]+", path)]
    if form.table and stem(form.table) not in called:
        return None  # the order of another table
    wish = form.wish or (form.one if not (query.shown or query.measures) else "")
    is_named = any(_NAME.search(one.name) for one in columns) or len(query.shown) != 1  # else: the species, names only
    shows = wish and (is_named or not _ONLY_NAMES.fullmatch(wish))
    found = showing(asked, FULL_NAME.sub(r"\1 names and \2 names", wish), today) if shows else asked
    if found and wish and query.measures:
        own = [*(one.column for one in query.groups), *(one.column for one in query.measures)]
        found = asked if form.heading and found.query.shown == own else None
    elif found and form.heading:
        found = replace(found, query=replace(found.query, distinct=False))
        found = found if len(form.heading) == len(found.query.shown) else None
    named = [found.table.column(one).values for one in found.query.shown] if found and _NAME.search(wish) else []
    if named and not any(values and not any(map(str.isdigit, "".join(values))) for values in named):
        return None  # a number is nobody's name
    if wish and found and not set(query.shown) <= set(found.query.shown):
        return None  # what is left out said which rows: 对东西过敏的孩子的姓名，只写姓名
    if found is None or not (form.by or "alphabet" in form.said):
        return found
    return _sorted(found, form, today)


def _sorted(asked: RowQuestion, form: Form, today: date) -> RowQuestion | None:
    """The same in an order that is told in words, where nothing sorts it yet."""
    query, table = asked.query, asked.table
    if query.order or query.limit or query.measures or query.share or (form.by and form.said & {"alphabet", "order"}):
        return None
    if form.by:
        key = _SORT.sub("", form.by)
        then = None if key.startswith("first name") else read_after(form.by, asked, today)
        if then is None and (column := _column_of(key, asked, today)):
            then = read_after(form.by.replace(key, column), asked, today)
        if then is None or then.query.conditions != query.conditions or then.query.measures or not then.query.order:
            return None
        column = table.column(then.query.order)
        descending = then.query.extreme == "max" or then.query.descending
    elif query.shown:
        column, descending = table.column(query.shown[0]), False
    else:
        return None
    clocks = [one.name for one in table.columns if one.values and all(map(_CLOCK.fullmatch, one.values))]
    day = [one for one in query.conditions if one.column == column.name and one.op == "=" and "day" in one.part]
    if column.kind == "date" and clocks and (len(clocks) > 1 or not day):
        return None  # by the day, and then by its hours
    order = clocks[0] if column.kind == "date" and clocks else column.name
    return replace(asked, query=replace(query, order=order, descending=descending)) if _is_sorted_so(column) else None


def _column_of(key: str, asked: RowQuestion, today: date) -> str:
    """The column that rows are to be sorted by: 单号 is 出货单号, first names are where names begin."""
    if key.startswith("first name"):
        names = [one for one in asked.table.columns if _NAME.search(one.name)]
        return names[0].name if len(names) == 1 and not any(re.search("[,，]", one) for one in names[0].values) else ""
    found = showing(replace(asked, query=Query()), key, today) if key else None
    return found.query.shown[0] if found and len(found.query.shown) == 1 else ""


def _is_sorted_so(column: Column) -> bool:
    """Whether people sort what is in a column as SQL does: neither with accents, nor Chinese, nor numbers in words."""
    values = list(column.values)
    plain = {one: unicodedata.normalize("NFKD", one).casefold() for one in values}
    as_numbers = {
        one: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", plain[one])] for one in values
    }
    if column.kind != "text":
        return True
    latin = bool(values) and all(max(one) < "\u0250" for one in values if one)
    return latin and sorted(values) == sorted(values, key=plain.__getitem__) == sorted(
        values, key=as_numbers.__getitem__
    )


def separator(names: list[str]) -> str:
    """What stands between the values of a line that has several: a space in somebody's name."""
    parts = {re.split(r"[\W_]+", name.lower())[0] for name in names}
    return " " if parts in _WHOLE_NAMES else ", "
