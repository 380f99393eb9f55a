"""Where a skill ends: at itself, at the limits of its run, at a model that gives nothing, at its own turns."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.skills.prompts import MAX_SEEN
from switchyard.toolhub.sources.skills.runner import MAX_TURNS
from switchyard.tools.core import ToolContext
from tests.support.endpoint import Endpoint, hang, status
from tests.support.passing_time import PassingTime
from tests.toolhub.skills.desk import call, finish, mine, open_desk, read, turns, use, write_skill


async def test_a_skill_does_not_call_itself(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "mine")
    result, _ = await use(endpoint, workspace, skills, turns(call("mine", task="again 再来"), finish("ok")))
    assert result.success
    assert "A skill does not call itself (mine → mine)" in endpoint.prompts("skill")[1]


async def test_a_skill_does_not_call_itself_through_another(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "other")
    write_skill(skills, "other", front="name: other\ndescription: 别的\nallowed-tools: mine")
    replies = turns(call("other", task="a"), call("mine", task="b"), finish("other's 别的"), finish("mine 我的"))
    result, desk = await use(endpoint, workspace, skills, replies)
    assert result.result["answer"] == "mine 我的"
    assert [name for name, _ in desk.calls] == ["mine", "other"]  # in the order they ended
    prompts = endpoint.prompts("skill")
    assert "A skill does not call itself (mine → other → mine)" in prompts[2]
    assert "other's 别的" in prompts[3]


async def test_the_runs_limit_of_model_calls_holds(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "list_dir")
    result, desk = await use(endpoint, workspace, skills, turns(call("list_dir")), max_model_calls=3)
    assert len(endpoint.requests) == 3
    assert (result.success, result.error_type) == (False, "unavailable")
    assert "no answer after 3 moves" in str(result.error)
    assert desk.scope.meter.hit == ["model_calls"]


async def test_the_runs_limit_of_tool_calls_holds(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "list_dir")
    replies = turns([call("list_dir"), call("list_dir", path=".")], finish("ok"))
    result, desk = await use(endpoint, workspace, skills, replies, max_tool_calls=1)
    assert result.success
    assert len(desk.calls) == 1
    assert "limit of tool_calls is reached" in endpoint.prompts("skill")[1]


async def test_a_skill_has_only_so_many_turns(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "list_dir")
    result, _ = await use(endpoint, workspace, skills, turns(call("list_dir")))
    assert (result.success, result.error_type) == (False, "wrong_result")
    assert f"within {MAX_TURNS} turns" in str(result.error)
    assert len(endpoint.requests) == MAX_TURNS
    prompts = endpoint.prompts("skill")
    assert "This is the last turn: finish now." in prompts[-1]
    assert "This is the last turn" not in prompts[-2]


@pytest.mark.parametrize("reply", ["no JSON 没有", {"moves": []}, {"moves": [{"do": "call"}]}, status(500)])
async def test_a_model_that_gives_nothing_usable_is_a_failure(
    endpoint: Endpoint, workspace: Path, skills: Path, reply: Any
):
    mine(skills, "list_dir")
    result, _ = await use(endpoint, workspace, skills, [reply])
    assert (result.success, result.error_type) == (False, "unavailable")
    assert "got no answer at all from the model" in str(result.error)


async def test_long_results_are_shown_in_part(endpoint: Endpoint, workspace: Path, skills: Path):
    names = ("一.txt", "two.txt", "three.txt", "four.txt", "five.txt")
    for name in names:
        (workspace / name).write_text(f"start-{name} " + "长" * 3 * MAX_SEEN, encoding="utf-8")
    mine(skills, "read_file", references__guide_dot_md="指南" + "g" * MAX_SEEN)
    reads = [call("read_file", path=name) for name in names]
    await use(endpoint, workspace, skills, turns(read("references/guide.md"), *reads, finish("ok")))
    last = endpoint.prompts("skill")[-1]
    assert all(f"start-{name}" in last for name in names)
    assert len(last) < 6 * MAX_SEEN
    assert last.count("长" * (MAX_SEEN // 2)) == 3  # of each the longer part is its beginning
    assert "g" * (MAX_SEEN - 10) in last


async def test_a_task_is_needed(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "list_dir")
    async with open_desk(workspace, endpoint.url, skills=[skills]) as desk:
        context = ToolContext(workspace=workspace, skill_host=desk.host)
        result = await desk.hub.dispatcher.dispatch(ToolRequest("mine", None, {"tsk": "做"}, context))
    assert result.error_type == "bad_arguments"
    assert "'task' is required" in str(result.error)
    assert endpoint.requests == []


async def test_a_skill_whose_file_is_gone_says_so(endpoint: Endpoint, workspace: Path, skills: Path):
    place = mine(skills, "list_dir")
    endpoint.script(skill=turns(finish("ok")))
    async with open_desk(workspace, endpoint.url, skills=[skills]) as desk:
        (place / "SKILL.md").unlink()
        result = await desk.use("mine", "做事")
    assert "'SKILL.md' cannot be read" in str(result.error)


async def test_the_runs_time_ends_a_skill_that_waits_for_its_model(
    endpoint: Endpoint, workspace: Path, skills: Path, clock: PassingTime
):
    mine(skills, "list_dir")
    before = asyncio.all_tasks()
    endpoint.when_hanging = lambda: clock.passes(50)
    result, desk = await use(endpoint, workspace, skills, [*turns(call("list_dir")), hang()], max_seconds=50)
    assert (result.success, result.error_type) == (False, "unavailable")
    assert desk.scope.meter.hit == ["seconds"]
    assert asyncio.all_tasks() == before
