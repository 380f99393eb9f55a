"""Selection without a model: the recalled tools that the step speaks of and whose arguments it gives.

It would rather find no tool than a wrong one. A tool fits when the step shares a word with its name or tags, gives
every argument the tool requires, and says nothing that neither an argument carries nor the tool speaks of.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from switchyard.agents.by_rules.changing import acts, may_change
from switchyard.agents.by_rules.extraction import Filled, fill
from switchyard.agents.by_rules.kinds import (
    RequestTask,
    counts,
    goes_without_saying,
    must_know_all,
    request_task,
    runs_code,
    seeks_by_meaning,
)
from switchyard.agents.by_rules.lists import EACH, finds_many
from switchyard.agents.by_rules.names import strays
from switchyard.agents.by_rules.naming import asks_for_product, leaves_out, without_tags
from switchyard.agents.by_rules.superlatives import find_superlative, measured
from switchyard.agents.by_rules.vocabulary import (
    SameSpec,
    actions_of,
    is_known,
    named_words,
    schema_of,
    speaks_of_action,
    terms_of,
    vocabulary_of,
)
from switchyard.agents.by_rules.wholeness import covers, speaks_of
from switchyard.language.tokeniser import words
from switchyard.language.words import (
    is_act,
    is_asked,
    is_conditional,
    is_demonstrative,
    left_over,
    needs_a_model,
)
from switchyard.ledger.decisions import Assignment, Candidate
from switchyard.ledger.plan import Step
from switchyard.toolhub.calling.schema import required_fields
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.tools.core.spec import ToolSpec

ENOUGH, ENOUGH_WHEN_GIVEN, MOST_UNKNOWN = 0.5, 0.5, 2
"""The share of a text's words a tool has to know, with less to go by and with all it requires; and what it need not."""
_WHOLE = frozenset({"expression", "timezone"})
"""Fields of tools that are found by what is asked, not by a word: arithmetic, time."""
GUESS = 0.5
"""What a value that was guessed takes from the certainty that a tool is meant."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The step a text may speak of."""

    step_id: str
    spec: ToolSpec | None = None
    others: tuple[str, ...] = ()
    """The steps before it that the text may speak of as well: "add the two numbers"."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A tool that can serve a text."""

    scored: Scored
    spec: ToolSpec
    filled: Filled
    coverage: float
    """How much of what the text says the tool knows."""
    handed: str | None = None
    """The argument an earlier result gives."""
    looked_up: tuple[str, ...] = ()
    """Arguments another tool has to produce."""
    each: bool = False
    """Once per row of the earlier result."""
    action: str | None = None
    """Which of several operations of the tool."""

    @property
    def late(self) -> bool:
        """Whether arguments are only known when the earlier result is there."""
        return self.handed is not None or any("{{" in str(value) for value in self.filled.arguments.values())


def fits(
    text: str,
    recalled: Iterable[tuple[Scored, ToolSpec]],
    *,
    earlier: Earlier | None = None,
    today: date | None = None,
) -> list[Fit]:
    """The tools that can serve a text, best first; none where nothing does."""
    # writing and explaining is a model's work, unless a tool says that it does just that
    asked = request_task(text)
    only = needs_a_model(text) and (asked is None or asked.request is None)  # what a request carries asks for nothing
    pairs = list(recalled)
    found = [
        fit
        for scored, spec in pairs
        if not only or needs_a_model(f"{spec.name} {spec.summary}".replace("_", " "))
        if asked is None or asked.suits(spec)
        if asks_for_product(text, spec)
        for action, one in actions_of(SameSpec(spec))
        if (fit := _told(asked, scored, one, action) or _fit(text, scored, one, earlier, today, action=action))
    ]
    found = [fit for fit in found if not _leaves_out(text, fit, [spec for _, spec in pairs], earlier, today)]
    found.sort(
        key=lambda fit: (
            fit.handed is not None,
            not fit.filled.whole,
            # "search" alone means the letters, not what they are about
            seeks_by_meaning(fit.spec) and vocabulary_of(fit.spec).own.isdisjoint(fit.scored.terms),
            -round(fit.coverage, 1),
            fit.action is not None,  # of two that fit, the one made for just this
            -len(required_fields(schema_of(fit.spec))),
            0 if fit.looked_up else -len(fit.filled.arguments),  # of what is looked up, recall knows best
            -fit.scored.score,
        )
    )
    # what was understood as a whole is not tried on tools that only share words with it
    return [fit for fit in found if fit.filled.whole] or found


