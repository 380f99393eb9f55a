"""What a document says: the one line of a note, or entry of a JSON file, that answers a question.

Every word of the question that means something has to stand there: in the line itself, in the headings over it or in
the name of its file; so has the kind of answer that is asked for (a date, a number, a telephone number). Only words
that an answer need not repeat are left out, never a name, a number or what denies. Where two places fit about as well
and say different things, it is not answered.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from switchyard.agents.by_rules.passages import LOG, Passage, Words, documents
from switchyard.agents.by_rules.pieces import Place, without_courtesy
from switchyard.agents.by_rules.query import quoted
from switchyard.language.clauses import clauses
from switchyard.language.dictionary import aliases, english_terms
from switchyard.language.lexicon import Sense, Token, key_of, lexicon, segment, senses_of, stem
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.tables import rows as table_rows
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.units import find_units
from switchyard.language.words import needs_a_model
from switchyard.ledger.plan import Call

LONGEST = 200
LONG_WORD, LONG_CHINESE_WORD = 6, 3
"""Letters of a word that may be all that is asked for, where just one line has it."""
OWN, OVER, FILE = 3, 2, 1
"""What a word counts that stands in the line itself, over it, or in the name of its file."""
AHEAD = 2
"""How much more the words of the best place have to count than those of any other that says something else."""
LEVELS = 3
"""How a word may stand there: itself, another word for the same kind of thing, or one of the other language."""

_WHEN = re.compile(
    r"^\W*(?:and |by |until |since )?when\b|\bwhen(?:'s| (?:and|is|are|was|were|do|does|did|will|can|should|must))\b",
    re.IGNORECASE,
)
"""When that asks, not when something happens."""
_EMPTY = (
    *("free", "show", "which", "who", "when", "is", "isit", "mark", "count", "amount", "money", "times", "row", "unit"),
    *("person", "title", "all", "compute", "period", "rowname", "long", "and", "num", "cmp", "comes"),
)
_DENIES = ("not", "except", "beside", "empty", "distinct", "or", "of_those", "desc", "asc")
"""Senses of words with which a line that has all words is no answer."""
_ASKING = ("which", "who", "when", "count", "amount", "times", "long", "is", "isit", "share")
_FIGURES = ("sup", "agg", "each", "share")
"""Senses of words that a line may have in another form, but has to have itself."""
_LIMITS = {"max": "max maximum limit 上限 最", "min": "min minimum 下限 最"}
_EACH = "per each every a 每 /"
_HOW = re.compile(
    r"\bhow (?!many|much|long|often|do|does|did|is|are|can|could|should|would|to)(\w+)"
    r"(?= (?:is|are|does|do|did|was|were|should|must|may|can)\b)",
    re.IGNORECASE,
)
"""How tight, how wide: a number is asked for, in words that no answer has."""
_NOUN = re.compile(
    r"\b(?:phone|mobile|telephone|number|e-?mail|address|password|code|price|deadline)s?\b"
    r"(?! (?:the|him|her|them|us|me|to)\b)"
    r"|(?:电话|号码|手机|邮箱|地址|密码|价格|邮件地址)[是:：?？。]*$",
    re.IGNORECASE,
)
"""What is asked for by its mere name: phone number of the plumber."""
_YES_NO = re.compile(
    r"^(?:is|are|was|were|do|does|did|has|have|can|may|must|should|will)\b|吗|是否|是不是|有没有", re.IGNORECASE
)
_ASKER = re.compile(r"^[\u3400-\u9fff]{1,4}问(?:我|起|到|一下)?")
"""Who wants to know: 客人问…."""
_GLOSS = re.compile(r"[\u3400-\u9fff]+\s*[（(](?=[A-Za-z])([^（()）]+)[)）]")
"""A Chinese word with what it is called in the file: 输错密码（wrong pin）."""
_TITLED = re.compile(r"[\u3400-\u9fff](?:师傅|医生|大夫|老师|经理|先生|女士|小姐|太太|阿姨|叔叔|总|姐|哥)")
_CLOCK = r"\d{1,2}[:：]\d{2}|\d\s*(?:am|pm)\b|[\d一二三四五六七八九十两]\s*[点時时](?!间)|\bnoon\b|中午"
_DAY = (
    r"\d{4}-\d{1,2}|\d\s*[年月日号]|[一二三四五六七八九十]+月|星期|周[一二三四五六日天末]|每[天日周月年]|daily|weekly|monthly"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_NUMBER = r"\d|[一二三四五六七八九十百两]"
_KINDS = {
    "clock": _CLOCK,
    "day": _DAY,
    "when": f"{_CLOCK}|{_DAY}",
    "number": _NUMBER,
    "phone": r"(?<![\d-])\+?\d(?:[ ()-]{0,2}\d){6,14}(?![\d-])",
    "email": r"@",
    "percent": r"%|％|\bpercent\b|\bpct\b|百分|折",
}
"""What an answer has in it that is of a kind, as a pattern; units say it of the others."""
_OF_CONCEPT = {
    "phone": "phone",
    "email": "email",
    "date": "day",
    "temperature": "temperature",
    "weight": "mass",
    "distance": "length",
    "height": "length",
    "duration": "time",
    "price": "money",
    "discount": "percent",
}
_UNITLIKE = re.compile(r"[年月日号点元个次项条]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question that a document may have."""

    text: str
    """Its stem, or Chinese."""
    needed: bool = True
    kind: str = ""
    """The kind of answer it names, which may stand for it: a telephone number for the word."""
    forms: frozenset[str] = frozenset()
    """Other forms that the line itself may have it in; it is not looked for over it."""

    def points(self, passage: Passage, level: int) -> int:
        """What it counts in a passage; 0 where it is not there."""
        if self.forms:
            return OWN if any(map(_in(passage.own), (self.text, *self.forms))) else 0
        for points, text in ((OWN, passage.own), (OVER, passage.around), (FILE, passage.source)):
            if _has(text, self.text, level, abbreviated=bool(passage.keys)):
                return points
        return OWN if self.kind and is_of_kind(passage.said, self.kind) else 0


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
    years: frozenset[str] = frozenset()
    """The years it may be about, where it says that it is about this one."""
    text: str = ""

    @property
    def needed(self) -> list[Word]:
        """The words that have to be there."""
        return [word for word in self.words if word.needed]


