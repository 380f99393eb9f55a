"""Bad input gets a sentence and an exit code, never a traceback."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.counting_tools import write_counting_tools
from tests.support.endpoint import Endpoint, status
from tests.support.surroundings import own_environment

ROOT = Path(__file__).resolve().parents[2]

Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shell(tmp_path: Path, workspace: Path) -> Shell:
    def run(*arguments: str, cwd: Path = workspace, **extra: str) -> "subprocess.CompletedProcess[str]":
        environment = own_environment(tmp_path, **extra)
        done = subprocess.run(
            [sys.executable, "-m", "switchyard", *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert "Traceback" not in done.stderr + done.stdout
        return done

    return run


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question(shell: Shell, question: str) -> None:
    done = shell("run", question)
    assert done.returncode == 2
    assert "question is empty" in done.stderr


@pytest.mark.parametrize("question", ["🎉🎉🎉", "؟ما هو الوقت", "?!…。", "a" * 50_000, "字" * 20_000])
def test_a_question_that_makes_no_sense_is_declined(shell: Shell, question: str) -> None:
    done = shell("run", question)
    assert done.returncode == 1
    assert done.stdout.strip()


def test_a_missing_workspace(shell: Shell) -> None:
    done = shell("run", "What is 2+2?", "--workspace", "/does/not/exist")
    assert done.returncode == 2
    assert "/does/not/exist does not exist" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (("run", "二加二等于几？", "--workspace", "/没有"), {}, "工作区 /没有 不存在。"),
        (("run", "What is 2+2?", "--workspace", "/没有"), {"LANG": "zh_CN.UTF-8"}, "/没有 does not exist."),
        (("run", " "), {"LANG": "zh_CN.UTF-8"}, "问题是空的"),
        (("doctor",), {"LANG": "zh_CN.UTF-8", "APP_MAX_TOKENS": "many"}, "设置 APP_MAX_TOKENS 不能用"),
        (("mcp", "list"), {"LANG": "zh_CN.UTF-8", "APP_MCP_FILES": '["没有.json"]'}, "没有.json 不存在。"),
        (("mcp", "remove", "x"), {"LC_ALL": "zh_CN.UTF-8"}, "请用 --file 指定文件"),
    ],
)
def test_what_is_wrong_is_said_in_the_users_language(
    shell: Shell, arguments: tuple[str, ...], settings: dict[str, str], said: str
) -> None:
    done = shell(*arguments, **settings)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_workspace_that_is_a_file(shell: Shell, workspace: Path) -> None:
    (workspace / "file").touch()
    done = shell("run", "What is 2+2?", "--workspace", "file")
    assert done.returncode == 2
    assert "is not a folder" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read every folder")
def test_an_unreadable_workspace(shell: Shell, workspace: Path) -> None:
    closed = workspace / "closed"
    closed.mkdir(mode=0)
    done = shell("run", "What is 2+2?", "--workspace", "closed")
    assert done.returncode == 2
    assert "cannot be read" in done.stderr


def test_a_broken_env_file_is_named_with_its_line_and_without_its_secret(shell: Shell, workspace: Path) -> None:
    (workspace / ".env").write_text("APP_LOG_LEVEL=warning\n= nothing 'sk-secret\n", encoding="utf-8")
    done = shell("run", "What is 2+2?")
    assert done.returncode == 2
    assert ".env line 2" in done.stderr
    assert "sk-secret" not in done.stderr


def test_an_env_file_that_is_no_text(shell: Shell, workspace: Path) -> None:
    (workspace / ".env").write_bytes(b"\xff\xfe\x00binary")
    done = shell("run", "What is 2+2?")
    assert done.returncode == 2
    assert ".env cannot be read" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("APP_MAX_SECONDS", "soon"),
        ("APP_MAX_ATTEMPTS", "0"),
        ("APP_TOOL_FOLDERS", "not json"),
        ("APP_LOG_LEVEL", "loud"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(shell: Shell, name: str, value: str) -> None:
    done = shell("run", "What is 2+2?", **{name: value})
    assert done.returncode == 2
    assert name.removeprefix("APP_").lower() in done.stderr.lower()


def test_a_model_whose_package_is_missing(shell: Shell) -> None:
    done = shell("run", "What is 2+2?", "--model", "cohere:command-r")
    assert done.returncode == 2
    assert "pip install langchain-cohere" in done.stderr


@pytest.mark.parametrize(("question", "answer"), [("What is 2+2?", "2+2 = 4."), ("2加2是多少", "= 4。")])
def test_a_model_name_the_endpoint_does_not_know(shell: Shell, endpoint: Endpoint, question: str, answer: str) -> None:
    endpoint.script(plan=[status(404, "The model 'gpt-99' does not exist")])
    done = shell("run", question, "--model", "gpt-99", OPENAI_BASE_URL=endpoint.url, APP_RULES_FIRST="never")
    assert done.returncode == 0
    assert answer in done.stdout
    assert "gpt-99" in done.stderr
    assert "does not exist" in done.stderr
    assert len(endpoint.requests) == 1


def test_an_unknown_thread(shell: Shell) -> None:
    for command in (("resume", "nope"), ("threads", "show", "nope"), ("threads", "delete", "nope")):
        done = shell(*command)
        assert done.returncode == 2
        assert "no thread 'nope'" in done.stderr


def test_a_corrupt_database_is_named_with_what_to_do(shell: Shell, tmp_path: Path) -> None:
    database = tmp_path / "broken.sqlite"
    database.write_bytes(b"this is no database, and it is long enough to be read as one" * 100)
    done = shell("run", "What is 2+2?", APP_DATABASE=str(database))
    assert done.returncode == 1
    assert f"{database} is damaged" in done.stderr
    assert "APP_DATABASE" in done.stderr


def test_a_locked_database_is_named_with_what_to_do(shell: Shell, tmp_path: Path) -> None:
    database = tmp_path / "locked.sqlite"
    shell("run", "What is 2+2?", APP_DATABASE=str(database))
    holder = sqlite3.connect(database, isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        done = shell("run", "What is 2+2?", APP_DATABASE=str(database), APP_DATABASE_WAIT="0.2")
    finally:
        holder.close()
    assert done.returncode == 1
    assert f"{database} is in use by another program" in done.stderr


def test_a_data_folder_that_cannot_be_made(shell: Shell, workspace: Path) -> None:
    (workspace / "file").touch()
    done = shell("run", "What is 2+2?", APP_DATA_DIR=str(workspace / "file" / "data"))
    assert done.returncode == 1
    assert "APP_DATA_DIR" in done.stderr


def test_a_tool_file_that_does_not_import_is_named_and_the_rest_work(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "broken.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    listed = shell("tools", "list", "--tools", str(folder))
    assert "broken.py did not load" in listed.stderr
    assert "nothing_of_that_name" in listed.stderr
    assert "calculate" in listed.stdout
    done = shell("run", "What is 2+2?", "--tools", str(folder))
    assert done.returncode == 0
    assert "broken.py" in done.stderr


def test_a_tool_folder_that_is_not_there(shell: Shell) -> None:
    done = shell("run", "What is 2+2?", "--tools", "nowhere")
    assert done.returncode == 2
    assert "nowhere does not exist" in done.stderr


@pytest.mark.parametrize(
    ("question", "said"),
    [("Read ../secret.txt", "is outside the workspace"), ("读一下 ../secret.txt", "“../secret.txt”在工作区")],
)
def test_a_path_outside_the_workspace(shell: Shell, tmp_path: Path, question: str, said: str) -> None:
    (tmp_path / "secret.txt").write_text("the secret", encoding="utf-8")
    done = shell("run", question)
    assert done.returncode == 1
    assert said in done.stdout
    assert "the secret" not in done.stdout


def test_an_unknown_tool_and_wrong_arguments(shell: Shell) -> None:
    unknown = shell("tools", "run", "calculat")
    assert unknown.returncode == 2
    assert "did you mean calculate" in unknown.stderr
    wrong = shell("tools", "run", "calculate", '{"expresion": "1+1"}')
    assert wrong.returncode == 1
    assert "did you mean 'expression'" in wrong.stderr
    no_json = shell("tools", "run", "calculate", "1+1")
    assert no_json.returncode == 2
    assert "JSON object" in no_json.stderr


@pytest.mark.parametrize("module", ["tools", "agents", "typer", "structlog", "langgraph", "pydantic", "typing", "json"])
def test_no_module_of_the_current_folder_takes_the_place_of_ours(shell: Shell, workspace: Path, module: str) -> None:
    (workspace / f"{module}.py").write_text("raise RuntimeError('not ours')\n", encoding="utf-8")
    done = shell("run", "What is 2+2?")
    assert "2+2 = 4." in done.stdout, done.stderr


def test_it_starts_from_its_own_folder(shell: Shell) -> None:
    assert shell("--help", cwd=ROOT).returncode == 0


def test_the_console_script_is_not_shadowed(tmp_path: Path) -> None:
    for package in ("tools", "app"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("raise RuntimeError('not ours')\n", encoding="utf-8")
    script = Path(sys.executable).with_name("switchyard")
    environment = {**os.environ, "APP_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [script, "run", "What is 2+2?"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "2+2 = 4." in done.stdout, done.stderr


def test_wrong_usage(shell: Shell) -> None:
    assert shell("run").returncode == 2
    assert shell("fly").returncode == 2
    assert shell("graph", "--format", "gif").returncode == 2


def test_a_key_an_endpoint_repeats_reaches_neither_report_nor_database(
    shell: Shell, tmp_path: Path, endpoint: Endpoint
) -> None:
    endpoint.script(plan=[status(401, "Incorrect API key provided: zz9-my-plain-key and sk-abcdefgh12345678")])
    done = shell("run", "What is 2+2?", "--json", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="zz9-my-plain-key")
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir())
    for text in (done.stdout.encode(), done.stderr.encode(), stored):
        assert b"zz9-my-plain-key" not in text
        assert b"sk-abcdefgh12345678" not in text


def test_control_codes_of_a_tool_do_not_reach_the_output(shell: Shell, workspace: Path) -> None:
    (workspace / "\x1b[31m红色\x07.txt").touch()
    done = shell("run", "列出 *.txt 文件")
    assert "红色" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


@pytest.mark.parametrize("arguments", [("run", "\udcff 2+2"), ("run", "2+2", "--thread", "a\nb")])
def test_text_nobody_can_type(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell(*arguments).returncode in {0, 1, 2}


def test_a_terminal_that_knows_no_chinese(shell: Shell) -> None:
    done = shell("run", "2的10次方是多少", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "1024" in done.stdout


@pytest.mark.parametrize(
    ("question", "said"),
    [("Read /etc/passwd", "is outside the workspace"), ("读一下 /etc/passwd", "“/etc/passwd”在工作区")],
)
def test_an_absolute_path_outside_the_workspace(shell: Shell, question: str, said: str) -> None:
    done = shell("run", question)
    assert done.returncode == 1
    assert said in done.stdout


def test_a_thread_with_an_unfinished_run_takes_no_other_question(shell: Shell, tmp_path: Path) -> None:
    folder = str(write_counting_tools(tmp_path / "own"))
    assert shell("run", 'stamp "letter"', "--tools", folder, "--thread", "mine").returncode == 3
    done = shell("run", "2+2等于几", "--tools", folder, "--thread", "mine")
    assert done.returncode == 2
    assert "没有完成的运行" in done.stderr
    assert "mine\t1\twaiting" in shell("threads", "list").stdout


def test_two_answers_to_one_request(shell: Shell) -> None:
    assert shell("resume", "any", "--approve", "--refuse").returncode == 2
