"""`run` and `resume`: a question from the command line to its exit code."""

import asyncio
import json
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from switchyard.app.commands.running import EXIT, WRONG_USAGE, complain, print_json, run_command
from switchyard.app.commands.trusting import tell_untrusted
from switchyard.app.commands.unusable import Complaints
from switchyard.app.console import Console
from switchyard.app.models import check_model_name
from switchyard.app.orchestrator import Orchestrator, new_thread_id, open_orchestrator
from switchyard.app.report import RunReport
from switchyard.app.settings import Settings
from switchyard.language.words import language_of
from switchyard.ledger.options import RunOptions


class Ask(BaseModel):
    """What the command line asked for."""

    question: str = ""
    thread_id: str | None = None
    reply: str | None = None
    as_json: bool = False
    as_stream: bool = False
    plan_only: bool = False
    trace: bool = False
    model: str | None = None
    workspace: Path | None = None
    tool_folders: list[Path] = Field(default_factory=list[Path])
    skill_folders: list[Path] = Field(default_factory=list[Path])
    only: list[str] = Field(default_factory=list[str])
    """The tools the run may use; empty means all."""
    always: list[str] = Field(default_factory=list[str])
    """Tools that are always offered."""
    approve_all: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """What the command line says about the settings."""
        return self.model_dump(include={"workspace", "tool_folders", "skill_folders", "model"})

    @property
    def flags(self) -> str:
        """The options a resume needs to find the same tools and files."""
        said = [f"--tools {shlex.quote(str(folder.resolve()))}" for folder in self.tool_folders]
        said += [f"--skills {shlex.quote(str(folder.resolve()))}" for folder in self.skill_folders]
        said += [f"--workspace {shlex.quote(str(self.workspace.resolve()))}"] if self.workspace else []
        said += [f"--model {shlex.quote(self.model)}"] if self.model else []
        return "".join(f" {flag}" for flag in said)

    @property
    def options(self) -> RunOptions:
        """What the command line says about this run; what it does not say stays unset."""
        said: dict[str, Any] = {}
        if self.plan_only:
            said["plan_only"] = True
        if self.only:
            said["tools"] = self.only
        if self.always:
            said["fixed"] = self.always
        if self.approve_all:
            said["auto_approve"] = True
        return RunOptions.model_validate(said)


def ask_once(request: Ask) -> int:
    """Ask one question and show the answer."""
    if not request.question.strip():
        complain("The question is empty; ask something, in English or in Chinese.")
        return WRONG_USAGE

    async def work(settings: Settings) -> int:
        check_model_name(settings.model)
        await tell_untrusted(settings, language_of(request.question))
        async with open_orchestrator(settings) as orchestrator:
            Complaints(orchestrator.library).tell()
            thread_id = request.thread_id or new_thread_id()
            events = orchestrator.stream(request.question, thread_id=thread_id, options=request.options)
            return await watch(orchestrator, request, thread_id, events)

    return run_command(work, language=language_of(request.question), **request.settings)


def resume_once(request: Ask) -> int:
    """Finish a run."""

    async def work(settings: Settings) -> int:
        check_model_name(settings.model)
        async with open_orchestrator(settings) as orchestrator:
            Complaints(orchestrator.library).tell()
            thread_id = request.thread_id or ""
            before = await orchestrator.report(thread_id)
            reply = read_reply(request.reply)
            if before.status == "waiting" and reply is None:
                reply = await Console().ask_a_person(before)
            events = orchestrator.stream_resume(thread_id, reply, options=request.options)
            return await watch(orchestrator, request, thread_id, events)

    return run_command(work, **request.settings)


async def watch(orchestrator: Orchestrator, request: Ask, thread_id: str, events: AsyncIterator[dict[str, Any]]) -> int:
    """Show a run while it works, ask for approvals where a person is there, and print the outcome."""
    console = Console(quiet=request.as_json or request.as_stream)
    try:
        while True:
            await _show(console, request, thread_id, events)
            report = await orchestrator.report(thread_id, options=request.options)
            if report.status != "waiting" or request.as_json or request.as_stream:
                break
            reply = await console.ask_a_person(report)
            if reply is None:
                break
            events = orchestrator.stream_resume(thread_id, reply, options=request.options)
    except asyncio.CancelledError:
        report = await orchestrator.report(thread_id, options=request.options)
        report.status = "cancelled"
    await _print(orchestrator, console, request, report)
    return EXIT[report.status]


async def _show(console: Console, request: Ask, thread_id: str, events: AsyncIterator[dict[str, Any]]) -> None:
    with console.live():
        async for event in events:
            if request.as_stream:
                print_json({"thread_id": thread_id, **event}, indent=None)
            else:
                console.show_event(event)


async def _print(orchestrator: Orchestrator, console: Console, request: Ask, report: RunReport) -> None:
    if request.trace:
        console.show_calls(await orchestrator.journal.calls(report.run_id))
    if request.as_stream:
        print_json({"event": "report", **report.model_dump(mode="json")}, indent=None)
    elif request.as_json:
        print_json(report.model_dump(mode="json"))
    else:
        console.show_report(report)
    console.show_hints(report, request.flags)


def read_reply(text: str | None) -> Any:
    """A reply from the command line: JSON where it is JSON, else a word."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
