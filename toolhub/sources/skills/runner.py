"""Carries out a skill: a small loop of its own with the model, inside the run's limits (R4.6).

The model says what to do next; tools are called through the run, which counts, guards and approves them; files and
scripts come from the skill's own folder. Only what a skill allows itself is done for it. A
script is code from a folder the user trusted, and the skill's call was approved: its limits are against accidents.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic import Field

from switchyard.language.messages import message
from switchyard.ledger.references import as_text
from switchyard.toolhub.calling.arguments import checked, said
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.skills.format import (
    FILE_NAMES,
    MAX_BYTES,
    RUN_SCRIPT,
    Skill,
    allows,
    names_nothing,
    tool_ids,
)
from switchyard.toolhub.sources.skills.prompts import Move, Moves, Seen, system_prompt, user_prompt
from switchyard.tools.core.context import SkillHost, ToolContext
from switchyard.tools.core.errors import ToolError, ToolFailed
from switchyard.tools.core.files import name_of, read_text, walk
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.params import BaseToolParams
from switchyard.tools.core.result import ResultMeta, ToolResult
from switchyard.tools.core.spec import ToolSpec
from switchyard.tools.core.workspace import resolve_inside

SCRIPT_SECONDS = 60.0
MAX_OUTPUT = 100_000
"""Bytes kept of what a script prints; the rest is dropped."""
MAX_MEMORY = 2_000_000_000
"""Bytes of address space, where the system can limit it."""
_LIMITED = (
    ("sh", "-c", f'ulimit -v {MAX_MEMORY // 1024} 2>/dev/null; exec "$@"', "sh") if sys.platform == "linux" else ()
)
"""What starts a script under that limit: set from here, it would come when the script is running already."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TEMP", "SYSTEMROOT")
"""All a script sees of the environment: keys stay here."""
_CHUNK = 65_536
MAX_TURNS = 15
"""Answers of the model; the run's own limits hold besides."""
MAX_FILES = 100
"""Files of a skill that are named to the model."""

log = get_logger(__name__)


class SkillParams(BaseToolParams):
    """What a skill is asked to do."""

    task: str = Field(
        min_length=1, description="What to do, in whole sentences, with every path, name and number it needs."
    )


