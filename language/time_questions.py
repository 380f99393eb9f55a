"""A question about time, read as a whole: what to ask `get_time`, or nothing where a part of it is not understood.

What a text names (dates, times of day, lengths, places, months, years, timestamps) becomes a piece of its kind; one of
the sentences in `data/time_sentences.yaml` has to take all pieces and all words around them. Two sentences that lead to
different arguments mean that it is not understood.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from switchyard.language.clocks import SAYS_HALF, find_clocks
from switchyard.language.dates import dates_named
from switchyard.language.dictionary import is_english, meanings_of
from switchyard.language.durations import days_in, find_durations
from switchyard.language.lexicon import stem
from switchyard.language.places import cities_of, find_places, local_zone, zone_of
from switchyard.language.sentences import Part, Piece, Run, literals, matches, needs, parse
from switchyard.language.tables import numbers
from switchyard.language.tokeniser import chinese_words, has_chinese
from switchyard.language.words import courtesy

Arguments = dict[str, Any]
Named = tuple[int, int, Piece]
"""What a text names, where it begins and ends."""
LONGEST = 240
"""Characters of a question about time."""

_MAY_ASK = re.compile(
    r"(?i)time|date|day|week|month|year|hour|minute|second|when|clock|until|since|ago|old|long|noon|midnight|ahead|behind"
    r"|\d|[几多哪何时天日号周月年差久点]|christmas|between"
)
"""A text without any of these asks for no time."""
LONGEST_THING = 6
"""Words, or Chinese characters, that name what happens at a time."""
_MOVES = re.compile(r"(?i)\b(?:after|before|since|from|first|last|end|start|until|to)\b|[前后到至从离距起]")
"""What makes another time of the one that is named."""
_CLAUSE_END = re.compile(r"\s*(?:[,;.?!，；。？！]|[-–—]\s|$)")
_IF = re.compile(r"(?i)if|when|suppose")
_NAMED = "\ue000"
"""What stands in a text for something that is named."""
_TOKEN = re.compile(rf"{_NAMED}|[\u3400-\u9fff]|[^\W\u3400-\u9fff][A-Za-zÀ-ɏ0-9_'’-]*")
_SAID_SHORT = re.compile(r"(?i)(?<=\b(?:what|that|when))['’]?s\b|(?<=\bit)['’]s\b|(?<=\bi)['’](?=m\b)")
_TODAY = re.compile(r"(?i)today|今[天日]")
_DATES = {
    "near": re.compile(r"(?i)tomorrow|yesterday|tonight|[今明昨前后][天日晚早]"),
    "counted": re.compile(
        r"(?i)[前后推过加减第]|工作日|最后|\b(?:ago|from|after|before|later|plus|minus|to|of|business|working)\b"
    ),
    "dated": re.compile(r"(?i)\d{4}|[零〇一二三四五六七八九]{4}年|[今明去前后]年|year"),
}
"""What a date may be beside, by what it says."""
_STAMP = re.compile(r"(?<![A-Za-z0-9_.,+-])[0-9]{9,13}(?![A-Za-z0-9_]|[.,][0-9])")
_OF_STAMPS = re.compile(r"(?i)time ?stamp|\b(?:unix|epoch)\b|时间戳|\bto (?:a )?date\b|转换?[成为]?(?:日期|时间)")
_YEAR = re.compile(
    r"(?i)(?<![\d.,/-])(?:1[5-9]|20|21)\d\d(?![\d.,/-]\d|\d)(?:\s?年)?|\b(?:this|next|last) year\b|[今明去后]年"
)
_THIS_MONTH = re.compile(r"(?i)\b(?:this|the current) month\b|[本这当]个?月(?![底末初中])")

_ASKS_CLOCK = re.compile(
    r"(?i)\bwhat (?:local )?time (?:is|will|would|was|does)(?: (?:it|that|this|the clock))?(?: be)?(?: there)?\b"
    r"|\bwhat is the (?:local )?time\b|\b(?:when|what) (?:is|would|will) (?:that|it|this)(?: be)?\b|\bwhat time\b"
    r"|\bwhat does the clock say\b"
    r"|\bwhat (?:day|date) and (?:what )?time\b|(?:几月)?(?:[几哪][日天号]|星期几|周几)的?几点钟?|几点钟?|几时|什么时间"
)
_OF_CLOCKS = re.compile(r"(?i)\b(?:time|clock|hours?)\b|[点时][差间]?")
_CLAUSES = re.compile(r"(?i)[,;.?!，；。？！]|\b(?:when|if|is)\b|是")
_MOVES_ON = re.compile(r"(?i)\b(?:fl(?:y|ies|ight)|leaves?|departs?|arrives?|lands?)\b|飞|出发|到达|发车|[.。](?!\w)")
"""What comes between the time that is given and the one that is asked: a journey, another sentence."""
_BOTH = 2
"""Places of one question."""
_THAT = re.compile(r"(?i)\b(?:that|this)\b")
_HERE = re.compile(r"\b(?:[Hh]ere|[Mm]y time zone|[Mm]y time|[Ff]or me)\b|我?这[里边儿]|本地")
"""What means the zone of this machine, unless a place goes with it; `our time` may be one of an office far from it."""
_HERE_IN = re.compile(
    rf"(?i)(?:{_HERE.pattern}),? ?\(?(?:over )?(?:(?:in|at) )?(?:the )?(?={_NAMED})"
    rf"|(?<={_NAMED}) *(?:我们|咱们?|他们)?(?:{_HERE.pattern})"
)
_CALLED = re.compile(rf"(?i)(?:\b(?:call|ring|phone|dial|reach)(?:s|ing)? (?:\w+ ){{0,4}}|[给往到]|联系|致电){_NAMED}")
"""Who is called at a time of day is not where that is told."""
_RUNG = re.compile(rf"^[^.。!！?？\d]*?(?:{_CALLED.pattern[4:]})[^.。!！?？\d{_NAMED}]*[.。!！]\s*", re.IGNORECASE)
"""A sentence before that only says who is called: I want to ring Lima."""
_WHERE = re.compile(
    r"(?i)\b(?:in|at|near|from) (?!the\b)(?P<in>[a-zÀ-ɏ][\w’-]+)\b(?!,? ?\(?\ue000)(?P<of>['’]s)?"
    r"|\b(?P<its>[a-zÀ-ɏ][\w-]+?)(?:['’]s)? (?:local )?time\b"
    r"|(?P<there>[\u3400-\u9fff]{1,8}?)(?:[这那][边里儿]|当地|时间)"
)
"""Where a place is named."""
_CAPITAL = re.compile(r"\b[A-ZÀ-Þ][\w-]+(?!['’]s)\b")
_CLAUSE = re.compile(r"[^,;.?!，；。？！]+")
_ZONES = frozenset({"timezone", "from_timezone"})
_NOT_SET = frozenset({"UTC", "Etc/UTC", "Etc/UCT", "UCT"})
"""The zone of machines that nobody told where they are: what is `here` is not known."""
_AGAIN = re.compile(r" ?[(（]")
"""What stands between a time and the same one in figures: 晚上八点（20:00）."""
_SAME_PLACE = re.compile(r"[,，]? ?|(?: time|时间)? ?[(（]")
_YONDER = re.compile(r"(?i)\bthere\b|那[边里儿]")
_THERE = re.compile(
    r"(?i)[\s\ue000]*(?:(?:local |our |my )?time|o'?clock)?\s*\(?(?:in|at|over in)?\s*(?:the)?\s*"
    r"|(?:当地|那边)?(?:时间)?的?"
)
"""What may stand between a time of day and the place it is of."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    part: Part
    needs: frozenset[str]
    """The kinds of pieces it cannot do without."""
    literals: list[frozenset[str]]
    """Words it cannot do without: one of each set."""
    arguments: dict[str, str]
    """Those that do not depend on a slot alone."""


