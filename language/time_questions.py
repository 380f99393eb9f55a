"""A question about time, read as a whole: what to ask `get_time`, or nothing where a part of it is not understood.

One reader after another looks at what a text names, masked by capital letters (`time_mask`), and at the words around.
Every word must be known to the reader that takes the question, and everything named must be used: a question that says
more is left to others. What `get_time` can answer and what is brought to it are one thing.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from switchyard.language.dates import read_date
from switchyard.language.errors import Impossible
from switchyard.language.time_mask import Masked, Part, Topic, unknown_words, without_courtesy

# The patterns are compiled, and kept by `re`, when they are first needed: this module must import fast.


def _any(*patterns: str) -> str:
    return "|".join(patterns)


_MAY_ASK = (
    r"(?i)time|date|day|week|month|year|hour|minute|when|clock|until|since|ago|old|long|noon|midnight|ahead|behind|\d"
    r"|[几多哪何时天日号周月年差久点]|today|tomorrow|christmas"
)
"""A text without any of these asks for no time."""
_CLAUSE_END = r"\s*[,;.?!，；。？！]\s*|\s+[-–—]\s+"
_ASKS = r"\?|？|\b(?:what|which|how|when|who|where|why)\b|几|多少|什么|哪|吗|怎"

_ASKS_TIME = _any(
    r"\bwhat time\b|\bwhat hour\b|\bclock\b|^time\b|P time",
    r"\b(?:the|current|local|exact|present|their|P(?:'s)?) (?:local |current )?time\b",
    r"\btime (?:is it|it is|now|right now|in P|at P|there|over there|here|P)\b",
    r"几点|几时|什么时间|什么时候|啥时候|啥时间|何时|多少点|报时|时间是",
    r"(?:现在|当前|此刻|目前|当地|本地|P)\s?的?(?:当地)?的?时间",
)
_ASKS_DATE = _any(
    r"\bdates?\b|\b(?:what|which) (?:day|month|year|weekday)\b|\bday (?:is it|it is|of the week|of week|today)\b",
    r"\bweekday\b|\bthe day\b|\bwhen\b",
    r"\b(?:what|which) (?:is|was|will be|does|would be) (?:the )?D|\bwhat's D|^count D",
    "几号|几月|几日|多少号|日期|星期几|周几|礼拜几|星期多少|什么星期|哪一?[天日年]|哪个?月|几几年",
    "什么时候|啥时候|何时",
)
_ASKS_TODAY = _any(r"\bwhat(?:'s| is)? D\b|\bday\b")
_ASKS_ZONE = _any(r"\btime ?zone\b|\butc offset\b|\bgmt offset\b", "时区")
_ASKS_STAMP = r"time ?stamp|\b(?:unix|epoch) time\b|时间戳"
_ASKS_START = _any(
    r"\b(?:when|what time)\b[^.,;?]*\b(?:start|begin|began|leave|depart|set off|wake|get up)\b",
    "(?:几点|什么时候|何时)(?:要|该|得|就)?(?:开始|出发|动身|起床|走|离开)",
)
"""When something has to begin is reckoned the other way round."""

_UNIT = (
    r"(?P<business>(?:business|working|work|week) ?-?days?)|(?P<days>days?)|(?P<weeks>weeks?)|(?P<months>months?)"
    r"|(?P<years>years?)|(?P<hours>hours?|hrs?)|(?P<minutes>minutes?|mins?)|(?P<seconds>seconds?|secs?)"
)
_HAN_UNIT = (
    r"(?P<h_business>个?工作日)|(?P<h_days>天|日)|(?P<h_weeks>个?(?:周|星期|礼拜))|(?P<h_months>个?月)"
    r"|(?P<h_years>年|岁|周岁)|(?P<h_hours>个?(?:小时|钟头))|(?P<h_minutes>分钟?)|(?P<h_seconds>秒钟?)"
)
_COUNTS = (
    r"\b(?:how many|how much|(?:the )?(?:number|count|amount) of|(?:the )?difference in|in|many)"
    rf" (?:more |full |whole |calendar |total )?(?:{_UNIT})\b|(?:多少|几)(?:{_HAN_UNIT})(?!几)"
)
"""How many of which unit."""
_LEADING_UNIT = (
    rf"\b(?:{_UNIT}) (?:left |remaining |to go )?(?:is it |are there |are )?"
    r"(?:until|till|between|since|before|from|to)\b"
)
"""The unit of `weeks until Christmas`."""
_HOW_LONG = _any(
    r"\bhow (?:long|far|old|soon)\b|\bhow much time\b|\btime (?:left )?(?:until|till|between|since|before)\b",
    r"\bcountdown\b|\bdifference\b|多久|多长|相差|相隔|间隔|倒计时|多大|隔了|差了",
)
_SINCE = _any(
    r"\bsince\b|\bpassed\b|\belapsed\b|\bgone by\b|\bago\b|\b(?:to|until|till) (?:now|date)\b",
    "距今|至今|迄今|到现在|到目前|到此刻|离现在|离如今|已经|过去|过了|以来|[年天月久周时]了",
)
_UNTIL = _any(
    r"\b(?:until|till|before|to|left|away|remain\w*|to go|from now|from D|countdown|off)\b|\bbetween (?:now|D) and\b",
    "距离?|离|到|还有|还剩|还要|还差|倒计时|剩|差|再等|要等|等到",
)
_REMAINS = _any(r"\b(?:left|remain\w*|to go|still)\b", "还有|还剩|剩下|剩余|剩")
_UNTIL_YEAR = _any(r"\b(?:until|till|to|before) Y", "[到距离]Y")
_BETWEEN = _any(r"\b(?:between|difference|apart)\b", "间|差|隔|距")
_AND = r",? (?:and|&) (?:the )?|\s?[和与跟同及]\s?"
"""What joins two dates that something lies between."""
_IS = r" (?:is|does|will|was)(?: it)? ?"
_UP_TO = (
    r",? ?(?:(?:up )?to|until|till|through|thru|-|–|—|~|->|→) ?(?:the )?|\s?(?:一直)?[到至离]\s?|\s?距离?\s?"
    r"|,? how (?:many \w+|long) (?:is it |are there |are )?(?:until|till|to) ?"
)
"""What stands between the beginning and the end of a stretch of time."""
_FIRST_IS_LATER = _any(r"\bbefore D (?:is|does|will|was) ")
_FIRST_TO_SECOND = _any(r"D[^D]*(?:\bto\b|until|till|到|至)[^D]*D")
_IS_IT_THAT_DAY = _any(r"^(?:is|was|will) D (?:be )?(?:on )?an? D", "D是(?:不是)?个?D(?:吗|么|呢|[?？]|$)")

_AHEAD = _any(
    r"\b(?:in|after|plus|add|adding|for|lasts?|takes?|lasting|taking) L|L (?:to|onto) C|C (?:plus|\+|and) L",
    r"L (?:from now|from C|later|hence|after|past|long)\b",
    "[再经]?过L|L钟?[之以过]?后|加上?L|[往向]后推?L|持续L|时长L|[要开需花用]L|L的(?:会|课|车程|飞行)",
    "C(?:[之以过]?后|开始|起)?(?:的|再)?L",
)
_BACK = _any(
    r"L (?:ago|before|earlier|back|prior to)\b|\b(?:minus|subtract) L",
    "L钟?[之以]?前|减去?L|提前L|C[之以]?前的?L|倒推L|[往向]前推?L",
)
_ZONES_APART = _any(
    r"\btime difference\b|\bhours? (?:is |are )?(?:difference|apart|between)\b|\b(?:ahead|behind)\b",
    "时差|相?差了?(?:几|多少)个?(?:小时|钟头)|[快慢早晚]了?(?:几|多少)个?(?:小时|钟头)?",
)
_FACTS: tuple[tuple[str, str], ...] = (
    ("leap_year", _any(r"\bleap year\b", "闰年")),
    (
        "iso_week",
        _any(r"\bweek (?:number|no|of the year)\b|\b(?:which|what|calendar|iso) week\b", "第几个?(?:周|星期|礼拜)"),
    ),
    (
        "day_of_year",
        _any(r"\bday (?:number )?(?:of|in) (?:the year|this year|Y)\b|\bday number\b", "(?:年|Y|里|中)的?第几天"),
    ),
)
_LENGTH_OF = _any(
    r"\bin (?:the (?:month|year)(?: of)? )?[MY]|\b(?:does|do|has|have) [MY]\b", "[MY](?:一共|总共|共)?有|[MY]共"
)

_HERE = _any(
    r"\b(?:here|my time|my time ?zone|my local time|local time|my place|for me|our time|where i am)\b",
    "这里|这边|我这|我们这|本地|咱",
)
_TIME_HERE = _any(
    r"C[^,.;?，。；？CP]{0,14}?(?:\bhere\b|\bmy time|\blocal time|\bfor me\b|这里|这边|本地|我这)",
    r"(?:\bhere|\bmy time|\blocal(?: time)?|这里|这边|本地|我这[儿里边]?|我们这儿?)[^,.;?，。；？CP]{0,10}?C",
)
_PLACE_AFTER_TIME = (
    r"C(?:,? (?:in|at|over in|on|from)(?: the)? |\s?)(P)"
    r"(?!(?:那边|当地)?(?:时间)?(?:现在)?(?:会|应该)?是?(?:几|什么))"
)
_PLACE_BEFORE_TIME = (
    r"(P)(?:'s)?,? ?(?:local |current )?(?:time)?,?(?: (?:is|at|it's|it is|when it's|when it is|its))? ?C"
    r"|(P)(?:那边|那里|当地|本地|这边)?的?(?:时间)?(?:现在|如果|此时)?(?:是|在|的|为|,|，)?D?的?C"
)
_BOTH_PLACES = _any(r"P(?:,|、| and| or|和|与)\s?(?:in )?P")
_NOW = _any(r"\b(?:now|currently)\b", "现在|目前|此刻|当前")
_SUPPOSES = _any(r"\b(?:if|when)\b", "如果|假如|要是|假设")
_THEN = _any(
    r"\b(?:their|there|that|this|those|they|he|she)\b",
    "那边|那里|那儿|当地|换成|换算|对应|相当于|那时|此时|他们?|她们?|对方",
    "P(?:当地|那边)?的?(?:时间)?(?:应该)?会?是?几点",
)
"""What a question says to mean what the clause before it spoke of."""
_NEVER = (
    r"\b(?:not|no|never|without|except|cancel\w*|instead|moved|postponed|delayed|earlier|later|or|every|each|unless"
    r"|only)\b|n't\b|不|没|别|除了|取消|推迟|提前|或者|还是|每|改到|改成"
)
"""What changes the meaning of a clause that is otherwise of no matter."""

_BORN = _any(r"\bborn\b", "出生|生日?的")
_OLD = _any(r"\bold\b|\bage\b", "多大|岁|年龄")
_TODAY = r"(?i)(?:today|今[天日儿])"
_OF_THE_DAY = r"(?i)today|tomorrow|yesterday|tonight|[今明昨前后][天日晚早]"
_WEEKDAY_ONLY = r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]"
_HAS_YEAR = r"\d{4}|[零〇一二三四五六七八九]{4}年|[今明去前后]年|year"
_COUNTED_DATE = r"(?i)[前后推过加减第]|工作日|\b(?:ago|from|after|before|later|plus|minus|to|of|business|working)\b"
_SAYS_WHICH_HALF = r"(?i)[ap]\.?\s?m|morning|noon|evening|night|[早晚夜午晨]|^0|^1[3-9]|^2"
_UNKNOWN_PLACE = (
    r"(?i:what(?:'s|s| is) the (?:current |local )?time|what time is it)(?i: right now| now| currently)? in "
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3})[.?!]*"
    r"|(?:请问)?(?P<han>[\u4e00-\u9fff]{2,8}?)现在(?:的?时间)?是?几点[了钟啊呀呢]*[？?。]?"
)

Arguments = dict[str, Any]
LONGEST = 240
"""Characters of a question about time."""
_TWO = 2


def read_time_question(text: str, today: date) -> Arguments | None:
    """The arguments of `get_time` that a text gives; None where it asks for no time, or where not all is clear."""
    found = _read(text, today)
    return None if found is None else dict(found)


@lru_cache(maxsize=512)
def _read(text: str, today: date) -> tuple[tuple[str, Any], ...] | None:
    if len(text) > LONGEST or not re.search(_MAY_ASK, text):
        return None
    asked = Masked(text, today)
    found = next((found for reader in _READERS if (found := reader(asked)) is not None), None)
    return None if found is None else tuple(found.items())


def _knows(asked: Masked, topic: Topic, *, context: bool = False) -> bool:
    """Whether every word is one of the topic; the clause before a question that points back to it may say more."""
    if not unknown_words(asked.text, topic):
        return True
    clauses = [clause for clause in re.split(_CLAUSE_END, asked.text) if clause]
    if not context or len(clauses) < _TWO or not re.search(_THEN, clauses[-1]) or unknown_words(clauses[-1], topic):
        return False
    before = " ".join(clauses[:-1])
    return not (re.search(_NEVER, before) or re.search(_ASKS, before) or re.search(r"\d", before))


def _stamp(asked: Masked) -> Arguments | None:
    """What moment a Unix timestamp is, or which timestamp a moment has."""
    if not _knows(asked, "stamps"):
        return None
    if asked.has(S=1, P=(0, 1)):
        return {"date": f"timestamp {asked.texts('S')[0]}", **asked.place()}
    if not asked.says(_ASKS_STAMP) or not asked.has(D=(0, 1), C=(0, 1), P=(0, 1)):
        return None
    clock = {"time": asked.parts["C"][0].clock()} if asked.parts["C"] else {}
    return {**asked.date(), **clock, **asked.place(), "tell": "timestamp"}


def _fact(asked: Masked) -> Arguments | None:
    """Leap years, week numbers and days of the year."""
    tell = next((tell for tell, pattern in _FACTS if asked.says(pattern)), None)
    if tell is None or not asked.has(D=(0, 1), Y=(0, 1)) or not _knows(asked, "facts"):
        return None
    dates, years = asked.parts["D"], asked.parts["Y"]
    if tell == "leap_year":
        return (
            {"date": dates[0].text if dates else years[0].first_day().isoformat(), "tell": tell}
            if dates or years
            else None
        )
    if years and years[0].value != (dates[0].value if dates else asked.today).year:
        return None
    return {"date": dates[0].text, "tell": tell} if dates else {"tell": tell}


def _length(asked: Masked) -> Arguments | None:
    """How long a month or a year is, how much of it is left, or how long it is until a year."""
    if not asked.says(_COUNTS) or not asked.has(M=(0, 1), Y=(0, 1)) or not _knows(asked, "facts"):
        return None
    months, years = asked.parts["M"], asked.parts["Y"]
    if months and years and not re.search(_HAS_YEAR, months[0].text):
        months, years = [replace(months[0], value=months[0].value.replace(year=years[0].value))], []
    if len(months) + len(years) != 1:
        return None
    whole, unit = (months or years)[0], _unit(asked)
    first, last = whole.first_day(), whole.last_day()
    if years and asked.says(_UNTIL_YEAR):
        return {"until": first.isoformat(), **unit}
    if asked.says(_REMAINS):
        return {"until": last.isoformat(), **unit} if first <= asked.today <= last else None
    if unit != {"unit": "days"} or not asked.says(_LENGTH_OF):
        return None
    return {"date": first.isoformat(), "tell": "month_length" if months else "year_length"}


def _zones(asked: Masked) -> Arguments | None:
    """Which zone a place is in, or how far two are apart."""
    if not asked.has(P=(1, 2)) or not _knows(asked, "zones"):
        return None
    places = asked.texts("P")
    if len(places) == _TWO:
        return {"timezone": places[0], "from_timezone": places[1]} if asked.says(_ZONES_APART) else None
    return {"timezone": places[0], "tell": "zone"} if asked.says(_ASKS_ZONE) else None


def _conversion(asked: Masked) -> Arguments | None:
    """A given time of day in another place."""
    if not asked.has(C=1, P=(1, 2), D=(0, 1), L=(0, 1)) or not _knows(asked, "clocks", context=True):
        return None
    given = _ways(asked)
    moved = _direction(asked) if asked.parts["L"] else {}
    if given is None or moved is None:
        return None
    return {**given, "time": asked.parts["C"][0].clock(), **asked.date(), **moved}


def _ways(asked: Masked) -> Arguments | None:
    """From where to where a time is converted."""
    places, source = asked.texts("P"), _source(asked)
    if len(places) == _TWO:
        if source is None or _asks_for_now(asked) or asked.says(_BOTH_PLACES):
            return None
        return {"from_timezone": places[source], "timezone": places[1 - source]}
    if not asked.says(_HERE):
        return None
    if asked.says(_TIME_HERE):
        return {"timezone": places[0]}
    return {"from_timezone": places[0]} if source is not None else None


def _asks_for_now(asked: Masked) -> bool:
    """At 3 pm I was in London; what time is it now in Tokyo: the time asked for is not that of the time given."""
    return re.search(_NOW, re.split(_CLAUSE_END, asked.text)[-1]) is not None and not asked.says(_SUPPOSES)


def _source(asked: Masked) -> int | None:
    """Which of the places the time is given for."""
    for pattern in (_PLACE_AFTER_TIME, _PLACE_BEFORE_TIME):
        if match := re.search(pattern, asked.text):
            at = next(match.start(group) for group, said in enumerate(match.groups(), start=1) if said)
            return asked.text[:at].count("P")
    return None


def _later(asked: Masked) -> Arguments | None:
    """A time of day so much later or earlier."""
    if not asked.has(L=1, C=(0, 1), P=(0, 1), D=(0, 1)) or not _knows(asked, "clocks"):
        return None
    clock = {"time": asked.parts["C"][0].clock()} if asked.parts["C"] else {}
    if not asked.says(_ASKS_TIME, _ASKS_DATE) or asked.says(_COUNTS):
        return None
    if not clock and (asked.parts["D"] or not asked.parts["L"][0].value.seconds):
        return None
    moved, place = _direction(asked), asked.place()
    given_there = {"from_timezone": place["timezone"]} if place and clock else {}
    return None if moved is None else {**place, **given_there, **clock, **asked.date(), **moved}


def _direction(asked: Masked) -> Arguments | None:
    back = asked.says(_BACK)
    if back == asked.says(_AHEAD) or asked.says(_ASKS_START):
        return None
    return {"add": ("-" if back else "") + asked.texts("L")[0]}


def _span(asked: Masked) -> Arguments | None:
    """How long it is from one time of day to another, to one, or since one."""
    if not asked.has(C=(1, 2), P=(0, 1), D=(0, 1)) or not _counts(asked) or not _knows(asked, "clocks"):
        return None
    clocks, unit = asked.parts["C"], _unit(asked)
    if unit.get("unit", "hours") not in {"hours", "minutes", "seconds"} or "business_days" in unit:
        return None
    if len(clocks) == _TWO:
        clear = _joins(asked.text, "C") and not _may_be_afternoon(*clocks)
        ends = {"time": clocks[0].clock(), "until": clocks[1].clock(), **unit}
        return ends if clear and not asked.parts["D"] + asked.parts["P"] else None
    if asked.says(_SINCE):
        return {**asked.place(), **asked.date(), "time": clocks[0].clock(), "until": "now", **unit}
    day = "".join(f"{text} " for text in asked.texts("D"))
    return {**asked.place(), "until": day + clocks[0].clock(), **unit} if asked.says(_UNTIL) else None


def _may_be_afternoon(first: Part, second: Part) -> bool:
    """From 9:15 to 5:40."""
    return second.value <= first.value and not re.search(_SAYS_WHICH_HALF, second.text)


def _age(asked: Masked) -> Arguments | None:
    if not asked.has(D=(1, 2), Y=(0, 1)) or not asked.says(_BORN) or not _knows(asked, "ages"):
        return None
    dates = _without_today(asked)
    this_year = all(year.value == asked.today.year for year in asked.parts["Y"])
    if len(dates) != 1 or not re.search(_HAS_YEAR, dates[0]) or not this_year or not asked.says(_COUNTS, _OLD):
        return None
    return {"date": dates[0], "until": "today", "unit": _unit(asked).get("unit", "years")}


def _difference(asked: Masked) -> Arguments | None:
    """How far two dates are apart, or one from today."""
    if not asked.has(D=(1, 2), P=(0, 1)) or not _counts(asked) or not _knows(asked, "counts"):
        return None
    dates, others = asked.texts("D"), _without_today(asked)
    if asked.parts["P"] and not re.search(_OF_THE_DAY, " ".join(dates)):
        return None
    more = {**asked.place(), **_unit(asked)}
    if len(others) == _TWO and _joins(asked.text, "D") and not asked.says(_REMAINS):
        first, second = reversed(others) if asked.says(_FIRST_IS_LATER) else others
        return {"date": first, "until": _in_that_year(asked, first, second), **more}
    if len(others) != 1:
        return None
    up_to_today = asked.says(_SINCE) or (dates[-1] != others[0] and asked.says(_FIRST_TO_SECOND))
    if up_to_today and not asked.says(_REMAINS):
        return {"date": others[0], "until": "today", **more}
    return {"until": others[0], **more} if asked.says(_UNTIL) else None


def _joins(text: str, tag: str) -> bool:
    """Whether two dates or times are said to be the ends of one stretch, and not two questions."""
    joint = text[text.index(tag) + 1 : text.rindex(tag)]
    if re.fullmatch(_AND, joint):
        return re.search(_BETWEEN, text) is not None
    if re.fullmatch(_IS, joint):
        return re.search(rf"\b(?:before|after) {tag}", text) is not None
    return re.fullmatch(_UP_TO, joint) is not None


def _in_that_year(asked: Masked, first: str, second: str) -> str:
    """A second date without a year is in that of the first, or the next after it."""
    if not re.search(_HAS_YEAR, first) or re.search(_HAS_YEAR, second) or not re.search(r"\d|月", second):
        return second
    try:
        start = read_date(first, asked.today)
        end = read_date(second, start) if start else None
    except Impossible:
        return second
    return end.isoformat() if end else second


def _day(asked: Masked) -> Arguments | None:
    """Which weekday a date is, or which date so and so far from another."""
    dates, years = asked.parts["D"], asked.parts["Y"]
    if not asked.has(D=(1, 2), P=(0, 1), Y=(0, 1)) or not _knows(asked, "dates"):
        return None
    if len(dates) == _TWO:
        weekday = re.fullmatch(_WEEKDAY_ONLY, dates[1].text) and asked.has(D=2) and asked.says(_IS_IT_THAT_DAY)
        return {"date": dates[0].text} if weekday else None
    said = dates[0].text
    counted = re.search(_COUNTED_DATE, said) and without_courtesy(asked.text) == "D"
    if re.fullmatch(_TODAY, said) or not (counted or asked.says(_ASKS_DATE)):
        return None
    if asked.parts["P"] and not re.search(_OF_THE_DAY, said):
        return None  # a feast in a country: it may be another day there
    if years and (re.search(_HAS_YEAR, said) or not years[0].text[0].isdigit()):
        return None
    return {**asked.place(), "date": f"{said} {years[0].value}" if years else said}


def _now(asked: Masked) -> Arguments | None:
    """What time or day it is, here or elsewhere."""
    if not asked.has(P=(0, 1), D=(0, 1)) or _without_today(asked) or asked.says(r"\bwhen\b"):
        return None
    if not asked.says(_ASKS_TIME, _ASKS_DATE) and not (asked.parts["D"] and asked.says(_ASKS_TODAY)):
        return None
    questions = [clause for clause in re.split(_CLAUSE_END, asked.text) if re.search(_ASKS, clause)]
    if asked.parts["P"] and len(questions) > 1:
        return None  # 现在几点，纽约几点: here and there
    return asked.place() if _knows(asked, "now", context=bool(asked.parts["P"])) else None


def _nowhere(asked: Masked) -> Arguments | None:
    """The time in a place that is not known: the tool says so, and which names are like it."""
    match = re.fullmatch(_UNKNOWN_PLACE, asked.said.strip()) if asked.has() else None
    name = match and (match["name"] or match["han"])
    return {"timezone": name} if name and unknown_words(name.lower(), "clocks") else None


_READERS: tuple[Callable[[Masked], Arguments | None], ...] = (
    *(_stamp, _fact, _length, _zones, _conversion, _later, _span, _age, _difference, _day, _now, _nowhere),
)


def _counts(asked: Masked) -> bool:
    return asked.says(_COUNTS, _LEADING_UNIT, _HOW_LONG)


def _without_today(asked: Masked) -> list[str]:
    return [text for text in asked.texts("D") if not re.fullmatch(_TODAY, text)]


def _unit(asked: Masked) -> Arguments:
    """The unit that is asked for; none where several are, or none."""
    found = {
        name.removeprefix("h_")
        for pattern in (_COUNTS, _LEADING_UNIT)
        for match in re.finditer(pattern, asked.text)
        for name, said in match.groupdict().items()
        if said
    }
    if len(found) != 1:
        return {"unit": "weeks"} if found == {"weeks", "days"} else {}
    return {"business_days": True} if found == {"business"} else {"unit": found.pop()}
