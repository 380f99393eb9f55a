"""The words that may stand in a question about time without meaning more than it asks, by what the question is about.

A word that is not here makes the question one that others have to read.
"""

import re
from functools import cache
from typing import Literal

from switchyard.language.tables import rows

Topic = Literal["now", "dates", "counts", "clocks", "ages", "zones", "facts"]

_COURTESY = re.compile(
    r"\b(?:i(?:'d| would)? (?:want|need|like|love)(?: to know)?|i(?:'m| am) (?:just )?wondering|i wonder|let me know"
    r"|do you (?:happen to )?know|(?:can|could|would|will) (?:you|u)(?: please)?(?: tell| give| show| remind)?(?: me)?"
    r"|(?:tell|give|show|remind) me|gimme|do you have|have you got|quick question|just curious|please|pls"
    r"|thanks?(?: you)?(?: in advance)?|hey|hi|hello|ok(?:ay)?|so|well|um|excuse me|sorry|just|actually|exactly"
    r"|right now|at (?:the|this) moment|by the way|btw|mate|folks|then|and"
    r"|my (?:deadline|birthday|exam|trip|wedding|flight|interview|vacation|holiday)(?: is)? (?:on )?(?=D))\b"
)


def unknown_words(masked: str, topic: Topic) -> list[str]:
    """What a masked text says that is no word of such questions."""
    english, chinese = _vocabulary(topic)
    rest = chinese.sub(" ", re.sub("[DCLPMY]", " ", _COURTESY.sub(" ", masked)))
    unknown = [word for word in re.findall(r"[a-zà-ɏ]+(?:['’][a-z]+)?", rest) if not {word, _bare(word)} & english]
    return unknown + re.findall(r"[^\W_a-zà-ɏ]+", rest)


def without_courtesy(masked: str) -> str:
    """A masked text without what is only said to be polite."""
    return _COURTESY.sub(" ", masked).strip(" ,.?!，。？！")


@cache
def _vocabulary(topic: Topic) -> tuple[frozenset[str], re.Pattern[str]]:
    more: tuple[Topic, ...] = ("now", "counts", topic) if topic == "ages" else ("now", topic)
    words = [row for row in rows("time_words") if row[0] in more]
    english = {word for row in words for word in row[1].split()}
    chinese = {word for row in words for word in "".join(row[2:]).split()}
    return frozenset(english), re.compile("|".join(sorted(chinese, key=len, reverse=True)))


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|re|ll|d|m|ve)$", "", word)
