"""What a run may cost, and the meter that stops it in time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.ledger.limits import Meter, ToolTokens, Usage
from switchyard.ledger.options import RunOptions

_NUMBERS = st.integers(min_value=0, max_value=10**6)
_USAGES = st.builds(
    Usage,
    model_calls=_NUMBERS,
    prompt_tokens=_NUMBERS,
    completion_tokens=_NUMBERS,
    tool_calls=_NUMBERS,
    tool_tokens=st.builds(ToolTokens, summaries=_NUMBERS, definitions=_NUMBERS, full_catalogue=_NUMBERS),
)


@given(_USAGES, _USAGES, _USAGES)
def test_usages_add_up_in_any_order(one: Usage, two: Usage, three: Usage) -> None:
    assert one + two + three == three + (one + two)


@given(_USAGES)
def test_no_usage_adds_nothing(usage: Usage) -> None:
    assert usage + Usage() == usage


def test_the_catalogue_is_a_size_not_a_sum() -> None:
    tokens = ToolTokens(full_catalogue=500) + ToolTokens(full_catalogue=400)
    assert tokens.full_catalogue == 500


def test_the_default_limits_are_those_promised() -> None:
    assert RunOptions() == RunOptions(
        max_iterations=20,
        max_attempts=3,
        max_replans=3,
        max_tool_calls=100,
        max_seconds=300.0,
        max_model_calls=30,
        max_tokens=200_000,
    )


def test_tool_calls_are_taken_up_to_the_limit() -> None:
    meter = Meter(RunOptions(max_tool_calls=3), Usage(tool_calls=1))
    assert [meter.take_tool_call() for _ in range(4)] == [True, True, False, False]


def test_a_tool_call_that_was_not_allowed_is_not_counted() -> None:
    meter = Meter(RunOptions(max_tool_calls=1), Usage())
    meter.take_tool_call()
    meter.take_tool_call()
    assert meter.close().tool_calls == 1


def test_a_limit_that_was_reached_is_named_once() -> None:
    meter = Meter(RunOptions(max_tool_calls=0), Usage())
    meter.take_tool_call()
    meter.take_tool_call()
    assert meter.hit == ["tool_calls"]


@pytest.mark.parametrize(
    ("spent", "limit"),
    [
        (Usage(model_calls=30), "model_calls"),
        (Usage(prompt_tokens=150_000, completion_tokens=50_000), "tokens"),
        (Usage(seconds=300.0), "seconds"),
    ],
)
def test_a_model_call_is_refused_at_each_limit(spent: Usage, limit: str) -> None:
    meter = Meter(RunOptions(), spent)
    assert not meter.allows_model_call()
    assert meter.hit == [limit]


def test_a_tool_call_is_refused_when_the_time_is_up() -> None:
    meter = Meter(RunOptions(max_seconds=1), Usage(seconds=2))
    assert not meter.take_tool_call()
    assert meter.hit == ["seconds"]


def test_a_model_call_within_the_limits_is_allowed() -> None:
    meter = Meter(RunOptions(), Usage(model_calls=29))
    assert meter.allows_model_call()
    assert meter.hit == []


def test_what_this_node_took_counts_against_the_limit() -> None:
    meter = Meter(RunOptions(max_model_calls=1), Usage())
    meter.added.model_calls += 1
    assert not meter.allows_model_call()


def test_what_the_run_spent_before_counts_against_its_time() -> None:
    assert Meter(RunOptions(max_seconds=10), Usage(seconds=4)).seconds_left() <= 6


def test_a_caller_changes_only_what_they_name() -> None:
    own = RunOptions(max_attempts=2, topk=3)
    assert own.overridden_by(RunOptions(topk=4)) == RunOptions(max_attempts=2, topk=4)


def test_a_caller_may_choose_the_default_again() -> None:
    assert RunOptions(topk=3).overridden_by(RunOptions(topk=5)).topk == 5


def test_without_a_choice_the_own_options_stand() -> None:
    own = RunOptions(max_attempts=2)
    assert own.overridden_by(None) is own
