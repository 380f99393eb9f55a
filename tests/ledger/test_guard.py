"""The one place that refuses a call: never the same mistake twice."""

from typing import Literal, get_args

import pytest

from ledger.attempts import Attempt, Failure
from ledger.guard import refusal
from tools.core.errors import TRANSIENT, FailureKind

PERMANENT = sorted(set(get_args(FailureKind)) - TRANSIENT)


def failure(kind: FailureKind = "not_found", *, at: float = 1.0, signature: str = "call") -> Failure:
    return Failure(step_id="s1", tool="read_file", kind=kind, error="没有这个文件", signature=signature, at=at)


def attempt(*, at: float, writes: bool = True, state: Literal["started", "finished", "failed"] = "finished") -> Attempt:
    return Attempt(
        run_id="r",
        step_id="s2",
        number=1,
        tool="write_to_file",
        signature="other",
        writes=writes,
        state=state,
        at=at,
        idempotency_key="k",
    )


def test_a_call_that_never_failed_is_allowed() -> None:
    assert refusal("call", [failure(signature="another")], []) is None


@pytest.mark.parametrize("kind", PERMANENT)
def test_a_call_that_failed_for_good_is_refused(kind: FailureKind) -> None:
    assert refusal("call", [failure(kind)], []) is not None


@pytest.mark.parametrize("kind", sorted(TRANSIENT))
def test_a_call_whose_failure_may_pass_is_allowed(kind: FailureKind) -> None:
    assert refusal("call", [failure(kind)], []) is None


def test_a_refusal_names_the_tool_the_kind_and_the_error() -> None:
    said = refusal("call", [failure()], [])
    assert said == "The same call of read_file failed before (not_found: 没有这个文件); it is not repeated."


def test_the_last_failure_decides() -> None:
    assert refusal("call", [failure("crash", at=2.0), failure("timeout", at=1.0)], []) is not None


def test_a_failure_in_passing_after_one_for_good_is_allowed() -> None:
    assert refusal("call", [failure("timeout", at=2.0), failure("crash", at=1.0)], []) is None


def test_a_successful_write_since_allows_the_call() -> None:
    assert refusal("call", [failure(at=1.0)], [attempt(at=2.0)]) is None


def test_a_write_before_the_failure_does_not() -> None:
    assert refusal("call", [failure(at=2.0)], [attempt(at=1.0)]) is not None


def test_a_failed_write_does_not() -> None:
    assert refusal("call", [failure(at=1.0)], [attempt(at=2.0, state="failed")]) is not None


def test_a_write_under_way_does_not() -> None:
    assert refusal("call", [failure(at=1.0)], [attempt(at=2.0, state="started")]) is not None


def test_a_successful_read_does_not() -> None:
    assert refusal("call", [failure(at=1.0)], [attempt(at=2.0, writes=False)]) is not None
