"""What a run may cost, what it has cost, and the meter that stops it in time (R1.4)."""

import time
from typing import Literal

from pydantic import BaseModel, Field

from switchyard.language.messages import Message, message

LimitName = Literal[
    "iterations", "attempts", "replans", "tool_calls", "seconds", "model_calls", "tokens", "recursion_limit"
]


def limit_reached(name: LimitName) -> Message:
    """That a run may not go on."""
    return message("limit_reached", name=name, limit=message(f"limit.{name}"))


class Limits(BaseModel):
    """The most a run may take of each."""

    iterations: int = 20
    attempts: int = 3
    replans: int = 3
    tool_calls: int = 100
    seconds: float = 300.0
    model_calls: int = 30
    tokens: int = 200_000


class ToolTokens(BaseModel):
    """What the tools cost in the prompts, against sending them all (R3.8)."""

    summaries: int = 0
    definitions: int = 0
    full_catalogue: int = 0

    def plus(self, other: "ToolTokens") -> "ToolTokens":
        """Sums of what was sent; the catalogue is a size, not a sum."""
        return ToolTokens(
            summaries=self.summaries + other.summaries,
            definitions=self.definitions + other.definitions,
            full_catalogue=max(self.full_catalogue, other.full_catalogue),
        )


class Usage(BaseModel):
    """What a run has taken; adding two usages loses nothing."""

    seconds: float = 0.0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: int = 0
    tool_tokens: ToolTokens = Field(default_factory=ToolTokens)

    def plus(self, other: "Usage") -> "Usage":
        """The sum of both."""
        return Usage(
            seconds=self.seconds + other.seconds,
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            tool_tokens=self.tool_tokens.plus(other.tool_tokens),
        )


class Meter:
    """Counts what one node adds to a run and says when a limit is reached."""

    def __init__(self, limits: Limits, spent: Usage) -> None:
        self.limits = limits
        self.spent = spent
        self.added = Usage()
        self.hit: list[LimitName] = []
        self._started = time.monotonic()

    def allows_model_call(self) -> bool:
        """Whether another model call is within the limits."""
        tokens = self._total("prompt_tokens") + self._total("completion_tokens")
        if self._total("model_calls") >= self.limits.model_calls:
            self._reach("model_calls")
        elif tokens >= self.limits.tokens:
            self._reach("tokens")
        elif self.seconds_left() <= 0:
            self._reach("seconds")
        else:
            return True
        return False

    def take_tool_call(self) -> bool:
        """Count a tool call, if one more is within the limits."""
        if self._total("tool_calls") >= self.limits.tool_calls:
            self._reach("tool_calls")
            return False
        if self.seconds_left() <= 0:
            self._reach("seconds")
            return False
        self.added.tool_calls += 1
        return True

    def count_model_call(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Count a model call and its tokens."""
        self.added.model_calls += 1
        self.added.prompt_tokens += prompt_tokens
        self.added.completion_tokens += completion_tokens

    def seconds_left(self) -> float:
        """How long the run may go on; waiting for a person is not in it, nodes end before that."""
        return self.limits.seconds - self.spent.seconds - (time.monotonic() - self._started)

    def reached_time(self) -> None:
        """Note that the run was stopped by its time limit."""
        self._reach("seconds")

    def close(self) -> Usage:
        """What this node added, its time included."""
        self.added.seconds = time.monotonic() - self._started
        return self.added

    def _total(self, name: Literal["model_calls", "prompt_tokens", "completion_tokens", "tool_calls"]) -> int:
        return int(getattr(self.spent, name)) + int(getattr(self.added, name))

    def _reach(self, name: LimitName) -> None:
        if name not in self.hit:
            self.hit.append(name)
