"""What is allowed next, how a run ended, and an answer in whole sentences without a model."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.wording import ROWS_SHOWN, problems_of, sentence_for, shown
from switchyard.agents.coordination.ways import Remedies, allowed, exhausted, failed_tools, remaining, status_of
from switchyard.language.messages import message
from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.decisions import NO_TOOL, Assignment, Candidate, Decision, Verdict
from switchyard.ledger.options import RunOptions
from switchyard.ledger.plan import Plan, Step
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.spec import Language, ToolSpec

PLAN = Plan(steps=[Step(id="s1", description="查水位"), Step(id="s2", description="read b.md")])
STEP = PLAN.steps[0]


def failure(kind: FailureKind = "not_found", *, step_id: str = "s1", tool: str = "first", at: float = 1.0) -> Failure:
    return Failure(step_id=step_id, tool=tool, kind=kind, error="没有", signature=f"{tool}{at}", at=at)


def record(step_id: str = "s1", status: str = "failed", **given: Any) -> StepRecord:
    return StepRecord.model_validate({"step_id": step_id, "status": status, "tool": "first", **given})


def context(*records: StepRecord, failures: list[Failure] | None = None, **given: Any) -> ExecutionContext:
    steps = {"s2": record("s2", "done"), **{found.step_id: found for found in records}}
    return ExecutionContext.model_validate({"steps": steps, "failures": failures or [], **given})


def assigned(*tools: str, step_id: str = "s1") -> dict[str, Assignment]:
    return {step_id: Assignment(step_id=step_id, candidates=[Candidate(tool=tool) for tool in tools])}


def ways_on(happened: ExecutionContext, *tools: str, model: bool = False) -> list[Decision]:
    assignments = assigned(*tools)
    left = {step_id: remaining(one, happened) for step_id, one in assignments.items()}
    return allowed(PLAN, assignments, happened, RunOptions(), Remedies(left=left), model=model)


def actions(happened: ExecutionContext, *tools: str, model: bool = False) -> list[str]:
    return [way.action for way in ways_on(happened, *tools, model=model)]


def test_when_every_step_is_done_the_run_is_complete() -> None:
    assert actions(context(record(status="done"))) == ["complete"]


def test_a_step_that_was_not_run_is_run() -> None:
    assert actions(context(record(status="pending")), "first") == ["execute_tool", "complete"]


def test_a_step_without_a_record_is_run() -> None:
    assert actions(context(), "first") == ["execute_tool", "complete"]


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "unavailable"])
def test_a_failure_that_may_pass_is_tried_again_before_anything_else(kind: FailureKind) -> None:
    happened = context(record(), failures=[failure(kind)])
    assert actions(happened, "first", "second") == ["execute_tool", "switch_tool", "complete"]


def test_a_failure_for_good_is_not_tried_again() -> None:
    assert actions(context(record(), failures=[failure()]), "first") == ["complete"]


def test_a_failure_that_may_pass_is_given_up_after_three_attempts() -> None:
    tries = [failure("timeout", at=at) for at in (1.0, 2.0, 3.0)]
    assert actions(context(record(), failures=tries), "first") == ["complete"]


def test_the_next_candidate_is_switched_to() -> None:
    assert actions(context(record(), failures=[failure()]), "first", "second") == ["switch_tool", "complete"]


def test_a_candidate_that_failed_on_the_step_is_not_switched_to() -> None:
    happened = context(record(tool="second"), failures=[failure(), failure(tool="second")])
    assert actions(happened, "first", "second") == ["complete"]


def test_a_failure_on_another_step_does_not_count_against_a_candidate() -> None:
    happened = context(record(), failures=[failure(), failure(step_id="s2", tool="second")])
    assert [left.tool for left in remaining(assigned("first", "second")["s1"], happened)] == ["second"]
    assert failed_tools("s1", happened) == {"first"}


def test_a_step_that_was_never_assigned_has_no_candidates_left() -> None:
    assert remaining(None, context()) == []


def test_with_a_model_all_four_ways_come_in_their_order() -> None:
    happened = context(record(), failures=[failure()])
    assert actions(happened, "first", "second", model=True) == ["execute_tool", "switch_tool", "replan", "complete"]


def test_without_a_model_nothing_is_planned_anew() -> None:
    assert "replan" not in actions(context(record(), failures=[failure()]), "first", "second")


def test_after_three_new_plans_there_is_no_fourth() -> None:
    assert "replan" not in actions(context(record(), failures=[failure()], replans=3), "first", model=True)


def test_reasoning_without_a_tool_has_no_arguments_to_change() -> None:
    happened = context(record(tool=NO_TOOL), failures=[failure(tool=NO_TOOL)])
    assert actions(happened, NO_TOOL, model=True) == ["replan", "complete"]


@pytest.mark.parametrize("limit", ["seconds", "tool_calls", "model_calls", "tokens"])
def test_a_limit_that_was_hit_leaves_only_the_end(limit: str) -> None:
    happened = context(record(status="pending"), limits_hit=[limit])
    assert actions(happened, "first", "second", model=True) == ["complete"]


def test_the_end_says_which_limit_was_hit() -> None:
    (way,) = ways_on(context(limits_hit=["seconds"]))
    assert "seconds" in way.reason
    assert way.way == "limit"


@pytest.mark.parametrize("status", ["refused", "blocked"])
def test_what_was_refused_or_blocked_is_not_done_anyway(status: str) -> None:
    assert actions(context(record(status=status)), "first", "second") == ["complete"]


@pytest.mark.parametrize("status", ["refused", "blocked"])
def test_an_end_with_something_not_done_does_not_claim_otherwise(status: str) -> None:
    (way,) = ways_on(context(record(status=status)), "first")
    assert way.reason != "every step is done"
    assert way.way == "nothing_left"


def test_each_way_names_its_steps() -> None:
    ways = ways_on(context(record(), failures=[failure()]), "first", "second")
    assert ways[0].steps == ["s1"]


@given(
    st.lists(st.sampled_from(["pending", "done", "failed", "blocked", "refused"]), min_size=2, max_size=2),
    st.lists(st.sampled_from(["timeout", "crash"]), max_size=4),
    st.booleans(),
)
def test_the_last_way_is_always_the_end(statuses: list[str], kinds: list[FailureKind], model: bool) -> None:  # noqa: FBT001  hypothesis gives arguments by position
    records = [record(f"s{number}", status) for number, status in enumerate(statuses, start=1)]
    happened = context(*records, failures=[failure(kind, at=at) for at, kind in enumerate(kinds)])
    ways = actions(happened, "first", "second", model=model)
    assert ways[-1] == "complete"
    assert ways.count("complete") == 1


def test_the_limits_that_left_no_way_are_named() -> None:
    tries = [failure("timeout", at=at) for at in (1.0, 2.0, 3.0)]
    happened = context(record(), failures=tries, replans=3)
    assert exhausted(PLAN, happened, RunOptions(), model=True) == ["attempts", "replans"]


def test_a_run_that_went_well_exhausted_nothing() -> None:
    assert exhausted(PLAN, context(record(status="done"), replans=3), RunOptions(), model=True) == []


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (("done", "done"), "answered"),
        (("done", "failed"), "partial"),
        (("done", "refused"), "partial"),
        (("done", "pending"), "partial"),
        (("failed", "blocked"), "failed"),
        (("refused", "refused"), "failed"),
    ],
)
def test_a_run_ends_as_its_steps_came_out(statuses: tuple[str, str], status: str) -> None:
    assert status_of(PLAN, context(record("s1", statuses[0]), record("s2", statuses[1])), []) == status


def test_a_result_that_is_not_verified_makes_the_answer_partial() -> None:
    doubtful = record(status="done", verdict=Verdict(verified=False))
    assert status_of(PLAN, context(doubtful), []) == "partial"


def test_without_a_plan_a_run_has_failed() -> None:
    assert status_of(None, context(), []) == "failed"


SPEC = ToolSpec(tool_id="t", description="t", answers={"en": "The level is {level} m", "zh": "水位是{level}米"})


@pytest.mark.parametrize(("language", "said"), [("en", "The level is 102.5 m."), ("zh", "水位是102.5米。")])
def test_a_tools_own_sentence_is_used(language: Language, said: str) -> None:
    assert sentence_for(STEP, {"level": 102.5}, SPEC, language) == said


def test_a_tool_with_one_language_answers_in_it() -> None:
    english = SPEC.model_copy(update={"answers": {"en": "It is {level}"}})
    assert sentence_for(STEP, {"level": 1}, english, "zh") == "It is 1。"


@pytest.mark.parametrize("template", ["{missing}", "{level:.2f}", "{", "{}", "{level.real}", "{0}"])
def test_a_sentence_that_cannot_be_filled_gives_way_to_the_fields(template: str) -> None:
    broken = SPEC.model_copy(update={"answers": {"en": template}})
    assert sentence_for(STEP, {"level": 102.5}, broken, "en") == "The level is 102.5."


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (372, "372."),
        (True, "true."),
        ("Done!", "Done!"),
        ("好。", "好。"),
        ({"a": 1, "b": [1, 2]}, "The a is 1 and the b is 1, 2."),
        ([], "Nothing was found."),
        ([1, 2], "- 1.\n- 2."),
        ({"rows": [{"path": "a.md", "line": 3, "text": " x "}]}, "- a.md:3: x"),
        ({"turns": [{"role": "user", "text": "问"}]}, "- user: 问"),
        ({"entries": [{"name": "a", "size": 1}, 7]}, "- a\n- 7"),
        ({"text": "the whole text"}, "the whole text"),
    ],
)
def test_a_result_becomes_a_sentence_by_what_it_is(result: object, said: str) -> None:
    assert sentence_for(STEP.model_copy(update={"description": "show"}), result, None, "en") == said


@pytest.mark.parametrize(("language", "more"), [("en", "… and 5 more"), ("zh", "……还有 5 项")])
def test_a_long_list_is_cut_and_says_so(language: Language, more: str) -> None:
    lines = sentence_for(STEP, {"rows": [{"name": str(n)} for n in range(ROWS_SHOWN + 5)]}, None, language).split("\n")
    assert lines[-1] == more
    assert len(lines) == ROWS_SHOWN + 1


@pytest.mark.parametrize("question", ["How many words are in a.md", "a.md 有多少行", "统计 a.md"])
def test_a_question_for_a_number_does_not_print_the_text(question: str) -> None:
    step = Step(id="s1", description=question)
    assert "whole" not in sentence_for(step, {"level": 1, "text": "the whole text"}, SPEC, "en")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (2 / 3, "0.6667"),
        (22.2222222222, "22.2222"),
        (0.00012345678, "0.0001235"),
        (100.0, "100"),
        (12407407294.5, "12407407294.5"),
        (123456789.12, "123456789.12"),
        (1e20, "1e+20"),
        (1e-7, "1e-07"),
        (-2.5, "-2.5"),
        (None, ""),
        (False, "false"),
        ("水位", "水位"),
        ({"a": 1.0}, "a: 1"),
        ([1.5, "x"], "1.5, x"),
    ],
)
def test_a_value_is_shown_as_people_write_it(value: object, text: str) -> None:
    assert shown(value) == text


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


LEFT_OUT_FILES = [
    {"path": "g/big.log", "reason": "too_large"},
    {"path": "图.png", "reason": "binary"},
]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "2 files were left out: g/big.log (too large), 图.png (binary)."),
        ("zh", "另有2个文件没有查看：g/big.log（文件太大）、图.png（二进制文件）。"),
    ],
)
def test_what_a_tool_left_out_is_said(language: Language, said: str) -> None:
    result = {"level": 0, "skipped": {"count": 2, "files": LEFT_OUT_FILES}}
    assert sentence_for(STEP, result, SPEC, language).split("\n")[1:] == [said]
    assert said not in sentence_for(STEP, {"level": 0, "skipped": {"count": 0, "files": []}}, SPEC, language)


@pytest.mark.parametrize(
    ("language", "said"), [("en", "g (lost), g (lost), … and 40 more."), ("zh", "g（lost）、g（lost）、……还有 40 项。")]
)
def test_many_that_were_left_out_are_counted(language: Language, said: str) -> None:
    files = [{"path": "g", "reason": "lost"}] * 7
    assert sentence_for(STEP, {"level": 0, "skipped": {"count": 45, "files": files}}, SPEC, language).endswith(said)


@pytest.mark.parametrize(
    "skipped", [3, "all", {}, {"count": 1}, {"count": 1, "files": ["a"]}, {"files": LEFT_OUT_FILES}]
)
def test_a_field_of_that_name_in_another_shape_is_no_list_of_files(skipped: object) -> None:
    assert "left out" not in sentence_for(STEP, {"level": 0, "skipped": skipped}, SPEC, "en")


@given(_JSON, st.sampled_from(["en", "zh"]))
def test_any_result_can_be_said(result: object, language: Language) -> None:
    assert isinstance(sentence_for(STEP, result, SPEC, language), str)


@pytest.mark.parametrize(
    ("status", "language", "said"),
    [
        ("failed", "en", "I could not do this: 查水位 (no such station)."),
        ("failed", "zh", "未能完成“查水位”：没有找到（原文：“no such station”）。"),
        ("blocked", "en", "Not tried, because a step it needs did not succeed: 查水位."),
        ("blocked", "zh", "“查水位”依赖的步骤没有成功，因此没有执行。"),
        ("refused", "en", "Not done, because you refused it: 查水位."),
        ("refused", "zh", "“查水位”被您拒绝，没有执行。"),
        ("pending", "en", "Not done yet: 查水位."),
        ("pending", "zh", "“查水位”还没有完成。"),
    ],
)
def test_what_was_not_done_is_said_with_its_reason(status: str, language: Language, said: str) -> None:
    left = record(status=status, error="no such station.", error_type="not_found")
    assert problems_of(PLAN, context(left, language=language)) == [said]


def test_a_switch_carries_the_tools_it_was_chosen_from() -> None:
    ways = ways_on(context(record(), failures=[failure()]), "first", "second")
    (switch,) = [way for way in ways if way.way == "switch"]
    assert [one.tool for one in switch.candidates["s1"]] == ["second"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_switched_off_is_named(language: Language) -> None:
    off = record(tool=NO_TOOL, problem="switched_off", withheld=["get_time", "时间/now"])
    (said,) = problems_of(PLAN, context(off, language=language))
    assert "get_time, 时间/now" in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_needs_a_model_names_the_setting(language: Language) -> None:
    (said,) = problems_of(PLAN, context(record(tool=NO_TOOL, problem="no_tool"), language=language))
    assert "APP_MODEL" in said
    assert "查水位" in said


@pytest.mark.parametrize(
    ("language", "said"), [("en", "the limit of seconds was reached"), ("zh", "已达到上限（用时）")]
)
def test_a_limit_that_was_hit_is_said(language: Language, said: str) -> None:
    assert said in problems_of(PLAN, context(record(status="done"), language=language, limits_hit=["seconds"]))[0]


def test_braces_in_a_task_are_text() -> None:
    assert "{x}" in message("step_failed", task="{x}", error="e")


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_every_kind_of_failure_has_a_chinese_name(kind: FailureKind) -> None:
    (said,) = problems_of(PLAN, context(record(error="e", error_type=kind), language="zh"))
    assert message(f"failure.{kind}").text("zh") in said


def test_rows_that_fill_the_tools_sentence_are_said_with_it() -> None:
    spec = ToolSpec(tool_id="rank", description="排名", answers={"zh": "{sentence}"})
    rows = [{"name": "甲", "sentence": "甲最高"}, {"name": "乙"}]
    said = sentence_for(STEP, {"rows": rows, "sentence": "共两个"}, spec, "zh")
    assert said.splitlines() == ["共两个。", "- 甲最高", "- 乙"]
