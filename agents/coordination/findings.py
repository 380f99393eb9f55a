"""What a run found, step by step, as the answer is written from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from switchyard.ledger.attempts import Attempt
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.plan import Plan, Step
from switchyard.ledger.results import finished_attempts, full_result

ABOUT_LENGTH = 40
"""Characters of an argument that is named in an answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """A finished step and what it gave."""

    step: Step
    record: StepRecord
    result: Any
    merged: bool
    """Several tools gave it together: it has the shape of none of them."""
    changed: list[tuple[str, str]]
    """What was asked for and did not work, and what was taken in its place."""

    @property
    def unverified(self) -> bool:
        """Whether nobody could confirm it."""
        return self.record.verdict is not None and not self.record.verdict.verified

    @property
    def about(self) -> str:
        """What the call was about, in a few words."""
        texts = [value for value in self.record.arguments.values() if isinstance(value, str)]
        return ", ".join([text for text in texts if len(text) <= ABOUT_LENGTH][:2])

    def line(self, shown: str) -> str:
        """The finding as the writer of the answer reads it, with as much of its result as is shown."""
        # that a model reasoned without a tool is all that "unverified" says of its own words
        issues = self.record.verdict.issues if self.record.verdict and self.record.source != "model" else []
        notes = ["unverified", *issues] if self.unverified else issues if self.record.source == "skill" else []
        notes = notes + [f"{after!r} was taken, because {before!r} did not work" for before, after in self.changed]
        note = f" ({'; '.join(notes)})" if notes else ""
        return f"{self.step.description}{note}: {shown}"


def findings_of(plan: Plan | None, context: ExecutionContext, attempts: Sequence[Attempt]) -> list[Found]:
    """Every finished step with its full result."""
    found: list[Found] = []
    for step in plan.steps if plan else []:
        record = context.steps.get(step.id)
        if record is None or record.status != "done":
            continue
        made_of = [one.result for one in finished_attempts(step, record, attempts) if one.result is not None]
        merged = any(result.meta.synthesised for result in made_of)
        found.append(Found(step, record, full_result(step, record, attempts), merged, _changed(record, context)))
    return found


def _changed(record: StepRecord, context: ExecutionContext) -> list[tuple[str, str]]:
    """The texts among the arguments that were adjusted after the call had failed."""
    if record.items is not None:
        return []  # its arguments are those of no single call: each item had its own
    failed = [f for f in context.failures if f.step_id == record.step_id and f.tool == record.tool]
    before: Mapping[str, Any] = failed[0].arguments if failed else {}
    if before.keys() != record.arguments.keys():
        return []
    pairs = [(value, record.arguments[name]) for name, value in before.items() if value != record.arguments[name]]
    return [(asked, taken) for asked, taken in pairs if isinstance(asked, str) and isinstance(taken, str)]
