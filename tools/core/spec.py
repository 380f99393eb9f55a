"""How a tool is described: to people, to recall, and to a model."""

import inspect
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from switchyard.language.words import Language

ToolType = Literal["function", "skill", "mcp_server"]
ToolSource = Literal["native", "skill", "mcp"]


class ToolCapability(BaseModel):
    """One operation of a tool with its own parameters; most tools have exactly one."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The JSON schema of the arguments."""
    examples: tuple[str, ...] = ()
    """Questions that this operation serves, and not its neighbours."""
    returns: str = ""
    answers: dict[Language, str] = Field(default_factory=dict[Language, str])
    writes: bool | None = None
    """None, here and below: as the tool says."""
    sends: bool | None = None
    needs_approval: bool | None = None
    refreshes: bool = False
    """Brings in anew what the other operations look at, such as a page: what failed on it may be tried again."""


class ToolSpec(BaseModel):
    """Everything known about a tool before it is called."""

    model_config = ConfigDict(frozen=True)

    name: str
    summary: str
    """One line: what the tool does."""
    details: str = ""
    type: ToolType = "function"
    source: ToolSource = "native"
    category: str = "general"
    tags: tuple[str, ...] = ()
    capability_tags: tuple[str, ...] = ()
    """Words like `search`: similar tools share them."""
    capabilities: tuple[ToolCapability, ...] = ()
    examples: tuple[str, ...] = ()
    """Questions or calls it serves well, in the words of users."""
    returns: str = ""
    """What comes back, in a few words."""
    returns_schema: dict[str, Any] | None = None
    answers: dict[Language, str] = Field(default_factory=dict[Language, str])
    """A sentence per language with `{field}` places, for answers without a model."""
    writes: bool = False
    """Changes something outside the run."""
    sends: bool = False
    """Sends data out of the machine."""
    needs_approval: bool | None = None
    """None: the policy decides from `writes` and `sends`."""
    timeout: float | None = None
    """Seconds a call may take; None takes the run's setting."""
    requires: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    sentences: tuple[str, ...] = Field(default=(), exclude=True)
    """What people say to it without a model, as templates; or they stand in a file beside it (`toolhub.sentences`)."""

    @property
    def priority(self) -> int:
        """Native tools come before skills, skills before MCP."""
        return {"native": 0, "skill": 1, "mcp": 2}[self.source]

    @property
    def asks_first(self) -> bool:
        """Whether a person approves each call; of several operations, whether one of them asks."""
        return any(self._asks(operation) for operation in self.capabilities or (_AS_THE_TOOL,))

    def capability(self, action: str | None) -> ToolCapability | None:
        """The named operation, or the only one when none is named."""
        if action is None or (action == self.name and len(self.capabilities) == 1):
            return self.capabilities[0] if len(self.capabilities) == 1 else None
        return next((capability for capability in self.capabilities if capability.name == action), None)

    def for_action(self, action: str | None) -> "ToolSpec":
        """The tool with this operation alone: what it takes, gives and changes, and whether a person is asked.

        Where none, or an unknown one, is named the tool stays as it is, as careful as its operations together want.
        """
        chosen = self.capability(action)
        if chosen is None:
            return self
        own = chosen.model_dump(include=_OWN, exclude_defaults=True)
        return self.model_copy(update={**own, "capabilities": (chosen,)})

    def _asks(self, operation: ToolCapability) -> bool:
        needs = self.needs_approval if operation.needs_approval is None else operation.needs_approval
        writes = self.writes if operation.writes is None else operation.writes
        sends = self.sends if operation.sends is None else operation.sends
        return (writes or sends) if needs is None else needs


_OWN = {"examples", "returns", "answers", "writes", "sends", "needs_approval"}
"""What an operation may say differently from its tool."""
_AS_THE_TOOL = ToolCapability(name="")


class ToolSummary(BaseModel):
    """The line stage two ranks by."""

    model_config = ConfigDict(frozen=True)

    name: str
    category: str
    description: str


class FunctionToolSpec(ToolSpec):
    """A tool that is a plain function, `def` or `async def`, for registration at run time.

    Without `capabilities`, the schema of the arguments is taken from the function's annotations. A parameter annotated
    with `ToolContext` is given the context of the call.
    """

    function: Callable[..., Any] = Field(exclude=True, repr=False)

    @classmethod
    def of(cls, function: Callable[..., Any], **fields: Any) -> "FunctionToolSpec":
        """A function described by its own name and docstring, as far as `fields` say nothing else."""
        summary, _, details = inspect.cleandoc(function.__doc__ or "").partition("\n")
        own = {"name": function.__name__, "summary": summary or function.__name__, "details": details.strip()}
        return cls.model_validate({**own, **fields, "function": function})


class MCPServerSpec(BaseModel):
    """An MCP server, for registration at run time: reached by `command` or by `url`."""

    model_config = ConfigDict(frozen=True)

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    cwd: str | None = None
    url: str | None = Field(default=None, repr=False)
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    timeout: float | None = None

    def entry(self) -> dict[str, Any]:
        """The server as `mcp.local.json` has it."""
        return self.model_dump(exclude={"name"}, exclude_defaults=True, mode="json")
