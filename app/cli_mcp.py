"""The commands of `mcp`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from switchyard.app.cli_options import Json

mcp = typer.Typer(help="MCP servers: list, tools, health, add, remove.", no_args_is_help=True)

OneServer = Annotated[str | None, typer.Argument(metavar="[SERVER]", help="One server; without it, all.")]
ServersFile = Annotated[
    Path | None,
    typer.Option("--file", help="The file to change; else the last of APP_MCP_FILES, else mcp.local.json here."),
]


@mcp.command("list")
def mcp_list(*, json: Json = False) -> None:
    """List the servers: how each is reached, its state, its tools, and the file that names it."""
    from switchyard.app.commands.servers import list_servers  # noqa: PLC0415  `--help` answers at once

    sys.exit(list_servers(as_json=json))


@mcp.command("tools")
def mcp_tools(server: OneServer = None, *, json: Json = False) -> None:
    """List the tools of the servers."""
    from switchyard.app.commands.servers import list_server_tools  # noqa: PLC0415  `--help` answers at once

    sys.exit(list_server_tools(server, as_json=json))


@mcp.command("health")
def mcp_health(server: OneServer = None, *, json: Json = False) -> None:
    """Start the servers and ask each how it is. Exit code 1 when one is down or cannot be used."""
    from switchyard.app.commands.servers import check_servers  # noqa: PLC0415  `--help` answers at once

    sys.exit(check_servers(server, as_json=json))


@mcp.command("add")
def mcp_add(
    name: Annotated[str, typer.Argument(help="The server's name; its tools are called NAME/TOOL.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND ARGS...]", help="What starts it, after `--`.")
    ] = None,
    *,
    url: Annotated[str | None, typer.Option("--url", help="The address of a server over streamable HTTP.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", help="NAME=VALUE for the server; '${VAR}' is filled in at start.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option("--header", help="NAME=VALUE sent to the address; '${VAR}' as above.")
    ] = None,
    cwd: Annotated[str | None, typer.Option("--cwd", help="The folder it is started in.")] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", help="Seconds a call may take.")] = None,
    file: ServersFile = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Do not try whether it can be reached.")] = False,
    json: Json = False,
) -> None:
    """Add a server to the file of servers. Exit code 1 when it was added and cannot be reached."""
    from switchyard.app.commands.server_entries import NewServer, add_server  # noqa: PLC0415  `--help` answers at once

    new = NewServer(
        name=name, url=url, command=command or [], env=env or [], headers=header or [], cwd=cwd, timeout=timeout
    )
    sys.exit(add_server(new, file, check=not no_check, as_json=json))


@mcp.command("remove")
def mcp_remove(
    name: Annotated[str, typer.Argument(help="The server's name.")], *, file: ServersFile = None, json: Json = False
) -> None:
    """Take a server out of the file of servers."""
    from switchyard.app.commands.server_entries import remove_server  # noqa: PLC0415  `--help` answers at once

    sys.exit(remove_server(name, file, as_json=json))
