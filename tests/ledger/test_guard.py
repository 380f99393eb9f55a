"""The one place that refuses a call: never the same mistake twice."""

from typing import Any, get_args

import pytest

from switchyard.ledger.attempts import Attempt, Failure
from switchyard.ledger.guard import refusal, repeated
from switchyard.tools.core.errors import TRANSIENT, FailureKind

PERMANENT = sorted(set(get_args(FailureKind)) - TRANSIENT)


def failure(kind: FailureKind = "not_found", **given: Any) -> Failure:
    fields = {"step_id": "s1", "tool": "read_file", "signature": "call", "names": ["path:docs/a.md"], "order": 5}
    return Failure.model_validate({**fields, "kind": kind, "error": "没有这个文件", "at": 1.0, **given})


def write(**given: Any) -> Attempt:
    """A write of what the failed call reads, after it."""
    fields = {
        "run_id": "r",
        "step_id": "s2",
        "number": 1,
        "tool": "write_to_file",
        "signature": "other",
        "names": ["path:docs/a.md"],
        "writes": True,
        "state": "finished",
        "order": 6,
        "at": 1.0,
        "idempotency_key": "k",
    }
    return Attempt.model_validate({**fields, **given})


def test_a_call_that_never_failed_is_allowed() -> None:
    assert repeated("call", [failure(signature="another")], []) is None


@pytest.mark.parametrize("kind", PERMANENT)
def test_a_call_that_failed_for_good_is_refused(kind: FailureKind) -> None:
    assert repeated("call", [failure(kind)], []) is not None


@pytest.mark.parametrize("kind", sorted(TRANSIENT))
def test_a_call_whose_failure_may_pass_is_allowed(kind: FailureKind) -> None:
    assert repeated("call", [failure(kind)], []) is None


@pytest.mark.parametrize("kind", sorted(TRANSIENT))
def test_a_failure_that_may_pass_is_counted(kind: FailureKind) -> None:
    assert repeated("call", [failure(kind)] * 3, []) is not None


def test_a_refusal_names_the_tool_the_kind_and_the_error() -> None:
    assert (
        refusal(failure()) == "The same call of read_file failed before (not_found: 没有这个文件); it is not repeated."
    )


def test_the_last_failure_decides() -> None:
    assert repeated("call", [failure("crash", order=2), failure("timeout", order=1)], []) is not None


def test_a_failure_in_passing_after_one_for_good_is_allowed() -> None:
    assert repeated("call", [failure("timeout", order=2), failure("crash", order=1)], []) is None


def test_of_failures_without_a_place_the_one_noted_last_decides() -> None:
    assert repeated("call", [failure("timeout", order=0), failure("crash", order=0)], []) is not None


def test_a_successful_write_of_what_it_reads_allows_the_call() -> None:
    assert repeated("call", [failure()], [write()]) is None


@pytest.mark.parametrize(
    "given",
    [{"order": 4}, {"state": "failed"}, {"state": "started"}, {"writes": False}],
    ids=["before", "failed", "under way", "reading"],
)
def test_anything_but_a_later_successful_write_does_not(given: dict[str, Any]) -> None:
    assert repeated("call", [failure()], [write(**given)]) is not None


def test_a_clock_that_was_set_back_makes_no_write_new() -> None:
    assert repeated("call", [failure(at=100.0)], [write(order=4, at=3700.0)]) is not None


def test_a_clock_that_was_set_back_makes_no_write_old() -> None:
    assert repeated("call", [failure(at=3700.0)], [write(at=100.0)]) is None


@pytest.mark.parametrize(
    ("reads", "written"),
    [
        ("path:docs/a.md", "path:docs/b.md"),
        ("path:docs", "path:docs2/a.md"),
        ("path:.", "path:/etc/hosts"),
        ("path:.", "path:../a.md"),
        ("host:example.com", "host:example.org"),
        ("id:7", "id:8"),
        ("id:docs", "path:docs"),
    ],
)
def test_a_write_of_something_else_does_not_allow_the_call(reads: str, written: str) -> None:
    assert repeated("call", [failure(names=[reads])], [write(names=[written])]) is not None


@pytest.mark.parametrize(
    ("reads", "written"),
    [
        ("path:docs", "path:docs/a.md"),
        ("path:docs/a.md", "path:docs"),
        ("path:.", "path:文档/a.md"),
        ("host:example.com", "host:example.com"),
        ("id:甲站", "id:甲站"),
    ],
)
def test_a_write_of_what_both_name_allows_the_call(reads: str, written: str) -> None:
    assert repeated("call", [failure(names=[reads])], [write(names=["id:0", written])]) is None


@pytest.mark.parametrize(
    ("failed", "wrote"), [("notes", "notes"), ("git/git_show", "git/git_commit"), ("git/git_show", "git/git_show")]
)
def test_a_write_by_the_same_tool_or_server_allows_the_call(failed: str, wrote: str) -> None:
    assert repeated("call", [failure(tool=failed, names=[])], [write(tool=wrote, names=[])]) is None


def test_a_page_that_was_loaded_anew_allows_the_call_on_it() -> None:
    extract = failure(tool="use_browser", action="extract", names=["host:x.y"])
    navigate = {"tool": "use_browser", "action": "navigate", "writes": False, "refreshes": True}
    assert repeated("call", [extract], [write(**navigate, names=["host:x.y"])]) is None
    assert repeated("call", [extract], [write(**navigate, names=["host:z.y"])]) is not None
