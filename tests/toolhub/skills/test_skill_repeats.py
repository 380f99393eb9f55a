"""What skills call is guarded like what steps call: with them, and at the same time."""

import asyncio
from pathlib import Path
from typing import Any

from switchyard.ledger.options import RunOptions
from switchyard.tools.core import ToolContext, ToolResult
from tests.support.hub_tools import Held, made
from tests.toolhub.skills.desk import Desk, open_desk

AT_LIBERTY = RunOptions(auto_approve=True, retry_delay=0)


def inside(desk: Desk, step: str) -> ToolContext:
    return ToolContext(workspace=desk.scope.equipment.workspace, step_id=step, inside_skills=("mine",))


async def calls(desk: Desk, tool: str, *steps: str, **arguments: Any) -> list[ToolResult]:
    """The same call by the skills of several steps together."""
    made_by = (desk.host.call_tool(tool, None, dict(arguments), inside(desk, step)) for step in steps)
    return await asyncio.gather(*made_by)


async def test_of_equal_calls_of_several_skills_one_that_fails_is_made(workspace: Path) -> None:
    async with open_desk(workspace) as desk:
        work = Held(ToolResult.failed("没有", "not_found"))
        work.go.set()
        desk.hub.registry.add(made("look", work))
        results = await calls(desk, "look", "s1", "s2", "s3", label="甲")
    assert work.calls == 1
    assert [result.error_type for result in results] == ["not_found", "bad_arguments", "bad_arguments"]


async def test_equal_writes_of_several_skills_are_not_all_made(workspace: Path) -> None:
    async with open_desk(workspace, options=AT_LIBERTY) as desk:
        work = Held("好")
        work.go.set()
        desk.hub.registry.add(made("stamp", work, writes=True))
        results = await calls(desk, "stamp", "s1", "s2", label="甲")
    assert work.calls == 1
    assert [result.success for result in results] == [True, False]
    assert "already made in this run" in (results[1].error or "")


async def test_a_write_that_is_repeated_for_the_same_skill_gives_its_result(workspace: Path) -> None:
    async with open_desk(workspace, options=AT_LIBERTY) as desk:
        work = Held("好")
        work.go.set()
        desk.hub.registry.add(made("stamp", work, writes=True))
        results = await calls(desk, "stamp", "s1", "s1", label="甲")
    assert (work.calls, [result.result for result in results]) == (1, ["好", "好"])


async def test_a_change_in_other_words_has_the_same_key(workspace: Path) -> None:
    async with open_desk(workspace, options=AT_LIBERTY) as desk:
        for path in ("docs", "./docs"):
            context = ToolContext(workspace=workspace, step_id=f"s{path}", idempotency_key="run:s1")
            await desk.host.call_tool("list_dir", None, {"path": path}, context)
        keys = {attempt.idempotency_key for attempt in desk.host.pipeline.attempts}
    assert len(keys) == 1