def read_look_up(question: str, workspace: Path, today: date) -> list[Call]:
    """The calls that show what a question asks for; none where some part of it stands in no single place."""
    if len(question) > LONGEST or needs_a_model(question):
        return []
    place = Place(workspace)
    whole = asked_in(question, today, place)
    if whole is None or any("://" in place for place in whole.places):
        return []
    said = list(documents(place.root, whole.places))
    parts = [asked_in(part.text, today, place) for part in clauses(question)]
    several = [part for part in parts if part is not None]
    if len(several) < 2 or len(several) < len(parts):  # noqa: PLR2004  else each part has its own place
        found = best_of(said, whole, today)
        return [_call(found)] if found is not None else []
    places: list[Passage | None] = []
    for part in several:  # what is not said elsewhere may go on from where the part before was said
        near = [one for one in said if places and places[-1] and _beside(one, places[-1])]
        places.append(best_of(said, part, today) or best_of(near, replace(part, places=("",)), today))
    one = best_of(said, whole, today)
    if one is not None and not one.keys and all(found in (None, one) for found in places):
        return [_call(one)]
    return [_call(found) for found in places if found is not None] if None not in places else []


def _beside(one: Passage, other: Passage) -> bool:
    return one.path == other.path and one.around.text == other.around.text


def best_of(passages: Iterable[Passage], asked: Asked, today: date) -> Passage | None:
    """The one passage that answers; None where there is none, or two fit about as well."""
    known = list(passages)
    for level in range(LEVELS):
        scored = [(points, one) for one in known if (points := _points(one, asked, level, today))]
        if not scored:
            continue
        best = max(scored, key=lambda pair: pair[0])
        rivals = [one for one in scored if one[1] is not best[1] and not _agree(one[1], best[1])]
        enough = len(asked.needed) > 1 or asked.places or (not rivals and all(map(_is_long, asked.needed)))
        clear = all(one[0] + AHEAD <= best[0] for one in rivals)
        return best[1] if enough and clear else None
    return None


def _points(passage: Passage, asked: Asked, level: int, today: date) -> int:
    """How well a passage fits; 0 where something is missing in it."""
    found = [(word, word.points(passage, level)) for word in asked.words]
    if any(word.needed and not points for word, points in found):
        return 0
    points = [points for _, points in found if points]
    near = [one for word, one in found if one >= OVER and word.text]
    is_question = passage.said.rstrip("*_`\"'”」） )").endswith(("?", "？"))  # another question is no answer
    if not near or is_question or not all(is_of_kind(passage.said, kind) for kind in asked.kinds):
        return 0
    if passage.keys and not _covers(passage.own, asked, level):
        return 0
    if not _same_way(passage, asked) or not _same_time(passage, asked, today):
        return 0
    return sum(points)


def is_of_kind(text: str, kind: str) -> bool:
    """Whether a text has a figure of a kind."""
    if kind == "amount":
        return re.search(_NUMBER, re.sub(_CLOCK, "", text)) is not None
    if kind == "money":
        return _money().search(text) is not None
    if kind == "phone":
        text = re.sub(r"\d{4}-\d{1,2}-\d{1,2}", "", text)
    if kind in _KINDS:
        return re.search(_KINDS[kind], text, re.IGNORECASE) is not None
    return any(one.unit.kind == kind and re.search(r"\d\s*$", text[: one.start]) for one in find_units(text))


