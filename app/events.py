"""What a run tells while it works, as `stream` yields it: plain data, told apart by `event`."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from switchyard.ledger.context import RunStatus, StepStatus


class _OfRun(TypedDict):
    run_id: str


class RunBegan(_OfRun):
    """The first of every run."""

    event: Literal["run"]
    question: str


class PlanMade(_OfRun):
    """A plan, the first or a new one; `steps` are those of `ledger.plan.Step`, `asks` of `ledger.plan.Ask`."""

    event: Literal["plan"]
    by: str
    revision: int
    steps: list[dict[str, Any]]
    asks: list[dict[str, Any]]


class ToolsAssigned(_OfRun):
    """Tools and arguments for steps: `ledger.decisions.Assignment`."""

    event: Literal["assignments"]
    assignments: list[dict[str, Any]]


class StepMoved(_OfRun):
    """A step began, or ended."""

    event: Literal["step"]
    id: str
    state: Literal["running"] | StepStatus
    tool: str | None
    item: NotRequired[int | None]
    attempt: NotRequired[int]
    arguments: NotRequired[dict[str, Any]]
    ms: NotRequired[float]
    text: NotRequired[str]
    error: NotRequired[str | None]


class SkillCalled(_OfRun):
    """A skill calls a tool inside a step."""

    event: Literal["skill_call"]
    id: str
    skill: str
    tool: str
    action: str | None
    arguments: dict[str, Any]


class ResultsJudged(_OfRun):
    """What the results of a round are worth, by step: `ledger.decisions.Verdict`."""

    event: Literal["verdicts"]
    verdicts: dict[str, dict[str, Any]]


class Decided(_OfRun):
    """How the run goes on, and why."""

    event: Literal["decision"]
    action: str
    reason: str
    by: str
    steps: list[str]


class PlainerWay(_OfRun):
    """A plainer way was taken, such as the rules' where a model failed."""

    event: Literal["downgrade"]
    agent: str
    reason: str


class ModelCalled(_OfRun):
    """A model call ended."""

    event: Literal["model_call"]
    agent: str
    ms: float
    error: str | None


class ApprovalWanted(_OfRun):
    """Calls wait for a person: `ApprovalRequest`. The run stops; `resume` goes on with it."""

    event: Literal["approval"]
    requests: list[dict[str, Any]]


class AnswerText(TypedDict):
    """A piece of the answer as a model writes it."""

    event: Literal["token"]
    text: str


class Answered(_OfRun):
    """The last of a run that ended; `asks` are those of `ledger.context.AskState`."""

    event: Literal["answer"]
    status: RunStatus
    answer: str
    asks: list[dict[str, Any]]


Event = (
    RunBegan
    | PlanMade
    | ToolsAssigned
    | StepMoved
    | SkillCalled
    | ResultsJudged
    | Decided
    | PlainerWay
    | ModelCalled
    | ApprovalWanted
    | AnswerText
    | Answered
)
"""Any of them."""
