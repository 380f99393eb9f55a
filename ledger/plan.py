"""A plan is a DAG of steps; a plan that is not one is repaired or rejected, never followed."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, ConfigDict, Field

from switchyard.language.messages import message
from switchyard.ledger.decisions import Assignment, By
from switchyard.ledger.references import ITEM, references, renamed
from switchyard.ledger.stored import ReadOnce
from switchyard.tools.core.errors import PlanRejected
from switchyard.tools.core.json_values import no_fields, no_items
from switchyard.tools.core.late_model import LateModel

MAX_STEPS = 20
"""More steps than this is a misunderstanding, not a plan."""


ANY_TYPE = "general"
"""The type of a task that speaks for no kind of tool."""


def _as_object(value: Any) -> Any:
    """Arguments that came as the text of an object; what is none is nothing that was written."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return cast("Any", value) if isinstance(value, dict) else None


def _as_list(value: Any) -> Any:
    return cast("Any", value) if isinstance(value, list) else [] if value is None else [value]


class ForEach(LateModel):
    """Run the step once per item of an earlier result."""

    step: str
    path: str = ""
    """Where in the result the list is; empty means the result itself."""


class Call(LateModel):
    """A call that whoever planned a step knows already: selection takes it over."""

    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=no_fields)
    """Literals, and `{{step.path}}` references."""
    about: str = ""
    """What the result tells, in the language of the question, for an answer by rules."""
    must_find: bool = False
    """Whether no row is no answer: something was looked for that has to be there."""
    reads: str = ""
    """A question over the rows it is given, which is read when they are there."""
    unsaid: list[str] = Field(default_factory=list[str])
    """Words of the question that the place it shows does not have: what it says may be of something else."""


class Declined(LateModel):
    """Why the rules leave a step to nobody, and what may help: rendered last, in the language of the question."""

    words: list[str] = Field(default_factory=no_items)
    """What was not understood."""
    nearest: str = ""
    """The tool that comes nearest, or the skill that a model would follow."""
    example: str = ""
    """A wording of what that tool does that is understood."""
    is_skill: bool = False


class Ask(LateModel):
    """One thing a question asks for, in its own words: what status and answer are measured against (R2.5)."""

    id: str
    text: str
    given_up: str = ""
    """Why a new plan does not go after it any more."""


