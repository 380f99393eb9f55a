"""What a document says: the one line of a note, or entry of a JSON file, that answers a question.

Every word of the question that means something has to stand there: in the line itself, in the headings over it or in
the name of its file; so has the kind of answer that is asked for (a date, a number, a telephone number). Only words
that an answer need not repeat are left out, never a name, a number or what denies. Where two places fit about as well
and say different things, it is not answered.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path

from switchyard.agents.by_rules.logs import read_log
from switchyard.agents.by_rules.looked_for import (
    LEVELS,
    OVER,
    OWN,
    Asked,
    asked_in,
    is_of_kind,
    stands,
    words_of_kind,
)
from switchyard.agents.by_rules.passages import LOG, Passage, Words, documents
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
    r"\b(?:\w{2,}(?<!ne)ed|was|were|paid|bought|sold|spent|came|went|left|broke|built|sent|met|made|held|since|ago)\b"
    r"|\[x\]|[了过已花付]",
    re.IGNORECASE,
)
"""What says that something has happened."""
_LABEL = re.compile(r"^[\W\d]*([^\s:：,，(（]+(?: [^\s:：,，(（]+)?)(?=\s*[(（:：,，]|$)")
"""The word or two that a line begins with."""


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
    if logged := read_log(said, whole, language_of(question)):
        return logged if best_of([one for one in said if not one.path.endswith(LOG)], whole, today) is None else []
    if "times" in whole.events:
        said = [one for one in said if not one.path.endswith(LOG)]  # a line says that it happened, not how often
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
        enough = len(asked.needed) > 1 or asked.places or (not rivals and _is_enough(best, asked))
        return best if enough and all(count + AHEAD <= points for count in rivals) else None
    return None


def _is_enough(passage: Passage, asked: Asked) -> bool:
    """Whether a single word says what is meant: a long one, or the label of a line; of a yes or no, any."""
    if asked.is_flag:
        return passage.said.startswith(("True", "False"))
    word = asked.needed[0]
    labels = [replace(passage, own=Words(part)) for part in _LABEL.findall(passage.own.text)]
    is_label = any(word.points(one, LEVELS - 1) == OWN for one in labels)
    return is_label or len(word.text) >= (LONG_CHINESE_WORD if has_chinese(word.text) else LONG_WORD)


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
    if asked.past and not passage.path.endswith(LOG) and not _PAST.search(f"{passage.own.text} {passage.said}"):
        return 0
    if not _same_way(passage, asked) or not _same_time(passage, asked, today):
        return 0
    return sum(points)


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
        or stands(said, part, level, abbreviated=True)
        or any(part in words_of_kind(kind) for kind in {*asked.kinds, *(word.kind for word in asked.words)})
        for part in parts
    )


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


def _call(passage: Passage) -> Call:
    path = passage.path
    if not passage.keys:
        line = {"path": path, "start_line": passage.line, "max_lines": 1}
        return Call(tool="read_file", arguments=line, about=f"{path}:{passage.line}")
    keys = passage.keys
    sql = f"SELECT {'.'.join(map(quoted, keys))} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
    about = f"{path}, {'.'.join(keys)}"
    return Call(tool="data_analyzer", action="query", arguments={"path": path, "sql": sql}, about=about)
