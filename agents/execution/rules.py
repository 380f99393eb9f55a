"""Late arguments without a model: what the step says, and where it says nothing, what the earlier result is."""

from collections.abc import Mapping
from typing import Any

from agents.language.extraction import Filled, fill
from ledger.plan import Step
from tools.core.spec import ToolSpec


def late_arguments(step: Step, spec: ToolSpec, results: Mapping[str, Any]) -> Filled:
    """The arguments of one step, now that its dependencies are done."""
    capability = spec.capability(None)
    schema = capability.parameters if capability else {}
    filled = fill(schema, step.description)
    if len(filled.missing) != 1 or not step.dependencies:
        return filled
    # one value is missing and one result is there: it is the value, or has a field of that name
    name, result = filled.missing[0], results.get(step.dependencies[-1])
    value = result.get(name) if isinstance(result, Mapping) else result  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  results are JSON
    return filled if value is None else Filled({**filled.arguments, name: value}, [])
