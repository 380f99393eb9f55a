"""What a model thinks aloud is not what it says; what it says about thinking is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchyard.agents.thoughts import Thoughts, spoken

pieces = st.lists(
    st.sampled_from(
        [
            "<think>",
            "</think>",
            "<Thinking>",
            "</reasoning>",
            "<",
            ">",
            "</",
            "thi",
            "nk",
            " ",
            "\n",
            "`",
            '"',
            "a",
            "好",
            "<b>",
        ]
    ),
    max_size=20,
)


def heard(parts: list[str], *, begun: bool = False) -> str:
    thoughts = Thoughts(begun=begun)
    return "".join([*map(thoughts.take, parts), thoughts.end()])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>hm 嗯</think>It is 4. 是4。", "It is 4. 是4。"),
        ("<think>\nhm\n</think>\n\n是4。", "是4。"),
        ("<THINKING>hm</THINKING>4", "4"),
        ("<reasoning>嗯</reasoning>四", "四"),
        ("<think>hm</thinking>4", "4"),
        ("First. 首先。\n<think>hm</think>\nThen. 然后。", "First. 首先。\nThen. 然后。"),
        ("<think>a</think>one <think>b</think>二", "one 二"),
        ("<think>never closed 没有结束 {1}", ""),
        ("said 说了\n<think>never closed", "said 说了\n"),
        ("hm, the opening is missing 没有开头</think>\n四", "四"),
        ("only thoughts 只有想法</think>", ""),
        ("<think><think>twice</think> 两次</think>4", "4"),
        ("no thoughts 没有想法, a < b > c <b>", "no thoughts 没有想法, a < b > c <b>"),
    ],
)
def test_thoughts_are_taken_off(text: str, said: str) -> None:
    assert spoken(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "The `<think>` tag opens a thought and `</think>` closes it.",
        "The <think> tag opens a thought and the </think> tag closes it.",
        "“<think>”表示开始思考，“</think>”表示结束。",
        '写作 "<think>" 和 "</think>"。',
        "「<thinking>」と「</thinking>」",
    ],
)
def test_tags_that_are_spoken_about_stay(text: str) -> None:
    assert spoken(text) == text
    assert heard(list(text)) == text


@given(parts=pieces)
@example(parts=["<th", "ink>hm</thi", "nk>4"])
@example(parts=["`", "<think>", "`"])
def test_a_text_in_pieces_says_what_the_whole_says(parts: list[str]) -> None:
    text, whole = "".join(parts), Thoughts()
    said = whole.whole(text)
    if not whole.unopened:  # what was given out before such a thought ended cannot be taken back
        assert heard(parts) == heard(list(text)) == said


@given(parts=st.lists(st.sampled_from(["a", "好", "<", "`", " ", "\n", "</th", "think>"])))
@example(parts=["hm ", "</th"])
def test_where_an_answer_is_known_to_begin_with_a_thought_it_is_kept_back(parts: list[str]) -> None:
    text = "".join(parts)
    thoughts = Thoughts(begun=True)
    if "think>" not in text or "<" not in text:
        assert "".join(map(thoughts.take, parts)) == ""
        assert thoughts.take("\n</think>said 说") == "said 说"
        assert heard(parts, begun=True) == text


def test_a_thought_that_was_never_opened_is_noticed() -> None:
    for text, unopened in [("hm</think>4", True), ("<think>hm</think>四", False), ("四", False)]:
        thoughts = Thoughts()
        thoughts.take(text)
        assert thoughts.unopened == unopened
