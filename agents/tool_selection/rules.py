"""Selection without a model: the first recalled tool that the step speaks of and whose arguments it gives.

It would rather find no tool than a wrong one: a tool fits when the step shares a word with its name or tags, not only
with its description, and gives every argument the tool requires.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.language.extraction import Filled, fill
from agents.language.words import left_over, needs_a_model
from ledger.decisions import Assignment, Candidate
from ledger.plan import Step
from toolhub.recall.bm25 import Scored
from toolhub.recall.tokeniser import tokens, words
from tools.core.spec import ToolSpec


def assign(step: Step, recalled: Sequence[tuple[Scored, ToolSpec]]) -> Assignment:
    """The step with the tools that fit, and the arguments of the first."""
    # writing and explaining is a model's work, unless a tool says that it does just that
    only = needs_a_model(step.description)
    served = [
        (s, spec) for s, spec in recalled if not only or needs_a_model(f"{spec.name} {spec.summary}".replace("_", " "))
    ]
    fits = [fit for scored, spec in served if (fit := _fit(step, scored, spec)) is not None]
    if not fits:
        return Assignment(step_id=step.id)
    fits.sort(key=lambda fit: (-round(fit.coverage, 1), -len(fit.filled.arguments), -fit.scored.score))
    return Assignment(
        step_id=step.id,
        candidates=[
            Candidate(tool=fit.scored.name, score=fit.scored.score, why=", ".join(fit.scored.terms)) for fit in fits
        ],
        arguments=fits[0].filled.arguments,
        late=_speaks_of_earlier(step, fits[0].filled),
    )


def _speaks_of_earlier(step: Step, filled: Filled) -> bool:
    """Whether an argument is made of an earlier number, whose name is only known when the result is there."""
    return any(f"{{{{{name}." in str(value) for name in step.dependencies for value in filled.arguments.values())


def assigned(step: Step, spec: ToolSpec) -> Assignment:
    """The step with one tool and what its text says about the arguments."""
    filled = _filled(step, spec)
    return Assignment(
        step_id=step.id,
        candidates=[Candidate(tool=spec.name)],
        arguments=filled.arguments,
        missing=filled.missing,
    )


def _filled(step: Step, spec: ToolSpec) -> Filled:
    capability = spec.capability(None)
    earlier = f"{{{{{step.dependencies[-1]}.value}}}}" if step.dependencies else None
    return fill(capability.parameters if capability else {}, step.description, earlier=earlier)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A tool that can serve a step, and how much of what the step says it knows."""

    scored: Scored
    filled: Filled
    coverage: float


def _fit(step: Step, scored: Scored, spec: ToolSpec) -> _Fit | None:
    filled = _filled(step, spec)
    if filled.missing or left_over(filled.rest):
        return None
    if "expression" in filled.arguments:
        return _Fit(scored, filled, 1.0)  # arithmetic names no tool: the expression itself is what is spoken of
    named = set(tokens(" ".join([spec.name, *spec.tags, *spec.capability_tags, *spec.examples, spec.summary])))
    if not named.intersection(scored.terms):
        return None
    said = {word for word in words(filled.rest) if word not in _question_words()}
    unknown = {word for word in said if not _is_known(word, scored.terms)}
    coverage = 1 - len(unknown) / len(said) if said else 1.0
    capability = spec.capability(None)
    required = len(capability.parameters.get("required", ())) if capability else 0
    # what a tool requires and was given speaks for it: fewer words need to
    least, most = (0.3, 3) if required else (0.5, 1 if filled.arguments else 0)
    return _Fit(scored, filled, coverage) if coverage >= least and len(unknown) <= most else None


def _is_known(word: str, terms: tuple[str, ...]) -> bool:
    return word in terms or (not word.isascii() and any(word[i : i + 2] in terms for i in range(len(word) - 1)))


@lru_cache(maxsize=1)
def _question_words() -> frozenset[str]:
    """Words every question has: they speak of no tool."""
    en = "what how when where who which tell show give many much me like please"
    return frozenset(words(f"{en} 多少 什么 哪个 哪些 告诉 看看 一下 怎么样 怎样"))
