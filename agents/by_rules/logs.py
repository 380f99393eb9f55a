"""What a log says of something that happened: how often, when first or last, on which day most, or which lines.

Its lines are those that have every word of a question; words that ask about them (last, how often, which day) are not
looked for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from switchyard.agents.by_rules.looked_for import LEVELS, OWN, Asked
from switchyard.agents.by_rules.passages import LOG, Passage, base
from switchyard.agents.by_rules.query import quoted
from switchyard.language.messages import message
from switchyard.language.words import Language
from switchyard.ledger.plan import Call

MOST_LINES = 500
"""Lines that a question may be about; of more, nobody asks so."""
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+")
_PERIOD = re.compile(r"(?i)\b(?:this|last|past) (?:week|month|year)\b|[本这上][个]?[周月]|今年|去年")
"""Days that are not said one by one."""
_WHO = re.compile(r"(?i)\b(?:who|whom|whose)\b|谁|哪[几些]?[个位]?人|哪[几]?位")


def read_log(passages: Iterable[Passage], asked: Asked, language: Language) -> list[Call]:
    """The calls over the one log that has such lines; none where no log has, or nothing of this kind is asked."""
    named = "count" in asked.kinds and asked.places and all(one.endswith(LOG) for one in asked.places)
    asked = replace(asked, events=asked.events or frozenset({"times"} if named else ()))  # 灯光台.log 有几条警告
    if not asked.events or _PERIOD.search(asked.text):
        return []
    known = [one for one in passages if one.path.endswith(LOG)]
    for level in range(LEVELS):
        found = _as_said([one for one in known if _fits(one, asked, level)], asked)
        if found:
            of_one = len({one.path for one in found}) == 1 and len(found) <= MOST_LINES
            return _calls(found, asked, language) if of_one else []
    return []


def _fits(passage: Passage, asked: Asked, level: int) -> bool:
    points = [word.points(passage, level) for word in asked.needed if not word.event]
    near = OWN in points or (not points and bool(asked.dates))
    return near and all(points) and all(day in passage.said for day in asked.dates)


def _as_said(found: list[Passage], asked: Asked) -> list[Passage]:
    """The lines that have words in one form, that of the question where some have it: left open is not opened."""
    for word in (one for one in asked.needed if not one.event and one.text.isascii()):
        written = [{one.lower() for one in _WORD.findall(line.said) if base(one) == word.text} for line in found]
        if len(set[str]().union(*written)) > 1:
            found = [line for line, forms in zip(found, written, strict=True) if word.said.lower() in forms]
    return found


def _calls(found: Sequence[Passage], asked: Asked, language: Language) -> list[Call]:
    """By what is asked of them, in SQL over the lines of the log."""
    count = quoted(message("row_count").text(language))
    chosen = f"FROM data WHERE line IN ({', '.join(str(one.line) for one in found)})"
    day = r"regexp_extract(text, '\d{4}-\d{2}-\d{2}')"
    sqls = {
        "times": f"SELECT count(*) AS {count} {chosen}",
        "most": f"SELECT {day} AS day, count(*) AS {count} {chosen} GROUP BY 1 "
        "QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1",
        "last": f"SELECT text {chosen} ORDER BY line DESC LIMIT 1",
        "first": f"SELECT text {chosen} ORDER BY line LIMIT 1",
        "list": f"SELECT text {chosen} ORDER BY line",
    }
    asks = [next(one for one in sqls if one in asked.events)]
    more = "list" in asked.events or _WHO.search(asked.text)
    asks += ["list"] if asks == ["times"] and more else []  # 几次，分别是什么时候, 都是谁
    said = ", ".join([*(word.said for word in asked.needed if not word.event), *asked.dates])
    given = ({"path": found[0].path, "sql": sqls[one], "limit": MOST_LINES} for one in asks)
    about = f"{found[0].path} ({said})"
    return [Call(tool="data_analyzer", action="query", arguments=one, about=about) for one in given]
