"""Never a false success with a model: what is certain, answers at once, stand-ins, look-ups (R2.2, R6.1, R7.4)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.ledger.options import RunOptions
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

TOOLS = '''
from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolFailed, tool


class CityParams(BaseToolParams):
    city: str = Field(description="The city.")


class CodeParams(BaseToolParams):
    code: str = Field(description="The code of the city.")


@tool(category="weather", tags=("weather", "天气"))
class WeatherNow:
    """Tell the weather of a city now. 查城市现在的天气。"""

    def execute(self, params: CityParams) -> dict[str, object]:
        raise ToolFailed("the station is broken", kind="crash")


@tool(category="people", tags=("population", "人口"))
class Population:
    """Tell the population of a city. 查城市人口。"""

    def execute(self, params: CityParams) -> dict[str, object]:
        return {"city": "Paris", "population": 2_100_000}


@tool(category="codes", produces=("code",), tags=("code", "编码"))
class CodeOfCity:
    """Look up the code of a city. 查城市编码。"""

    def execute(self, params: CityParams) -> dict[str, object]:
        return {"code": "DB-1"}


@tool(category="air", requires=("code",), tags=("air", "空气"))
class AirOfCity:
    """Tell how good the air of a city is. 查城市空气质量。"""

    def execute(self, params: CodeParams) -> dict[str, object]:
        return {"quality": 42, "of": params.code}
'''


@pytest.fixture
def city_tools(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "cities").mkdir()
    (tmp_path / "cities" / "cities.py").write_text(TOOLS, encoding="utf-8")
    return {"tool_folders": [tmp_path / "cities"]}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is 15% of 2480?", "372"),
        ("2480的15%是多少？", "372"),
        ("What time is it in Tokyo, and what is 2 + 2?", "Tokyo"),
        ("东京现在几点？", "东京"),
        ("What is 96 times 45, and then minus 1280?", "3040"),
        ("96乘以45再减去1280等于多少？", "3040"),
    ],
)
async def test_what_is_certain_costs_no_model_call(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(plan=[{"answer": "The answer is forty-two."}])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="exact")
    assert report.status == "answered"
    assert report.plan.by == "rules"
    assert said in report.answer
    assert endpoint.kinds == []


@pytest.mark.parametrize("question", ["How many lines does notes.md have?", "notes.md 有多少行？"])
async def test_what_the_rules_read_whole_is_theirs_where_that_is_wanted(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "notes.md").write_text("一\n二\n三\n", encoding="utf-8")
    endpoint.script(plan=[steps({"description": question, "tool": "file_processor"})])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="always")
    assert (report.status, report.plan.by, endpoint.kinds) == ("answered", "rules", [])
    assert "3" in report.answer


@pytest.mark.parametrize("question", ["How many lines does notes.md have?", "notes.md 有多少行？"])
async def test_an_answer_at_once_goes_back_where_a_file_is_named_and_the_rules_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "notes.md").write_text("一\n二\n三\n", encoding="utf-8")
    endpoint.script(plan=[{"answer": "12 行 lines"}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "plan", "answer"]
    assert "nobody\nknows that by heart" in endpoint.prompts("plan")[1]
    assert report.plan.by == "rules"
    assert [step.success for step in report.steps] == [True]


@pytest.mark.parametrize(
    "said",
    [
        {"answer": "12 行 lines"},
        {"ask_user": "Which one? 哪一个？"},
        steps({"description": "It has many lines, 有很多行", "tool": "get_time"}),
        {"answer": "12 行 lines", **steps({"description": "lines of notes.md 的行数", "tool": "get_time"})},
        steps(
            {"description": "notes.md"}, {"description": "Weeks begin on Monday; next Friday (下周五) is the Friday."}
        ),
    ],
)
@pytest.mark.parametrize("question", ["How many lines does notes.md have?", "notes.md 有多少行？"])
async def test_what_the_rules_read_whole_is_theirs_where_the_models_plan_leaves_out_what_is_named(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, said: dict[str, Any]
) -> None:
    (workspace / "notes.md").write_text("一\n二\n三\n", encoding="utf-8")
    endpoint.script(plan=[said])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="exact")
    assert (report.status, report.plan.by, endpoint.kinds) == ("answered", "rules", ["plan"])
    assert "3" in report.answer
    assert [one.agent for one in report.downgrades] == ["planning"]


@pytest.mark.parametrize(("question", "answer"), [("Who buys the new lock?", "Jonas"), ("仓库钥匙由谁保管？", "张敏")])
async def test_what_the_documents_say_is_not_answered_by_heart(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, answer: str
) -> None:
    (workspace / "notes.md").write_text("- Jonas buys the new lock.\n- 仓库钥匙由张敏保管。\n", encoding="utf-8")
    endpoint.script(plan=[{"answer": "Peter 王伟"}])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="exact")
    assert (report.status, report.plan.by, endpoint.kinds) == ("answered", "rules", ["plan"])
    assert answer in report.answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Send Maria the minutes of the meeting", "It is worth the effort"),
        ("把上次会议的记录用邮件发给合作社的所有成员", "今天是星期二"),
    ],
)
async def test_a_plan_that_has_nothing_to_do_with_the_question_is_not_followed(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(plan=[steps({"description": said, "tool": "get_time"})], fill=[fills(s1={})], answer=[said])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds[:2] == ["plan", "plan"]
    assert "does not speak of what is asked" in endpoint.prompts("plan")[1]
    assert report.status == "failed"
    assert {one.tool for one in report.steps} == {"none"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the mood of notes.md?", "It is sad."),
        ("notes.md 的情绪如何？", "很悲伤。"),
        ("Please send the minutes to Maria", "The task was completed successfully."),
        ("把会议记录发给李娜", "已经发送。"),
        ("Who was the first to see it?", "The answer was not found."),
        ("是谁第一个看见的？", "没有找到答案。"),
    ],
)
async def test_an_answer_that_no_tool_checked_is_not_called_answered(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, answer: str
) -> None:
    endpoint.script(plan=[{"answer": answer}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.basis) == ("partial", "model_unchecked")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who wrote Hamlet?", "Who wrote Hamlet?"),
        ("谁写了《哈姆雷特》？", "谁写了《哈姆雷特》"),
        ("Who wrote Hamlet?", '{"steps": []}'),
        ("Who wrote Hamlet?", "As few steps as possible."),
        (
            "Who wrote Hamlet?",
            "It was found: weeks begin on Monday, next Friday (下周五) is the Friday of the next week.",
        ),
        (
            "谁写了《哈姆雷特》？",
            "答案是：Weeks begin on Monday, and next Friday (下周五) is the Friday of the next week",
        ),
        ("Who wrote Hamlet?", "《哈姆雷特》是莎士比亚写的。"),
        ("谁写了《哈姆雷特》？", "It is a play that was on in the town for a week."),
        ("Who wrote Hamlet?", "The answer is <data>Tom</data>"),
        ("谁写了《哈姆雷特》？", "答案是 <data>汤姆</data>"),
    ],
)
async def test_what_is_no_answer_is_not_given_as_one(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(plan=[{"answer": said}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "failed"
    assert endpoint.kinds[:2] == ["plan", "plan"]


@pytest.mark.parametrize(
    ("question", "said"), [("Who was the first to see it?", "It was Tom."), ("是谁第一个看见的？", "是汤姆。")]
)
async def test_an_answer_at_once_after_steps_that_failed_is_not_called_answered(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    again = {"answer": question}
    endpoint.script(plan=[again, again, {"answer": said}], reason=[question], decide=[{"action": "replan"}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "plan", "reason", "decide", "plan"]
    assert (report.status, report.basis) == ("partial", "model_unchecked")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Count the lines of notes.md, then share them", "That is a good question."),
        ("数一数notes.md有几行，再分一分", "这是一个问题。"),
    ],
)
async def test_what_was_found_for_a_step_that_failed_is_told(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, said: str
) -> None:
    (workspace / "notes.md").write_text("1 x\n2 x\n3 x\n", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": f"1 {question}", "tool": "read_file"},
                {"description": f"2 {question}", "tool": "calculate", "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s1={"path": "notes.md"}, s2={"expression": "{{s1.lines}} / 0"})],
        decide=[{"action": "complete"}],
        answer=[said],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, max_replans=0)
    assert report.status == "partial"
    assert said not in report.answer
    assert "3" in report.answer


@pytest.mark.parametrize(
    ("question", "said", "status"),
    [
        ("What is the phone number of Jonas?", "It is 984235678.", "partial"),
        ("乔纳斯的电话号码是多少？", "是984235678。", "partial"),
        ("What is the phone number of Jonas?", "What is the phone number of Jonas?", "failed"),
        (
            "乔纳斯的电话号码是多少？",
            "Weeks begin on Monday; next Friday (下周五) is the Friday of the next week.",
            "failed",
        ),
    ],
)
async def test_what_nothing_serves_is_not_answered_by_thinking(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str, status: str
) -> None:
    endpoint.script(plan=[{"answer": question}], reason=[said], decide=[{"action": "complete"}], answer=[said])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds[:3] == ["plan", "plan", "reason"]
    assert report.status == status


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "How many lines does notes.md have?",
            "Weeks begin on Monday, 3 lines; next Friday is the Friday of the next week.",
        ),
        ("notes.md 有多少行？", "3：<data>{}</data>"),
    ],
)
async def test_a_closing_text_made_of_the_prompt_is_replaced_by_what_was_found(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, said: str
) -> None:
    (workspace / "notes.md").write_text("一\n二\n三\n", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": question, "tool": "read_file"})],
        fill=[fills(s1={"path": "notes.md"})],
        answer=[said],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"
    assert "3" in report.answer
    assert said not in report.answer
    assert [one.agent for one in report.downgrades] == ["coordination"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who wrote Hamlet?", "Shakespeare 莎士比亚"),
        ("谁写了《哈姆雷特》？", "Shakespeare"),
        ("“朋友远方来”用英语怎么说？", "It is a joy to have a friend from afar."),
        ("How do I say 'how are you' in Chinese?", "你好吗？最近怎么样？"),
    ],
)
async def test_the_models_own_word_is_marked(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(plan=[{"answer": said}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.basis) == ("answered", "model")


@pytest.mark.parametrize("question", ["What is the weather in Paris?", "巴黎天气怎么样？"])
async def test_no_stranger_stands_in_for_a_tool_and_nothing_is_learned_of_it(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, city_tools: dict[str, Any], question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "weather_now"})],
        fill=[fills(s1={"city": "Paris"})],
        decide=["I am not sure", "I am not sure"],
        answer=["sunny 晴"],
    )
    model = {"base_url": endpoint.url, "model": "scripted", "max_replans": 0}
    async with orchestrator_with(**model, **city_tools) as opened:
        report = await opened.ask(question)
        assert opened.experience is not None
        learned = [row.tool for row in await opened.experience.listed("") if row.wordings.served]
    assert report.status == "failed"
    assert {step.tool for step in report.steps} <= {"weather_now", "none"}
    assert learned == []


@pytest.mark.parametrize("question", ["Append 'Status: ok' to report.md", "在 report.md 末尾追加“Status: ok”"])
async def test_what_writes_is_not_done_by_what_reads(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    (workspace / "report.md").write_text("# 报告\n", encoding="utf-8")
    endpoint.script(
        plan=[steps({"description": question, "tool": "write_to_file"})],
        fill=[fills(s1={"path": "report.md", "mode": "append"})],
        decide=[{"action": "switch_tool", "tools": {}}],
        answer=["It was appended. 已追加。"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, auto_approve=True, max_replans=0)
    assert report.status == "failed"
    assert "read_file" not in {step.tool for step in report.steps}
    assert (workspace / "report.md").read_text(encoding="utf-8") == "# 报告\n"


@pytest.mark.parametrize("question", ["How many people live in Berlin?", "柏林有多少人口？"])
async def test_a_result_about_another_city_is_no_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, city_tools: dict[str, Any], question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "population"})],
        fill=[fills(s1={"city": "Berlin"})],
        decide=[{"action": "complete", "reason": "enough"}],
        answer=["2.1 million 人"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, **city_tools)
    assert report.status == "failed"
    assert {failure.kind for failure in report.failures} == {"wrong_result"}


@pytest.mark.parametrize("question", ["How good is the air of Dublin?", "都柏林的空气质量怎么样？"])
async def test_a_look_up_that_a_tool_requires_comes_along(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, city_tools: dict[str, Any], question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "air_of_city"})],
        fill=[
            {
                "calls": [
                    {"step": "s1_code", "arguments": {"city": "Dublin"}},
                    {"step": "s1", "arguments": {"code": "{{s1_code.code}}"}},
                ]
            }
        ],
        answer=["42"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, **city_tools)
    assert report.status == "answered"
    assert [step.tool for step in report.steps] == ["code_of_city", "air_of_city"]
    assert report.steps[1].arguments == {"code": "DB-1"}


@pytest.mark.parametrize("question", ["How many lines do a.txt and b.txt have?", "a.txt 和 b.txt 各有多少行？"])
@pytest.mark.parametrize("there", [["a.txt"], ["a.txt", "b.txt"]], ids=["one", "both"])
async def test_what_the_question_lists_is_known_and_an_item_that_failed_is_told(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, *, there: list[str]
) -> None:
    for name in there:
        (workspace / name).write_text("1\n2\n3\n", encoding="utf-8")
    loop = {"step": "s1", "path": ""}
    endpoint.script(
        plan=[
            steps(
                {"description": "列出 a.txt 和 b.txt", "tool": "none"},
                {"description": question, "tool": "read_file", "for_each": loop, "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s2={"path": "{{item}}"})],
        reason=['["a.txt", "b.txt"]'],
        answer=["3"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, options=RunOptions(rules_first="never"))
    assert report.steps[0].verified is True
    assert report.status == ("answered" if "b.txt" in there else "partial")
    assert ("b.txt" in report.answer) is ("b.txt" not in there)


@pytest.mark.parametrize(
    ("name", "question", "said"),
    [
        ("Jonas Berg", "What is the phone number of Jonas Berg?", "It is 555 0199."),
        ("欧阳文静", "欧阳文静的电话号码是多少？", "是 555 0199。"),
    ],
)
async def test_what_is_said_by_heart_of_somebody_in_a_table_is_no_answer(  # noqa: PLR0917
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, name: str, question: str, said: str
) -> None:
    (workspace / "people.csv").write_text(f"name,city\n{name},Oslo\nAda Lovelace,Bergen\n", encoding="utf-8")
    endpoint.script(plan=[{"answer": said}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status != "answered"
    assert "555 0199" not in report.answer or report.basis == "model_unchecked"
