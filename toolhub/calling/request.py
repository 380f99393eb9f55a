"""One call to be made, as one value: whoever dispatches, races or runs hands it on, or another made from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from switchyard.language.messages import message
from switchyard.toolhub.calling.arguments import as_mapping, as_object, required_fields
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import BadArguments
from switchyard.tools.core.plain_words import nearest
from switchyard.tools.core.spec import ToolCapability, ToolSpec

Refuses = Callable[[str], str | None]
"""Why the call of a signature must not be made; None when it may."""

SECONDS = 30.0
"""What one call may take where nobody says otherwise."""
LONGEST_SECONDS = 60.0
"""What a call is given at most because it ran out of time before."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """One call to be made; it never changes."""

    tool: str
    """Its id, or an MCP server with the tool as `action`."""
    action: str | None = None
    """One of several actions of the tool."""
    arguments: Mapping[str, Any] | str = field(default_factory=dict[str, Any])
    """An object, or its JSON text."""
    context: ToolContext = field(default_factory=ToolContext)
    """The run the call belongs to; its model merges the answers of several tools."""
    seconds: float = SECONDS
    """What the call may take where the tool says nothing else."""
    patience: int = 1
    """How many times as long it may take as usual: it ran out of time before (R7.3)."""
    refuses: Refuses | None = None
    """What must not be called in its place; the request itself is the caller's to refuse."""

    def override(self, **changes: Any) -> "ToolRequest":
        """The request with some of its fields changed."""
        return replace(self, **changes)

    def granted(self, spec: ToolSpec) -> float:
        """The seconds a tool has for this call."""
        usual = spec.timeout or self.seconds
        return min(usual * self.patience, max(usual, LONGEST_SECONDS))

    @property
    def given(self) -> dict[str, Any]:
        """The arguments as an object.

        Raises:
            BadArguments: when they are a text that is none.
        """
        return self.arguments if isinstance(self.arguments, dict) else as_object(self.arguments)


def with_action(spec: ToolSpec, action: str | None, arguments: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """The operation that is meant: one among the arguments, the one named, or the only one that takes them all."""
    if len(spec.capabilities) < 2:  # noqa: PLR2004  one needs no name
        return action, arguments
    given = spec.capability(action) if action else None
    others = {name: value for name, value in arguments.items() if name != "action"}
    named = spec.capability(str(arguments.get("action")))
    if named is not None and not (given and _has_action(given)):  # named later than the other, by whoever wrote these
        return named.name, arguments if _has_action(named) else others
    if action is not None:
        return action, arguments
    fitting: list[str] = []
    for one in spec.capabilities:
        known = as_mapping(one.parameters.get("properties")).keys()
        if known >= others.keys() >= set(required_fields(one.parameters)):
            fitting.append(one.name)
    return (fitting[0], others) if len(fitting) == 1 else (None, arguments)


def no_such_action(tool: str, action: str | None, actions: Sequence[str]) -> BadArguments:
    """The error for an action a tool does not have, or that has to be named."""
    if not action:
        return BadArguments(message("action_unnamed", tool=tool, actions=actions))
    if not (near := nearest(action, actions, likeness=60)):
        return BadArguments(message("no_such_action", tool=tool, action=action, actions=actions))
    return BadArguments(message("no_such_action_near", tool=tool, action=action, near=near[0], actions=actions))


def _has_action(capability: ToolCapability) -> bool:
    """Whether it has a field of that name itself."""
    return "action" in capability.parameters.get("properties", {})
