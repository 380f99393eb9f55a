"""What a document says: the one line of a note, entry or row of a JSON file or a page, that answers a question.

The content words of a question are looked for in the line itself, in what stands over it and in the name of its file;
they weigh the more the fewer places have them. The best place has most of that weight, and clearly more than any other;
it has every name and figure, and an answer of the kind that is asked for (a time, a sum, a telephone number). A word
that it lacks all the same is told (`Call.unsaid`): what it says may be of something else.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from switchyard.agents.by_rules.logs import read_log
from switchyard.agents.by_rules.looked_for import (
    NO_AMOUNT,
    OVER,
    OWN,
    UNITS,
    Asked,
    Word,
    asked_in,
    is_of_kind,
    stands,
    words_of_kind,
)
from switchyard.agents.by_rules.passages import ITEM, LOG, Passage, Words, base, documents
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import quoted
from switchyard.agents.by_rules.world import tables_in
from switchyard.language.asides import core_of
from switchyard.language.clauses import clauses
from switchyard.language.dates import MONTHS
from switchyard.language.lexicon import Token, narrows, segment, stem
from switchyard.language.mentions import find_mentions
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.units import find_units
from switchyard.language.words import language_of, needs_a_model
from switchyard.ledger.plan import Call

LONGEST = 200
COUNTS = (0.0, 0.6, 0.8, 0.7, 0.9, 0.8, 1.0)
"""How much of its weight a word counts by where it stands: another word for it is a fifth less."""
ENOUGH, APART = 0.5, 0.15
"""The share of a question's weight that a passage has to have, and of its own score that it is ahead of all others."""
SHORT_WORD = 3
"""Letters of a word that says little beside what was said before; of a Chinese one there is one."""
LONG_WORD, LONG_CHINESE_WORD = 6, 3
"""Letters of a word that may be all that is asked for."""
RECKONS = re.compile(
    r"(?i)\d.*\b(?:divided|multiplied|plus|minus|times|split)\b|\d.*(?:除以|乘以|加上|减去|平分)"
    r"|\bhow (?:many \w+|long) (?:until|till|since|are left|is it)\b|还有[几多少]+[天周个]"
    r"|\b(?:so far|to date|up to now)\b|至今|迄今|到目前为止"
    r"|\bhow (?:many|much)\b.*\b(?:have|did) \w+ \w+.*\b(?:altogether|in total|in all|all told)\b"
    r"|[总一]共\S{1,3}了[多几]"
    r"|\bby how (?:much|many)\b|\bdifference\b|相差"
    r"|(?<![误温落])差[了价距]?多少|[涨降增减升跌多少][了价幅长少出]{0,2}多少"
)
"""What is worked out and not looked up."""
_NOW = re.compile(r"(?i)\b(?:right now|at the moment|currently|just now)\b|现在|目前|此刻")
_OTHER_SUMS = re.compile(
    r"\b(?:deposit|excess|fine|discount|tax|budget|limit|quote|refund|balance)\b|押金|定金|订金|预算|罚款|折扣|税|退款"
)
"""Sums that are not what something costs."""
_NARROWS = "max min limit target default above below over under alarm warn per 上限 下限 最大 最小"
"""Words of a key without which it is not the same: the most there may be is not how many there are."""
_UNDECIDED = re.compile(r"(?i)\bwhether\b|\bt\.?b\.?[acd]\b|\bto be (?:confirmed|decided)\b|是否|待定|待确认|吗[?？]?$")
"""What a line says of something that nobody knows yet, which answers nothing but whether it is known."""
_NOT_DONE = re.compile(r"(?i)n't\b|\b(?:not|never|nobody)\b|没(?!有?关系)|尚未|未[付交到还缴]")
_STILL = re.compile(r"(?i)\b(?:still|yet|outstanding|left)\b|还[有要没得剩]|尚未|没做")
_TICKED = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s*)?\[[xX✓√]\]")
_NAMES = re.compile(
    r"(?i)\b(?:names? of|who are|which|what are) (?:the |our |these )?(?:both|two|three|four|[234])\b"
    r"|哪[两二三四234][个位名]|[两二三四234][个位名][^，,]*(?:叫什么|是谁|名字|姓名|是哪)"
)
_NAME = r"(?:[A-Z][\w’'-]+|[㐀-鿿]{2})"
_SEVERAL_NAMES = re.compile(rf"{_NAME}\s*(?:[,，、&;和与及跟]|\band\b)\s*{_NAME}")
"""Who asks for the names of several, and a line that has them."""
_AGE = re.compile(r"(?i)几岁|多大年纪|年龄|\bhow old\b|\bage of\b")
_AGED = re.compile(r"(?i)岁|年龄|\byears? old\b|\bborn\b|\bage[ds]?\b|出生|生于|建于|\bbuilt\b|\b(?:19|20)\d\d\b")
_ENDS = re.compile(r"(?i)\b(?:due|deadline|valid|until when|by when|expir\w+)\b|有效|截[止至]|[到过]期|期限|最[晚迟]")
_ENDED = re.compile(rf"{_ENDS.pattern}|\b(?:until|till|by|before|latest|ends?|next)\b|[前止至]|限期|保质|下次")
"""Which date is asked for, and how a line or a key says that it is that one."""
_ACTUAL = re.compile(r"(?i)\bactual(?:ly)?\b|实际|实收|实到")
_WHERE = re.compile(r"(?i)\bwhere\b|哪里|哪儿|何处|什么地方")
_NO_PLACE = re.compile(r"(?:-?\d[\d.,]*|True|False|None)(?: .*)?")
"""The value of a setting that says how many, or whether: never where."""
_DENIES = re.compile(r"(?i)\b(?:not|no|never|none|nobody|without|except|un\w+)\b|n't|没|未|无|缺|欠|免")
_SHARED = re.compile(r"(?i)\bhalf\b|\bsplit\b|\bshare[sd]?\b|一半|平分|分摊|各付|各出")
"""What says that a figure is somebody's only in part."""
_MONTH = re.compile(r"(?<!\d)(\d{1,2})\s*月(?!前|后)|\d{4}-(\d\d)(?!\d)")
_FIGURES = frozenset({"number", "amount", "money", "percent"}) | UNITS
_FIGURE = re.compile(r"\d+(?:\.\d+)?|[一二三四五六七八九十百两]+")
_FIGURE_ALONE = re.compile(r"(?:[A-Z]{1,3}\b ?|R)?\W*\d")
"""A cell that has a figure, not a name with a number behind it: Pitch 2."""
_MEASURED = re.compile(r"(?i)(?:\d|\bhow many|几|多少)\s*$")
"""What stands before a unit of which a figure is told or wanted."""
_OFTEN = re.compile(r"(?i)\b(?:once|twice|times|every|per|daily|weekly|monthly|yearly)\b|[次回趟遍每]")
"""How a line says how often something is."""
_PER = re.compile(r"(?i)\bper\b|\ba (?:day|week|month|year|hour)\b|/|每")
_SAID_OF_WAY = {">": "above over 超过", "<": "below under 低于"}


