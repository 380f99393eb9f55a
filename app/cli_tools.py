"""The commands of `tools`."""

import sys
from typing import Annotated, Literal

import typer

from switchyard.app.cli_options import Json, SkillFolders, ToolFolders, User, Workspace
from switchyard.app.cli_questions import TakesQuestion

tools = typer.Typer(help="Tools: list, show, search, run, health.", no_args_is_help=True)


@tools.command("list")
def tools_list(
    *,
    kind: Annotated[
        Literal["function", "skill", "mcp_server"] | None, typer.Option("--type", help="Only tools of this type.")
    ] = None,
    json: Json = False,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> None:
    """List every tool, and every tool file that did not load."""
    from switchyard.app.commands.tools import list_tools  # noqa: PLC0415  `--help` answers at once

    sys.exit(list_tools(kind, as_json=json, tool_folders=tool_folders, skill_folders=skill_folders))


@tools.command("show")
def tools_show(
    name: Annotated[str, typer.Argument(help="The tool: its name, SERVER/TOOL, or TOOL/ACTION.")],
    *,
    json: Json = False,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> None:
    """Show a tool's parameters, actions and examples, what it returns, and whether it asks first."""
    from switchyard.app.commands.tools import show_tool  # noqa: PLC0415  `--help` answers at once

    sys.exit(show_tool(name, as_json=json, tool_folders=tool_folders, skill_folders=skill_folders))


@tools.command("search", cls=TakesQuestion)
def tools_search(
    query: Annotated[str, typer.Argument(help="What the tool should do.")],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many to show.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Each strategy's score, why, and what a model would read.")
    ] = False,
    user: User = "",
    json: Json = False,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> None:
    """Find the tools that fit a task, as stage one of selection does."""
    from switchyard.app.commands.searching import search_tools  # noqa: PLC0415  `--help` answers at once

    code = search_tools(
        query,
        limit,
        as_json=json,
        explain=explain,
        user=user,
        tool_folders=tool_folders,
        skill_folders=skill_folders,
    )
    sys.exit(code)


@tools.command("run")
def tools_run(
    name: Annotated[str, typer.Argument(help="The tool: its name, SERVER/TOOL, or TOOL/ACTION.")],
    arguments: Annotated[str, typer.Argument(help="The arguments as a JSON object.")] = "{}",
    *,
    action: Annotated[
        str | None, typer.Option("--action", "-a", help="The action, of a tool that has several.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve the call of a tool that asks first.")] = False,
    json: Json = False,
    workspace: Workspace = None,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> None:
    """Run one tool with the arguments given. Exit code: done 0, failed 1, wrong usage 2, needs approval 3."""
    from switchyard.app.commands.calling import run_tool  # noqa: PLC0415  `--help` answers at once

    code = run_tool(
        name,
        arguments,
        action,
        yes=yes,
        as_json=json,
        workspace=workspace,
        tool_folders=tool_folders,
        skill_folders=skill_folders,
    )
    sys.exit(code)


@tools.command("health")
def tools_health(
    name: Annotated[str | None, typer.Argument(help="A tool, or an MCP server; without one, every tool.")] = None,
    *,
    probe: Annotated[bool, typer.Option("--probe", help="Start the MCP servers and ask each first.")] = False,
    json: Json = False,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> None:
    """Show how the tools are. Exit code 1 when one is failing or cannot be reached."""
    from switchyard.app.commands.tools import show_health  # noqa: PLC0415  `--help` answers at once

    code = show_health(name, probe=probe, as_json=json, tool_folders=tool_folders, skill_folders=skill_folders)
    sys.exit(code)
