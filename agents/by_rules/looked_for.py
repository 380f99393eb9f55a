"""What a question looks for in documents: its telling words, the kind of answer, and how a text may have them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from switchyard.agents.by_rules.passages import ITEM, NOTES, Passage, Words, base, english_of, one_name
from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.language.dictionary import aliases, is_verb, meanings_of
from switchyard.language.lexicon import Sense, Token, key_of, lexicon, segment, senses_of
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tables import rows as table_rows
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.units import find_units
from switchyard.language.words import is_asked

OWN, OVER, FILE, LITERALLY = 5, 3, 1, 1
"""What a word counts that stands in the line itself, over it, or in the name of its file; and if it is the very one."""

_WHEN = re.compile(
    r"(?i)^\W*(?:and |by |until |since )?when\b"
    r"|\bwhen(?:'s| (?:and|is|are|was|were|do|does|did|will|can|should|must))\b"
)
"""When that asks, not when something happens."""
_EMPTY = (
    *("free", "show", "which", "where", "who", "when", "is", "isit", "mark", "count", "amount", "money", "times"),
    *("row", "unit", "person", "title", "all", "compute", "period", "rowname", "long", "and", "cmp", "comes"),
)
_DENIES = ("except", "beside", "empty", "distinct", "or", "of_those", "desc", "asc")
"""Senses of words with which a line that has all words is no answer."""
_ASKING = ("which", "who", "when", "count", "amount", "times", "long", "is", "isit", "share", "agg")
_FIGURES = ("sup", "agg", "each", "not")
"""Senses of words that a line may have in another form, but has to have itself."""
_LIMITS = {"max": "max maximum limit 上限 最", "min": "min minimum 下限 最"}
_EACH = "per each every a 每 /"
_NOT = "not no never without close stop cannot 不 没 无 未 停 禁 勿 除"
_HOW = re.compile(
    r"(?i)\bhow (?!many|much|long|often|bad|good|well|do|does|did|is|are|can|could|should|would|to)(\w+)"
    r"(?= (?:is|are|does|do|did|was|were|should|must|may|can|it|the)\b)"
    r"|多([厚高宽深远粗重烫热冷])"
)
"""How tight, how wide: a number is asked for, in words that no answer has."""
_MEASURED = {
    **dict.fromkeys(("warm", "hot", "cold", "cool", *"烫热冷"), "temperature"),
    **dict.fromkeys(("far", "tall", "high", "wide", "deep", *"厚高宽深远粗"), "length"),
    **dict.fromkeys(("heavy", "重"), "mass"),
}
_SENTENCE = re.compile(r"(?<=[!！。；])\s*(?=\S)|(?<=\w\.)\s+(?=\S)|\s[-–—]+\s")
"""Where one sentence ends and another begins."""
_ATTRIBUTE = re.compile(
    r"(?i)\bwhat(?:'?s| is| are| was| were) (?:the |our |my |\w+'s )?((?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?= (?:of|for|to|in|at|on|from|per|again|when|if|that|we|i|you|with)\b|\W*$)"
    r"|\bwhat (?:do|does|did) .+? ([a-z]+)(?= (?:a|per|each) \w+\W*$|\W*$)"
    r"|\bhow many ([a-z]+)"
    r"|([\u3400-\u9fff]{2,})(?:是多少|是什么|是几)"
)
"""What of a thing is asked for: no line says it that has not the word."""
_ELSEWHEN = re.compile(
    r"(?i)\b(?:last|next|past|end of (?:the|this)) (?:week|month|year)s?\b|[月年]底之?前|上个?[周月]|下个?[周月]"
)
"""Times that a line would have to be of, and does not say."""
_YEARS = {r"(?i)\bnext year\b|明年": 1, r"(?i)\blast year\b|去年": -1}
_FILES = re.compile(
    r"(?i)\bfolders?\b|\bdirector(?:y|ies)\b|\bhow many (?:\w+ )?(?:files?|lines|words)\b|文件夹|目录"
    r"|[几多少]个?\s*\w*(?:文件|行$|字$)|\b(?:columns|fields) (?:of|does|do|are|in)\b|哪些?字段|数据表"
)
"""What is asked of files and tables, not of what they say."""
_MEANT = re.compile(
    r"(?i)^(?:is|are|was|were|do|does|did|has|have|can|may|must|should|will)\b|是否|是不是|有没有"
    r"|\b(?:phone|mobile|telephone|number|e-?mail|address|password|code|price|deadline)s?\b"
    r"(?! (?:the|him|her|them|us|me|to)\b)"
    r"|(?:电话|号码|手机|邮箱|地址|密码|价格|邮件地址)(?:是|[:：?？。]|发|给|告诉|我|一下)*$"
)
"""What is asked for without a word that asks: whether it is so, or by its mere name: phone number of the plumber."""
_GLOSS = re.compile(r"[\u3400-\u9fff]+\s*[（(](?=[A-Za-z])([^（()）]+)[)）]")
"""A Chinese word with what it is called in the file: 输错密码（wrong pin）."""
_MONTHS = "jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec"
_CLOCK = r"\d{1,2}[:：]\d{2}|\d\s*(?:am|pm)\b|[\d一二三四五六七八九十两]\s*[点時时](?!间)|\bnoon\b|中午"
_DAY = (
    r"\d{4}-\d{1,2}|\d\s*[年月日号]|[一二三四五六七八九十]+月|星期|周[一二三四五六日天末]|每[天日周月年]|daily|weekly|monthly"
    rf"|\b(?:{_MONTHS})[a-z]*\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_NUMBER = r"\d|(?<![统唯第])[一二三四五六七八九十百两](?![下共样些起直般定致])"
_KINDS = {
    "clock": _CLOCK,
    "day": _DAY,
    "year": r"(?<!\d)(?:19|20)\d\d(?!\d)",
    "when": f"{_CLOCK}|{_DAY}",
    "number": _NUMBER,
    "phone": r"(?<![\d-])\+?\d(?:[ ()-]{0,2}\d){6,14}(?![\d-])",
    "email": r"@",
    "who": rf"[\u3400-\u9fff]|@|[\w,;:)]\s+(?!(?i:{_MONTHS}|mon|tue|wed|thu|fri|sat|sun))[A-Z][a-z]+"
    r"|^-\s+(?!The|This|That|Each)[A-Z][a-z]+\s+[a-z]+s\b",  # Jonas buys a lock
    "where": r"\b(?:in|at|on|under|behind|above|near|beside|with|to|by|street|road|lane|address)\b|,"
    r"|[在路号楼柜处旁后左右]|地点|地址|位于|抽屉|下面",
    "percent": r"%|％|\bpercent\b|\bpct\b|百分|折",
}
"""What an answer has in it that is of a kind, as a pattern; units say it of the others."""
NO_AMOUNT = re.compile(
    rf"(?i){_CLOCK}|{_KINDS['phone']}|\d{{4}}-\d\d?-\d\d?|\d+(?:st|nd|rd|th)\b|\d+ (?:{_MONTHS})[a-z]*(?: \d{{4}})?"
    r"|\d+\s*[年月日号]|(?<![\d,.])20[12]\d(?:/\d\d)?(?![\d,.])"
)
"""Figures that are no amount: times, days, years, telephone numbers."""
_OF_CONCEPT = {
    **{kind: kind for kind in ("phone", "email", "temperature")},
    **dict.fromkeys(("distance", "height"), "length"),
    **{"date": "day", "weight": "mass", "duration": "time", "price": "money", "discount": "percent"},  # noqa: PIE800
}
"""By kind of column the kind of answer that its words ask for."""
_EITHER = {"long": ("time", "length"), "rate": ("percent", "money")}
_CODES = frozenset({"password", "passcod", "pin", "密码", "口令", "门码"})
"""Words for what a text has to tell, not only speak of: the password is on the blackboard."""
UNITS = frozenset({"temperature", "mass", "length", "time", "long"})
"""Kinds of answers that a unit tells."""
_EXACT_DAY = re.compile(r"(?i)\d|last|yesterday|today|昨|今天|前天|上周|上个?星期")
"""In a day that is one day of the calendar, not a day of every week."""
_NO_YEAR = re.compile(r"(?!.*\d{4}|.*年).*\d.*")
_POINTS = re.compile("[这那哪][个次间位些家台款种份本张辆]")
_EVENT_WORDS = frozenset({"time", "day", "log", "日志", "record", "entri", "line"})
_UNITLIKE = re.compile(r"[几多少]*(?:[年月日号点元个次项条天张块度]|分钟|小时|公斤|公里)+|[几多少]+[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that a document may have."""

    text: str
    """Its stem, or Chinese."""
    said: str = ""
    needed: bool = True
    kind: str = ""
    """The kind of answer it names, which may stand for it: a telephone number for the word."""
    forms: frozenset[str] = frozenset()
    """Other forms that the line itself may have it in; it is not looked for over it."""
    name: bool = False
    """Whether it names somebody or something, or is a number: nothing stands for it."""
    told: bool = False
    """Whether it is only told before the question."""
    done: bool = False
    """Whether it is a verb: what is done may be said in other words (lost, mislaid), what it is done to hardly."""
    event: bool = False
    """Whether it asks about things that happened, of which a log has a line each: last, most."""

    def points(self, passage: Passage) -> int:
        """What it counts in a passage; 0 where it is not there."""
        if self.forms:
            over = (passage.around, passage.source) if "per" in self.forms or passage.rows else ()
            texts = (passage.own, *over)
            return OWN + LITERALLY if any(_in(text)(form) for text in texts for form in (self.text, *self.forms)) else 0
        for points, text in ((OWN, passage.own), (OVER, passage.around), (FILE, passage.source)):
            if stands(text, self.text, abbreviated=bool(passage.keys)):
                return points + LITERALLY * _in(text)(self.text)
        return OWN + LITERALLY if self.kind and is_of_kind(passage.said, self.kind) else 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question looks for."""

    words: tuple[Word, ...]
    kinds: frozenset[str]
    """What the answer has in it."""
    places: tuple[str, ...] = ()
    """The files or addresses it names."""
    dates: tuple[str, ...] = ()
    """As 2026-11-14, or 11-14 where no year is said."""
    upward: bool | None = None
    """Whether it asks above what something happens, or below."""
    text: str = ""
    is_flag: bool = False
    """Whether it can be answered with yes or no."""
    several: bool = False
    """Whether it asks for several things."""
    events: frozenset[str] = frozenset()
    """What is asked of things that happened: how many `times`, the `first`, the `last`, the `most`, all in a `list`."""

    @property
    def needed(self) -> list[Word]:
        """The words that have to be there."""
        return [word for word in self.words if word.needed]


def is_of_kind(text: str, kind: str) -> bool:
    """Whether a text has a figure of a kind."""
    if kind == "money":
        return _money().search(text) is not None
    if kind in {"amount", "count", "number"}:  # neither a version nor the number of an item is an answer
        text = ITEM.sub("", re.sub(r"\d+(?:\.\d+){2,}", "", text), count=1)
    if kind in {"amount", "count"}:  # neither a time nor a telephone number is one; how many is not how much
        text = _money().sub("", text) if kind == "count" else text
        return re.search(_NUMBER, NO_AMOUNT.sub("", text)) is not None
    if kind in _EITHER:
        return any(is_of_kind(text, one) for one in _EITHER[kind])
    if kind == "code":
        return re.search(rf"(?i)(?:{'|'.join(_CODES)})\s*[:：=]|\d", NO_AMOUNT.sub("", text)) is not None
    if kind == "phone":
        text = re.sub(r"\d{4}-\d{1,2}-\d{1,2}", "", text)
    if kind in _KINDS:
        return re.search(_KINDS[kind], text, 0 if kind == "who" else re.IGNORECASE) is not None
    return any(one.unit.kind == kind and re.search(r"\d\s*$", text[: one.start]) for one in find_units(text))


@cache
def _money(*, asked: bool = False) -> re.Pattern[str]:
    """Sums of money, or how much of a currency is `asked` for: 多少人民币."""
    names = {name for row in table_rows("currencies") for cell in row for name in cell.split("|") if name != "-"}
    said = "|".join(rf"{re.escape(name)}(?![a-z])" for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"(?i)(?:多少|how many )(?:{said})" if asked else rf"(?i)[$€£¥￥]\s?\d[\d,.]*|\d[\d,.]*\s*(?:{said})"
    )


@cache
def words_of_kind(kind: str) -> frozenset[str]:
    """The words for a kind of answer."""
    return frozenset(one for concept, known in _OF_CONCEPT.items() if known == kind for one in _concepts()[concept])


# how words stand in a text


def _in(text: Words) -> Callable[[str], bool]:
    return lambda form: form in text.small if has_chinese(form) or form == "/" else form in text.stems


def stands(text: Words, word: str, *, abbreviated: bool = False) -> bool:
    """Whether a text has a word, one for the same kind of thing, or one of the other language that means the same."""
    if _in(text)(word):
        return True
    longer = (sorted((word, one), key=len) for one in text.stems) if abbreviated else ()
    short = any(len(one) > 3 and other.startswith(one) for one, other in longer)  # noqa: PLR2004  temp, temperature
    if short or any(map(_in(text), _mates(word))):
        return True
    if not has_chinese(word):
        return word in text.meanings or any(one in text.small for one in aliases(word) if has_chinese(one))
    return not text.stems.isdisjoint(english_of(word) or aliases(word))


def _concepts() -> dict[str, frozenset[str]]:
    """The single words for each kind of thing."""
    kinds: dict[str, frozenset[str]] = {}
    for name, *cells in table_rows("concepts"):
        keys = (key_of(word) if word.isascii() else (word,) for cell in cells for word in cell.split("|"))
        kinds[name] = frozenset(key[0] for key in keys if len(key) == 1)
    return kinds


@cache
def _mates(word: str) -> frozenset[str]:
    """Other words for the kind of thing that a word names."""
    alike = (known for name, known in _concepts().items() if name in _OF_CONCEPT and word in known)
    return frozenset[str]().union(*alike) - {word}


# the words of a question


def asked_in(question: str, today: date, place: Place | None = None) -> Asked | None:
    """The words of a question that a document has to have; None where there are none, or it denies something."""
    named = [one for one in find_mentions(question, today) if _names_place(one, place)]
    if any(one.kind == "quoted" and one not in named for one in find_mentions(question, today)):
        return None  # what is quoted is looked for by its letters
    places = [place.apart(one, question) for one in named] if place else named
    bare = question
    for one in reversed(places):
        bare = f"{bare[: one.start]} {bare[one.end :]}"
    told, bare = _told_before(bare)
    bare = without_courtesy(bare, after=True)
    for said, years in _YEARS.items():
        bare = re.sub(said, f" {today.year + years} ", bare)
    text = one_name(_HOW.sub("", bare))
    tokens = segment(text, [], {})
    within = [(start + 1, end) for word, start, end in located_words(text) if meanings_of(word)]  # 除 in 除湿机
    denies = [one for one in tokens if one.has(*_DENIES) and not one.has("free")]
    if any(not any(start <= one.end < end for start, end in within) for one in denies):
        return None
    asks = text != bare or any(token.has(*_ASKING) for token in tokens)
    if not asks and not _MEANT.search(bare) and "吗" not in question:
        return None
    dates = [one for one in find_mentions(text, today) if one.kind == "date" and _EXACT_DAY.search(one.text)]
    words = [*_words(hidden(text, dates), tokens)]
    extra = _words(one_name(told), segment(one_name(told), [], {})) if told else ()
    words += [replace(word, needed=False, told=True) for word in extra if word.needed and not word.forms]
    if not any(word.needed and not word.forms for word in words) or _FILES.search(text) or _ELSEWHEN.search(text):
        return None
    kinds = {
        *_kinds(bare, tokens),
        *(_MEASURED.get((one[1] or one[2]).lower(), "number") for one in _HOW.finditer(bare)),
    }
    kinds |= {"code" for word in words if word.text in _CODES}
    if any(word.kind == "phone" for word in words):
        kinds -= {"count", "number"}  # 电话多少
    sums = any(word.needed and word.text[-1] in "金费价款额" for word in words)
    if "count" in kinds and (sums or _money(asked=True).search(bare)):
        kinds = kinds - {"count"} | {"amount"}  # 租金多少
    return Asked(
        tuple(words),
        frozenset(kinds),
        tuple(str(one.value) for one in places),
        tuple(f"{one.value:%Y-%m-%d}"[5 if _NO_YEAR.fullmatch(one.text) else 0 :] for one in dates),
        next((sense.value[0] == ">" for token in tokens for sense in token.all("cmp") if sense.value[0] in "<>"), None),
        bare,
        not asks,
        sum(map(_asks, re.split(r"[,，?？]|\band\b", bare))) > 1,
        frozenset(_events(bare, [one for one in tokens if not any(day.start <= one.start < day.end for day in dates)])),
    )


def _told_before(question: str) -> tuple[str, str]:
    """What a question tells before it asks, and what it asks."""
    parts = [part for part in _SENTENCE.split(question) if part and part.strip()]
    asking = [part for part in parts if part.rstrip().endswith(("?", "？")) or _asks(part)] or parts
    asking = [part for part in parts if part in asking or _says_which(part)]
    told = [part for part in parts if part not in asking]
    return " ".join(told), " ".join(asking)


def _says_which(text: str) -> bool:
    """Whether a part of a question chooses what it is about: last error in pump.log - which pump?"""
    return any(token.has("last", "first", "sup") for token in segment(text, [], {}))


def _asks(text: str) -> bool:
    return any(token.has(*_ASKING) for token in segment(text, [], {})) or _HOW.search(text) is not None


def _names_place(one: Mention, place: Place | None) -> bool:
    """Whether a file or an address is mentioned, in a workspace a file's name in quotes too."""
    if one.kind == "path" and place is not None and not place.exists(place.found(str(place.apart(one).value))):
        return "/" in str(one.value) or Path(str(one.value)).suffix.lower() in {*NOTES, ".json", ".csv", ".html"}
    is_quoted = one.kind == "quoted" and place is not None
    return one.kind in {"path", "url"} or (is_quoted and bool(re.fullmatch(r"[^\n:*?]+\.\w{1,8}", str(one.value))))


