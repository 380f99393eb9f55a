"""Without a model: names beside the words for what they name, tools on trial, and what is called a little otherwise."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.app.orchestrator import Orchestrator
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.registry import RegisteredTool
from switchyard.tools.core import ToolResult
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.hub_tools import answering, failing, made
from tests.support.web_server import Answer, as_json, page, web_server


def one_field(name: str, description: str) -> dict[str, Any]:
    field = {"type": "string", "description": description}
    return {"type": "object", "properties": {name: field}, "required": [name]}


def about_reservoirs(name: str, line: str, work: Any, **spec: Any) -> RegisteredTool:
    return made(name, work, takes=one_field("reservoir", "The reservoir 水库"), description=line, **spec)


async def level(given: dict[str, Any]) -> Any:
    return {"reservoir": given["reservoir"], "level_m": 118.42}


LEVEL = ("get_reservoir_level", "The water level of a reservoir. 查询水库的水位。")
LEVEL_ASKED = ["What is the water level of the reservoir Northlake?", "北湖水库的水位是多少？"]


# a name beside the word for it


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the water level of the reservoir Northlake?", "Northlake"),
        ("What is the water level of the Blue Lagoon reservoir?", "Blue Lagoon"),
        ("北湖水库的水位是多少？", "北湖水库"),
        ("水库 北湖 的水位是多少？", "北湖"),
    ],
)
async def test_a_name_beside_the_word_for_a_field_fills_it(
    orchestrator: Orchestrator, question: str, name: str
) -> None:
    orchestrator.hub.registry.add(about_reservoirs(*LEVEL, level))
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert report.steps[0].arguments == {"reservoir": name}
    assert "118.42" in report.answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the water level of every reservoir?",
        "What is the water level of the reservoir?",
        "What is the oil level of the reservoir Northlake?",
        "What is the water level of the reservoir Northlake in May?",
        "每个水库的水位是多少？",
        "哪个水库的水位最高？",
        "北湖水库的油位是多少？",
        "北湖水库五月的水位是多少？",
    ],
)
async def test_no_name_or_more_than_the_tool_speaks_of_is_declined(orchestrator: Orchestrator, question: str) -> None:
    orchestrator.hub.registry.add(about_reservoirs(*LEVEL, level))
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert not report.sources


@pytest.mark.parametrize("question", ["Which alarms are open at the pump station West?", "西泵站有哪些未处理的报警？"])
async def test_that_there_is_nothing_is_told(orchestrator: Orchestrator, question: str) -> None:
    orchestrator.hub.registry.add(
        made(
            "get_open_alarms",
            answering({"alarms": []}),
            takes=one_field("station", "The pump station 泵站"),
            description="The open alarms of a pump station.\nThe open alarms of a pump station. 查询泵站未处理的报警。",
        )
    )
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert "no alarms" in report.answer or "没有 alarms" in report.answer


@pytest.mark.parametrize(
    "question", ["Use depot/count_parts to count the parts in stock", "用 depot/count_parts 数一数库存零件"]
)
async def test_a_number_within_a_word_is_none(orchestrator: Orchestrator, question: str) -> None:
    orchestrator.hub.registry.add(
        made("depot/count_parts", answering({"parts": 5}), description="Count the parts in stock. 数库存零件。")
    )
    assert "5" in (await orchestrator.ask(question)).answer


# tools on trial


CLUB = one_field("club", "The club 俱乐部")
MEMBERS_ASKED = ["How many members does the club Rowing have?", "赛艇俱乐部有多少会员？"]


def add_clubs(opened: Orchestrator, published: dict[str, Any] | ToolResult, **spec: Any) -> None:
    closed = failing("permission denied: staff only", "permission")
    opened.hub.registry.add(
        made("office/members", closed, takes=CLUB, description="How many members a club has. 查询俱乐部的会员数。")
    )
    opened.hub.registry.add(
        made("figures", answering(published), takes=CLUB, description="Figures of a club. 俱乐部公布的数字。", **spec)
    )


@pytest.mark.parametrize("question", MEMBERS_ASKED)
async def test_where_a_tool_refuses_one_that_takes_the_same_and_tells_what_is_asked_answers(
    orchestrator: Orchestrator, question: str
) -> None:
    add_clubs(orchestrator, {"members": 226})
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert "226" in report.answer
    again = await orchestrator.ask(question)
    assert [source.tool for source in again.sources] == ["figures"]
    assert not again.failures


@pytest.mark.parametrize("question", MEMBERS_ASKED)
@pytest.mark.parametrize(
    "published", [{"boats": 31}, {"former_members": 31}, {"members": None}, "31"], ids=["other", "more", "none", "text"]
)
async def test_what_a_tool_on_trial_tells_of_something_else_is_no_answer_and_no_lesson(
    orchestrator: Orchestrator, question: str, published: Any
) -> None:
    add_clubs(orchestrator, published)
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert "31" not in report.answer
    assert "staff only" in report.answer
    assert not orchestrator.hub.memory.patterns("office/members").switches


@pytest.mark.parametrize("question", ["What is the weather in Paris?", "查巴黎的天气"])
async def test_where_a_tool_refuses_one_of_its_kind_is_not_on_trial(orchestrator: Orchestrator, question: str) -> None:
    closed, told = failing("permission denied: staff only", "permission"), answering({"degrees": 21})
    same: dict[str, Any] = {"takes": one_field("city", "The city."), "category": "weather", "tags": ("weather", "天气")}
    registry = orchestrator.hub.registry
    registry.add(made("weather_a", closed, description="Tell the weather of a city now. 查城市天气。", **same))
    registry.add(made("meteo_b", told, description="Tell the current weather of a city. 查询城市当前天气。", **same))
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert "21" in report.answer


@pytest.mark.parametrize("question", MEMBERS_ASKED)
@pytest.mark.parametrize("spec", [{"writes": True}, {"needs_approval": True}])
async def test_nothing_that_writes_or_asks_is_tried(
    orchestrator: Orchestrator, question: str, spec: dict[str, Any]
) -> None:
    add_clubs(orchestrator, {"members": 226}, **spec)
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert {failure.tool for failure in report.failures} == {"office/members"}


@pytest.mark.parametrize("question", LEVEL_ASKED)
async def test_a_call_that_failed_as_often_as_it_may_is_wanted_by_no_other_plan(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": LEVEL[0]})],
        fill=[fills(s1={"reservoir": "Northlake" if question.isascii() else "北湖水库"})],
        decide=[{"action": "execute_tool", "reason": "again"}],
        answer=["?"],
    )
    model = {"base_url": endpoint.url, "model": "scripted", "max_replans": 0, "retry_delay": 0.0}
    async with orchestrator_with(**model) as opened:
        opened.hub.registry.add(about_reservoirs(*LEVEL, failing("down", "unavailable")))
        report = await opened.ask(question, options=RunOptions(rules_first="never"))
    assert report.status == "failed"
    assert report.usage.tool_calls == 3
    assert endpoint.kinds.count("decide") <= 3


# what is called a little otherwise


@pytest.mark.parametrize(
    ("folder", "question"), [("invoices", "List the files in invoice"), ("发票夹", "列出 发票 文件夹里的文件")]
)
async def test_a_folder_that_is_called_a_little_otherwise_is_found_and_told(
    orchestrator: Orchestrator, workspace: Path, folder: str, question: str
) -> None:
    (workspace / folder).mkdir()
    (workspace / folder / "may.txt").write_text("x\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert f"{folder}/may.txt" in report.answer
    assert report.answer.splitlines()[0].count(folder) == 1  # that it was taken in the place of the other


@pytest.mark.parametrize(
    ("folder", "question"), [("drafts", "List the files in crafts"), ("北京", "列出 上海 文件夹里的文件")]
)
async def test_another_folder_is_not_taken(
    orchestrator: Orchestrator, workspace: Path, folder: str, question: str
) -> None:
    (workspace / folder).mkdir()
    (workspace / folder / "may.txt").write_text("x\n", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert "may.txt" not in report.answer


@pytest.mark.parametrize(
    ("column", "question"),
    [("金额元", "bills.csv 的金额总和是多少？"), ("revenue_eur", "How much revenue did bills.csv have in all?")],
)
async def test_a_column_is_named_without_its_unit(
    orchestrator: Orchestrator, workspace: Path, column: str, question: str
) -> None:
    (workspace / "bills.csv").write_text(f"id,{column}\n1,120\n2,330\n", encoding="utf-8")
    assert "450" in (await orchestrator.ask(question)).answer


@pytest.mark.parametrize(
    "question",
    [
        "How many followers does URL/octo show? The number is in the element a.social-count",
        "URL/octo 上显示有多少关注者？数字在元素 a.social-count 里",
        "Extract span.follower-count from URL/octo",
        "提取 URL/octo 上 span.follower-count 的文字",
    ],
)
async def test_an_element_is_read_where_the_question_says_it_stands(
    orchestrator_with: OpenOrchestrator, question: str
) -> None:
    with web_server() as server:
        server.pages["/octo"] = page("<title>octo</title><h1>octo</h1><span class='social-counter'>48,213</span>")
        async with orchestrator_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
            report = await opened.ask(question.replace("URL", server.url))
    assert "48,213" in report.answer


@pytest.mark.parametrize(
    "question",
    [
        "Call the API URL/v1/stock and tell me what the stock is",
        "调用接口 URL/v1/stock，告诉我库存有多少",
    ],
)
async def test_an_api_that_moved_is_asked_where_it_says_and_its_field_is_told(
    orchestrator_with: OpenOrchestrator, question: str
) -> None:
    with web_server() as server:
        server.pages["/v1/stock"] = Answer(b"gone: use /v2/stock", "text/plain", 410)
        server.pages["/v2/stock"] = as_json({"stock": 318, "shelf": 4})
        async with orchestrator_with(allow_private=[f"127.0.0.1:{server.port}"]) as opened:
            report = await opened.ask(question.replace("URL", server.url))
            assert opened.experience is not None
            learned = [row.tool for row in await opened.experience.listed("") if row.wordings.served]
    assert "data_analyzer" not in learned  # it read what was fetched, and does not serve by itself
    assert report.status == "answered"
    assert "318" in report.answer
    assert "/v2/stock" in report.answer


@pytest.mark.parametrize(
    "question", ["How many lines do one.txt and 二.txt have each?", "one.txt 和 二.txt 各有多少行？"]
)
async def test_each_of_several_files_is_asked(orchestrator: Orchestrator, workspace: Path, question: str) -> None:
    (workspace / "one.txt").write_text("1\n" * 4, encoding="utf-8")
    (workspace / "二.txt").write_text("1\n" * 9, encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert [step.arguments["path"] for step in report.steps] == ["one.txt", "二.txt"]
