"""What a log says of something that happened: how often, when first or last, on which day most, or which lines.

Its lines are those that have every word of a question; words that ask about them (last, how often, which day) are not
looked for.
"""

import re
from collections.abc import Iterable, Sequence

from switchyard.agents.by_rules.looked_for import LEVELS, OWN, Asked, stands
from switchyard.agents.by_rules.passages import LOG, Passage, Words
from switchyard.agents.by_rules.query import quoted
from switchyard.language.lexicon import stem
from switchyard.language.messages import message
from switchyard.language.tokeniser import has_chinese
from switchyard.language.words import Language
from switchyard.ledger.plan import Call

MOST_SHOWN = 100
DAY = len("11-15")
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+|\d+")


def read_log(passages: Iterable[Passage], asked: Asked, language: Language) -> list[Call]:
    """The calls over the one log that has such lines; none where no log has, or nothing of this kind is asked."""
    if not asked.events:
        return []
    known = [one for one in passages if one.path.endswith(LOG)]
    for level in range(LEVELS):
        found = _as_said([one for one in known if _fits(one, asked, level)], asked)
        if found:
            return _calls(found, asked, level, language) if len({one.path for one in found}) == 1 else []
    return []


def _fits(passage: Passage, asked: Asked, level: int) -> bool:
    points = [word.points(passage, level) for word in asked.needed if not word.event]
    near = OWN in points or (not points and bool(asked.dates))
    return near and all(points) and all(day in passage.said for day in asked.dates)


def _as_said(found: list[Passage], asked: Asked) -> list[Passage]:
    """The lines that have words in one form, that of the question where some have it: left open is not opened."""
    for word in (one for one in asked.needed if not one.event and not has_chinese(one.text)):
        forms = {form: [one for one in found if form in one.own.small] for form in _written(found, word.text)}
        said = word.said.lower()
        found = forms.get(said, []) if len(forms) > 1 else found
    return found


def _written(found: Iterable[Passage], word: str) -> set[str]:
    return {one[0].lower() for line in found for one in _WORD.finditer(line.own.text) if stem(one[0]) == word}


def _calls(found: Sequence[Passage], asked: Asked, level: int, language: Language) -> list[Call]:
    """By what is asked of them, in SQL over the lines of the log."""
    days = [f"contains(text, '{'-' * (len(day) == DAY)}{day}')" for day in asked.dates]
    where = " AND ".join([*_conditions(found, asked, level), *days]) or "TRUE"
    count = quoted(message("row_count").text(language))
    chosen = f"FROM data WHERE {where}"
    day = r"regexp_extract(text, '\d{4}-\d{2}-\d{2}')"
    if "most" in asked.events:
        ranked = f"SELECT {day} AS day, count(*) AS {count} {chosen} GROUP BY 1"
        sqls = [f"{ranked} QUALIFY rank() OVER (ORDER BY count(*) DESC) = 1"]
    elif "last" in asked.events or "first" in asked.events:
        sqls = [f"SELECT text {chosen} ORDER BY line{' DESC' if 'last' in asked.events else ''} LIMIT 1"]
    else:
        sqls = [f"SELECT count(*) AS {count} {chosen}"] if "times" in asked.events else []
        sqls += [f"SELECT text {chosen} ORDER BY line"] if "list" in asked.events else []
    said = ", ".join([*(word.text for word in asked.needed if not word.event), *asked.dates])
    about = f"{found[0].path} ({said})"
    given = ({"path": found[0].path, "sql": sql, "limit": MOST_SHOWN} for sql in sqls)
    return [Call(tool="data_analyzer", action="query", arguments=one, about=about) for one in given]


def _conditions(found: Sequence[Passage], asked: Asked, level: int) -> Iterable[str]:
    """The words as the lines have them; none for a word that only the name of the file has."""
    written = {match[0].lower() for one in found for match in _WORD.finditer(one.own.text)}
    for word in asked.needed if found else ():
        forms = [one for one in sorted(written) if not word.event and stands(Words(one), word.text, level)]
        forms = [word.said.lower()] if word.said.lower() in forms else forms
        if has_chinese(word.text) and all(word.text in one.own.small for one in found):
            yield f"contains(text, '{word.text}')"
        elif forms:
            yield f"regexp_matches(lower(text), '(^|[^a-z0-9])({'|'.join(forms)})([^a-z0-9]|$)')"
