"""A question asked in Chinese is answered in Chinese throughout; one asked in English, in English."""

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import Result

from tests.app.conftest import Invoke
from tests.support.endpoint import Endpoint, closed_port, fills, steps

_NAMES = (
    r"“[^”]*”",  # quoted
    r"https?://\S+",
    r"\{.*\}",  # the arguments of a call
    r"switchyard resume \S+(?: --\w+ \S+)*(?: --\w+)?|--\w+",  # what to type
    r"[\w./-]*[./_\d-][\w./-]*",  # files, tools, settings, ids
    r"\b(?:calculate|searxng|tavily|brave|scripted|JSON|IANA|UTC|MCP)\b",
)


def latin_words(text: str) -> list[str]:
    """The Latin words of a text that are no names and no quotations."""
    for name in _NAMES:
        text = re.sub(name, " ", text, flags=re.ASCII)
    return re.findall(r"[A-Za-z]{3,}", text)


def shown(done: Result) -> str:
    return done.stdout + done.stderr


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "notes.txt").write_text("会议\n", encoding="utf-8")
    (project / "docs").mkdir()
    os.mkfifo(project / "pipe.txt")


@pytest.mark.parametrize(
    ("question", "code", "parts"),
    [
        (
            "2480的15%是多少，东京现在几点？",
            0,
            ["372", "东京现在是", "来源：calculate（内置）", "已回答：", "工具调用 2 次"],
        ),
        ("在文件里搜索“会议”", 0, ["出现在1个文件的1行中", "来源：grep_search（内置：notes.txt）"]),
        (
            "3加4等于几，另外读取 nofile.txt",
            4,
            ["3加4 = 7。", "没有“nofile.txt”，名字最接近的是“notes.txt”", "部分完成："],
        ),
        ("给我写一首关于春天的诗", 1, ["没有语言模型我无法完成", "未完成："]),
        ("读取 年度预算表.xlsx", 1, ["没有“年度预算表.xlsx”，也没有名字相近的文件"]),
        ("读取 ../secret.txt", 1, ["“../secret.txt”在工作区", "之外"]),
        ("读取 pipe.txt", 1, ["“pipe.txt”是管道或设备，不是文件"]),
        ("10除以0等于多少？", 1, ["除数是零"]),
        ("5千克等于多少米", 1, ["不是同一类单位"]),
        ("美国现在几点", 1, ["美国有多个时区", "纽约"]),
        ("抓取 http://127.0.0.1:8080/ 的内容", 1, ["“127.0.0.1”属于内部、本机或保留的网络"]),
        ("2月30日是星期几", 1, ["02-30 不存在：这个月只有"]),
        ("把“你好”写入 out.txt", 3, ["等待批准：s1 write_to_file", "批准：switchyard resume", "等待中："]),
    ],
)
def test_a_chinese_question_has_a_chinese_answer(invoke: Invoke, question: str, code: int, parts: list[str]) -> None:
    done = invoke("run", question)
    assert done.exit_code == code, shown(done)
    assert [part for part in parts if part not in shown(done)] == []
    assert latin_words(shown(done)) == []


