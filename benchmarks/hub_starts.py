"""The hub in processes of their own: a first plan with MCP servers and without, and finding many tools.

A first plan is what a person waits for: `run` until its plan is printed, with the tool lists of eight servers cached,
two of which cannot be started, against a hub without servers. Finding tools is timed inside its process, against
importing the same files.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import Line, Samples, clean_environment, progress
from switchyard.app.places import ROOT
from switchyard.toolhub.sources.mcp.config import resolve_entry
from switchyard.toolhub.sources.mcp.session import ToolListCache
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolSpec

PLANS = 15
FINDS = 9
MOST_OF_NO_SERVERS = 1.1
MOST_OF_IMPORTS = 2.0
QUESTION = "What is 15% of 2480?"

ALIVE: dict[str, Any] = {"command": "${PYTHON}", "args": ["-P", "-m", "mcp_server_time"]}
EIGHT: dict[str, dict[str, Any]] = {
    **{f"time{number}": ALIVE for number in range(6)},
    "dead": {"command": "no-such-command"},
    "never": {"command": "never-such-command"},
}
"""The last two cannot be started; `never` did not answer when it was first asked either, which is what is cached."""

TOOL_FILES = 500
TOOL_FILE = '''"""A gauge."""

from pydantic import Field

from switchyard.tools.core import BaseToolParams, tool


class Gauge{number}Params(BaseToolParams):
    """What is measured."""

    station: str = Field(description="The name of the station.")
    hours: int = Field(default=24, ge=1, description="How far back.")


@tool()
class Gauge{number}:
    """Level at a station of river {number}.

    The highest of the hours asked for.
    """

    async def execute(self, params: Gauge{number}Params) -> str:
        return f"{{params.station}} {{params.hours}}"
'''


def remember_lists(specs: Sequence[ToolSpec], folder: Path) -> None:
    """Keep a list for each of the eight servers, as if it had been asked: those of a time server under each name."""
    cache = ToolListCache(folder / "cache" / "mcp")
    for name, entry in EIGHT.items():
        renamed = [spec.model_copy(update={"tool_id": f"{name}/{spec.tool_id.partition('/')[2]}"}) for spec in specs]
        cache.save(resolve_entry(name, entry, os.environ).fingerprint, None if name == "never" else renamed)


def first_plans(folder: Path) -> Line:
    """Until a first plan is printed, with eight servers and with none."""
    servers = folder / "mcp.json"
    servers.write_text(json.dumps({"mcpServers": EIGHT}), encoding="utf-8")
    environment = {**clean_environment(), "APP_DATA_DIR": str(folder), "APP_CACHE_DIR": str(folder / "cache")}
    work = {
        "eight": partial(_to_plan, {**environment, "APP_MCP_FILES": json.dumps([str(servers)])}),
        "none": partial(_to_plan, {**environment, "APP_MCP_FILES": "[]"}),
    }
    samples = _in_turns("first plans", work, PLANS)
    return samples.versus("hub: first plan, 8 servers against none", "eight", "none", MOST_OF_NO_SERVERS)


def found_tools(folder: Path) -> Line:
    """Finding tools against importing their files."""
    files = folder / "gauges"
    files.mkdir()
    for number in range(TOOL_FILES):
        (files / f"gauge{number}.py").write_text(TOOL_FILE.format(number=number), encoding="utf-8")
    work = {name: partial(_timed_inside, name, files) for name in WAYS}
    samples = _in_turns(f"{TOOL_FILES} tool files", work, FINDS)
    name = f"hub: finding {TOOL_FILES} tools, against importing them"
    return samples.versus(name, "discover", "import", MOST_OF_IMPORTS)


def _in_turns(what: str, work: Mapping[str, Callable[[], float]], rounds: int) -> Samples:
    samples = Samples()
    for number in range(rounds + 1):
        progress(f"hub: {what}, round {number} of {rounds}" if number else f"hub: {what}, a throwaway round")
        for name, measure in work.items():
            taken = measure()
            if number:
                samples.add(name, taken)
    return samples


def _to_plan(environment: Mapping[str, str]) -> float:
    """Milliseconds until the process has printed its plan; it ends before the next one starts."""
    command = [sys.executable, "-m", "switchyard", "run", QUESTION, "--plan-only", "--stream"]
    taken: float | None = None
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if taken is None and json.loads(line)["event"] == "plan":
                taken = (time.perf_counter() - started) * 1000
    if taken is None or process.returncode:
        raise RuntimeError(f"The run made no plan, or ended badly: {process.returncode}.")
    return taken


def _timed_inside(way: str, folder: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.hub_starts", way, str(folder)]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(printed)


def _discover(folder: Path) -> int:
    return len(discover(folder).tools)


def _import(folder: Path) -> int:
    """What Python itself does with the files."""
    files = sorted(folder.glob("*.py"))
    for file in files:
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    return len(files)


WAYS: Mapping[str, Callable[[Path], int]] = {"discover": _discover, "import": _import}


def main(way: str, folder: Path) -> None:
    """Print the milliseconds one way of loading the files takes."""
    started = time.perf_counter()
    count = WAYS[way](folder)
    taken = (time.perf_counter() - started) * 1000
    assert count == TOOL_FILES, count
    print(taken)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
