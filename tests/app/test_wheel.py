"""An installed program has one top-level name, and lives in a project that has an `app/` or `tools/` of its own."""

import ast
import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from email import message_from_bytes
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from langgraph_sdk import get_client
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from switchyard.app.places import ROOT
from tests.support.serving import serving
from tests.support.surroundings import own_environment

ROOMS = ("app", "graphs", "agents", "toolhub", "ledger", "tools", "language", "skills")

EXTRAS = ("tables", "sandbox", "pages", "browser", "vectors", "middleware", "providers", "draw", "studio")

PROGRAM = """
import agents, app, skills, tools
from switchyard import Settings, ask_sync

assert (app.MINE, tools.MINE, agents.MINE, skills.MINE) == ("app", "tools", "agents", "skills")
settings = Settings(model="none", database=":memory:")
for question in ("What is 15% of 2480?", "2480的15%是多少？"):
    report = ask_sync(question, settings)
    print(report.status, report.answer)
assert app.__file__.startswith(FOLDER), app.__file__
"""

PARENT = '''
"""A graph of the project's own, with ours as a node: a write is approved through it, and forked."""

import asyncio
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from agents import MINE
from switchyard import Settings, open_orchestrator


async def main() -> None:
    async with open_orchestrator(Settings(model="none", database=":memory:", mcp_files=[])) as orchestrator:
        builder = StateGraph(MessagesState)
        builder.add_node(MINE, orchestrator.graph)
        builder.add_edge(START, MINE)
        parent = builder.compile(checkpointer=InMemorySaver())
        config = {"configurable": {"thread_id": "t"}}
        asked = {"messages": [{"role": "user", "content": "把“好”写入 父图.txt"}]}
        modes = [mode async for _, mode, _ in parent.astream(asked, config, stream_mode=["custom"], subgraphs=True)]
        print("streamed", "custom" in modes)
        waiting = (await parent.aget_state(config, subgraphs=True)).tasks[0]
        print("waits", waiting.interrupts[0].value["action_requests"][0]["name"], Path("父图.txt").exists())
        first = {**waiting.state.values["assignments"]["s1"], "arguments": {"path": "叉.txt", "content": "改"}}
        edit = {"assignments": {"s1": first}, "approvals": {}}
        fork = await parent.aupdate_state(waiting.state.config, edit, as_node="select_tools")
        await parent.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), fork)
        print("wrote", Path("叉.txt").read_text(), Path("父图.txt").exists())


asyncio.run(main())
'''

TOOL = '''
from switchyard import BaseToolParams, tool


class MarkParams(BaseToolParams):
    """What to mark."""

    label: str


@tool(sentences=('mark "x"', "标记“x”"))
class Mark:
    """Mark a label. 标记。"""

    def execute(self, params: MarkParams) -> str:
        return params.label
'''


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as an archive unpacks it on a system without links: each of them is a text file."""
    folder = tmp_path_factory.mktemp("archive") / "switchyard"
    left_out = shutil.ignore_patterns(".*", "tests", "__pycache__", "*.egg-info", "build")
    shutil.copytree(ROOT, folder, ignore=left_out, symlinks=True)
    for room in ROOMS:
        link = folder / "switchyard" / room
        link.unlink()
        link.write_text(f"../{room}", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "."]
    subprocess.run([*command, "--wheel-dir", "dist"], cwd=checkout, check=True, capture_output=True)
    return next((checkout / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with folders of the same names."""
    folder = tmp_path_factory.mktemp("theirs")
    for name in ("app", "tools", "agents", "skills"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f"MINE = {name!r}\n", encoding="utf-8")
    (folder / "main.py").write_text(f"FOLDER = {str(folder)!r}\n{PROGRAM}", encoding="utf-8")
    (folder / "own").mkdir()
    (folder / "own" / "mark.py").write_text(TOOL, encoding="utf-8")
    return folder


