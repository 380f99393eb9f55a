"""A planner that is shown what a tool takes writes the call with the plan: a model call less (R3.8)."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps
from tests.support.hub_tools import made, schema

LANGUAGES = [
    pytest.param("Tell me how many lines notes.txt has", "count the lines of notes.txt", "notes.txt", id="en"),
    pytest.param("告诉我 笔记.txt 的行数情况", "统计 笔记.txt 的行数", "笔记.txt", id="zh"),
]
DEFINED = "Tools whose arguments you write"


@pytest.fixture
def notes(workspace: Path) -> Path:
    for name in ("notes.txt", "笔记.txt"):
        (workspace / name).write_text("a\nb\nc\n", encoding="utf-8")
    return workspace


def reading(task: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"description": task, "tool": "read_file", "arguments": arguments, **more}


@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_arguments_that_came_with_the_plan_are_not_asked_for(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str
) -> None:
    endpoint.script(plan=[steps(reading(task, {"path": name}))], answer=["3\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert (endpoint.kinds, report.status) == (["plan", "answer"], "answered")
    told = endpoint.prompts("plan")[0]
    assert "\nread_file:\n" in told.partition(DEFINED)[2]
    assert report.steps[0].tool == "read_file"


@pytest.mark.parametrize("arguments", [{}, {"file": "notes.txt"}, {"path": 5, "start_line": "x"}, "prose", ["path"]])
@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_arguments_that_the_tool_does_not_take_are_asked_for(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str, *, arguments: Any
) -> None:
    endpoint.script(plan=[steps(reading(task, arguments))], fill=[fills(s1={"path": name})], answer=["3\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert (endpoint.kinds, report.status) == (["plan", "fill", "answer"], "answered")


@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_only_what_is_missing_is_asked_for(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str
) -> None:
    doubled = {"description": "twice that 两倍", "tool": "calculate", "dependencies": ["s1"]}
    endpoint.script(
        plan=[steps(reading(task, {"path": name}, id="s1"), {**doubled, "id": "s2"})],
        fill=[fills(s2={"expression": "{{s1.lines}} * 2"})],
        answer=["3, 6\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert (endpoint.kinds, report.status) == (["plan", "fill", "answer"], "answered")
    asked = endpoint.prompts("fill")[0]
    assert f'- s1 with read_file({{"path": "{name}"}})' in asked
    assert "- s1 with" not in asked.partition("\nSteps:")[2]
    assert "returns: " in asked


@pytest.mark.usefixtures("notes")
async def test_a_reference_to_an_earlier_step_may_come_with_the_plan(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    sums = {"tool": "calculate", "arguments": {"expression": "{{first.lines}} * 2"}, "dependencies": ["first"]}
    plan = steps(
        reading("lines 行数", {"path": "notes.txt"}, id="first"), {"id": "b", "description": "twice 两倍", **sums}
    )
    endpoint.script(plan=[plan], answer=["6\nOPEN: none"])
    question = "Tell me the lines of notes.txt, and calculate twice that 两倍"
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert (endpoint.kinds, report.status) == (["plan", "answer"], "answered")


@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_a_reference_to_no_step_is_asked_for(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str
) -> None:
    plan = steps(reading(task, {"path": "{{s9.path}}"}))
    endpoint.script(plan=[plan], fill=[fills(s1={"path": name})], answer=["3\nOPEN: none"])
    await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert endpoint.kinds == ["plan", "fill", "answer"]


@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_without_space_for_definitions_there_are_none(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str
) -> None:
    plan = steps({"description": task, "tool": "read_file"})
    endpoint.script(plan=[plan], fill=[fills(s1={"path": name})], answer=["3\nOPEN: none"])
    await ask_scripted(orchestrator_with, endpoint, question, rules_first="never", planner_definitions=0)
    assert DEFINED not in endpoint.prompts("plan")[0]
    assert endpoint.kinds == ["plan", "fill", "answer"]


@pytest.mark.parametrize(("question", "task", "name"), LANGUAGES)
@pytest.mark.usefixtures("notes")
async def test_a_plan_with_another_call_in_the_same_words_is_another_plan(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, task: str, name: str
) -> None:
    wrong = {"path": "elsewhere-别处.txt"}
    endpoint.script(
        plan=[steps(reading(task, wrong, id="a")), steps(reading(task, {"path": name}, id="b"))],
        decide=[{"action": "replan", "reason": "there is one 有一个"}],
        answer=["3\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert (endpoint.kinds, report.status) == (["plan", "decide", "plan", "answer"], "answered")
    assert [one.arguments for one in report.failures] == [wrong]


@pytest.mark.parametrize(
    ("question", "expression"),
    [("Work out 15 percent of 2480 for me", "15% of 2480"), ("帮我算算 2480 的百分之十五", "2480的15%")],
)
@pytest.mark.parametrize("word_for_word", [False, True])
async def test_a_tools_own_sentence_may_be_the_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, expression: str, *, word_for_word: bool
) -> None:
    plan = steps({"description": expression, "tool": "calculate", "arguments": {"expression": expression}})
    endpoint.script(plan=[plan], answer=["372, by a model 由模型\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never", word_for_word=word_for_word)
    assert report.status == "answered"
    assert "372" in report.answer
    assert endpoint.kinds == (["plan"] if word_for_word else ["plan", "answer"])
    assert ("by a model" in report.answer) is not word_for_word


@pytest.mark.parametrize("question", ["What does http://127.0.0.1:9/x say of rain?", "http://127.0.0.1:9/x 怎么说雨？"])
async def test_what_opens_an_address_is_always_shown(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[{"ask_user": "?"}])
    await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert "\n- web_scraper " in endpoint.prompts("plan")[0]


async def test_a_secret_that_came_with_the_plan_is_in_no_state_and_no_event(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    token, got = "sk-plan-口令-0123456789abcdef", list[dict[str, Any]]()

    async def send(arguments: dict[str, Any]) -> str:
        got.append(arguments)
        return "sent 已发送"

    arguments = {"api_key": token, "to": "alice 爱丽丝"}
    plan = steps({"description": "send it 发送", "tool": "send_it", "arguments": arguments})
    endpoint.script(plan=[plan], answer=["sent 已发送\nOPEN: none"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted", auto_approve=True) as opened:
        opened.hub.registry.add(made("send_it", send, takes=schema("api_key", "to"), writes=True))
        events = [event async for event in opened.stream("send it 发送", thread_id="t")]
        state = await opened.graph.aget_state({"configurable": {"thread_id": "t"}})
    assert endpoint.kinds == ["plan", "answer"]
    assert got[0]["api_key"] == token
    assert token not in str(events)
    assert token not in str(state.values)
