"""`skills`: which there are, what one says, and what is wrong with them."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchyard.app.commands.running import EXIT, complain, print_json, run_command
from switchyard.app.commands.trusting import in_untrusted_folder, tell_untrusted
from switchyard.app.console import Console
from switchyard.app.hub import find_places, open_library
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.toolhub.descriptions import definition
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.sources.native import BrokenFile
from switchyard.toolhub.sources.skills import (
    Problem,
    Skill,
    SkillDiscovery,
    check_skill,
    discover_skills,
    name_taken,
    skill_files,
)
from switchyard.toolhub.sources.skills.format import read_skill, skill_file
from switchyard.toolhub.sources.skills.runner import listed_files
from switchyard.tools.core.errors import ToolUnknown
from switchyard.tools.core.plain_words import counted
from switchyard.tools.core.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Found:
    """A skill and where it is; one written in Python has no SKILL.md."""

    spec: ToolSpec
    folder: Path
    file: Path
    skill: Skill | None

    @property
    def allowed(self) -> str:
        """The tools it may call, as its author wrote them."""
        if self.skill is None:
            return "(Python)"
        return "any" if self.skill.allowed_tools is None else " ".join(self.skill.allowed_tools)


def list_skills(*, as_json: bool, **given: Any) -> int:
    """List the skills, and those that cannot be used."""

    async def work(settings: Settings) -> int:
        await tell_untrusted(settings)
        discovered = await asyncio.to_thread(_discover, settings)
        broken = [file for one in discovered.values() for file in one.broken]
        found = _found(discovered)
        if as_json:
            print_json({"skills": [_described(one) for one in found], "broken": list(map(_described_problem, broken))})
            return 0
        rows = [(one.spec.name, str(one.folder), one.allowed, one.spec.summary) for one in found]
        Console().show_table(("name", "folder", "allowed tools", "what it does"), rows, cut=True)
        for file in broken:
            complain(_line(file))
        return 0

    return run_command(work, **given)


def show_skill(name: str, *, as_json: bool, **given: Any) -> int:
    """Show a skill: its front matter, its files, its instructions."""

    async def work(settings: Settings) -> int:
        found = _found(await asyncio.to_thread(_discover, settings))
        one = next((one for one in found if one.spec.name == name), None)
        if one is None:
            raise await in_untrusted_folder(settings, name) or _unknown(name, found)
        skill = one.skill
        files = listed_files(skill.folder) if skill else []
        if as_json:
            more = {"files": files, "instructions": skill.instructions()} if skill else {}
            print_json({**_described(one), **more})
            return 0
        if skill is None:
            Console().say(f"{definition(one.spec)}\nfolder: {one.folder}")
            return 0
        said = {"name": skill.name, "description": skill.description, "allowed-tools": one.allowed}
        said |= {"license": skill.license, "compatibility": skill.compatibility, **skill.metadata}
        said |= {"folder": str(skill.folder), "files": ", ".join(files)}
        lines = [f"{field}: {text}" for field, text in said.items() if text]
        Console().say("\n".join([*lines, "", skill.instructions()]))
        return 0

    return run_command(work, **given)


def check_skills(which: str | None, *, as_json: bool, **given: Any) -> int:
    """Say everything that is wrong with one skill, those of a folder, or all."""

    async def work(settings: Settings) -> int:
        discovered = await asyncio.to_thread(_discover, settings)
        async with open_library(settings) as library:
            tools = {spec.name for spec in library.registry}
            taken = _native_tools(library)
        folders = _to_check(which, discovered)
        if which and not folders:
            raise await in_untrusted_folder(settings, which) or _unknown(which, _found(discovered))
        problems: list[BrokenFile] = [] if which else [file for one in discovered.values() for file in one.broken]
        for folder in folders:
            problems += check_skill(folder, tools)
        problems += _clashes(discovered, folders, taken, everything=which is None)
        problems = list(dict.fromkeys(problems))  # what keeps a skill from loading is found twice
        if as_json:
            checked = [str(folder) for folder in folders]
            print_json({"checked": checked, "problems": list(map(_described_problem, problems))})
        else:
            for problem in problems:
                Console().say(_line(problem) if _is_fatal(problem) else f"{_line(problem)} (note)")
            fatal = sum(map(_is_fatal, problems))
            counts = f"{counted(fatal, 'error')}, {counted(len(problems) - fatal, 'note')}"
            Console().say(f"{len(folders)} SKILL.md checked: {counts}.")
        return EXIT["failed"] if any(map(_is_fatal, problems)) else 0

    return run_command(work, **given)


def _discover(settings: Settings) -> dict[Path, SkillDiscovery]:
    """What each folder of skills has, ours first."""
    places = find_places(settings)
    found: dict[Path, SkillDiscovery] = {}
    taken: dict[str, Path] = {}
    for folder, package in [(ROOT / "skills", "switchyard.skills"), *((folder, None) for folder in places.skills)]:
        if folder.is_dir():
            found[folder] = here = discover_skills(folder, package, taken=taken)
            taken |= {tool.spec.name: tool.file or folder for tool in here.tools}
    return found


def _found(discovered: dict[Path, SkillDiscovery]) -> list[Found]:
    found: list[Found] = []
    for folder, here in discovered.items():
        skills = {skill.name: skill for skill in here.skills}
        for tool in here.tools:
            skill = skills.get(tool.spec.name)
            found.append(Found(tool.spec, skill.folder if skill else folder, tool.file or folder, skill))
    return sorted(found, key=lambda one: one.spec.name)


def _to_check(which: str | None, discovered: dict[Path, SkillDiscovery]) -> list[Path]:
    """The folders of the skills that are meant: by name, by folder, or all."""
    everywhere = _skill_folders(discovered)
    if which is None:
        return everywhere
    named = [one.folder for one in _found(discovered) if one.skill and one.spec.name == which]
    named = named or [folder for folder in everywhere if folder.name == which]  # a broken one has no other name
    if named:
        return named
    folder = Path(which).expanduser().absolute()
    if not folder.is_dir():
        return []
    return [file.parent for file in skill_files(folder)] or [folder]


def _native_tools(library: UnifiedToolLibrary) -> dict[str, Path]:
    """The tools that are no skills, with their files."""
    candidates = [tool for spec in library.registry for tool in library.registry.candidates(spec.name)]
    return {tool.spec.name: tool.file for tool in candidates if tool.spec.source == "native" and tool.file}


def _skill_folders(discovered: dict[Path, SkillDiscovery]) -> list[Path]:
    return [file.parent for folder in discovered for file in skill_files(folder.absolute())]


def _clashes(
    discovered: dict[Path, SkillDiscovery], folders: list[Path], tools: dict[str, Path], *, everything: bool
) -> list[Problem]:
    """Names that a skill that is checked shares with another skill or with a tool; the one that is used has it."""
    used = [(one.spec.name, one.file) for one in _found(discovered)]
    checked = _named(folders)
    owners: dict[str, dict[Path, None]] = {name: {file: None} for name, file in tools.items()}
    for name, file in [*used, *_named(_skill_folders(discovered)), *checked]:
        owners.setdefault(name, {})[file] = None
    clashes: list[Problem] = []
    for name in dict.fromkeys(name for name, _ in (checked + used if everything else checked)):
        first, *others = owners[name]
        clashes += [name_taken(name, other, first) for other in others]
    return clashes


def _named(folders: list[Path]) -> list[tuple[str, Path]]:
    """The name each SKILL.md gives itself, with its file."""
    files = [file for folder in folders if (file := skill_file(folder))]
    return [(skill.name, file) for file in files if (skill := read_skill(file)[0])]


def _unknown(name: str, found: list[Found]) -> ToolUnknown:
    from rapidfuzz import process  # noqa: PLC0415  only mistakes need it

    near = process.extractOne(name, [one.spec.name for one in found], score_cutoff=50)
    hint = f"did you mean {near[0]}?" if near else "`skills list` shows those there are."
    return ToolUnknown(f"There is no skill '{name}'; {hint}")


def _described(one: Found) -> dict[str, Any]:
    skill = one.skill
    written = list(skill.allowed_tools) if skill and skill.allowed_tools is not None else None
    described: dict[str, Any] = {
        "name": one.spec.name,
        "description": one.spec.summary,
        "folder": str(one.folder),
        "type": one.spec.type,
        "allowed_tools": written,
        "asks_first": one.spec.asks_first,
    }
    if skill is not None:
        described |= {"license": skill.license, "compatibility": skill.compatibility, "metadata": skill.metadata}
    return described


def _is_fatal(problem: BrokenFile) -> bool:
    return not isinstance(problem, Problem) or problem.fatal


def _line(problem: BrokenFile) -> str:
    """`file:line: field: text`, as editors read it."""
    if not isinstance(problem, Problem):
        return f"{problem.path}: {problem.error}"
    place = f"{problem.path}:{problem.line}" if problem.line is not None else str(problem.path)
    return ": ".join([place, *([problem.field] if problem.field else []), problem.text])


def _described_problem(problem: BrokenFile) -> dict[str, Any]:
    if not isinstance(problem, Problem):
        return {"file": str(problem.path), "line": None, "field": None, "text": problem.error, "fatal": True}
    return {
        "file": str(problem.path),
        "line": problem.line,
        "field": problem.field,
        "text": problem.text,
        "fatal": problem.fatal,
    }
