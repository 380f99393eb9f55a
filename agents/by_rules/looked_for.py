"""What a question looks for in documents: its telling words, the kind of answer, and how a text may have them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from switchyard.agents.by_rules.passages import ITEM, NOTES, Passage, Words, base, english_of, one_name
from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.language.asides import core_of
from switchyard.language.dictionary import aliases, meanings_of
from switchyard.language.lexicon import Sense, Token, key_of, segment, senses_of
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tables import rows as table_rows
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words, names_somebody
from switchyard.language.units import find_units
from switchyard.language.words import is_asked

OWN, OVER, FILE, LITERALLY = 5, 3, 1, 1
"""Where a word stands: in the line itself, over it, in the name of its file; and whether it is the very one."""
_ELSEWHEN = re.compile(
    r"(?i)\b(?:last|next|past|end of (?:the|this)) (?:week|month|year)s?\b|[月年]底之?前|[上下]个?[周月]|[去明]年"
)
"""Times that a line would have to be of, and does not say."""
_YEAR = re.compile(r"(?i)\b(last|next) year\b|([去明])年")
DETAILS = re.compile(
    r"(?i),\s*(?:(?:and|the|exact|,)\s*)*(?:(?:dates?|days?|times?|hours?|places?|prices?)\b[\s,]*(?:and\s+)?)+\??$"
)
"""What of it is wanted, behind a question: …, date and hours?"""
_FILES = re.compile(
    r"(?i)\bfolders?\b|\bdirector(?:y|ies)\b|\bhow many (?:\w+ )?(?:files?|lines|words)\b|文件夹|目录"
    r"|[几多少]个?\s*\w*(?:文件|行$|字$)|\b(?:columns|fields) (?:of|does|do|are|in)\b|哪些?字段|数据表"
    r"|哪[些几]个?文件|\b(?:which|what) files\b"
)
"""What is asked of files and tables, not of what they say."""
_EMPTY = (
    *("free", "show", "which", "where", "who", "when", "is", "isit", "mark", "count", "amount", "money", "times"),
    *("row", "unit", "person", "title", "all", "period", "rowname", "long", "and", "cmp", "comes", "each"),
)
_DENIES = ("except", "beside", "empty", "distinct", "or", "of_those", "desc", "asc")
"""Senses of words with which a line that has all words is no answer."""
_ASKING = ("which", "who", "when", "count", "amount", "times", "long", "is", "isit", "share", "agg")
_LEADS = re.compile(
    r"(?:^|(?<=[\s,，？?。-]))(?:(?:have|take) a look (?:at|on|in)|look (?:at|up|in|on)|go(?:ing)? (?:to|by)"
    r"|according to|check|fetch|open|see|call|read|visit|get|it'?s on|from|on|in|at|per|by|the page|the site"
    r"|(?:the )?(?:api|endpoint)"
    r"|(?:(?:our|their|the|this|its) )?(?:[\w'-]+ )?(?:home ?page|web ?page|web ?site|page|site)"
    r"|[\u3400-\u9fff]{0,10}(?:首页|网页|页面|网站|[通公][知告]页|页)"
    r"|(?:调用|请求|访问|查询)?(?:这个)?(?:接口|API)|看看|看一下|看下|查下|打开|访问|调用|查一下|查看|请查|看|查|读取|抓取|按照?|照|根据|去|在|从|把)\s*$",
    re.IGNORECASE,
)
"""What stands before the name of the file or the address that is asked: according to, 按照."""
_FORMS = {
    "max": "max maximum limit most largest high highest 上限 最大 最高 最多 最长 最重 最贵 限",
    "min": "min minimum least low lowest 下限 最小 最低 最少 最短 最轻",
    "not": "not no never without close stop cannot 不 没 无 未 停 禁 勿 除",
}
"""How a line may say the most, the least and a denial, which it has to say itself."""
_HOW = re.compile(
    r"(?i)\bhow (?!many|much|long|often|bad|good|well|do|does|did|is|are|can|could|should|would|to)(\w+)"
    r"(?= (?:is|are|does|do|did|was|were|should|must|may|can|it|the)\b)"
    r"|\bhow (?:soon|far|early|late|old|big|large)\b|多([厚高宽深远粗重烫热冷早晚大]|长(?!时间))"
)
"""How tight, how wide: a number is asked for, in words that no answer has."""
_MEANT = re.compile(
    r"(?i)^(?:is|are|was|were|do|does|did|has|have|can|may|must|should|will)\b|是否|是不是|有没有|吗"
    r"|\b(?:phone|mobile|telephone|number|e-?mail|address|password|code|price|deadline)s?\b"
    r"(?! (?:the|him|her|them|us|me|to)\b)"
    r"|(?:电话|号码|手机|邮箱|地址|密码|价格|邮件地址)(?:是|[:：?？。]|发|给|告诉|我|一下)*$"
)
"""What is asked for without a word that asks: whether it is so, or by its mere name: phone number of the plumber."""
_GLOSS = re.compile(r"[\u3400-\u9fff]{1,6}\s*[（(](?=[A-Za-z])([^（()）]+)[)）]")
"""A Chinese word with what it is called in the file: 输错密码（wrong pin）."""
_PER = re.compile(r"(?i)(?:\b(?:an?|per|each|every)\s+|[每一])$")
_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
_CLOCK = r"\d{1,2}[:：]\d{2}|\d\s*(?:am|pm)\b|[\d一二三四五六七八九十两]\s*[点時时](?!间)|\bnoon\b|中午"
_DAY = (
    r"\d{4}-\d{1,2}|\d\s*[年月日号]|[一二三四五六七八九十]+月|星期|周[一二三四五六日天末]|每[天日周月年]|daily|weekly|monthly"
    rf"|\b(?:{_MONTHS})[a-z]*\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_NUMBER = r"\d|(?<![统唯第])[一二三四五六七八九十百两](?![下共样些起直般定致])"
_PHONE = r"(?<![\d-])\+?\d(?:[ ()-]{0,2}\d){6,14}(?![\d-])"
_KINDS = {
    "clock": _CLOCK,
    "day": _DAY,
    "year": r"(?<!\d)(?:19|20)\d\d(?!\d)",
    "when": f"{_CLOCK}|{_DAY}",
    "phone": _PHONE,
    "email": r"@",
    "who": rf"@|(?-i:(?:[\w,;:)-]\s+|\()(?!(?i:{_MONTHS}|mon|tue|wed|thu|fri|sat|sun|the|this))[A-Z][a-z]+)",
    "percent": r"%|％|\bpercent\b|\bpct\b|百分|折",
    "code": r"(?:password|passcode|pin|密码|口令|门码)\s*[:：=]|\d",
}
"""What an answer has in it that is of a kind, as a pattern; units say it of the others."""
NO_AMOUNT = re.compile(
    rf"(?i){_CLOCK}|{_PHONE}|\d{{4}}-\d\d?-\d\d?|\d+(?:st|nd|rd|th)\b|\d+ (?:{_MONTHS})[a-z]*(?: \d{{4}})?"
    r"|\d+\s*[年月日号]|(?<![\d,.])20[12]\d(?:/\d\d)?(?![\d,.])|\d+(?:\.\d+){2,}|\b(?-i:[A-Z])\w*-\d+\b"
)
"""Figures that are no amount: times, days, years, telephone numbers, versions, codes."""
_OF_CONCEPT = {
    **{kind: kind for kind in ("phone", "email", "temperature")},
    **dict.fromkeys(("distance", "height"), "length"),
    **{"date": "day", "weight": "mass", "duration": "time", "price": "money", "discount": "percent"},  # noqa: PIE800
}
"""By kind of column the kind of answer that its words ask for."""
_CONTACTS = frozenset({"phone", "email"})
_CONTACT = re.compile(
    r"(?i)\b(?:phone|mobile|cell|telephone|contact) (?:number|no\b)|\be-?mail address|(?:手机|电话)号码?"
    r"|邮箱(?:号|地址)|\b(?:phone|mobile|telephone|e-?mail)\W*$|(?:手机|电话|邮箱|邮件)(?:号码?|地址)?(?:是|为)?(?:多少|什么|几号)?\W*$"
)
_OF_SENSE = {"share": "percent", "money": "money"}
_IN_PERCENT = re.compile(r"(?i)(?<![\d\s])\s*(?:%|％|\bpercent\b|\bpercentage\b|百分)")
_CODES = frozenset({"password", "passcod", "pin", "密码", "口令", "门码"})
"""Words for what a text has to tell, not only speak of: the password is on the blackboard."""
_OPENS = frozenset("open close clos shut 开门 关门 打烊 营业 开放 闭馆 下班 上班".split())  # noqa: SIM905
_HOURS = re.compile(rf"(?i)(?:{_CLOCK})\s*(?:[-–—~至到]|to|until)\s*(?:{_CLOCK})")
"""From when to when, which says when it opens and when it closes."""
UNITS = frozenset({"temperature", "mass", "length", "time", "long"})
"""Kinds of answers that a unit tells."""
_CALENDAR = re.compile(
    r"(?i)\d\s?-?(?:months?|years?|yrs?|weeks?)\b|[\d一二三四五六七八九十两半]\s*(?:个月|年(?!\d)|周|星期)"
)
"""Lengths of time of which no unit tells how long they are: 12 months."""
_EXACT_DAY = re.compile(r"(?i)\d|last|yesterday|today|昨|今天|前天|上周|上个?星期")
"""In a day that is one day of the calendar, not a day of every week."""
_NO_YEAR = re.compile(r"(?!.*\d{4}|.*年).*\d.*")
_POINTS = re.compile("[这那哪][个次间位些家台款种份本张辆]")
_UNITLIKE = re.compile(r"[几多少]*(?:[年月日号点元个次项条天张块度]|分钟|小时|公斤|公里)+|[几多少]+[\u3400-\u9fff]")
_TITLED = re.compile(
    r"[^\W\d_A-Za-z的请个位名让给跟是由找问叫哪每各有些几和与或对把被在去到大小新老女男总副该这那谁一二两三]"
    r"(?:师傅|老师|医生|大夫|先生|女士|经理|教练|师父|小姐|太太|阿姨|叔叔|同学)"
)
"""A surname, even one that is a word of another kind, with a title."""
_BEFORE, _BEHIND = "要有一是在被把到", "是要的了过"
"""What goes along with a word that no dictionary has."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that a document may have."""

    text: str
    """Its stem, or Chinese."""
    said: str
    needed: bool = True
    """Whether it narrows the question down; the others only help."""
    name: bool = False
    """Whether it names somebody or something, or is a number: nothing stands for it."""
    kind: str = ""
    """The kind of answer it names, which may stand for it: a telephone number for the word."""
    forms: frozenset[str] = frozenset()
    """Of the most and the least, how the line itself may say it."""

    def place(self, passage: Passage) -> int:
        """Where it stands; 0 where it does not."""
        if self.forms:
            texts = (passage.own, passage.around) if passage.keys or passage.row else (passage.own,)
            return OWN + LITERALLY if any(text.has(form) for text in texts for form in self.forms) else 0
        for place, text in ((OWN, passage.own), (OVER, passage.around), (FILE, passage.source)):
            is_calls = text is passage.source and self.kind in _CONTACTS  # 电话纪要 has no numbers
            if not is_calls and stands(text, self.text, abbreviated=bool(passage.keys)):
                return place + LITERALLY * text.has(self.text)
        if self.text in _OPENS and _HOURS.search(passage.said):
            return OWN
        return OWN if self.kind and is_of_kind(passage.said, self.kind) else 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question looks for."""

    text: str
    tokens: Sequence[Token]
    words: Sequence[Word]
    kinds: frozenset[str]
    """What the answer has in it."""
    places: Sequence[str] = ()
    """The files it names."""
    measured: bool = False
    """Whether it asks how tall or how wide something is, in a word that no answer has."""
    dates: Sequence[str] = ()
    """As 2026-11-14, or 11-14 where no year is said."""

    @property
    def needed(self) -> list[Word]:
        """The words that have to be there."""
        return [word for word in self.words if word.needed]

    @property
    def several(self) -> bool:
        """Whether it asks for more than one thing."""
        return sum(token.has("which", "who", "when", "count", "amount", "long") for token in self.tokens) > 1


# how words stand in a text


def stands(text: Words, word: str, *, abbreviated: bool = False) -> bool:
    """Whether a text has a word, one for the same kind of thing, or one of the other language that means the same."""
    if text.has(word) or any(map(text.has, words_of_kind(_kind_of(word)))):
        return True
    longer = (sorted((word, one), key=len) for one in text.stems) if abbreviated else ()
    if any(len(one) > 3 and other.startswith(one) for one, other in longer):  # noqa: PLR2004  temp, temperature
        return True
    if not has_chinese(word):
        return word in text.meanings or any(one in text.small for one in aliases(word) if has_chinese(one))
    if not text.stems.isdisjoint(english_of(word) or aliases(word)):
        return True
    return len(word) > 1 and not text.senses.isdisjoint(meanings_of(word))  # 午餐 is 午饭


@cache
def _concepts() -> dict[str, frozenset[str]]:
    """The single words for each kind of thing."""
    kinds: dict[str, frozenset[str]] = {}
    for name, *cells in table_rows("concepts"):
        keys = (key_of(word) if word.isascii() else (word,) for cell in cells for word in cell.split("|"))
        kinds[name] = frozenset(key[0] for key in keys if len(key) == 1)
    return kinds


@cache
def _kind_of(word: str) -> str:
    """The kind of answer that a word names; nothing where it names none."""
    return next((kind for concept, kind in _OF_CONCEPT.items() if word in _concepts()[concept]), "")


@cache
def words_of_kind(kind: str) -> frozenset[str]:
    """The words for a kind of answer."""
    return frozenset(one for concept, known in _OF_CONCEPT.items() if known == kind for one in _concepts()[concept])


def is_of_kind(text: str, kind: str) -> bool:
    """Whether a text has a figure of a kind."""
    if kind in {"number", "amount"}:  # neither a time nor the number of an item is one
        return re.search(_NUMBER, NO_AMOUNT.sub("", ITEM.sub("", text, count=1))) is not None
    if kind == "money":
        return _money().search(text) is not None
    if kind == "phone":  # neither a date is one
        text = re.sub(r"\d{4}-\d{1,2}-\d{1,2}", "", text)
    if kind == "code":  # nor is this one
        text = NO_AMOUNT.sub("", text)
    if kind == "who" and has_chinese(text) and names_somebody(text):
        return True
    if kind in _KINDS:
        return re.search(_KINDS[kind], text, re.IGNORECASE) is not None
    kinds = ("time", "length") if kind == "long" else (kind,)
    if "time" in kinds and _CALENDAR.search(text):
        return True
    return any(one.unit.kind in kinds and re.search(r"\d\s*$", text[: one.start]) for one in find_units(text))


@cache
def _money() -> re.Pattern[str]:
    """Sums of money, or a name for one."""
    names = {name for row in table_rows("currencies") for cell in row for name in cell.split("|") if name != "-"}
    said = "|".join(rf"{re.escape(name)}(?![a-z])" for name in sorted(names, key=len, reverse=True))
    called = r"\b(?:price|cost|fee|rate)s?\b|价|费"
    return re.compile(
        rf"(?i)[$€£¥￥]\s?\d[\d,.]*|\b(?-i:R|Rs\.?|S/|[A-Z]{{3}})\s?\d[\d,]*(?:\.\d\d)?\b|\d[\d,.]*\s*(?:{said}|(?-i:[A-Z]{{3}}\b))|{called}"
    )


# the words of a question


def asked_in(question: str, today: date, place: Place | None = None) -> Asked | None:
    """The words of a question that a document has to have; None where there are none, or it denies something."""
    question = _YEAR.sub(
        lambda year: f" {today.year + (1 if (year[1] or year[2]).lower() in {'next', '明'} else -1)} ",
        DETAILS.sub("?", core_of(question).text),
    )
    mentions = find_mentions(question, today)
    named = [one for one in mentions if _names_place(one, place)]
    if any(one.kind == "quoted" and one not in named for one in mentions):
        return None  # what is quoted is looked for by its letters
    places = [place.apart(one, question) for one in named] if place else named
    bare = question
    for one in reversed(places):
        bare = f"{without_lead(bare[: one.start])} {bare[one.end :]}"
    bare = without_courtesy(bare, after=True)
    text = one_name(_HOW.sub("", bare))
    tokens = segment(text, [], {})
    asks = text != bare or any(token.has(*_ASKING) for token in tokens)
    if (not asks and not _MEANT.search(question)) or _denies(text, tokens):
        return None
    dates = [one for one in find_mentions(text, today) if one.kind == "date" and _EXACT_DAY.search(one.text)]
    words = [*_words(hidden(text, dates), tokens)]
    if not any(word.needed and not word.forms for word in words) or _FILES.search(text) or _ELSEWHEN.search(text):
        return None
    measured = text != one_name(bare)
    kinds = {*_kinds(tokens), *(["number"] if measured else [])}
    kinds |= {"code" for word in words if word.text in _CODES}
    kinds |= {"percent"} if _IN_PERCENT.search(text) else set[str]()
    if not kinds & {"long", "clock", "day", "when"}:  # how long a drive takes is no money
        kinds |= {"amount" for word in words if word.kind == "money"}
    contacts = _CONTACTS & {word.kind for word in words}
    kinds -= {"number"} if "phone" in contacts else set[str]()  # 电话多少
    kinds = kinds or (contacts if _CONTACT.search(text) else set[str]())
    days = [f"{one.value:%Y-%m-%d}"[5 if _NO_YEAR.fullmatch(one.text) else 0 :] for one in dates]
    return Asked(bare, tokens, words, frozenset(kinds), [str(one.value) for one in places], measured, days)


def without_lead(before: str) -> str:
    """What is said before a file or an address, without what leads to it."""
    while (bare := _LEADS.sub("", before).rstrip(" ,，:：-–—")) != before:
        before = bare
    return before


def _denies(text: str, tokens: Sequence[Token]) -> bool:
    """Whether a question leaves something out; 除 in 除湿机 and 外 in 户外活动 do not."""
    denies = [one for one in tokens if one.has(*_DENIES) and not one.has("free")]
    near = [(one.start, one.end) for one in denies]
    longer = [(text[max(at - 1, 0) : end], text[at : end + 1], text[at : end + 2]) for at, end in near]
    known = [[senses_of(key_of(word)) for word in words if meanings_of(word)] for words in longer]
    return any(all(any(sense.kind in _DENIES for sense in senses) for senses in found) for found in known)


def _names_place(one: Mention, place: Place | None) -> bool:
    """Whether a file or an address is mentioned, in a workspace a file's name in quotes too."""
    if one.kind == "path" and place is not None and not place.exists(place.found(str(place.apart(one).value))):
        return "/" in str(one.value) or Path(str(one.value)).suffix.lower() in {*NOTES, ".json", ".csv", ".html"}
    is_quoted = one.kind == "quoted" and place is not None
    return one.kind in {"path", "url"} or (is_quoted and bool(re.fullmatch(r"[^\n:*?]+\.\w{1,8}", str(one.value))))


