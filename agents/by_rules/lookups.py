"""What a document says: the one line of a note, entry or record of a JSON file, that answers a question.

The words of a question are looked for in the line itself, in the headings over it and in the name of its file, and
weigh the more the fewer places have them. The best place has to have nearly all of that weight, and more than any other
that says something else; every name, number and figure; the very thing that is asked for; and an answer of the kind
that is asked for (a date, a sum, a telephone number). Words that an answer need not repeat only help.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

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
from switchyard.agents.by_rules.passages import LOG, Passage, Words, base, documents
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import quoted
from switchyard.language.asides import core_of
from switchyard.language.clauses import clauses
from switchyard.language.lexicon import segment
from switchyard.language.mentions import find_mentions
from switchyard.language.tables import words as table_words
from switchyard.language.tokeniser import has_chinese, located_words
from switchyard.language.words import language_of, needs_a_model
from switchyard.ledger.plan import Call

LONGEST = 200
_RECKONS = re.compile(
    r"(?i)\d.*\b(?:divided|multiplied|plus|minus|times|split)\b|\d.*(?:除以|乘以|加上|减去|平分)"
    r"|\bhow (?:many \w+|long) (?:until|till|since|are left|is it)\b|还有[几多少]+[天周个]"
)
LONG_WORD, LONG_CHINESE_WORD = 6, 3
"""Letters of a word that may be all that is asked for, where just one line has it."""
SHARES = (0.0, 0.6, 0.8, 0.7, 0.9, 0.8, 1.0)
"""How much of its weight a word counts by what it counts where it stands: another word for it is a fifth less."""
ENOUGH = {(True, True): 0.3, (True, False): 0.5, (False, True): 0.55, (False, False): 0.66}
"""The share of a question's weight that a passage has to have: by whether its file is named, and a kind of answer."""
APART, DONE = 0.15, 0.4
"""By how much of its own score the best passage has to be ahead, and what a verb counts that it lacks."""
_NARROWS = "max min limit target default above below over under alarm warn per 上限 下限 最大 最小"
"""Words of a key without which it is not the same: the most there may be is not how many there are."""
_NOW = re.compile(r"(?i)\b(?:right now|at the moment|currently|just now)\b|现在|目前|此刻")
_OTHER_SUMS = re.compile(
    r"\b(?:deposit|excess|fine|discount|tax|budget|limit|quote|refund|balance)\b|押金|定金|订金|预算|罚款|折扣|税|退款"
)
"""Sums that are not what something costs."""


def read_look_up(question: str, workspace: Path, today: date) -> list[Call]:
    """The calls that show what a question asks for; none where some part of it stands in no single place."""
    if len(question) > LONGEST or needs_a_model(question) or _RECKONS.search(question) or core_of(question).wish:
        return []  # a sum is worked out, and where names are wished for there are many
    place = Place(workspace)
    whole = asked_in(question, today, place)
    if whole is None or len(whole.places) > 1 or any("://" in place for place in whole.places):
        return []  # of two files one is compared with the other
    if (whole.kinds | {word.kind for word in whole.words}) & UNITS and _NOW.search(question):
        return []  # a file says how warm it should be, not how warm it is
    if sum(word.told and word.text[:1].isdigit() for word in whole.words) > 1:
        return []  # figures that are told before the question are to be worked with
    said = list(documents(place.root, whole.places))
    notes = [one for one in said if not one.path.endswith(LOG)]
    if logged := read_log(said, whole, today, language_of(question)):
        return logged
    known = notes if "times" in whole.events else said  # a line of a log says that it happened, not how often
    parts = [asked_in(part.text, today, place) for part in clauses(question)]
    found = _found(known, whole, parts, today)
    lacking = (word for word in whole.needed if not word.done and not any(map(word.points, found)))
    unsaid = [word.said for word in lacking if word.said]
    return [_call(one).model_copy(update={"unsaid": unsaid}) for one in found]


