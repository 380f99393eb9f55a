"""What a question leans on that follows another, and what the other one is with what is said now in its place.

Only texts: whether one of them is understood, and means something, is for others to say.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from switchyard.language.dates import MONTHS
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.words import asks
from switchyard.tools.core.context import Turn

LONGEST_FOLLOW_UP = 80
"""Characters of a question that may lean on the one before."""
MOST_WORDS = 3
"""Words that may take the place of another."""

LEADS = re.compile(
    r"^(?:and|but|or|so|what about|how about|what if|ok(?:ay)?|now|then|also|only|just|same for"
    r"|那么?(?!一?天)|那如果|换成|换作|改成|再|然后|如果是|只看|只要)(?![a-z])[\s,，]*",
    re.IGNORECASE,
)
"""How a question begins that goes on from another."""
_ENDS = re.compile(r"(?:的话)?呢?[?？。.!！\s]*$")
_LEANS = re.compile(
    rf"(?i){LEADS.pattern}|呢[?？。\s]*$|\b(?:instead|too|as well)[?.\s]*$"
    r"|\b(?:they|them|their|those|these|he|she|his|her|its)\b|(?<!is )\bit\b|\b(?:of|is|was) that\b"
    r"|其中|^里面|[他她它]|这些|那些"
)
_WORDS = re.compile(
    r"(?i)(?!(?:in|at|on|for|to|of|the|a|an|from|with|about)\b)\b[a-z]{2,}|(?![里的在到吗是把成用按])[\u3400-\u9fff]"
)
"""What a question says beside a thing that takes the place of another."""
STANDS_FOR = re.compile(
    r"(?i)(?P<date>\b(?:that|the same) (?:day|date)\b|那一?天|当天|同一天)"
    r"|\b(?:(?:this|that|the) (?:file|folder|page|table|document|site|url|city|place)|it|them"
    r"|(?<!is )(?<!was )(?<!are )(?<!were )there(?! (?:is|are|was|were)))\b"
    r"|(?:这个|那个|该|这份|那份)(?:文件夹|文件|目录|网页|页面|表格?|文档|城市|地方)|它们?|那里|那儿|那边|当地|里面"
)
"""What stands for something that was named before."""
_NEXT_DAY = re.compile(
    r"(?i)\bthe (?:(?:next|following) day|day after)\b(?! \w)|第二天|次日|[后隔]一?天(?![\u3400-\u9fff])"
)
_DAY_BEFORE = re.compile(r"(?i)\bthe (?:previous day|day before)\b(?! \w)|[前头]一天")
_OF_ITS_MONTH = re.compile(r"(?i)(?:the )?(\d{1,2})(?:st|nd|rd|th|日|号)")
_ONE_DAY = re.compile(r"(?i).*\d.*|today|yesterday|tomorrow|今天|昨天|前天|明天|后天")
"""A date that is of no other week: which Friday was meant is not known."""


def leaned_on(history: Sequence[Turn], question: str) -> Sequence[Turn]:
    """What was said before, where a question goes on from it; nothing where it stands alone."""
    return history if len(question) <= LONGEST_FOLLOW_UP and leans(question) else ()


def leans(question: str) -> bool:
    """Whether a question says that it goes on from another: and Berlin, 那上海呢."""
    return _LEANS.search(question) is not None


def bare(question: str) -> str:
    """What a question says that goes on from another, without the words that say so."""
    return LEADS.sub("", _ENDS.sub("", question.strip())).strip()


def dated(question: str, before: str, today: date) -> str:
    """A question whose day is told by the one before, with it: the 12th, 15日呢, the day after, 那第二天呢."""
    days = [one for one in find_mentions(before, today) if one.kind == "date"]
    if len(days) != 1 or not _ONE_DAY.fullmatch(days[0].text) or _OF_ITS_MONTH.fullmatch(days[0].text):
        return question
    day: date = days[0].value
    of_year = re.search(r"\d{4}", days[0].text) or not re.search(r"\d", days[0].text)
    for pattern, step in ((_NEXT_DAY, 1), (_DAY_BEFORE, -1)):
        if one := pattern.search(question):
            moved = _written(day + timedelta(days=step), question, of_year=bool(of_year))
            return f"{question[: one.start()]}{moved}{question[one.end() :]}"
    own = [one for one in find_mentions(question, today) if one.kind == "date"]
    if len(own) == 1 and not re.search(r"\d", days[0].text + own[0].text):  # tomorrow, and on Friday: of these days
        return f"{question[: own[0].start]}{own[0].value.isoformat()}{question[own[0].end :]}"
    number = _OF_ITS_MONTH.fullmatch(own[0].text) if len(own) == 1 else None
    try:
        told = _written(day.replace(day=int(number[1])), question, of_year=bool(of_year)) if number else ""
    except ValueError:  # its month has no such day
        return question
    return f"{question[: own[0].start]}{told}{question[own[0].end :]}" if told else question


def _written(day: date, question: str, *, of_year: bool) -> str:
    if of_year:
        return day.isoformat()
    return f"{day.month}月{day.day}日" if has_chinese(question) else f"{day.day} {MONTHS[day.month - 1]}"


def with_one_changed(text: str, said: str, today: date) -> list[str]:
    """The question before with what is named now in the place of what was named then: and in London? and 20%?"""
    new, old = find_mentions(said, today), find_mentions(text, today)
    if not new or not all(word.lower() in text.lower() for word in _WORDS.findall(hidden(said, new))):
        return []
    for one in reversed(new):
        same = [then for then in old if then.kind == one.kind]
        alike = [then for then in same if _written_as(then, text) == _written_as(one, said)] or same
        if not alike or (one.kind == "number" and len(alike) > 1):
            return []
        if one.kind == "date" and re.search(r"\d", alike[-1].text) and not re.search(r"\d", one.text):
            return []  # on the 13th, and on Friday: of which week?
        text = text[: alike[-1].start] + one.text + text[alike[-1].end :]
        old = [then for then in old if then.end <= alike[-1].start]
    return [text]


def with_a_word_changed(text: str, said: str, today: date) -> Iterator[str]:
    """The question before with what is said now in the place of each of its words: the evening one."""
    new = re.sub(
        r"(?i)^(?:(?:in|at|on|for|of|the)\s+)+|\s+(?:ones?|folder|directory)$|(?:文件夹|目录)?[里中]?面?$", "", said
    )
    paths = hidden(text, [one for one in find_mentions(text, today) if one.kind in {"path", "url", "quoted"}])
    if asks(new) or not 0 < len(located_words(new)) <= MOST_WORDS:
        return
    for word, start, end in located_words(paths):
        if has_chinese(word) is has_chinese(new):
            yield f"{text[:start]}{new}{text[end:]}"


def _written_as(one: Mention, text: str) -> tuple[bool, bool]:
    """What tells two of a kind apart: a percentage, and what a number stands before, 100 dollars in yuan."""
    return one.text.endswith("%"), text[: one.start].rstrip()[-1:].isdigit()
