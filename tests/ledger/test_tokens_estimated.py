"""Tokens, estimated without a tokeniser's tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.ledger.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog.", 9, 13),
        ("Plan a question into steps, choose the right few tools out of very many and run them.", 16, 26),
        ("盘石头水库当前水位是多少？", 8, 16),
        ("修武站水位和雨量", 5, 11),
        ('{"path": "docs/notes.md", "start_line": 20}', 12, 22),
        ("2480", 1, 3),
    ],
)
def test_an_estimate_is_near_what_a_large_models_tokeniser_counts(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


@pytest.mark.parametrize("text", ["", "   \n\t"])
def test_nothing_costs_nothing(text: str) -> None:
    assert estimate_tokens(text) == 0


@pytest.mark.parametrize("text", ["a", "水", "🎉", "."])
def test_the_shortest_text_costs_something(text: str) -> None:
    assert estimate_tokens(text) == 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert 0 <= estimate_tokens(text) <= estimate_tokens(f"{text} {more}")