def read_time_question(text: str, today: date) -> Arguments | None:
    """The arguments of `get_time` that a text gives; None where it asks for no time, or where not all is clear."""
    if (read := _read(text, today)) is None:
        return None
    found = dict(read)
    is_of_here = "time" in found and len(_ZONES & found.keys()) == 1
    return None if is_of_here and local_zone() in _NOT_SET else found


@lru_cache(maxsize=512)
def _read(text: str, today: date) -> tuple[tuple[str, Any], ...] | None:
    if len(text) > LONGEST or not _MAY_ASK.search(text):
        return None
    said = _SAID_SHORT.sub(lambda match: " " if match[0] in "'’" else " is", text.strip())
    while match := _polite("lead").match(said):
        said = said[match.end() :]
    said = _polite("trail").sub("", said)
    named = _named(said, today)
    found = _taken(_pieces(said, named)) | _elsewhere(said, named)
    is_open = not _ZONES.isdisjoint(name for one in found for name, _ in one)
    if is_open and _names_another(_hidden(said, named)):
        return None
    return found.pop() if len(found) == 1 else None


def _taken(pieces: Sequence[Piece]) -> set[tuple[tuple[str, Any], ...]]:
    """The different arguments that sentences give which take all of a text."""
    kinds = {kind for piece in pieces for kind in (*piece.kinds, *(run.kind for run in piece.runs))}
    words = {stem(piece.text) for piece in pieces if piece.is_word}
    return {
        tuple(sorted(_filled(sentence, taken).items()))
        for sentence in _sentences()
        if sentence.needs <= kinds and not any(words.isdisjoint(one_of) for one_of in sentence.literals)
        for taken in matches(sentence.part, pieces, _lists())
    }