@dataclass(frozen=True, slots=True)
class Found:
    """The passage that answers, and the words of the question that it lacks."""

    passage: Passage
    asked: Asked
    unsaid: list[str]


def read_look_up(question: str, workspace: Path, today: date, *, follows: bool = False) -> list[Call]:
    """The calls that show what a question asks for; none where some part of it stands in no single place.

    One word is enough for a question of its own, but not for one that `follows` others: what went wrong?
    """
    if len(question) > LONGEST or needs_a_model(question) or core_of(question).wish:
        return []  # where names are wished for there are many
    place = Place(workspace)
    whole = asked_in(question, today, place)
    said = (
        [one for one in whole.needed if len(one.text) > (1 if has_chinese(one.text) else SHORT_WORD)] if whole else []
    )
    few = whole is not None and follows and len(said) < 2 and not whole.places  # noqa: PLR2004
    if whole is None or few or len(whole.places) > 1 or any("://" in one for one in whole.places):
        return []  # of two files one is compared with the other
    if (whole.kinds | {word.kind for word in whole.words}) & UNITS and _NOW.search(question):
        return []  # a file says how warm it should be, not how warm it is
    if not whole.places and _asks_for_rows(whole, place):
        return []  # which invoices are overdue: a line that speaks of them names none
    said = list(documents(place.root, whole.places))
    reckons, often = RECKONS.search(question), any(token.has("times") for token in whole.tokens)
    logged = read_log(said, whole, today, language_of(question)) if often or not reckons else []
    if logged or reckons:
        return logged
    if any(
        token.has("times", "count") for token in whole.tokens
    ):  # a line of a log says that it happened, not how often
        said = [one for one in said if not one.path.endswith(LOG)]
    parts = [asked_in(part.text, today, place) for part in clauses(question)]
    return [_call(one) for one in _found(said, whole, parts, today)]


