"""`threads`: the conversations that are stored."""

import time
from typing import Annotated

import typer

from switchyard.app.cli.command import command, load, moment, print_json, say, show
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.options import Json, ThreadId

with loaded_late():
    from switchyard.app import console, orchestrator

group = typer.Typer(help="Conversations: list, show, delete, prune.", no_args_is_help=True)

DAY = 86_400


@group.command("list")
@command
async def list_threads(*, json: Json = False) -> None:
    """List the conversations, the newest last."""
    async with orchestrator.open_orchestrator(load()) as opened:
        threads = await opened.threads()
    last = [(thread_id, len(runs), runs[-1]) for thread_id, runs in threads.items()]
    shown = [
        {"thread_id": thread_id, "questions": count, "last_question": run.question, "status": run.status, "at": run.at}
        for thread_id, count, run in last
    ]
    rows = [(thread_id, str(count), run.status, moment(run.at), run.question) for thread_id, count, run in last]
    show(shown, ("thread", "questions", "status", "last used", "last question"), rows, json=json)


@group.command("show")
@command
async def show_thread(
    thread: ThreadId,
    *,
    step: Annotated[str | None, typer.Option("--step", help="Print all that this step of the last run gave.")] = None,
    json: Json = False,
) -> None:
    """Show the questions and answers of a conversation, and the steps of its last run."""
    async with orchestrator.open_orchestrator(load()) as opened:
        if step is not None:
            print_json(await opened.result(thread, step))
            return
        report = await opened.report(thread)
        runs = await opened.journal.runs(thread)
    if json:
        shown = [run.model_dump(mode="json") for run in runs]
        print_json({"thread_id": thread, "runs": shown, "last": report.model_dump(mode="json")})
        return
    for run in runs[:-1]:
        say(f"› {run.question}\n{run.answer}\n")
    say(f"› {report.question}")
    console.Console().show_report(report, steps=True)


@group.command("delete")
@command
async def delete_thread(thread: ThreadId) -> None:
    """Forget a conversation, its runs and results."""
    async with orchestrator.open_orchestrator(load()) as opened:
        await opened.delete_thread(thread)
    say(f"Deleted {thread}.")


@group.command("prune")
@command
async def prune_threads(
    *, days: Annotated[float, typer.Option("--days", min=0, help="Delete conversations not used for this long.")] = 30
) -> None:
    """Delete conversations that were not used for some time."""
    from switchyard.tools.core.plain_words import counted

    async with orchestrator.open_orchestrator(load()) as opened:
        threads = await opened.threads()
        old = [thread_id for thread_id, runs in threads.items() if runs[-1].at < time.time() - days * DAY]
        for thread_id in old:
            await opened.delete_thread(thread_id)
    say(f"Deleted {len(old)} of {counted(len(threads), 'conversation')}.")
