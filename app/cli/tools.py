"""`tools`: what there is, what fits a task and why, one call by hand, and how each tool is."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from switchyard.app.cli.command import EXIT, WrongUsage, command, complain, load, print_json, say, show, tell
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import servers_of, tell_untrusted, tell_unusable, unknown_tool
from switchyard.app.cli.options import Folders, Json, TakesQuestion, User, Workspace
from switchyard.language.messages import message, said

with loaded_late():
    import asyncio

    from switchyard.app import console, hub, orchestrator
    from switchyard.toolhub import descriptions

if TYPE_CHECKING:
    from switchyard.toolhub.hub import ToolHub
    from switchyard.toolhub.recall.query import Recommendation
    from switchyard.tools.core.spec import Language, ToolSpec

group = typer.Typer(help="Tools: list, show, search, run, health.", no_args_is_help=True)

ToolName = Annotated[str, typer.Argument(help="The tool: its name, SERVER/TOOL, or TOOL/ACTION.")]

NOTHING = "No tool fits this. 没有合适的工具。"


@group.command("list")
@command
async def list_tools(
    *,
    tool_type: Annotated[
        Literal["function", "skill", "mcp_server"] | None, typer.Option("--type", help="Only tools of this type.")
    ] = None,
    json: Json = False,
    folders: Folders,
) -> None:
    """List every tool, and every tool file that did not load."""
    settings = load(**folders._asdict())
    await tell_untrusted(settings)
    async with hub.open_hub(settings) as toolhub:
        specs = toolhub.registry.listed(tool_type)
        broken = [{"file": str(file.path), "error": file.error} for file in toolhub.supply.broken()]
        named = [spec.tool_id for spec in specs]
        unavailable = await asyncio.to_thread(toolhub.registry.unusable, named, settings.network)
        described = [spec.model_dump(mode="json") for spec in specs]
        shown = {"tools": described, "broken": broken, "unavailable": unavailable}
        rows = [
            (spec.tool_id, spec.tool_type, spec.source, "yes" if spec.asks_first else "", spec.summary)
            for spec in specs
        ]
        show(shown, ("name", "type", "source", "asks", "what it does"), rows, json=json, cut=True)
        if not json:
            tell_unusable(toolhub.supply.broken(), servers_of(toolhub))
            lacking = {name: why for name, why in unavailable.items() if getattr(why, "code", "") == "package_missing"}
            for name, why in lacking.items():
                complain(message("tool_unavailable", tool=name, why=why))


@group.command("show")
@command
async def show_tool(name: ToolName, *, json: Json = False, folders: Folders) -> None:
    """Show a tool's parameters, actions and examples, what it returns, and whether it asks first."""
    settings = load(**folders._asdict())
    async with hub.open_hub(settings) as toolhub:
        await toolhub.supply.reach(name)
        tool, action = toolhub.registry.resolve(name, None)
        found = [candidate.spec.for_action(action) for candidate in toolhub.registry.candidates(tool)]
        if not found:
            raise await unknown_tool(settings, toolhub, name)
        described = [{**spec.model_dump(mode="json"), "asks_first": spec.asks_first} for spec in found]
        text = "\n\n".join(f"{descriptions.definition(spec)}\n{_facts(spec)}" for spec in found)
        tell({**described[0], "candidates": described}, text, json=json)


@group.command("search", cls=TakesQuestion)
@command
async def search_tools(
    query: Annotated[str, typer.Argument(help="What the tool should do.")],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show.")] = 5,
    explain: Annotated[bool, typer.Option("--explain", help="Each strategy's score, and why.")] = False,
    strategy: Annotated[
        str, typer.Option("--strategy", help="fused, bm25, embedding or type; by default all of them together.")
    ] = "",
    rank: Annotated[bool, typer.Option("--rank", help="Have the model choose among what is recalled.")] = False,
    user: User = "",
    json: Json = False,
    folders: Folders,
) -> None:
    """Find the tools that fit a task, as stage one of selection does; with --rank, stage two as well."""
    from switchyard.app.settings import NO_MODEL
    from switchyard.language.tokeniser import has_chinese
    from switchyard.tools.core.errors import BadArguments

    settings = load(**folders._asdict())
    strategy = strategy or ("bm25" if settings.embeddings == NO_MODEL else "fused")
    depth = limit if rank else max(limit, settings.recall_topk)
    async with orchestrator.open_orchestrator(settings) as opened:
        learned = await opened.experience.learned(user or settings.user)
        try:
            found = await opened.library.recommend(query, depth, strategy=strategy, rank=rank, learned=learned)
        except BadArguments as error:
            raise WrongUsage(str(error)) from error
    language: Language = "zh" if has_chinese(query) else "en"
    rows = [_search_row(one, language) for one in found[:limit]]
    if json:
        print_json({"query": query, "tools": rows})
    elif not rows:
        say(NOTHING)
    else:
        strategies = list(dict.fromkeys(name for row in rows for name in row["parts"])) if explain else []
        parts = [[f"{row['parts'][name]:.2f}" if name in row["parts"] else "" for name in strategies] for row in rows]
        table = [
            (row["name"], f"{row['score']:.2f}", *part, row["reason"]) for row, part in zip(rows, parts, strict=True)
        ]
        console.Console().show_table(("name", "score", *strategies, "why"), table)