def _asks_for_rows(asked: Asked, place: Place) -> bool:
    """Whether a question asks which of the things there are that a table is called by."""
    said = [two.text for one, two in pairwise(asked.tokens) if one.has("which")]
    known = {stem(word) for table in tables_in(place.root) for word in re.split(r"[\W_\d]+", table.stem)}
    return any(stem(word) in known for word in said)


def _found(passages: Sequence[Passage], whole: Asked, parts: Sequence[Asked | None], today: date) -> list[Found]:
    """Where a question is answered: in one place, or each of its parts in one."""
    one = best_of(passages, whole, today)
    if (one and not one.unsaid and not one.passage.keys) or len(parts) < 2 or None in parts:  # noqa: PLR2004
        return [one] if one else []
    found: list[Found | None] = []
    for part in filter(None, parts):
        last = found[-1].passage if found and found[-1] else None  # it may go on where the part before was said
        near = [other for other in passages if last and (other.path, other.around) == (last.path, last.around)]
        found.append(best_of(passages, part, today) or best_of(near, replace(part, places=("",)), today))
    each = [other for other in found if other is not None]
    if len(each) == len(found) and not (one and not one.passage.keys and one.passage in [two.passage for two in each]):
        return each
    return [one] if one else []


def best_of(passages: Iterable[Passage], asked: Asked, today: date) -> Found | None:
    """The one passage that answers; None where there is none, or two fit about as well. Logs are asked last."""
    known = list(passages)
    notes = [one for one in known if not one.path.endswith(LOG)]
    logs = [one for one in known if one.path.endswith(LOG)]
    return _best(notes, asked, today) or _best(logs, asked, today)


