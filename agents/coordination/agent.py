"""The coordinator: decides among what is allowed, and writes the answer when the run is complete."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents.asking import ask, ask_for_text, has_model
from agents.coordination.prompts import DecideAnswer, answer_prompt, decide_prompt
from agents.coordination.remedies import remedies
from agents.coordination.rules import OTHER_ARGUMENTS, allowed, status_of
from agents.coordination.wording import problems_of, say, sentence_for
from agents.scope import RunScope
from ledger.attempts import Attempt
from ledger.context import ExecutionContext, RunStatus, StepRecord
from ledger.decisions import Assignment, Decision
from ledger.plan import Plan, Step
from ledger.references import as_text
from ledger.results import finished_attempts, full_result
from toolhub.excerpts import cut

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

AGENT = "coordination"

ABOUT_LENGTH = 40
"""Characters of an argument that is named in an answer."""
RESULT_LENGTH = 2000
"""Characters of a result the writer of the answer sees."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answer of a run, and how it ended."""

    text: str
    status: RunStatus
    message: "AIMessage | None" = None
    """The model's own message, which was streamed already."""


async def decide(
    scope: RunScope, plan: Plan, assignments: Mapping[str, Assignment], context: ExecutionContext
) -> Decision:
    """How the run goes on. A model chooses among what is allowed; else the first allowed is taken."""
    model = has_model(scope, AGENT)
    help_ = await remedies(scope, plan, assignments, context, model=model)
    ways = allowed(
        plan,
        assignments,
        context,
        scope.options.limits,
        model=model,
        adjusted=help_.adjusted,
        left=help_.left,
    )
    by_rules = next(way for way in ways if way.reason != OTHER_ARGUMENTS)
    failed = any(record.status == "failed" for record in context.steps.values())
    if not model or not failed or len(ways) == 1:
        return by_rules
    tools = dict.fromkeys(record.tool or "" for record in context.steps.values() if record.status == "failed")
    definitions = scope.equipment.library.get_tools_description_by_names(tools)
    answer = await ask(scope, AGENT, decide_prompt(plan, context, ways, definitions), DecideAnswer)
    if answer is None:
        return by_rules
    chosen = [way for way in ways if way.action == answer.action]
    if not chosen:
        scope.downgrade(AGENT, f"{answer.action} is not allowed now")
        return by_rules
    # the action may be open to several groups of steps: the arguments say which is meant
    way = next((way for way in chosen if answer.arguments.keys() & set(way.steps)), chosen[0])
    update: dict[str, Any] = {"reason": answer.reason or way.reason, "by": "model"}
    if way.action == "execute_tool":
        given = {step: arguments for step, arguments in answer.arguments.items() if step in way.steps}
        update["arguments"] = {**way.arguments, **given}
    if way.reason == OTHER_ARGUMENTS:
        if not update["arguments"]:
            scope.downgrade(AGENT, "execute_tool came without new arguments")
            return by_rules
        update["steps"] = list(update["arguments"])
    return way.model_copy(update=update)


async def conclude(
    scope: RunScope, plan: Plan | None, context: ExecutionContext, *, use_model: bool = True
) -> Conclusion:
    """Write the answer from what was verified, with what could not be done."""
    attempts = await scope.equipment.journal.attempts(scope.run_id) if context.steps else []
    found = _results(plan, context, attempts)
    problems = problems_of(plan, context)
    status = status_of(plan, context)
    if found and use_model:
        lines = [_line(one) for one in found]
        message = await ask_for_text(scope, AGENT, answer_prompt(context.task, lines, problems), is_answer=True)
        if message is not None:
            return Conclusion(str(message.text), status, message)
    sentences: list[str] = []
    for one in found:
        spec = None if one.merged else scope.equipment.library.get_tool_by_id(one.record.tool or "")
        text = sentence_for(
            one.step,
            one.result,
            spec and spec.for_action(one.record.action),
            context.language,
            about=_about(one.record.arguments),
        )
        sentences += [say("instead", context.language, before=before, after=after) for before, after in one.changed]
        sentences.append(say("unverified", context.language, text=text) if one.unverified else text)
    reached = [name for name in scope.meter.hit if name not in context.limits_hit]
    problems += [say("limit", context.language, limit=name) for name in reached]
    text = "\n".join([*sentences, *problems]) or say("nothing", context.language)
    return Conclusion(text, status)


@dataclass(frozen=True, slots=True)
class _Found:
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
        return self.record.verdict is not None and not self.record.verdict.verified


def _results(plan: Plan | None, context: ExecutionContext, attempts: list[Attempt]) -> list[_Found]:
    """Every finished step with its full result."""
    found: list[_Found] = []
    for step in plan.steps if plan else []:
        record = context.steps.get(step.id)
        if record is None or record.status != "done":
            continue
        made_of = [one.result for one in finished_attempts(step, record, attempts) if one.result is not None]
        merged = any(result.meta.synthesised for result in made_of)
        found.append(_Found(step, record, full_result(step, record, attempts), merged, _changed(record, context)))
    return found


def _changed(record: StepRecord, context: ExecutionContext) -> list[tuple[str, str]]:
    """The texts among the arguments that were adjusted after the call had failed."""
    failed = [f for f in context.failures if f.step_id == record.step_id and f.tool == record.tool]
    before = failed[0].arguments if failed and failed[0].arguments.keys() == record.arguments.keys() else {}
    pairs = [(value, record.arguments[name]) for name, value in before.items() if value != record.arguments[name]]
    return [(asked, taken) for asked, taken in pairs if isinstance(asked, str) and isinstance(taken, str)]


def _about(arguments: Mapping[str, Any]) -> str:
    """What a call was about, in a few words."""
    said = [str(value) for value in arguments.values() if isinstance(value, str) and len(value) <= ABOUT_LENGTH]
    return ", ".join(said[:2])


def _line(found: _Found) -> str:
    notes = ["unverified"] if found.unverified else []
    notes += [f"{after!r} was taken, because {before!r} did not work" for before, after in found.changed]
    note = f" ({'; '.join(notes)})" if notes else ""
    return f"{found.step.description}{note}: {cut(as_text(found.result), RESULT_LENGTH)}"
