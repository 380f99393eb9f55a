"""What a run may cost, what it has cost, and the meter that stops it in time (R1.4)."""

import time
from typing import Literal

from pydantic import Field

from switchyard.language.messages import Message, message
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.late_model import LateModel

LimitName = Literal[
    "iterations", "attempts", "replans", "tool_calls", "seconds", "model_calls", "tokens", "recursion_limit"
]


def limit_reached(name: LimitName) -> Message:
    """That a run may not go on."""
    return message("limit_reached", name=name, limit=message(f"limit.{name}"))


class ToolTokens(LateModel):
    """What the tools cost in the prompts, against sending them all (R3.8)."""

    summaries: int = 0
    definitions: int = 0
    full_catalogue: int = 0

    def __add__(self, other: "ToolTokens") -> "ToolTokens":
        """Sums of what was sent; the catalogue is a size, not a sum."""
        return ToolTokens(
            summaries=self.summaries + other.summaries,
            definitions=self.definitions + other.definitions,
            full_catalogue=max(self.full_catalogue, other.full_catalogue),
        )


class Usage(LateModel):
    """What a run has taken; adding two usages loses nothing."""

    seconds: float = 0.0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0
    tool_tokens: ToolTokens = Field(default_factory=ToolTokens)

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of both."""
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


class Meter:
    """Counts what one node adds to a run and says when a limit of its options is reached."""

    def __init__(self, options: RunOptions, spent: Usage) -> None:
        self.options = options
        self.spent = spent
        self.added = Usage()
        self.hit: list[LimitName] = []
        self._started = time.monotonic()

    def allows_model_call(self) -> bool:
        """Whether another model call is within the limits."""
        both = (self.spent, self.added)
        if sum(one.model_calls for one in both) >= self.options.max_model_calls:
            return self._reach("model_calls")
        if sum(one.prompt_tokens + one.completion_tokens for one in both) >= self.options.max_tokens:
            return self._reach("tokens")
        return self.seconds_left() > 0 or self._reach("seconds")

    def take_tool_call(self) -> bool:
        """Count a tool call, if one more is within the limits."""
        if self.spent.tool_calls + self.added.tool_calls >= self.options.max_tool_calls:
            return self._reach("tool_calls")
        if self.seconds_left() <= 0:
            return self._reach("seconds")
        self.added.tool_calls += 1
        return True

    def seconds_left(self) -> float:
        """How long the run may go on; waiting for a person is not in it, nodes end before that."""
        return self.options.max_seconds - self.spent.seconds - (time.monotonic() - self._started)

    def reached_time(self) -> None:
        """Note that the run was stopped by its time limit."""
        self._reach("seconds")

    def close(self) -> Usage:
        """What this node added, its time included."""
        self.added.seconds = time.monotonic() - self._started
        return self.added

    def _reach(self, name: LimitName) -> Literal[False]:
        if name not in self.hit:
            self.hit.append(name)
        return False
