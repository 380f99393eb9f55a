"""A model's answer becomes an object or an Unparsable, whatever the text."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from switchyard.agents import parsing
from switchyard.agents.coordination.prompts import DecideAnswer
from switchyard.agents.execution.prompts import LateAnswer
from switchyard.agents.parsing import ENDS_TRIED, LONGEST, STARTS_TRIED, Unparsable, parse, read_json
from switchyard.agents.planning.prompts import PlanAnswer
from switchyard.agents.repair import mend
from switchyard.agents.tool_selection.prompts import FillAnswer, RankAnswer
from switchyard.agents.verification.prompts import JudgeAnswer

SCHEMAS: list[type[BaseModel]] = [PlanAnswer, RankAnswer, FillAnswer, LateAnswer, JudgeAnswer, DecideAnswer]

pieces = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        "\\",
        "```",
        "```json\n",
        "\n",
        "null",
        "NaN",
        "1e999",
        "-",
        "step",
        "步骤",
    ]
    + [f'"{name}"' for schema in SCHEMAS for name in schema.model_fields]
    + ["properties", "$defs", "<think>", "</think>", "\ud83d", "\x00", "“", "：", "，"]
)
broken_json = st.lists(pieces, max_size=40).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["steps", "calls", "choices", "arguments", "step", "action", "s1", "类型"]), inner
        )
    ),
    max_leaves=8,
)


def read(text: str, schema: type[BaseModel], tool_calls: list[dict[str, Any]] | None = None) -> BaseModel | None:
    try:
        found = parse(text, tool_calls or [], schema)
    except Unparsable:
        return None
    assert isinstance(found, schema)
    found.model_dump_json()  # what was read can be written down again
    return found


@given(text=st.text() | broken_json, schema=st.sampled_from(SCHEMAS))
@example(text="[" * 100_000, schema=PlanAnswer)
@example(text='{"a":' * 100_000, schema=PlanAnswer)
@example(text='{"steps": ' + "[" * 5_000, schema=PlanAnswer)
@example(text='{"answer": ' + "9" * 10_000 + "}", schema=PlanAnswer)
@example(text='{"answer": "\\ud83d"}', schema=PlanAnswer)
@example(text='{"arguments": {"x": "\\ud83d", "\\ud83d": 1}}', schema=LateAnswer)
@example(text='{"arguments": {"x": NaN, "y": [Infinity]}}', schema=LateAnswer)
@example(text="```json\n```", schema=PlanAnswer)
@example(text="{" * 100_000, schema=PlanAnswer)
@example(text='{"' + '\\"' * 90_000, schema=PlanAnswer)
@example(text="{(" + "]{1" * 50_000 + '"', schema=FillAnswer)
@example(text="```" + " " * 150_000, schema=PlanAnswer)
@example(text='{"a</think>' * 10_000, schema=RankAnswer)
@example(text='{"s1": null}' * 10_000, schema=RankAnswer)
def test_no_text_raises_anything_but_unparsable(text: str, schema: type[BaseModel]) -> None:
    read(text, schema)


@given(value=values, schema=st.sampled_from(SCHEMAS))
def test_no_object_raises_anything_but_unparsable(value: Any, schema: type[BaseModel]) -> None:
    read(json.dumps(value), schema)
    read("", schema, [{"name": "answer", "args": value}])


@given(before=st.text(alphabet="ab 好。\n,:", max_size=20), after=st.text(alphabet="ab 好。\n,:", max_size=20))
def test_an_object_is_found_between_any_prose(before: str, after: str) -> None:
    found = parse(f'{before}{{"answer": "四"}}{after}', [], PlanAnswer)
    assert found.answer == "四"


@pytest.mark.parametrize(
    "text",
    [
        'Maybe {x} or {1, 2}: {"answer": "four"}',
        '集合 {甲} 之后 {"answer": "four"} 就这样 {完}',
        '<think>{"plan": 1}</think>{"answer": "four"}',
        '```\nnot json\n```\n```json\n{"answer": "four"}\n```',
        '{"answer": "three"} {"answer": "four"}',
        '{"answer": "four"}\n\n}',
        '“{"answer": "four"}”',
        '{answer: "four"}',
        "{'answer': 'four'}",
        '{"answer": "four", // because\n}',
        '{"answer": "four"',
        '\ufeff{"answer": "four"}',
    ],
)
def test_the_answer_is_found_among_other_things(text: str) -> None:
    assert parse(text, [], PlanAnswer).answer == "four"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("no", "no JSON object"),
        ('"a text"', "text came"),
        ("42", "a whole number came"),
        ('{"type": "object", "properties": {"answer": {"type": "string"}}}', "echoed"),
        ('{"$defs": {}, "properties": {"answer": {}}}', "echoed"),
        ('{"Answer": "four"}', "none of the fields"),
        ('{"steps": "none"}', "steps"),
        ("[1, 2", "a list came"),
        ('{"answer": "x", "steps": ' + "[" * 60 + "]" * 60 + "}", "too deeply"),
    ],
)
def test_what_cannot_be_used_is_said(text: str, problem: str) -> None:
    with pytest.raises(Unparsable, match=problem):
        parse(text, [], PlanAnswer)


def test_a_tool_call_comes_before_the_text_around_it() -> None:
    calls = [{"name": "answer", "args": {"answer": "from the call"}}]
    assert parse('{"answer": "from the text"}', calls, PlanAnswer).answer == "from the call"


def test_a_tool_call_that_does_not_fit_leaves_the_text() -> None:
    assert parse('{"answer": "四"}', [{"name": "answer", "args": {"other": 1}}], PlanAnswer).answer == "四"


def test_nulls_inside_arguments_are_kept() -> None:
    found = parse('{"calls": [{"step": "s1", "missing": null, "arguments": {"path": null}}]}', [], FillAnswer)
    assert found.calls[0].arguments == {"path": None}
    assert found.calls[0].missing == []


def test_halves_of_a_character_are_joined_or_replaced() -> None:
    assert parse('{"answer": "\\ud83d\\ude00"}', [], PlanAnswer).answer == "😀"
    found = parse('{"arguments": {"label": "a\\ud83d"}}', [], LateAnswer)
    assert found.arguments == {"label": "a\ufffd"}


@pytest.mark.parametrize(
    "text",
    [
        '{"choices": {"s1": ["calculate", "get_time"]}}',
        '{"s1": ["calculate", "get_time"]}',
        'I choose: {"s1": ["calculate", "get_time"]}. 就这些。',
        '{"choices": {"s1": [{"name": "calculate"}, {"tool": "get_time"}]}}',
        '{"choices": [{"step": "s1", "tools": ["calculate", "get_time"]}]}',
        '我选：[{"step": "s1", "tools": ["calculate", "get_time"]}]',
    ],
)
def test_a_ranking_is_read_whether_or_not_it_is_wrapped(text: str) -> None:
    assert parse(text, [], RankAnswer).choices == {"s1": ["calculate", "get_time"]}


def test_a_single_name_is_a_ranking_of_one() -> None:
    assert parse('{"choices": {"s1": "calculate", "s2": null}}', [], RankAnswer).choices == {
        "s1": ["calculate"],
        "s2": [],
    }


def test_one_call_alone_is_a_list_of_one() -> None:
    found = parse('{"step": "s1", "arguments": {"expression": "1+1"}}', [], FillAnswer)
    assert [call.step for call in found.calls] == ["s1"]


@pytest.mark.parametrize(
    "text",
    [
        '["calculate", "get_time"]',
        '我选 ["calculate", "get_time"]。',
        '{"choices": ["calculate", "get_time"]}',
        '{"tools": ["calculate", "get_time"]}',
        '{"selected_tools": ["calculate", "get_time"], "reason": "它们合适"}',
    ],
)
def test_names_without_a_step_are_for_every_step(text: str) -> None:
    answer = parse(text, [], RankAnswer)
    assert answer.of("s1") == answer.of("s2") == ["calculate", "get_time"]


def test_a_name_for_a_step_is_a_list_of_one_and_an_error_is_no_ranking() -> None:
    assert parse('{"s1": "calculate"}', [], RankAnswer).of("s1") == ["calculate"]
    assert parse('{"choices": {"s2": []}}', [], RankAnswer).of("s1") is None
    with pytest.raises(Unparsable):
        parse('{"error": "忙 busy"}', [], RankAnswer)


@pytest.mark.parametrize(
    "text",
    [
        '{"s1": {"expression": "2的3次方"}}',
        '{"calls": {"s1": {"expression": "2的3次方"}}}',
        '{"calls": {"s1": {"arguments": {"expression": "2的3次方"}, "late": false}}}',
        '[{"step": "s1", "arguments": {"expression": "2的3次方"}}]',
        '{"step": "s1", "arguments": {"expression": "2的3次方"}}',
    ],
)
def test_calls_come_by_step_too(text: str) -> None:
    [call] = parse(text, [], FillAnswer).calls
    assert (call.step, call.arguments, call.late) == ("s1", {"expression": "2的3次方"}, False)


@pytest.mark.parametrize(
    "text",
    [
        '<think>Format: {"answer": "372"}? No 不行</think>{"answer": "four"}',
        '<think>\n先想一想 {"answer": "372"}\n</think>\n\n```json\n{"answer": "four"}\n```',
        '<THINKING>{"answer": "draft"}</THINKING> {answer: "four"}',
        '<reasoning>{"answer": "草稿"}</reasoning>{"answer": "four",}',
        'the opening is missing 没有开头 {"answer": "draft"}\n</think>\n{"answer": "four"}',
        '{"answer": "four"}\n<think>was that right? {"answer": "five"}</think>',
        '{"answer": "four"}<think>never closed 没有结束 {"answer": "five"}',
        'First 先 {"answer": "three"}, no: {"answer": "four"}',
        '```json\n{"answer": "three"}\n```\n不对，应该是\n```json\n{"answer": "four"}\n```',
        '{"answer": "four"} and not 不是 {"other": 4}',
        '{"answer": "four"}\n(the form was {"answer": ...})',
    ],
)
def test_the_last_fitting_object_that_is_said_counts_and_none_that_is_thought(text: str) -> None:
    assert parse(text, [], PlanAnswer).answer == "four"


@pytest.mark.parametrize(
    "text", ['<think>{"answer": "4"}', '<think>{"answer": "四"}</think>', '{"answer": "4"}</think>']
)
def test_thoughts_alone_are_no_answer(text: str) -> None:
    with pytest.raises(Unparsable, match="no JSON object"):
        parse(text, [], PlanAnswer)


@pytest.mark.parametrize(
    "answer",
    [
        "Write <think>before</think> it.",
        "标签<think>开始，</think>结束",
        "</think> closes it",
        'say "<think>" 或 <reasoning>',
    ],
)
@pytest.mark.parametrize("around", ["{}", "好的：{}。", "<think>hm {{1}}</think>{}", "hm 嗯</think>\n{}"])
def test_tags_inside_the_texts_of_an_object_belong_to_them(answer: str, around: str) -> None:
    text = json.dumps({"answer": answer}, ensure_ascii=False)
    assert parse(around.format(text), [], PlanAnswer).answer == answer


def test_tags_inside_the_texts_of_a_broken_object_belong_to_them() -> None:
    assert parse("{'answer': 'ends with </think> 结束',}", [], PlanAnswer).answer == "ends with </think> 结束"


def test_all_calls_of_an_answer_that_was_cut_off_are_kept() -> None:
    text = '{"calls": [{"step": "s1", "arguments": {"a": 1}}, {"step": "s2", "arguments": {"乙": "二'
    assert [(call.step, call.arguments) for call in parse(text, [], FillAnswer).calls] == [
        ("s1", {"a": 1}),
        ("s2", {"乙": "二"}),
    ]


def test_thousands_of_nulls_are_left_out_at_once() -> None:
    calls = [{"step": f"s{n}", "missing": None, "late": None, "arguments": {"无": None}} for n in range(2_000)]
    found = parse(json.dumps({"calls": calls}), [], FillAnswer)
    assert len(found.calls) == 2_000
    assert found.calls[-1].arguments == {"无": None}


@pytest.mark.parametrize("character", ["a", "好"])
def test_an_answer_without_end_is_not_read(character: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(text: str, start: int) -> None:
        pytest.fail("it was read")

    monkeypatch.setattr(parsing, "mend", never)
    for text in (json.dumps({"answer": character * LONGEST}, ensure_ascii=False), "{" + character * LONGEST):
        with pytest.raises(Unparsable, match="at most 200,000 are read"):
            parse(text, [], PlanAnswer)
    with pytest.raises(Unparsable, match="at most 200,000 are read"):
        parse("", [{"args": {"answer": character * LONGEST}}], PlanAnswer)


@given(text=broken_json.map(lambda piece: piece * 50))
@example(text="{" * 2_000)
@example(text='{"</think>' * 500)
def test_repair_is_tried_a_few_times_and_on_no_more_than_the_text(text: str) -> None:
    unclosed = 0

    def counted(given: str, start: int) -> Any:
        nonlocal unclosed
        assert len(given) <= LONGEST
        unclosed += 1
        mended = mend(given, start)
        unclosed -= mended.closed
        return mended

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "mend", counted)
        read(text, PlanAnswer)
    assert unclosed <= ENDS_TRIED < STARTS_TRIED


@pytest.mark.parametrize(
    "text", ["[" * 60 + "]" * 60, "[" * 100_000, "{" * 5_000, '["' + "好" * LONGEST + '"]', "说明 a"]
)
def test_free_text_that_is_no_readable_json_stays_text(text: str) -> None:
    assert read_json(text) == text


@given(text=st.text() | broken_json | values.map(json.dumps))
def test_free_text_is_read_whatever_it_is(text: str) -> None:
    assert read_json(text) == text or isinstance(read_json(text), list | dict)


@pytest.mark.parametrize("text", ['["甲", 2]', '```json\n["甲", 2]\n```', ' ```\n["甲", 2]``` '])
def test_free_text_that_is_a_list_becomes_one(text: str) -> None:
    assert read_json(text) == ["甲", 2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Here it is:\n```json\n[1, 2]\n```\nThat is all.", [1, 2]),
        ('结果如下：\n```\n{"数": 3}\n```', {"数": 3}),
        ("```json\n[1]\n```\nor\n```json\n[2]\n```", None),
        ("没有 JSON", None),
    ],
)
def test_json_that_was_asked_for_is_taken_out_of_what_is_said_around_it(text: str, found: Any) -> None:
    assert read_json(text, anywhere=True) == (text if found is None else found)
    assert read_json(text) == text