def assign(
    step: Step,
    recalled: Sequence[tuple[Scored, ToolSpec]],
    *,
    earlier: Earlier | None = None,
    today: date | None = None,
) -> Assignment:
    """The step with the tools that fit, the planned one first, and its arguments."""
    made = set(earlier.spec.produces) if earlier and earlier.spec else set[str]()
    found = [
        fit for fit in fits(step.description, recalled, earlier=earlier, today=today) if made.issuperset(fit.looked_up)
    ]
    found.sort(key=lambda fit: fit.spec.name != step.tool)
    if step.tool and (not found or found[0].spec.name != step.tool):
        planned = next(((scored, spec) for scored, spec in recalled if spec.name == step.tool), None)
        if planned is not None:
            filled = filled_by(step.description, planned[1], earlier, today)
            found.insert(0, Fit(*planned, filled, 0.0, looked_up=tuple(filled.missing)))
    if not found:
        return Assignment(step_id=step.id)
    first = found[0]
    if first.looked_up or not asks_for_product(step.description, first.spec):
        found = [first]  # what was looked up is of no use to a tool that looks at something else
    return Assignment(
        step_id=step.id,
        candidates=[
            Candidate(tool=name, score=scored.score, why=", ".join(scored.terms))
            for name, scored in {fit.spec.name: fit.scored for fit in found}.items()
        ],
        action=first.action,
        arguments={**first.filled.arguments, **_produced(first, earlier)},
        late=first.late,
    )


def assigned(step: Step, spec: ToolSpec, *, earlier: Earlier | None = None, today: date | None = None) -> Assignment:
    """The step with one tool and what its text says about the arguments."""
    action, one = max(
        actions_of(SameSpec(spec)), key=lambda pair: len(terms_of(step.description) & vocabulary_of(pair[1]).own)
    )
    filled = filled_by(step.description, one, earlier, today)
    return Assignment(
        step_id=step.id,
        candidates=[Candidate(tool=spec.name)],
        action=action,
        arguments=filled.arguments,
        missing=filled.missing,
    )


def filled_by(
    text: str, spec: ToolSpec, earlier: Earlier | None, today: date | None, others: frozenset[str] = frozenset()
) -> Filled:
    """What a text gives for a tool's arguments; `others` are words that speak of another tool."""
    steps = (*earlier.others, earlier.step_id) if earlier else ()
    reference = ", ".join(f"{{{{{step}.value}}}}" for step in steps) or None
    known = vocabulary_of(spec).named | others
    return _read(SameSpec(spec), text, reference, today, known)


@lru_cache(maxsize=512)
def _read(spec: SameSpec, text: str, reference: str | None, today: date | None, known: frozenset[str]) -> Filled:
    # planning and selection read the same text for the same tool
    return fill(schema_of(spec.spec), text, earlier=reference, today=today, known=known)


def _produced(fit: Fit, earlier: Earlier | None) -> dict[str, str]:
    """The arguments that an earlier step was taken along to produce."""
    made = earlier.spec.produces if earlier and earlier.spec else ()
    return {name: f"{{{{{earlier.step_id}.{name}}}}}" for name in fit.looked_up if earlier and name in made}


def _told(asked: RequestTask | None, scored: Scored, spec: ToolSpec, action: str | None) -> Fit | None:
    """A tool that sends the request a text asks for."""
    filled = asked.filled(spec) if asked is not None else None
    return Fit(scored, spec, filled, 1.0, action=action) if filled is not None else None


def _fit(
    text: str,
    scored: Scored,
    spec: ToolSpec,
    earlier: Earlier | None,
    today: date | None,
    *,
    action: str | None = None,
) -> Fit | None:
    if not _WHOLE & schema_of(spec).get("properties", {}).keys() and all(
        is_asked(term) for term in named_words(spec).intersection(scored.terms)
    ):
        return None  # nothing in the text speaks of it: there is no need to look closer
    if runs_code(spec) or (action is not None and not speaks_of_action(text, action)):
        return None
    filled = filled_by(text, spec, earlier, today)
    in_rows = _fields_of_each(text, earlier)
    looked_up = tuple(name for name in filled.missing if name in spec.requires and measured((name,), in_rows) is None)
    open_fields = [name for name in filled.missing if name not in looked_up]
    given = len(open_fields) <= (earlier is not None)  # one may come from the step before
    if not given or not may_change(text, spec, guessed=filled.guessed, today=today):
        return None
    handed = open_fields[0] if open_fields else None
    rest, each = _of_several(without_tags(filled.rest, spec), spec, earlier, handed=handed is not None)
    # what finds a value has a use for the rest of the text
    left = [word for word in left_over(rest) if not (looked_up and word.isdigit())]
    unread = left or (filled.unused and not looked_up) or (acts(spec) and not covers(spec, rest))
    if unread or (earlier is None and is_demonstrative(rest)):
        return None
    if "expression" in filled.arguments or filled.whole:
        # arithmetic names no tool: the expression itself is what is spoken of
        return Fit(scored, spec, filled, 1.0, action=action)
    coverage = _coverage(text, rest, scored, spec, filled, look_up=bool(looked_up))
    return None if coverage is None else Fit(scored, spec, filled, coverage, handed, looked_up, each, action)


