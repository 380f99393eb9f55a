"""Selection without a model: the call that a step's own words ask for, and arguments for a tool that was chosen."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from switchyard.agents.by_rules.deeds import Deeds
from switchyard.agents.by_rules.reader import Reader, Task
from switchyard.agents.by_rules.schema_call import Filled, acts, fill
from switchyard.agents.scope import RunScope
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate
from switchyard.ledger.plan import Step
from switchyard.ledger.references import ITEM, bind
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.spec import ToolSpec


async def assigned_by_words(scope: RunScope, step: Step, avoid: Collection[str]) -> Assignment:
    """The step with the tool its words ask for; without one where nothing is understood, or it is to be avoided."""
    if step.tool == NO_TOOL:
        return Assignment(step_id=step.id, withheld=await _withheld(scope, step.description))
    read = await Reader(scope, ()).read(step.description)
    task = read[0] if len(read) == 1 else None
    if isinstance(task, Task) and len(task.steps) == 1 and task.call.tool not in avoid:
        return _assignment(step, task.call.tool, task.call.action, task.call.arguments)
    planned = scope.equipment.hub.registry.get(step.tool or "")
    if planned is not None and planned.tool_id not in avoid and scope.allows(planned.tool_id):
        return assigned(scope, step, planned)
    return Assignment(step_id=step.id, withheld=await _withheld(scope, step.description))


def assigned(scope: RunScope, step: Step, spec: ToolSpec) -> Assignment:
    """The step with one tool and what its text says about the arguments."""
    deeds = Deeds(scope)
    deed = deeds.read(step.description, only=[spec.tool_id])
    if deed is not None and deed.look_up is None:
        return _assignment(step, spec.tool_id, deed.call.action, deed.call.arguments)
    if acts(spec) and spec.tool_id in deeds.tools:  # half of what it is told would be another call
        return _assignment(step, spec.tool_id, None, {}).model_copy(update={"missing": [spec.tool_id]})
    earlier = step.dependencies[-1] if step.dependencies else None
    today = scope.equipment.clock().date()
    found = [(one, fill(one.parameters, step.description, today, earlier=earlier)) for one in spec.capabilities]
    if not found:
        return _assignment(step, spec.tool_id, None, {})
    capability, filled = min(found, key=lambda pair: (len(pair[1].missing), len(pair[1].unused)))
    action = capability.name if len(spec.capabilities) > 1 else None
    read = _assignment(step, spec.tool_id, action, filled.arguments)
    return read.model_copy(update={"missing": filled.missing})


def late_arguments(step: Step, spec: ToolSpec, results: Mapping[str, Any], today: date) -> Filled:
    """The arguments of one step, now that its dependencies are done."""
    capability = spec.capability(None)
    schema = capability.parameters if capability else {}
    earlier = ITEM if ITEM in results else next((one for one in reversed(step.dependencies) if one in results), None)
    filled = fill(schema, step.description, today, earlier=earlier, follows=True)
    try:
        return Filled(bind(filled.arguments, results), filled.missing)
    except BadArguments:
        return Filled({}, list(filled.arguments))


def _assignment(step: Step, tool: str, action: str | None, arguments: dict[str, Any]) -> Assignment:
    return Assignment(
        step_id=step.id, candidates=[Candidate(tool=tool, why="read")], action=action, arguments=arguments
    )


async def _withheld(scope: RunScope, text: str) -> list[str]:
    """The tools that would serve a text and are switched off."""
    found = [one.tool.spec for _, one in await scope.equipment.hub.finder.withheld(text, scope.options.topk)]
    return [spec.tool_id for spec in found if not assigned(scope, Step(id="s", description=text), spec).missing]
