"""How a tool is described: to people, to recall, and to a model."""

import inspect
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from switchyard.language.words import Language
from switchyard.tools.core.json_values import is_object

ToolSource = Literal["native", "skill", "mcp"]

_SLOT = re.compile(r"\{\w+:\w+\}")


class ToolType(StrEnum):
    """What runs a tool: code in this process, a skill, or an MCP server."""

    FUNCTION = "function"
    SKILL = "skill"
    MCP_SERVER = "mcp_server"


class ToolCapability(BaseModel):
    """One operation of a tool with its own parameters; most tools have exactly one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The JSON schema of the arguments; `{"url": {"type": "string", "required": True}}` is made one."""
    examples: tuple[dict[str, Any], ...] = ()
    """Arguments it is called with."""
    category: str = "general"
    sentences: tuple[str, ...] = ()
    """What people say to this operation, and not to its neighbours."""
    returns: str = ""
    answers: dict[Language, str] = Field(default_factory=dict[Language, str])
    writes: bool | None = None
    """None, here and below: as the tool says."""
    sends: bool | None = None
    needs_approval: bool | None = None
    refreshes: bool = False
    """Brings in anew what the other operations look at, such as a page: what failed on it may be tried again."""

    @property
    def asked(self) -> tuple[str, ...]:
        """What people ask of it in these very words: no templates."""
        return _without_slots(self.sentences)

    @field_validator("parameters", mode="before")
    @classmethod
    def _as_schema(cls, given: Any) -> Any:
        """Fields by name, each saying for itself whether it is required, as a JSON schema."""
        if not is_object(given) or not given or not all(is_object(field) for field in given.values()):
            return given
        if any(name.startswith("$") for name in given):
            return given
        if "properties" in given and not isinstance(given["properties"].get("type"), str):
            return given  # a schema that leaves its own type out
        fields = {name: dict(field) for name, field in given.items()}
        required = [name for name, field in fields.items() if field.get("required") is True]
        for field in fields.values():
            if isinstance(field.get("required"), bool):
                del field["required"]
        return {"type": "object", "properties": fields, "required": required}


class ToolSpec(BaseModel):
    """Everything known about a tool before it is called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool_id: str
    """What it is called by."""
    name: str = ""
    """A title for people; the id where there is none."""
    description: str = ""
    """What the tool does: its first line alone is what it is chosen by."""
    tool_type: ToolType = ToolType.FUNCTION
    source: ToolSource = "native"
    category: str = "general"
    tags: tuple[str, ...] = ()
    capability_tags: tuple[str, ...] = ()
    """Words like `search`: similar tools share them."""
    capabilities: tuple[ToolCapability, ...] = ()
    sentences: tuple[str, ...] = ()
    """What people say to it. One with a slot, `reverse {text:text}`, is a template that a question is read by without a
    model (`toolhub.sentences`); the others are what it is found by."""
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
    server: str = ""
    """What the server it comes from says of itself: its title and the beginning of its instructions. It is found by
    that, too."""
    requires: tuple[str, ...] = ()
    produces: tuple[str, ...] = ()
    version: str = "1.0.0"
    enabled: bool = True
    """Whether it is offered."""
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Whatever its owner keeps with it."""

    @model_validator(mode="before")
    @classmethod
    def _titled(cls, given: Any) -> Any:
        return {**given, "name": given.get("name") or given.get("tool_id", "")} if is_object(given) else given

    @property
    def summary(self) -> str:
        """One line: what the tool does."""
        return self.description.strip().partition("\n")[0].strip()

    @property
    def details(self) -> str:
        """What there is to know beyond that."""
        return self.description.strip().partition("\n")[2].strip()

    @property
    def asked(self) -> tuple[str, ...]:
        """What people ask of it in these very words: no templates."""
        return _without_slots(self.sentences)

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
        if action is None or (action == self.tool_id and len(self.capabilities) == 1):
            return self.capabilities[0] if len(self.capabilities) == 1 else None
        return next((capability for capability in self.capabilities if capability.name == action), None)

    def for_action(self, action: str | None) -> "ToolSpec":
        """The tool with this operation alone: what it takes, gives and changes, and whether a person is asked.

        Where none, or an unknown one, is named the tool stays as it is, as careful as its operations together want.
        """
        chosen = self.capability(action)
        if chosen is None:
            return self
        said = chosen.model_fields_set & _OWN
        own = {name: value for name in said if (value := getattr(chosen, name)) != getattr(_AS_THE_TOOL, name)}
        if not own and len(self.capabilities) == 1:
            return self
        return self.model_copy(update={**own, "capabilities": (chosen,)})

    def _asks(self, operation: ToolCapability) -> bool:
        needs = self.needs_approval if operation.needs_approval is None else operation.needs_approval
        writes = self.writes if operation.writes is None else operation.writes
        sends = self.sends if operation.sends is None else operation.sends
        return (writes or sends) if needs is None else needs


