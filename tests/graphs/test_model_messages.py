"""The `messages` stream carries the answer's text and nothing else (R1.8)."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from langchain_core.messages import BaseMessage

from switchyard.app.orchestrator import Orchestrator
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, drop, fills, status, steps

PLAN = steps(
    {"description": "calculate 15% of 2480", "tool": "calculate"},
    {"description": "think about it", "tool": "none", "dependencies": ["s1"]},
)
FILL = fills(s1={"expression": "15% of 2480"})
BILINGUAL = [("What is 15% of 2480?", "It is exactly 372."), ("2480的15%是多少？", "答案正好是三百七十二。")]


async def streamed(orchestrator: Orchestrator, question: Any, thread_id: str = "t") -> list[BaseMessage]:
    graph = cast("Any", orchestrator.graph)
    stream = graph.astream(question, {"configurable": {"thread_id": thread_id}}, stream_mode="messages")
    return [message async for message, _ in cast("AsyncIterator[tuple[BaseMessage, Any]]", stream)]


def texts(messages: list[BaseMessage]) -> list[str]:
    return [text for message in messages if (text := str(message.text))]


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
@pytest.mark.parametrize("form", ["question", "messages"])
async def test_the_answer_comes_in_pieces_and_the_inner_calls_not_at_all(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str, form: str
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], reason=["a thought 想法"], judge=[{"judgements": []}], answer=[answer])
    given = {"question": question} if form == "question" else {"messages": [("user", question)]}
    async with orchestrator_with(base_url=endpoint.url, model="scripted", judge=True) as opened:
        found = await streamed(opened, given)
    assert endpoint.kinds == ["plan", "fill", "reason", "judge", "answer"]
    assert len(texts(found)) > 1
    assert "".join(texts(found)) == answer
    assert {message.type for message in found} == {"AIMessageChunk"}
    assert len({message.id for message in found}) == 1


@pytest.mark.parametrize(("question", "answer"), [("Say hello", "Hello!"), ("说你好", "你好！")])
async def test_a_direct_answer_is_streamed_too(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(plan=[{"answer": answer}])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        assert texts(await streamed(opened, {"question": question})) == [answer]


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
@pytest.mark.parametrize("failure", [status(500), ""], ids=["500", "empty"])
async def test_an_answer_by_rules_is_streamed_too(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str, failure: Any
) -> None:
    endpoint.script(plan=[steps({"description": "calculate", "tool": "calculate"})], fill=[FILL], answer=[failure])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        found = texts(await streamed(opened, {"question": question}))
        report = await opened.report("t")
    assert found == [report.answer]
    assert "372" in report.answer


async def test_after_a_dropped_answer_the_whole_answer_by_rules_follows(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[steps({"description": "计算", "tool": "calculate"})], fill=[FILL], answer=[drop()])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        found = await streamed(opened, {"question": BILINGUAL[1][0]})
        report = await opened.report("t")
    assert str(found[-1].text) == report.answer
    assert all(message.id != found[-1].id for message in found[:-1])


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
async def test_tokens_reach_the_events_of_a_run_in_order(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], reason=["hm"], answer=[answer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        events = [event async for event in opened.stream(question, thread_id="t")]
    tokens = [event["text"] for event in events if event["event"] == "token"]
    assert "".join(tokens) == answer
    assert events[-1]["event"] == "answer"


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
@pytest.mark.parametrize("pieces", [1, 7, 1000])
@pytest.mark.parametrize("thinking", ["<think>Is it 373? 是吗？</think>\n\n", "<Reasoning>嗯 <b></Reasoning>"])
async def test_thoughts_are_not_streamed(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str, pieces: int, thinking: str
) -> None:
    endpoint.pieces = pieces
    endpoint.script(plan=[PLAN], fill=[FILL], reason=["hm"], answer=[thinking + answer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        found = await streamed(opened, {"question": question})
        events = [event async for event in opened.stream(question, thread_id="u")]
        calls = await opened.journal.calls((await opened.report("u")).run_id)
    assert "".join(texts(found)) == answer
    assert len({message.id for message in found}) == 1
    assert "".join(event["text"] for event in events if event["event"] == "token") == answer
    assert calls[-1].answer == thinking + answer


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
async def test_a_model_known_to_begin_with_a_thought_is_heard_from_its_end_on(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    thought = "The opening tag is missing. 没有开头。\n</think>\n"
    endpoint.script(plan=[thought + json.dumps(PLAN)], fill=[FILL], reason=["hm"], answer=[thought + answer, answer])
    endpoint.pieces = 10
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        assert "".join(texts(await streamed(opened, {"question": question}))) == answer
        assert "".join(texts(await streamed(opened, {"question": question}, "without a thought"))) == answer


async def test_a_stray_closing_tag_is_made_good_by_the_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[PLAN], fill=[FILL], reason=["hm"], answer=["Is it 373? 是吗？</think>It is 372. 是372。"])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        events = [event async for event in opened.stream(BILINGUAL[0][0], thread_id="t")]
    assert events[-1].get("answer") == "It is 372. 是372。"


async def test_the_thread_keeps_question_and_answer_of_every_run(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[{"answer": "Hello!"}, PLAN, {"answer": "再见！"}], fill=[FILL], reason=["hm"], answer=["It is 372."]
    )
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        for question in ("Say hello", "What is 15% of 2480?", "说再见"):
            await opened.ask(question, thread_id="t")
        graph = cast("Any", opened.graph)
        state = await graph.aget_state({"configurable": {"thread_id": "t"}})
    assert [(message.type, str(message.text)) for message in state.values["messages"]] == [
        ("human", "Say hello"),
        ("ai", "Hello!"),
        ("human", "What is 15% of 2480?"),
        ("ai", "It is 372."),
        ("human", "说再见"),
        ("ai", "再见！"),
    ]
    last = endpoint.prompts("plan")[-1]
    assert "assistant: <data>It is 372.</data>" in last
    assert last.count("说再见") == 1


@pytest.mark.parametrize(("question", "answer"), BILINGUAL)
@pytest.mark.parametrize(
    "ending",
    [("\nOPEN: none", ""), ("\n\n**OPEN:** 1\n", ""), ("\nOpen questions: 372", "\nOpen questions: 372")],
)
async def test_what_the_writer_leaves_open_is_not_streamed(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str, ending: tuple[str, str]
) -> None:
    trailer, told = ending
    endpoint.script(plan=[PLAN], fill=[FILL], reason=["a thought 想法"], answer=[answer + trailer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        found = await streamed(opened, {"question": question})
    assert "".join(texts(found)).rstrip() == answer + told
