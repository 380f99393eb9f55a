"""How a server is, how long things with it may take, and how a call to it can go wrong beside the tool's own answer."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

ServerState = Literal["idle", "starting", "ready", "down", "disabled", "invalid"]


class NotSent(Exception):
    """The connection had ended before the call was sent: another one can take it."""


class Garbage(Exception):
    """The server said something that is no MCP message."""


class ServerFailed(Exception):
    """The server could not be started or reached, or broke; the text says why and what to change."""


class ServerHealth(BaseModel):
    """How a server is."""

    name: str
    transport: str = ""
    state: ServerState
    tools: int = 0
    error: str = ""
    """The last thing that went wrong since the server was last reached."""
    latency_ms: float | None = None
    """Of the last call."""
    calls: int = 0
    failed_calls: int = 0
    restarts: int = 0

    @property
    def problem(self) -> str | None:
        """What it is and why, where it cannot be used although it should: `down: the command 'x' was not found`."""
        if self.state in {"down", "invalid"}:
            return f"{self.state}: {self.error}"
        # asked, without an answer, and being started again
        return f"down: {self.error}" if self.state == "starting" and self.error else None


@dataclass(frozen=True)
class Patience:
    """How long things may take, in seconds."""

    call: float = 30.0
    """A call, where the server's entry has no `timeout` of its own."""
    start: float = 20.0
    """Until a server that was started answers; a call waits this long for the session it needs."""
    ping: float = 5.0
    """Until a server that left a call unanswered must have answered a ping; then it is started anew."""
    first_list: float = 10.0
    """Until start-up goes on without the list of a server that has none cached."""
    behind: float = 3.0
    """Until a server is asked again that failed lately: a first question goes before it."""
    longest_pause: float = 60.0
    """Between two attempts to reach a server that is down."""