@cache
def _money() -> re.Pattern[str]:
    names = {name for row in table_rows("currencies") for cell in row for name in cell.split("|") if name != "-"}
    said = "|".join(rf"{re.escape(name)}(?![a-z])" for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"[$€£¥￥]\s?\d|\d\s*(?:{said})", re.IGNORECASE)


def _covers(own: Words, asked: Asked, level: int) -> bool:
    """Whether a question says what the key of an entry says: the most there may be is not how many there are."""
    said = Words(asked.text)
    asks_up = (
        {True: "above over from 超过", False: "below under 低于"}.get(asked.upward, "")
        if asked.upward is not None
        else ""
    )
    given = frozenset(asks_up.split()) | {form for word in asked.words for form in word.forms}
    parts = [*own.stems, *(word for word, _, _ in located_words(own.text) if has_chinese(word))]
    return all(
        part in table_words("words", "measure")
        or part in given
        or _has(said, part, level, abbreviated=True)
        or any(word.kind and part in _words_of_kind(word.kind) for word in asked.words)
        for part in parts
    )


@cache
def _words_of_kind(kind: str) -> frozenset[str]:
    return frozenset(one for concept, known in _OF_CONCEPT.items() if known == kind for one in _concepts()[concept])


def _same_way(passage: Passage, asked: Asked) -> bool:
    """Whether a passage does not speak of what is below a limit where a question asks above which it is."""
    if asked.upward is None:
        return True
    ways = {sense.value[0] == ">" for token in segment(passage.own.small, [], {}) for sense in token.all("cmp")}
    return not ways or asked.upward in ways


