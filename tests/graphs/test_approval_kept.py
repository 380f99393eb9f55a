"""What is approved is what runs: the reply is for one call, and is used up once that call has begun."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from switchyard.app.orchestrator import Orchestrator
from switchyard.app.report import RunReport
from switchyard.graphs.channels import read_channels
from switchyard.ledger.context import ExecutionContext
from switchyard.tools.core.errors import SettingsInvalid
from tests.conftest import OpenOrchestrator
from tests.support.bench import Bench, statuses, task
from tests.support.counting_tools import calls, write_counting_tools
from tests.support.endpoint import Endpoint, steps
from tests.support.hub_tools import made, schema
from tests.support.plans import QUESTION, Handed, call

LATE: list[tuple[str, str, str]] = [("stamp what was counted", "SAFE", "EVIL"), ("把数出来的盖章", "安全", "危险")]


@pytest.mark.parametrize(("question", "first", "second"), LATE)
async def test_arguments_written_late_are_not_written_again_after_the_approval(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    tmp_path: Path,
    workspace: Path,
    question: str,
    first: str,
    second: str,
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "tally a", "tool": "tally"},
                {"description": question, "tool": "stamp", "dependencies": ["s1"]},
            )
        ],
        fill=[{"calls": [{"step": "s1", "arguments": {"label": "a"}}, {"step": "s2", "late": True, "arguments": {}}]}],
        late=[{"arguments": {"label": first}}, {"arguments": {"label": second}}],
        answer=["done"],
    )
    folder = write_counting_tools(tmp_path / "counting")
    async with orchestrator_with(base_url=endpoint.url, model="scripted", tool_folders=[folder]) as opened:
        waiting = await opened.ask(question)
        assert asked(waiting) == {"label": first}
        report = await opened.resume(waiting.thread_id, "approve")
    assert report.status == "answered"
    assert [line for line in calls(workspace) if line.startswith("end s2")] == [f"end s2 {first}"]
    assert endpoint.kinds.count("late") == 1


def asked(report: RunReport) -> dict[str, Any]:
    assert isinstance(report.waiting_for, list)
    return report.waiting_for[0].arguments


class Held:
    """A tool that writes, says that it has begun, and goes on when it is let."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.goes_on = asyncio.Event()
        self.labels: list[str] = []

    async def write(self, arguments: dict[str, Any]) -> str:
        self.labels.append(arguments["label"])
        self.began.set()
        await self.goes_on.wait()
        return "written 已写入"


@pytest.fixture
def held() -> Held:
    return Held()


@pytest.fixture
async def cut_off(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, tmp_path: Path, held: Held
) -> AsyncGenerator[Orchestrator]:
    """A run whose approved call was under way when it was stopped, opened again."""
    settings: dict[str, Any] = {
        "base_url": endpoint.url,
        "model": "scripted",
        "database": str(tmp_path / "runs.sqlite"),
    }
    endpoint.script(
        plan=[steps({"description": "write it 写", "tool": "write_it"})],
        fill=[{"calls": [{"step": "s1", "arguments": {"label": "信"}}]}],
        answer=["done 完成"],
    )
    tool = made("write_it", held.write, takes=schema("label"), writes=True)
    async with orchestrator_with(**settings) as first:
        first.hub.registry.add(tool)
        await first.ask("write it 写", thread_id="t")
        resuming = asyncio.create_task(first.resume("t", "approve"))
        await held.began.wait()
        resuming.cancel()
        await asyncio.wait([resuming])
    held.goes_on.set()
    async with orchestrator_with(**settings) as second:
        second.hub.registry.add(tool)
        assert (await second.report("t")).status == "cancelled"
        yield second


@pytest.mark.parametrize("reply", [None, "approve"])
async def test_a_writing_call_that_had_begun_is_put_to_the_person_as_such(
    cut_off: Orchestrator, held: Held, reply: str | None
) -> None:
    waiting = await cut_off.resume("t", reply)
    assert waiting.status == "waiting"
    assert isinstance(waiting.waiting_for, list)
    assert [request.why for request in waiting.waiting_for] == ["may_have_happened"]
    assert held.labels == ["信"]


@pytest.mark.parametrize(("reply", "made_calls"), [("approve", ["信", "信"]), ("refuse", ["信"])])
async def test_the_person_decides_whether_a_call_that_had_begun_runs_again(
    cut_off: Orchestrator, held: Held, reply: str, made_calls: list[str]
) -> None:
    await cut_off.resume("t")
    report = await cut_off.resume("t", reply)
    assert held.labels == made_calls
    assert report.status == ("answered" if reply == "approve" else "failed")


async def test_a_call_that_is_cut_off_twice_is_asked_about_twice(cut_off: Orchestrator, held: Held) -> None:
    await cut_off.resume("t")
    held.goes_on.clear()
    held.began.clear()
    resuming = asyncio.create_task(cut_off.resume("t", "approve"))
    await held.began.wait()
    resuming.cancel()
    await asyncio.wait([resuming])
    waiting = await cut_off.resume("t", "approve")
    assert (waiting.status, held.labels) == ("waiting", ["信", "信"])


APPLES, LETTER = call("tally", label="apples"), call("stamp", label="letter")


