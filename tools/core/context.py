"""What a tool is told about the run it serves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.core.skill_host import SkillHost
from switchyard.tools.core.spec import Language


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The run, the step and the place a call belongs to."""

    workspace: Path
    """File tools stay inside this folder."""
    user: str = ""
    """Whose run it is; empty where users are not told apart."""
    run_id: str = ""
    thread_id: str = ""
    step_id: str = ""
    idempotency_key: str = ""
    """Equal for every repetition of the same attempt: a tool that writes can refuse to do it twice."""
    language: Language = "en"
    history: Sequence[Turn] = field(default=())
    """The conversation before the question under way, oldest first."""
    network: NetworkPolicy = field(default_factory=NetworkPolicy)
    """Which hosts network tools may reach, and who searches for them."""
    skill_host: SkillHost | None = None
    """The model and the tools a skill works with; None when the run has no model."""
    inside_skills: tuple[str, ...] = ()
    """The skills this call is made for, outermost first."""
