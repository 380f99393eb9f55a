"""The shared context: concurrent updates merge and nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import (
    OBSERVATIONS_KEPT,
    ContextUpdate,
    ExecutionContext,
    Observation,
    Pattern,
    StepRecord,
    ToolsInView,
    merge,
    merge_context,
)
from switchyard.ledger.decisions import Decision, Downgrade
from switchyard.ledger.limits import ToolTokens, Usage
from switchyard.ledger.plan import Plan, Step

_WORDS = st.sampled_from(["a", "b", "查询", "c"])
_NUMBERS = st.integers(min_value=0, max_value=1000)
_USAGE = st.builds(
    Usage,
    model_calls=_NUMBERS,
    prompt_tokens=_NUMBERS,
    completion_tokens=_NUMBERS,
    tool_calls=_NUMBERS,
    tool_tokens=st.builds(ToolTokens, summaries=_NUMBERS, definitions=_NUMBERS, full_catalogue=_NUMBERS),
)
_FAILURES = st.builds(
    Failure, step_id=_WORDS, tool=_WORDS, kind=st.just("crash"), error=_WORDS, signature=_WORDS, at=st.just(1.0)
)
_RECORDS = st.builds(StepRecord, step_id=_WORDS, excerpt=_WORDS)


def updates(prefix: str = "") -> st.SearchStrategy[ContextUpdate]:
    return st.builds(
        ContextUpdate,
        steps=st.dictionaries(_WORDS.map(lambda word: prefix + word), _RECORDS, max_size=3),
        observations=st.lists(st.builds(Observation, step_id=_WORDS, tool=_WORDS, text=_WORDS), max_size=4),
        failures=st.lists(_FAILURES, max_size=3),
        patterns=st.lists(st.builds(Pattern, tool=_WORDS, text=_WORDS), max_size=2),
        decisions=st.lists(st.builds(Decision, action=st.just("replan"), reason=_WORDS), max_size=2),
        downgrades=st.lists(st.builds(Downgrade, agent=_WORDS, reason=_WORDS), max_size=2),
        rejected_plans=st.lists(_WORDS, max_size=2),
        usage=_USAGE,
        limits_hit=st.lists(st.sampled_from(["seconds", "tokens"]), max_size=2),
        iterations=_NUMBERS,
        replans=_NUMBERS,
    )


@given(updates("x"), updates("y"))
def test_nothing_is_lost(first: ContextUpdate, second: ContextUpdate) -> None:
    merged = merge(merge(ExecutionContext(), first), second)
    for update in (first, second):
        assert merged.steps.items() >= update.steps.items()
        assert all(failure in merged.failures for failure in update.failures)
        assert all(pattern in merged.patterns for pattern in update.patterns)
        assert set(merged.rejected_plans).issuperset(update.rejected_plans)
        assert set(merged.limits_hit).issuperset(update.limits_hit)
    assert merged.decisions == first.decisions + second.decisions
    assert merged.downgrades == first.downgrades + second.downgrades


@given(updates(), updates())
def test_what_was_used_adds_up(first: ContextUpdate, second: ContextUpdate) -> None:
    merged = merge(merge(ExecutionContext(), first), second)
    assert merged.usage == first.usage + second.usage
    assert merged.iterations == first.iterations + second.iterations
    assert merged.replans == first.replans + second.replans


@given(updates("x"), updates("y"))
def test_the_order_of_two_updates_does_not_matter_to_the_steps(first: ContextUpdate, second: ContextUpdate) -> None:
    one = merge(merge(ExecutionContext(), first), second)
    other = merge(merge(ExecutionContext(), second), first)
    assert one.steps == other.steps
    assert one.usage == other.usage
    assert set(one.rejected_plans) == set(other.rejected_plans)
    assert sorted(map(repr, one.decisions)) == sorted(map(repr, other.decisions))


@given(updates())
def test_merging_changes_neither_side(update: ContextUpdate) -> None:
    context = ExecutionContext(task="水位", steps={"s": StepRecord(step_id="s")})
    before, given_before = context.model_copy(deep=True), update.model_copy(deep=True)
    merge(context, update)
    assert (context, update) == (before, given_before)


def observed(*numbers: int) -> list[Observation]:
    return [Observation(step_id=str(number), tool="t", text="见") for number in numbers]


def test_the_last_observations_are_kept() -> None:
    context = ExecutionContext(observations=observed(*range(8)))
    merged = merge(context, ContextUpdate(observations=observed(*range(8, 13))))
    assert [seen.step_id for seen in merged.observations] == [str(number) for number in range(3, 13)]
    assert len(merged.observations) == OBSERVATIONS_KEPT


def test_a_step_replaces_its_older_self() -> None:
    context = ExecutionContext(steps={"s1": StepRecord(step_id="s1", status="failed")})
    merged = merge(context, ContextUpdate(steps={"s1": StepRecord(step_id="s1", status="done")}))
    assert merged.steps["s1"].status == "done"


def test_the_first_plan_stays_the_original_one() -> None:
    first, second = Plan(steps=[Step(id="s1", description="一")]), Plan(revision=2)
    context = merge(ExecutionContext(), ContextUpdate(original_plan=first))
    assert merge(context, ContextUpdate(original_plan=second)).original_plan == first


def test_a_failure_told_twice_is_kept_once() -> None:
    failure = Failure(step_id="s1", tool="t", kind="crash", error="坏", signature="x", at=1.0)
    context = ExecutionContext(failures=[failure])
    assert merge(context, ContextUpdate(failures=[failure])).failures == [failure]


def test_an_update_that_says_nothing_about_the_tools_keeps_them() -> None:
    context = ExecutionContext(available_tools=ToolsInView(names=["tally"], count=1))
    assert merge(context, ContextUpdate()).available_tools == context.available_tools


def test_a_fresh_context_starts_afresh() -> None:
    old = ExecutionContext(run_id="old", iterations=7, rejected_plans=["p"], observations=observed(1))
    fresh = ExecutionContext(run_id="new", task="新的问题")
    assert merge(old, ContextUpdate(fresh=fresh)) == fresh


def test_what_comes_with_a_fresh_context_is_merged_into_it() -> None:
    update = ContextUpdate(fresh=ExecutionContext(run_id="new"), iterations=1, usage=Usage(model_calls=2))
    merged = merge(ExecutionContext(iterations=5), update)
    assert (merged.run_id, merged.iterations, merged.usage.model_calls) == ("new", 1, 2)


@given(updates())
def test_an_update_as_plain_data_merges_like_the_object(update: ContextUpdate) -> None:
    context = ExecutionContext(task="t")
    merged = merge_context(context.model_dump(mode="json"), update.model_dump(mode="json"))
    assert merged == merge(context, update).model_dump(mode="json")
