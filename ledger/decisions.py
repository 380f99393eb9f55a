"""What select_tools, verify and coordinate write down: assignments, verdicts, decisions."""

from typing import Any, Literal

from pydantic import BaseModel, Field

Action = Literal["execute_tool", "switch_tool", "replan", "complete"]
"""The four ways on; each is an edge of the graph."""

ACTIONS: tuple[Action, ...] = ("execute_tool", "switch_tool", "replan", "complete")
"""In the order in which they are tried without a model."""

By = Literal["model", "rules"]

NO_TOOL = "none"
"""The name of reasoning without a tool."""


class Candidate(BaseModel):
    """A tool that may serve a step, and why."""

    tool: str
    score: float = 0.0
    why: str = ""


class Assignment(BaseModel):
    """A step with its tools in order and its arguments."""

    step_id: str
    candidates: list[Candidate] = Field(default_factory=list[Candidate])
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Literals, and `{{step.path}}` references."""
    late: bool = False
    """The arguments can only be written when the results they need are there."""
    missing: list[str] = Field(default_factory=list[str])
    """Required arguments nobody could fill."""
    withheld: list[str] = Field(default_factory=list[str])
    """Tools that would serve the step and are switched off, where no other does."""
    by: By = "rules"

    @property
    def tool(self) -> str | None:
        """The first choice."""
        return self.candidates[0].tool if self.candidates else None


class Verdict(BaseModel):
    """What verification thinks of a result."""

    verified: bool
    confidence: float = 1.0
    issues: list[str] = Field(default_factory=list[str])


class Decision(BaseModel):
    """What coordinate decided, why, and who decided it."""

    action: Action
    reason: str
    by: By = "rules"
    steps: list[str] = Field(default_factory=list[str])
    """The steps it is about; empty means all that are not done."""
    arguments: dict[str, dict[str, Any]] = Field(default_factory=dict[str, dict[str, Any]])
    """Adjusted arguments by step, for `execute_tool`."""
    tools: dict[str, str] = Field(default_factory=dict[str, str])
    """The tools chosen by step, for `switch_tool`; where none is, the next one is taken."""


class Downgrade(BaseModel):
    """A better way was tried and a plainer one taken."""

    agent: str
    reason: str
    lasting: bool = False
    """The model cannot be reached: the rest of the run does not wait for it again."""