def _filled(sentence: _Sentence, taken: dict[str, Any]) -> Arguments:
    made = {name: value.format(**taken) for name, value in sentence.arguments.items()}
    given = {**made, **{name: value for name, value in taken.items() if not name.startswith("_")}}
    if given.get("unit") == "business":
        return {name: value for name, value in given.items() if name != "unit"} | {"business_days": True}
    return given


@cache
def _content() -> dict[str, Any]:
    import yaml  # noqa: PLC0415  only a question without a model needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    path = Path(__file__).parent / "data" / "time_sentences.yaml"
    return yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506  a safe loader


@cache
def _lists() -> dict[str, dict[str, str]]:
    """Words with what they mean; in the file a meaning has its words, `|` between them."""
    return {
        name: {phrase: value for value, said in values.items() for phrase in said.split("|")}
        for name, values in _content()["lists"].items()
    }


@cache
def _sentences() -> tuple[_Sentence, ...]:
    return tuple(
        _Sentence(part, needs(template) - _lists().keys(), literals(part), block.get("arguments", {}))
        for block in _content()["sentences"]
        for template in block["say"]
        for part in [parse(template, _content()["phrases"])]
    )


def _elsewhere(text: str, named: Sequence[Named]) -> set[tuple[tuple[str, Any], ...]]:
    """The arguments where a time of day is given in one place, or here, and asked for in another.

    It is given where it stands nearest to, and asked where the question does; no word around may change the meaning.
    """
    masked = _hidden(text, named)
    asks, kinds = [*_ASKS_CLOCK.finditer(masked)], ("clock", "place", "date")
    clocks, places, days = ([one for one in named if kind in one[2].kinds] for kind in kinds)
    apart = _HERE_IN.sub(lambda match: " " * len(match[0]), _hidden(text, places))
    heres = [_piece(text, match.span(), "", "place") for match in _HERE.finditer(apart)]
    season = next((one for one in _lists()["season"] if re.search(rf"\b{one}\b" if one.isascii() else one, masked)), "")
    begin = rung.end() if (rung := _RUNG.match(masked)) and clocks and clocks[0][0] >= rung.end() else 0
    heard = " " * begin + masked[begin:]
    rest = _polite("fillers").sub(" ", _ASKS_CLOCK.sub(" ", heard.replace(season, "") if season else heard))
    several = (
        len(asks),
        len(clocks),
        len(places) + bool(heres) != _BOTH,
        len(days) + bool(season) > 1,
        len(named) - len(clocks) - len(places) - len(days),
    )
    if several != (1, 1, False, False, 0) or _polite("never").search(rest):
        return set()
    at, asked = clocks[0][:2], asks[0]
    if _MOVES_ON.search(rest + heard[at[1] : asked.start()]) and not _THAT.search(asked[0]):
        return set()
    clauses = _CLAUSE.finditer(masked)
    free = (one[0] for one in clauses if heres or not any(one.start() <= at < one.end() for at, *_ in places))
    if any(_is_name(said) for clause in free for said in (*_CAPITAL.findall(clause), *chinese_words(clause))):
        return set()  # it may be the place that is meant
    places += heres
    first, second = (min(places, key=partial(_apart, masked, span)) for span in (at, asked.span()))
    after = [one for one in places if one[0] >= at[1] and _THERE.fullmatch(masked[at[1] : one[0]])]
    first = after[0] if after else first  # 8:30 our time (Ljubljana)
    if _YONDER.search(masked, asked.start()):
        second = next(one for one in places if one[2].value != first[2].value)
    called = {match.end() - 1 for match in _CALLED.finditer(masked)} - {one[0] for one in after}
    if first[0] in called or first[2].value == second[2].value:
        return set()
    given: Arguments = {"time": clocks[0][2].value, "from_timezone": first[2].value, "timezone": second[2].value}
    given |= {"date": days[0][2].value} if days else {"date": _lists()["season"][season]} if season else {}
    return {tuple(sorted((name, value) for name, value in given.items() if value))}