def _kinds(tokens: Sequence[Token]) -> Iterator[str]:
    """What an answer has to have in it."""
    asking = [token for token in tokens if token.has(*_ASKING)]
    for token in asking:
        said = token.text.lower()
        if (when := token.get("when")) is not None and (said != "when" or token is asking[0]):  # … when it rains
            is_open = said in {"when", "什么时候", "何时", "什么时间"}
            of_day = "clock" if re.search(r"time|点", said) else "day"
            yield "year" if when.value == "year" else "when" if is_open else of_day
        elif token.has("count", "times", "is") and said != "number of":
            yield "number"
        yield from (kind for kind in ("amount", "long") if token.has(kind))
        if token.has("who") and said != "whose":
            yield "who"


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    """The words of a question: those that an answer has to have, and those that may help to find it."""
    glossed = [match.span() for match in _GLOSS.finditer(text)]
    limits = [(one, sense) for one in tokens for sense in one.senses if _form_of(sense) and not sense.about]
    limits = [(one, sense) for one, sense in limits if not re.search(r"\d\s*$", text[: one.start])]  # 45 min
    for token, sense in limits:
        yield Word(base(token.text), token.text, forms=frozenset({base(token.text), *_form_of(sense).split()}))
    seen: set[str] = set()
    for said, start, end in _pieces(text):
        token = next((one for one in tokens if one.start <= start and end <= one.end and one.senses), None)
        word = said if has_chinese(said) else base(said)
        if word in seen or any(one.start < end and start < one.end for one, _ in limits):
            continue
        seen.add(word)
        empty = _is_empty(said, token) and not (token and token.has("period", "unit") and _PER.search(text[:start]))
        light = word in table_words("words", "light") and not said[:1].isupper()
        in_gloss = has_chinese(said) and any(first <= start and end <= last for first, last in glossed)
        kind = next((named for sense, named in _OF_SENSE.items() if token and token.has(sense)), _kind_of(word))
        titled = _TITLED.fullmatch(said) or re.search(r"(?i)\b(?:mr|mrs|ms|dr)\.? $", text[:start])
        name = said[:1].isdigit() or (start > 0 and said[:1].isupper()) or bool(titled)
        if not empty or kind:
            yield Word(word, said, not (empty or light or in_gloss), name, kind)


