"""Units in both languages and what converts to what."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.arithmetic import read_arithmetic
from switchyard.language.errors import Unreadable
from switchyard.language.units import find_units


@given(st.text(alphabet="0123456789.- kmgCF°斤两公里等于多少into换算成半", max_size=30) | st.text())
def test_any_text_is_read_or_not(text: str):
    find_units(text)
    found = read_arithmetic(text)
    if found is not None:
        with suppress(Unreadable):  # units that do not go together, a temperature below all
            assert found.result() is found.outcome
