"""Skills: folders with a SKILL.md in the open Agent Skills format, and classes in Python files (R4.6)."""

from switchyard.toolhub.sources.skills.format import Problem, Skill
from switchyard.toolhub.sources.skills.source import (
    SkillDiscovery,
    check_skill,
    discover_skills,
    name_taken,
    skill_files,
)

__all__ = ["Problem", "Skill", "SkillDiscovery", "check_skill", "discover_skills", "name_taken", "skill_files"]
