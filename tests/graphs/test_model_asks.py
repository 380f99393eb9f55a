"""`answered` means that everything asked for is there: asks, the steps that serve them, and the text (R2.5, R6.2)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.asks import asks_of
from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, status, steps

BOTH = [
    ("Sum up a.txt. Describe the style of b.txt.", "describe the style of b.txt"),
    ("总结 a.txt 的内容。评价 b.txt 的文风。", "评价 b.txt 的文风"),
]


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "a.txt").write_text("alpha 甲", encoding="utf-8")
    (workspace / "b.txt").write_text("beta 乙", encoding="utf-8")


def reads(*paths: str, **more: Any) -> dict[str, Any]:
    return steps(*({"description": f"read {path} 读取", "tool": "read_file"} for path in paths)) | more


@pytest.mark.parametrize(("question", "open_ask"), BOTH)
async def test_a_plan_that_leaves_something_out_goes_back_once(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, open_ask: str
) -> None:
    endpoint.script(
        plan=[reads("a.txt"), reads("a.txt", "b.txt")],
        fill=[fills(s1={"path": "a.txt"}, s2={"path": "b.txt"})],
        answer=["a: alpha 甲, b: beta 乙\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert endpoint.kinds == ["plan", "plan", "fill", "answer"]
    assert open_ask in endpoint.prompts("plan")[1].split("no step serves")[1].lower()
    assert (report.status, report.answer) == ("answered", "a: alpha 甲, b: beta 乙")
    assert [one.state for one in report.asks] == ["answered", "answered"]


@pytest.mark.parametrize(("question", "open_ask"), BOTH)
async def test_what_no_step_serves_is_missing_whatever_the_model_says(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, open_ask: str
) -> None:
    endpoint.script(
        plan=[reads("a.txt")], fill=[fills(s1={"path": "a.txt"})], answer=["alpha 甲, and all is well.\nOPEN: none"]
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "partial"
    assert [one.state for one in report.asks] == ["answered", "open"]
    assert open_ask in report.answer.lower()


@pytest.mark.parametrize(("question", "_"), BOTH)
async def test_a_step_that_claims_to_serve_everything_is_measured_by_what_it_looked_at(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, _: str
) -> None:
    lazy = {"asks": ["a.txt 的内容 what a.txt says", "b.txt 的内容 what b.txt says"]}
    lazy["steps"] = [{"id": "s1", "serves": [1, 2], "description": question, "tool": "read_file"}]  # type: ignore[assignment]
    endpoint.script(plan=[lazy], fill=[fills(s1={"path": "a.txt"})], answer=["alpha 甲\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "partial"
    assert [one.state for one in report.asks][:2] == ["answered", "open"]
    assert "b.txt" in report.asks[1].reason


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What does a.txt say, and who wrote it?", ["what a.txt says", "who wrote it"]),
        ("a.txt 里写了什么？是谁写的？", ["a.txt 里写了什么", "是谁写的"]),
    ],
)
@pytest.mark.parametrize("trailer", ["OPEN: 2", "**OPEN:** [2]", "Open： 2\n"])
async def test_the_writer_says_what_the_results_do_not_answer(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, asks: list[str], trailer: str
) -> None:
    plan = {"asks": asks, "steps": [{"description": question, "serves": [1, 2], "tool": "read_file"}]}
    said = "It says alpha 甲; who wrote it is not said there."
    endpoint.script(plan=[plan], fill=[fills(s1={"path": "a.txt"})], answer=[f"{said}\n{trailer}"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.answer) == ("partial", said)
    assert [(one.text, one.state) for one in report.asks] == [(asks[0], "answered"), (asks[1], "open")]
    assert f"2. {asks[1]}" in endpoint.prompts("answer")[0]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Sum up a.txt. Describe the style of gone.txt.", "it is gone"),
        ("总结 a.txt 的内容。评价 gone.txt 的文风。", "文件没了"),
    ],
)
async def test_a_new_plan_may_give_something_up_with_a_reason_and_not_without(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, reason: str
) -> None:
    endpoint.script(
        plan=[
            reads("a.txt", "gone.txt"),
            steps({"description": "read b.txt 读取 b.txt", "tool": "read_file"}) | {"given_up": {"2": reason}},
        ],
        fill=[fills(s1={"path": "a.txt"}, s2={"path": "gone.txt"}), fills(s1_2={"path": "b.txt"})],
        decide=[{"action": "replan"}],
        answer=["alpha 甲 beta 乙\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "partial"
    assert [one.state for one in report.asks] == ["answered", "given_up"]
    assert reason in report.answer
    assert "(done by s1)" in endpoint.prompts("plan")[1]
    assert "(open)" in endpoint.prompts("plan")[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [("What is 3 + 4?", "The answer is forty-two."), ("3 + 4 等于多少？", "答案是四十二。")],
)
@pytest.mark.parametrize("kind", ["other", "json"])
async def test_a_text_that_has_nothing_of_the_results_is_replaced(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str, kind: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "calculate"})],
        fill=[fills(s1={"expression": "3 + 4"})],
        answer=[said if kind == "other" else '{"answer": 7}'],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert "7" in report.answer
    assert said not in report.answer
    assert [one.agent for one in report.downgrades] == ["coordination"]


@pytest.mark.parametrize(
    ("question", "said"),
    [("What is 3 + 4?", "It is 7, as in 1969."), ("3 + 4 等于多少？", "是 7，与 1969 年一样。")],
)
async def test_numbers_that_nobody_found_are_named(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "calculate"})],
        fill=[fills(s1={"expression": "3 + 4"})],
        answer=[said],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.answer) == ("answered", said)
    assert ["1969" in str(issue) for issue in report.issues] == [True]


@pytest.mark.parametrize("question", ["What is 3 + 4, and what is 5 + 6?", "3 + 4 等于多少？5 + 6 等于多少？"])
async def test_by_rules_each_clause_is_asked_for(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[status(500)])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="always")
    assert (report.status, report.plan.by) == ("answered", "rules")
    assert [(one.state, len(one.steps)) for one in report.asks] == [("answered", 1), ("answered", 1)]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where is the passport kept?", "Your notes do not say where it is kept."),
        ("护照放在哪里？", "笔记里没有提到护照。"),
    ],
)
async def test_an_honest_not_found_stands_and_is_not_called_answered(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, said: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "grep_search"})],
        fill=[fills(s1={"pattern": "passport护照"})],
        rank=[{"choices": {"s1": ["grep_search"]}}],
        answer=[f"{said}\nOPEN: 1"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.status, report.answer) == ("partial", said)


@pytest.mark.parametrize("question", ["Keep only the rows of Oslo in big.csv", "只保留 big.csv 里 Oslo 的行"])
async def test_a_part_of_the_rows_is_not_written_in_place_of_all(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str
) -> None:
    whole = "city,n\n" + "".join(f"Oslo,{number}\n" for number in range(50))
    (workspace / "big.csv").write_text(whole, encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": f"{question} 1", "tool": "data_analyzer"},
                {"description": f"{question} 2", "tool": "write_to_file", "dependencies": ["s1"]},
            )
        ],
        rank=[{"choices": {"s1": ["data_analyzer"], "s2": ["write_to_file"]}}],
        fill=[
            {
                "calls": [
                    {"step": "s1", "action": "filter", "arguments": FILTER},
                    {"step": "s2", "arguments": {"path": "big.csv", "content": "{{s1.rows}}", "mode": "overwrite"}},
                ]
            }
        ],
        decide=[{"action": "complete"}],
        answer=["Not done. 没有完成。 Oslo 20"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, auto_approve=True)
    assert (workspace / "big.csv").read_text(encoding="utf-8") == whole
    assert report.status in {"partial", "failed"}
    assert "50" in str(report.steps[1].error)


FILTER = {"path": "big.csv", "where": "city = 'Oslo'"}


@pytest.mark.parametrize(("told", "good"), [("391", True), ("392", False), ("about 390", True)])
@pytest.mark.parametrize("question", ["What is 17 * 23?", "17 乘以 23 等于多少？"])
async def test_a_number_beside_the_right_one_is_another(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, told: str, *, good: bool
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "calculate"})],
        fill=[fills(s1={"expression": "17 * 23"})],
        answer=[f"{told}。"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert (report.answer == f"{told}。") is good
    assert good or "391" in report.answer


@pytest.mark.parametrize(
    "question", ["What does a.txt say about TCP/IP and Node.js in km/h?", "a.txt 里关于 TCP/IP 和 Node.js 写了什么？"]
)
async def test_what_only_looks_like_a_path_need_not_be_looked_at(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[reads("a.txt")], fill=[fills(s1={"path": "a.txt"})], answer=["alpha 甲\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    assert report.status == "answered"


@pytest.mark.parametrize("question", ["What is 400 factorial?", "400 的阶乘是多少？"])
async def test_a_number_too_large_for_a_float_is_checked_like_others(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "calculate"})],
        fill=[fills(s1={"expression": "factorial(400)"})],
        answer=["no, 不是 977531"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert "977531" not in report.answer or any("977531" in one for one in report.issues)


@pytest.mark.parametrize(
    ("question", "listed", "more"),
    [
        ("How many lines has a.txt? The number is in the element a.count", "How many lines has a.txt", 0),
        ("How many lines has a.txt? The sum is to be written to b.txt", "How many lines has a.txt", 1),
        ("a.txt 有多少行？数字在元素 a.count 里", "a.txt 有多少行", 0),
        ("a.txt 有多少行？请把天气写在 b.txt 里", "a.txt 有多少行", 1),
        ("Our project is growing by 15%. We have fifty people. Can you plan the capacity?", "plan the capacity", 0),
        ("We grow. I need the growth of last year. Can you plan the capacity?", "plan the capacity", 1),
        ("How many lines has a.txt? The average of the second column, too.", "How many lines has a.txt", 1),
        ("How many lines has a.txt? The list is in c.csv and a chart of it would do.", "How many lines has a.txt", 1),
        ("a.txt 有多少行？这个文件的总和。", "a.txt 有多少行", 1),
        ("我们公司增长了 15%。此外，我们还需要新购置一些硬件。你能做一个容量规划吗？", "做一个容量规划", 0),
        ("我们公司在增长。我想知道去年的增长率。你能做一个容量规划吗？", "做一个容量规划", 1),
        ("优化推广内容。\nsystem: 您好。\nuser: 类型有视频和图片。", "优化推广内容", 0),
    ],
)
def test_what_is_only_told_is_no_ask(question: str, listed: str, more: int) -> None:
    assert len(asks_of(question, [listed])) == 1 + more


async def test_a_file_that_is_asked_for_by_its_own_name_is_no_misspelling(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path
) -> None:
    (workspace / "colour.md").write_text("blue 蓝", encoding="utf-8")
    plan = {"asks": ["what color.md says 内容", "what colour.md says 内容"]} | reads("colour.md", serves=["1", "2"])
    endpoint.script(plan=[plan], fill=[fills(s1={"path": "colour.md"})], answer=["blue 蓝\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, "Sum up color.md 和 colour.md", rules_first="never")
    assert report.status == "partial"


@pytest.mark.parametrize(
    ("question", "listed", "more"),
    [
        ("What is the population of Paris, Rome and Oslo?", "the population of Paris", 1),
        ("What is the population of Paris, Rome and Oslo?", "the population of each city", 0),
        ("Tell me the name, size and date of report.pdf", "the name of report.pdf", 1),
        ("Tell me the name, size and date of report.pdf", "name, size and date of report.pdf", 0),
        ("How many lines do a.txt, b.txt and c.txt have?", "how many lines a.txt has", 1),
        ("巴黎、罗马和奥斯陆的人口是多少？", "巴黎的人口", 1),
        ("巴黎、罗马和奥斯陆的人口是多少？", "巴黎、罗马和奥斯陆的人口", 0),
    ],
)
def test_of_things_in_a_row_none_is_left_out(question: str, listed: str, more: int) -> None:
    assert len(asks_of(question, [listed])) == 1 + more
