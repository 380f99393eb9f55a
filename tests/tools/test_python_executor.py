"""Running Python: real interpreters, real processes, real limits."""

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import ValidationError

from switchyard.tools.core import RetryTool, ToolContext, ToolFailed
from switchyard.tools.core.errors import ToolError
from switchyard.tools.python_executor.tool import MAX_CODE, MAX_OUTPUT, PythonExecutor, PythonExecutorParams, Sandbox

SANDBOX = Sandbox()
LONGEST = 60
"""Seconds that code may take at most: what ends by itself has all of them."""


@pytest.fixture(params=["subset", "full"])
async def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    if request.param == "full":
        await need_bubblewrap()
    return request.param


async def need_bubblewrap() -> None:
    if not await SANDBOX.works():
        pytest.skip("bubblewrap (bwrap) is not installed or may not work on this system")


async def run(workspace: Path, code: str, *, timeout: float = LONGEST, **arguments: Any) -> dict[str, Any]:  # noqa: ASYNC109  the tool's own
    params = PythonExecutorParams(code=code, timeout=timeout, **arguments)
    return (await PythonExecutor(SANDBOX).execute(params, ToolContext(workspace=workspace))).result


async def failure(workspace: Path, code: str, **arguments: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await run(workspace, code, **arguments)
    return caught.value


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110  nothing tells when a process appears
            await asyncio.sleep(0)


def named(name: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter(["name"]) if process.info["name"] == name]


def workers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if child.name() in {"monty", "bwrap"}]


RENAME = "import ctypes, sys\nctypes.CDLL(None).prctl(15, name.encode())\n"
"""Gives the process, and every copy of it, a name to find it by."""


async def test_the_value_of_the_last_expression(tmp_path: Path, engine: str):
    assert await run(tmp_path, "x = 20\nx * 2 + 2", engine=engine) == {
        "result": 42,
        "value": 42,
        "stdout": "",
        "engine": engine,
    }


async def test_what_is_printed(tmp_path: Path, engine: str):
    result = await run(tmp_path, "for i in range(2):\n    print('line', i)", engine=engine)
    assert result["stdout"] == "line 0\nline 1\n"
    assert (result["value"], result["result"]) == (None, "line 0\nline 1")


async def test_errors_printed_by_the_code_are_output_too(tmp_path: Path, engine: str):
    result = await run(tmp_path, "import sys\nprint('careful', file=sys.stderr)", engine=engine)
    assert result["stdout"] == "careful\n"


async def test_chinese_code_and_output(tmp_path: Path, engine: str):
    code = "总和 = sum(数据)  # 求和\nprint(f'总和是{总和}。')\n{'总和': 总和}"
    result = await run(tmp_path, code, inputs={"数据": [1, 2.5]}, engine=engine)
    assert (result["stdout"], result["value"]) == ("总和是3.5。\n", {"总和": 3.5})


async def test_inputs_arrive_as_they_are(tmp_path: Path, engine: str):
    data = {"a": [None, True, 1.5, "é", {"b": 10**30}]}
    assert (await run(tmp_path, "data", inputs={"data": data}, engine=engine))["value"] == data


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("(1, {2}, frozenset([3]))", [1, [2], [3]]),
        ("{1: 'a', (1, 2): 'b'}", {"1": "a", "[1, 2]": "b"}),
        ("b'ab'", "b'ab'"),
        ("[float('nan'), float('-inf')]", ["nan", "-inf"]),
        ("import datetime\n[datetime.date(2024, 2, 29), datetime.datetime(2024, 1, 2, 3, 4)]",
         ["2024-02-29", "2024-01-02T03:04:00"]),
        ("from decimal import Decimal\nDecimal('1.10')", "1.10"),
        ("9**9**5", "<int of 187181 bits>"),
        ("int", "<class 'int'>"),
        ("2j", "2j"),
        ("2**100", 2**100),
        ("x = []\nfor i in range(60): x = [x]\nlen(str(x))", 122),
    ],
)  # fmt: skip
async def test_values_json_does_not_know(tmp_path: Path, engine: str, code: str, value: Any):
    assert (await run(tmp_path, code, engine=engine))["value"] == value