class SkillRunner:
    """Runs one skill."""

    def __init__(self, skill: Skill, *, scripts: bool) -> None:
        self.skill = skill
        self._scripts = scripts
        """Whether its scripts are run: then each call of the skill was approved."""

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """Carry out the task and return the answer."""
        skill, context = self.skill, request.context
        task = checked(SkillParams, skill.name, request.given).task
        if skill.name in context.inside_skills:
            way = " → ".join((*context.inside_skills, skill.name))
            raise ToolFailed(message("skill_calls_itself", way=way), kind="permission")
        if context.skill_host is None:
            raise ToolFailed(message("skill_needs_model", skill=skill.name), kind="not_found")
        instructions = await anyio.to_thread.run_sync(skill.instructions)
        files = await anyio.to_thread.run_sync(listed_files, skill.folder)
        inner = replace(context, inside_skills=(*context.inside_skills, skill.name))
        work = _Work(skill, context.skill_host, inner, task, files, self._scripts)
        await work.find_tools()
        return await work.finish(instructions)

    def read(self, action: str | None, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the skill gets them."""
        del action
        return said(checked(SkillParams, self.skill.name, arguments))


@dataclass(slots=True)
class _Work:
    """One task under way."""

    skill: Skill
    host: SkillHost
    context: ToolContext
    task: str
    files: list[str]
    scripts: bool
    tools: dict[str, ToolSpec] = field(default_factory=dict[str, ToolSpec])
    missing: list[str] = field(default_factory=list[str])
    seen: list[Seen] = field(default_factory=list[Seen])
    called: list[str] = field(default_factory=list[str])
    sources: list[str] = field(default_factory=list[str])
    not_done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def find_tools(self) -> None:
        """The tools the skill names, and those that are not there; what suits the task where it names none."""
        allowed = self.skill.allowed_tools
        self.tools = {spec.tool_id: spec for spec in map(self._named, allowed or ()) if spec}
        if allowed is None or any("*" in one for written in allowed for one in tool_ids(written)):
            suited = await self.host.suggest_tools(self.task)
            self.tools |= {spec.tool_id: spec for spec in suited if allows(allowed, spec.tool_id)}
        exists = self.host.find_tool
        self.missing = [name for name in allowed or () if names_nothing(name, lambda one: exists(one) is not None)]
        if self.missing:
            log.warning("skill_tools_missing", skill=self.skill.name, tools=self.missing)

    async def finish(self, instructions: str) -> ToolResult:
        """Take turns with the model until it has the answer."""
        system = system_prompt(files=bool(self.files), scripts=self.scripts)
        for turns_left in range(MAX_TURNS, 0, -1):
            prompt = user_prompt(
                self.skill,
                instructions,
                self.task,
                files=self.files,
                tools=list(self.tools.values()),
                missing=self.missing,
                seen=self.seen,
                turns_left=turns_left,
            )
            answer = await self.host.ask(system, prompt, Moves)
            if answer is None:
                why = message("skill_got_no_answer", skill=self.skill.name)
                if self.seen:
                    why = message("skill_got_no_more", skill=self.skill.name, count=len(self.seen))
                raise ToolFailed(why, kind="unavailable")
            if [move.do for move in answer.moves] == ["finish"]:
                done = {"tools": list(dict.fromkeys(self.called)), "not_done": self.not_done}
                meta = ResultMeta(sources=list(dict.fromkeys(self.sources)))
                return ToolResult(result={"answer": answer.moves[0].answer, **done}, meta=meta)
            for move in answer.moves:
                if move.do != "finish":  # an answer beside other moves has not seen what comes of them
                    self.seen.append(await self._make(move))
        raise ToolFailed(message("skill_too_long", skill=self.skill.name, most=MAX_TURNS), kind="wrong_result")

    async def _make(self, move: Move) -> Seen:
        try:
            match move.do:
                case "read":
                    text = await anyio.to_thread.run_sync(lambda: read_text(self._own_file(move.path), MAX_BYTES))
                    return Seen(f"read {move.path}", text, lasting=True)
                case "run":
                    shown = " ".join(["run", move.path, *move.args])
                    return Seen(shown, await self._run(move))
                case _:
                    called = f"{move.tool}.{move.action}" if move.action else move.tool
                    shown = f"call {called} {json.dumps(move.arguments, ensure_ascii=False)}"
                    return Seen(shown, await self._call(move))
        except ToolError as error:
            return Seen(f"{move.do} {move.tool or move.path}", f"failed: {error}")

    async def _call(self, move: Move) -> str:
        spec = self._named(move.tool)
        if spec is None:
            listed = ", ".join(self.tools) or "none"
            raise ToolFailed(f"'{move.tool}' is not a tool of this skill; its tools: {listed}.", kind="permission")
        self.tools.setdefault(spec.tool_id, spec)
        result = await self.host.call_tool(spec.tool_id, move.action, move.arguments, self.context)
        if not result.success:
            if result.error_type == "permission" and spec.asks_first:
                self.not_done.append({"tool": spec.tool_id, "arguments": move.arguments})
            return f"failed ({result.error_type}): {result.error}"
        self.called.append(spec.tool_id)
        self.sources += result.meta.sources
        return as_text(result.result)

    async def _run(self, move: Move) -> str:
        if not self.scripts:
            text = f"This skill had no script that it allows itself to run (by {RUN_SCRIPT} in allowed-tools)."
            raise ToolFailed(text, kind="permission")
        script = await anyio.to_thread.run_sync(self._own_file, move.path)
        if script.suffix != ".py":
            raise ToolFailed(f"'{move.path}' is not a Python script; only those are run.", kind="bad_arguments")
        output = await run_script(script, move.args, self.context.workspace)
        self.called.append(RUN_SCRIPT)
        return output

    def _own_file(self, path: str) -> Path:
        """A file of the skill's own folder; links out of it are not followed."""
        with suppress(ToolFailed, OSError):  # outside, or no path at all: said below with what there is
            file = resolve_inside(self.skill.folder, path)
            if file.is_file():
                return file
        listed = ", ".join(self.files) or "none"
        raise ToolFailed(f"'{path[:200]}' is not a file of this skill; its files: {listed}.", kind="not_found")

    def _named(self, written: str) -> ToolSpec | None:
        """The tool a name means, here or in another program, if the skill may call it."""
        allowed = (name for name in tool_ids(written) if allows(self.skill.allowed_tools, name))
        return next(filter(None, map(self.host.find_tool, allowed)), None)


def listed_files(folder: Path) -> list[str]:
    """The files beside the SKILL.md, as many as a model can take in."""
    real = folder.resolve()
    entries = (entry for entry in walk(real, hidden=False) if entry.is_file(follow_symlinks=False))
    names = [name_of(real, Path(entry.path)) for entry in entries]
    own = [name for name in names if name not in FILE_NAMES]
    return own[:MAX_FILES] + ([f"and {len(own) - MAX_FILES} more"] if len(own) > MAX_FILES else [])


async def run_script(script: Path, arguments: list[str], workspace: Path, *, seconds: float = SCRIPT_SECONDS) -> str:
    """What a Python script printed, with its exit code."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(*_LIMITED, sys.executable, "-B", str(script), *arguments),
            cwd=workspace,
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ} | {"PYTHONUTF8": "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a zero byte in an argument
        raise ToolFailed(f"'{script.name}' cannot be started: {error}.", kind="bad_arguments") from error
    try:
        async with asyncio.timeout(seconds):
            output = await _kept(process.stdout)
            code = await process.wait()
    except TimeoutError:
        raise ToolFailed(f"'{script.name}' did not end within {seconds:g} s.", kind="timeout") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):  # it and whatever it started have ended already
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    text = output.decode("utf-8", "replace").strip()
    return f"exit code {code}\n{text or '(it printed nothing)'}"


async def _kept(stream: asyncio.StreamReader | None) -> bytes:
    output, more = b"", 0
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        room = MAX_OUTPUT - len(output)
        output += chunk[:room]
        more += len(chunk[room:])
    return output + (f"\n… ({more:,} more bytes)".encode() if more else b"")