class StepDraft(LateModel):
    """A step as a model writes it."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # steps are often numbered

    id: str = ""
    """Empty: `validated` gives it one."""
    description: str
    serves: Annotated[list[str], BeforeValidator(_as_list)] = Field(default_factory=no_items)
    """The asks it helps to answer, by id."""
    task_type: str = ANY_TYPE
    tool: str | None = None
    """A hint: the tool the planner would take. `none` means reasoning without a tool."""
    query: str = ""
    """What the tool has to do, in the language of the catalogue, where the planner knows no tool."""
    dependencies: list[str] = Field(default_factory=no_items)
    complexity: Literal["low", "medium", "high"] = "low"
    for_each: ForEach | None = None
    action: str | None = None
    arguments: Annotated[dict[str, Any] | None, BeforeValidator(_as_object)] = None
    """Of its tool, where the planner was shown what that takes; None: they are asked for."""


class Step(StepDraft):
    """One thing to find out or to do."""

    call: Call | None = None
    declined: Declined | None = None


class Plan(ReadOnce):
    """The steps of a run, in an order that respects their dependencies."""

    revision: int = 1
    by: By = "rules"
    asks: list[Ask] = Field(default_factory=no_items)
    steps: list[Step] = Field(default_factory=no_items)

    def step(self, step_id: str) -> Step:
        """The step of that id."""
        return next(step for step in self.steps if step.id == step_id)

    def dependants(self, step_ids: Iterable[str]) -> set[str]:
        """Every step that builds on one of these, directly or not."""
        found = set(step_ids)
        for step in self.steps:  # the order of a validated plan makes one pass enough
            if found.intersection(step.dependencies):
                found.add(step.id)
        return found - set(step_ids)


def with_references(plan: Plan, assignments: Mapping[str, Assignment]) -> Plan:
    """The plan in which every step depends on the steps its arguments point at, whether or not the planner said so.

    A circle is not closed.
    """
    needs = {step.id: list(step.dependencies) for step in plan.steps}
    for step_id, assignment in assignments.items():
        for reference in references(assignment.arguments, needs):
            if step_id not in needs or reference.step not in needs or reference.step in needs[step_id]:
                continue
            if step_id not in _all_needs(reference.step, needs):
                needs[step_id].append(reference.step)
    if all(needs[step.id] == step.dependencies for step in plan.steps):
        return plan
    steps = [step.model_copy(update={"dependencies": needs[step.id]}) for step in plan.steps]
    return plan.model_copy(update={"steps": _ordered(steps, set())})


def _all_needs(step_id: str, needs: Mapping[str, list[str]]) -> set[str]:
    """The step and everything it waits for."""
    found, open_ids = {step_id}, [step_id]
    while open_ids:
        new = [name for name in needs.get(open_ids.pop(), ()) if name not in found]
        found.update(new)
        open_ids += new
    return found


def signature(steps: Iterable[Step]) -> str:
    """Equal for two plans that would do the same things, to the same items: by their calls, where these are known."""
    told: list[str] = []
    for step in steps:
        call = json.dumps([step.action, step.arguments], sort_keys=True, ensure_ascii=False)
        deed = call if step.arguments is not None else _words(step.description)
        told.append(f"{step.tool or ''}|{deed}" + (f"|{step.for_each.path.strip('.')}" if step.for_each else ""))
    return "\n".join(sorted(told))


def _words(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def validated(
    steps: list[Step],
    *,
    revision: int = 1,
    kept: Iterable[Step] = (),
    taken: Iterable[str] = (),
    by: By = "rules",
    asks: Iterable[Ask] = (),
) -> Plan:
    """A plan whose dependencies exist and form no circle.

    New steps may depend on `kept`, the finished steps of an earlier plan, and one that repeats them is dropped. None
    takes an id that earlier plans of the run have `taken`.

    Raises:
        PlanRejected: when there is nothing to follow, or the steps wait for each other.
    """
    kept = list(kept)
    done = {step.id for step in kept}
    told = {(step.id, _words(step.description)) for step in kept}
    # the same id with other words is another step: models like to count from s1 again
    steps = [step for step in steps if (step.id, _words(step.description)) not in told]
    if not steps:
        raise PlanRejected(message("plan_empty"))
    if len(steps) > MAX_STEPS:
        raise PlanRejected(message("plan_too_long", count=len(steps), most=MAX_STEPS))
    unique = _unique_ids(steps, done.union(taken))
    known = done.union(step.id for step in unique)
    repaired: list[Step] = []
    for step in unique:
        needed = [name for name in step.dependencies if name in known and name != step.id]
        loop = step.for_each if step.for_each and step.for_each.step in needed else None
        repaired.append(step.model_copy(update={"dependencies": needed, "for_each": loop}))
    return Plan(revision=revision, by=by, asks=list(asks), steps=kept + _ordered(repaired, done))


def _unique_ids(steps: list[Step], taken: set[str]) -> list[Step]:
    used = {*taken, ITEM}  # a reference to the current item never means a step
    new_names: dict[str, str] = {}
    result: list[Step] = []
    for position, step in enumerate(steps, start=1):
        wanted = re.sub(r"[^\w-]+", "_", step.id.strip()) or f"s{position}"
        unique, suffix = wanted, 2
        while unique in used:
            unique, suffix = f"{wanted}_{suffix}", suffix + 1
        used.add(unique)
        new_names.setdefault(step.id, unique)
        result.append(step.model_copy(update={"id": unique}))
    return [_renamed_references(step, new_names) for step in result]


def _renamed_references(step: Step, new_names: dict[str, str]) -> Step:
    dependencies = [new_names.get(name, name) for name in step.dependencies]
    loop = step.for_each
    if loop is not None:
        loop = loop.model_copy(update={"step": new_names.get(loop.step, loop.step)})
        dependencies.append(loop.step)
    call = step.call and step.call.model_copy(update={"arguments": renamed(step.call.arguments, new_names)})
    update = {"dependencies": list(dict.fromkeys(dependencies)), "for_each": loop, "call": call}
    return step.model_copy(update={**update, "arguments": renamed(step.arguments, new_names)})


def _ordered(steps: list[Step], done: set[str]) -> list[Step]:
    ordered: list[Step] = []
    placed, waiting = set(done), list(steps)
    while waiting:
        ready = [step for step in waiting if placed.issuperset(step.dependencies)]
        if not ready:
            raise PlanRejected(message("plan_in_circle", steps=[step.id for step in waiting]))
        ordered += ready
        placed.update(step.id for step in ready)
        waiting = [step for step in waiting if step.id not in placed]
    return ordered