def _names_another(masked: str) -> bool:
    """Whether a name that nobody knows stands where a place is named."""
    return any(
        _is_name(said) for match in _WHERE.finditer(masked) for said in match.groups() if said and not match["of"]
    )


@cache
def _is_name(said: str) -> bool:
    """Whether a word, or the last one of some Chinese ones, is only a name."""
    if not has_chinese(said):
        return not is_english(said.lower())
    last = next(iter(chinese_words(said)[-1:]), "")
    meanings = meanings_of(last)
    return len(last) > 1 and (not meanings or meanings[0][:1].isupper())


def _apart(text: str, span: tuple[int, int], other: Named) -> tuple[int, int]:
    """How far something named is from a span: the clauses between them, then the characters."""
    (_, first), (last, _) = sorted((span, other[:2]))
    before = other < span and text[slice(*span)][:1].isascii()  # it follows the question in English
    return len(_CLAUSES.findall(text[first:last])) + before, last - first


# a text as pieces


def _hidden(text: str, named: Sequence[Named]) -> str:
    """The text with a sign for each thing that is named, at its place."""
    for start, end, _ in named:
        text = text[:start] + _NAMED + " " * (end - start - 1) + text[end:]
    return text


def _pieces(text: str, named: Sequence[Named]) -> list[Piece]:
    """What is named and the words around it; what is only said to be polite is left out."""
    masked = _hidden(text, named)
    masked = re.sub(f"(?<=[{_NAMED} ])['’]s\\b", "  ", masked)  # tomorrow's date
    masked = _polite("fillers").sub(lambda match: " " * len(match[0]), masked)
    tokens, parts = list(_TOKEN.finditer(masked)), iter(named)
    pieces = [next(parts)[2] if token[0] == _NAMED else Piece(token[0]) for token in tokens]
    runs = [tuple(_runs_from(first, masked, tokens)) for first in range(len(pieces))]
    return [replace(piece, runs=own) if own else piece for piece, own in zip(pieces, runs, strict=True)]


@cache
def _polite(part: Literal["lead", "trail", "fillers", "never"]) -> re.Pattern[str]:
    """What is said around a question or in it and asks for nothing; `never` is what changes the meaning of a clause."""
    ends = {
        "lead": rf"^(?:{courtesy('before', 'asking')})[\s,，:：]*",
        "trail": rf"[\s,，.。?？!！]*(?:{courtesy('after')})?[\s,，.。?？!！]*$",
    }
    words = _content().get(part, "").split("|")
    inside = "|".join(rf"\b{said}\b" if said.isascii() else said for said in words)
    return re.compile(ends.get(part, inside), re.IGNORECASE)


def _runs_from(first: int, masked: str, tokens: Sequence[re.Match[str]]) -> Iterator[Run]:
    """The other words of a clause that begin here: from its beginning, and up to its end."""
    for end in range(first, min(len(tokens), first + LONGEST_THING)):
        said = masked[tokens[first].start() : tokens[end].end()]
        if re.search(rf"[{_NAMED}\d,，;；.。?？!！]", said) or _MOVES.search(said) or _polite("never").search(said):
            break
        yield Run("thing", end + 1 - first, "")
    begins = not first or _CLAUSE_END.match(masked, tokens[first - 1].end()) or _IF.fullmatch(tokens[first - 1][0])
    for end in range(first, len(tokens)):
        said = masked[tokens[first].start() : tokens[end].end()]
        if re.search(rf"[{_NAMED}\d]", said) or _polite("never").search(said):
            return
        if begins:
            yield Run("lead", end + 1 - first, "")
        if _CLAUSE_END.match(masked, tokens[end].end()):
            yield Run("tail", end + 1 - first, "")
            return


