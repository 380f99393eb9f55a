"""The commands of `patterns`."""

import sys
from typing import Annotated

import typer

from switchyard.app.cli_options import Json, User

patterns = typer.Typer(help="What was learned from use: list, clear.", no_args_is_help=True)


@patterns.command("list")
def patterns_list(
    tool: Annotated[str | None, typer.Argument(help="One tool; without it, every tool.")] = None,
    *,
    user: User = "",
    json: Json = False,
) -> None:
    """List what was learned: wordings that found a tool, wordings it failed on, failures and what helped."""
    from switchyard.app.commands.patterns import list_patterns  # noqa: PLC0415  `--help` answers at once

    sys.exit(list_patterns(tool, user=user, as_json=json))


@patterns.command("clear")
def patterns_clear(
    tool: Annotated[str | None, typer.Argument(help="One tool; without it, every tool.")] = None,
    *,
    user: User = "",
    json: Json = False,
) -> None:
    """Forget what was learned, of one tool or of all."""
    from switchyard.app.commands.patterns import clear_patterns  # noqa: PLC0415  `--help` answers at once

    sys.exit(clear_patterns(tool, user=user, as_json=json))