_OWN = {"sentences", "returns", "answers", "writes", "sends", "needs_approval"}
"""What an operation may say differently from its tool."""
_AS_THE_TOOL = ToolCapability(name="")


def _without_slots(sentences: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences if not has_slot(sentence))


def has_slot(sentence: str) -> bool:
    """Whether a sentence is a template."""
    return bool(_SLOT.search(sentence))


class ToolSummary(BaseModel, defer_build=True):
    """The line stage two ranks by."""

    model_config = ConfigDict(frozen=True)

    tool_id: str
    name: str
    category: str
    description: str
    """The whole of it, never cut."""

    @classmethod
    def of(cls, spec: ToolSpec) -> "ToolSummary":
        """The summary of a tool."""
        return cls(tool_id=spec.tool_id, name=spec.name, category=spec.category, description=spec.description)


class FunctionToolSpec(ToolSpec, defer_build=True):
    """A tool that runs in this process, for registration at run time.

    It is a plain `function`, `def` or `async def`; or the class `class_name` in the module `module_path`, made with
    `init_params`. Such a class has what `@tool()` gives it, or a method for each of the `capabilities`, by its name.
    Without `capabilities`, the schema of the arguments is taken from annotations. A parameter annotated with
    `ToolContext` is given the context of the call.
    """

    function: Callable[..., Any] | None = Field(default=None, exclude=True, repr=False)
    module_path: str = ""
    class_name: str = ""
    init_params: dict[str, Any] = Field(default_factory=dict[str, Any], exclude=True, repr=False)

    @classmethod
    def of(cls, function: Callable[..., Any], **fields: Any) -> "FunctionToolSpec":
        """A function described by its own name and docstring, as far as `fields` say nothing else."""
        name = function.__name__
        own = {"tool_id": name, "description": inspect.cleandoc(function.__doc__ or "") or name}
        return cls.model_validate({**own, **fields, "function": function})


class MCPServerSpec(ToolSpec, defer_build=True):
    """An MCP server, for registration at run time: reached at an `endpoint`, or started by a `command`.

    Its tools are `tool_id/NAME`; what they are is what the server says. They have the `tags` that are given here, and
    the examples and the category of the capability of their name.
    """

    tool_type: ToolType = ToolType.MCP_SERVER
    source: ToolSource = "mcp"
    endpoint: str = Field(default="", repr=False)
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    cwd: str = ""
    headers: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    server_config: dict[str, Any] = Field(default_factory=dict[str, Any], repr=False)
    """The same as an object, in the form of `mcp.local.json`."""
    connection_params: dict[str, Any] = Field(default_factory=dict[str, Any], repr=False)
    """More of it, such as `timeout` and `headers`."""

    def entry(self) -> dict[str, Any]:
        """The server as `mcp.local.json` has it."""
        own = self.model_dump(include=_OF_THE_SERVER, exclude_defaults=True, mode="json")
        address = {"url": self.endpoint} if self.endpoint else {}
        return {**self.server_config, **self.connection_params, **own, **address}


_OF_THE_SERVER = {"command", "args", "env", "cwd", "headers", "timeout"}
