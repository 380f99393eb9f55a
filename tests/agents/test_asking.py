"""Whatever shape a model answers in, over real HTTP: what is usable is used, and asked for again once if it is not."""

import asyncio
import json
import threading
from typing import Any

import pytest

from switchyard.agents import asking
from switchyard.agents.parsing import LONGEST, parse
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, status, steps, tool_call

LANGUAGES = {
    "en": ("What is 15% of 2480?", "calculate 15% of 2480", "It is 372."),
    "zh": ("2480的15%是多少？", "计算2480的15%", "是372。"),
}
FILL = fills(s1={"expression": "15% of 2480"})
SCHEMA = {"type": "object", "properties": {"steps": {"type": "array"}}, "$defs": {"StepDraft": {"type": "object"}}}


def in_prose(value: dict[str, Any]) -> str:
    return f"Of course! 好的：\n{as_text(value)}\nIs there anything else? 还有别的吗？"


def in_prose_with_braces(value: dict[str, Any]) -> str:
    return f"<think>The set {{1, 2}} or [calculate]? 用 {{计算}} 吧</think>\n{as_text(value)}"


def fenced(value: dict[str, Any]) -> str:
    return f"```json\n{as_text(value)}\n```"


def fenced_without_a_language(value: dict[str, Any]) -> str:
    return f"Here 如下:\n```\n{as_text(value)}\n```\nDone."


def with_trailing_commas(value: dict[str, Any]) -> str:
    return as_text(value).replace("}", ",}").replace("]", ",]").replace("[,]", "[]").replace("{,}", "{}")


def with_single_quotes(value: dict[str, Any]) -> str:
    return str(value)


def cut_off(value: dict[str, Any]) -> str:
    return as_text(value).rstrip("]}")


def as_bare_list(value: dict[str, Any]) -> str:
    return as_text(next(iter(value.values())))


def with_unknown_fields(value: dict[str, Any]) -> dict[str, Any]:
    return {
        "confidence": "high",
        **{key: [{**item, "心情": "好", "priority": 1} for item in items] for key, items in value.items()},
    }


def with_nulls(value: dict[str, Any]) -> dict[str, Any]:
    nothing = {"dependencies": None, "complexity": None, "missing": None, "late": None}
    return {key: [{**item, **nothing} for item in items] for key, items in value.items()}


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "shape",
    [
        dict,
        tool_call,
        in_prose,
        in_prose_with_braces,
        fenced,
        fenced_without_a_language,
        with_trailing_commas,
        with_single_quotes,
        cut_off,
        as_bare_list,
        with_unknown_fields,
        with_nulls,
    ],
)
async def test_an_object_is_read_from_whatever_shape_it_comes_in(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, shape: Any, language: str
) -> None:
    question, task, answer = LANGUAGES[language]
    plan = steps({"description": task, "tool": "calculate"})
    endpoint.script(plan=[shape(plan)], fill=[shape(FILL)], answer=[answer])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.answer == answer
    assert report.status == "answered"
    assert report.steps[0].arguments == {"expression": "15% of 2480"}
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert not report.downgrades


@pytest.mark.parametrize("language", LANGUAGES)
async def test_steps_numbered_instead_of_named_are_understood(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, language: str
) -> None:
    question, task, answer = LANGUAGES[language]
    numbered = [
        {"id": 1, "description": task, "tool": "calculate"},
        {"id": 2, "description": task, "tool": "calculate", "dependencies": [1]},
    ]
    calls = [
        {"step": 1, "arguments": {"expression": "15% of 2480"}},
        {"step": 2, "arguments": {"expression": "{{1.value}} + 1"}},
    ]
    endpoint.script(plan=[{"steps": numbered}], fill=[{"calls": calls}], answer=[answer])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert [step.result["value"] for step in report.steps] == [372, 373]
    assert not report.downgrades


