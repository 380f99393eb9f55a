"""Options that several commands share, and the command whose argument is a question."""

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Workspace = Annotated[Path | None, typer.Option("--workspace", "-w", help="The folder file tools stay in.")]
ToolFolders = Annotated[list[Path] | None, typer.Option("--tools", help="A folder with more tool files.")]
SkillFolders = Annotated[list[Path] | None, typer.Option("--skills", help="A folder with more skills.")]
User = Annotated[str, typer.Option("--user", help="Whose experience; APP_USER where it is left out.")]
ThreadId = Annotated[str, typer.Argument(help="The thread's id, as `threads list` shows it.")]


class Folders(NamedTuple):
    """More folders that tools come from, by the names of their settings."""

    tool_folders: ToolFolders = None
    skill_folders: SkillFolders = None


_QUESTION = re.compile(r"-+\d|-.*(?:\s|[^\x00-\x7f])", re.DOTALL)
"""What nobody calls an option: a number, several words, or a text that is not English."""
_ASSIGNED = re.compile(r"--[A-Za-z][\w-]*=")
"""An option with its value, right or mistyped: `--workspace=my folder`."""


class TakesQuestion(TyperCommand):
    """Tells a question that begins with a minus ("-4 + 5", -4的平方根) from a mistyped option, which is reported."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, the questions among them after all options. The type of `ctx` is private to typer."""
        told = args[: args.index("--")] if "--" in args else args
        questions = [position for position in range(len(told)) if self._is_question(told, position)]
        if questions:
            others = [arg for position, arg in enumerate(told) if position not in questions]
            args = [*others, "--", *(told[position] for position in questions), *args[len(told) + 1 :]]
        return super().parse_args(ctx, args)

    def _is_question(self, args: list[str], position: int) -> bool:
        text = args[position]
        valued = {name for option in self.params if not getattr(option, "is_flag", True) for name in option.opts}
        if _QUESTION.match(text) is None or _ASSIGNED.match(text) or (position and args[position - 1] in valued):
            return False
        return text[:2] not in valued  # -wfolder: a short option with its value
