"""`run`, `chat` and `resume`: a question from the command line to its exit code."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from switchyard.app.cli.command import EXIT, WRONG_USAGE, command, complain, load, print_json
from switchyard.app.cli.notices import Complaints, tell_untrusted
from switchyard.app.cli.options import Json, SkillFolders, ThreadId, ToolFolders, Workspace

if TYPE_CHECKING:
    from switchyard.app.console import Console
    from switchyard.app.orchestrator import Orchestrator
    from switchyard.app.report import RunReport
    from switchyard.ledger.options import RunOptions

Question = Annotated[str, typer.Argument(help="What to ask, in English or in Chinese.")]
Thread = Annotated[str | None, typer.Option("--thread", "-t", help="Continue this conversation.")]
Stream = Annotated[bool, typer.Option("--stream", help="Print events as JSON lines while it works.")]
PlanOnly = Annotated[bool, typer.Option("--plan-only", help="Stop after the plan.")]
Trace = Annotated[bool, typer.Option("--trace", help="Show every model call: prompt, answer, tokens, time.")]
ModelName = Annotated[
    str | None, typer.Option("--model", "-m", help="Model name or provider:model; 'none' works by rules.")
]
Only = Annotated[list[str] | None, typer.Option("--use", help="Use no other tools than these; may be repeated.")]
Always = Annotated[list[str] | None, typer.Option("--with", help="Always offer this tool; may be repeated.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Approve tools that write or send without asking.")]

LEAVE = {"exit", "quit", "bye", "/exit", "/quit", "退出", "再见"}


@command
async def run(
    question: Question,
    *,
    thread: Thread = None,
    json: Json = False,
    stream: Stream = False,
    plan_only: PlanOnly = False,
    trace: Trace = False,
    model: ModelName = None,
    workspace: Workspace = None,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
    use: Only = None,
    always: Always = None,
    yes: Yes = False,
) -> int:
    """Ask one question. Exit code: answered 0, failed 1, wrong usage 2, waiting 3, partial 4, cancelled 130."""
    from switchyard.app.models import check_model_name
    from switchyard.app.orchestrator import new_thread_id, open_orchestrator
    from switchyard.language.words import language_of

    if not question.strip():
        complain("The question is empty; ask something, in English or in Chinese.")
        return WRONG_USAGE
    language = language_of(question)
    given = Given(model, workspace, tool_folders, skill_folders)
    settings = load(language, **given._asdict())
    check_model_name(settings.model)
    await tell_untrusted(settings, language)
    options = _options(plan_only=plan_only, tools=use, fixed=always, auto_approve=yes)
    async with open_orchestrator(settings) as orchestrator:
        Complaints(orchestrator.library).tell()
        thread_id = thread or new_thread_id()
        events = orchestrator.stream(question, thread_id=thread_id, options=options)
        view = View(orchestrator, options, given.flags, as_json=json, as_stream=stream, trace=trace)
        return await view.watch(thread_id, events)


@command
async def chat(
    *,
    thread: Thread = None,
    model: ModelName = None,
    workspace: Workspace = None,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
    use: Only = None,
    always: Always = None,
    yes: Yes = False,
) -> int:
    """Ask one question after another in one conversation."""
    from switchyard.app.console import Console
    from switchyard.app.models import check_model_name
    from switchyard.app.orchestrator import new_thread_id, open_orchestrator
    from switchyard.tools.core.errors import SwitchyardError

    given = Given(model, workspace, tool_folders, skill_folders)
    settings = load(**given._asdict())
    check_model_name(settings.model)
    await tell_untrusted(settings)
    options = _options(tools=use, fixed=always, auto_approve=yes)
    async with open_orchestrator(settings) as orchestrator:
        complaints, view = Complaints(orchestrator.library), View(orchestrator, options, given.flags)
        complaints.tell()
        thread_id = thread or new_thread_id()
        read, code = _reader(), 0
        Console().say(f"Thread {thread_id}. An empty line or 'exit' leaves. 空行或“退出”结束对话。")
        while question := await read():
            if question.lower() in LEAVE:
                break
            try:
                events = orchestrator.stream(question, thread_id=thread_id, options=options, abandon=True)
                code = await view.watch(thread_id, events)
            except SwitchyardError as error:  # one bad question does not end the conversation
                complain(str(error))
                code = EXIT["failed"]
            complaints.tell()  # what came into the folder meanwhile may not work
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
    json: Json = False,
    stream: Stream = False,
    trace: Trace = False,
    model: ModelName = None,
    workspace: Workspace = None,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
) -> int:
    """Finish a run that was stopped or waits for approval. No finished step runs twice."""
    if sum([approve, refuse, reply is not None]) > 1:
        raise typer.BadParameter("--approve, --refuse and --reply are three different answers: give one.")
    from switchyard.app.console import Console
    from switchyard.app.models import check_model_name
    from switchyard.app.orchestrator import open_orchestrator

    given = Given(model, workspace, tool_folders, skill_folders)
    settings = load(**given._asdict())
    check_model_name(settings.model)
    options = _options()
    async with open_orchestrator(settings) as orchestrator:
        Complaints(orchestrator.library).tell()
        before = await orchestrator.report(thread)
        said = "approve" if approve else "refuse" if refuse else _read_reply(reply)
        if before.status == "waiting" and said is None:
            said = await Console().ask_a_person(before)
        events = orchestrator.stream_resume(thread, said, options=options)
        view = View(orchestrator, options, given.flags, as_json=json, as_stream=stream, trace=trace)
        return await view.watch(thread, events)


class Given(NamedTuple):
    """The settings that a command line may give, for all three commands, by their names."""

    model: str | None
    workspace: Path | None
    tool_folders: list[Path] | None
    skill_folders: list[Path] | None

    @property
    def flags(self) -> str:
        """The options a resume needs to find the same tools and files."""
        from shlex import quote

        said = [f"--tools {quote(str(folder.resolve()))}" for folder in self.tool_folders or ()]
        said += [f"--skills {quote(str(folder.resolve()))}" for folder in self.skill_folders or ()]
        said += [f"--workspace {quote(str(self.workspace.resolve()))}"] if self.workspace else []
        said += [f"--model {quote(self.model)}"] if self.model else []
        return "".join(f" {flag}" for flag in said)


class View(NamedTuple):
    """Shows a run while it works, and what became of it."""

    orchestrator: "Orchestrator"
    options: "RunOptions"
    flags: str
    as_json: bool = False
    as_stream: bool = False
    trace: bool = False

    async def watch(self, thread_id: str, events: AsyncIterator[dict[str, Any]]) -> int:
        """Follow a run, ask for approvals where a person is there, and print the outcome; its exit code."""
        from asyncio import CancelledError

        from switchyard.app.console import Console

        console = Console(quiet=self.as_json or self.as_stream)
        try:
            while True:
                await self._show(console, thread_id, events)
                report = await self.orchestrator.report(thread_id, options=self.options)
                if report.status != "waiting" or self.as_json or self.as_stream:
                    break
                reply = await console.ask_a_person(report)
                if reply is None:
                    break
                events = self.orchestrator.stream_resume(thread_id, reply, options=self.options)
        except CancelledError:
            report = await self.orchestrator.report(thread_id, options=self.options)
            report.status = "cancelled"
        await self._print(console, report)
        return EXIT[report.status]

    async def _show(self, console: "Console", thread_id: str, events: AsyncIterator[dict[str, Any]]) -> None:
        with console.live():
            async for event in events:
                if self.as_stream:
                    print_json({"thread_id": thread_id, **event}, indent=None)
                else:
                    console.show_event(event)

    async def _print(self, console: "Console", report: "RunReport") -> None:
        if self.trace:
            console.show_calls(await self.orchestrator.journal.calls(report.run_id))
        if self.as_stream:
            print_json({"event": "report", **report.model_dump(mode="json")}, indent=None)
        elif self.as_json:
            print_json(report.model_dump(mode="json"))
        else:
            console.show_report(report)
        console.show_hints(report, self.flags)


def _options(**said: Any) -> "RunOptions":
    """What the command line says about a run; what it does not say stays unset."""
    from switchyard.ledger.options import RunOptions

    return RunOptions.model_validate({name: value for name, value in said.items() if value})


def _read_reply(text: str | None) -> Any:
    """A reply from the command line: JSON where it is JSON, else a word."""
    from json import loads

    if text is None:
        return None
    try:
        return loads(text)
    except ValueError:
        return text


def _reader() -> Callable[[], Awaitable[str]]:
    """What gives the next question of a conversation; an empty one ends it."""
    if not sys.stdin.isatty():
        from asyncio import to_thread

        async def read_line() -> str:
            return (await to_thread(sys.stdin.readline)).strip()

        return read_line
    from prompt_toolkit import PromptSession

    session: PromptSession[str] = PromptSession()

    async def prompt() -> str:
        try:
            return (await session.prompt_async("› ")).strip()
        except (EOFError, KeyboardInterrupt):
            return ""

    return prompt
