"""The words that may stand in a question about time without meaning more than it asks, by what the question is about.

A word that is not here makes the question one that others have to read.
"""

import re
from functools import cache
from typing import Literal

from switchyard.language.tables import rows
from switchyard.language.words import courtesy

Topic = Literal["now", "dates", "counts", "clocks", "ages", "zones", "facts"]


def unknown_words(masked: str, topic: Topic) -> list[str]:
    """What a masked text says that is no word of such questions."""
    english, chinese = _vocabulary(topic)
    rest = chinese.sub(" ", re.sub("[DCLPMY]", " ", _courtesy().sub(" ", masked)))
    unknown = [word for word in re.findall(r"[a-zà-ɏ]+(?:['’][a-z]+)?", rest) if not {word, _bare(word)} & english]
    return unknown + re.findall(r"[^\W_a-zà-ɏ]+", rest)


def without_courtesy(masked: str) -> str:
    """A masked text without what is only said to be polite."""
    return _courtesy().sub(" ", masked).strip(" ,.?!，。？！")


@cache
def _courtesy() -> re.Pattern[str]:
    occasion = r"\bmy (?:deadline|birthday|exam|trip|wedding|flight|interview|vacation|holiday)(?: is)? (?:on )?(?=D)"
    return re.compile(f"{courtesy('before', 'asking', 'after', 'filler')}|{occasion}")


@cache
def _vocabulary(topic: Topic) -> tuple[frozenset[str], re.Pattern[str]]:
    more: tuple[Topic, ...] = ("now", "counts", topic) if topic == "ages" else ("now", topic)
    words = [row for row in rows("time_words") if row[0] in more]
    english = {word for row in words for word in row[1].split()}
    chinese = {word for row in words for word in "".join(row[2:]).split()}
    return frozenset(english), re.compile("|".join(sorted(chinese, key=len, reverse=True)))


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|re|ll|d|m|ve)$", "", word)
