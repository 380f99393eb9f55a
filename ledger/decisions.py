"""What select_tools, verify and coordinate write down: assignments, verdicts, decisions."""

from typing import Any, Literal

from pydantic import Field

from switchyard.language.messages import Said
from switchyard.ledger.stored import ReadOnce
from switchyard.tools.core.json_values import no_fields, no_items
from switchyard.tools.core.late_model import LateModel

Action = Literal["execute_tool", "switch_tool", "replan", "complete"]
"""The four ways on; each is an edge of the graph."""

Way = Literal[
    "first_try",
    "adjusted",
    "again",
    "other_arguments",
    "switch",
    "replan",
    "reason",
    "last_resort",
    "done",
    "stop",
    "nothing_left",
    "limit",
]
"""What speaks for a decision, to whoever acts on it; `Decision.reason` says it to people.

Calls: `first_try` of steps that never ran, with `adjusted` arguments, `again` as they were because the failure may
pass, with `other_arguments` that only a model can write. `reason`: no tool is left, and a model says what it knows.
`last_resort`: a model's ways led nowhere, and the rules read the question whole. Ends: every step is `done`, a model
may `stop` although there are other ways, there is `nothing_left` to try, a `limit` is reached.
"""

By = Literal["model", "rules"]

NO_TOOL = "none"
"""The name of reasoning without a tool."""


class Candidate(LateModel):
    """A tool that may serve a step, and why."""

    tool: str
    score: float = 0.0
    why: str = ""
    sure: bool = True
    """Whether the rules would take it by themselves; one that is not is a model's to choose, by name."""
    arguments: dict[str, Any] | None = None
    """Those of the tool it stands in for, which it takes as they are."""
    on_trial: bool = False
    """Only its arguments speak for it: what it gives counts where a field of it is called what is asked for."""


class Assignment(ReadOnce):
    """A step with its tools in order and its arguments."""

    step_id: str
    candidates: list[Candidate] = Field(default_factory=no_items)
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=no_fields)
    """Literals, and `{{step.path}}` references."""
    late: bool = False
    """The arguments can only be written when the results they need are there."""
    missing: list[str] = Field(default_factory=no_items)
    """Required arguments nobody could fill."""
    withheld: list[str] = Field(default_factory=no_items)
    """Tools that would serve the step and are switched off, where no other does."""
    by: By = "rules"

    @property
    def tool(self) -> str | None:
        """The first choice."""
        return self.candidates[0].tool if self.candidates else None


class Verdict(LateModel):
    """What verification thinks of a result."""

    verified: bool
    confidence: float = 1.0
    issues: list[Said] = Field(default_factory=no_items)


class Decision(LateModel):
    """What coordinate decided, why, and who decided it."""

    action: Action
    reason: str
    way: Way | None = None
    """None in what was stored before ways had names."""
    by: By = "rules"
    steps: list[str] = Field(default_factory=no_items)
    """The steps it is about; empty means all that are not done."""
    allowed: list[str] = Field(default_factory=no_items)
    """What it was chosen from: each action with its steps and why it was open."""
    arguments: dict[str, dict[str, Any]] = Field(default_factory=no_fields)
    """Adjusted arguments by step, for `execute_tool`."""
    candidates: dict[str, list[Candidate]] = Field(default_factory=no_fields)
    """The tools each step can be switched to, the chosen one first, for `switch_tool`."""


class Downgrade(LateModel):
    """A better way was tried and a plainer one taken."""

    agent: str
    reason: Said
    lasting: bool = False
    """The model cannot be reached: the rest of the run does not wait for it again."""
