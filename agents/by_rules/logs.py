"""What a log says of something that happened: how often, when first or last, on which day most, or which lines.

Its lines are those that have the words of a question; words that ask about them (last, how often, which day) are not
looked for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from switchyard.agents.by_rules.looked_for import OWN, Asked, is_of_kind, stands
from switchyard.agents.by_rules.passages import LOG, Passage, Words, base
from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.row_question import times_said
from switchyard.language.lexicon import Token
from switchyard.language.messages import message
from switchyard.language.words import Language
from switchyard.ledger.plan import Call

MOST_LINES = 500
"""Lines that a question may be about; of more, nobody asks so."""
_COUNTED = re.compile(r"(?<![\w.:-])\d+\s*[个张件名位份条笔单辆]?\s*((?:[A-Za-z]+-)?[A-Za-z]{3,}|[\u3400-\u9fff]{1,4})")
"""What stands behind a number in a line."""
_STAMP = re.compile(r"^\[?[\d/:T. -]+(?:[A-Z][a-z]{2}/[\d: ]+)?\]?")
_FIELD = re.compile(r"\b([a-z]\w*)=([\w.-]+)")
_MARKS = (re.compile(r"\[([a-z][\w-]*)\]"), re.compile(r"\b[A-Za-z]+-?\d+[A-Z]?\b(?!=)"))
"""What says where or which one in a line: [greenhouse], L3."""
_FIGURE = re.compile(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\d:/-])")
_WHICH_DAY = re.compile(r"(?i)\b(?:which|what) (?:day|date)\b|哪一?天")
_GROUP = re.compile(r"(?i)\bwhich ((?:\w+ )?\w+)|(哪[部个台辆间条只家座扇种张一][\u3400-\u9fff]{1,3})|\bwhere\b")
"""What is asked for by its most lines: no line has to call it so."""
_EACH = re.compile(r"(?i)\b(?:by|per|for each|each)\b|按|每|各")
"""What asks for figures by kind, which no single count is."""
_EXTREMES = {
    "max": re.compile(r"(?i)\b(?:slowest|longest|highest|largest|biggest)\b|最[慢长高大久]"),
    "min": re.compile(r"(?i)\b(?:fastest|shortest|lowest|smallest)\b|最[快短低小]"),
}
_SUMS = re.compile(r"(?i)\b(?:average|mean|sum|add(?:ed)? up)\b|相加|加起来|合计|总和|平均")
"""What is asked of all figures in the lines."""
_LISTS = re.compile(r"(?i)哪[些几]|分别|\b(?:which|list|show|all)\b")
_WAY = re.compile(
    r"(?i)\b(?!tim)\w+ (in|out|on|off|up|down)(?= (?:on|at|by|last|first|before|after|today|yesterday|this)\b|\W*$)"
)
"""Which way something went, behind its verb: to badge in on Friday."""
_NAMED = re.compile(r"(?i)叫什么|什么名|多大|\bhow (?:big|large)\b|\bwhat size\b|\bcalled\b")
"""What is asked of a thing in a line, not of lines."""
_WHERE = re.compile(r"(?i)\bwhere\b|\bwhich (?!log)\w+ .*\bhow (?:many|often)\b|哪[台个里儿].*[几多]少?次")
"""What is asked beside how often: two things, of which one count tells one."""
_MANY_AND = tuple(
    map(
        re.compile,
        (
            r"(?i)how many|[几多]",
            r"(?i)[,;?，；？]|\band\b",
            r"(?i)\b(?:last|first|most)\b|\b\w{3,}est\b|最|首|第一",
        ),
    )
)
"""How many there were, and behind that which was the last: two things too."""
_WHO = re.compile(r"(?i)谁|\bwho")
_ABOUT = frozenset({"time", "day", "log", "日志", "record", "entri", "line"})


def read_log(passages: Iterable[Passage], asked: Asked, today: date, language: Language) -> list[Call]:
    """The calls over the one log that has such lines; none where no log has, or nothing of this kind is asked."""
    named = bool(asked.places) and all(one.endswith(LOG) for one in asked.places)
    what = "" if _NAMED.search(asked.text) else _what(asked, named=named)
    if (
        not what
        or (what == "most" and sum(token.has("which", "who", "when") for token in asked.tokens) > 1)
        or (what not in {"times", "list"} and _asks_twice(asked.text))
        or _SUMS.search(asked.text)
        or (what == "times" and (_measures(asked) or _EACH.search(asked.text) or _WHERE.search(asked.text)))
    ):
        return []
    told = times_said(asked.text, today) if not asked.dates else []
    months = [(token.text, f"{month}-") for token in told if (month := _month(token, today))]
    weeks = [(token.text, sense.value[:2]) for token in told if (sense := token.get("span")) is not None]
    about = [said for said, _ in (*months, *weeks)]
    about += [one.text for one in asked.tokens if one.has("last", "first", "sup", "times")]
    about += [said for one in _EXTREMES.values() for said in one.findall(asked.text)]
    if what in {"most", "max", "min"}:
        about += [match[0] for match in _GROUP.finditer(asked.text)]
    words = [one for one in asked.needed if one.text not in _ABOUT and not any(one.said in said for said in about)]
    asked = replace(asked, words=words, dates=[*asked.dates, *(month for _, month in months)])
    logs: dict[str, list[Passage]] = {}
    for one in passages:
        if one.path.endswith(LOG):
            logs.setdefault(one.path, []).append(one)
    days, is_sure = [days for _, days in weeks], named or what in {"times", "last", "first"}
    found = [lines for known in logs.values() if (lines := _lines(known, asked, days, named=named, sure=is_sure))]
    if len(found) != 1 or len(found[0]) > MOST_LINES:
        return []
    lacks = [word.said for word in words if not any(map(word.place, found[0]))]
    if any(_is_of_several(word.said, found[0], asked.text) for word in words if word.name):
        return []
    sure = len(words) - len(lacks) > 1 or any(word.name or word.said in _glossed(asked) for word in words)
    if lacks and what == "times" and not sure:  # one word of two is another thing
        return []
    said = ", ".join([*(word.said for word in words), *asked.dates])
    sqls = _sqls(found[0], asked, what, language)
    given = ({"path": found[0][0].path, "sql": sql, "limit": MOST_LINES} for sql in sqls)
    about_lines = f"{found[0][0].path} ({said})"
    return [Call(tool="data_analyzer", action="query", arguments=one, about=about_lines, unsaid=lacks) for one in given]


def _asks_twice(text: str) -> bool:
    """Whether the last or the first is asked for behind how many there were."""
    for part in _MANY_AND:  # one after the other: a pattern of all three would try each with each
        if (match := part.search(text)) is None:
            return False
        text = text[match.end() :]
    return True


def _measures(asked: Asked) -> bool:
    """Whether kilos or minutes are asked for, which no number of lines is."""
    return any(one.has("count") and then.has("unit") for one, then in pairwise(asked.tokens))


def _is_of_several(name: str, lines: Iterable[Passage], question: str) -> bool:
    """Whether a name is that of several people there, of whom the question names none in full."""
    whole = re.compile(rf"\b[A-Z][a-z]+ (?={re.escape(name)}\b)|(?<=\b{re.escape(name)}) [A-Z][a-z]+")
    return not whole.search(question) and len({one for line in lines for one in whole.findall(line.said)}) > 1


def _glossed(asked: Asked) -> str:
    """What a question says in brackets, as the log has it: 新建（created）."""
    return " ".join(re.findall(r"[(（]([^)）]*)", asked.text))


def _what(asked: Asked, *, named: bool) -> str:
    """What is asked of things that happened; nothing where it is something else."""
    if extreme := next((one for one, said in _EXTREMES.items() if said.search(asked.text)), ""):
        return extreme
    senses = {sense for token in asked.tokens for sense in token.senses}
    kinds = {sense.kind for sense in senses}
    ranked = {(sense.value, sense.about) for sense in senses if sense.kind == "sup"}
    counted = "times" in kinds or (named and "number" in asked.kinds)  # 灯光台.log 有几条警告
    if ("max", "") in ranked:
        return "most"
    if counted:
        return "times"
    if "last" in kinds or ("max", "date") in ranked:
        return "list" if re.search("哪[几些]", asked.text) else "last"  # 最近 … 的是哪几个
    if "first" in kinds or ("min", "date") in ranked:
        return "first"
    return "list" if _LISTS.search(asked.text) else ""


def _month(token: Token, today: date) -> str:
    """The month a word names, with its year: the last one of that name; nothing where it names none."""
    if (sense := token.get("month_of")) is not None:
        return str(sense.value)
    number = int(sense.value) if (sense := token.get("month")) is not None else 0
    return f"{today.year - (number > today.month)}-{number:02d}" if number else ""


def _lines(
    known: Sequence[Passage], asked: Asked, weeks: Sequence[tuple[str, str]], *, named: bool, sure: bool
) -> list[Passage]:
    """The lines of a log that have most words of a question, if these are all the same, and names among them.

    Where it is not `sure` that lines of a log are meant, and where a word is missing, one word is too few.
    """
    found = [frozenset(word for word in asked.words if word.place(one)) for one in known]
    most = max(map(len, found), default=0)
    best = {words for words in found if len(words) == most}
    if len(best) != 1 or not (asked.words or asked.dates or weeks):
        return []
    (words,) = best
    missing = [word for word in asked.words if word not in words]
    way = _WAY.search(asked.text)  # who badged in: not any line about a badge
    if way and not any(
        re.search(rf"(?i)\b{way[1]}\b", one.said) for one, has in zip(known, found, strict=True) if has == words
    ):
        return []
    few = len(words) + named <= 1 and (missing or not sure)
    if few or len(missing) > 1 or any(word.name for word in missing):
        return []
    lines = [one for one, has in zip(known, found, strict=True) if has == words]
    if asked.words and not any(word.place(one) >= OWN for word in words for one in lines):
        return []
    levels = [word.said for word in words if word.said.isupper() and any(word.said in one.said for one in lines)]
    lines = [one for one in lines if all(level in one.said for level in levels)]  # ALARM, not that an alarm is over
    lines = [one for one in lines if all(day in _day(one) for day in asked.dates)]
    if "who" in asked.kinds and not any(is_of_kind(_STAMP.sub("", one.said), "who") for one in lines):
        return []  # it happened to nobody that is told
    return [one for one in lines if all(first <= _day(one) <= last for first, last in weeks)]


def _day(passage: Passage) -> str:
    """The day of a line as 2026-11-15, of 2026/11/15 too."""
    match = re.search(r"(\d{4})[-/](\d\d)[-/](\d\d)", passage.said)
    return "-".join(match.groups()) if match else ""


def _sqls(found: Sequence[Passage], asked: Asked, what: str, language: Language) -> list[str]:
    """By what is asked of them, in SQL over the lines of the log."""
    count = quoted(message("row_count").text(language))
    chosen = _chosen(found)
    if what in {"max", "min"}:
        return _extreme(found, asked, largest=what == "max")
    if what in {"most", "times"} and any(_tells_how_many(one, asked) for one in found):
        return []  # 收到 3 个订单: lines are not what is counted
    if what == "most":
        return _most(found, asked, count)
    listed = f"SELECT text {chosen} ORDER BY line"
    if what == "times":
        more = _LISTS.search(asked.text) or _WHO.search(asked.text) or any(one.has("when") for one in asked.tokens)
        return [f"SELECT count(*) AS {count} {chosen}", *([listed] if more else [])]  # 几次，分别是什么时候, 都是谁
    return [listed + {"last": " DESC LIMIT 1", "first": " LIMIT 1", "list": ""}[what]]


def _tells_how_many(line: Passage, asked: Asked) -> bool:
    """Whether a line says itself how many there were of something that a question counts."""
    counted = _COUNTED.findall(_STAMP.sub("", line.said))
    return any(stands(Words(one), word.text) for one in counted for word in asked.words)


def _chosen(lines: Iterable[Passage]) -> str:
    return f"FROM data WHERE line IN ({', '.join(str(one.line) for one in lines)})"


def _fields(found: Sequence[Passage], asked: Asked) -> list[str]:
    """By line the value of the one field that a question names; nothing where it names none."""
    given = [dict(_FIELD.findall(one.said)) for one in found]
    said = Words(asked.text)
    meant = [name for name in dict.fromkeys(name for one in given for name in one) if stands(said, base(name))]
    return [one.get(meant[0], "") for one in given] if len(meant) == 1 else []


def _extreme(found: Sequence[Passage], asked: Asked, *, largest: bool) -> list[str]:
    """The line with the highest or lowest figure, of the field that is named or the only one there is."""
    texts = _fields(found, asked) or [_STAMP.sub("", one.said) for one in found]
    figures = [_FIGURE.findall(one) for one in texts]
    if any(len(one) != 1 for one in figures):
        return []
    values = [float(one) for (one,) in figures]
    best = max(values) if largest else min(values)
    return [f"SELECT text {_chosen(one for one, value in zip(found, values, strict=True) if value == best)}"]


def _most(found: Sequence[Passage], asked: Asked, count: str) -> list[str]:
    """The day, or the value of the field that is asked about, which most lines have; nothing where none is named."""
    values = [_day(one) for one in found] if _WHICH_DAY.search(asked.text) else _fields(found, asked)
    if not values and _GROUP.search(asked.text):
        marks = ([pattern.findall(_STAMP.sub("", one.said)) for one in found] for pattern in _MARKS)
        values = next(([one[0] for one in each] for each in marks if all(len(one) == 1 for one in each)), list[str]())
    if not values or not all(values):
        return []
    times = Counter(values)
    by_value = {
        value: _chosen(one for one, other in zip(found, values, strict=True) if other == value) for value in times
    }
    best = [value for value, count_of in times.items() if count_of == max(times.values())]
    return [" UNION ALL ".join(f"SELECT '{one}' AS value, count(*) AS {count} {by_value[one]}" for one in best)]
