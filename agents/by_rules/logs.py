"""What a log says of something that happened: how often, when first or last, on which day most, or which lines.

Its lines are those that have every word of a question; words that ask about them (last, how often, which day) are not
looked for.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime

from switchyard.agents.by_rules.looked_for import OWN, Asked, stands
from switchyard.agents.by_rules.passages import LOG, Passage, Words, base
from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.row_question import times_said
from switchyard.language.lexicon import Token
from switchyard.language.messages import message
from switchyard.language.words import Language
from switchyard.ledger.plan import Call

TELLING = 2
"""Words of a line by which a kind of message is known."""
MOST_LINES = 500
"""Lines that a question may be about; of more, nobody asks so."""
_STAMP = re.compile(r"^\[?[\d/:T. -]+(?:[A-Z][a-z]{2}/[\d: ]+)?\]?")
_VARYING = re.compile(r"=[\w.-]+|\S*\d\S*")
"""What differs between lines of one message."""
_FIELD = re.compile(r"\b([a-z]\w*)=([\w.-]+)")
_BRACKETS = re.compile(r"\[([a-z][\w-]*)\]")
_CODE = re.compile(r"\b[A-Za-z]+-?\d+\b")
_FIGURE = re.compile(r"(?<![\w.:/-])-?\d+(?:\.\d+)?(?![\d:/-])")
_WHERE = re.compile(r"(?i)\bwhere\b|\bwhich (?!day|time)\w+|哪|什么地方")
_WHICH_DAY = re.compile(r"(?i)\bwhich day\b|\bwhat (?:day|date)\b|哪一?天")
_GROUP = re.compile(r"(?i)\bwhich ((?:\w+ )?\w+)|(哪[部个台辆间条只家座扇种张一][\u3400-\u9fff]{1,3})")
"""What is asked for by its most lines: no line has to call it so."""
_THESE = re.compile("哪[几些]")
_EACH = re.compile(r"(?i)\b(?:by|per|for each|each)\b|按|每|各")
_EXTREME = {
    "DESC": re.compile(r"(?i)\b(?:slowest|longest|highest|largest|biggest)\b|最[慢长高大久]"),
    "": re.compile(r"(?i)\b(?:fastest|shortest|lowest|smallest)\b|最[快短低小]"),
}
_SUMS = re.compile(r"(?i)\b(?:average|mean|sum|add(?:ed)? up)\b|相加|加起来|合计|总和|平均")
"""What is asked of all figures in the lines."""
_WHO = re.compile(r"(?i)\b(?:who|whom|whose)\b|谁|哪[几些]?[个位]?人|哪[几]?位")


def read_log(passages: Iterable[Passage], asked: Asked, today: date, language: Language) -> list[Call]:
    """The calls over the one log that has such lines; none where no log has, or nothing of this kind is asked."""
    named = bool(asked.places) and all(one.endswith(LOG) for one in asked.places)
    extreme = next((order for order, said in _EXTREME.items() if said.search(asked.text)), None)
    asks = asked.events or frozenset({"times"} if named and "count" in asked.kinds else ())  # 灯光台.log 有几条警告
    if not (asks or extreme is not None) or _SUMS.search(asked.text):
        return []
    told = times_said(asked.text, today) if not asked.dates else []
    months = [(token.text, f"{month}-") for token in told if (month := _month(token, today))]
    weeks = [(token.text, sense.value[:2]) for token in told if (sense := token.get("span")) is not None]
    group = [
        str(one[one.lastindex or 0]) for one in _GROUP.finditer(asked.text) if "most" in asks or extreme is not None
    ]
    about = [
        *group,
        *(said for said, _ in (*months, *weeks)),
        *(_EXTREME[extreme].findall(asked.text) if extreme is not None else ()),
    ]
    words = [word for word in asked.needed if not word.event and not any(word.said in said for said in about)]
    dates = (*asked.dates, *(month for _, month in months))
    asked = replace(asked, words=tuple(words), dates=dates, events=asks)
    logs: dict[str, list[Passage]] = {}
    for one in passages:
        if one.path.endswith(LOG):
            logs.setdefault(one.path, []).append(one)
    found = [
        lines
        for known in logs.values()
        if (lines := _lines(known, asked, [days for _, days in weeks], least=TELLING - named, sure=not group))
    ]
    return _calls(found[0], asked, extreme, language) if len(found) == 1 else []


def _month(token: Token, today: date) -> str:
    """The month a word names, with its year: the last one of that name; nothing where it names none."""
    if (sense := token.get("month_of")) is not None:
        return str(sense.value)
    number = int(sense.value) if (sense := token.get("month")) is not None else 0
    return f"{today.year - (number > today.month)}-{number:02d}" if number else ""


def _lines(
    known: Sequence[Passage], asked: Asked, weeks: Sequence[tuple[str, str]], *, least: int, sure: bool
) -> list[Passage]:
    """The lines of a log that have most words of a question: all, or all but one noun if they are one message.

    `least`: words that have to be there where one is missing, or where it is not `sure` that lines are asked for.
    """
    points = [{word: found for word in asked.words if (found := word.points(one))} for one in known]
    most = max(map(len, points), default=0)
    best = [at for at, found in enumerate(points) if len(found) == most]
    lacks = {frozenset(word for word in asked.words if word not in points[at]) for at in best}
    near = max((where for at in best for where in points[at].values()), default=0) >= OWN
    if len(lacks) != 1 or (asked.words and not near):
        return []
    (missing,) = lacks
    nouns = [word for word in missing if not word.done]
    telling = sum(not word.forms for word in asked.words) - len(missing)
    if (
        any(word.name or word.forms for word in missing)
        or len(nouns) > 1
        or (telling < least and (missing or not sure))
    ):
        return []
    if nouns and len({_VARYING.sub("#", _STAMP.sub("", known[at].said)) for at in best}) > 1:
        return []
    days = {at: _day(known[at]) for at in best}
    chosen = [at for at, day in days.items() if all(one in day for one in asked.dates)]
    chosen = [at for at in chosen if all(first <= days[at] <= last for first, last in weeks)]
    return [known[at] for at in chosen] if len(chosen) <= MOST_LINES and (asked.words or asked.dates or weeks) else []


def _day(passage: Passage) -> str:
    """The day of a line as 2026-11-15, of 2026/11/15, 15/11/2026 and 15/Nov/2026 too."""
    if match := re.search(r"(\d{4})[-/](\d\d)[-/](\d\d)", passage.said):
        return "-".join(match.groups())
    if match := re.search(r"\b(\d\d)[/ .-](\d\d|[A-Z][a-z]{2})[/ .-](\d{4})\b", passage.said):
        form = "%d %m %Y" if match[2].isdigit() else "%d %b %Y"
        return f"{datetime.strptime(' '.join(match.groups()), form):%Y-%m-%d}"  # noqa: DTZ007
    return ""


def _calls(found: Sequence[Passage], asked: Asked, extreme: str | None, language: Language) -> list[Call]:
    """By what is asked of them, in SQL over the lines of the log."""
    if not found:
        return []
    count = quoted(message("row_count").text(language))
    chosen = f"FROM data WHERE line IN ({', '.join(str(one.line) for one in found)})"
    every = _EACH.search(asked.text) is not None and "most" not in asked.events
    sqls = {
        "extreme": _extreme(found, asked, extreme) if extreme is not None else "",
        "most": _most(found, asked, count, every=every) if every or "most" in asked.events else "",
        "times": f"SELECT count(*) AS {count} {chosen}",
        "last": f"SELECT text {chosen} ORDER BY line DESC LIMIT 1",
        "first": f"SELECT text {chosen} ORDER BY line LIMIT 1",
        "list": f"SELECT text {chosen} ORDER BY line",
    }
    asks = ["most" if every else next(one for one in sqls if one in asked.events)] if extreme is None else ["extreme"]
    asks = ["list"] if asks == ["last"] and _THESE.search(asked.text) else asks  # 最近 … 的是哪几个
    more = "list" in asked.events or _WHO.search(asked.text)
    asks += ["list"] if asks == ["times"] and more else []  # 几次，分别是什么时候, 都是谁
    said = ", ".join([*(word.said for word in asked.words), *asked.dates])
    given = ({"path": found[0].path, "sql": sqls[one], "limit": MOST_LINES} for one in asks if sqls[one])
    about = f"{found[0].path} ({said})"
    return [Call(tool="data_analyzer", action="query", arguments=one, about=about) for one in given]


def _fields(found: Sequence[Passage], asked: Asked) -> list[str]:
    """By line the value of the one field that a question names; nothing where it names none."""
    given = [dict(_FIELD.findall(one.said)) for one in found]
    said = Words(asked.text)
    meant = [name for name in dict.fromkeys(name for one in given for name in one) if stands(said, base(name))]
    return [one.get(meant[0], "") for one in given] if len(meant) == 1 else []


def _extreme(found: Sequence[Passage], asked: Asked, order: str) -> str:
    """The line with the highest or lowest figure, of the field that is named or the only one there is."""
    figures = [_FIGURE.findall(_STAMP.sub("", one.said)) for one in found]
    named = [_FIGURE.findall(one) for one in _fields(found, asked)]
    values = [float(one[0]) for one in named or figures if len(one) == 1]
    if len(values) != len(found):
        return ""
    best = max(values) if order else min(values)
    lines = [one.line for one, value in zip(found, values, strict=True) if value == best]
    return f"SELECT text FROM data WHERE line IN ({str(lines)[1:-1]})"  # noqa: S608


def _most(found: Sequence[Passage], asked: Asked, count: str, *, every: bool) -> str:
    """The day, or the value of the field that is asked about, which most lines have, or `every` one; else nothing."""
    values = [_day(one) for one in found] if _WHICH_DAY.search(asked.text) else _fields(found, asked)
    if not values and _WHERE.search(asked.text):  # what stands in brackets says where, or a code which one
        marks = ([pattern.findall(_STAMP.sub("", one.said)) for one in found] for pattern in (_BRACKETS, _CODE))
        values = next(([one[0] for one in each] for each in marks if all(len(one) == 1 for one in each)), list[str]())
    most = Counter(values).most_common() if all(values) else []
    lines = {value: [one.line for one, other in zip(found, values, strict=True) if other == value] for value, _ in most}
    each = (
        f"SELECT '{value}' AS value, count(*) AS {count} FROM data WHERE line IN ({str(lines[value])[1:-1]})"  # noqa: S608
        for value, times in most
        if every or times == most[0][1]
    )
    return " UNION ALL ".join(each)