def _leaves_out(text: str, fit: Fit, specs: list[ToolSpec], earlier: Earlier | None, today: date | None) -> bool:
    """Whether a tool is called without something the text names, which others of its category take."""
    if fit.handed or fit.looked_up or fit.filled.whole:
        return False
    others = [spec for spec in specs if spec.category == fit.spec.category and spec.name != fit.spec.name]
    if not any(spec.produces for spec in others):
        return False  # nothing there has a name that is looked up
    taken = [(spec, filled_by(text, spec, earlier, today)) for spec in others]
    rests = [filled.rest for spec, filled in taken if spec.produces or not filled.guessed]
    return leaves_out(fit.filled.rest, fit.spec, rests)


def _fields_of_each(text: str, earlier: Earlier | None) -> str:
    """What the rows of the earlier result have, where a text speaks of each of them."""
    return earlier.spec.returns if earlier and earlier.spec and EACH.search(text) else ""


def _coverage(text: str, rest: str, scored: Scored, spec: ToolSpec, filled: Filled, *, look_up: bool) -> float | None:
    """How much of what is left of a text the tool knows; None where that is too little."""
    direct = terms_of(text).intersection(scored.terms)
    # a word for the same thing is enough where the arguments speak for the tool as well
    others = {term for term in scored.terms if term not in direct and term.isascii() != text.isascii()}
    found = set(scored.terms) if filled.arguments else {*direct, *(others if len(others) > 1 else ())}
    named = named_words(spec).intersection(found)
    if all(is_asked(term) for term in named) or is_conditional(text) or not counts(text, rest, spec):
        return None
    known = vocabulary_of(spec).asked_for if acts(spec) else vocabulary_of(spec).known
    loose = not named & direct
    said = {word for word in words(rest) if not is_asked(word) and not (look_up and word.isdigit())}
    given = bool(required_fields(schema_of(spec))) and not filled.missing
    names = {name for name in strays(rest, known) if not is_known(name, known, loose=loose)}
    said |= set() if given else names
    unknown = {word for word in said if not is_known(word, known, loose=loose)}
    share = 1 - len(unknown) / len(said) if said else 1.0
    if given or look_up:  # what a tool requires and was given speaks for it: fewer words need to
        fine = len(unknown) <= 1 or (share >= ENOUGH_WHEN_GIVEN and len(unknown) <= MOST_UNKNOWN)
    else:
        fine = share >= ENOUGH and len(unknown) <= bool(filled.arguments)
    if not named & direct:
        fine = fine and len(unknown) <= (len(filled.arguments) > 1)
    if filled.guessed or must_know_all(spec):
        fine = fine and all(goes_without_saying(word, known) for word in unknown)
    if filled.guessed or look_up:  # what is left over is a name only where the rest speaks of just this tool
        fine = fine and not vocabulary_of(spec).own.isdisjoint(scored.terms)
    if not fine or any(is_act(word) for word in unknown):
        return None
    # what arguments carry is understood as well
    every = {word for word in words(text) if not is_asked(word)} | said | names
    understood = 1 - len(unknown | names) / len(every) if every else 1.0
    return understood - (GUESS if filled.guessed or look_up else 0.0)


def understands(spec: ToolSpec, text: str, today: date, *, follows: bool) -> bool:
    """Whether a tool is spoken of by a text, and knows all of it: what stands beside a change is read as strictly.

    Args:
        spec: the tool that serves the text, with the one operation that is meant.
        text: the task.
        today: what relative dates count from.
        follows: whether the text may speak of an earlier result.
    """
    if request_task(text) is not None:
        return True  # such a text is read as a whole or not at all
    filled = filled_by(text, spec, Earlier("earlier") if follows else None, today)
    if filled.whole or "expression" in filled.arguments:
        return True
    rest = EACH.sub(" ", without_tags(filled.rest, spec)) if follows else without_tags(filled.rest, spec)
    if follows and (wanted := find_superlative(rest)) is not None:
        rest = rest[: wanted.start] + " " + rest[wanted.end :]
    return covers(spec, rest, asking=not acts(spec)) and speaks_of(text, spec, today)


def knows(spec: ToolSpec, text: str) -> bool:
    """Whether a tool is described with every word of a text that means something."""
    known = vocabulary_of(spec).known
    return all(is_known(word, known, loose=False) for word in words(text) if not is_asked(word))


def _of_several(rest: str, spec: ToolSpec, earlier: Earlier | None, *, handed: bool) -> tuple[str, bool]:
    """The rest of a text without the words for one of several, where they can be served; and whether each is meant."""
    each = handed and EACH.search(rest) is not None
    wanted = find_superlative(rest)
    if wanted is None:
        return (EACH.sub(" ", rest) if handed else rest), each
    before = earlier.spec.returns if earlier and earlier.spec else ""
    per_row = handed and measured(wanted.fields, before) is None and measured(wanted.fields, spec.returns) is not None
    lists = finds_many(f"{spec.name} {spec.summary}".replace("_", " "))
    if handed or measured(wanted.fields, spec.returns) is not None or (lists and not spec.returns):
        blank = " " * (wanted.end - wanted.start)
        return rest[: wanted.start] + blank + rest[wanted.end :], per_row or each
    return rest, False
