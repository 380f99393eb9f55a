"""`threads`: the conversations that are stored."""

import time

from switchyard.app.commands.running import print_json, run_command
from switchyard.app.console import Console
from switchyard.app.orchestrator import open_orchestrator
from switchyard.app.settings import Settings
from switchyard.tools.core.plain_words import counted

DAY = 86_400


def list_threads(*, as_json: bool) -> int:
    """List the conversations, the newest last."""

    async def work(settings: Settings) -> int:
        async with open_orchestrator(settings) as orchestrator:
            threads = await orchestrator.threads()
        if as_json:
            print_json(
                [
                    {
                        "thread_id": thread_id,
                        "questions": len(runs),
                        "last_question": runs[-1].question,
                        "status": runs[-1].status,
                        "at": runs[-1].at,
                    }
                    for thread_id, runs in threads.items()
                ]
            )
            return 0
        rows = [
            (thread_id, str(len(runs)), runs[-1].status, _when(runs[-1].at), runs[-1].question)
            for thread_id, runs in threads.items()
        ]
        Console().show_table(("thread", "questions", "status", "last used", "last question"), rows)
        return 0

    return run_command(work)


def show_thread(thread_id: str, *, as_json: bool) -> int:
    """Show a conversation and the steps of its last run."""

    async def work(settings: Settings) -> int:
        async with open_orchestrator(settings) as orchestrator:
            report = await orchestrator.report(thread_id)
            runs = await orchestrator.journal.runs(thread_id)
        if as_json:
            shown = [run.model_dump(mode="json") for run in runs]
            print_json({"thread_id": thread_id, "runs": shown, "last": report.model_dump(mode="json")})
            return 0
        console = Console()
        for run in runs[:-1]:
            console.say(f"› {run.question}\n{run.answer}\n")
        console.say(f"› {report.question}")
        console.show_report(report, steps=True)
        return 0

    return run_command(work)


def delete_thread(thread_id: str) -> int:
    """Forget a conversation."""

    async def work(settings: Settings) -> int:
        async with open_orchestrator(settings) as orchestrator:
            await orchestrator.delete_thread(thread_id)
        Console().say(f"Deleted {thread_id}.")
        return 0

    return run_command(work)


def prune_threads(days: float) -> int:
    """Delete conversations that were not used for some time."""

    async def work(settings: Settings) -> int:
        async with open_orchestrator(settings) as orchestrator:
            threads = await orchestrator.threads()
            old = [thread_id for thread_id, runs in threads.items() if runs[-1].at < time.time() - days * DAY]
            for thread_id in old:
                await orchestrator.delete_thread(thread_id)
        Console().say(f"Deleted {len(old)} of {counted(len(threads), 'conversation')}.")
        return 0

    return run_command(work)


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
