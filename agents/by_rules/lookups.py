"""What a document says: the one line of a note, or entry of a JSON file, that answers a question.

Every word of the question that means something has to stand there: in the line itself, in the headings over it or in
the name of its file; so has the kind of answer that is asked for (a date, a number, a telephone number). Only words
that an answer need not repeat are left out, never a name, a number or what denies. Where two places fit about as well
and say different things, it is not answered.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

from switchyard.agents.by_rules.logs import read_log
from switchyard.agents.by_rules.looked_for import (
    BEGINS,
    ENDS,
    LEVELS,
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
from switchyard.agents.by_rules.passages import LOG, Passage, Words, base, documents
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import quoted
from switchyard.language.clauses import clauses
from switchyard.language.lexicon import segment
from switchyard.language.mentions import find_mentions
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.words import language_of, needs_a_model
from switchyard.ledger.plan import Call

LONGEST = 200
LONG_WORD, LONG_CHINESE_WORD = 6, 3
"""Letters of a word that may be all that is asked for, where just one line has it."""
AHEAD = 2
"""How much more the words of the best place have to count than those of any other that says something else."""
_PAST = re.compile(
    r"(?i)\b(?:\w{2,}(?<!ne)ed|was|were|paid|bought|sold|spent|came|went|left|broke|built|sent|met|made|held|since|ago)\b"
    r"|\[x\]|[了过已花付]"
)
"""What says that something has happened."""
_NOW = re.compile(r"(?i)\b(?:right now|at the moment|currently|just now)\b|现在|目前|此刻")
_OTHER_SUMS = re.compile(
    r"\b(?:deposit|excess|fine|discount|tax|budget|limit|quote|refund|balance)\b|押金|定金|订金|预算|罚款|折扣|税|退款"
)
"""Sums that are not what something costs."""
_COUNTED = frozenset(map(base, "minutes hours days weeks months years percent pct kg km".split()))  # noqa: SIM905
_LABEL = re.compile(
    r"^(?:[\W\d]|[一二三四五六七八九十]+、)*([A-Za-z][\w'-]*(?: [\w'-]+)?(?=\s*[(:,\d]|$)|[\u3400-\u9fff]{2,8})"
)
"""The word or two that a line begins with."""


def read_look_up(question: str, workspace: Path, today: date) -> list[Call]:
    """The calls that show what a question asks for; none where some part of it stands in no single place."""
    if len(question) > LONGEST or needs_a_model(question):
        return []
    place = Place(workspace)
    whole = asked_in(question, today, place)
    if whole is None or any("://" in place for place in whole.places):
        return []
    if whole.kinds & UNITS and _NOW.search(question):
        return []  # a file says how warm it should be, not how warm it is
    said = list(documents(place.root, whole.places))
    notes = [one for one in said if not one.path.endswith(LOG)]
    if logged := read_log(said, whole, language_of(question)):
        return logged if best_of(notes, whole, today) is None else []
    known = notes if "times" in whole.events else said  # a line of a log says that it happened, not how often
    parts = [asked_in(part.text, today, place) for part in clauses(question)]
    return [_call(one) for one in _found(known, whole, parts, today)]


def _found(passages: Sequence[Passage], whole: Asked, parts: Sequence[Asked | None], today: date) -> list[Passage]:
    """Where a question is answered: in one place, or each of its parts in one."""
    one = best_of(passages, whole, today)
    if len(parts) == 1 or None in parts:
        return [one] if one is not None else []
    found: list[Passage | None] = []
    for part in filter(None, parts):  # what is not said elsewhere may go on from where the part before was said
        last = found[-1] if found else None
        near = [one for one in passages if last and (one.path, one.around.text) == (last.path, last.around.text)]
        found.append(best_of(passages, part, today) or best_of(near, replace(part, places=("",)), today))
    if one is not None and not one.keys and all(other in (None, one) for other in found):
        return [one]
    return [other for other in found if other is not None] if None not in found else []


def best_of(passages: Iterable[Passage], asked: Asked, today: date) -> Passage | None:
    """The one passage that answers; None where there is none, or two fit about as well. Logs are asked last."""
    known = list(passages)
    logs = [one for one in known if one.path.endswith(LOG)]
    notes = [one for one in known if not one.path.endswith(LOG)]
    for some, level in product((notes, logs), range(LEVELS)):
        scored = [(points, one) for one in some if (points := _points(one, asked, level, today))]
        if not scored:
            continue
        points, best = max(scored, key=lambda pair: pair[0])
        rivals = [count for count, one in scored if one is not best and not _agree(one, best)]
        matched = {word.text for word in asked.words if word.points(best, level)}
        matched |= Words(asked.text).stems & best.own.stems if best.keys else set()
        enough = len(matched) > 1 or asked.places or (not rivals and _is_enough(best, asked))
        return best if enough and all(count + AHEAD <= points for count in rivals) else None
    return None


def _is_enough(passage: Passage, asked: Asked) -> bool:
    """Whether a single word says what is meant: a long one, or the label of a line; of a yes or no, any."""
    if asked.is_flag and passage.keys:
        return passage.said.startswith(("True", "False"))
    word, said = asked.needed[0].text, Words(asked.text)
    is_chinese = has_chinese(word)
    if len(word) >= (LONG_CHINESE_WORD if is_chinese else LONG_WORD):
        return True
    labels = [Words(part) for part in _LABEL.findall(passage.own.text) if not passage.keys]  # every key is one
    named = any(one.stems and all(stands(said, part, LEVELS - 1) for part in one.stems) for one in labels)
    return named or (is_chinese and any(one.small.startswith(word) for one in labels))


def _points(passage: Passage, asked: Asked, level: int, today: date) -> int:
    """How well a passage fits; 0 where something is missing in it."""
    found: list[tuple[Word, int]] = []
    for word in sorted(asked.words, key=lambda one: not one.needed):
        if not (points := word.points(passage, level)) and word.needed:
            return 0
        found.append((word, points))
    # what is counted stands where the number does
    nearest = OWN if "count" in asked.kinds and not passage.keys else OVER
    near = any(one >= nearest and (word.needed or nearest == OVER) for word, one in found)
    near = near or (bool(passage.keys) and bool(asked.kinds & UNITS))
    is_question = passage.said.rstrip("*_`\"'”」） )").endswith(("?", "？"))  # another question is no answer
    answers = near and not is_question and all(is_of_kind(passage.said, kind) for kind in asked.kinds)
    answers = answers and (not passage.keys or _covers(passage.own, asked, level))
    fits = answers and _same_way(passage, asked) and _same_time(passage, asked, today) and _same_sum(passage, asked)
    return sum(points for _, points in found) + OWN * _is_named(passage, asked) if fits else 0


def _is_named(passage: Passage, asked: Asked) -> bool:
    """Whether a question has a word of an entry's own key, if only a unit: how many litres."""
    return bool(passage.keys) and not Words(asked.text).stems.isdisjoint(passage.own.stems)


