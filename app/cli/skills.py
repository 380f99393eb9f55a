"""`skills`: which there are, what one says, and what is wrong with them."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from switchyard.app.cli.command import EXIT, WrongUsage, command, complain, load, show, tell
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import tell_untrusted
from switchyard.app.cli.options import Json, SkillFolders
from switchyard.app.places import ROOT

with loaded_late():
    import asyncio

    from switchyard.app import hub
    from switchyard.toolhub import descriptions
    from switchyard.toolhub.sources.skills import source as skills

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.toolhub.sources.native import Discovery
    from switchyard.toolhub.sources.skills.format import Problem, Skill
    from switchyard.tools.core.spec import ToolSpec

group = typer.Typer(help="Skills: list, show, check.", no_args_is_help=True)


@group.command("list")
@command
async def list_skills(*, json: Json = False, skill_folders: SkillFolders = None) -> None:
    """List every skill, and those that cannot be used."""
    settings = load(skill_folders=skill_folders)
    await tell_untrusted(settings)
    discovered = await asyncio.to_thread(_discover, settings)
    broken, found = _broken(discovered), _found(discovered)
    shown = {"skills": [_described(one) for one in found], "broken": list(map(_described_problem, broken))}
    rows = [(one.spec.tool_id, str(one.folder), one.allowed, one.spec.summary) for one in found]
    show(shown, ("name", "folder", "allowed tools", "what it does"), rows, json=json, cut=True)
    for problem in [] if json else broken:
        complain(_line(problem))


@group.command("show")
@command
async def show_skill(
    name: Annotated[str, typer.Argument(help="The skill's name.")],
    *,
    json: Json = False,
    skill_folders: SkillFolders = None,
) -> None:
    """Show a skill: its front matter, its files and its instructions."""
    from switchyard.toolhub.sources.skills.runner import listed_files

    settings = load(skill_folders=skill_folders)
    found = _found(await asyncio.to_thread(_discover, settings))
    one = next((one for one in found if one.spec.tool_id == name), None)
    if one is None:
        await tell_untrusted(settings)
        raise _unknown(name, found)
    skill = one.skill
    files = listed_files(skill.folder) if skill else []
    more = {"files": files, "instructions": skill.instructions()} if skill else {}
    facts = {"folder": str(one.folder), "files": ", ".join(files)}
    text = skill.file.read_text(encoding="utf-8") if skill else descriptions.definition(one.spec)
    lines = [f"{name}: {fact}" for name, fact in facts.items() if fact]
    tell({**_described(one), **more}, "\n".join([*lines, "", text]), json=json)


@group.command("check")
@command
async def check_skills(
    name: Annotated[str | None, typer.Argument(help="One skill; without it, all.")] = None,
    *,
    json: Json = False,
    skill_folders: SkillFolders = None,
) -> int:
    """Say what is wrong with skills, with file, line and field. Exit code 1 when one cannot be used."""
    from switchyard.tools.core.plain_words import counted

    settings = load(skill_folders=skill_folders)
    async with hub.open_hub(settings) as toolhub:
        tools = {spec.tool_id for spec in toolhub.registry}
        candidates = [tool for one in tools for tool in toolhub.registry.candidates(one)]
        taken = {tool.spec.tool_id: tool.file for tool in candidates if tool.spec.source == "native" and tool.file}
    discovered = await asyncio.to_thread(_discover, settings, taken)
    folders = [file.parent for folder in discovered for file in skills.skill_files(folder.absolute())]
    folders = [folder for folder in folders if name in {None, folder.name}]
    if name and not folders:
        await tell_untrusted(settings)
        raise _unknown(name, _found(discovered))
    problems = [one for one in _broken(discovered) if name is None or one.path.parent in folders]
    problems += [one for folder in folders for one in skills.check_skill(folder, tools)]
    problems = list(dict.fromkeys(problems))  # what keeps a skill from loading is found twice
    fatal = sum(problem.fatal for problem in problems)
    lines = [_line(problem) if problem.fatal else f"{_line(problem)} (note)" for problem in problems]
    counts = f"{counted(fatal, 'error')}, {counted(len(problems) - fatal, 'note')}"
    told = {"checked": list(map(str, folders)), "problems": list(map(_described_problem, problems))}
    tell(told, "\n".join([*lines, f"{len(folders)} SKILL.md checked: {counts}."]), json=json)
    return EXIT["failed"] if fatal else 0


class FoundSkill(NamedTuple):
    """A skill and where it is; one written in Python has no SKILL.md."""

    spec: "ToolSpec"
    folder: Path
    skill: "Skill | None"

    @property
    def allowed(self) -> str:
        """The tools it may call, as its author wrote them."""
        if self.skill is None:
            return "(Python)"
        return "any" if self.skill.allowed_tools is None else " ".join(self.skill.allowed_tools)


def _discover(settings: "Settings", tools: Mapping[str, Path] | None = None) -> "dict[Path, Discovery]":
    """What each folder of skills has, ours first; a skill with the name of one of these tools is broken."""
    places = hub.find_places(settings)
    found: dict[Path, Discovery] = {}
    taken = dict(tools or {})
    for folder, package in [(ROOT / "skills", "switchyard.skills"), *((folder, None) for folder in places.skills)]:
        if folder.is_dir():
            found[folder] = here = skills.discover_skills(folder, package, taken=taken)
            taken |= {tool.spec.tool_id: tool.file or folder for tool in here.tools}
    return found


def _broken(discovered: "dict[Path, Discovery]") -> "list[Problem]":
    """The files that did not load as problems of skills; one in Python has no line and no field."""
    files = [file for one in discovered.values() for file in one.broken]
    return [file if isinstance(file, skills.Problem) else skills.Problem(file.path, file.error) for file in files]


def _found(discovered: "dict[Path, Discovery]") -> list[FoundSkill]:
    found: list[FoundSkill] = []
    for folder, here in discovered.items():
        for tool in here.tools:
            skill: Skill | None = getattr(tool.run, "skill", None)
            found.append(FoundSkill(tool.spec, skill.folder if skill else folder, skill))
    return sorted(found, key=lambda one: one.spec.tool_id)


def _unknown(name: str, found: list[FoundSkill]) -> WrongUsage:
    from switchyard.tools.core.plain_words import nearest

    near = nearest(name, [one.spec.tool_id for one in found], likeness=50)
    hint = f"did you mean {near[0]}?" if near else "`skills list` shows those there are."
    return WrongUsage(f"There is no skill '{name}'; {hint}")


def _described(one: FoundSkill) -> dict[str, Any]:
    described = {"name": one.spec.tool_id, "description": one.spec.summary, "folder": str(one.folder)}
    described |= {"type": one.spec.tool_type, "asks_first": one.spec.asks_first}
    written = asdict(one.skill) if one.skill else {"allowed_tools": None}
    return {**described, **{name: value for name, value in written.items() if name != "lines"}}


def _line(problem: "Problem") -> str:
    """`file:line: field: text`, as editors read it."""
    place = f"{problem.path}:{problem.line}" if problem.line is not None else str(problem.path)
    return ": ".join(filter(None, [place, problem.field, problem.text]))


def _described_problem(problem: "Problem") -> dict[str, Any]:
    place = {"file": str(problem.path), "line": problem.line, "field": problem.field}
    return {**place, "text": problem.text, "fatal": problem.fatal}
