"""One door with everything: a caller's own model, saver, store, tools and agents, and what is wrong with them."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel
from typing_extensions import TypedDict, override

from switchyard import (
    BaseToolParams,
    ContextUpdate,
    ExecutionContext,
    Orchestrator,
    OrchestratorClosed,
    Plan,
    RunOptions,
    RunScope,
    Settings,
    SettingsInvalid,
    ThreadUnknown,
    ToolUnknown,
    Verdict,
    ask_sync,
    open_orchestrator,
    tool,
)
from tests.support.endpoint import Endpoint, fills, steps

MakeSettings = Callable[..., Settings]
BOTH = [("What is 15% of 2480?", "372"), ("2480 的 15% 是多少？", "372")]


@tool(category="beach")
class CountNothing:
    """Count what is not there. 数不存在的东西。"""

    def __init__(self) -> None:
        raise RuntimeError("out of order")

    def execute(self, params: BaseToolParams) -> str:
        return str(params)


def says(*replies: str) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter(AIMessage(reply) for reply in replies))


@pytest.mark.parametrize(("question", "said"), [("Who are you?", "A yard."), ("你是谁？", "一个调车场。")])
async def test_a_chat_model_that_is_given_is_used(make_settings: MakeSettings, question: str, said: str) -> None:
    chat = says(f'{{"answer": "{said}"}}')
    async with open_orchestrator(make_settings(), model=chat) as opened:
        report = await opened.ask(question)
    assert (report.answer, report.basis, report.model) == (said, "model", "GenericFakeChatModel")
    assert report.usage.model_calls == 1


@pytest.mark.parametrize("question", ["Who are you?", "你是谁？"])
async def test_a_run_may_do_without_the_model_that_is_given(make_settings: MakeSettings, question: str) -> None:
    async with open_orchestrator(make_settings(), model=says("never")) as opened:
        report = await opened.ask(question, options=RunOptions(model="none"))
    assert (report.usage.model_calls, report.model, report.downgrades) == (0, None, [])


async def test_a_report_of_a_run_under_way_says_so(make_settings: MakeSettings) -> None:
    async with open_orchestrator(make_settings()) as opened:
        seen = [
            (await opened.report("t")).status
            async for event in opened.stream("What is 2+2? 2加2", thread_id="t")
            if event["event"] in {"plan", "verdicts"}
        ]
    assert seen == ["running", "running"]


async def test_a_model_may_be_given_by_its_name(make_settings: MakeSettings, endpoint: Endpoint) -> None:
    endpoint.script(plan=[{"answer": "ja 是"}])
    async with open_orchestrator(make_settings(base_url=endpoint.url, model="another"), model="scripted") as opened:
        report = await opened.ask("Are you there? 在吗")
    assert (report.answer, report.model) == ("ja 是", "scripted")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"model": object()}, "chat model"),
        ({"model": says("x").bind(stop=["y"])}, "chat model"),
        ({"checkpointer": object()}, "savers"),
        ({"checkpointer": SqliteSaver(cast("Any", None))}, "aput_writes"),
        ({"store": {}}, "LangGraph"),
        ({"tools": [5]}, "no function"),
        ({"tools": [lambda: "x"]}, "no name"),
        ({"tools": [CountNothing]}, "out of order"),
        ({"agents": {"verifier": print}}, "verify"),
    ],
)
async def test_what_cannot_be_used_is_said(make_settings: MakeSettings, given: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsInvalid, match=why):
        async with open_orchestrator(make_settings(), **given):
            pass


@pytest.mark.parametrize(("question", "_"), BOTH)
async def test_the_graph_itself_says_that_a_tool_is_unknown(orchestrator: Orchestrator, question: str, _: str) -> None:
    config: Any = {"configurable": {"thread_id": "t"}}
    context, graph = {"tools": ["没有"], "only_specified": True}, cast("Any", orchestrator.graph)
    with pytest.raises(ToolUnknown, match="没有"):
        await graph.ainvoke({"question": question}, config, context=context)


@pytest.mark.parametrize(("question", "expected"), BOTH)
async def test_a_saver_and_a_store_of_the_callers_own_hold_everything(
    make_settings: MakeSettings, tmp_path: Path, question: str, expected: str
) -> None:
    saver, store = InMemorySaver(), InMemoryStore()
    settings = make_settings(database=str(tmp_path / "unused.sqlite"))
    async with open_orchestrator(settings, checkpointer=saver, store=store) as opened:
        assert expected in (await opened.ask(question, thread_id="t")).answer
    async with open_orchestrator(settings, checkpointer=saver, store=store) as again:
        assert expected in (await again.report("t")).answer
        assert store.search(("attempts",))
        await again.delete_thread("t")
    assert not list(saver.list({"configurable": {"thread_id": "t"}}))
    assert not store.search(("attempts",)) + store.search(("runs",))
    assert not (tmp_path / "unused.sqlite").exists()


def count_gulls(beach: str) -> str:
    """Count the gulls on a beach. 数海滩上的海鸥。"""
    return f"7 gulls on {beach}"


@langchain_tool
def count_crabs(beach: str) -> str:
    """Count the crabs on a beach. 数海滩上的螃蟹。"""
    return f"9 crabs on {beach}"


class Beach(BaseToolParams):
    beach: str


@tool(category="beach")
class CountShells:
    """Count the shells on a beach. 数海滩上的贝壳。"""

    def execute(self, params: Beach) -> str:
        return f"5 shells on {params.beach}"


@pytest.mark.parametrize(
    ("given", "name", "found"),
    [(count_gulls, "count_gulls", "7"), (count_crabs, "count_crabs", "9"), (CountShells, "count_shells", "5")],
)
async def test_tools_of_three_kinds_are_handed_in(
    make_settings: MakeSettings, endpoint: Endpoint, given: Any, name: str, found: str
) -> None:
    endpoint.script(
        plan=[steps({"description": "count 数", "tool": name})],
        fill=[fills(s1={"beach": "Sylt"})],
        answer=[f"{found}。"],
    )
    settings = make_settings(base_url=endpoint.url, model="scripted", auto_approve=True)
    async with open_orchestrator(settings, tools=[given]) as opened:
        report = await opened.ask("How many are on Sylt? 有几个？")
    assert (report.status, report.answer, report.steps[0].tool) == ("answered", f"{found}。", name)


async def test_an_agent_may_be_the_callers_own(make_settings: MakeSettings) -> None:
    async def doubts(scope: RunScope, plan: Plan, context: ExecutionContext) -> ContextUpdate:
        doubt = Verdict(verified=False, confidence=0.1, issues=["不信 I do not believe it"])
        steps = {
            name: one.model_copy(update={"verdict": doubt, "checked": True}) for name, one in context.steps.items()
        }
        return ContextUpdate(steps=steps)

    async with open_orchestrator(make_settings(), agents={"verify": doubts}) as opened:
        report = await opened.ask("What is 15% of 2480?")
    assert (report.status, report.steps[0].verified) == ("partial", False)
    assert "不信" in report.steps[0].issues[0]


async def test_a_closed_orchestrator_says_so(make_settings: MakeSettings) -> None:
    async with open_orchestrator(make_settings()) as opened:
        pass
    with pytest.raises(OrchestratorClosed, match="closed"):
        await opened.ask("What is 2+2?")


async def test_an_orchestrator_of_another_loop_says_so(make_settings: MakeSettings) -> None:
    async with open_orchestrator(make_settings()) as opened:
        with pytest.raises(OrchestratorClosed, match="another event loop"):
            await asyncio.to_thread(asyncio.run, opened.ask("What is 2+2?"))


def test_synchronous_code_hands_in_a_model_too(make_settings: MakeSettings) -> None:
    report = ask_sync("Who? 谁", make_settings(), model=says('{"answer": "me 我"}'))
    assert report.answer == "me 我"


def test_what_is_misspelled_is_refused() -> None:
    with pytest.raises(ValueError, match="modle"):
        Settings(modle="none")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="bogus"):
        RunOptions.model_validate({"bogus": 1})


async def test_a_thread_that_waits_may_be_given_up(make_settings: MakeSettings, workspace: Path) -> None:
    async with open_orchestrator(make_settings()) as opened:
        asked = await opened.ask('Write "hello" to 甲.txt', thread_id="t")
        assert asked.status == "waiting"
        with pytest.raises(SettingsInvalid):
            await opened.ask("What is 2+2?", thread_id="t")
        await opened.abandon("t")
        assert (await opened.report("t")).status == "cancelled"
        assert (await opened.ask("What is 2+2?", thread_id="t")).status == "answered"
    assert not (workspace / "甲.txt").exists()


# In a graph of somebody else's


@dataclass
class DataContext:
    model: str = "theirs"
    switchyard: Any = None


class DictContext(TypedDict, total=False):
    tools: int
    switchyard: Any


class ModelContext(BaseModel):
    user: int = 5
    switchyard: Any = None


CONTEXTS = [DataContext, DictContext, ModelContext]


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.parametrize(("question", "expected"), BOTH)
async def test_a_parents_context_is_left_alone_and_ours_is_inside(
    orchestrator: Orchestrator, kind: Any, question: str, expected: str
) -> None:
    outer = cast("Any", StateGraph(MessagesState, context_schema=kind))
    outer.add_node("switchyard", orchestrator.graph)
    outer.add_edge(START, "switchyard")
    graph = outer.compile()
    asked = {"messages": [{"role": "user", "content": question}]}
    assert expected in (await graph.ainvoke(asked, context=kind()))["messages"][-1].content
    ours = kind(switchyard={"max_tool_calls": 0})
    assert expected not in (await graph.ainvoke(asked, context=ours))["messages"][-1].content
    with pytest.raises(SettingsInvalid, match="bogus"):
        await graph.ainvoke(asked, context=kind(switchyard={"bogus": 1}))


async def test_a_parent_is_interrupted_and_resumed(orchestrator: Orchestrator, workspace: Path) -> None:
    outer = cast("Any", StateGraph(MessagesState))
    outer.add_node("switchyard", orchestrator.graph)
    outer.add_edge(START, "switchyard")
    graph = outer.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "parent"}}
    asked = {"messages": [{"role": "user", "content": 'Write "hello" to 乙.txt'}]}
    [waits] = (await graph.ainvoke(asked, config))["__interrupt__"]
    assert waits.value["action_requests"][0]["name"] == "write_to_file"
    assert waits.value["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    await graph.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert (workspace / "乙.txt").read_text(encoding="utf-8").strip() == "hello"


# What others see of it


@dataclass
class Listening(AsyncCallbackHandler):
    seen: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])

    @override
    async def on_tool_start(self, serialized: Any, input_str: str, **more: Any) -> None:
        self.seen.append((serialized["name"], more["inputs"]))

    async def on_tool_end(self, output: Any, **_: Any) -> None:
        self.seen.append(("end", output))

    async def on_tool_error(self, error: BaseException, **_: Any) -> None:
        self.seen.append(("error", str(error)))


@pytest.mark.parametrize(("question", "expected"), BOTH)
async def test_callbacks_see_each_tool(orchestrator: Orchestrator, question: str, expected: str) -> None:
    listening = Listening()
    config = {"configurable": {"thread_id": "traced"}, "callbacks": [listening]}
    await cast("Any", orchestrator.graph).ainvoke({"question": question}, config)
    (name, arguments), (kind, output) = listening.seen
    assert (name, kind, "2480" in arguments["expression"]) == ("calculate", "end", True)
    assert expected in str(output)


async def test_callbacks_see_what_fails_and_no_secret(orchestrator: Orchestrator) -> None:
    listening = Listening()
    config = {"configurable": {"thread_id": "traced"}, "callbacks": [listening]}
    question = "Read the page http://127.0.0.1:9/?token=hunter2-secret"
    await cast("Any", orchestrator.graph).ainvoke({"question": question}, config)
    assert any(kind == "error" for kind, _ in listening.seen)
    assert "hunter2" not in repr(listening.seen)


@pytest.mark.parametrize(("question", "expected"), BOTH)
async def test_the_conversation_may_have_the_calls(orchestrator: Orchestrator, question: str, expected: str) -> None:
    graph = cast("Any", orchestrator.graph)
    config = {"configurable": {"thread_id": "shown"}}
    state = await graph.ainvoke({"question": question}, config, context=RunOptions(tool_messages=True))
    _, calls, result, answer = state["messages"]
    assert calls.tool_calls[0]["name"] == "calculate"
    assert isinstance(result, ToolMessage)
    assert result.tool_call_id == calls.tool_calls[0]["id"]
    assert expected in str(result.content)
    assert expected in answer.content
    followed = await graph.ainvoke({"question": "What is 2+3?"}, config)
    assert "5" in followed["answer"]


async def test_logs_go_to_loggers_and_not_to_standard_output(
    make_settings: MakeSettings, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    settings = make_settings(
        model="gone", base_url="http://127.0.0.1:9/v1", api_key="sk-hunter2hunter2", model_retries=0
    )
    with caplog.at_level(logging.WARNING, "switchyard"):
        async with open_orchestrator(settings) as opened:
            await opened.ask("Write me a poem. 写首诗。")
    assert capsys.readouterr().out == ""
    assert [record.name for record in caplog.records if record.message.startswith("model_failed")]
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize(("question", "name"), [("Read 长.txt", "长.txt"), ("读取 long.txt", "long.txt")])
async def test_a_report_does_not_carry_whole_files(
    orchestrator: Orchestrator, workspace: Path, question: str, name: str
) -> None:
    text = "".join(f"line {number} 行\n" for number in range(20_000))
    (workspace / name).write_text(text, encoding="utf-8")
    report = await orchestrator.ask(question, thread_id="t")
    assert (report.status, report.steps[0].cut) == ("answered", True)
    assert len(report.model_dump_json()) < 60_000
    whole = await orchestrator.result("t", "s1")
    assert len(str(whole)) > len(str(report.steps[0].result))
    with pytest.raises(ThreadUnknown, match="s9"):
        await orchestrator.result("t", "s9")