def _same_sum(passage: Passage, asked: Asked) -> bool:
    """Whether the sums of a passage are not all deposits or quotes where a question asks what something costs."""
    if "count" in asked.kinds and passage.keys and not words_of_kind("money").isdisjoint(passage.around.stems):
        return False  # what towels cost is not how many there are
    if "amount" not in asked.kinds and not any(word.kind == "money" for word in asked.words):
        return True
    costs = any(word.kind == "money" for word in asked.words) and not is_of_kind(passage.said, "money")
    measured = costs and any(is_of_kind(passage.said, unit) for unit in UNITS)
    if not passage.keys and (measured or not is_of_kind(passage.said, "amount")):
        return False
    others = [one for one in _OTHER_SUMS.findall(passage.own.small) if one not in asked.text.lower()]
    return not others or len(others) < len(re.findall(r"\d[\d,.]*", NO_AMOUNT.sub("", passage.said)))


def _covers(own: Words, asked: Asked, level: int) -> bool:
    """Whether a question says what the key of an entry says: the most there may be is not how many there are."""
    said = Words(asked.text)
    given = {form for word in asked.words for form in word.forms}
    given |= set({True: "above over 超过", False: "below under 低于", None: ""}[asked.upward].split())
    given |= {"target"} if re.search(r"\bshould\b|应该|设定", asked.text) else set()
    parts = [*own.stems, *(word for word, _, _ in located_words(own.text) if has_chinese(word))]
    if "count" in asked.kinds and any(part in _COUNTED and part not in said.stems for part in parts):
        return False  # so many minutes are not so many patients
    return all(
        part in table_words("words", "measure")
        or part in given
        or stands(said, part, level, abbreviated=True)
        or any(part in words_of_kind(kind) for kind in {*asked.kinds, *(word.kind for word in asked.words)})
        for part in parts
    )


def _same_way(passage: Passage, asked: Asked) -> bool:
    """Whether a passage does not speak of the end where a question asks for the beginning, nor of below for above."""
    if asked.begins and ENDS.search(passage.own.small.replace("_", " ")) and not BEGINS.search(passage.own.small):
        return False
    if asked.begins is False and passage.keys and BEGINS.search(passage.own.small):
        return False
    if asked.upward is None:
        return True
    ways = {sense.value[0] == ">" for token in segment(passage.own.small, [], {}) for sense in token.all("cmp")}
    return not ways or asked.upward in ways


def _same_time(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage has the dates of a question, no other year than the one it is about, and tells what was."""
    if asked.past and not passage.path.endswith(LOG) and not _PAST.search(f"{passage.around.text} {passage.own.text}"):
        return False
    whole = f"{passage.source.text} {passage.around.text} {passage.said}"
    years = set(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", whole)) if asked.years else set[str]()
    if years and years.isdisjoint(asked.years):
        return False
    if not asked.dates:
        return True
    there = [one.value for one in find_mentions(whole.replace("_", " "), today) if one.kind == "date"]
    return all(any(f"{day:%Y-%m-%d}".endswith(one) for day in there) for one in asked.dates)


def _agree(one: Passage, other: Passage) -> bool:
    """Whether two passages give the same figures."""
    first, second = (frozenset(re.findall(r"\d[\d:.,-]*\d|\d", passage.said)) for passage in (one, other))
    return bool(first and second) and (first <= second or second <= first)


def _call(passage: Passage) -> Call:
    path = passage.path
    if not passage.keys:
        line = {"path": path, "start_line": passage.line, "max_lines": 1}
        return Call(tool="read_file", arguments=line, about=f"{path}:{passage.line}")
    keys = passage.keys
    sql = f"SELECT {'.'.join(map(quoted, keys))} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
    about = f"{path}, {'.'.join(keys)}"
    return Call(tool="data_analyzer", action="query", arguments={"path": path, "sql": sql}, about=about)
