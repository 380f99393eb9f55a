"""Never the same mistake twice: the one place that refuses a call (R7.2)."""

from collections.abc import Iterable
from operator import attrgetter

from switchyard.language.messages import Message, message, quoted
from switchyard.ledger.attempts import Attempt, Failure

LONGEST_DELAY = 8.0
"""Seconds before a call is made again, where nobody asks for more."""


def repeated(
    signature: str, failures: Iterable[Failure], attempts: Iterable[Attempt], *, most: int = 3
) -> Failure | None:
    """The failure that this call would only repeat; None when it may be made.

    A call that failed is not repeated, unless the failure may pass by itself, or something was changed since that the
    call may depend on. Whatever a model says, and after a resume too: both lists come from the journal. What may pass
    by itself is tried `most` times in a run, in whatever steps and plans.
    """
    same = [failure for failure in failures if failure.signature == signature]
    last = max(reversed(same), key=attrgetter("order"), default=None)
    if last is None or (last.transient and len(same) < most):
        return None
    return None if any(_frees(attempt, last) for attempt in attempts) else last


def refusal(failure: Failure) -> Message:
    """Why a call that would only repeat a failure is not made."""
    return message("failed_before", tool=failure.tool, kind=failure.kind, reason=quoted(failure.error))


def back_off(signature: str, failures: Iterable[Failure], delay: float) -> float:
    """Seconds before a call that failed may be made again: doubled with each failure, and what was asked for."""
    same = [failure for failure in failures if failure.signature == signature]
    return max(min(delay * 2 ** (len(same) - 1), LONGEST_DELAY), same[-1].wait or 0) if same else 0.0


def _frees(attempt: Attempt, failure: Failure) -> bool:
    """Whether this came later and changed what the failed call may depend on.

    That is a write by the same tool or server, or of a path, host or id that both calls name; and what is brought in
    anew under a name both share, as a page is.
    """
    if attempt.state != "finished" or attempt.order <= failure.order:
        return False
    if attempt.writes and _server(attempt.tool) == _server(failure.tool):
        return True
    changes = attempt.writes or attempt.refreshes
    return changes and any(_touches(name, other) for name in attempt.names for other in failure.names)


def _server(tool: str) -> str:
    """The server of an MCP tool; any other tool itself."""
    return tool.partition("/")[0]


def _touches(name: str, other: str) -> bool:
    """Whether two calls name the same, or one a folder of what the other names."""
    return name == other or _holds(name, other) or _holds(other, name)


def _holds(folder: str, name: str) -> bool:
    """Whether this is a path inside the folder; the workspace holds every path that is not absolute."""
    if not (folder.startswith("path:") and name.startswith("path:")):
        return False
    return name.startswith(f"{folder}/") or (folder == "path:." and not name.startswith(("path:/", "path:..")))
