"""What questions about time say, in both languages: what is asked, and how what is named belongs together.

The patterns are read against a masked text (`tools.core.time_mask`): small letters, with D for a date, C for a time of
day, L for a length, P for a place, M for a month and Y for a year. They are compiled, and kept by `re`, when they are
first needed: this module must import fast.
"""


def _any(*patterns: str) -> str:
    return "|".join(patterns)


MAY_ASK = (
    r"(?i)time|date|day|week|month|year|hour|minute|when|clock|until|since|ago|old|long|noon|midnight|ahead|behind|\d"
    r"|[几多哪何时天日号周月年差久点]|today|tomorrow|christmas"
)
"""A text without any of these asks for no time."""
CLAUSE_END = r"\s*[,;.?!，；。？！]\s*|\s+[-–—]\s+"
ASKS = r"\?|？|\b(?:what|which|how|when|who|where|why)\b|几|多少|什么|哪|吗|怎"

ASKS_TIME = _any(
    r"\bwhat time\b|\bwhat hour\b|\bclock\b|^time\b|P time",
    r"\b(?:the|current|local|exact|present|their|P(?:'s)?) (?:local |current )?time\b",
    r"\btime (?:is it|it is|now|right now|in P|at P|there|over there|here|P)\b",
    r"几点|几时|什么时间|什么时候|啥时候|啥时间|何时|多少点|报时|时间是",
    r"(?:现在|当前|此刻|目前|当地|本地|P)\s?的?(?:当地)?的?时间",
)
ASKS_DATE = _any(
    r"\bdates?\b|\b(?:what|which) (?:day|month|year|weekday)\b|\bday (?:is it|it is|of the week|of week|today)\b",
    r"\bweekday\b|\bthe day\b|\bwhen\b",
    r"\b(?:what|which) (?:is|was|will be|does|would be) (?:the )?D|\bwhat's D|^count D",
    "几号|几月|几日|多少号|日期|星期几|周几|礼拜几|星期多少|什么星期|哪一?[天日年]|哪个?月|几几年",
    "什么时候|啥时候|何时",
)
ASKS_TODAY = _any(r"\bwhat(?:'s| is)? D\b|\bday\b")
ASKS_ZONE = _any(r"\btime ?zone\b|\butc offset\b|\bgmt offset\b", "时区")
ASKS_START = _any(
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
COUNTS = (
    r"\b(?:how many|how much|(?:the )?(?:number|count|amount) of|(?:the )?difference in|in|many)"
    rf" (?:more |full |whole |calendar |total )?(?:{_UNIT})\b|(?:多少|几)(?:{_HAN_UNIT})(?!几)"
)
"""How many of which unit."""
LEADING_UNIT = (
    rf"\b(?:{_UNIT}) (?:left |remaining |to go )?(?:is it |are there |are )?"
    r"(?:until|till|between|since|before|from|to)\b"
)
"""The unit of `weeks until Christmas`."""
HOW_LONG = _any(
    r"\bhow (?:long|far|old|soon)\b|\bhow much time\b|\btime (?:left )?(?:until|till|between|since|before)\b",
    r"\bcountdown\b|\bdifference\b|多久|多长|相差|相隔|间隔|倒计时|多大|隔了|差了",
)
SINCE = _any(
    r"\bsince\b|\bpassed\b|\belapsed\b|\bgone by\b|\bago\b|\b(?:to|until|till) (?:now|date)\b",
    "距今|至今|迄今|到现在|到目前|到此刻|离现在|离如今|已经|过去|过了|以来|[年天月久周时]了",
)
UNTIL = _any(
    r"\b(?:until|till|before|to|left|away|remain\w*|to go|from now|from D|countdown|off)\b|\bbetween (?:now|D) and\b",
    "距离?|离|到|还有|还剩|还要|还差|倒计时|剩|差|再等|要等|等到",
)
REMAINS = _any(r"\b(?:left|remain\w*|to go|still)\b", "还有|还剩|剩下|剩余|剩")
UNTIL_YEAR = _any(r"\b(?:until|till|to|before) Y", "[到距离]Y")
BETWEEN = _any(r"\b(?:between|difference|apart)\b", "间|差|隔|距")
AND = r",? (?:and|&) (?:the )?|\s?[和与跟同及]\s?"
"""What joins two dates that something lies between."""
IS = r" (?:is|does|will|was)(?: it)? ?"
UP_TO = (
    r",? ?(?:(?:up )?to|until|till|through|thru|-|–|—|~|->|→) ?(?:the )?|\s?(?:一直)?[到至离]\s?|\s?距离?\s?"
    r"|,? how (?:many \w+|long) (?:is it |are there |are )?(?:until|till|to) ?"
)
"""What stands between the beginning and the end of a stretch of time."""
FIRST_IS_LATER = _any(r"\bbefore D (?:is|does|will|was) ")
FIRST_TO_SECOND = _any(r"D[^D]*(?:\bto\b|until|till|到|至)[^D]*D")
IS_IT_THAT_DAY = _any(r"^(?:is|was|will) D (?:be )?(?:on )?an? D", "D是(?:不是)?个?D(?:吗|么|呢|[?？]|$)")

AHEAD = _any(
    r"\b(?:in|after|plus|add|adding|for|lasts?|takes?|lasting|taking) L|L (?:to|onto) C|C (?:plus|\+|and) L",
    r"L (?:from now|from C|later|hence|after|past|long)\b",
    "[再经]?过L|L钟?[之以过]?后|加上?L|[往向]后推?L|持续L|时长L|[要开需花用]L|L的(?:会|课|车程|飞行)",
    "C(?:[之以过]?后|开始|起)?(?:的|再)?L",
)
BACK = _any(
    r"L (?:ago|before|earlier|back|prior to)\b|\b(?:minus|subtract) L",
    "L钟?[之以]?前|减去?L|提前L|C[之以]?前的?L|倒推L|[往向]前推?L",
)
ZONES_APART = _any(
    r"\btime difference\b|\bhours? (?:is |are )?(?:difference|apart|between)\b|\b(?:ahead|behind)\b",
    "时差|相?差了?(?:几|多少)个?(?:小时|钟头)|[快慢早晚]了?(?:几|多少)个?(?:小时|钟头)?",
)
FACTS: tuple[tuple[str, str], ...] = (
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
LENGTH_OF = _any(
    r"\bin (?:the (?:month|year)(?: of)? )?[MY]|\b(?:does|do|has|have) [MY]\b", "[MY](?:一共|总共|共)?有|[MY]共"
)

HERE = _any(
    r"\b(?:here|my time|my time ?zone|my local time|local time|my place|for me|our time|where i am)\b",
    "这里|这边|我这|我们这|本地|咱",
)
TIME_HERE = _any(
    r"C[^,.;?，。；？CP]{0,14}?(?:\bhere\b|\bmy time|\blocal time|\bfor me\b|这里|这边|本地|我这)",
    r"(?:\bhere|\bmy time|\blocal(?: time)?|这里|这边|本地|我这[儿里边]?|我们这儿?)[^,.;?，。；？CP]{0,10}?C",
)
PLACE_AFTER_TIME = (
    r"C(?:,? (?:in|at|over in|on|from)(?: the)? |\s?)(P)"
    r"(?!(?:那边|当地)?(?:时间)?(?:现在)?(?:会|应该)?是?(?:几|什么))"
)
PLACE_BEFORE_TIME = (
    r"(P)(?:'s)?,? ?(?:local |current )?(?:time)?,?(?: (?:is|at|it's|it is|when it's|when it is|its))? ?C"
    r"|(P)(?:那边|那里|当地|本地|这边)?的?(?:时间)?(?:现在|如果|此时)?(?:是|在|的|为|,|，)?D?的?C"
)
BOTH_PLACES = _any(r"P(?:,|、| and| or|和|与)\s?(?:in )?P")
NOW = _any(r"\b(?:now|currently)\b", "现在|目前|此刻|当前")
SUPPOSES = _any(r"\b(?:if|when)\b", "如果|假如|要是|假设")
THEN = _any(
    r"\b(?:their|there|that|this|those|they|he|she)\b",
    "那边|那里|那儿|当地|换成|换算|对应|相当于|那时|此时|他们?|她们?|对方",
    "P(?:当地|那边)?的?(?:时间)?(?:应该)?会?是?几点",
)
"""What a question says to mean what the clause before it spoke of."""
NEVER = (
    r"\b(?:not|no|never|without|except|cancel\w*|instead|moved|postponed|delayed|earlier|later|or|every|each|unless"
    r"|only)\b|n't\b|不|没|别|除了|取消|推迟|提前|或者|还是|每|改到|改成"
)
"""What changes the meaning of a clause that is otherwise of no matter."""

BORN = _any(r"\bborn\b", "出生|生日?的")
OLD = _any(r"\bold\b|\bage\b", "多大|岁|年龄")
TODAY = r"(?i)(?:today|今[天日儿])"
OF_THE_DAY = r"(?i)today|tomorrow|yesterday|tonight|[今明昨前后][天日晚早]"
WEEKDAY_ONLY = r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]"
HAS_YEAR = r"\d{4}|[零〇一二三四五六七八九]{4}年|[今明去前后]年|year"
COUNTED_DATE = r"(?i)[前后推过加减]|\b(?:ago|from|after|before|later|plus|minus|to)\b"
SAYS_WHICH_HALF = r"(?i)[ap]\.?\s?m|morning|noon|evening|night|[早晚夜午晨]|^0|^1[3-9]|^2"
UNKNOWN_PLACE = (
    r"(?i:what(?:'s|s| is) the (?:current |local )?time|what time is it)(?i: right now| now| currently)? in "
    r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3})[.?!]*"
    r"|(?:请问)?(?P<han>[\u4e00-\u9fff]{2,8}?)现在(?:的?时间)?是?几点[了钟啊呀呢]*[？?。]?"
)