async def test_the_schema_is_sent_as_response_format(orchestrator_with: OpenOrchestrator, endpoint: Endpoint) -> None:
    question, task, answer = LANGUAGES["en"]
    endpoint.script(plan=[steps({"description": task, "tool": "calculate"})], fill=[FILL], answer=[answer])
    await ask_scripted(orchestrator_with, endpoint, question)
    plan, fill, last = endpoint.requests
    assert plan["response_format"]["type"] == "json_schema"
    assert "steps" in plan["response_format"]["json_schema"]["schema"]["properties"]
    assert "calls" in fill["response_format"]["json_schema"]["schema"]["properties"]
    assert "response_format" not in last


@pytest.mark.parametrize("code", [400, 422])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_endpoint_without_response_format_is_asked_without_it_and_not_sent_it_again(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, language: str, code: int
) -> None:
    question, task, answer = LANGUAGES[language]
    endpoint.refuses_response_format = True
    endpoint.refusal_code = code
    endpoint.script(plan=[fenced(steps({"description": task, "tool": "calculate"}))], fill=[FILL], answer=[answer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        first = await opened.ask(question)
        second = await opened.ask(question)
    assert endpoint.kinds == ["plan", "plan", "fill", "answer", "plan", "fill", "answer"]
    assert ["response_format" in request for request in endpoint.requests] == [True] + [False] * 6
    assert [first.answer, second.answer] == [answer, answer]
    assert not first.downgrades


async def test_a_request_that_is_refused_for_another_reason_costs_no_structured_output(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    question, task, answer = LANGUAGES["en"]
    too_long = status(400, "the prompt is too long")
    good = steps({"description": task, "tool": "calculate"})
    endpoint.script(plan=[too_long, too_long, good], fill=[FILL], answer=[answer])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        await opened.ask(question)
        endpoint.requests.clear()
        endpoint.kinds.clear()
        report = await opened.ask(question)
    assert report.answer == answer
    assert "response_format" in endpoint.requests[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (SCHEMA, "the schema was echoed back"),
        ("", "the answer is empty"),
        ("I would rather not. 我不想回答。", "there is no JSON object"),
        ({"thoughts": "hm"}, "none of the fields"),
        ({"steps": [{"id": "s1"}]}, "steps.0.description"),
        ("[1, 2", "a list came"),
    ],
)
async def test_an_unusable_answer_is_asked_for_again_with_what_was_wrong(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, bad: Any, problem: str, language: str
) -> None:
    question, task, answer = LANGUAGES[language]
    endpoint.script(plan=[bad, steps({"description": task, "tool": "calculate"})], fill=[FILL], answer=[answer])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.answer == answer
    assert endpoint.kinds == ["plan", "plan", "fill", "answer"]
    again = endpoint.requests[1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert again[:2] == endpoint.requests[0]["messages"]
    assert problem in again[3]["content"]
    assert not report.downgrades


@pytest.mark.parametrize(
    ("question", "answer"), [("Who wrote Hamlet?", "Shakespeare."), ("谁写了红楼梦？", "曹雪芹。")]
)
async def test_half_a_character_in_an_answer_breaks_nothing(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "none"})], reason=[answer], answer=[answer + "\ud83d"]
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"
    assert report.answer == answer + "\ufffd"
    assert report.model_dump_json()  # it can be printed
    assert not report.downgrades


DRAFT = {"calls": [{"step": "s1", "arguments": {"name": "value 值"}}]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "thinking",
    [
        "<think>The form is {draft}. 格式如上。</think>{said}",
        "<THINKING>\n{draft}\n</THINKING>\n\n{said}",
        "<reasoning>{draft}</reasoning> {said}",
        "The form 格式: {draft}\n</think>\n\n{said}",
        "{said}\n<think>Was it {draft}? 再想想",
    ],
)
async def test_what_a_model_thinks_aloud_is_neither_done_nor_said(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, thinking: str, language: str
) -> None:
    question, task, answer = LANGUAGES[language]

    def thought(value: Any) -> str:
        return thinking.format(draft=as_text(DRAFT), said=value if isinstance(value, str) else as_text(value))

    calculated = {"description": task, "tool": "calculate"}
    reasoned = {"description": task, "tool": "none", "dependencies": ["s1"]}
    replies = {"plan": steps(calculated, reasoned), "fill": FILL, "reason": "三百七十二", "answer": answer}
    endpoint.script(**{kind: [thought(reply)] for kind, reply in replies.items()})
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask(question)
        calls = await opened.journal.calls(report.run_id)
    assert report.answer.strip() == answer
    assert report.steps[0].arguments == {"expression": "15% of 2480"}
    assert report.steps[1].result.strip() == "三百七十二"
    assert [call.answer for call in calls] == [thought(reply) for reply in replies.values()]
    assert not report.downgrades


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_answer_of_thoughts_alone_is_none(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, language: str
) -> None:
    question, task, _ = LANGUAGES[language]
    plan = steps({"description": task, "tool": "calculate"})
    endpoint.script(plan=[plan], fill=[FILL], answer=["<think>It may be 373 也许"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert "372" in report.answer
    assert "373" not in report.answer
    assert [downgrade.reason for downgrade in report.downgrades] == ["scripted gave an empty answer"]


async def test_a_record_that_speaks_of_tags_is_kept_whole(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    record = {"opens": "a<think>b", "结束": "甲</think>乙"}
    plan = steps({"description": "the tags as JSON 标签", "tool": "none"})
    endpoint.script(plan=[plan], reason=[record], answer=["`<think>` and 和 `</think>`."])
    report = await ask_scripted(orchestrator_with, endpoint, "Which tags mark a thought? 哪些标签？")
    assert report.steps[0].result == record
    assert report.answer == "`<think>` and 和 `</think>`."


@pytest.mark.parametrize(
    "flood",
    ["{" * 100_000, '{"' + '\\"' * 15_000, "{(" + "]{1" * 20_000, as_text({"answer": "字" * LONGEST})],
    ids=["braces", "quotes", "brackets", "without end"],
)
async def test_no_flood_of_characters_keeps_a_run_from_its_end(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, flood: str
) -> None:
    endpoint.script(plan=[flood], rank=[flood], fill=[flood], decide=[flood], answer=[""])
    report = await ask_scripted(orchestrator_with, endpoint, "What is 15% of 2480?")
    assert report.status == "answered"
    assert "372" in report.answer
    assert report.downgrades[0].reason.startswith("scripted gave nothing usable: ")
    again = endpoint.requests[1]["messages"]
    assert len(again[2]["content"]) <= asking.QUOTED


@pytest.mark.parametrize("text", ["[" * 60 + "]" * 60, "[" * 60], ids=["closed", "open"])
async def test_a_thought_nested_beyond_reason_is_a_text(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, text: str
) -> None:
    endpoint.script(
        plan=[steps({"description": "Think of something", "tool": "none"})], reason=[text], answer=["done 好了"]
    )
    report = await ask_scripted(orchestrator_with, endpoint, "Think of something")
    assert report.status == "answered"
    assert report.steps[0].result == text


@pytest.mark.parametrize(("question", "word"), [("Think of something", "word "), ("想一想", "字")])
async def test_a_text_without_end_is_cut_and_that_is_on_record(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, word: str
) -> None:
    text = word * (LONGEST // len(word) + 1)
    endpoint.script(plan=[steps({"description": question, "tool": "none"})], reason=["ok"], answer=[text])
    async with orchestrator_with(base_url=endpoint.url, model="scripted") as opened:
        report = await opened.ask(question)
        calls = await opened.journal.calls(report.run_id)
    assert report.answer == text[:LONGEST]
    assert calls[-1].answer == text
    assert [downgrade.reason for downgrade in report.downgrades] == [
        f"scripted wrote {len(text):,} characters; what comes after 200,000 was left out"
    ]


async def test_other_runs_go_on_while_an_answer_is_read(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, beaten = threading.Event(), threading.Event()

    def read(*given: Any) -> Any:
        reading.set()
        assert beaten.wait(10), "nothing else ran while the answer was read"
        return parse(*given)

    async def beat() -> None:
        await asyncio.to_thread(reading.wait, 10)
        for _ in range(100):
            await asyncio.sleep(0)
        beaten.set()

    monkeypatch.setattr(asking, "parse", read)
    long = "Hello! 你好！" * asking.SHORT
    endpoint.script(plan=[{"answer": long}])
    report, _ = await asyncio.gather(ask_scripted(orchestrator_with, endpoint, "Say hello 说你好"), beat())
    assert report.answer == long
