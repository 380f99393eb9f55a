"""`threads`: the conversations that are stored."""

import time
from typing import Annotated

import typer

from switchyard.app.cli.command import command, load, print_json, say, show_table
from switchyard.app.cli.options import Json, ThreadId

group = typer.Typer(help="Conversations: list, show, delete, prune.", no_args_is_help=True)

DAY = 86_400


@group.command("list")
@command
async def list_threads(*, json: Json = False) -> None:
    """List the conversations, the newest last."""
    from switchyard.app.orchestrator import open_orchestrator

    async with open_orchestrator(load()) as orchestrator:
        threads = await orchestrator.threads()
    if json:
        shown = [
            {
                "thread_id": thread_id,
                "questions": len(runs),
                "last_question": runs[-1].question,
                "status": runs[-1].status,
                "at": runs[-1].at,
            }
            for thread_id, runs in threads.items()
        ]
        print_json(shown)
        return
    rows = [
        (thread_id, str(len(runs)), runs[-1].status, _when(runs[-1].at), runs[-1].question)
        for thread_id, runs in threads.items()
    ]
    show_table(("thread", "questions", "status", "last used", "last question"), rows)


@group.command("show")
@command
async def show_thread(thread: ThreadId, *, json: Json = False) -> None:
    """Show the questions and answers of a conversation, and the steps of its last run."""
    from switchyard.app.console import Console
    from switchyard.app.orchestrator import open_orchestrator

    async with open_orchestrator(load()) as orchestrator:
        report = await orchestrator.report(thread)
        runs = await orchestrator.journal.runs(thread)
    if json:
        shown = [run.model_dump(mode="json") for run in runs]
        print_json({"thread_id": thread, "runs": shown, "last": report.model_dump(mode="json")})
        return
    console = Console()
    for run in runs[:-1]:
        console.say(f"› {run.question}\n{run.answer}\n")
    console.say(f"› {report.question}")
    console.show_report(report, steps=True)


@group.command("delete")
@command
async def delete_thread(thread: ThreadId) -> None:
    """Forget a conversation, its runs and results."""
    from switchyard.app.orchestrator import open_orchestrator

    async with open_orchestrator(load()) as orchestrator:
        await orchestrator.delete_thread(thread)
    say(f"Deleted {thread}.")


@group.command("prune")
@command
async def prune_threads(
    *,
    days: Annotated[float, typer.Option("--days", min=0, help="Delete conversations not used for this long.")] = 30,
) -> None:
    """Delete conversations that were not used for some time."""
    from switchyard.app.orchestrator import open_orchestrator
    from switchyard.tools.core.plain_words import counted

    async with open_orchestrator(load()) as orchestrator:
        threads = await orchestrator.threads()
        old = [thread_id for thread_id, runs in threads.items() if runs[-1].at < time.time() - days * DAY]
        for thread_id in old:
            await orchestrator.delete_thread(thread_id)
    say(f"Deleted {len(old)} of {counted(len(threads), 'conversation')}.")


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