def _kinds(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What an answer has to have in it."""
    for token in tokens:
        said = token.text.lower()
        if token.has("when") and token.the("when").value == "year":
            yield "year"
        elif token.has("when") and (said != "when" or _WHEN.search(text)):
            is_open = said in {"when", "什么时候", "何时", "什么时间"}
            yield "when" if is_open else "clock" if re.search(r"time|点", said) else "day"
        yield from (kind for kind in ("amount", "long", "where") if token.has(kind))
        if token.has("count", "times", "is"):
            yield "count" if token.has("count") and not token.has("is", "times") and said != "number of" else "number"
        if token.has("who") and said != "whose":
            yield "who"


def _events(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What a question asks of things that happened."""
    for token in tokens:
        yield from (kind for kind in ("times", "last", "first") if token.has(kind))
        for sense in token.all("sup"):
            if sense.about == "date":
                yield "last" if sense.value == "max" else "first"
            elif sense.value == "max" and not sense.about:
                yield "most"
    if re.search(r"哪[些几]|分别|\b(?:which|list|show|all)\b", text, re.IGNORECASE):
        yield "list"


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    """The words of a question: those that an answer has to have, and those that may help to find it."""
    glossed = [match.span() for match in _GLOSS.finditer(text)]
    figures = [(one, sense) for one in tokens for sense in one.senses if sense.kind in _FIGURES]
    for token, sense in figures:
        event = token.has("last", "first", "sup", "times")
        yield Word(base(token.text), token.text, forms=_forms(sense), event=event)
    asked = {"amount": "price", "who": "name", "when": "date"}
    yield from (Word(name, needed=False) for kind, name in asked.items() if any(token.has(kind) for token in tokens))
    seen: set[str] = set()
    attributes = {str(one[one.lastindex or 0]).split()[-1] for one in _ATTRIBUTE.finditer(text)}
    attributes |= {word for one in attributes for word, _, end in located_words(one) if end == len(one)}
    for said, start, end in _pieces(text):
        if any(token.start < end and start < token.end for token, _ in figures):
            continue
        token = next((one for one in tokens if one.start <= start and end <= one.end and one.senses), None)
        word = said if has_chinese(said) else base(said)
        if word in seen or _is_empty(said, token):
            if token is not None and token.has("money"):
                yield Word(word, said, needed=False, kind="money")
            elif token is not None and token.has("period", "unit") and word not in seen:
                yield Word(word, said, needed=False)
            continue
        seen.add(word)
        light = word in table_words("words", "light") and not said[:1].isupper() and "-" not in text[start:end]
        in_gloss = has_chinese(said) and any(first <= start and end <= last for first, last in glossed)
        kinds = (_OF_CONCEPT[name] for name, known in _concepts().items() if name in _OF_CONCEPT and word in known)
        kind = "percent" if token is not None and token.has("share") else "rate" if word == "rate" else next(kinds, "")
        event = word in _EVENT_WORDS or (token is not None and token.has("last", "first", "times"))
        named = said[:1].isdigit() or (start > 0 and said[:1].isupper()) or not attributes.isdisjoint((said, word))
        done = is_verb(said) and not _ARTICLE.search(text[:start]) and not _OF_NOUN.match(text[end:])
        yield Word(word, said, not (light or in_gloss), kind, name=named, event=event, done=done)


def _forms(figure: Sense) -> frozenset[str]:
    """Other ways to say the same figure."""
    said = {"each": _EACH, "not": _NOT}.get(figure.kind, "") or _LIMITS.get(str(figure.value), "")
    same = (key for key, senses in lexicon().items() if figure in senses and len(key) == 1)
    return frozenset({*said.split(), *(key[0].rstrip("\0") for key in same)})


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text with their places."""
    for match in re.finditer(r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f.'’-]*|\d[\d.:-]*", text):
        word = match[0].rstrip(".'’-:")
        parts = re.split(r"[-:]", word) if word[:1].isdigit() else re.split(r"-", word)
        for part in filter(None, parts):
            yield part, match.start(), match.end()
    for word, start, end in located_words(text):
        if not has_chinese(word):
            continue
        loose = len(word) > 1 and not meanings_of(word)  # 课是谁教的, 要收
        first, last = start + (loose and word[0] in _BEFORE), end - (loose and word[-1] in _BEHIND)
        if first < last:
            yield text[first:last], first, last


_ARTICLE = re.compile(r"(?i)\b(?:the|an?|of|our|my|your|his|her|their|this|that|per|each|any)\s+$")
_OF_NOUN = re.compile("[了过]?的[^?？，,]")
"""After a Chinese verb that says of which kind something is: 备用的钥匙."""
_BEFORE, _BEHIND = "要有一是在被把到", "是要的了过"
"""What goes along with a word that no dictionary has."""


def _is_empty(said: str, token: Token | None) -> bool:
    if has_chinese(said):
        kinds = {sense.kind for sense in senses_of(key_of(said))}
        counts = _UNITLIKE.fullmatch(said) or _POINTS.fullmatch(said) or is_asked(said)
        return bool(counts) or "free" in kinds or (bool(kinds) and kinds.issubset(_EMPTY))
    if said[:1].isdigit():
        return False
    return len(said) == 1 or (token is not None and token.has(*_EMPTY) and not token.has(*_FIGURES))