async def test_a_reply_is_asked_for_again_where_the_request_was_changed(counting: Handed, workspace: Path) -> None:
    await counting.ask(APPLES, LETTER, thread_id="t")
    config: Any = {"configurable": {"thread_id": "t"}}
    graph = counting.graph
    approvals = (await graph.aget_state(config)).values["approvals"]
    approvals["s2"]["request"]["arguments"] = {"label": "parcel"}
    approvals["s2"]["reply"] = {"decision": "approve"}
    await graph.aupdate_state(config, {"approvals": approvals}, as_node="select_tools")
    out = await graph.ainvoke(Command(goto="execute"), config)
    assert out["status"] == "waiting"
    assert out["__interrupt__"][0].value["requests"][0]["arguments"] == {"label": "parcel"}
    assert not [line for line in calls(workspace) if "parcel" in line or "letter" in line]


async def test_the_state_of_a_waiting_run_says_so_and_holds_the_request(counting: Handed) -> None:
    counting.plan(APPLES, LETTER)
    out = await counting.graph.ainvoke({"question": QUESTION}, {"configurable": {"thread_id": "t"}})
    assert out["status"] == "waiting"
    state = await counting.graph.aget_state({"configurable": {"thread_id": "t"}})
    assert read_channels(state.values).approvals["s2"].request.arguments == {"label": "letter"}
    done = await counting.resume("t", "approve")
    state = await counting.graph.aget_state({"configurable": {"thread_id": "t"}})
    assert (done.status, state.values["status"], state.values["approvals"]) == ("answered", "answered", {})


STRICT = JsonPlusSerializer(allowed_msgpack_modules=None)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_run_resumes_with_anybodys_strict_checkpointer(
    counting: Handed, tmp_path: Path, workspace: Path, kind: str
) -> None:
    async with aiosqlite.connect(tmp_path / "theirs.sqlite") as connection:
        savers: dict[str, BaseCheckpointSaver[Any]] = {
            "memory": InMemorySaver(serde=STRICT),
            "sqlite": AsyncSqliteSaver(connection, serde=STRICT),
        }
        counting.plan(APPLES, LETTER)
        graph = counting.graph.copy(update={"checkpointer": savers[kind]})
        config: Any = {"configurable": {"thread_id": "theirs"}}
        waiting = await graph.ainvoke({"question": QUESTION}, config)
        done = await graph.ainvoke(Command(resume="approve"), config)
    assert (waiting["status"], done["status"]) == ("waiting", "answered")
    assert [line for line in calls(workspace) if line.startswith("end")] == ["end s1 apples", "end s2 letter"]


async def test_a_reply_that_nobody_asked_for_refuses_nothing_in_silence(counting: Handed, workspace: Path) -> None:
    await counting.ask(APPLES, LETTER, thread_id="t")
    config: Any = {"configurable": {"thread_id": "t"}}
    # stopped after the reply was kept and before what it allows has begun
    await counting.graph.ainvoke(Command(resume="approve"), config, interrupt_before=["execute"])
    with pytest.raises(SettingsInvalid, match="waits for no reply"):
        await counting.resume("t", "refuse")
    assert not [line for line in calls(workspace) if "letter" in line]
    assert (await counting.resume("t")).status == "answered"


ROWS = task("s1", "echo", rows=["甲", "乙", "丙"])
EACH = task("s2", "stamp", over="s1", path=".rows", label="{{item}}")


@pytest.fixture
async def listed(workspace: Path) -> tuple[Bench, ExecutionContext]:
    """A round over three items is next, and each of them writes."""
    bench = Bench(workspace)
    return bench, await bench.verified(ROWS, context=await bench.round(ROWS))


async def test_items_that_are_all_refused_are_a_refused_step(listed: tuple[Bench, ExecutionContext]) -> None:
    bench, context = listed
    context = await bench.round(ROWS, EACH, context=context, reply="refuse")
    assert statuses(context) == {"s1": "done", "s2": "refused"}
    assert bench.steps_called() == ["s1"]


async def test_what_was_refused_is_not_put_to_anybody_again(listed: tuple[Bench, ExecutionContext]) -> None:
    bench, context = listed
    context = await bench.round(ROWS, EACH, context=context, reply="refuse")
    context = await bench.round(ROWS, task("s3", "stamp", label="乙"), context=context)
    assert (bench.asked, statuses(context)["s3"]) == ([], "refused")


async def test_a_refused_item_stays_refused_while_another_is_asked_about_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    marked: list[str] = []

    async def mark(arguments: dict[str, Any]) -> str:
        marked.append(arguments["label"])
        return "marked 已标记"

    async def listing(arguments: dict[str, Any]) -> list[str]:
        return ["甲", "乙", "丙"]

    endpoint.script(
        plan=[
            steps(
                {"description": "list 列出", "tool": "listing"},
                {"description": "mark 标记", "tool": "mark", "for_each": {"step": "s1"}, "dependencies": ["s1"]},
            )
        ],
        fill=[{"calls": [{"step": "s1", "arguments": {}}, {"step": "s2", "arguments": {"label": "{{item}}"}}]}],
        answer=["done"],
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        opened.hub.registry.add(made("listing", listing))
        opened.hub.registry.add(made("mark", mark, takes=schema("label"), writes=True))
        waiting = await opened.ask("mark each 逐个标记", thread_id="t")
        assert waiting.status == "waiting"
        same = {"decision": "edit", "arguments": {"label": "同"}}
        again = await opened.resume("t", {"s2[0]": "refuse", "s2[1]": same, "s2[2]": same})
        assert isinstance(again.waiting_for, list)
        assert [(one.why, one.arguments) for one in again.waiting_for] == [("already_done", {"label": "同"})]
        done = await opened.resume("t", "approve")
    assert marked == ["同", "同"]
    assert done.status != "waiting"