def _form_of(sense: Sense) -> str:
    return _FORMS.get("not" if sense.kind == "not" else str(sense.value) if sense.kind in {"sup", "agg"} else "", "")


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text with their places."""
    for match in re.finditer(r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f.'’-]*|\d[\d.:-]*", text):
        word = match[0].rstrip(".'’-:")
        for part in filter(None, re.split(r"[-:]" if word[:1].isdigit() else "-", word)):
            yield part, match.start(), match.end()
    before = 0
    for word, start, end in located_words(text):
        if _TITLED.fullmatch(text, before, end):
            yield text[before:end], before, end
        before = start
        if has_chinese(word):
            loose = len(word) > 1 and not meanings_of(word)  # 课是谁教的, 要收
            first, last = start + (loose and word[0] in _BEFORE), end - (loose and word[-1] in _BEHIND)
            if first < last:
                yield text[first:last], first, last


def _is_empty(said: str, token: Token | None) -> bool:
    if has_chinese(said):
        kinds = {sense.kind for sense in senses_of(key_of(said))}
        counts = _UNITLIKE.fullmatch(said) or _POINTS.fullmatch(said) or is_asked(said)
        return bool(counts) or "free" in kinds or (bool(kinds) and kinds.issubset(_EMPTY))
    return not said[:1].isdigit() and (len(said) == 1 or (token is not None and token.has(*_EMPTY)))
