"""What a caller may choose for one run. Studio shows these as form fields."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from switchyard.language.messages import message, quoted
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.json_values import is_mapping

ALL_TOOLS = "<all>"
CONTEXT_KEY = "switchyard"
"""Where the context of a graph around ours has our options, as a field or as a key."""

RulesFirst = Literal["never", "exact", "always"]
Judge = Literal["never", "doubt", "always"]


def _as_judge(value: object) -> object:
    """Yes and no, as they are said here and in variables of the environment, mean all results and none."""
    return {"true": "always", "1": "always", "false": "never", "0": "never"}.get(str(value).lower(), value)


class RunOptions(BaseModel):
    """The settings of a run. What is not given is taken from the orchestrator's own settings."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(
        default=None,
        description="Model name, or provider:model. Empty: the configured one. 'none': work by rules alone.",
    )
    agent_models: dict[str, str] = Field(
        default_factory=dict[str, str],
        description="A model per agent (planning, tool_selection, execution, verification, coordination).",
    )
    user: str = Field(
        default="",
        max_length=200,
        description="Whose experience is used and added to. Empty: users are not told apart.",
    )
    tools: Annotated[list[str], BeforeValidator(lambda value: value or [ALL_TOOLS])] = Field(  # a form left empty
        default_factory=lambda: [ALL_TOOLS], description="The tools the run may use, by name; '<all>' means every one."
    )
    only_specified: bool = Field(
        default=False, description="Use the tools named under `tools` without recommending among all."
    )
    fixed: list[str] = Field(default_factory=list[str], description="Tools that are always offered, by name.")
    recall_topk: int = Field(default=20, ge=1, le=200, description="How many tools stage one recalls for a step.")
    topk: int = Field(default=5, ge=1, le=20, description="How many tools stage two keeps for a step.")
    planner_definitions: int = Field(
        default=400,
        ge=0,
        description="Tokens of definitions, of the first tools recalled, that the planner reads, to write arguments by "
        "itself. 0: it reads lines alone, and arguments are asked for in a call of their own.",
    )
    max_iterations: int = Field(default=20, ge=1, description="Rounds of execute, verify and coordinate.")
    max_attempts: int = Field(default=3, ge=1, description="Attempts per tool and step.")
    max_replans: int = Field(default=3, ge=0, description="New plans after the first.")
    max_stalls: int = Field(
        default=2, ge=1, description="Rounds that found out nothing, after which a model writes no more arguments."
    )
    max_tool_calls: int = Field(default=100, ge=0, description="Tool calls in the whole run.")
    max_seconds: float = Field(default=300.0, gt=0, description="Seconds of work; waiting for a person is free.")
    max_model_calls: int = Field(default=30, ge=0, description="Model calls in the whole run.")
    max_tokens: int = Field(default=200_000, ge=0, description="Prompt and completion tokens in the whole run.")
    max_parallel: int = Field(default=8, ge=1, le=64, description="Steps that run at the same time.")
    max_items: int = Field(default=50, ge=1, le=500, description="Items a for-each step runs over.")
    tool_timeout: float = Field(default=30.0, gt=0, description="Seconds per tool call; a tool may set its own.")
    retry_delay: float = Field(
        default=0.5, ge=0, description="Seconds before a call that failed in passing is tried again; doubles each time."
    )
    rules_first: RulesFirst = Field(
        default="exact",
        description="What the rules plan although there is a model: nothing, what is certain (a calculation, a time, a "
        "tool named by its id), or all they read whole.",
    )
    judge: Annotated[Judge, BeforeValidator(_as_judge)] = Field(
        default="doubt",
        description="Which results a model judges as well: none, those of steps the planner calls hard and those that "
        "the rules leave in doubt, or all.",
    )
    word_for_word: bool = Field(
        default=False,
        description="A tool's own sentence about its verified result is the answer, where one step was all that was "
        "asked; no model words it.",
    )
    auto_approve: bool = Field(default=False, description="Run tools that write or send without asking.")
    tool_messages: bool = Field(
        default=False,
        description="Add the tool calls and their results to the conversation, for chat pages that show such messages.",
    )
    plan_only: bool = Field(default=False, description="Stop after the plan.")

    @property
    def allows_all(self) -> bool:
        """Whether any tool may be used."""
        return ALL_TOOLS in self.tools

    @property
    def named_tools(self) -> list[str]:
        """The tools that are named, each once."""
        return [name for name in dict.fromkeys([*self.tools, *self.fixed]) if name != ALL_TOOLS]

    def overridden_by(self, chosen: "RunOptions | None") -> "RunOptions":
        """These options with what a caller chose for one run."""
        return self if chosen is None else self.model_copy(update=chosen.model_dump(exclude_unset=True))


def options_of(context: object) -> RunOptions | None:
    """A caller's options in the context of a run; a graph around ours has a context of its own, with them inside.

    Raises:
        SettingsInvalid: when they cannot be read.
    """
    if context is None or isinstance(context, RunOptions):
        return context
    inner: Any = context.get(CONTEXT_KEY) if is_mapping(context) else getattr(context, CONTEXT_KEY, None)
    if inner is None or isinstance(inner, RunOptions):
        return inner
    try:
        return RunOptions.model_validate(inner)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in wrong["loc"]) or CONTEXT_KEY
        raise SettingsInvalid(message("option_unusable", name=name, why=quoted(wrong["msg"]))) from error
