"""What a model is shown of the world around a question: files, tables, the conversation, items, tools that work."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OpenOrchestrator
from tests.support.endpoint import Endpoint, ask_scripted, fills, steps

SALARIES = [
    ("Which salary in staff.csv is the highest one?", "staff.csv", "columns name (text), salary (number); 2 rows"),
    ("员工.csv 里谁的工资最高，说说理由", "员工.csv", "columns 姓名 (text), 工资 (number); 2 rows"),
]


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "staff.csv").write_text("name,salary\nAnna,900\nBo,800\n", encoding="utf-8")
    (workspace / "员工.csv").write_text("姓名,工资\n安娜,900\n小波,800\n", encoding="utf-8")
    (workspace / "设置.json").write_text(json.dumps({"主机": "a.internal", "端口": {"http": 80}}), encoding="utf-8")


def analysis(path: str) -> dict[str, Any]:
    return steps({"description": f"sort the rows of {path} 按工资排序", "tool": "data_analyzer"})


@pytest.mark.parametrize(("question", "path", "columns"), SALARIES)
async def test_the_planner_sees_the_files_and_the_filler_the_columns(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, path: str, columns: str
) -> None:
    filled = {"step": "s1", "action": "filter", "arguments": {"path": path}}
    endpoint.script(plan=[analysis(path)], fill=[{"calls": [filled]}], answer=["Anna 安娜, 900\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert report.status == "answered"
    assert endpoint.kinds == ["plan", "fill", "answer"]
    assert '<data>["staff.csv", "员工.csv", "设置.json"]</data>' in endpoint.prompts("plan")[0]
    assert f"- {path}: <data>{columns}</data>" in endpoint.prompts("fill")[0]
    assert "Today is" not in "".join(endpoint.prompts("plan") + endpoint.prompts("fill"))


@pytest.mark.parametrize("question", ["What does 设置.json say about the host?", "设置.json 里的主机是什么样的？"])
async def test_the_keys_of_a_json_file_are_shown_and_no_content(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    plan = steps({"description": "read 读取 设置.json", "tool": "read_file"})
    endpoint.script(plan=[plan], fill=[fills(s1={"path": "设置.json"})], answer=["a.internal\nOPEN: none"])
    await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert "- 设置.json: <data>{主机: text, 端口: {http: number}}</data>" in endpoint.prompts("fill")[0]
    assert "a.internal" not in endpoint.prompts("fill")[0]


@pytest.mark.parametrize("name", ["../outside.csv", "/srv/outside.csv", "gone.csv 没有.csv"])
async def test_nothing_outside_of_the_workspace_is_looked_at(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, name: str
) -> None:
    (workspace.parent / "outside.csv").write_text("secret_column,b\n1,2\n", encoding="utf-8")
    plan = steps({"description": f"describe 描述 {name}", "tool": "data_analyzer"})
    endpoint.script(plan=[plan], fill=[{"calls": []}], decide=[{"action": "complete"}], answer=["no 没有\nOPEN: 1"])
    await ask_scripted(orchestrator_with, endpoint, f"Explain 解释 {name}", rules_first="never")
    assert "secret_column" not in "".join(endpoint.prompts("fill"))
    assert "The files that are named" not in endpoint.prompts("fill")[0]


@pytest.mark.parametrize(("question", "wanted"), [("Explain rain-199", "rain-199.txt"), ("解释一下雨量", "雨量.txt")])
async def test_of_many_files_those_are_shown_that_the_question_speaks_of(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, wanted: str
) -> None:
    (workspace / "deep" / "er").mkdir(parents=True)
    for number in range(100, 200):
        (workspace / "deep" / f"rain-{number}.txt").write_text("x", encoding="utf-8")
    (workspace / "deep" / "er" / "雨量.txt").write_text("x", encoding="utf-8")
    endpoint.script(plan=[{"ask_user": "?"}])
    await ask_scripted(orchestrator_with, endpoint, question, rules_first="never", fixed=["read_file"])
    shown = endpoint.prompts("plan")[0].split("Some of the 104 files of the workspace: ")[1].split("\n")[0]
    assert wanted in shown or "rain-100.txt" in shown
    assert '"deep/"' in shown
    assert shown.count(",") < 30


async def test_files_are_not_shown_to_a_run_whose_tools_open_none(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[{"answer": "a poem 诗"}])
    await ask_scripted(orchestrator_with, endpoint, "Write a poem 写诗", tools=["calculate"])
    assert "staff.csv" not in endpoint.prompts("plan")[0]


@pytest.mark.parametrize(
    ("first", "second", "leans"),
    [
        ("Write one line about rain", "Save it to rain.txt", True),
        ("写一句关于雨的话", "把它保存到 雨.txt", True),
        ("Write one line about rain", "Save the text 'sun' to rain.txt", False),
        ("写一句关于雨的话", "把“晴”写入 雨.txt", False),
    ],
)
async def test_whoever_writes_arguments_sees_what_a_question_goes_on_from(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, first: str, second: str, leans: bool
) -> None:
    path = "雨.txt" if "雨.txt" in second else "rain.txt"
    endpoint.script(
        plan=[{"answer": "soft rain 细雨"}, steps({"description": f"save it 保存到 {path}", "tool": "write_to_file"})],
        fill=[fills(s1={"path": path, "content": "soft rain 细雨"})],
        answer=[f"saved 已保存 {path}\nOPEN: none"],
    )
    settings: dict[str, Any] = {
        "base_url": endpoint.url,
        "model": "scripted",
        "rules_first": "never",
        "auto_approve": True,
    }
    async with orchestrator_with(**settings) as opened:
        await opened.ask(first, thread_id="t")
        await opened.ask(second, thread_id="t")
    assert ("assistant: <data>soft rain 细雨</data>" in endpoint.prompts("fill")[0]) is leans
    assert "get_conversation_history" not in endpoint.prompts("plan")[0]
    assert "- get_conversation_history" in endpoint.prompts("plan")[1]


LOOPS = [
    ("How much is each of these doubled?", "double each value"),
    ("把每个数各乘以二是多少？", "把每个数乘以二"),
]


@pytest.mark.parametrize(("question", "wording"), LOOPS)
@pytest.mark.parametrize("path", ["", ".rows", ".items", "rows", ".path"])
async def test_each_result_stands_beside_its_item_and_a_list_is_found_though_its_name_is_wrong(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, wording: str, path: str
) -> None:
    plan = steps(
        {"description": "list JSON", "tool": "none"},
        {"description": wording, "tool": "calculate", "for_each": {"step": "s1", "path": path}},
    )
    endpoint.script(
        plan=[plan],
        reason=[
            json.dumps({"rows": [{"name": "甲", "n": 3}, {"name": "乙", "n": 4}], "path": "x"}, ensure_ascii=False)
        ],
        fill=[fills(s2={"expression": "{{item.n}} * 2"})],
        answer=["甲 6, 乙 8\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert endpoint.kinds == ["plan", "fill", "reason", "answer"]
    assert (
        '{"item": {"name": "甲", "n": 3}, "result": {"expression": "3 * 2", "value": 6' in endpoint.prompts("answer")[0]
    )
    assert [one["value"] for one in report.steps[1].result] == [6, 8]


@pytest.mark.parametrize(("question", "wording"), LOOPS)
async def test_a_loop_over_nothing_is_planned_anew_with_another_path(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, wording: str
) -> None:
    two = json.dumps({"rows": [{"n": 3}], "others": [{"n": 5}]})
    wrong = {"description": wording, "tool": "calculate", "for_each": {"step": "s1", "path": ".items"}}
    right = {**wrong, "id": "s3", "for_each": {"step": "s1", "path": ".others"}}
    endpoint.script(
        plan=[steps({"description": "numbers as JSON", "tool": "none"}, wrong), {"steps": [right]}],
        reason=[two],
        fill=[fills(s2={"expression": "{{item.n}} * 2"}), fills(s3={"expression": "{{item.n}} * 2"})],
        decide=[{"action": "replan"}],
        answer=["10\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert endpoint.kinds == ["plan", "fill", "reason", "decide", "plan", "fill", "answer"]
    ways = endpoint.prompts("decide")[0].split("Allowed:")[1]
    assert "execute_tool" not in ways
    assert "switch_tool" not in ways
    assert "- s2: calculate({}): bad_arguments" in endpoint.prompts("decide")[0]
    assert (report.status, report.downgrades) == ("answered", [])


@pytest.mark.parametrize(
    ("question", "given_up"),
    [("Read gone.md and explain it", "there is no gone.md"), ("读取 没有.md 并解释一下", "没有这个文件")],
)
@pytest.mark.parametrize("at_once", [True, False])
async def test_a_plan_that_gives_everything_up_ends_the_run_with_its_reasons(
    *, orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, given_up: str, at_once: bool
) -> None:
    asks = {"asks": [question]}
    tried = steps({"description": question, "tool": "read_file", "serves": ["1"]}) | asks
    over = {**asks, "steps": [], "given_up": {"1": given_up}}
    endpoint.script(
        plan=[over] if at_once else [tried, over],
        fill=[fills(s1={"path": "gone-far-away.md"})],
        decide=[{"action": "replan"}],
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert endpoint.kinds == ["plan"] if at_once else ["plan", "fill", "decide", "plan"]
    assert report.status == "failed"
    assert given_up in report.answer
    assert {one.state for one in report.asks} == {"given_up"}


@pytest.mark.parametrize(
    ("question", "asks", "answer", "states"),
    [
        (
            "Say the host and the key of 设置.json",
            ["the host", "the key"],
            "The host is a.internal.",
            ["answered", "open"],
        ),
        ("说说 设置.json 的主机和密钥", ["主机", "密钥"], "主机是 a.internal。", ["answered", "open"]),
        (
            "Say the host and the port of 设置.json",
            ["the host", "the port"],
            "a.internal, 80",
            ["answered", "answered"],
        ),
        ("说说 设置.json 的主机和端口", ["主机", "端口"], "主机 a.internal，端口 80。", ["answered", "answered"]),
    ],
)
async def test_an_ask_that_the_answer_leaves_out_is_open_whatever_it_says(
    *,
    orchestrator_with: OpenOrchestrator,
    endpoint: Endpoint,
    question: str,
    asks: list[str],
    answer: str,
    states: list[str],
) -> None:
    plan = steps({"description": f"read 读取 设置.json: {asks}", "tool": "read_file", "serves": ["1", "2"]})
    endpoint.script(
        plan=[plan | {"asks": asks}], fill=[fills(s1={"path": "设置.json"})], answer=[f"{answer}\nOPEN: none"]
    )
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert [one.state for one in report.asks] == states
    assert report.status == ("answered" if "open" not in states else "partial")
    assert (asks[1] in report.answer.replace(answer, "")) is ("open" in states)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Say the average of staff.csv, the budget, and the name of its head", "the budget"),
        ("员工.csv 有多少人、平均工资是多少、主管是谁？", "主管是谁"),
    ],
)
async def test_things_asked_for_in_a_row_are_asked_for_each(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str, missing: str
) -> None:
    endpoint.script(plan=[analysis("staff.csv")], fill=[{"calls": []}], decide=[{"action": "complete"}], answer=["?"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert endpoint.kinds[:2] == ["plan", "plan"]
    assert missing in [one.text for one in report.asks]


@pytest.mark.parametrize("question", ["Who won the marathon of Oslo?", "奥斯陆马拉松谁赢了？"])
async def test_a_search_without_an_engine_is_not_offered_and_is_said_to_be_missing(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, question: str
) -> None:
    endpoint.script(plan=[{"asks": [question], "steps": [], "given_up": {"1": "no search engine 没有搜索引擎"}}])
    report = await ask_scripted(orchestrator_with, endpoint, question)
    prompt = endpoint.prompts("plan")[0]
    assert "- search_web" not in prompt
    assert "(search_web cannot be used here. No search engine is set (APP_SEARCH_PROVIDER).)" in prompt
    assert "没有搜索引擎" in report.answer
    await ask_scripted(
        orchestrator_with, endpoint, question, search_provider="searxng", search_url="http://127.0.0.1:9"
    )
    assert "- search_web" in endpoint.prompts("plan")[1]


@pytest.mark.parametrize(
    ("question", "said"), [("note.md, 有多少词?", "note.md 有 1 个词。"), ("Explain note.md", "note.md says hello.")]
)
async def test_what_was_taken_instead_is_told_though_the_answer_hides_it(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, question: str, said: str
) -> None:
    (workspace / "notes.md").write_text("hello", encoding="utf-8")
    plan = steps({"description": "read 读取 note.md", "tool": "read_file"})
    endpoint.script(plan=[plan], fill=[fills(s1={"path": "note.md"})], answer=[f"{said}\nOPEN: none"])
    report = await ask_scripted(orchestrator_with, endpoint, question, rules_first="never")
    assert "notes.md" in report.answer


@pytest.mark.parametrize("text", ["Anna leitet das Projekt am 12. Mai.", "安娜在五月十二日负责这个项目。"])
async def test_an_answer_may_be_what_a_step_wrote_word_for_word(
    orchestrator_with: OpenOrchestrator, endpoint: Endpoint, workspace: Path, text: str
) -> None:
    (workspace / "a.txt").write_text("Anna heads the project on 12 May", encoding="utf-8")
    endpoint.script(
        plan=[
            steps(
                {"description": "read a.txt", "tool": "read_file"},
                {"description": "translate it 翻译", "tool": "none", "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s1={"path": "a.txt"})],
        reason=[text],
        answer=[f"{text}\nOPEN: none"],
    )
    report = await ask_scripted(orchestrator_with, endpoint, "Translate a.txt 翻译 a.txt", rules_first="never")
    assert (report.answer, report.status) == (text, "answered")
