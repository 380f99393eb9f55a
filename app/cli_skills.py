"""The commands of `skills`."""

import sys
from typing import Annotated

import typer

from switchyard.app.cli_options import Json, SkillFolders

skills = typer.Typer(help="Skills: list, show, check.", no_args_is_help=True)


@skills.command("list")
def skills_list(*, json: Json = False, skill_folders: SkillFolders = None) -> None:
    """List every skill, and those that cannot be used."""
    from switchyard.app.commands.skills import list_skills  # noqa: PLC0415  `--help` answers at once

    sys.exit(list_skills(as_json=json, skill_folders=skill_folders))


@skills.command("show")
def skills_show(
    name: Annotated[str, typer.Argument(help="The skill's name.")],
    *,
    json: Json = False,
    skill_folders: SkillFolders = None,
) -> None:
    """Show a skill: its front matter, its files and its instructions."""
    from switchyard.app.commands.skills import show_skill  # noqa: PLC0415  `--help` answers at once

    sys.exit(show_skill(name, as_json=json, skill_folders=skill_folders))


@skills.command("check")
def skills_check(
    which: Annotated[
        str | None, typer.Argument(metavar="[NAME|FOLDER]", help="A skill, or a folder of skills; without one, all.")
    ] = None,
    *,
    json: Json = False,
    skill_folders: SkillFolders = None,
) -> None:
    """Say what is wrong with skills, with file, line and field. Exit code 1 when one cannot be used."""
    from switchyard.app.commands.skills import check_skills  # noqa: PLC0415  `--help` answers at once

    sys.exit(check_skills(which, as_json=json, skill_folders=skill_folders))
