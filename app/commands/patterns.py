"""`patterns`: what was learned from use, shown and forgotten (R3.7, R7.6)."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from switchyard.app.commands.running import print_json, run_command
from switchyard.app.console import Console
from switchyard.app.settings import Settings
from switchyard.app.storage import explained, open_storage
from switchyard.toolhub.memory.experience import Experiences, Known
from switchyard.toolhub.memory.memory import Memory
from switchyard.toolhub.recall.learned import Wording

NOTHING = "Nothing was learned yet. 还没有学到任何内容。"


def list_patterns(tool: str | None, *, user: str, as_json: bool) -> int:
    """What is known of each tool."""

    async def work(experience: Experiences, whose: str) -> int:
        rows = [row for row in await experience.listed(whose) if tool in {None, row.tool}]
        if as_json:
            print_json([row.model_dump(mode="json") for row in rows])
        elif not rows:
            Console().say(NOTHING)
        else:
            heads = ("tool", "served", "failed on", "failures", "what helped", "last change")
            Console().show_table(heads, [_row(row) for row in rows])
        return 0

    return _with_experience(work, user)


def clear_patterns(tool: str | None, *, user: str, as_json: bool) -> int:
    """Forget what was learned, of one tool or of all."""

    async def work(experience: Experiences, whose: str) -> int:
        count = await experience.clear(whose, tool)
        if as_json:
            print_json({"forgotten": count})
        else:
            Console().say(f"Forgot what was learned of {count} tool{'' if count == 1 else 's'}.")
        return 0

    return _with_experience(work, user)


def _with_experience(work: Callable[[Experiences, str], Awaitable[int]], user: str) -> int:
    async def run(settings: Settings) -> int:
        with explained(settings.database_path):
            async with open_storage(settings.database_path, wait=settings.database_wait) as storage:
                return await work(Experiences(storage.store, Memory()), user or settings.user)

    return run_command(run)


def _row(known: Known) -> tuple[str, ...]:
    notes = known.notes
    helped = [f"{change.field}: {_short(change.before)} → {_short(change.after)}" for change in notes.adjustments]
    helped += [f"{tool} instead (×{times})" for tool, times in notes.switches.items()]
    kinds = dict.fromkeys(failure.kind for failure in notes.failures)
    return (
        known.tool,
        _wordings(known.wordings.served),
        _wordings(known.wordings.failed),
        f"{len(notes.failures)} ({', '.join(kinds)})" if notes.failures else "",
        "; ".join(helped),
        time.strftime("%Y-%m-%d %H:%M", time.localtime(known.at)),
    )


def _wordings(wordings: tuple[Wording, ...]) -> str:
    return "; ".join(f"{one.text} (×{one.times})" if one.times > 1 else one.text for one in wordings)


def _short(value: Any) -> str:
    return str(value)[:40]
