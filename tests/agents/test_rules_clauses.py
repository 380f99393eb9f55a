"""A question becomes clauses; quotes, paths, addresses and numbers are never split."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchyard.language.clauses import Clause, Joint, clauses, joined
from switchyard.language.words import language_of, needs_a_model


def texts(question: str) -> list[str]:
    return [clause.text for clause in clauses(question)]


@pytest.mark.parametrize(
    "question",
    [
        'Search for "read this, then list that; and find it"',
        "Search for 'a; b, and then c'",
        "Search for `x, then y`",
        "搜索“先读取，然后列出；最后统计”",
        "搜索「甲，然后乙」",
        "搜索‘甲；乙’",
        "Open https://example.com/a,b;c?then=1&and=2",
        "打开 https://example.com/a?b=1,2",
        "Read docs/a.then.b/notes.v1.2.md",
        "读取 docs/计划.v2.txt",
        "What is 1,234,567.89 + 2",
        "1,234,567的15%是多少",
        "What is round(3.14159, 2)",
        "计算 max(3, 9)",
    ],
)
def test_what_belongs_together_is_one_clause(question: str) -> None:
    assert texts(question) == [question]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Read a.md and then list docs", ["Read a.md", "list docs"]),
        ("Read a.md, then list docs", ["Read a.md", "list docs"]),
        ("Read a.md; list docs", ["Read a.md", "list docs"]),
        ("Read a.md and list docs", ["Read a.md", "list docs"]),
        ("Read a.md, list docs, find x", ["Read a.md", "list docs", "find x"]),
        ("Read a.md. List docs!", ["Read a.md", "List docs"]),
        ("What is 15% of 2480, what time is it in Tokyo?", ["What is 15% of 2480", "what time is it in Tokyo"]),
        ("What is 2480 + 1, list docs", ["What is 2480 + 1", "list docs"]),
        ("Read a.md after that list docs", ["Read a.md", "list docs"]),
        ("读取 a.md，然后列出 docs", ["读取 a.md", "列出 docs"]),
        ("读取 a.md；列出 docs", ["读取 a.md", "列出 docs"]),
        ("读取 a.md。列出 docs。", ["读取 a.md", "列出 docs"]),
        ("2480的15%是多少，东京现在几点？", ["2480的15%是多少", "东京现在几点"]),
        ("读取 a.md 接着列出 docs 同时查找 x", ["读取 a.md", "列出 docs", "查找 x"]),
        ("计算 3 加 4，再乘以 2", ["计算 3 加 4", "乘以 2"]),
    ],
)
def test_several_tasks_are_several_clauses(question: str, parts: list[str]) -> None:
    assert texts(question) == parts


@pytest.mark.parametrize(
    ("question", "joint"),
    [
        ("Read a.md and then list docs", "then"),
        ("Read a.md and list docs", "also"),
        ("Read a.md; docs", "also"),
        ("Read a.md and b.md", "comma"),
        ("读取 a.md，然后列出 docs", "then"),
        ("读取 a.md，再列出 docs", "then"),
        ("读取 a.md。列出 docs", "also"),
        ("读取 a.md，列出 docs", "comma"),
    ],
)
def test_how_a_clause_is_joined_is_known(question: str, joint: Joint) -> None:
    assert clauses(question)[1].joint == joint


@pytest.mark.parametrize(
    "question",
    [
        "How many days are there between 2024-02-10 and 2026-11-16",
        "Book it on January 8, 2027, business class and 2 passengers",
        "预订长江厅，11月19日下午两点开始，两个小时",
        "水位和雨量，然后列出 docs",
    ],
)
def test_clauses_are_put_together_as_they_were(question: str) -> None:
    assert joined(clauses(question)).text == question


@pytest.mark.parametrize("question", ["三天之后是几号", "距离元旦还有多少天", "水位和雨量", "Buy milk on May 3, 2027"])
def test_words_that_also_part_do_not_always_part(question: str) -> None:
    assert len(clauses(question)) == 1


def test_the_first_clause_follows_nothing() -> None:
    assert clauses("then list docs") == [Clause("list docs")]


@pytest.mark.parametrize(
    ("question", "back"),
    [
        ("add 14% to it", True),
        ("round the result", True),
        ("what time is it", False),
        ("结果加上14%", True),
        ("把它除以2", True),
        ("东京几点", False),
    ],
)
def test_words_for_an_earlier_result_are_seen(question: str, *, back: bool) -> None:
    assert clauses(question)[0].refers_back is back


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("Please read a.md", "read a.md"),
        ("Could you list docs?", "list docs"),
        ("请问东京几点", "东京几点"),
        ("帮我读取 a.md", "读取 a.md"),
    ],
)
def test_politeness_is_no_part_of_the_task(question: str, task: str) -> None:
    assert texts(question) == [task]


@pytest.mark.parametrize("question", ["", "   ", "?!", "。。。", "🎉", "_"])
def test_nothing_said_is_no_clause(question: str) -> None:
    assert clauses(question) == []


@pytest.mark.parametrize("odd", ["\ue005", "\uf8ff", "\U000f0000", "\U000f0001 \U000ffffd"])
def test_characters_without_a_meaning_stay_as_they_are(odd: str) -> None:
    assert texts(f"find {odd} in 3 files") == [f"find {odd} in 3 files"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_gives_clauses_made_of_its_own_characters(text: str) -> None:
    for clause in clauses(text):
        assert set(clause.text) <= set(text) | {" "}


@settings(deadline=None)
@given(st.text(alphabet="ab1,.;，。 \"'then然后", max_size=80))
def test_no_clause_is_empty(text: str) -> None:
    assert all(clause.text.strip() for clause in clauses(text))


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1,", "a/", "and ", "1 和 "])
def test_a_text_of_twenty_thousand_characters_is_split(piece: str) -> None:
    assert len(clauses(piece * (20_000 // len(piece)))) <= 50


@pytest.mark.parametrize(("text", "language"), [("水位?", "zh"), ("What is 水位?", "zh"), ("level", "en"), ("", "en")])
def test_a_question_is_answered_in_its_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("Write a poem about spring", True),
        ("写一首诗", True),
        ("Explain recursion", True),
        ("为什么下雨", True),
        ("Translate this", True),
        ("翻译这句话", True),
        ("Read notes.md", False),
        ("读取 notes.md", False),
        ("What is 15% of 2480?", False),
        ("2480的15%是多少", False),
    ],
)
def test_what_no_rule_can_do_is_known(text: str, *, needed: bool) -> None:
    assert needs_a_model(text) is needed