@group.command("run")
@command
async def run_tool(
    name: ToolName,
    arguments: Annotated[str, typer.Argument(help="The arguments as a JSON object.")] = "{}",
    *,
    action: Annotated[
        str | None, typer.Option("--action", "-a", help="The action, of a tool that has several.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve the call of a tool that asks first.")] = False,
    json: Json = False,
    workspace: Workspace = None,
    folders: Folders,
) -> int:
    """Run one tool with the arguments given. Exit code: done 0, failed 1, wrong usage 2, needs approval 3."""
    from switchyard.toolhub.calling.request import ToolRequest
    from switchyard.tools.core.context import ToolContext

    settings = load(workspace=workspace, **folders._asdict())
    context = ToolContext(workspace=settings.checked_workspace(), network=settings.network)
    async with hub.open_hub(settings) as toolhub:
        await toolhub.supply.reach(name)
        tool, chosen = toolhub.registry.resolve(name, action)
        spec = toolhub.registry.get(tool)
        if spec is None:
            raise await unknown_tool(settings, toolhub, tool)
        values = _callable_by_hand(toolhub, spec, chosen, arguments)
        code = 0 if yes else await _approved(spec.for_action(chosen), values)
        if code:
            return code
        request = ToolRequest(tool, chosen, values, context, settings.tool_timeout)
        result = await toolhub.dispatcher.dispatch(request)
    for downgrade in result.meta.downgrades:
        complain(downgrade)
    if json:
        print_json(result.model_dump(mode="json"))
    elif result.success:
        print_json(result.result)
    else:
        complain(result.error or message("no_reason_given"))
    return 0 if result.success else EXIT["failed"]


@group.command("health")
@command
async def show_health(
    name: Annotated[str | None, typer.Argument(help="A tool, or an MCP server; without one, every tool.")] = None,
    *,
    json: Json = False,
    folders: Folders,
) -> int:
    """Show how the tools are. Exit code 1 when one is failing or cannot be reached."""
    settings = load(**folders._asdict())
    async with hub.open_hub(settings) as toolhub:
        if name is not None:
            await toolhub.supply.reach(name)
        meant = _tools_meant(toolhub, name)
        if not meant:
            raise await unknown_tool(settings, toolhub, name or "")
        found = [toolhub.health.of(tool) for tool in meant]
        servers = [server for server in servers_of(toolhub) if server.problem and name in {None, server.name}]
    unusable = [server.model_dump(mode="json") for server in servers]
    shown = {"tools": [health.model_dump(mode="json") for health in found], "unusable_servers": unusable}
    show(shown, ("name", "state", "reason"), [(one.name, one.state, one.reason) for one in found], json=json)
    if not json:
        tell_unusable(servers=servers)
    is_well = all(health.state not in {"failing", "unreachable"} for health in found)
    return 0 if is_well and not servers else EXIT["failed"]


def _facts(spec: "ToolSpec") -> str:
    """What a person wants to know besides what a model reads."""
    does = [word for word, is_so in (("writes", spec.writes), ("sends data out", spec.sends)) if is_so] or ["reads"]
    facts = {
        "type": f"{spec.tool_type}, source {spec.source}, category {spec.category}",
        "does": ", ".join(does),
        "asks first": ", ".join(action.name for action in spec.capabilities if spec.for_action(action.name).asks_first),
        "capability tags": ", ".join(spec.capability_tags),
        "requires": ", ".join(spec.requires),
        "produces": ", ".join(spec.produces),
        "time limit": f"{spec.timeout:g} s" if spec.timeout else "",
    }
    return "\n".join(f"{name}: {text}" for name, text in facts.items() if text)


def _search_row(found: "Recommendation", language: "Language") -> dict[str, Any]:
    return {
        "name": found.tool_id,
        "score": round(found.score, 3),
        "reason": said(found.reason, language),
        "terms": list(found.terms),
        "parts": {name: round(score, 3) for name, score in found.parts.items()},
    }


def _callable_by_hand(toolhub: "ToolHub", spec: "ToolSpec", action: str | None, arguments: str) -> dict[str, Any]:
    """The arguments of a call, once it is sure that it can be made."""
    from switchyard.toolhub.calling.arguments import as_object
    from switchyard.toolhub.calling.request import no_such_action
    from switchyard.tools.core.errors import BadArguments

    if spec.tool_type == "skill":
        raise WrongUsage(message("skill_by_hand", name=spec.tool_id))
    try:
        values = as_object(arguments)
    except BadArguments as error:
        raise WrongUsage(str(error)) from error
    if all(each.spec.capability(action) is None for each in toolhub.registry.candidates(spec.tool_id)):
        raise no_such_action(spec.tool_id, action, [each.name for each in spec.capabilities])
    return values


async def _approved(spec: "ToolSpec", arguments: dict[str, Any]) -> int:
    """Have a call approved that needs it; the exit code of one that is not made, else 0."""
    if not spec.asks_first:
        return 0
    person = console.Console()
    if not person.has_person:
        complain(message("call_needs_yes", tool=spec.tool_id))
        return EXIT["waiting"]
    shown = console.printable_json(arguments)
    if await person.confirm(f"{spec.tool_id} changes something or sends data out. Run it with {shown}?"):
        return 0
    complain(message("nothing_was_done"))
    return EXIT["failed"]


def _tools_meant(toolhub: "ToolHub", name: str | None) -> list[str]:
    """The tools a name means: one, all of an MCP server, or those there are, disabled ones included."""
    known = {spec.tool_id for spec in toolhub.registry} | {one.tool.spec.tool_id for one in toolhub.registry.withheld()}
    if name is None:
        return sorted(known)
    tool, _ = toolhub.registry.resolve(name, None)
    return [tool] if tool in known else sorted(other for other in known if other.startswith(f"{name}/"))