async def test_an_object_of_the_codes_own_class(tmp_path: Path):
    code = "class Point:\n    def __init__(self, x):\n        self.x = x\nPoint(3)"
    assert (await run(tmp_path, code, engine="subset"))["value"] == {"x": 3}


@pytest.mark.parametrize(
    "code",
    ["'ab' * 200_000", "x = [1]\nfor i in range(40): x = [x, x]\nx", "list(range(100_000))"],
    ids=["long", "shared", "wide"],
)
async def test_a_value_that_is_too_long(tmp_path: Path, engine: str, code: str):
    error = await failure(tmp_path, code, engine=engine)
    assert "more than the 200,000 characters" in str(error)


@pytest.mark.parametrize(
    ("code", "line"),
    [("a = 1\nb = = 2\n", 2), ("print('你好') + )\n", 1), ("if True:\nx = 1", 2), ("def f(:\n    pass", 1)],
)
async def test_a_syntax_error_names_its_line(tmp_path: Path, engine: str, code: str, line: int):
    error = await failure(tmp_path, code, engine=engine)
    assert isinstance(error, RetryTool)
    assert f"line {line} (" in str(error)
    assert "Error: " in str(error)


async def test_an_error_names_its_line_and_what_was_printed_before(tmp_path: Path, engine: str):
    code = "def 除(x):\n    return 1 / x\n\nprint('开始')\n除(0)"
    error = await failure(tmp_path, code, engine=engine)
    assert str(error).startswith("The code failed on line 2 (return 1 / x): ZeroDivisionError: division by zero. ")
    assert str(error).endswith('It had printed: "开始".')


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f(n):\n    return f(n + 1)\nf(0)", "RecursionError"),
        ("x = [0] * 10**10", "MemoryError"),
        ("raise SystemExit('再见')", "SystemExit"),
        ("open('/etc/hostname').read()", "Error"),
        ("while True:\n    print('x' * 1000)", "printed more than 200,000 characters"),
        ("print('洪' * 300_000)", "printed more than 200,000 characters"),
    ],
    ids=["recursion", "memory", "exit", "file", "flood", "chinese-flood"],
)
async def test_what_goes_wrong_says_what_to_change(tmp_path: Path, engine: str, code: str, said: str):
    error = await failure(tmp_path, code, engine=engine)
    assert isinstance(error, RetryTool)
    assert said in str(error)
    assert "read under /workspace" in error.hint


async def test_the_output_before_a_flood_is_bounded(tmp_path: Path, engine: str):
    assert len(str(await failure(tmp_path, f"print('x' * {MAX_OUTPUT * 3})", engine=engine))) < 2000


@pytest.mark.parametrize(
    "code",
    ["while True:\n    pass", "try:\n    while True: pass\nexcept BaseException: pass\nwhile True: pass"],
    ids=["endless", "caught"],
)
async def test_an_endless_loop_is_stopped(tmp_path: Path, engine: str, code: str):
    error = await failure(tmp_path, code, engine=engine, timeout=0.5)
    assert error.kind == "timeout"
    assert "0.5 s" in str(error)
    assert workers() == []


async def test_a_power_tower_is_refused_by_the_subset(tmp_path: Path):
    error = await failure(tmp_path, "9**9**9", engine="subset")
    assert "line 1 (9**9**9): MemoryError" in str(error)


async def test_a_power_tower_is_stopped_in_full_python(tmp_path: Path):
    await need_bubblewrap()
    assert (await failure(tmp_path, "9**9**9", engine="full", timeout=0.5)).kind == "timeout"
    assert workers() == []


