"""One question asked of us, or of LangChain's `create_agent`, and what came of it."""

import asyncio
import importlib.util
import json
import shutil
import time
import traceback
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, SecretStr

from benchmarks.convergence.endpoint import Endpoint, Reply
from benchmarks.convergence.players import COULD_NOT, Broken, Player
from benchmarks.convergence.prompts_read import Prompt
from benchmarks.convergence.scenario import Scenario
from benchmarks.convergence.world import World, opened
from benchmarks.strangers import contents, holds, stands
from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.ledger.decisions import NO_TOOL
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import TRANSIENT

RULES = "rules"
BROKEN = "broken"
"""The endpoint that only fails: not one of the players, for a line of its own."""
MODEL_CALLS = 30
"""Of `create_agent`."""
MOST_TRANSIENT = 3
"""How often a call whose failure may pass is made."""

Engine = Literal["ours", "create_agent"]
MakePlayer = Callable[[Scenario], Player]


class Made(BaseModel):
    """A call that was really made."""

    tool: str
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    signature: str = ""
    failed: bool = False
    kind: str | None = None
    error: str = ""


class Trial(BaseModel):
    """What became of a question."""

    scenario: str
    lang: str
    fault: str
    player: str
    engine: Engine = "ours"
    run: int = 1
    """2: the same again, with what the first run taught."""
    reachable: bool = True
    unseeable: bool = False
    about: str = ""
    status: str = ""
    answer: str = ""
    answered: bool = False
    right: bool = False
    """All that was asked for is in the answer and in the files, and nothing else is."""
    why: str = ""
    """What is not right."""
    true_statement: bool = False
    """Where there is no answer: what was tried is told as it was."""
    calls: list[Made] = Field(default_factory=list[Made])
    repeated: list[str] = Field(default_factory=list[str])
    """Calls that were made again although they had failed and could not pass."""
    model_calls: int = 0
    requests: int = 0
    """What the endpoint was asked, with what was sent again."""
    asked: list[str] = Field(default_factory=list[str])
    """Who asked the model, in order."""
    wrong_lessons: list[str] = Field(default_factory=list[str])
    decisions: list[str] = Field(default_factory=list[str])
    ms: float = 0.0
    broke: str = ""
    """What ended the trial that should not have."""

    @property
    def failed_calls(self) -> int:
        """How many calls failed."""
        return sum(1 for call in self.calls if call.failed)


def create_agent_is_there() -> bool:
    """Whether LangChain is installed."""
    return importlib.util.find_spec("langchain") is not None


