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
from switchyard.language.tokeniser import has_chinese

_FRAMES = (
    re.compile(
        r"(?i)^(?:how (?:many (?:days|weeks|months)|long) (?:is it|is there|are there|are left|is left|do we have|left)?"
        r" ?(?:left )?(?:(?:from|between|counting from) )?(?:today |now )?(?:until|till|to|before|and|since)"
        r"|(?P<week>(?:what|which|on (?:what|which)) (?:day of the week|weekday)) (?:is|was|will be|does|do|did|will))"
        r" (?:when )?(?P<day>[^?]+?)(?P<rest> (?:fall(?: on)?|be|on))?\??$"
    ),
    re.compile(
        r"^(?:今天|从今天(?:起|算起|开始)?|现在)?(?:离|距离|距|到)(?P<day>[^，,?？]+?)(?:那天|那一天)?(?:还有|还剩|还要|有|是)?(?:多少|几)(?:天|个?星期|周|个月)[?？]?$"
    ),
    re.compile(
        r"^(?P<day>[^，,?？]+?)(?:那天|那一天|当天|这天)?(?:是|在|为|落在)(?:星期几|周几|礼拜几)[?？]?$",
    ),
)
"""How days are counted up to a day, or the day of the week is asked of it."""
_CALLED = re.compile(r"[“”\"「」'‘’]")
_LABEL = re.compile(r"[:：]\s*(?:[A-Z][a-z]+day,? (?:the )?)?$")


def with_told_date(question: str, place: Place, today: date) -> str | None:
    """The question with the day itself in the place of what a file calls it; None where no single place tells it."""
    match = next((found for frame in _FRAMES if (found := frame.match(question.strip()))), None)
    if match is None or dates_named(match["day"], today):
        return None
    called = _CALLED.sub("", match["day"])
    asked = asked_in(f"{called}是哪天" if has_chinese(question) else f"when is {called}?", today, place)
    if asked is None or len(asked.places) > 1:
        return None
    said = [one for one in documents(place.root, asked.places) if one.row is None and not one.path.endswith(LOG)]
    found = best_of(said, replace(asked, kinds=frozenset({"day"})), today)
    if found is None or found.unsaid:
        return None
    told = dates_named(found.passage.said, today)
    before = found.passage.said[: told[0].start] if told else ""
    if len(told) != 1 or not re.search(r"\d{4}", told[0].said) or not (found.passage.keys or _LABEL.search(before)):
        return None
    if "week" in match.groupdict() and match["week"]:
        return f"what day of the week is {told[0].said}?"
    text = question.strip()
    return f"{text[: match.start('day')]}{told[0].said}{text[match.end('day') :]}"
