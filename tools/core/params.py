"""The base of every tool's parameter model."""

from pydantic import BaseModel, ConfigDict, Field


class BaseToolParams(BaseModel):
    """What a tool is called with. Unknown fields are refused, so that a misspelt one is named."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    explanation: str | None = Field(default=None, description="Why this call is made, in one sentence.")
