"""Finds skills: folders with a SKILL.md, and classes in Python files. A broken one costs itself only (R4.6)."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import Discovery, discover
from switchyard.toolhub.sources.skills.format import (
    RUN_SCRIPT,
    Problem,
    Skill,
    allows,
    names_nothing,
    problem,
    read_skill,
    skill_file,
    tool_ids,
)
from switchyard.toolhub.sources.skills.runner import SkillParams, SkillRunner
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.files import NEVER_ENTERED
from switchyard.tools.core.spec import ToolCapability, ToolSpec, ToolType

SECONDS = 300.0
"""A skill takes many turns; the run's own time limit holds besides."""
DEEPEST = 3
"""Levels of folders that are searched, for collections that sort their skills."""


def discover_skills(folder: Path, package: str | None = None, *, taken: Mapping[str, Path] | None = None) -> Discovery:
    """The skills of a folder; of each SKILL.md only the front matter is read.

    A second one of a name that is `taken`, by the file that is given there, is reported and not used.
    """
    python = discover(folder, package, packages=False)
    tools = [replace(tool, spec=tool.spec.model_copy(update={"source": "skill"})) for tool in python.tools]
    found, used = Discovery(broken=python.broken), dict(taken or {})
    for file in skill_files(folder.absolute()):  # the skill is still there when somebody changes the folder
        skill, problems = read_skill(file)
        found.broken += [one for one in problems if one.fatal]
        if skill is not None:
            scripts = allows(skill.allowed_tools, RUN_SCRIPT) and any(skill.folder.rglob("*.py"))
            tools.append(RegisteredTool(_spec(skill, scripts=scripts), SkillRunner(skill, scripts=scripts), file))
    for tool in tools:
        name, file = tool.spec.tool_id, tool.file or folder
        if name in used:
            text = f"the name '{name}' is taken by {used[name]}; rename one of the two."
            found.broken.append(problem(file, text, field="name"))
        else:
            used[name] = file
            found.tools.append(tool)
    return found


def check_skill(folder: Path, tools: Collection[str] | None = None) -> list[Problem]:
    """Everything that is wrong with a skill; of the tools it names, where it is given which there are."""
    file = skill_file(folder)
    if file is None:
        return [problem(folder, "there is no SKILL.md in this folder.")]
    skill, problems = read_skill(file)
    if skill is None:
        return problems
    try:
        if not skill.instructions():
            problems.append(problem(file, "there are no instructions below the front matter.", fatal=False))
    except ToolFailed as error:
        problems.append(problem(file, str(error)))
    wrong: list[str] = []
    for written in skill.allowed_tools or ():
        if skill.name in tool_ids(written):
            wrong.append(f"'{written}' is the skill itself; a skill does not call itself.")
        elif names_nothing(written, lambda name: tools is None or name in tools):
            wrong.append(f"there is no tool here that '{written}' names; it is left out.")
    line = skill.lines.get("allowed-tools")
    return problems + [problem(file, text, line=line, field="allowed-tools", fatal=False) for text in wrong]


def skill_files(folder: Path, folders: list[Path] | None = None, levels: int = DEEPEST) -> list[Path]:
    """The SKILL.md of every skill in a folder or of the folder itself; `folders` takes those it enters."""
    if folders is not None:
        folders.append(folder)
    if file := skill_file(folder):
        return [file]
    inside = [one for one in sorted(folder.iterdir()) if one.is_dir()] if levels else []
    entered = [one for one in inside if not one.name.startswith((".", "_")) and one.name not in NEVER_ENTERED]
    return [file for one in entered for file in skill_files(one, folders, levels - 1)]


def _spec(skill: Skill, *, scripts: bool) -> ToolSpec:
    summary = " ".join(skill.description.split())
    parameters = SkillParams.model_json_schema()
    return ToolSpec(
        tool_id=skill.name,
        description=summary,
        tool_type=ToolType.SKILL,
        source="skill",
        category="skill",
        capabilities=(ToolCapability(name=skill.name, description=summary, parameters=parameters),),
        returns="answer (a text, or the list or object asked for), tools (the names of those it called), not_done "
        "(calls that nobody approved)",
        answers={"en": "{answer}", "zh": "{answer}"},
        writes=scripts,  # nobody knows what a script changes: a person is asked before the skill starts
        timeout=SECONDS,
    )
