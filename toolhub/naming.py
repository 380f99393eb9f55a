"""What a name means here, and what to say when it means nothing."""

from collections.abc import Sequence

from switchyard.toolhub.registry import ToolRegistry
from switchyard.tools.core.errors import BadArguments, ToolUnknown
from switchyard.tools.core.plain_words import counted
from switchyard.tools.core.spec import ToolSpec

NAMES_SHOWN = 5


def resolved(registry: ToolRegistry, name: str, action: str | None) -> tuple[str, str | None]:
    """A tool and its action: `git` with `git_status` and `git/git_status` are the same call."""
    if name in registry:
        return name, action
    if action and f"{name}/{action}" in registry:
        return f"{name}/{action}", None
    tool, slash, part = name.rpartition("/")
    if slash and action is None and any(found.spec.capability(part) for found in registry.candidates(tool)):
        return tool, part
    return name, action


def no_such_action(tool: str, action: str | None, actions: Sequence[str]) -> BadArguments:
    """The error for an action a tool does not have, or that has to be named."""
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    near = process.extractOne(action or "", actions, score_cutoff=60)
    said = f"has no action '{action}'" if action else "has several actions and none was named"
    hint = f"did you mean '{near[0]}'? " if near else ""
    return BadArguments(f"{tool} {said}; {hint}Actions: {', '.join(actions)}.")


def unknown(registry: ToolRegistry, name: str) -> ToolUnknown:
    """The error for a tool that cannot be called, with why, and what there is instead."""
    if withheld := registry.withheld(name):
        others = _others_like(registry, withheld[0].tool.spec)
        return ToolUnknown(f"The tool '{name}' is disabled: {withheld[0].reason.rstrip('.')}. {others}")
    if own := [spec.name for spec in registry if spec.name.startswith(f"{name}/")]:
        shown = ", ".join(own[:NAMES_SHOWN])
        return ToolUnknown(f"'{name}' is an MCP server with {counted(len(own), 'tool')}; name one of them: {shown}.")
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    names = [spec.name for spec in registry]
    near = [found for found, _, _ in process.extract(name, names, limit=3, score_cutoff=50)]
    hint = f"did you mean {', '.join(near)}?" if near else "`tools list` shows those there are."
    return ToolUnknown(f"There is no tool '{name}'; {hint}")


def similar_tools(registry: ToolRegistry, spec: ToolSpec) -> list[ToolSpec]:
    """The other tools that share a capability tag with this one: most in common first, then by priority and name."""
    shared: dict[str, int] = {}
    found: dict[str, ToolSpec] = {}
    for tag in registry.tags_of(spec):
        for name, tool in {tool.spec.name: tool for tool in reversed(registry.with_capability(tag))}.items():
            shared[name] = shared.get(name, 0) + 1
            found[name] = tool.spec
    others = [other for name, other in found.items() if name != spec.name]
    return sorted(others, key=lambda other: (-shared[other.name], other.priority, other.name))


def _others_like(registry: ToolRegistry, spec: ToolSpec) -> str:
    if similar := [other.name for other in similar_tools(registry, spec)]:
        return f"Tools for a similar purpose: {', '.join(similar[:NAMES_SHOWN])}."
    tags = set(registry.tags_of(spec))
    off = [one for one in registry.withheld() if tags.intersection(registry.tags_of(one.tool.spec))]
    told = {one.tool.spec.name: one.reason.rstrip(".") for one in off if one.tool.spec.name != spec.name}
    if told:
        listed = "; ".join(f"{name} ({reason})" for name, reason in list(told.items())[:NAMES_SHOWN])
        return f"Those for a similar purpose are disabled too: {listed}."
    return "No other tool is like it."