class Line:
    """A player's line, and who asked on it."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.asked: list[str] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        """Answer a request."""
        prompt = Prompt(body)
        self.asked.append(prompt.kind)
        return self.player.reply(prompt)


def recorded(orchestrator: Orchestrator, workspace: Path) -> list[Made]:
    """A list that every call of a tool is added to when it has ended."""
    made: list[Made] = []
    hub, memory = orchestrator.hub, orchestrator.hub.memory
    note = memory.note

    def noted(tool: Any, request: Any, result: Any) -> None:
        given = request.given
        made.append(
            Made(
                tool=tool.spec.tool_id,
                action=request.action,
                arguments=json.loads(json.dumps(given, default=str)),
                signature=hub.identify(tool.spec.tool_id, request.action, given, workspace).signature,
                failed=not result.success,
                kind=result.error_type,
                error=str(result.error or "")[:300],
            )
        )
        note(tool, request, result)

    memory.note = noted
    return made


async def try_ours(
    scenario: Scenario, player: str, make: MakePlayer | None, endpoint: Endpoint, folder: Path, *, runs: int = 2
) -> list[Trial]:
    """Ask our orchestrator, and the same again with what it learned."""
    with opened(scenario, folder) as world:
        trials: list[Trial] = []
        for run in range(1, runs + 1):
            world.renew(faults=run == 1)
            trials.append(await _ask(world, player, make, endpoint, run))
            if trials[-1].right and not trials[-1].failed_calls:
                break  # nothing went wrong that another run could avoid
        return trials


async def _ask(world: World, player: str, make: MakePlayer | None, endpoint: Endpoint, run: int) -> Trial:
    scenario = world.scenario
    line = Line(make(scenario)) if make else None
    model = {"base_url": endpoint.line(line), "model": "played"} if line else {"model": "none"}
    trial = _begun(scenario, player, run)
    started = time.perf_counter()
    async with open_orchestrator(world.settings(**model)) as orchestrator:
        made = recorded(orchestrator, world.workspace)
        before = await asyncio.to_thread(contents, world.workspace)
        options = RunOptions(user=scenario.name)
        async with asyncio.timeout(120):
            report = await orchestrator.ask(scenario.question, options=options)
        trial.ms = (time.perf_counter() - started) * 1000
        trial.status, trial.answer, trial.answered = report.status, report.answer, report.status == "answered"
        trial.model_calls = report.usage.model_calls
        trial.decisions = [f"{one.action} ({one.by}): {one.reason}" for one in report.decisions]
        after = await asyncio.to_thread(contents, world.workspace)
        trial.wrong_lessons = _wrong_lessons(scenario, await orchestrator.experience.listed(scenario.name))
        # what lacked arguments was never called, and is told so
        told = {one.tool for one in report.failures if one.kind != "bad_arguments"} - {NO_TOOL}
    _finish(trial, scenario, made, line, before=before, after=after)
    trial.true_statement = (
        not trial.answered
        and (not made or _tells(scenario, trial.answer))
        and all(any(tool in {call.tool, call.tool.partition("/")[2]} for call in made) for tool in told)
    )
    return trial


async def try_agent(scenario: Scenario, player: str, make: MakePlayer, endpoint: Endpoint, folder: Path) -> list[Trial]:
    """Ask `create_agent` with the same player and the same tools."""
    from langchain import agents  # noqa: PLC0415  an extra
    from langchain_openai import ChatOpenAI  # noqa: PLC0415  takes a second to load
    from langgraph.errors import GraphRecursionError  # noqa: PLC0415  the same
    from openai import DefaultAsyncHttpxClient  # noqa: PLC0415  the same

    with opened(scenario, folder) as world:
        scenario = world.scenario
        line = Line(make(scenario))
        trial = _begun(scenario, player, 1)
        trial.engine = "create_agent"
        started = time.perf_counter()
        async with open_orchestrator(world.settings(model="none")) as orchestrator:
            made = recorded(orchestrator, world.workspace)
            before = await asyncio.to_thread(contents, world.workspace)
            context = ToolContext(workspace=world.workspace, network=world.settings().network, user=scenario.name)
            tools = await orchestrator.library.export_langchain_tools(context)
            client = DefaultAsyncHttpxClient()  # of our own, so that it can be closed
            url = endpoint.line(line)
            chat = ChatOpenAI(
                model="played", base_url=url, api_key=SecretStr("none"), max_retries=0, http_async_client=client
            )
            agent: Any = cast("Any", agents).create_agent(chat, tools)
            messages: list[Any] = []
            try:
                # a model call and the tools after it are a step each
                config = {"recursion_limit": 2 * MODEL_CALLS}
                async with asyncio.timeout(120):
                    ended = await agent.ainvoke({"messages": [("user", scenario.question)]}, config)
                messages = ended["messages"]
            except GraphRecursionError:
                trial.status = "limit"
            finally:
                await client.aclose()
        trial.ms = (time.perf_counter() - started) * 1000
        trial.answer = str(messages[-1].text) if messages else ""
        trial.answered = bool(trial.answer) and COULD_NOT[scenario.lang] not in trial.answer
        trial.status = trial.status or ("answered" if trial.answered else "failed")
        trial.model_calls = len(line.asked)
        after = await asyncio.to_thread(contents, world.workspace)
        _finish(trial, scenario, made, line, before=before, after=after)
        trial.true_statement = not trial.answered and _tells(scenario, trial.answer)
        return [trial]


def _begun(scenario: Scenario, player: str, run: int) -> Trial:
    shared = {name: getattr(scenario, name) for name in ("lang", "fault", "reachable", "unseeable", "about")}
    return Trial(scenario=scenario.name, player=player, run=run, **shared)


def _finish(
    trial: Trial,
    scenario: Scenario,
    made: list[Made],
    line: Line | None,
    *,
    before: dict[str, str],
    after: dict[str, str],
) -> None:
    changed = {path: after.get(path) for path in before | after if before.get(path) != after.get(path)}
    trial.why = untrue(scenario, trial.answer, changed) or ""
    trial.right = not trial.why
    trial.calls = list(made)
    trial.repeated = repeated(made)
    trial.asked = line.asked if line else []
    trial.requests = len(trial.asked)


def untrue(scenario: Scenario, answer: str, changed: dict[str, str | None]) -> str | None:
    """What is missing or wrong in an answer and in the files."""
    others = sorted(set(changed) - set(scenario.writes))
    if others:
        return f"changed {others}"
    for wanted in scenario.says:
        if not any(stands(one, answer) for one in (wanted if isinstance(wanted, list) else [wanted])):
            return f"the answer lacks {wanted}"
    for unwanted in scenario.not_says:
        if stands(unwanted, answer):
            return f"the answer says {unwanted}"
    for path, text in scenario.writes.items():
        written = changed.get(path)
        if written is None or not holds(text, written):
            return f"{path} is not as asked"
    return None if scenario.reachable else "there is no answer to give"


def repeated(made: list[Made]) -> list[str]:
    """The calls that were made again after they had failed in a way that does not pass."""
    failed: dict[str, list[Made]] = {}
    again: list[str] = []
    for call in made:
        earlier = failed.get(call.signature, [])
        if earlier and (earlier[-1].kind not in TRANSIENT or len(earlier) >= MOST_TRANSIENT):
            again.append(f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False)[:200]})")
        if call.failed:
            failed.setdefault(call.signature, []).append(call)
    return again


def _tells(scenario: Scenario, answer: str) -> bool:
    told = answer.replace(scenario.question, "")  # the question again is no statement of what was tried
    return not scenario.tried or any(stands(one, told) for one in scenario.tried)


def _wrong_lessons(scenario: Scenario, known: list[Any]) -> list[str]:
    """What was learned that is not so.

    A tool that does not serve this question, or stands in for one and may not; and where there is no answer, a tool
    that is said to have served the step that failed, or a question of one step.
    """
    right = scenario.tools_to_learn
    served = [(row.tool, one.text) for row in known for one in row.wordings.served]
    failing = [] if scenario.reachable else [scenario.steps[-1].does]
    failing += [scenario.question] if failing and len(scenario.steps) == 1 else []
    wrong = [f"{tool} serves '{text}'" for tool, text in served if tool not in right or text in failing]
    return wrong + [
        f"{other} in the place of {row.tool}" for row in known for other in row.notes.switches if other not in right
    ]


@asynccontextmanager
async def scratch(folder: Path, name: str) -> AsyncGenerator[Path]:
    """A folder that is gone afterwards."""
    made = folder / name
    await asyncio.to_thread(made.mkdir, parents=True)
    try:
        yield made
    finally:
        await asyncio.to_thread(shutil.rmtree, made, ignore_errors=True)


async def try_all(
    scenario: Scenario, players: dict[str, MakePlayer | None], endpoint: Endpoint, folder: Path, *, baseline: bool
) -> list[Trial]:
    """A scenario with every player, ours and the baseline."""
    found: list[Trial] = []
    for player, make in players.items():
        name = f"{scenario.name}-{player}"
        async with scratch(folder, name) as here:
            found += await _kept_alive(scenario, player, "ours", try_ours(scenario, player, make, endpoint, here))
        if baseline and make is not None:
            async with scratch(folder, f"{name}-agent") as here:
                trying = try_agent(scenario, player, make, endpoint, here)
                found += await _kept_alive(scenario, player, "create_agent", trying)
    if scenario.about in {"goes_well", "no_model"}:
        async with scratch(folder, f"{scenario.name}-{BROKEN}") as here:
            trying = try_ours(scenario, BROKEN, Broken, endpoint, here, runs=1)
            found += await _kept_alive(scenario, BROKEN, "ours", trying)
    return found


async def _kept_alive(scenario: Scenario, player: str, engine: Engine, trying: Any) -> list[Trial]:
    """A trial that breaks is told as such; the others go on."""
    try:
        return await trying
    except Exception as error:  # noqa: BLE001  whatever it is, it is what came of the trial
        trial = _begun(scenario, player, 1)
        trial.engine, trial.status = engine, "broke"
        trial.why = f"{type(error).__name__}: {error}"[:500]
        trial.broke = "".join(traceback.format_exception(error))[-3000:]
        return [trial]
