"""Broken JSON is read as what was meant, in one pass however broken it is."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchyard.agents import repair
from switchyard.agents.repair import DEEPEST, NestedTooDeeply, mend

FLOODS = ["{", "[", '\\"', "]{1", "1'", '."', "null{,}", "/*", '" ', '",', "“", '{"a":1', '"a":', " ", "\n", '{"', "，"]
"""What a model that repeats itself may write, and what costs a parser that goes back and forth minutes."""

broken = st.lists(
    st.sampled_from([*FLOODS, "}", "]", ":", ",", "'", "//", "#", "*/", "a", "好", "\\u12", "1e9", "```", "("]),
    max_size=60,
).map("".join)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"a": 1, "乙": [1, 2,],}', {"a": 1, "乙": [1, 2]}),
        ("{'a': 'it''s', 'b': True, 'c': None}", {"a": "it''s", "b": True, "c": None}),
        ('{a: "four", 乙: 四}', {"a": "four", "乙": "四"}),
        ('{"a": "four" // because\n, /* 因为 */ "b": 2}', {"a": "four", "b": 2}),
        ('{"a": [{"b": "cut o', {"a": [{"b": "cut o"}]}),
        ('{"a": [{"b": "截断', {"a": [{"b": "截断"}]}),
        ('{"a": "four}', {"a": "four"}),
        ('{"a": "he said "hi", really", "b": "他说"好"了"}', {"a": 'he said "hi", really', "b": '他说"好"了'}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('["a" "b", \'c\']', ["a", "b", "c"]),
        ('{"a: "x", b": "y", "c": "z, "d": 1}', {"a": "x", "b": "y", "c": "z", "d": 1}),
        ('{"a": [{"id": "s1", {"id": "s2"}]}', {"a": [{"id": "s1"}, {"id": "s2"}]}),
        ('{"a": ["x", "b": []}', {"a": ["x"], "b": []}),
        ('{{"a": "doubled"}}', {"a": "doubled"}),
        ("{“答案”：“四”，}", {"答案": "四"}),
        (
            '{"path": "C:\\dir\\名", "line": "a\\nb", "quote": "\\"", "sign": "\\u597d"}',
            {"path": "C:\\dir\\名", "line": "a\nb", "quote": '"', "sign": "好"},
        ),
        ('{"a": , "b": }', {"a": None, "b": None}),
        ('{"url": http://a.b/c, "n": -1.5}', {"url": "http://a.b/c", "n": -1.5}),
        ("{x}", {}),
    ],
)
def test_what_was_meant_is_read(text: str, meant: Any) -> None:
    assert mend(text, 0).value == meant


def test_it_is_said_where_a_value_ends_and_whether_it_does() -> None:
    text = 'so 就：{"a": 1,} and more 还有'
    mended = mend(text, text.index("{"))
    assert text[mended.end :] == " and more 还有"
    assert mended.closed
    assert not mend('{"a": [1', 0).closed


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | st.text(alphabet='ab "\\n好{}[],:', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc_好", min_size=1), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(value=st.lists(values, max_size=3) | st.dictionaries(st.text(alphabet="ab好", min_size=1), values, max_size=3))
def test_what_is_not_broken_is_read_as_it_is_but_for_marks_inside_texts(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    mended = mend(text, 0)
    if '\\"' not in text:  # such a mark is escaped, and may still be taken for the beginning of a field
        assert (mended.value, mended.end, mended.closed) == (value, len(text), True)


@given(text=broken | st.text())
@example(text="]" * 100)
def test_any_text_is_read_to_an_end(text: str) -> None:
    for opening in "{[":
        try:
            mended = mend(opening + text, 0)
        except NestedTooDeeply:
            continue
        assert 0 < mended.end <= len(text) + 1
        json.dumps(mended.value)


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("opening", ['{"a": "', "{", "["])
def test_the_work_grows_with_the_length_and_not_faster(
    monkeypatch: pytest.MonkeyPatch, opening: str, flood: str
) -> None:
    work, length = 0, 20_000
    reader: Any = vars(repair)["_Reader"]
    run = reader._run

    def counted(self: Any, pattern: Any) -> str:
        nonlocal work
        before = self.position
        found = run(self, pattern)
        work += 1 + self.position - before
        return found

    monkeypatch.setattr(reader, "_run", counted)
    try:
        mend(opening + flood * (length // len(flood)), 0)
    except NestedTooDeeply:
        return
    assert work < 10 * length


@pytest.mark.parametrize("bracket", ["{}", "[]"])
def test_nesting_has_a_limit(bracket: str) -> None:
    opening = '{"a":' if bracket == "{}" else "["
    assert mend(opening * DEEPEST, 0).value
    with pytest.raises(NestedTooDeeply):
        mend(opening * (DEEPEST + 1), 0)
