"""`run`, `chat` and `resume`: a question from the command line to its exit code."""

import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from switchyard.app.cli.command import EXIT, WrongUsage, command, complain, load, print_json, say, speak_as_in
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import servers_of, tell_untrusted, tell_unusable
from switchyard.app.cli.options import Json, SkillFolders, ThreadId, ToolFolders, Workspace
from switchyard.language.messages import message

with loaded_late():
    import asyncio
    import json as json_text

    import prompt_toolkit

    from switchyard.app import console, models, orchestrator
    from switchyard.ledger import options as run_options

if TYPE_CHECKING:
    from switchyard.app.events import Event
    from switchyard.app.report import RunReport

Thread = Annotated[str | None, typer.Option("--thread", "-t", help="Continue this conversation.")]

LEAVE = {"exit", "quit", "bye", "/exit", "/quit", "退出", "再见"}


class Given(NamedTuple):
    """The settings that a command line may give, by their names."""

    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Model name or provider:model; 'none' works by rules.")
    ] = None
    workspace: Workspace = None
    tool_folders: ToolFolders = None
    skill_folders: SkillFolders = None

    @property
    def flags(self) -> str:
        """The options a resume needs to find the same tools and files."""
        said = [f"--tools {quote(str(folder.resolve()))}" for folder in self.tool_folders or ()]
        said += [f"--skills {quote(str(folder.resolve()))}" for folder in self.skill_folders or ()]
        said += [f"--workspace {quote(str(self.workspace.resolve()))}"] if self.workspace else []
        said += [f"--model {quote(self.model)}"] if self.model else []
        return "".join(f" {flag}" for flag in said)


class Chosen(NamedTuple):
    """What a run may do, by the names of its options; what is not said stays unset."""

    tools: Annotated[
        list[str] | None, typer.Option("--use", help="Use no other tools than these; may be repeated.")
    ] = None
    fixed: Annotated[list[str] | None, typer.Option("--with", help="Always offer this tool; may be repeated.")] = None
    auto_approve: Annotated[
        bool, typer.Option("--yes", "-y", help="Approve tools that write or send without asking.")
    ] = False


class Shown(NamedTuple):
    """How a run is shown."""

    json: Json = False
    stream: Annotated[bool, typer.Option("--stream", help="Print events as JSON lines while it works.")] = False
    trace: Annotated[bool, typer.Option("--trace", help="Show every model call: prompt, answer, tokens, time.")] = False


@command
async def run(
    question: Annotated[str, typer.Argument(help="What to ask, in English or in Chinese.")],
    *,
    thread: Thread = None,
    shown: Shown,
    plan_only: Annotated[bool, typer.Option("--plan-only", help="Stop after the plan.")] = False,
    given: Given,
    chosen: Chosen,
) -> int:
    """Ask one question. Exit code: answered 0, failed 1, wrong usage 2, waiting 3, partial 4, cancelled 130."""
    async with _opened(given) as opened:
        view = View(opened, _options(chosen, plan_only=plan_only), given.flags, shown)
        thread_id = thread or orchestrator.new_thread_id()
        events = opened.stream(question, thread_id=thread_id, options=view.options)
        return await view.watch(thread_id, events)


@command
async def chat(*, thread: Thread = None, given: Given, chosen: Chosen) -> int:
    """Ask one question after another in one conversation."""
    from switchyard.tools.core.errors import SwitchyardError

    said: set[str] = set()
    async with _opened(given, said=said) as opened:
        view = View(opened, _options(chosen), given.flags)
        thread_id = thread or orchestrator.new_thread_id()
        read, code = _reader(), 0
        say(f"Thread {thread_id}. An empty line or 'exit' leaves. 空行或“退出”结束对话。")
        while question := await read():
            if question.lower() in LEAVE:
                break
            speak_as_in(question)
            try:
                events = opened.stream(question, thread_id=thread_id, options=view.options, abandon=True)
                code = await view.watch(thread_id, events)
            except SwitchyardError as error:  # one bad question does not end the conversation
                complain(str(error))
                code = EXIT["failed"]
            # what came into the folder meanwhile may not work
            tell_unusable(opened.hub.supply.broken(), servers_of(opened.hub), said=said)
        return code


