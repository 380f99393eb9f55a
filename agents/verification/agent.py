"""The verifier: looks at the results of a round together; a rejected result takes what was built on it with it."""

import time
from collections.abc import Iterator
from typing import Any

from switchyard.agents.asking import ask, has_model
from switchyard.agents.by_rules.checker import disagreement, finds_nothing
from switchyard.agents.prompt import told_call
from switchyard.agents.scope import RunScope
from switchyard.agents.verification.prompts import JudgeAnswer, Judgement, judge_prompt
from switchyard.language.messages import joined, message
from switchyard.ledger.attempts import Failure, failures_of
from switchyard.ledger.context import ContextUpdate, ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Verdict
from switchyard.ledger.plan import Plan
from switchyard.ledger.results import by_item
from switchyard.tools.core.result import ToolResult

AGENT = "verification"

DOUBT = 0.5
"""Confidence of the rules up to which they leave a result to a model."""


async def verify(scope: RunScope, plan: Plan, context: ExecutionContext) -> ContextUpdate:
    """Verdicts for every result of this round that has none in full yet."""
    fresh = [record for record in context.steps.values() if record.status == "done" and not record.checked]
    update = ContextUpdate()
    for record, failure in _unanswered(context):
        told = {"status": "failed", "error": failure.error, "error_type": failure.kind, "problem": None}
        update.steps[record.step_id] = record.model_copy(update=told)
    fresh = [record for record in fresh if record.step_id not in update.steps]
    if not fresh:
        return update
    judged = await _judge(scope, plan, context, [one for one in fresh if _is_judged(scope, plan, context, one)])
    for record in fresh:
        verdict, judgement = record.verdict or Verdict(verified=True), judged.get(record.step_id)
        if judgement is not None:
            verdict = _joined(verdict, judgement)
        if other := _contradicting(plan, context, record):
            advice = message("contradicted", step=other.step_id)
            verdict = verdict.model_copy(
                update={"issues": [*verdict.issues, advice], "confidence": round(verdict.confidence * 0.7, 2)}
            )
        if judgement is not None and not verdict.verified:
            _reject(plan, context, record, verdict, update)
            update.failures += await _failures(scope, record, joined(*verdict.issues, by="; "))
        else:
            update.steps.setdefault(record.step_id, record.model_copy(update={"verdict": verdict, "checked": True}))
    told: dict[str, Any] = {one.step_id: update.steps[one.step_id].verdict or {} for one in fresh}
    scope.emit("verdicts", {"verdicts": told})
    return update


def _unanswered(context: ExecutionContext) -> Iterator[tuple[StepRecord, Failure]]:
    """The steps that a model was to say something of as the last resort, and it could not; with the tool's failure."""
    last = context.decisions[-1] if context.decisions else None
    for step_id in last.steps if last is not None and last.way == "reason" else ():
        record = context.steps[step_id]
        made = [one for one in context.failures if one.tool != NO_TOOL]
        failed = [one for one in context.failures_of(step_id) if one in made] or made
        if failed and (record.status == "failed" or finds_nothing(record.excerpt)):
            yield record, failed[-1]


def _is_judged(scope: RunScope, plan: Plan, context: ExecutionContext, record: StepRecord) -> bool:
    """Whether a model looks at a result too: always, or where its step is hard or the rules cannot tell."""
    wanted = scope.options.judge
    if wanted == "never" or not has_model(scope, AGENT) or (wanted == "doubt" and plan.by == "rules"):
        return False
    if wanted == "always" or plan.step(record.step_id).complexity == "high":
        return True
    if record.source == "model":
        return False  # its own word is no better for being asked for twice
    other = _contradicting(plan, context, record)
    disputed = other is not None and other.tool != record.tool
    return disputed or (record.verdict is not None and record.verdict.verified and record.verdict.confidence <= DOUBT)


async def _judge(
    scope: RunScope, plan: Plan, context: ExecutionContext, fresh: list[StepRecord]
) -> dict[str, Judgement]:
    if not fresh:
        return {}
    steps = {one.step_id: f"{plan.step(one.step_id).description} ({told_call(one)})" for one in fresh}
    found = await scope.results_so_far(context)
    told = by_item(plan.steps, found)
    prompt = judge_prompt(context.task, steps, {step_id: told[step_id] for step_id in steps})
    answer = await ask(scope, AGENT, prompt, JudgeAnswer)
    # a judge that breaks is not a verdict
    return {one.step: one for one in answer.judgements} if answer else {}


def _joined(gate: Verdict, judged: Judgement) -> Verdict:
    if judged.ok:
        return gate.model_copy(update={"confidence": min(gate.confidence, judged.confidence)})
    return Verdict(verified=False, confidence=0.0, issues=[*gate.issues, judged.reason or message("judge_rejected")])


def _contradicting(plan: Plan, context: ExecutionContext, record: StepRecord) -> StepRecord | None:
    """A step that was after the same and found something else; the rules read each thing once."""
    step = plan.step(record.step_id)
    for other in plan.steps if plan.by == "model" else ():
        earlier = context.steps.get(other.id)
        if other.id == step.id or earlier is None or earlier.status != "done" or other.id in step.dependencies:
            continue
        two_things = earlier.tool == record.tool and earlier.arguments != record.arguments
        if step.id in other.dependencies or not earlier.excerpt or two_things:
            continue
        if disagreement(step.description, record.excerpt, other.description, earlier.excerpt):
            return earlier
    return None


def _reject(plan: Plan, context: ExecutionContext, record: StepRecord, verdict: Verdict, update: ContextUpdate) -> None:
    error = joined(*verdict.issues, by="; ")
    update.steps[record.step_id] = record.model_copy(
        update={"status": "failed", "error": error, "error_type": "wrong_result", "verdict": verdict}
    )
    for dependant in plan.dependants([record.step_id]):
        built = context.steps.get(dependant)
        if built is not None and built.status == "done":
            update.steps[dependant] = StepRecord(
                step_id=dependant, status="blocked", error=message("base_rejected"), attempts=built.attempts
            )


async def _failures(scope: RunScope, record: StepRecord, error: str) -> list[Failure]:
    """A rejected result is a failure of the call that gave it, and of the one that stood in for it."""
    rows = {attempt.key: attempt for attempt in await scope.equipment.journal.attempts(scope.run_id)}
    if attempt := rows.get(record.journal_key or ""):
        result = ToolResult.failed(error, "wrong_result")
        result.meta = attempt.result.meta if attempt.result else result.meta
        return failures_of(attempt.model_copy(update={"state": "failed", "result": result, "at": time.time()}))
    call = record.model_dump(include={"step_id", "action", "arguments"})
    return [Failure(**call, tool=record.tool or "", kind="wrong_result", error=error, at=time.time())]
