"""How a call to a server can go wrong, apart from what the tool itself answers."""

from switchyard.tools.core.errors import FailureKind


class NotSent(Exception):
    """The connection had ended before the call was sent: another one can take it."""


class Gone(Exception):
    """The connection ended while the call was under way."""


class NoAnswer(Exception):
    """The server took longer than it may; the text is what it said meanwhile that was no MCP message."""


class Garbage(Exception):
    """The server said something that is no MCP message."""


class ServerFailed(Exception):
    """The server could not be started or reached, or broke; the text says why and what to change."""


class Refused(Exception):
    """The server answered with an error of the protocol; `kind` where its code says which."""

    def __init__(self, message: str, kind: FailureKind | None) -> None:
        super().__init__(message)
        self.kind: FailureKind | None = kind