def _found(passages: Sequence[Passage], whole: Asked, parts: Sequence[Asked | None], today: date) -> list[Passage]:
    """Where a question is answered: in one place, or each of its parts in one."""
    one = best_of(passages, whole, today)
    found: list[Passage | None] = []
    for part in filter(None, parts if len(parts) > 1 and None not in parts else ()):
        last = found[-1] if found else None  # what is not said elsewhere may go on from where the part before was said
        near = [one for one in passages if last and (one.path, one.around.text) == (last.path, last.around.text)]
        found.append(best_of(passages, part, today) or best_of(near, replace(part, places=("",)), today))
    if found and None not in found and not (one and not one.keys and one in found):
        return [other for other in found if other is not None]
    return [one] if one is not None else []


def best_of(passages: Iterable[Passage], asked: Asked, today: date) -> Passage | None:
    """The one passage that answers; None where there is none, or two fit about as well. Logs are asked last."""
    known = list(passages)
    notes = [one for one in known if not one.path.endswith(LOG)]
    logs = [one for one in known if one.path.endswith(LOG)]
    return _best(notes, asked, today) or _best(logs, asked, today)


def _best(known: Sequence[Passage], asked: Asked, today: date) -> Passage | None:
    """The passage that has nearly all a question says, its words weighed by how rare they are; None if two have.

    What names something, what is asked for and a figure have to be there. What need not be counts where it is.
    """
    points = {word: [word.points(one) for one in known] for word in asked.words if word.said}
    usual = {word: max(1, sum(one >= OVER for one in found)) for word, found in points.items()}
    weights = {word: math.log((len(known) + 1) / (count + 0.5)) for word, count in usual.items()}
    scored: list[tuple[float, float, Passage]] = []
    for at, one in enumerate(known):
        found = {word: counts[at] for word, counts in points.items() if counts[at]}
        is_log = one.path.endswith(LOG)
        if not all(word in found for word in asked.needed if word.name or word.forms or word.kind or is_log):
            continue
        if _is_near(one, asked, found) and _may_answer(one, asked, today):
            has = sum(weights[word] * SHARES[where] for word, where in found.items())
            has *= (1 + _covered(one.own, asked)) / 2 if one.keys else 1
            lacks = (weights[word] * (DONE if word.done else 1) for word in asked.needed if word not in found)
            scored.append((has, has / (sum(lacks) + sum(weights[word] for word in found)), one))
    if not scored:
        return None
    has, share, best = max(scored, key=lambda one: one[:2])
    rival = max((one for one, _, other in scored if other is not best), default=0.0)
    enough = ENOUGH[bool(asked.places) and not asked.several, bool(asked.kinds)]
    return best if share >= enough and has - rival >= APART * has else None


def _is_near(passage: Passage, asked: Asked, found: Mapping[Word, int]) -> bool:
    """Whether a passage itself, or what stands over it, has words by which it is known; a single one if it is long."""
    telling = [word for word in found if word.needed or word.told]
    over = passage.keys or "count" not in asked.kinds  # what is counted stands where its number does
    near = any(found[word] >= (OVER if over else OWN) for word in telling) or (
        bool(passage.keys) and bool(asked.kinds & UNITS)
    )
    only = telling[0].text if telling and len(asked.needed) == 1 else ""
    long = len(only) >= (LONG_CHINESE_WORD if has_chinese(only) else LONG_WORD)
    is_flag = asked.is_flag and bool(passage.keys) and passage.said.startswith(("True", "False"))
    said = Words(asked.text).stems & (passage.own.stems | passage.around.stems) if passage.keys else ()
    return (
        near
        and any(word.needed for word in found)
        and (bool(asked.places) or len(telling) > 1 or len(said) > 1 or long or is_flag)
    )  # the database port


