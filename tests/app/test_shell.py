"""The shell as a user meets it: real processes, exit codes, one JSON object, no control codes in a pipe."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.counting_tools import calls, held, write_counting_tools
from tests.support.endpoint import Endpoint
from tests.support.surroundings import own_environment

REPORT_KEYS = {
    *("thread_id", "run_id", "question", "status", "answer", "sources", "plan", "steps", "failures", "decisions"),
    *("usage", "limits_hit", "downgrades", "model", "basis", "asks", "issues"),
}
STEP_KEYS = {
    *("id", "tool", "source", "action", "arguments", "attempts", "success", "result", "error", "error_type"),
    *("verified", "confidence", "issues", "ms"),
}
SAFETY = 300
"""Seconds after which a process that does not end fails its test instead of hanging."""
COMMANDS = ("run", "chat", "resume", "threads", "tools", "skills", "mcp", "trust", "graph", "doctor")

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path, workspace: Path) -> dict[str, str]:
    return own_environment(tmp_path, APP_WORKSPACE=str(workspace))


@pytest.fixture
def shell(environment: dict[str, str], workspace: Path) -> Shell:
    """Runs the shell in the workspace, as the console script would."""

    def run(*arguments: str, text: str = "", **extra: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "switchyard", *arguments],
            cwd=workspace,
            env={**environment, **extra},
            input=text,
            capture_output=True,
            text=True,
            timeout=SAFETY,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is 15% of 2480, and what time is it in Tokyo?", ["372", "Tokyo", "Sources:", "2 tool calls"]),
        ("2480的15%是多少，东京现在几点？", ["372", "东京", "来源：", "工具调用 2 次"]),
    ],
)
def test_run_prints_the_answer_its_sources_and_its_cost(shell: Shell, question: str, parts: list[str]) -> None:
    done = shell("run", question)
    assert done.returncode == 0, done.stderr
    assert all(part in done.stdout for part in parts), done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("question", "status", "code"),
    [
        ("What is 2+2?", "answered", 0),
        ("写一首诗", "failed", 1),
        ("Explain recursion, and what is 2+2?", "partial", 4),
    ],
)
def test_json_is_one_object_and_the_exit_code_its_status(shell: Shell, question: str, status: str, code: int) -> None:
    done = shell("run", question, "--json")
    report = json.loads(done.stdout)
    assert done.returncode == code
    assert report["status"] == status
    assert set(report) == REPORT_KEYS
    assert all(set(step) == STEP_KEYS for step in report["steps"])
    assert set(report["plan"]) == {"revision", "by", "asks", "steps"}
    assert set(report["usage"]["tool_tokens"]) == {"summaries", "definitions", "full_catalogue"}
    assert all(set(decision) == {"action", "reason", "by", "allowed"} for decision in report["decisions"])


def test_stream_prints_events_as_json_lines_and_ends_with_the_report(shell: Shell) -> None:
    done = shell("run", "What is 2+2?", "--stream")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events][:2] == ["run", "plan"]
    assert events[-1]["event"] == "report"
    assert events[-1]["answer"] == "2+2 = 4."


def test_plan_only_stops_after_the_plan(shell: Shell) -> None:
    done = shell("run", "What is 2+2, and what time is it in 北京?", "--plan-only", "--json")
    report = json.loads(done.stdout)
    assert [step["id"] for step in report["plan"]["steps"]] == ["s1", "s2"]
    assert report["usage"]["tool_calls"] == 0
    assert done.returncode == 0


def test_a_conversation_goes_on_in_its_thread(shell: Shell) -> None:
    first = json.loads(shell("run", "What is 6*7?", "--json").stdout)
    shell("run", "3乘以5是多少", "--thread", first["thread_id"])
    shown = json.loads(shell("threads", "show", first["thread_id"], "--json").stdout)
    assert [run["question"] for run in shown["runs"]] == ["What is 6*7?", "3乘以5是多少"]
    listed = shell("threads", "list").stdout
    assert listed.startswith(f"{first['thread_id']}\t2\tanswered")
    assert shell("threads", "delete", first["thread_id"]).returncode == 0
    assert shell("threads", "show", first["thread_id"]).returncode == 2
    assert not shell("threads", "list").stdout


def test_prune_deletes_what_was_not_used_for_some_time(shell: Shell) -> None:
    shell("run", "What is 2+2?")
    assert "Deleted 0 of 1" in shell("threads", "prune", "--days", "1").stdout
    assert "Deleted 1 of 1" in shell("threads", "prune", "--days", "0").stdout


def test_chat_answers_question_after_question(shell: Shell) -> None:
    done = shell("chat", text="What is 6*7?\n东京现在几点？\n\n")
    assert "6*7 = 42." in done.stdout
    assert "东京现在是" in done.stdout


def test_tools_can_be_listed_shown_searched_and_run(shell: Shell, workspace: Path) -> None:
    (workspace / "笔记.txt").write_text("你好 world\n", encoding="utf-8")
    names = [line.split("\t")[0] for line in shell("tools", "list").stdout.splitlines()]
    assert {"calculate", "get_conversation_history", "get_time", "grep_search", "list_dir", "read_file"} <= set(names)
    assert names == sorted(names)
    assert "expression (string, required)" in shell("tools", "show", "calculate").stdout
    assert shell("tools", "search", "东京几点").stdout.startswith("get_time\t")
    assert shell("tools", "search", "what time is it").stdout.startswith("get_time\t")
    read = shell("tools", "run", "read_file", '{"path": "笔记.txt"}', "--json")
    assert json.loads(read.stdout)["result"]["words"] == 3


@pytest.mark.parametrize("form", ["mermaid", "ascii"])
def test_the_graph_is_drawn_as_text(shell: Shell, form: str) -> None:
    drawn = shell("graph", "--format", form).stdout
    assert all(node in drawn for node in ("plan", "select_tools", "execute", "verify", "coordinate"))


def test_the_graph_is_drawn_as_a_picture(shell: Shell, workspace: Path) -> None:
    assert shell("graph", "--format", "png", "--output", "graph.png").returncode == 0
    assert (workspace / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_doctor_says_what_works_and_what_does_not(shell: Shell, environment: dict[str, str]) -> None:
    good = shell("doctor")
    assert good.returncode == 0
    assert "18 tools: 15 of type function, 3 of type skill" in good.stdout
    bad = shell("doctor", "--json", APP_WORKSPACE="/does/not/exist", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    problems = {finding["name"]: finding["text"] for finding in json.loads(bad.stdout) if not finding["ok"]}
    assert set(problems) == {"workspace", "model"}
    assert bad.returncode == 1


def test_the_trace_shows_every_model_call(shell: Shell, endpoint: Endpoint) -> None:
    endpoint.script(plan=[{"answer": "Paris, as I said. 巴黎"}])
    done = shell("run", "What is the capital of France?", "--trace", OPENAI_BASE_URL=endpoint.url, APP_MODEL="scripted")
    assert "Paris" in done.stdout
    assert "call 1: planning on scripted, 100+20 tokens" in done.stderr
    assert "Question: What is the capital of France?" in done.stderr


def test_a_tool_that_writes_waits_for_approval_and_is_resumed(shell: Shell, workspace: Path, tmp_path: Path) -> None:
    folder = str(write_counting_tools(tmp_path / "own"))
    waiting = shell("run", 'stamp "letter"; 盖章“信件”', "--tools", folder, "--json")
    report = json.loads(waiting.stdout)
    assert (waiting.returncode, report["status"]) == (3, "waiting")
    assert [request["arguments"]["label"] for request in report["waiting_for"]] == ["letter", "信件"]
    assert calls(workspace) == []
    reply = {"s1": "approve", "s2": {"decision": "edit", "arguments": {"label": "包裹"}}}
    done = shell("resume", report["thread_id"], "--tools", folder, "--reply", json.dumps(reply), "--json")
    assert json.loads(done.stdout)["status"] == "answered"
    assert sorted(line.split()[-1] for line in calls(workspace) if line.startswith("start")) == ["letter", "包裹"]


def test_ctrl_c_leaves_a_thread_that_can_be_resumed(
    environment: dict[str, str], shell: Shell, workspace: Path, tmp_path: Path
) -> None:
    folder = str(write_counting_tools(tmp_path / "own"))
    # a shell's background jobs ignore Ctrl-C, and so do their children: not this one
    listen = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-m", "switchyard", "run", 'tally "apple"', "--tools", folder, "--stream"]
    command = [sys.executable, "-c", listen, *command]
    report: dict[str, Any] = {}
    with subprocess.Popen(
        command, cwd=workspace, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        with held(workspace, "apple"):
            for line in process.stdout:
                report = json.loads(line)
                if report.get("event") == "step" and report["state"] == "running":
                    process.send_signal(signal.SIGINT)
                if "status" in report:
                    break
        _, errors = process.communicate(timeout=SAFETY)
    assert process.returncode == 130, errors
    assert report["status"] == "cancelled"
    assert f"switchyard resume {report['thread_id']}" in errors
    done = shell("resume", report["thread_id"], "--tools", folder)
    assert done.returncode == 0, done.stderr
    assert "apple" in done.stdout


def test_help_names_every_command(shell: Shell) -> None:
    text = shell("--help").stdout
    assert all(name in text for name in COMMANDS)


def test_help_waits_for_nothing_that_takes_long_to_load() -> None:
    code = "import sys, switchyard.app.cli as shell; print(*(name for name in sys.argv[1:] if name in sys.modules))"
    heavy = ("pydantic", "langgraph", "langchain_core", "switchyard.tools.core.spec", "switchyard.graphs.nodes")
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_opening_waits_for_no_agent(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from switchyard import Settings, open_orchestrator

async def opened() -> None:
    async with open_orchestrator(Settings(model="none", database={str(tmp_path / "一.sqlite")!r})):
        print(*(name for name in sys.argv[1:] if name in sys.modules))

asyncio.run(opened())
"""
    heavy = ("switchyard.graphs.nodes", "switchyard.agents.by_rules.reader", "numpy", "structlog", "mcp")
    done = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
