"""Times of the day as people write and say them, in English and Chinese."""

import re
from datetime import time
from functools import cache

from switchyard.language.durations import CHINESE_NUMBER, ENGLISH_NUMBER, number_of
from switchyard.language.tables import values

_NOON = 12
_EVENING = 5
"""At night the hours from five on are those before midnight."""
_NAMED = {"noon": time(12), "midday": time(12), "midnight": time(0), "正午": time(12), "午夜": time(0)}
_MINUTES = {"half": 30, "半": 30, "quarter": 15, "一刻": 15, "三刻": 45}

_BEFORE = r"(?<![A-Za-z0-9_.$€£¥￥/\\@#=&])(?<![A-Za-z0-9]:)(?<![A-Za-z]-)"
_AFTER = r"(?![A-Za-z0-9_%/\\@:]|\.\d)"
_HALF_DAY = r"(?:\s?(?P<half>[ap])(?:\.\s?m\.?|m)|\s(?:in the|at) (?P<part>morning|afternoon|evening|night))"
_HAN_PART = (
    r"(?:(?P<before>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜晚|半夜|深夜|(?<=[今明昨当])[早晚]"
    r"|(?<![最很太更稍])[早晚](?=\s?[\d一二两三四五六七八九十])(?![一两二三几]点(?![半钟整])))的?\s?)"
)
_HOUR = rf"(?<!quarter to )(?<!minutes to )(?P<hour>\d{{1,2}}|{ENGLISH_NUMBER})"
_MINUTE = r"(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d{1,6})?)?"
_HAN_NUMBER = rf"(?:\d{{1,2}}|{CHINESE_NUMBER})"
_HAN_HOUR = (
    r"(?<![\d.:第有这那几差早晚快慢多好分刻零〇一二两三四五六七八九十百千])"
    rf"{_HAN_PART}?(?P<hour>{_HAN_NUMBER})\s?(?:点|时(?![区间候差]))"
)
_HAN_MINUTE = (
    r"(?:钟|整|[过零]?(?P<minute>半|[一三]刻"
    rf"|{_HAN_NUMBER}(?=分(?![之钟]))|(?:[零〇][一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?|[0-5]\d)(?![\d个条点天号日月年十百分]))"
    rf"(?:分(?:(?P<second>{_HAN_NUMBER})秒)?)?)"
)
_FORMS = (
    rf"{_HAN_PART}?(?:{_BEFORE}|(?<=\dT))(?P<hour>\d{{1,2}})[:：]{_MINUTE}{_HALF_DAY}?{_AFTER}",
    rf"(?<=\dT)(?P<hour>\d{{1,2}}):{_MINUTE}(?=Z|[+\-]\d)",
    rf"{_BEFORE}{_HOUR}(?:\.(?P<minute>[0-5]\d))?{_HALF_DAY}{_AFTER}",
    rf"{_BEFORE}{_HOUR} ?o['’]?clock{_HALF_DAY}?{_AFTER}",
    rf"{_BEFORE}(?P<minute>half|quarter|(?:five|ten|twenty|\d\d?)(?: minutes)?) past {_HOUR}{_HALF_DAY}?{_AFTER}",
    rf"{_BEFORE}(?:12 )?(?P<named>noon|midday|midnight){_AFTER}|(?P<han_named>正午|午夜)",
    rf"{_HAN_HOUR}{_HAN_MINUTE}",
    rf"{_HAN_HOUR}(?=(?P<plain>))(?![钟整半刻分秒\d个条儿建意要原理以击]|[一三]刻)",
)
_NOT_JUST_SOME = r"\s|$|[，。？！、,.?!；;：:）)的时到至在是和跟]"
"""What follows 一点, 两点 and 三点 where they are times and not `a bit` or `three points`."""


_HINT = re.compile(r"(?i)\d|[ap]\.?\s?m\b|noon|mid(?:day|night)|clock|past|morning|evening|night|[点时午]")
"""Without any of these a text names no time."""
SAYS_HALF = re.compile(r"(?i)[ap]\.?\s?m\b|morning|noon|evening|night|[早晚夜午晨]|^0|^1[3-9]|^2")
"""What a time has that is surely in one half of the day."""
_AFTER_TONIGHT = re.compile(r"(?i)(?:tonight|[今明昨]晚).{0,4}$")
_BEFORE_TONIGHT = re.compile(r"(?i).?(?:tonight|[今明昨]晚)")


def read_clock(text: str) -> time | None:
    """The time of day that the whole text names: `09:30`, `9:30 am`, `half past nine`, 上午九点半."""
    wanted = re.sub(r"^at |[\s.。?？!！,，]+$", "", text.strip(), flags=re.IGNORECASE)
    wanted += "." if re.search(r"\b[ap]\.\s?m$", wanted, re.IGNORECASE) else ""
    return next((clock for clock, start, end in find_clocks(wanted) if (start, end) == (0, len(wanted))), None)


def find_clocks(text: str, whole: str = "") -> list[tuple[time, int, int]]:
    """The times of day named in `text`, in order, each with its span; of two that meet the first, then the longest.

    Args:
        text: what is looked through.
        whole: the same before its dates were hidden. A time beside 今晚 or `tonight` that does not say which half of
            the day it is in is one of the evening.
    """
    kept: list[tuple[time, int, int]] = []
    found = [match for pattern in _patterns() for match in pattern.finditer(text)] if _HINT.search(text) else []
    for match in sorted(found, key=lambda match: (match.start(), -match.end())):
        clock = None if _may_be_some(match) else _clock(match.groupdict())
        if clock is None or (kept and match.start() < kept[-1][2]):
            continue
        tonight = _AFTER_TONIGHT.search(whole[: match.start()]) or _BEFORE_TONIGHT.match(whole, match.end())
        if tonight and not SAYS_HALF.search(match[0]):
            clock = clock.replace(hour=_hour(clock.hour, "night") or 0)
        kept.append((clock, *match.span()))
    return kept


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form, re.IGNORECASE) for form in _FORMS)


def _may_be_some(match: re.Match[str]) -> bool:
    words = match.groupdict()
    few = words.get("plain") is not None and not words["before"] and words["hour"] in {"一", "两", "二", "三", "几"}
    return few and not re.match(_NOT_JUST_SOME, match.string[match.end() :])


def _clock(words: dict[str, str | None]) -> time | None:
    if name := words.get("named") or words.get("han_named"):
        return _NAMED[name.lower()]
    part = next((words[name] for name in ("before", "half", "part") if words.get(name)), None)
    hour = _hour(_whole(words.get("hour")), values("calendar", "part")[part.lower()] if part else None)
    said = (words.get("minute") or "").lower().partition(" minute")[0]
    minute, second = _MINUTES.get(said) or _whole(said), _whole(words.get("second"))
    if hour is None or max(minute, second) >= 60:  # noqa: PLR2004  minutes and seconds
        return None
    return time(hour, minute, second)


def _hour(hour: int, part: str | None) -> int | None:
    if hour >= 24 or (part == "early" and hour > _NOON):  # noqa: PLR2004  hours of a day
        return None
    if part in {"early", "night"}:
        if hour == _NOON:
            return 0
        return hour + _NOON if part == "night" and _EVENING <= hour < _NOON else hour
    if part == "late" or (part == "noon" and hour < 3):  # noqa: PLR2004  one and two are still noon
        return hour % _NOON + _NOON if hour <= _NOON else hour
    return hour


def _whole(text: str | None) -> int:
    return int(number_of(text) or 0) if text else 0
