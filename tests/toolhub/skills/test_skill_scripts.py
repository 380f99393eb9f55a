"""Scripts of a skill: real processes, with limits, that leave nothing behind."""

import asyncio
from pathlib import Path

import psutil
import pytest

from switchyard.toolhub.sources.skills.runner import MAX_OUTPUT, run_script
from switchyard.tools.core import ToolFailed

WAITS = "import socket, sys\nsocket.create_connection(('127.0.0.1', int(sys.argv[1]))).recv(1)\n"
"""Tells that it has begun, and waits for an answer that never comes."""


def script(tmp_path: Path, text: str, name: str = "a.py") -> Path:
    file = tmp_path / "skill" / "scripts" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def left_behind(name: str) -> list[psutil.Process]:
    """Processes of that name that do not end by themselves in a moment: what was killed takes one to go."""
    found = [one for one in psutil.process_iter(["cmdline"]) if name in " ".join(one.info["cmdline"] or ())]
    return psutil.wait_procs(found, timeout=120)[1]


async def test_what_a_script_prints_and_its_exit_code(tmp_path: Path, workspace: Path):
    text = "import sys\nprint('读到', sys.argv[1:])\nprint('oops', file=sys.stderr)\nsys.exit(3)\n"
    output = await run_script(script(tmp_path, text), ["--名", "a b"], workspace)
    assert output.startswith("exit code 3\n")
    assert "读到 ['--名', 'a b']" in output
    assert "oops" in output


async def test_a_script_works_in_the_workspace(tmp_path: Path, workspace: Path):
    await run_script(script(tmp_path, "open('结果.txt', 'w').write('done')"), [], workspace)
    assert (workspace / "结果.txt").read_text(encoding="utf-8") == "done"


async def test_a_script_finds_the_modules_beside_it_and_leaves_no_cache(tmp_path: Path, workspace: Path):
    helper = script(tmp_path, "SAID = '帮手'", "helper.py")
    output = await run_script(script(tmp_path, "import helper\nprint(helper.SAID)"), [], workspace)
    assert "帮手" in output
    assert sorted(path.name for path in helper.parent.iterdir()) == ["a.py", "helper.py"]


async def test_a_script_sees_no_keys(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    output = await run_script(script(tmp_path, "import os\nprint(dict(os.environ))"), [], workspace)
    assert "PATH" in output
    assert "very-secret" not in output


async def test_an_error_of_a_script_is_shown(tmp_path: Path, workspace: Path):
    output = await run_script(script(tmp_path, "raise ValueError('坏数据')"), [], workspace)
    assert output.startswith("exit code 1\n")
    assert "ValueError: 坏数据" in output


async def test_a_script_that_says_nothing(tmp_path: Path, workspace: Path):
    assert await run_script(script(tmp_path, "pass"), [], workspace) == "exit code 0\n(it printed nothing)"


async def test_output_without_end_is_cut(tmp_path: Path, workspace: Path):
    text = f"import sys\nfor _ in range(30):\n    sys.stdout.write('x' * {MAX_OUTPUT})\n"
    output = await run_script(script(tmp_path, text), [], workspace)
    assert len(output) < MAX_OUTPUT + 100
    assert output.endswith(f"({29 * MAX_OUTPUT:,} more bytes)")


async def test_memory_is_limited(tmp_path: Path, workspace: Path):
    output = await run_script(script(tmp_path, "x = bytearray(8_000_000_000)\nprint('内存', len(x))"), [], workspace)
    assert "MemoryError" in output


async def test_a_script_that_does_not_end_is_ended_with_its_children(tmp_path: Path, workspace: Path):
    text = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(601)'])\n"
    endless = script(tmp_path, text, "endless_with_child.py")
    with pytest.raises(ToolFailed, match=r"did not end within 0\.5 s") as caught:
        await run_script(endless, [], workspace, seconds=0.5)
    assert caught.value.kind == "timeout"
    assert left_behind("endless_with_child") == left_behind("sleep(601)") == []


async def test_a_cancelled_script_is_ended(tmp_path: Path, workspace: Path):
    begun, over = asyncio.Event(), asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun.set()
        await reader.read()
        writer.close()
        over.set()

    async with asyncio.timeout(120), await asyncio.start_server(hold, "127.0.0.1", 0) as server:
        port = str(server.sockets[0].getsockname()[1])
        task = asyncio.create_task(run_script(script(tmp_path, WAITS, "to_be_cancelled.py"), [port], workspace))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await over.wait()
    assert left_behind("to_be_cancelled") == []


async def test_arguments_that_no_process_takes_are_told(tmp_path: Path, workspace: Path):
    with pytest.raises(ToolFailed, match="cannot be started"):
        await run_script(script(tmp_path, "pass"), ["a\0b"], workspace)