def fresh_environment(folder: Path) -> Path:
    """An environment that has what we depend on, and nothing of ours."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    packages = next(folder.glob("lib/python*/site-packages"))
    # of a folder on this path no .pth file is read: so none that leads to the checkout the tests are in
    (packages / "depends.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


def declared(wheel: Path, *extras: str) -> list[Requirement]:
    """What the wheel asks for, without extras or with these."""
    (name,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")]
    asked = message_from_bytes(zipfile.ZipFile(wheel).read(name)).get_all("Requires-Dist", [])
    return [one for one in map(Requirement, asked) if _is_meant(one, set(extras))]


def _is_meant(one: Requirement, extras: set[str]) -> bool:
    return one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (extras or {""}))


def base_environment(folder: Path, wheel: Path) -> Path:
    """An environment with what the wheel asks for and nothing else: links to what is installed here."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages, wanted, seen = next(folder.glob("lib/python*/site-packages")), declared(wheel), set[str]()
    while wanted:
        one = wanted.pop()
        known = f"{canonicalize_name(one.name)}{sorted(one.extras)}"
        if known in seen:
            continue
        seen.add(known)
        installed = distribution(one.name)
        wanted += [each for each in map(Requirement, installed.requires or []) if _is_meant(each, one.extras)]
        wanted += [each for each in map(Requirement, installed.requires or []) if _is_meant(each, set())]
        for top in {file.parts[0] for file in installed.files or [] if file.parts[0] not in {"..", "__pycache__"}}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(installed.locate_file(top))))
    with zipfile.ZipFile(wheel) as ours:
        ours.extractall(packages)
    return folder / "bin" / "python"


def run(python: Path, *command: str, cwd: Path, folder: Path) -> str:
    environment = own_environment(folder)
    del environment["APP_MCP_FILES"]  # the server that comes with the program is one of its tools
    done = subprocess.run([python, *command], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_wheel_has_one_top_level_package_with_every_room(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"switchyard"}
    of_a_room = {room: [name for name in names if name.startswith(f"switchyard/{room}/")] for room in ROOMS}
    written = {room: [str(file) for file in (ROOT / room).rglob("*.py")] for room in ROOMS}
    assert {room: sum(name.endswith(".py") for name in found) for room, found in of_a_room.items()} == {
        room: len(files) for room, files in written.items()
    }
    assert any(name.endswith("SKILL.md") for name in of_a_room["skills"])
    assert {"switchyard/py.typed", "switchyard/mcp.local.json"} <= set(names)


MISSING = {
    "data_analyzer": "tables",
    "python_executor": "sandbox",
    "use_browser": "browser",
    "web_scraper": "pages",
}


def test_the_base_answers_and_names_the_extra_of_each_tool_that_lacks_its_package(tmp_path: Path, wheel: Path) -> None:
    python = base_environment(tmp_path / "venv", wheel)
    shell = ("-m", "switchyard")
    assert "372" in run(python, *shell, "run", "What is 15% of 2480?", cwd=tmp_path, folder=tmp_path)
    assert "372" in run(python, *shell, "run", "2480的15%是多少？", cwd=tmp_path, folder=tmp_path)
    shown = json.loads(run(python, *shell, "tools", "list", "--json", cwd=tmp_path, folder=tmp_path))
    assert shown["broken"] == []
    for tool, extra in MISSING.items():
        assert f"pip install 'switchyard[{extra}]'" in shown["unavailable"][tool]
    # what a checkout has: the server that comes with the program among it
    assert {"time/get_current_time", "time/convert_time"} <= {tool["tool_id"] for tool in shown["tools"]}


def test_all_that_is_imported_is_declared(wheel: Path) -> None:
    asked = {canonicalize_name(one.name) for one in declared(wheel, *EXTRAS)}
    where = packages_distributions()
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py") if "data" not in file.parts]
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"switchyard"}
            for top in tops:
                assert asked & {canonicalize_name(one) for one in [top, *where.get(top, [])]}, (file, top)


@pytest.mark.parametrize("way", ["wheel", "editable"])
def test_it_lives_beside_folders_of_the_same_names(
    tmp_path: Path, checkout: Path, wheel: Path, project: Path, way: str
) -> None:
    python = fresh_environment(tmp_path / "venv")
    what = [str(wheel)] if way == "wheel" else ["--editable", str(checkout)]
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--no-build-isolation", *what], check=True, capture_output=True)
    said = run(python, "main.py", cwd=project, folder=tmp_path).splitlines()
    assert [line.split()[0] for line in said] == ["answered", "answered"]
    assert all("372" in line for line in said)
    shell = ("-m", "switchyard", "run", "--tools", "own")
    assert "x" in run(python, *shell, 'mark "x"', cwd=project, folder=tmp_path)
    assert "x" in run(python, *shell, "标记“x”", cwd=project, folder=tmp_path)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path, project: Path) -> Path:
    """The Python of a fresh environment that has the wheel; the project has a service, a parent graph and a Studio."""
    python = fresh_environment(tmp_path_factory.mktemp("environment") / "venv")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    shutil.copy(ROOT / "examples" / "fastapi_service" / "service.py", project / "app" / "service.py")
    (project / "agents" / "parent.py").write_text(PARENT, encoding="utf-8")
    served = {"dependencies": ["."], "graphs": {"mine": "switchyard.app.studio:graph"}}
    studio = {**served, "http": {"app": "switchyard.app.studio:app"}, "env": {}}
    (project / "langgraph.json").write_text(json.dumps(studio), encoding="utf-8")
    return python


