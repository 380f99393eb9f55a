"""The shell: a file per group of commands, each command's options and what it does together.

Whatever is heavy is imported where it is used, here and in every file of this package: `--help` answers at once.
"""

import typer

from switchyard.app.cli import mcp, patterns, skills, threads, tools
from switchyard.app.cli.doctor import doctor
from switchyard.app.cli.graph import graph
from switchyard.app.cli.options import TakesQuestion
from switchyard.app.cli.questions import chat, resume, run
from switchyard.app.cli.trust import trust

cli = typer.Typer(
    name="switchyard",
    help="Answers a question by planning it into steps, choosing the right few tools, running them and checking "
    "what came back. Works with no key; set APP_MODEL to add a model.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help costs half the time
    pretty_exceptions_enable=False,
)
cli.command(cls=TakesQuestion)(run)
cli.command()(chat)
cli.command()(resume)
cli.command()(trust)
cli.command()(graph)
cli.command()(doctor)
cli.add_typer(threads.group, name="threads")
cli.add_typer(tools.group, name="tools")
cli.add_typer(skills.group, name="skills")
cli.add_typer(mcp.group, name="mcp")
cli.add_typer(patterns.group, name="patterns")
