"""The coordinator: decides among what is allowed, and writes the answer when the run is complete."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from switchyard.agents.asking import ask, ask_for_text, has_model
from switchyard.agents.by_rules.wording import limit_reached, problems_of, say, sentence_for
from switchyard.agents.coordination.findings import Found, compared, findings_of
from switchyard.agents.coordination.prompts import DecideAnswer, answer_prompt, decide_prompt
from switchyard.agents.coordination.remedies import remedies
from switchyard.agents.coordination.rules import OTHER_ARGUMENTS, allowed, status_of
from switchyard.agents.recounting import SPACE_TO_READ, results_so_far
from switchyard.agents.scope import RunScope
from switchyard.language.tokeniser import words
from switchyard.ledger.context import ExecutionContext, RunStatus
from switchyard.ledger.decisions import Assignment, Candidate, Decision
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.showing import shown_results

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

AGENT = "coordination"


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
    prompt = decide_prompt(
        plan,
        context,
        ways,
        definitions,
        results=await results_so_far(scope, context),
        others={step: scope.equipment.library.get_tools_summary(_names(tools)) for step, tools in help_.left.items()},
    )
    answer = await ask(scope, AGENT, prompt, DecideAnswer)
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
    if way.action == "switch_tool":
        offered = {step: _names(help_.left.get(step, ())) for step in way.steps}
        update["tools"] = {step: tool for step, tool in answer.tools.items() if tool in offered.get(step, ())}
        if unknown := [tool for step, tool in answer.tools.items() if step not in update["tools"]]:
            scope.downgrade(AGENT, f"not among the tools to switch to: {', '.join(unknown)}")
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
    found = findings_of(plan, context, attempts)
    problems = problems_of(plan, context)
    status = status_of(plan, context)
    if (written := _written_by_skill(found)) is not None and not problems:
        return Conclusion(written, status)
    if found and use_model:
        shown = shown_results({one.step.id: one.result for one in found}, SPACE_TO_READ)
        lines = [one.line(shown[one.step.id]) for one in found]
        message = await ask_for_text(scope, AGENT, answer_prompt(context.task, lines, problems), is_answer=True)
        if message is not None:
            return Conclusion(_with_limits(str(message.text), problems, context), status, message)
    sentences, found = compared(context.task, found, scope.equipment.clock().date())
    for one in found:
        spec = None if one.merged else scope.equipment.library.get_tool_by_id(one.record.tool or "")
        if spec is not None and spec.produces and plan and _taken_along(one.step, plan):
            continue  # nobody asked for it: another step needed it
        text = sentence_for(
            one.step,
            one.result,
            spec and spec.for_action(one.record.action),
            context.language,
            about=one.about,
        )
        sentences += [say("instead", context.language, before=before, after=after) for before, after in one.changed]
        sentences.append(say("unverified", context.language, text=text) if one.unverified else text)
    problems += [limit_reached(name, context.language) for name in scope.meter.hit if name not in context.limits_hit]
    text = "\n".join([*dict.fromkeys(sentences), *problems]) or say("nothing", context.language)
    return Conclusion(text, status)


def _with_limits(text: str, problems: list[str], context: ExecutionContext) -> str:
    """A model's answer; where a limit cut the run short, with what is missing and why, whatever the model says."""
    said = [problem for problem in problems if problem not in text] if context.limits_hit else []
    return "\n".join([f"{text}\n", *said]) if said else text


def _written_by_skill(found: list[Found]) -> str | None:
    """The answer of a run that was one skill's work: it is written as its instructions want it."""
    if len(found) != 1 or found[0].record.source != "skill" or found[0].unverified:
        return None
    result = found[0].result
    answer = cast("Mapping[str, Any]", result).get("answer") if isinstance(result, Mapping) else None
    return answer if isinstance(answer, str) and answer.strip() else None


def _names(candidates: Iterable[Candidate]) -> list[str]:
    return [candidate.tool for candidate in candidates]


def _taken_along(step: Step, plan: Plan) -> bool:
    """Whether a step only looked something up for another one, whose words it was given."""
    asked = set(words(step.description))
    return any(step.id in other.dependencies and asked <= set(words(other.description)) for other in plan.steps)
