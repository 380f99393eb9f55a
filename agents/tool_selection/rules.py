"""Selection without a model: the first recalled tool that the step speaks of and whose arguments it gives.

It would rather find no tool than a wrong one: a tool fits when the step shares a word with its name or tags, not only
with its description, and gives every argument the tool requires.
"""

from collections.abc import Sequence

from agents.language.extraction import fill
from agents.language.words import left_over, needs_a_model
from ledger.decisions import Assignment, Candidate
from ledger.plan import Step
from toolhub.recall.bm25 import Scored
from toolhub.recall.tokeniser import tokens
from tools.core.spec import ToolSpec

MOST_UNKNOWN = 1
"""Words of a step that a tool called without arguments may not know."""


def assign(step: Step, recalled: Sequence[tuple[Scored, ToolSpec]]) -> Assignment:
    """The step with the tools that fit, and the arguments of the first."""
    if needs_a_model(step.description):
        return Assignment(step_id=step.id)
    fitting = [
        (Candidate(tool=spec.name, score=scored.score, why=", ".join(scored.terms)), found)
        for scored, spec in recalled
        if not (found := assigned(step, spec)).missing and _fits(step, scored, spec, found)
    ]
    if not fitting:
        return Assignment(step_id=step.id)
    # a tool the step gives arguments for comes before one that takes none: "6 times 7" is not about the time
    fitting.sort(key=lambda pair: not pair[1].arguments)
    return fitting[0][1].model_copy(update={"candidates": [candidate for candidate, _ in fitting]})


def assigned(step: Step, spec: ToolSpec) -> Assignment:
    """The step with one tool and what its text says about the arguments."""
    capability = spec.capability(None)
    schema = capability.parameters if capability else {}
    earlier = f"{{{{{step.dependencies[-1]}.value}}}}" if step.dependencies else None
    filled = fill(schema, step.description, earlier=earlier)
    return Assignment(
        step_id=step.id,
        candidates=[Candidate(tool=spec.name)],
        arguments=filled.arguments,
        missing=filled.missing,
    )


def _fits(step: Step, scored: Scored, spec: ToolSpec, found: Assignment) -> bool:
    if left_over(step.description, found.arguments):
        return False
    if "expression" in found.arguments:
        return True  # arithmetic names no tool: the expression itself is what is spoken of
    named = set(tokens(" ".join([spec.name, *spec.tags, *spec.capability_tags, *spec.examples])))
    if not named.intersection(scored.terms):
        return False
    # a tool that was given nothing must be spoken of by nearly every word: "when does the shop open" is not the time
    return bool(found.arguments) or len(set(tokens(step.description)) - set(scored.terms)) <= MOST_UNKNOWN