@pytest.mark.parametrize(
    ("question", "code", "parts"),
    [
        ("What is 15% of 2480?", 0, ["Sources: calculate (native)", "answered: ", "1 tool call ·"]),
        ("How many lines are in notes.txt?", 0, ["notes.txt has 1 line, 2 words"]),
        ("Read budget-of-the-year.xlsx", 1, ["does not exist in the workspace", "failed: "]),
        ("Read pipe.txt", 1, ["'pipe.txt' is a pipe or a device, not a file"]),
        ("Write 'hello' to out.txt", 3, ["Waiting for approval: s1 write_to_file", "Decide with: "]),
    ],
)
def test_an_english_question_has_an_english_answer(invoke: Invoke, question: str, code: int, parts: list[str]) -> None:
    done = invoke("run", question)
    assert done.exit_code == code, shown(done)
    assert [part for part in parts if part not in shown(done)] == []
    assert re.findall(r"[\u3400-\u9fff]", shown(done)) == []


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ('Search for "NEEDLE" in g', ["appears on 1 line in 1 file", "1 file was left out: g/pic.png (binary)."]),
        ("在 g 里搜索“NEEDLE”", ["出现在1个文件的1行中", "另有1个文件没有查看：g/pic.png（二进制文件）。"]),
        (
            "find documents about water levels",
            [
                "0 passages about 'water levels' in 1 file.",
                "2 files were left out: g/big.log (too large), g/pic.png (binary).",
            ],
        ),
        (
            "查找有关水位的资料",
            ["在1个文件中找到0段", "另有2个文件没有查看：g/big.log（文件太大）、g/pic.png（二进制文件）。"],
        ),
    ],
)
def test_what_a_search_left_out_is_said_in_the_answer(
    invoke: Invoke, project: Path, question: str, parts: list[str]
) -> None:
    (project / "g").mkdir()
    (project / "g" / "big.log").write_text("a line of the log\n" * 400_000 + "NEEDLE here\n", encoding="utf-8")
    (project / "g" / "pic.png").write_bytes(b"\x89PNG\x00\x00")
    done = invoke("run", question)
    assert done.exit_code == 0, shown(done)
    assert [part for part in parts if part not in shown(done)] == []


def test_a_search_without_an_engine_says_in_chinese_what_to_set(
    invoke: Invoke, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    endpoint.script(
        plan=[steps({"id": "s1", "description": "搜索新闻", "tool": "search_web"})],
        rank=[{"choices": {"s1": ["search_web"]}}],
        fill=[fills(s1={"query": "新闻"})],
        decide=[{"action": "complete", "reason": "没有别的办法"}],
    )
    done = invoke("run", "有什么新闻？", "--model", "scripted")
    assert "没有设置搜索引擎。请将 APP_SEARCH_PROVIDER 设为 searxng" in done.stdout
    assert latin_words(shown(done)) == []


def test_a_refused_call_is_told_in_chinese(invoke: Invoke, project: Path) -> None:
    waiting = json.loads(invoke("run", "把“你好”写入 out.txt", "--json").stdout)
    assert waiting["waiting_for"][0]["reason"] == "它会改变运行之外的内容。"
    done = invoke("resume", waiting["thread_id"], "--refuse")
    assert "被您拒绝，没有执行。" in done.stdout
    assert latin_words(shown(done)) == []
    assert not (project / "out.txt").exists()


def test_json_keeps_its_words_whatever_the_language(invoke: Invoke) -> None:
    report = json.loads(invoke("run", "读取 年度预算表.xlsx", "--json").stdout)
    assert report["status"] == "failed"
    assert report["steps"][0]["error_type"] == "not_found"
    assert "does not exist in the workspace" in report["steps"][0]["error"]
    assert "工作区里没有“年度预算表.xlsx”" in report["answer"]


def test_a_model_that_cannot_be_reached_is_noted_in_chinese(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_BASE_URL", closed_port())
    monkeypatch.setenv("APP_MODEL_RETRIES", "0")
    monkeypatch.setenv("APP_RULES_FIRST", "never")
    done = invoke("run", "2480的15%是多少？", "--model", "scripted")
    assert "2480的15% = 372。" in done.stdout
    assert "说明：规划：无法连接模型 scripted" in done.stdout
    assert latin_words(done.stdout) == []


def test_with_a_model_what_stands_around_its_answer_is_chinese(
    invoke: Invoke, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("APP_RULES_FIRST", "never")
    endpoint.script(
        plan=[steps({"id": "s1", "description": "计算 2480 的 15%", "tool": "calculate"})],
        fill=[fills(s1={"expression": "2480*15%"})],
        answer=["2480 的 15% 是 372。"],
    )
    done = invoke("run", "2480的15%是多少？", "--model", "scripted")
    assert "2480 的 15% 是 372。" in done.stdout
    assert "（工具说明占 " in done.stdout
    assert latin_words(shown(done)) == []
