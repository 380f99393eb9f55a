"""The shell. Heavy modules are imported inside the commands: `--help` answers at once."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from switchyard.app.cli_mcp import mcp
from switchyard.app.cli_options import Json, SkillFolders, ToolFolders, Workspace
from switchyard.app.cli_patterns import patterns
from switchyard.app.cli_questions import TakesQuestion
from switchyard.app.cli_skills import skills
from switchyard.app.cli_tools import tools

cli = typer.Typer(
    name="switchyard",
    help="Answers a question by planning it into steps, choosing the right few tools, running them and checking "
    "what came back. Works with no key; set APP_MODEL to add a model.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help costs half the time
    pretty_exceptions_enable=False,
)
threads = typer.Typer(help="Conversations: list, show, delete, prune.", no_args_is_help=True)
cli.add_typer(threads, name="threads")
cli.add_typer(tools, name="tools")
cli.add_typer(skills, name="skills")
cli.add_typer(mcp, name="mcp")
cli.add_typer(patterns, name="patterns")

Question = Annotated[str, typer.Argument(help="What to ask, in English or in Chinese.")]
ThreadId = Annotated[str, typer.Argument(help="The thread's id, as `threads list` shows it.")]
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


@cli.command(cls=TakesQuestion)
def run(
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
) -> None:
    """Ask one question. Exit code: answered 0, failed 1, wrong usage 2, waiting 3, partial 4, cancelled 130."""
    from switchyard.app.commands.asking import Ask, ask_once  # noqa: PLC0415  see the module docstring

    request = Ask(
        question=question,
        thread_id=thread,
        as_json=json,
        as_stream=stream,
        plan_only=plan_only,
        trace=trace,
        model=model,
        workspace=workspace,
        tool_folders=tool_folders or [],
        skill_folders=skill_folders or [],
        only=use or [],
        always=always or [],
        approve_all=yes,
    )
    sys.exit(ask_once(request))


@cli.command()
def chat(
    *,
    thread: Thread = None,
    model: ModelName = None,
    workspace: Workspace = None,
    tool_folders: ToolFolders = None,
    skill_folders: SkillFolders = None,
    use: Only = None,
    always: Always = None,
    yes: Yes = False,
) -> None:
    """Ask one question after another in one conversation."""
    from switchyard.app.commands.asking import Ask  # noqa: PLC0415  see the module docstring
    from switchyard.app.commands.chatting import chat_loop  # noqa: PLC0415  see the module docstring

    request = Ask(
        thread_id=thread,
        model=model,
        workspace=workspace,
        tool_folders=tool_folders or [],
        skill_folders=skill_folders or [],
        only=use or [],
        always=always or [],
        approve_all=yes,
    )
    sys.exit(chat_loop(request))


@cli.command()
def resume(
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
) -> None:
    """Finish a run that was stopped or waits for approval. No finished step runs twice."""
    if sum([approve, refuse, reply is not None]) > 1:
        raise typer.BadParameter("--approve, --refuse and --reply are three different answers: give one.")
    from switchyard.app.commands.asking import Ask, resume_once  # noqa: PLC0415  see the module docstring

    request = Ask(
        thread_id=thread,
        reply="approve" if approve else "refuse" if refuse else reply,
        as_json=json,
        as_stream=stream,
        trace=trace,
        model=model,
        workspace=workspace,
        tool_folders=tool_folders or [],
        skill_folders=skill_folders or [],
    )
    sys.exit(resume_once(request))


@threads.command("list")
def threads_list(*, json: Json = False) -> None:
    """List the conversations, the newest last."""
    from switchyard.app.commands.threads import list_threads  # noqa: PLC0415  see the module docstring

    sys.exit(list_threads(as_json=json))


@threads.command("show")
def threads_show(thread: ThreadId, *, json: Json = False) -> None:
    """Show the questions and answers of a conversation, and the steps of its last run."""
    from switchyard.app.commands.threads import show_thread  # noqa: PLC0415  see the module docstring

    sys.exit(show_thread(thread, as_json=json))


@threads.command("delete")
def threads_delete(thread: ThreadId) -> None:
    """Forget a conversation, its runs and results."""
    from switchyard.app.commands.threads import delete_thread  # noqa: PLC0415  see the module docstring

    sys.exit(delete_thread(thread))


@threads.command("prune")
def threads_prune(
    *,
    days: Annotated[float, typer.Option("--days", min=0, help="Delete conversations not used for this long.")] = 30,
) -> None:
    """Delete conversations that were not used for some time."""
    from switchyard.app.commands.threads import prune_threads  # noqa: PLC0415  see the module docstring

    sys.exit(prune_threads(days))


@cli.command()
def trust(
    folder: Annotated[Path | None, typer.Argument(help="The folder; without one, the current.")] = None,
    *,
    show: Annotated[bool, typer.Option("--list", help="List the folders that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Let the tools/, skills/ and mcp.local.json of a folder be used, after showing what they would run."""
    if show and (remove or folder):
        raise typer.BadParameter("--list stands alone.")
    from switchyard.app.commands import trusting  # noqa: PLC0415  see the module docstring

    if show:
        sys.exit(trusting.list_trusted(as_json=json))
    if remove:
        sys.exit(trusting.forget_folder(folder, as_json=json))
    sys.exit(trusting.trust_folder(folder, yes=yes, as_json=json))


@cli.command()
def graph(
    *,
    form: Annotated[str, typer.Option("--format", "-f", help="mermaid, ascii or png.")] = "mermaid",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write; needed for png.")] = None,
) -> None:
    """Draw the graph."""
    from switchyard.app.commands.drawing import draw  # noqa: PLC0415  see the module docstring

    sys.exit(draw(form, output))


@cli.command()
def doctor(*, json: Json = False) -> None:
    """Check settings, database, tools and model, and say what to do about what is wrong."""
    from switchyard.app.commands.doctor import examine  # noqa: PLC0415  see the module docstring

    sys.exit(examine(as_json=json))
