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
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+")
_PERIOD = re.compile(r"(?i)\b(?:this|last|past) (?:week|month|year)\b|[本这上][个]?[周月]|今年|去年")
"""Days that are not said one by one."""
_FIGURE = re.compile(r"\S*\d\S*")
_FIELD = re.compile(r"\b([a-z]\w*)=([\w.-]+)")
_BRACKETS = re.compile(r"\[([a-z][\w-]*)\]")
_WHERE = re.compile(r"(?i)\bwhere\b|\bwhich (?!day|time)\w+|哪个|哪里|哪儿|什么地方")
_WHICH_DAY = re.compile(r"(?i)\bwhich day\b|\bwhat (?:day|date)\b|哪一?天")
_THESE = re.compile("哪[几些]")
_EACH = re.compile(r"(?i)\b(?:by|per|for each|each)\b|按|每|各")
_SUPERLATIVE = re.compile(
    r"(?i)\b(?:slowest|fastest|longest|shortest|highest|lowest|largest|biggest|average|mean|sum|add(?:ed)? up)\b"
    r"|最(?![近后先早新多常])|相加|加起来|合计|总和|平均"
)
"""What is asked of figures in the lines, not of the lines."""
_WHO = re.compile(r"(?i)\b(?:who|whom|whose)\b|谁|哪[几些]?[个位]?人|哪[几]?位")


def read_log(passages: Iterable[Passage], asked: Asked, today: date, language: Language) -> list[Call]:
    """The calls over the one log that has such lines; none where no log has, or nothing of this kind is asked."""
    named = "count" in asked.kinds and asked.places and all(one.endswith(LOG) for one in asked.places)
    asked = replace(asked, events=asked.events or frozenset({"times"} if named else ()))  # 灯光台.log 有几条警告
    told = times_said(asked.text, today) if not asked.dates else []
    months = [(token.text, name) for token in told if (name := _month(token, today))]
    if not asked.events or (_PERIOD.search(asked.text) and not months) or _SUPERLATIVE.search(asked.text):
        return []
    words = [word for word in asked.needed if not word.event and not any(word.said in said for said, _ in months)]
    asked = replace(asked, words=tuple(words), dates=(*asked.dates, *(f"{month}-" for _, month in months)))
    known = [one for one in passages if one.path.endswith(LOG)]
    found = _as_said([one for one in known if _fits(one, asked)], asked)
    if not found and (asked.places or asked.events - {"list"}):
        found = _of_one_kind(known, asked)
    of_one = len({one.path for one in found}) == 1 and len(found) <= MOST_LINES
    return _calls(found, asked, language) if of_one else []


def _month(token: Token, today: date) -> str:
    """The month a word names, with its year: the last one of that name; nothing where it names none."""
    if (sense := token.get("month_of")) is not None:
        return str(sense.value)
    number = int(sense.value) if (sense := token.get("month")) is not None else 0
    return f"{today.year - (number > today.month)}-{number:02d}" if number else ""


def _fits(passage: Passage, asked: Asked) -> bool:
    points = [word.points(passage) for word in asked.words]
    near = max(points, default=0) >= OWN or (not points and bool(asked.dates))
    return near and all(points) and _of_days(passage, asked)


def _of_days(passage: Passage, asked: Asked) -> bool:
    return all(day in _day(passage) for day in asked.dates)


def _day(passage: Passage) -> str:
    """The day of a line as 2026-11-15, of 15/Nov/2026 too."""
    if match := re.search(r"\d{4}-\d\d-\d\d", passage.said):
        return match[0]
    found = re.search(r"\b(\d\d?)[/ -]([A-Z][a-z]{2})[/ -](\d{4})\b", passage.said)
    return f"{datetime.strptime(' '.join(found.groups()), '%d %b %Y'):%Y-%m-%d}" if found else ""  # noqa: DTZ007