def test_a_service_of_the_project_streams_an_answer_and_a_write_is_approved(
    tmp_path: Path, installed: Path, project: Path
) -> None:
    settings = {"APP_MODEL": "none", "APP_WORKSPACE": str(tmp_path), "SERVICE_TOKENS": '{"secret": "王芳"}'}
    command = [str(installed), "-m", "uvicorn", "app.service:app", "--port", "PORT"]
    with (
        serving(command, up="Uvicorn running on", cwd=project, env=own_environment(tmp_path, **settings)) as url,
        httpx.Client(base_url=url, headers={"Authorization": "Bearer secret"}, timeout=60) as client,
    ):
        for question in ("What is 15% of 2480?", "2480的15%是多少？"):
            streamed = client.post("/threads/sums/questions", json={"question": question}).text
            assert streamed.startswith("event: run")
            assert "372" in streamed.partition("event: answer")[2]
        waits = client.post("/threads/t/questions", json={"question": "把“买牛奶”写入 待办.txt"}).text
        assert "event: approval" in waits
        assert not (tmp_path / "待办.txt").exists()
        done = client.post("/threads/t/decisions", json={"decisions": [{"type": "approve"}]}).text
        assert "event: answer" in done
    assert (tmp_path / "待办.txt").read_text(encoding="utf-8") == "买牛奶"


def test_a_graph_of_the_project_streams_asks_for_approval_and_is_forked(
    tmp_path: Path, installed: Path, project: Path
) -> None:
    environment = {**own_environment(tmp_path), "PYTHONPATH": str(project)}
    command = [installed, project / "agents" / "parent.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["streamed True", "waits write_to_file False", "wrote 改 False"]


async def test_a_studio_of_the_project_streams_asks_for_approval_and_is_forked(
    tmp_path: Path, installed: Path, project: Path
) -> None:
    settings = {"APP_MODEL": "none", "APP_WORKSPACE": str(tmp_path), "HOME": str(tmp_path), "NO_COLOR": "1"}
    command = [str(installed), "-m", "langgraph_cli", "dev", "--port", "PORT", "--no-browser", "--no-reload"]
    with serving(command, up="Application started up", cwd=project, env=own_environment(tmp_path, **settings)) as url:
        async with cast("Any", get_client(url=url)) as client:
            thread = (await client.threads.create())["thread_id"]
            asked = {"question": "2480 的 15% 是多少？"}
            events = [
                part.event async for part in client.runs.stream(thread, "mine", input=asked, stream_mode="custom")
            ]
            assert "custom" in events
            history = await client.threads.get_history(thread, limit=50)
            [before] = [one for one in history if one["next"] == ["execute"]]
            assigned = before["values"]["assignments"]
            edited = {**assigned, "s1": {**assigned["s1"], "arguments": {"expression": "50% of 2480"}}}
            fork = await client.threads.update_state(thread, {"assignments": edited}, checkpoint=before["checkpoint"])
            forked = await client.runs.wait(thread, "mine", checkpoint=fork["checkpoint"])
            assert (forked["status"], "1240" in forked["answer"]) == ("answered", True)

            other = (await client.threads.create())["thread_id"]
            await client.runs.wait(other, "mine", input={"question": 'Write "hello" to studio.txt'})
            assert not (tmp_path / "studio.txt").exists()
            approved = {"resume": {"decisions": [{"type": "approve"}]}}
            done = await client.runs.wait(other, "mine", command=approved)
            assert done["status"] == "answered"
    assert (tmp_path / "studio.txt").read_text(encoding="utf-8") == "hello"
