"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Workspace = Annotated[Path | None, typer.Option("--workspace", "-w", help="The folder file tools stay in.")]
ToolFolders = Annotated[list[Path] | None, typer.Option("--tools", help="A folder with more tool files.")]
User = Annotated[str, typer.Option("--user", help="Whose experience; APP_USER where it is left out.")]
SkillFolders = Annotated[list[Path] | None, typer.Option("--skills", help="A folder with more skills.")]