def _best(known: Sequence[Passage], asked: Asked, today: date) -> Found | None:
    places = {word: [word.place(one) for one in known] for word in asked.words}
    usual = {word: max(1, sum(place >= OVER for place in found)) for word, found in places.items()}
    weights = {word: 1 + math.log((len(known) + 1) / (count + 0.5)) for word, count in usual.items()}
    scored: list[tuple[float, float, Passage, list[str], set[Word], bool]] = []
    most = max(1, len(asked.needed) // (2 if asked.places else 3))
    for at, one in enumerate(known):
        found = {word: places[word][at] for word in asked.words if places[word][at]}
        lacks = [word for word in asked.needed if word not in found]
        if any(word.name or word.forms or one.path.endswith(LOG) for word in lacks) or len(lacks) > most:
            continue
        if _is_known_by(found, asked) and (key := _said_of_key(one, asked)) and _may_answer(one, asked, today):
            score = key * sum(weights[word] * COUNTS[place] for word, place in found.items())
            whole = sum(weights[word] for word in asked.needed)
            share = 1 - sum(weights[word] for word in lacks) / whole if whole else 1.0
            own = {word for word, place in found.items() if word.needed and place >= OWN}
            whole = not one.row or not _name_and_unsaid(Words(str(next(iter(one.row.values())))), asked)[1]
            scored.append((score, share, one, [word.said for word in lacks], own, whole))
    if not scored:
        return None
    score, share, best, unsaid, own, whole = max(scored, key=lambda one: (one[0], one[5], one[1]))
    rivals = (
        one
        for one in scored
        if one[2] is not best and not (asked.places and one[4] < own) and not (best.row and whole > one[5])
    )
    rival = max((one[0] for one in rivals), default=0.0)
    return Found(best, asked, unsaid) if share >= ENOUGH and score - rival >= APART * score else None


def _is_known_by(found: Mapping[Word, int], asked: Asked) -> bool:
    """Whether enough words stand in a passage or over it to know it by: two, a long one, or one and its file."""
    telling = [word.text for word in found if word.needed]
    near = any(place >= OVER and word.needed for word, place in found.items())
    long = any(len(one) >= (LONG_CHINESE_WORD if has_chinese(one) else LONG_WORD) for one in telling)
    alone = long and len(asked.needed) == 1 and not asked.measured
    return near and (bool(asked.places) or len(telling) > 1 or alone)


def _may_answer(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage says something of the kind that is asked for, and of the same time, sum and direction."""
    if passage.said.rstrip("*_`\"'”」） )").endswith(("?", "？")):  # another question is no answer
        return False
    if _says_otherwise(passage, asked) or _is_done_or_of_one(passage, asked):
        return False
    if passage.row is not None and not _columns(passage, asked):
        return False
    if passage.keys and _is_no_such_value(passage.said, asked):
        return False
    told = _same_measures(passage, asked) and _counts(passage, asked)
    if (asked.kinds & _FIGURES and _repeats(passage, asked)) or not told:
        return False
    named = "|".join(re.escape(word.said) for word in asked.needed)
    figures = re.sub(rf"(?i)\b(?:{named})\s+\d+\b", "", passage.said) if named else passage.said  # brush 3 is a name
    kinds_fit = all(is_of_kind(figures if kind == "amount" else passage.said, kind) for kind in asked.kinds)
    return kinds_fit and _same_way(passage, asked) and _same_time(passage, asked, today) and _same_sum(passage, asked)


def _is_no_such_value(said: str, asked: Asked) -> bool:
    """Whether the value of a setting cannot be who or where."""
    who = "who" in asked.kinds and said[:1].isdigit()
    return who or bool(_WHERE.search(asked.text) and _NO_PLACE.fullmatch(said))


def _says_otherwise(passage: Passage, asked: Asked) -> bool:
    """Whether a line is undecided, not denied or shared where the question is: half of a figure is another figure."""
    if _UNDECIDED.search(passage.said) and not _UNDECIDED.search(asked.text):
        return True
    if _NOT_DONE.search(asked.text) and not _DENIES.search(passage.said):
        return True  # who has not paid is nobody of whom something else is said
    if _AGE.search(asked.text) and not _AGED.search(passage.said):
        return True
    told = f"{passage.around.text} {passage.own.text if passage.keys else passage.said}"
    if asked.kinds & {"day", "when"} and _ENDS.search(asked.text) and not _ENDED.search(told):
        return True  # until when it is valid is not when it was made
    if _ACTUAL.search(asked.text) and not _ACTUAL.search(passage.said):
        return True  # what came is not what was ordered
    return bool(asked.kinds & _FIGURES and _SHARED.search(passage.said) and not _SHARED.search(asked.text))


def _is_done_or_of_one(passage: Passage, asked: Asked) -> bool:
    """Whether what is still to be done is ticked, or of several whose names are asked for one is named."""
    if _TICKED.match(passage.said) and _STILL.search(asked.text):
        return True
    return bool(_NAMES.search(asked.text)) and not (passage.keys or _SEVERAL_NAMES.search(passage.said))


def _counts(passage: Passage, asked: Asked) -> bool:
    """Whether a line says how many there are of what is asked for, where that is asked, beside any other figure."""
    counts = [token for token in asked.tokens if token.has("count")] if "number" in asked.kinds else []
    if not counts or passage.row is not None or passage.keys:
        return True
    if any(asked.text[token.end :].strip(" ?？。") in {"", "钱"} for token in counts):
        return True  # 报名费多少 asks of a figure, and counts nothing
    units = [one.unit.kind for one in find_units(asked.text) if any(token.end >= one.start - 2 for token in counts)]
    if any(is_of_kind(passage.said, kind) for kind in units):
        return True
    said = "|".join(re.escape(one) for word in asked.needed for one in {word.text, word.said})
    near = r"[^\d.,;。，；]{0,8}" if has_chinese(asked.text) else r"[ *_`(-]{1,2}(?:[a-z]+[ -])?"
    figure = r"(?<![\d.])\d+(?:\.\d+)?(?!\.?\d)"  # 1.0.0 is none
    return re.search(rf"(?i){figure}{near}(?:{said})|(?:{said}){near}{figure}", passage.said) is not None


def _same_measures(passage: Passage, asked: Asked) -> bool:
    """Whether a line says how often, where that is asked, and has the units of a question: 8 kg is not 8 cm."""
    if passage.row is not None or passage.keys:
        return True
    if any(token.has("times") for token in asked.tokens) and not _OFTEN.search(passage.said):
        return False
    measures = (one for one in find_units(asked.text) if _MEASURED.search(asked.text[: one.start]))
    return all(is_of_kind(passage.said, one.unit.kind) for one in measures)


def _repeats(passage: Passage, asked: Asked) -> bool:
    """Whether a passage has no figure but those of the question: what is made of them is worked out."""
    return set(_FIGURE.findall(ITEM.sub("", passage.said, count=1))) <= set(_FIGURE.findall(asked.text))


def _same_sum(passage: Passage, asked: Asked) -> bool:
    """Whether the sums of a passage are not all deposits or quotes where a question asks what something costs."""
    if "amount" not in asked.kinds:
        return True
    if (
        passage.row is None
        and not is_of_kind(passage.said, "money")
        and any(is_of_kind(passage.said, unit) for unit in UNITS)
    ):
        return False
    others = [one for one in _OTHER_SUMS.findall(passage.own.small) if not stands(Words(asked.text), base(one))]
    return not others or len(others) < len(re.findall(r"\d[\d,.]*", NO_AMOUNT.sub("", passage.said)))


def _same_way(passage: Passage, asked: Asked) -> bool:
    """Whether a passage does not speak of below where a question asks above what something is so."""
    if not (wanted := _ways(asked.tokens)):
        return True
    there = _ways(segment(passage.own.small, [], {}))
    return not wanted.isdisjoint(there) or not (there or passage.keys)


def _ways(tokens: Iterable[Token]) -> set[str]:
    return {sense.value[0] for token in tokens for sense in token.all("cmp") if sense.value[0] in "<>"}


def _same_time(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage has the dates of a question, and does not itself speak of another month."""
    month = set[int]() if asked.dates else _months(asked.text)
    if month and (own := _months(passage.said)) and month.isdisjoint(own):
        return False
    if not asked.dates:
        return True
    whole = f"{passage.source.text} {passage.around.text} {passage.said}"
    there = [one.value for one in find_mentions(whole.replace("_", " "), today) if one.kind == "date"]
    return all(any(f"{day:%Y-%m-%d}".endswith(one) for day in there) for one in asked.dates)


def _months(text: str) -> set[int]:
    """The months that a text names: November, 11月, 2026-11-03."""
    named = {at for at, name in enumerate(MONTHS, 1) if re.search(rf"\b{name}\b", text)}
    return named | {int(month) for match in _MONTH.finditer(text) for month in match.groups() if month}


def _said_of_key(passage: Passage, asked: Asked) -> float:
    """How much of what the key of an entry says a question says too, a half to all; 0 where it is something else."""
    parts, left = _name_and_unsaid(passage.own, asked) if passage.keys else ([], [])
    is_other = (parts and left == parts) or any(part in _NARROWS.split() or narrows(part) for part in left)
    return 0.0 if is_other else 1 - len(left) / max(len(parts), 1) / 2


def _name_and_unsaid(name: Words, asked: Asked) -> tuple[list[str], list[str]]:
    """The telling words of a key or a column, and those that a question neither says nor asks for."""
    parts = [*name.stems, *(word for word, _, _ in located_words(name.text) if has_chinese(word))]
    parts = [part for part in parts if part not in table_words("words", "measure")]
    given = {form for word in asked.words for form in word.forms}
    given |= {one for way in _ways(asked.tokens) for one in _SAID_OF_WAY[way].split()}
    kinds = {"money" if kind == "amount" else kind for kind in {*asked.kinds, *(word.kind for word in asked.words)}}
    given = given.union(*map(words_of_kind, kinds))
    text = Words(asked.text)
    return parts, [part for part in parts if part not in given and not stands(text, part, abbreviated=True)]


def _columns(passage: Passage, asked: Asked) -> list[str]:
    """Of a row its name and the columns a question names and asks for, or all; none where it has no such figure."""
    row = passage.row or {}
    said = [name for name in row if _says_name(Words(name), asked)]
    meant = [] if asked.kinds else said
    for kind in asked.kinds:
        fits = [name for name in row if is_of_kind(_measured(row, name), "money" if kind == "amount" else kind)]
        if kind == "number":
            fits = [name for name in fits if _FIGURE_ALONE.match(str(row[name]))]
        is_sure = kind != "number" and (len(fits) == 1 or kind != "amount")  # a number may count anything
        whole = [name for name in said if not _name_and_unsaid(Words(name), asked)[1]]
        whole = [name for name in whole if _PER.search(asked.text) or not _PER.search(name)]  # trucks a day are no fee
        figures = [name for name in whole if _FIGURE_ALONE.match(str(row[name]))] if kind == "amount" else []
        of_kind = [name for name in fits if name in said] or (fits if is_sure else figures)
        if not of_kind:
            return []
        meant += of_kind
    named = [name for name in row if any(Words(str(row[name])).has(word.text) for word in asked.needed)]
    return [next(iter(row)), *named, *meant] if meant and not asked.several else [*row]


def _measured(row: Mapping[str, Any], name: str) -> str:
    """A cell with what it is measured in behind it: 1600 UYU/hour."""
    aside = re.search(r"[(（](.*?)[)）]", name)
    return f"{row[name]} {aside[1]}; {row[name]} {name}" if aside else f"{row[name]} {name}"


def _says_name(name: Words, asked: Asked) -> bool:
    """Whether a question says most of the name of a column, and every figure in it: 45 min is not 30 min."""
    parts, left = _name_and_unsaid(name, asked)
    return 2 * len(left) <= len(parts) > 0 and not any(part[0].isdigit() or narrows(part) for part in left)


def _call(found: Found) -> Call:
    passage, path = found.passage, found.passage.path
    if not passage.keys and passage.row is None:
        line = {"path": path, "start_line": passage.line, "max_lines": 1}
        return Call(tool="read_file", arguments=line, about=f"{path}:{passage.line}", unsaid=found.unsaid)
    about = ", ".join(filter(None, [path, ".".join(passage.keys)]))
    arguments = {"path": path, "sql": sql_of_found(found)}
    return Call(tool="data_analyzer", action="query", arguments=arguments, about=about, unsaid=found.unsaid)


def sql_of_found(found: Found) -> str:
    """What shows a row, or an entry of an object."""
    passage = found.passage
    if passage.row is not None:
        columns = ", ".join(map(quoted, dict.fromkeys(_columns(passage, found.asked))))
        return f"SELECT {columns} FROM {passage.rows} LIMIT 1 OFFSET {passage.line}"  # noqa: S608  names are quoted
    keys = passage.keys
    return f"SELECT {'.'.join(map(quoted, keys))} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
