"""What a finished run teaches: which wording which tool served, and which it failed on (R3.5, R3.7)."""

from collections.abc import Iterator

from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.memory.experience import Lesson
from switchyard.toolhub.memory.memory import THE_TOOLS_FAULT
from switchyard.toolhub.recall.learned import is_same

SURE = 0.8
"""Confidence below which a result confirms nothing: a wrong tool must not confirm itself."""
LONGEST_PLAN = 3
"""Steps of a plan up to which the question says what each of its tools is for."""


def lessons_of(plan: Plan | None, context: ExecutionContext) -> list[Lesson]:
    """The lessons of a run; only what was verified counts."""
    if plan is None or context.limits_hit:
        return []
    return [lesson for step in plan.steps for lesson in _of_step(step, plan, context)]


def _of_step(step: Step, plan: Plan, context: ExecutionContext) -> Iterator[Lesson]:
    record = context.steps.get(step.id)
    if record is None:
        return
    served = record.tool if _is_sure(record) and record.tool != NO_TOOL else None
    if served and not _is_makeshift(step, record, plan, context):
        yield from (Lesson(tool=served, wording=text, success=True) for text in _wordings(step, plan, context))
    failed = {failure.tool for failure in context.failures if failure.step_id == step.id and _speaks(failure, served)}
    yield from (Lesson(tool=tool, wording=step.description, success=False) for tool in failed - {served, NO_TOOL})


def _wordings(step: Step, plan: Plan, context: ExecutionContext) -> list[str]:
    """What the tool was asked: the step, and its question where the plan is short.

    A step whose result another one needs serves that step, not the question: a look-up is not what was asked for.
    """
    if any(step.id in other.dependencies for other in plan.steps):
        return [] if is_same(step.description, context.task) else [step.description]
    question = [context.task] if len(plan.steps) <= LONGEST_PLAN else []
    return list(dict.fromkeys([step.description, *question]))


def _is_makeshift(step: Step, record: StepRecord, plan: Plan, context: ExecutionContext) -> bool:
    """Whether the rules came to the tool only because another had failed: nobody judged that it is meant for this."""
    failed = (failure for failure in context.failures if failure.step_id == step.id)
    return plan.by == "rules" and any(failure.tool != record.tool for failure in failed)


def _is_sure(record: StepRecord) -> bool:
    verdict = record.verdict
    return record.status == "done" and verdict is not None and verdict.verified and verdict.confidence >= SURE


def _speaks(failure: Failure, served: str | None) -> bool:
    """Whether a failure speaks against the tool: it is the tool's own, or another tool could do it."""
    return failure.kind in THE_TOOLS_FAULT or served is not None
