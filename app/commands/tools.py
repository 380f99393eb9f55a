"""`tools list`, `show` and `health`: what there is, and how it is."""

from typing import Any

from switchyard.app.commands.running import EXIT, print_json, run_command
from switchyard.app.commands.trusting import tell_untrusted
from switchyard.app.commands.unusable import servers_of, tell_unusable, unknown_tool
from switchyard.app.console import Console
from switchyard.app.hub import open_library
from switchyard.app.settings import Settings
from switchyard.toolhub.descriptions import definition
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.memory.health import ToolHealth
from switchyard.tools.core.spec import ToolSpec, ToolType


def list_tools(kind: ToolType | None, *, as_json: bool, **given: Any) -> int:
    """List the tools, and every file that did not load."""

    async def work(settings: Settings) -> int:
        await tell_untrusted(settings)
        async with open_library(settings) as library:
            specs = library.get_tools_by_type(kind) if kind else library.get_all_tools()
            if as_json:
                broken = [{"file": str(file.path), "error": file.error} for file in library.broken]
                print_json({"tools": [spec.model_dump(mode="json") for spec in specs], "broken": broken})
                return 0
            rows = [
                (spec.name, spec.type, spec.source, "yes" if spec.asks_first else "", spec.summary) for spec in specs
            ]
            Console().show_table(("name", "type", "source", "asks", "what it does"), rows, cut=True)
            tell_unusable(library.broken, servers_of(library))
            return 0

    return run_command(work, **given)


def show_tool(name: str, *, as_json: bool, **given: Any) -> int:
    """Show one tool, or one action of it, with all its candidates."""

    async def work(settings: Settings) -> int:
        async with open_library(settings) as library:
            await library.reach(name)
            tool, action = library.resolve(name, None)
            found = [candidate.spec.for_action(action) for candidate in library.registry.candidates(tool)]
            if not found:
                raise await unknown_tool(settings, library, name)
            if as_json:
                described = [{**spec.model_dump(mode="json"), "asks_first": spec.asks_first} for spec in found]
                print_json({**described[0], "candidates": described})
            else:
                Console().say("\n\n".join(f"{definition(spec)}\n{_facts(spec)}" for spec in found))
            return 0

    return run_command(work, **given)


def show_health(name: str | None, *, probe: bool, as_json: bool, **given: Any) -> int:
    """How the tools are: offered or not and why, reachable or not, and how their calls went."""

    async def work(settings: Settings) -> int:
        async with open_library(settings) as library:
            if probe and library.mcp is not None:
                with Console().working("asking the MCP servers…"):
                    await library.mcp.probe()
            if name is not None:
                await library.reach(name)
            asked_for = _asked_for(library, name)
            if not asked_for:
                raise await unknown_tool(settings, library, name or "")
            found = [library.get_tool_health_status(tool) for tool in asked_for]
            servers = [server for server in servers_of(library) if server.problem and name in {None, server.name}]
        if as_json:
            unusable = [server.model_dump(mode="json") for server in servers]
            print_json({"tools": [health.model_dump(mode="json") for health in found], "unusable_servers": unusable})
        else:
            heads = ("name", "state", "calls", "failures", "latency", "reason")
            Console().show_table(heads, [_row(health) for health in found])
            tell_unusable(servers=servers)
        is_well = all(health.state not in {"failing", "unreachable"} for health in found)
        return 0 if is_well and not servers else EXIT["failed"]

    return run_command(work, **given)


def _asked_for(library: UnifiedToolLibrary, name: str | None) -> list[str]:
    """The tools a name means: one, all of an MCP server, or those there are, disabled ones included."""
    known = {spec.name for spec in library.registry} | {one.tool.spec.name for one in library.registry.withheld()}
    if name is None:
        return sorted(known)
    tool, _ = library.resolve(name, None)
    return [tool] if tool in known else sorted(other for other in known if other.startswith(f"{name}/"))


def _row(health: ToolHealth) -> tuple[str, ...]:
    record = health.record
    latency = "" if record.latency_ms is None else f"{record.latency_ms:.0f} ms"
    return health.name, health.state, str(record.calls), str(record.failures), latency, health.reason


def _facts(spec: ToolSpec) -> str:
    """What a person wants to know besides what a model reads."""
    does = [word for word, is_so in (("writes", spec.writes), ("sends data out", spec.sends)) if is_so] or ["reads"]
    facts = {
        "type": f"{spec.type}, source {spec.source}, category {spec.category}",
        "does": ", ".join(does),
        "asks first": ", ".join(action.name for action in spec.capabilities if spec.for_action(action.name).asks_first),
        "capability tags": ", ".join(spec.capability_tags),
        "requires": ", ".join(spec.requires),
        "produces": ", ".join(spec.produces),
        "time limit": f"{spec.timeout:g} s" if spec.timeout else "",
    }
    return "\n".join(f"{name}: {text}" for name, text in facts.items() if text)
