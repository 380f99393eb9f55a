"""A question becomes clauses; quotes, paths, addresses and numbers are never split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.clauses import Clause, clauses


def texts(question: str) -> list[str]:
    return [clause.text for clause in clauses(question)]


def test_the_first_clause_follows_nothing() -> None:
    assert clauses("then list docs") == [Clause("list docs")]


@pytest.mark.parametrize("odd", ["\ue005", "\uf8ff", "\U000f0000", "\U000f0001 \U000ffffd"])
def test_characters_without_a_meaning_stay_as_they_are(odd: str) -> None:
    assert texts(f"find {odd} in 3 files") == [f"find {odd} in 3 files"]


@given(st.text(max_size=200))
def test_any_text_gives_clauses_made_of_its_own_characters(text: str) -> None:
    for clause in clauses(text):
        assert set(clause.text) <= set(text) | {" "}


@given(st.text(alphabet="ab1,.;，。 \"'then然后", max_size=80))
def test_no_clause_is_empty(text: str) -> None:
    assert all(clause.text.strip() for clause in clauses(text))


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1,", "a/", "and ", "1 和 "])
def test_a_text_of_twenty_thousand_characters_is_split(piece: str) -> None:
    assert len(clauses(piece * (20_000 // len(piece)))) <= 50
