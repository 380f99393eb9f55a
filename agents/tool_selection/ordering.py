"""A step that refers to another's result waits for it, whether or not the planner said so."""

from collections.abc import Mapping

from switchyard.ledger.decisions import Assignment
from switchyard.ledger.plan import Plan, Step
from switchyard.ledger.references import references


def with_references(plan: Plan, assignments: Mapping[str, Assignment]) -> Plan:
    """The plan in which every step depends on the steps its arguments point at; a circle is not closed."""
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
    return plan.model_copy(update={"steps": _ordered(steps)})


def _all_needs(step_id: str, needs: Mapping[str, list[str]]) -> set[str]:
    """The step and everything it waits for."""
    found, open_ids = {step_id}, [step_id]
    while open_ids:
        new = [name for name in needs.get(open_ids.pop(), ()) if name not in found]
        found.update(new)
        open_ids += new
    return found


def _ordered(steps: list[Step]) -> list[Step]:
    """The steps in an order that respects their dependencies; there is no circle in them."""
    ordered: list[Step] = []
    placed: set[str] = set()
    while len(ordered) < len(steps):
        ready = [step for step in steps if step.id not in placed and placed.issuperset(step.dependencies)]
        ordered += ready
        placed.update(step.id for step in ready)
    return ordered
