"""How a tool is described: to people, to recall, and to a model."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["en", "zh"]
ToolType = Literal["function", "skill", "mcp_server"]
ToolSource = Literal["native", "skill", "mcp"]


class ToolCapability(BaseModel):
    """One operation of a tool with its own parameters; most tools have exactly one."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The JSON schema of the arguments."""


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

    @property
    def priority(self) -> int:
        """Native tools come before skills, skills before MCP."""
        return {"native": 0, "skill": 1, "mcp": 2}[self.source]

    @property
    def asks_first(self) -> bool:
        """Whether a person approves each call."""
        return (self.writes or self.sends) if self.needs_approval is None else self.needs_approval

    def capability(self, action: str | None) -> ToolCapability | None:
        """The named operation, or the only one when none is named."""
        if action is None or (action == self.name and len(self.capabilities) == 1):
            return self.capabilities[0] if len(self.capabilities) == 1 else None
        return next((capability for capability in self.capabilities if capability.name == action), None)


class ToolSummary(BaseModel):
    """The line stage two ranks by."""

    model_config = ConfigDict(frozen=True)

    name: str
    category: str
    description: str
