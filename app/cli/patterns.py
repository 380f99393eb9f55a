"""`patterns`: what was learned from use, shown and forgotten (R3.7, R7.6)."""

from typing import TYPE_CHECKING, Annotated

import typer

from switchyard.app.cli.command import command, load, moment, say, show, tell
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.options import Json, User

with loaded_late():
    from switchyard.app import orchestrator

if TYPE_CHECKING:
    from switchyard.toolhub.memory.experience import Known
    from switchyard.toolhub.recall.learned import Wording

group = typer.Typer(help="What was learned from use: list, clear.", no_args_is_help=True)

OneTool = Annotated[str | None, typer.Argument(help="One tool; without it, every tool.")]

NOTHING = "Nothing was learned yet. 还没有学到任何内容。"


@group.command("list")
@command
async def list_patterns(tool: OneTool = None, *, user: User = "", json: Json = False) -> None:
    """List what was learned: wordings that found a tool, wordings it failed on, failures and what helped."""
    settings = load()
    async with orchestrator.open_orchestrator(settings) as opened:
        every = await opened.experience.listed(user or settings.user)
    known = [each for each in every if tool in {None, each.tool}]
    if not known and not json:
        say(NOTHING)
        return
    heads = ("tool", "served", "failed on", "failures", "what helped", "last change")
    show([each.model_dump(mode="json") for each in known], heads, map(_row, known), json=json)


@group.command("clear")
@command
async def clear_patterns(tool: OneTool = None, *, user: User = "", json: Json = False) -> None:
    """Forget what was learned, of one tool or of all."""
    from switchyard.tools.core.plain_words import counted

    settings = load()
    async with orchestrator.open_orchestrator(settings) as opened:
        count = await opened.experience.clear(user or settings.user, tool)
    tell({"forgotten": count}, f"Forgot what was learned of {counted(count, 'tool')}.", json=json)


def _row(known: "Known") -> tuple[str, ...]:
    notes = known.notes
    helped = [f"{one.field}: {one.before!s:.40} → {one.after!s:.40}" for one in notes.adjustments]
    helped += [f"{tool} instead (×{times})" for tool, times in notes.switches.items()]
    kinds = dict.fromkeys(failure.kind for failure in notes.failures)
    return (
        known.tool,
        _wordings(known.wordings.served),
        _wordings(known.wordings.failed),
        f"{len(notes.failures)} ({', '.join(kinds)})" if notes.failures else "",
        "; ".join(helped),
        moment(known.at),
    )


def _wordings(wordings: "tuple[Wording, ...]") -> str:
    return "; ".join(f"{one.text} (×{one.times})" if one.times > 1 else one.text for one in wordings)
