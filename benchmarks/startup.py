"""How long a person waits for a first sign of life: `--help`, the first event of a run, an opened orchestrator.

All against the import without which they could not work. Every repetition is a new process; files are warm, and
byte code and the tool lists of the shipped MCP servers are cached by the throwaway round, as a user has them from the
second run on.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial

from benchmarks.measuring import Line, Samples, clean_environment, progress
from switchyard.app.places import ROOT

ROUNDS = 15
MOST_OF_TYPER = 3.0
MOST_OF_LANGGRAPH = 1.6
MOST_OF_LANGGRAPH_TO_OPEN = 1.2
OPEN = """
import asyncio
from switchyard import open_orchestrator

async def opened():
    async with open_orchestrator():
        print("{}", flush=True)

asyncio.run(opened())
"""

Environment = Mapping[str, str]


def run() -> list[Line]:
    """The lines of this benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**clean_environment(), "APP_DATA_DIR": folder, "APP_CACHE_DIR": folder}
        # byte code that may be written: where it may not, ours is compiled at each start and the packages' is not
        environment = {**environment, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        ask = ("-m", "switchyard", "run", "What is 2+2?", "--stream")
        work: dict[str, Callable[[], float]] = {
            "help": partial(_to_exit, environment, "-m", "switchyard", "--help"),
            "typer": partial(_to_exit, environment, "-c", "import typer"),
            "first event": partial(_to_first_line, environment, *ask),
            "langgraph": partial(_to_exit, environment, "-c", "import langgraph.graph"),
            "whole run": partial(_to_exit, environment, *ask),
            "open": partial(_to_first_line, environment, "-c", OPEN),
            "imported": partial(_to_first_line, environment, "-c", "import langgraph.graph; print('{}', flush=True)"),
        }
        samples = Samples()
        for number in range(ROUNDS + 1):
            progress(f"startup: round {number} of {ROUNDS}" if number else "startup: a throwaway round")
            for name, measure in work.items():
                taken = measure()
                if number:
                    samples.add(name, taken)
    return [
        samples.versus("startup: --help, against import typer", "help", "typer", MOST_OF_TYPER),
        samples.versus(
            "startup: first event, against import langgraph.graph", "first event", "langgraph", MOST_OF_LANGGRAPH
        ),
        samples.versus(
            "startup: import and open, against import langgraph.graph", "open", "imported", MOST_OF_LANGGRAPH_TO_OPEN
        ),
        samples.told("startup: whole run, against import langgraph.graph", "whole run", "langgraph"),
    ]


def _to_exit(environment: Environment, *arguments: str) -> float:
    """Milliseconds until the process has ended."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1000


def _to_first_line(environment: Environment, *arguments: str) -> float:
    """Milliseconds until the process has written a line; it ends before the next one starts."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        taken = (time.perf_counter() - started) * 1000
        process.stdout.read()
    if not line.startswith("{") or process.returncode:
        raise RuntimeError(f"The run printed {line!r} and ended with {process.returncode}.")
    return taken
