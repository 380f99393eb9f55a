"""A question about a day that a file tells: how many days until the season opens, 有效期至那天是星期几.

What the day is called is looked up; the question is then one of dates (`language/time_questions.py`).
"""

import re
from dataclasses import replace
from datetime import date

from switchyard.agents.by_rules.looked_for import asked_in
from switchyard.agents.by_rules.lookups import best_of
from switchyard.agents.by_rules.passages import LOG, documents
from switchyard.agents.by_rules.pieces import Place
from switchyard.language.dates import dates_named

_FRAME = re.compile(
    r"(?i)^(?:how (?:many (?:days|weeks|months)|long) (?:(?:is|are) (?:it|there|left)|do we have|left)?"
    r" ?(?:left )?(?:(?:from|between) )?(?:today |now )?(?:until|till|to|before|and|since)"
    r"|(?P<week>(?:on )?(?:what|which) (?:day of the week|weekday)) (?:is|was|will|does|do|did))"
    r" (?:when )?(?P<en>[^?]+?)(?: (?:fall(?: on)?|be|on))?\??$"
    r"|^(?:从?今天|现在)?(?:离|距离|距|到)(?P<to>[^，,?？]+?)(?:那天)?(?:还有|还剩|还要|有|是)?[多几]少?(?:天|个?星期|周|个月)[?？]?$"
    r"|^(?P<zh>[^，,?？]+?)(?:那天|那一天|当天)?(?:是|在)?(?:星期|周|礼拜)几[?？]?$"
)
"""How days are counted up to a day, or the day of the week is asked of it."""
_CALLED = re.compile(r"[“”\"「」'‘’]")
_LABEL = re.compile(r"(?:^|[:：]\s*(?:[A-Z][a-z]+day,? (?:the )?)?)$")
"""What stands before a day of which a line tells nothing else."""


def with_told_date(question: str, place: Place, today: date) -> str | None:
    """The question with the day itself in the place of what a file calls it; None where no single place tells it."""
    match = _FRAME.match(text := question.strip())
    which = next((name for name in ("en", "to", "zh") if match and match[name]), None)
    if match is None or which is None or dates_named(match[which], today):
        return None
    called = _CALLED.sub("", match[which])
    asked = asked_in(f"when is {called}?" if which == "en" else f"{called}是哪天", today, place)
    if asked is None or len(asked.places) > 1:
        return None
    said = [one for one in documents(place.root, asked.places) if one.row is None and not one.path.endswith(LOG)]
    found = best_of(said, replace(asked, kinds=frozenset({"day"})), today)
    if found is None or found.unsaid:
        return None
    told, line = dates_named(found.passage.said, today), found.passage.said
    if len(told) != 1 or not re.search(r"\d{4}", day := told[0].said) or not _LABEL.search(line[: told[0].start]):
        return None
    return f"what day is {day}?" if match["week"] else f"{text[: match.start(which)]}{day}{text[match.end(which) :]}"