def _same_time(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage has the dates of a question, and no other year than the one it is about."""
    whole = f"{passage.source.text} {passage.around.text} {passage.said}"
    if (
        asked.years
        and (found := set(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", whole)))
        and found.isdisjoint(asked.years)
    ):
        return False
    if not asked.dates:
        return True
    there = [one.value for one in find_mentions(whole.replace("_", " "), today) if one.kind == "date"]
    return all(any(f"{day:%Y-%m-%d}".endswith(one) for day in there) for one in asked.dates)


def _agree(one: Passage, other: Passage) -> bool:
    """Whether two passages give the same figures."""
    first, second = (frozenset(re.findall(r"\d[\d:.,-]*\d|\d", passage.said)) for passage in (one, other))
    return bool(first and second) and (first <= second or second <= first)


def _is_long(word: Word) -> bool:
    return len(word.text) >= (LONG_CHINESE_WORD if has_chinese(word.text) else LONG_WORD)


# how words stand in a text


def _in(text: Words) -> Callable[[str], bool]:
    return lambda form: form in text.small if has_chinese(form) or form == "/" else form in text.stems


def _has(text: Words, word: str, level: int, *, abbreviated: bool) -> bool:
    """Whether a text has a word; by `level` also one of its kind, or one of the other language that means the same."""
    if _in(text)(word):
        return True
    if level > 0 and any(map(_in(text), _mates(word))):
        return True
    if level > 0 and abbreviated and any(_abbreviates(word, one) for one in text.stems):
        return True
    if level < LEVELS - 1:
        return False
    if not has_chinese(word):
        return word in text.meanings
    return any(one in text.stems for one in (*english_terms(word), *aliases(word)))


def _abbreviates(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) > 3 and long.startswith(short)  # noqa: PLR2004  temp, temperature


@cache
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
    return frozenset[str]().union(*(known for known in _concepts().values() if word in known)) - {word}


# the words of a question


def asked_in(question: str, today: date, place: Place | None = None) -> Asked | None:
    """The words of a question that a document has to have; None where there are none, or it denies something."""
    named = [one for one in find_mentions(question, today) if _names_place(one, place)]
    places = [place.apart(one, question) for one in named] if place else named
    bare = question
    for one in reversed(places):
        bare = f"{bare[: one.start]} {bare[one.end :]}"
    bare = _ASKER.sub("", without_courtesy(bare, after=True))
    text = _HOW.sub("", bare)
    tokens = segment(text, [], {})
    if any(token.has(*_DENIES) and not token.has("free") for token in tokens):
        return None
    asks = text != bare or any(token.has(*_ASKING) for token in tokens)
    if not asks and not _YES_NO.search(bare) and not _NOUN.search(bare):
        return None
    dates = [one for one in find_mentions(text, today) if one.kind == "date" and re.search(r"\d", one.text)]
    words = [*_words(hidden(text, dates), tokens)]
    if not any(word.needed for word in words):
        return None
    return Asked(
        tuple(words),
        frozenset({*_kinds(bare, tokens), *(["number"] if text != bare else [])}),
        tuple(str(one.value) for one in places),
        tuple(f"{one.value:%Y-%m-%d}"[0 if re.search(r"\d{4}|年", one.text) else 5 :] for one in dates),
        next((sense.value[0] == ">" for token in tokens for sense in token.all("cmp") if sense.value[0] in "<>"), None),
        frozenset({str(today.year), str(today.year + 1)} if re.search(r"\bthis year\b|今年", text) else ()),
        bare,
    )


def _names_place(one: Mention, place: Place | None) -> bool:
    """Whether a file or an address is mentioned, in a workspace a file's name in quotes too."""
    if one.kind == "path" and place is not None and not place.exists(place.found(str(place.apart(one).value))):
        return "/" in str(one.value) or Path(str(one.value)).suffix.lower() in {
            ".md",
            ".txt",
            ".json",
            ".csv",
            LOG,
            ".html",
        }
    is_quoted = one.kind == "quoted" and place is not None
    return one.kind in {"path", "url"} or (is_quoted and bool(re.fullmatch(r"[^\n:*?]+\.\w{1,8}", str(one.value))))


def _kinds(text: str, tokens: Sequence[Token]) -> Iterator[str]:
    """What an answer has to have in it."""
    for token in tokens:
        said = token.text.lower()
        if said == "when" and not _WHEN.search(text):
            continue
        if token.has("when"):
            yield (
                "clock"
                if re.search(r"time|点", said)
                else "when"
                if said in {"when", "什么时候", "何时", "什么时间"}
                else "day"
            )
        if token.has("amount"):
            yield "amount"
        if token.has("count", "times", "long", "is"):
            yield "number"


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    """The words of a question: those that an answer has to have, and those that may help to find it."""
    glossed = [match.span() for match in _GLOSS.finditer(text)]
    seen: set[str] = set()
    for said, start, end in _pieces(text):
        sense = next((token for token in tokens if token.start <= start and end <= token.end and token.senses), None)
        word = said if has_chinese(said) else stem(said)
        if word in seen or _is_empty(said, sense):
            if sense is not None and sense.has("money"):
                yield Word(word, needed=False, kind="money")
            continue
        seen.add(word)
        light = word in table_words("words", "light") and not said[:1].isupper()
        in_gloss = has_chinese(said) and any(first <= start and end <= last for first, last in glossed)
        kind = next(
            (_OF_CONCEPT[name] for name, known in _concepts().items() if name in _OF_CONCEPT and word in known), ""
        )
        figure = next((one for one in (sense.senses if sense else ()) if one.kind in _FIGURES), None)
        if figure is not None and figure.kind != "share":
            yield Word(word, forms=_forms(figure))
        else:
            yield Word(word, not light and not in_gloss, "percent" if figure else kind)


def _forms(figure: Sense) -> frozenset[str]:
    """Other ways to say the same figure."""
    said = _EACH if figure.kind == "each" else _LIMITS.get(str(figure.value), "")
    same = (key for key, senses in lexicon().items() if figure in senses and len(key) == 1)
    return frozenset({*said.split(), *(key[0].rstrip("\0") for key in same)})


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text with their places; a Chinese surname goes with the title after it."""
    titled = list(_TITLED.finditer(text))
    for match in titled:
        yield match[0], *match.span()
    for match in re.finditer(r"[A-Za-z\u00c0-\u024f][\w.'’-]*|\d[\d.:-]*", text):
        word = match[0].rstrip(".'’-:")
        parts = re.split(r"[-:]", word) if word[:1].isdigit() else re.split(r"-", word)
        for part in filter(None, parts):
            yield part, match.start(), match.end()
    for word, start, end in located_words(text):
        if not has_chinese(word) or any(start < one.end() and one.start() < end for one in titled):
            continue
        yield word, start, end


def _is_empty(said: str, token: Token | None) -> bool:
    if has_chinese(said):
        senses = senses_of(key_of(said))
        kinds = {sense.kind for sense in senses}
        return bool(_UNITLIKE.fullmatch(said)) or "free" in kinds or (bool(kinds) and kinds.issubset(_EMPTY))
    if said[:1].isdigit():
        return False
    return len(said) == 1 or (token is not None and token.has(*_EMPTY) and not token.has(*_FIGURES))


def _call(passage: Passage) -> Call:
    path = passage.path
    if not passage.keys:
        line = {"path": path, "start_line": passage.line, "max_lines": 1}
        return Call(tool="read_file", arguments=line, about=f"{path}:{passage.line}")
    keys = passage.keys
    sql = f"SELECT {'.'.join(map(quoted, keys))} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
    about = f"{path}, {'.'.join(keys)}"
    return Call(tool="data_analyzer", action="query", arguments={"path": path, "sql": sql}, about=about)