@pytest.mark.parametrize(
    ("code", "construct"),
    [
        ("def g():\n    yield 1\nlist(g())", "yield expressions"),
        ("class A(dict):\n    pass", "class inheritance"),
        ("x = 1\ndel x", "the 'del' statement"),
        ("import socket", "'socket'"),
        ("from math import 不存在", "'不存在'"),
        ("import os\nos.fork()", "'fork'"),
        ("import os\nos.environ", "os.environ"),
        ("bytearray(b'a')", "'bytearray'"),
        ("().__class__", "'__class__'"),
    ],
)
async def test_the_subset_says_what_it_may_lack(tmp_path: Path, code: str, construct: str):
    error = await failure(tmp_path, code, engine="subset")
    assert isinstance(error, RetryTool)
    assert construct in str(error)
    assert "may not have what this needs" in error.hint


@pytest.mark.parametrize("code", ["没有 + 1", "(1).missing"])
async def test_what_is_wrong_in_full_python_too_is_told_by_it(tmp_path: Path, code: str):
    await need_bubblewrap()
    assert "subset" not in str(await failure(tmp_path, code))


async def test_auto_takes_full_python_where_the_subset_lacks_something(tmp_path: Path):
    await need_bubblewrap()
    result = await run(tmp_path, "import statistics\ndef g():\n    yield 1\n    yield 2\nstatistics.mean(g())")
    assert (result["value"], result["engine"]) == (1.5, "full")
    assert (await run(tmp_path, "1 + 1"))["engine"] == "subset"


async def test_without_bubblewrap_the_sentence_says_so(tmp_path: Path):
    executor = PythonExecutor(Sandbox("bwrap-that-is-not-there"))
    context = ToolContext(workspace=tmp_path)
    with pytest.raises(RetryTool, match="needs bubblewrap"):
        await executor.execute(PythonExecutorParams(code="def g():\n    yield 1"), context)
    with pytest.raises(ToolFailed, match="needs bubblewrap") as caught:
        await executor.execute(PythonExecutorParams(code="1", engine="full"), context)
    assert caught.value.kind == "unavailable"


