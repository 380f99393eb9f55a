"""What can be believed: checks by rule, and advice where two steps disagree."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.agents.by_rules.checker import check, disagreement
from switchyard.agents.scope import RunScope
from switchyard.agents.verification.agent import verify
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.decisions import Verdict
from switchyard.ledger.plan import Plan, Step
from switchyard.toolhub.hub import ToolHub
from switchyard.tools.core.spec import ToolSpec
from tests.support.scopes import scope_over


def spec(category: str = "general", returns_schema: dict[str, Any] | None = None) -> ToolSpec:
    return ToolSpec(tool_id="t", description="t", category=category, returns_schema=returns_schema)


@pytest.mark.parametrize(
    "result", [[], {}, 0, 0.0, False, "ok", "好", {"rows": []}, {"error": None}, {"error": ""}, {"count": 0}]
)
def test_a_legitimate_result_is_verified(result: object) -> None:
    assert check(result, spec()) == Verdict(verified=True, confidence=0.9)


@pytest.mark.parametrize("result", [None, ""])
def test_nothing_at_all_is_no_failure_but_doubtful(result: object) -> None:
    verdict = check(result, spec())
    assert verdict.verified
    assert verdict.confidence == 0.5
    assert verdict.issues == ["nothing came back"]


@pytest.mark.parametrize(
    "result", [float("nan"), float("inf"), {"value": float("nan")}, [1.0, float("-inf")], {"a": [{"b": float("nan")}]}]
)
def test_what_is_not_a_number_is_rejected(result: object) -> None:
    assert not check(result, spec()).verified


@pytest.mark.parametrize(
    "result",
    [
        "Traceback (most recent call last):\n  File",
        "Error: no such station",
        "ERROR 500",
        "  exception in thread",
        "fatal: not a git repository",
        "错误：没有这个测站",
        "异常退出",
        "失败",
        "出错了",
        {"error": "no such station"},
        {"error": "没有这个测站", "rows": []},
        "404 Not Found",
        "HTTP 500 Internal Server Error",
        "Access denied",
        "查询失败",
        "请求失败了，请稍后再试",
        {"success": False, "message": "no such station"},
        {"status": "error", "message": "db down"},
        {"code": 500, "msg": "系统异常"},
        {"code": -1, "msg": "参数不对", "data": None},
        {"url": "http://a.example/x", "text": "404 Not Found"},
        {"url": "http://a.example/x", "title": "", "text": "查询失败"},
        {"status": 200, "json": {"success": False, "code": 500, "msg": "系统异常"}},
    ],
)
def test_a_result_that_reads_like_an_error_is_rejected(result: object) -> None:
    assert not check(result, spec()).verified


@pytest.mark.parametrize("result", ["Error handling in Python is done with try.", "失败是成功之母，这句话出自民间。"])
def test_a_text_about_errors_is_no_error(result: str) -> None:
    assert check(result, spec()).verified


@pytest.mark.parametrize(
    "result",
    [
        *("No errors were found", "没有错误", "The errors were few", "没有异常", "404 people came", "查询成功"),
        {"text": "Error: in the file itself"},
        {"job": 7, "status": "failed"},
        {"code": 500, "name": "Shanghai"},
        {"success": False, "wins": 3},
        {"code": 0, "msg": "ok", "data": [1]},
        {"status": 200, "json": {"code": 500, "name": "Shanghai 上海"}},
        {"url": "http://a.example/x", "text": "404 people came. 来了四百零四人。"},
    ],
)
def test_a_result_that_speaks_of_errors_is_not_one(result: object) -> None:
    assert check(result, spec()).verified


@pytest.mark.parametrize(
    ("result", "good"),
    [
        ({"time": "2026-01-02T12:00:00+09:00", "date": "2026-01-02"}, True),
        ({"time": "noon"}, False),
        ({"time": "正午"}, False),
        ({"date": "2026-13-40"}, False),
        ({"clock": "12:00"}, True),
        ("正午", True),
        ("25:99:00", False),
        ("9:30", True),
    ],
)
def test_the_times_of_a_time_tool_are_times(result: object, *, good: bool) -> None:
    assert check(result, spec("time")).verified is good


def test_another_tool_may_call_what_it_likes_a_time() -> None:
    assert check({"time": "noon"}, spec("general")).verified


SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["水位"],
    "properties": {
        "水位": {"type": "number", "minimum": 0, "maximum": 500},
        "rows": {"type": "array", "items": {"type": "string"}},
        "n": {"type": "integer"},
        "when": {"type": "string", "format": "date-time"},
        "state": {"enum": ["a", "乙"]},
    },
}


@pytest.mark.parametrize(
    ("result", "issue"),
    [
        ({"水位": 102.5, "rows": [], "n": 1}, None),
        ({"水位": 102}, None),
        ({"水位": 102, "n": None}, None),
        ({"rows": []}, "the promised field 水位 is missing"),
        ({"水位": "高"}, "水位: the tool promises a number, this is text"),
        ({"水位": 1.0, "rows": {}}, "rows: the tool promises a list, this is an object"),
        ({"水位": 1.0, "n": True}, "n: the tool promises a whole number, this is true or false"),
        ({"水位": True}, "水位: the tool promises a number, this is true or false"),
        ({"水位": 1.0, "n": 3.0}, None),
        ({"水位": 1.0, "n": 3.5}, "n: the tool promises a whole number, this is a number"),
        ([1], "the tool promises an object, this is a list"),
        ({"水位": 900}, "水位: it is not as the tool promises: 900 is greater than the maximum of 500"),
        ({"水位": 1, "state": "c"}, "state: it is not as the tool promises: 'c' is not one of ['a', '乙']"),
        ({"水位": 1, "rows": ["x", 2]}, "rows.1: the tool promises text, this is a whole number"),
        ({"水位": 1, "when": "soon"}, "when: it is not as the tool promises: 'soon' is not a date-time"),
        ({"水位": 1, "when": "2026-01-02T10:00:00", "state": "乙"}, None),
    ],
)
def test_a_result_has_the_shape_its_tool_promises(result: object, issue: str | None) -> None:
    assert check(result, spec(returns_schema=SHAPE)).issues == ([issue] if issue else [])


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"city": "Berlin"}, {"city": "Paris", "population": 2}),
        ({"城市": "北京"}, {"城市": "上海", "人口": 2}),
        ({"station_code": "31020200"}, {"station_code": "31020201", "level": 3}),
        ({"user_id": 7}, {"user_id": 8}),
    ],
)
def test_a_result_about_something_else_is_rejected(asked: dict[str, Any], found: dict[str, Any]) -> None:
    verdict = check(found, spec(), asked)
    assert not verdict.verified
    assert "the result is about" in verdict.issues[0]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"city": "berlin"}, {"city": "Berlin, DE"}),
        ({"city": "München"}, {"city": "Munich"}),
        ({"city": "Beijing"}, {"city": "北京"}),
        ({"city": "NYC"}, {"city": "New York City"}),
        ({"城市": "北京市"}, {"城市": "北京"}),
        ({"path": "./a.md"}, {"path": "a.md"}),
        ({"limit": 50}, {"limit": 20}),
        ({"user_id": "7"}, {"user_id": 7}),
        ({"code": "PEK"}, {"code": "31020200"}),
    ],
)
def test_an_argument_repeated_in_another_form_is_the_same(asked: dict[str, Any], found: dict[str, Any]) -> None:
    assert check(found, spec(), asked).verified


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(_JSON, st.sampled_from(["time", "general"]))
def test_any_result_gets_a_verdict_with_reasons_where_it_is_bad(result: object, category: str) -> None:
    verdict = check(result, spec(category, SHAPE))
    assert verdict.verified or verdict.issues


@pytest.mark.parametrize(
    ("wording", "other"),
    [
        ("water level of Panshitou reservoir", "the water level of Panshitou reservoir"),
        ("盘石头水库水位", "盘石头水库的水位"),
    ],
)
def test_steps_after_the_same_that_found_different_things_disagree(wording: str, other: str) -> None:
    assert disagreement(wording, "102 metres", other, "250 feet below")


@pytest.mark.parametrize(
    ("wording", "found", "other", "found_too", "differ"),
    [
        ("北京人口", "2188万", "北京的人口", "2154万", True),
        ("北京人口", "2188万", "北京的人口是多少", "21,880,000人", False),
        ("population of Berlin", "3,700,000", "What is the population of Berlin?", "3.4 million people", True),
        ("population of Berlin", "3,782,202", "the population of Berlin", "about 3.8 million", False),
        ("population of Berlin", "3,700,000", "population of Bonn", "330,000", False),
    ],
)
def test_two_figures_for_one_thing_disagree_where_neither_is_the_other_rounded(
    wording: str, found: str, other: str, found_too: str, *, differ: bool
) -> None:
    assert disagreement(wording, found, other, found_too) is differ


@pytest.mark.parametrize("found", ["102.5 metres", "水位102.5米"])
def test_steps_that_found_the_same_agree(found: str) -> None:
    assert not disagreement("水位", found, "水位", found)


def test_steps_after_different_things_cannot_disagree() -> None:
    assert not disagreement("water level", "102", "population of Tokyo", "14 million")


@pytest.fixture
def scope(workspace: Path) -> RunScope:
    return scope_over(ToolHub(skills=None, native=workspace), workspace)


def record(step_id: str, excerpt: str, **given: Any) -> StepRecord:
    return StepRecord.model_validate({"step_id": step_id, "status": "done", "excerpt": excerpt, **given})


PLAN = Plan(
    by="model",
    steps=[
        Step(id="s1", description="盘石头水库水位"),
        Step(id="s2", description="盘石头水库水位"),
        Step(id="s3", description="盘石头水库水位", dependencies=["s1"]),
    ],
)


async def test_a_disagreement_is_advice_and_not_a_verdict(scope: RunScope) -> None:
    context = ExecutionContext(steps={"s1": record("s1", "102 metres"), "s2": record("s2", "没有数据")})
    learned = (await verify(scope, PLAN, context)).steps["s2"]
    assert learned.verdict is not None
    assert learned.verdict.verified
    assert learned.verdict.confidence < 1
    assert learned.verdict.issues == ["s1 was after the same and found something else"]


async def test_one_tool_asked_for_two_things_contradicts_nobody(scope: RunScope) -> None:
    asked = {
        name: record(name, f"{at}02 metres", tool="level", arguments={"at": at})
        for at, name in enumerate(("s1", "s2"), 1)
    }
    learned = (await verify(scope, PLAN, ExecutionContext(steps=asked))).steps["s2"]
    assert learned.verdict == Verdict(verified=True)


async def test_a_step_that_builds_on_another_does_not_contradict_it(scope: RunScope) -> None:
    context = ExecutionContext(steps={"s1": record("s1", "102 metres"), "s3": record("s3", "没有数据")})
    learned = (await verify(scope, PLAN, context)).steps["s3"]
    assert learned.verdict == Verdict(verified=True)


async def test_every_finished_step_is_checked_in_full(scope: RunScope) -> None:
    context = ExecutionContext(steps={"s1": record("s1", "102"), "s2": record("s2", "102")})
    learned = await verify(scope, PLAN, context)
    assert {step_id: step.checked for step_id, step in learned.steps.items()} == {"s1": True, "s2": True}


@pytest.mark.parametrize("status", ["pending", "failed", "blocked", "refused"])
async def test_what_is_not_done_is_not_verified(scope: RunScope, status: str) -> None:
    context = ExecutionContext(steps={"s1": record("s1", "", status=status)})
    assert (await verify(scope, PLAN, context)).steps == {}


async def test_what_was_checked_is_not_checked_again(scope: RunScope) -> None:
    context = ExecutionContext(steps={"s1": record("s1", "102", checked=True)})
    assert (await verify(scope, PLAN, context)).steps == {}
