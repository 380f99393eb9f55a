"""Never the same mistake twice: the one place that refuses a call (R7.2)."""

from collections.abc import Iterable

from ledger.attempts import Attempt, Failure


def refusal(signature: str, failures: Iterable[Failure], attempts: Iterable[Attempt], *, most: int = 3) -> str | None:
    """Why this call must not be made, or None when it may.

    A call that failed is not repeated, unless the failure may pass by itself, or something was written since that the
    call may depend on. Whatever a model says, and after a resume too: both lists come from the journal. What may pass
    by itself is tried `most` times in a run, in whatever steps and plans.
    """
    same = [failure for failure in failures if failure.signature == signature]
    last = max(same, key=_when, default=None)
    if last is None or (last.transient and len(same) < most):
        return None
    written_since = any(attempt.writes and attempt.state == "finished" and attempt.at > last.at for attempt in attempts)
    if written_since:
        return None
    return f"The same call of {last.tool} failed before ({last.kind}: {last.error}); it is not repeated."


def _when(failure: Failure) -> float:
    return failure.at