async def test_a_bubblewrap_that_fails_counts_as_none(tmp_path: Path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", "utf-8")
    program.chmod(0o755)
    assert not await Sandbox(str(program)).works()


async def test_files_of_the_workspace_can_be_read_and_not_written(workspace: Path, engine: str):
    (workspace / "数据.txt").write_text("一 two", encoding="utf-8")
    assert (await run(workspace, "open('数据.txt').read()", engine=engine))["value"] == "一 two"
    for name in ("new.txt", "数据.txt"):
        assert "Read-only" in str(await failure(workspace, f"open('{name}', 'w').write('gone')", engine=engine))
    assert (workspace / "数据.txt").read_text("utf-8") == "一 two"
    assert await asyncio.to_thread(lambda: [path.name for path in workspace.iterdir()]) == ["数据.txt"]


@pytest.mark.parametrize("target", ["/etc/hostname", "../secret.txt"])
async def test_a_link_does_not_lead_out_of_the_workspace(tmp_path: Path, engine: str, target: str):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (workspace / "link").symlink_to(target)
    await failure(workspace, "open('link').read()", engine=engine)


async def test_full_python_has_no_network_no_environment_and_no_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    await need_bubblewrap()
    monkeypatch.setenv("APP_SECRET", "hidden")
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    code = (
        "import os, socket\n"
        "assert 'APP_SECRET' not in os.environ\n"
        "assert not os.path.exists('/home') and not os.path.exists('/etc/passwd')\n"
        "open('/tmp/scratch', 'w').write('ok')\n"
        "for folder in ('/', '/dev', '/dev/shm', '/usr', '/workspace'):\n"
        "    try:\n"
        "        open(folder + '/x', 'w')\n"
        "        raise SystemExit(folder)\n"
        "    except OSError:\n"
        "        pass\n"
        "try:\n"
        "    os.setuid(0)\n"
        "    assert os.getuid() != 0\n"
        "except PermissionError:\n"
        "    pass\n"
        f"socket.create_connection(('127.0.0.1', {port}), 1)"
    )
    async with server:
        error = await failure(tmp_path, code, engine="full")
    assert "line 16" in str(error)
    assert "no network" in str(error)


async def test_a_fork_bomb_stays_small_and_is_gone_afterwards(tmp_path: Path):
    await need_bubblewrap()
    name = uuid.uuid4().hex[:15]
    code = RENAME + "import os\nwhile True:\n    os.fork()"
    error = await failure(tmp_path, code, inputs={"name": name}, engine="full")
    assert "BlockingIOError" in str(error)
    await until(lambda: not named(name))


async def test_full_python_may_not_take_all_memory(tmp_path: Path):
    await need_bubblewrap()
    error = await failure(tmp_path, "x = 'a'\nwhile True:\n    x += x", engine="full")
    assert "line 3 (x += x): MemoryError" in str(error)


async def test_code_that_ends_its_own_process(tmp_path: Path):
    await need_bubblewrap()
    error = await failure(tmp_path, "import os\nprint('last', flush=True)\nos._exit(7)", engine="full")
    assert "exit code 7" in str(error)
    assert 'It had printed: "last' in str(error)


async def test_a_thread_left_behind_is_not_waited_for(tmp_path: Path):
    await need_bubblewrap()
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n'done'"
    assert (await run(tmp_path, code, engine="full"))["value"] == "done"
    assert workers() == []


async def test_cancelling_the_subset_leaves_no_process(tmp_path: Path):
    task = asyncio.create_task(run(tmp_path, "while True:\n    pass", engine="subset"))
    await until(workers)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []


async def test_cancelling_at_once_leaves_no_process(tmp_path: Path, engine: str):
    task = asyncio.create_task(run(tmp_path, "while True:\n    pass", engine=engine))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []


async def test_cancelling_full_python_leaves_no_process(tmp_path: Path):
    await need_bubblewrap()
    name = uuid.uuid4().hex[:15]
    code = RENAME + "import os\nos.fork()\nwhile True:\n    pass"
    task = asyncio.create_task(run(tmp_path, code, inputs={"name": name}, engine="full"))
    await until(lambda: len(named(name)) == 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []
    await until(lambda: not named(name))  # the kernel ends them with the sandbox; they would run for ever


async def test_many_at_once_do_not_mix(tmp_path: Path, engine: str):
    results = await asyncio.gather(
        *(run(tmp_path, "print(n)\nn * n", inputs={"n": n}, engine=engine) for n in range(6))
    )
    assert [(result["stdout"], result["value"]) for result in results] == [(f"{n}\n", n * n) for n in range(6)]
    assert workers() == []


async def test_the_event_loop_is_not_blocked(tmp_path: Path, engine: str):
    blockbuster = pytest.importorskip("blockbuster", reason="blockbuster comes with the studio extra")
    executor = PythonExecutor()
    with blockbuster.blockbuster_ctx():
        result = await executor.execute(PythonExecutorParams(code="1", engine=engine), ToolContext(workspace=tmp_path))  # pyright: ignore[reportArgumentType]
    assert result.result["value"] == 1


async def test_sleeping_takes_no_time_in_the_subset(tmp_path: Path):
    assert (await run(tmp_path, "import time\ntime.sleep(1000)\n'awake'"))["value"] == "awake"


@pytest.mark.parametrize("code", ["```python\n1 + 1\n```", "```\n1 + 1```", "  \n```py\n1 + 1\n```\n"])
async def test_a_code_fence_is_taken_off(tmp_path: Path, code: str):
    assert (await run(tmp_path, code))["value"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"code": ""}, "at least 1 character"),
        ({"code": "x" * (MAX_CODE + 1)}, "at most"),
        ({"code": "1", "inputs": {"not a name": 1}}, "'not a name' is no name"),
        ({"code": "1", "inputs": {"class": 1}}, "'class' is no name"),
        ({"code": "1", "inputs": {"x": {1, 2}}}, "not a valid JSON value"),
        ({"code": "1", "engine": "rust"}, "'auto', 'subset' or 'full'"),
        ({"code": "1", "timeout": 61}, "less than or equal to 60"),
        ({"code": "1", "timeout": 0}, "greater than 0"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], message: str):
    with pytest.raises(ValidationError, match=message):
        PythonExecutorParams(**arguments)