def _of_one_kind(known: Sequence[Passage], asked: Asked) -> list[Passage]:
    """The lines that have most of the words of a question, where all are one message but for its figures."""
    counts = {id(one): sum(word.points(one) > 0 for word in asked.words) for one in known}
    best = max(counts.values(), default=0)
    found = [one for one in known if counts[id(one)] == best]
    there = [word for word in asked.words if any(word.points(one) >= OWN for one in found)]
    kinds = {_FIGURE.sub("#", one.said) for one in found}
    missing = [word for word in asked.words if not word.points(found[0])] if found else []
    enough = len(there) >= TELLING and len(missing) == 1 and not missing[0].name
    return [one for one in found if _of_days(one, asked)] if enough and len(kinds) == 1 else []


def _as_said(found: list[Passage], asked: Asked) -> list[Passage]:
    """The lines that have words in one form, that of the question where some have it: left open is not opened."""
    for word in (one for one in asked.words if one.text.isascii()):
        written = [{one.lower() for one in _WORD.findall(line.said) if base(one) == word.text} for line in found]
        if len(set[str]().union(*written)) > 1:
            found = [line for line, forms in zip(found, written, strict=True) if word.said.lower() in forms]
    return found


def _calls(found: Sequence[Passage], asked: Asked, language: Language) -> list[Call]:
    """By what is asked of them, in SQL over the lines of the log."""
    count = quoted(message("row_count").text(language))
    chosen = f"FROM data WHERE line IN ({', '.join(str(one.line) for one in found)})"
    every = _EACH.search(asked.text) is not None and "most" not in asked.events
    sqls = {
        "most": _most(found, asked, count, every=every) if every or "most" in asked.events else "",
        "times": f"SELECT count(*) AS {count} {chosen}",
        "last": f"SELECT text {chosen} ORDER BY line DESC LIMIT 1",
        "first": f"SELECT text {chosen} ORDER BY line LIMIT 1",
        "list": f"SELECT text {chosen} ORDER BY line",
    }
    asks = ["most" if every else next(one for one in sqls if one in asked.events)]  # by reason, 各有几次
    asks = ["list"] if asks == ["last"] and _THESE.search(asked.text) else asks  # 最近 … 的是哪几个
    more = "list" in asked.events or _WHO.search(asked.text)
    asks += ["list"] if asks == ["times"] and more else []  # 几次，分别是什么时候, 都是谁
    said = ", ".join([*(word.said for word in asked.words), *asked.dates])
    given = ({"path": found[0].path, "sql": sqls[one], "limit": MOST_LINES} for one in asks if sqls[one])
    about = f"{found[0].path} ({said})"
    return [Call(tool="data_analyzer", action="query", arguments=one, about=about) for one in given]


def _most(found: Sequence[Passage], asked: Asked, count: str, *, every: bool) -> str:
    """The day, or the value of the field that is asked about, which most lines have, or `every` one; else nothing."""
    given = [dict(_FIELD.findall(one.said)) for one in found]
    names = {name: Words(name) for fields in given for name in fields}
    meant = [name for name, words in names.items() if any(stands(words, one) for one in Words(asked.text).stems)]
    if _WHICH_DAY.search(asked.text):
        values = [_day(one) for one in found]
    elif len(meant) == 1:
        values = [fields.get(meant[0], "") for fields in given]
    else:  # what stands in brackets says where
        values = [next(iter(_BRACKETS.findall(one.said)), "") for one in found] if _WHERE.search(asked.text) else []
    most = Counter(values).most_common() if all(values) else []
    lines = {value: [one.line for one, other in zip(found, values, strict=True) if other == value] for value, _ in most}
    each = (
        f"SELECT '{value}' AS value, count(*) AS {count} FROM data WHERE line IN ({str(lines[value])[1:-1]})"  # noqa: S608
        for value, times in most
        if every or times == most[0][1]
    )
    return " UNION ALL ".join(each)