def _named(text: str, today: date) -> list[Named]:
    """What a text names, each kind hidden from the next."""
    found: list[Named] = []
    rest = text
    for find in (_stamps, _days, _clocks, _lengths, _places, _years):
        found += find(rest, today, text)
        rest = text
        for start, end, piece in found:
            # a zone such as ET is one only after a time of day
            rest = rest[:start] + ("0" if "clock" in piece.kinds else " ") * (end - start) + rest[end:]
    return sorted(found, key=lambda one: one[0])


def _piece(text: str, span: tuple[int, int], value: str, *kinds: str, **values: str) -> Named:
    named = Piece(text[slice(*span)], frozenset({*kinds, *values}), value, is_word=False, values=tuple(values.items()))
    return (*span, named)


def _stamps(text: str, _: date, __: str) -> Iterator[Named]:
    for match in _STAMP.finditer(text) if _OF_STAMPS.search(text) else ():
        yield _piece(text, match.span(), f"timestamp {match[0]}", "stamp")


def _days(text: str, today: date, _: str) -> Iterator[Named]:
    for found in dates_named(text, today):
        words = text[found.start : found.end]
        if not _TODAY.fullmatch(words):  # a word of the sentences
            kinds = [kind for kind, pattern in _DATES.items() if pattern.search(words)]
            yield _piece(text, found[1:3], found.said, "date", *kinds)


def _clocks(text: str, _: date, whole: str) -> Iterator[Named]:
    before, last = None, 0
    for clock, start, end in find_clocks(text, whole):
        if clock == before and _AGAIN.fullmatch(text[last:start]):
            continue
        last = end
        is_end = before is not None and (clock > before or SAYS_HALF.search(text[start:end]))
        before = clock
        value = clock.strftime("%H:%M:%S" if clock.second else "%H:%M")
        yield _piece(text, (start, end), value, "clock", *(["end"] if is_end else []))


def _lengths(text: str, _: date, __: str) -> Iterator[Named]:
    for length, start, end in find_durations(text):
        yield _piece(text, (start, end), text[start:end], "length", *(["hours"] if length.seconds else []))


def _places(text: str, _: date, __: str) -> list[Named]:
    """The places; a city with its country (Paris, France; 英国伦敦; Dali time (China)) is one."""
    found: list[Named] = []
    for place in find_places(text, asked=True, cities=True, towns=_OF_CLOCKS.search(text) is not None):
        start, end = place.start, place.end
        name = text[start:end] if not place.zone or zone_of(text[start:end]) else place.name_en
        before = found[-1] if found and _SAME_PLACE.fullmatch(text[found[-1][1] : start]) else None
        if before and not _zones(before[2].value).isdisjoint(_zones(name)):
            named = before[2].value if zone_of(before[2].value) else name  # 智利圣地亚哥
            found[-1] = _piece(text, (before[0], end), named, "place")
        else:
            found.append(_piece(text, (start, end), name, "place"))
    return found


def _zones(name: str) -> set[str]:
    """The zone of a place, or those of a country that has several."""
    return {place.zone for one in (name, *cities_of(name)) if (place := zone_of(one))}


def _years(text: str, today: date, _: str) -> Iterator[Named]:
    """The years, and the current month, of which only its end is asked."""
    for match in _THIS_MONTH.finditer(text):
        yield _piece(text, match.span(), "", rest=str(today.replace(day=days_in(today.year, today.month))))
    for match in _YEAR.finditer(text):
        away = numbers("calendar", "step").get(match[0].split()[0].lower() if match[0].isascii() else match[0][0])
        year = int(match[0][:4]) if away is None else today.year + away
        values = {"rest": f"{year}-12-31"} if year == today.year else {}
        yield _piece(text, match.span(), f"{year}-01-01", "year", **values)