def _may_answer(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage says something of the kind that is asked for, and of the same time, sum and direction."""
    is_question = passage.said.rstrip("*_`\"'”」） )").endswith(("?", "？"))  # another question is no answer
    answers = not is_question and all(is_of_kind(passage.said, kind) for kind in asked.kinds)
    answers = answers and (not passage.keys or _covered(passage.own, asked) > 0)
    counted = asked.kinds == frozenset({"count"}) and not _is_of_one(passage, asked)
    many = counted or asked.upward is not None  # how many rows there are is not one of them
    answers = answers and not (passage.rows and many)
    return answers and _same_way(passage, asked) and _same_time(passage, asked, today) and _same_sum(passage, asked)


def _is_of_one(passage: Passage, asked: Asked) -> bool:
    """Whether a question names a row, and one of its columns: how many tickets are left for Hedda Gabler."""
    named = [word.text for word in asked.needed if word.name]
    in_columns = [one for one in named if stands(passage.around, one)]
    return bool(in_columns) and len(in_columns) < len(named)


def _same_sum(passage: Passage, asked: Asked) -> bool:
    """Whether the sums of a passage are not all deposits or quotes where a question asks what something costs."""
    if "amount" not in asked.kinds and not any(word.kind == "money" for word in asked.words):
        return True
    costs = any(word.kind == "money" for word in asked.words) and not is_of_kind(passage.said, "money")
    measured = costs and not passage.rows and any(is_of_kind(passage.said, unit) for unit in UNITS)
    if not passage.keys and (measured or not is_of_kind(passage.said, "amount")):
        return False
    others = [one for one in _OTHER_SUMS.findall(passage.own.small) if not stands(Words(asked.text), base(one))]
    return not others or len(others) < len(re.findall(r"\d[\d,.]*", NO_AMOUNT.sub("", passage.said)))


def _covered(own: Words, asked: Asked) -> float:
    """How much of what the key of an entry says a question says, too."""
    said = Words(asked.text)
    given = {form for word in asked.words for form in word.forms}
    given |= set({True: "above over 超过", False: "below under 低于", None: ""}[asked.upward].split())
    given |= {"target"} if re.search(r"\bshould\b|应该|设定", asked.text) else set()
    parts = [*own.stems, *(word for word, _, _ in located_words(own.text) if has_chinese(word))]
    left = [
        part
        for part in parts
        if part not in table_words("words", "measure")
        and part not in given
        and not stands(said, part, abbreviated=True)
        and not any(part in words_of_kind(kind) for kind in {*asked.kinds, *(word.kind for word in asked.words)})
    ]
    return 1 - len(left) / max(len(parts), 1) if set(_NARROWS.split()).isdisjoint(left) else 0


def _same_way(passage: Passage, asked: Asked) -> bool:
    """Whether a passage does not speak of below where a question asks above what something is so."""
    ways = {sense.value[0] == ">" for token in segment(passage.own.small, [], {}) for sense in token.all("cmp")}
    return asked.upward is None or not ways or asked.upward in ways


def _same_time(passage: Passage, asked: Asked, today: date) -> bool:
    """Whether a passage has the dates of a question."""
    whole = f"{passage.source.text} {passage.around.text} {passage.said}"
    if not asked.dates:
        return True
    there = [one.value for one in find_mentions(whole.replace("_", " "), today) if one.kind == "date"]
    return all(any(f"{day:%Y-%m-%d}".endswith(one) for day in there) for one in asked.dates)


def _call(passage: Passage) -> Call:
    path = passage.path
    if not passage.keys and not passage.rows:
        line = {"path": path, "start_line": passage.line, "max_lines": 1}
        return Call(tool="read_file", arguments=line, about=f"{path}:{passage.line}")
    about = ", ".join(filter(None, [path, ".".join(passage.keys)]))
    arguments = {"path": path, "sql": sql_of_passage(passage)}
    return Call(tool="data_analyzer", action="query", arguments=arguments, about=about)


def sql_of_passage(passage: Passage) -> str:
    """What shows a row, or an entry of an object."""
    if passage.rows:
        return f"SELECT * FROM {passage.rows} LIMIT 1 OFFSET {passage.line}"  # noqa: S608  names are quoted
    keys = passage.keys
    return f"SELECT {'.'.join(map(quoted, keys))} AS {quoted(keys[-1])} FROM data"  # noqa: S608  names are quoted