@command
async def resume(
    thread: ThreadId,
    *,
    approve: Annotated[bool, typer.Option("--approve", help="Approve everything the run waits for.")] = False,
    refuse: Annotated[bool, typer.Option("--refuse", help="Refuse everything the run waits for.")] = False,
    reply: Annotated[
        str | None, typer.Option("--reply", help='A text, or JSON by step: {"s1": {"decision": "edit", …}}.')
    ] = None,
    shown: Shown,
    given: Given,
) -> int:
    """Finish a run that was stopped or waits for approval. No finished step runs twice."""
    if sum([approve, refuse, reply is not None]) > 1:
        raise WrongUsage(message("answers_differ"))
    async with _opened(given, untrusted=False) as opened:
        before = await opened.report(thread)
        said = "approve" if approve else "refuse" if refuse else _read_reply(reply)
        if before.status == "waiting" and said is None:
            said = await console.Console().ask_a_person(before)
        view = View(opened, _options(), given.flags, shown)
        return await view.watch(thread, opened.stream_resume(thread, said, options=view.options))


@asynccontextmanager
async def _opened(
    given: Given, *, untrusted: bool = True, said: set[str] | None = None
) -> "AsyncGenerator[orchestrator.Orchestrator]":
    """The orchestrator as the command line says; what of it cannot be used has been told."""
    settings = load(**given._asdict())
    models.check_model_name(settings.model)
    if untrusted:
        await tell_untrusted(settings)
    async with orchestrator.open_orchestrator(settings) as opened:
        tell_unusable(opened.hub.supply.broken(), servers_of(opened.hub), said=said)
        yield opened


class View(NamedTuple):
    """Shows a run while it works, and what became of it."""

    opened: "orchestrator.Orchestrator"
    options: "run_options.RunOptions"
    flags: str
    shown: Shown = Shown()

    async def watch(self, thread_id: str, events: AsyncIterator["Event"]) -> int:
        """Follow a run, ask for approvals where a person is there, and print the outcome; its exit code."""
        for_programs = self.shown.json or self.shown.stream
        terminal = console.Console(quiet=for_programs)
        try:
            while True:
                await self._show(terminal, thread_id, events)
                report = await self.opened.report(thread_id, options=self.options)
                if report.status != "waiting" or for_programs:
                    break
                reply = await terminal.ask_a_person(report)
                if reply is None:
                    break
                events = self.opened.stream_resume(thread_id, reply, options=self.options)
        except asyncio.CancelledError:
            report = await self.opened.report(thread_id, options=self.options)
            report.status = "cancelled"
        await self._print(terminal, report)
        return EXIT[report.status]

    async def _show(self, terminal: "console.Console", thread_id: str, events: AsyncIterator["Event"]) -> None:
        with terminal.live():
            async for event in events:
                if self.shown.stream:
                    print_json({"thread_id": thread_id, **event}, indent=None)
                else:
                    terminal.show_event(event)

    async def _print(self, terminal: "console.Console", report: "RunReport") -> None:
        if self.shown.trace:
            terminal.show_calls(await self.opened.journal.calls(report.run_id))
        if self.shown.stream:
            print_json({"event": "report", **report.model_dump(mode="json")}, indent=None)
        elif self.shown.json:
            print_json(report.model_dump(mode="json"))
        else:
            terminal.show_report(report)
        terminal.show_hints(report, self.flags)


def _options(chosen: Chosen | None = None, **more: Any) -> "run_options.RunOptions":
    """What the command line says about a run; what it does not say stays unset."""
    said = {**(chosen._asdict() if chosen else {}), **more}
    return run_options.RunOptions.model_validate({name: value for name, value in said.items() if value})


def _read_reply(text: str | None) -> Any:
    """A reply from the command line: JSON where it is JSON, else a word."""
    try:
        return None if text is None else json_text.loads(text)
    except ValueError:
        return text


def _reader() -> Callable[[], Awaitable[str]]:
    """What gives the next question of a conversation; an empty one ends it."""
    session: prompt_toolkit.PromptSession[str] | None = prompt_toolkit.PromptSession() if sys.stdin.isatty() else None

    async def read() -> str:
        try:
            line = await (session.prompt_async("› ") if session else asyncio.to_thread(sys.stdin.readline))
        except (EOFError, KeyboardInterrupt):
            return ""
        return line.strip()

    return read
