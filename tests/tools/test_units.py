"""Units in both languages and what converts to what."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.arithmetic import parse
from switchyard.language.errors import Unreadable
from switchyard.language.units import find_units


@given(st.text(alphabet="0123456789.- kmgCF°斤两公里等于多少into换算成半", max_size=30) | st.text())
def test_any_text_is_read_or_not(text: str):
    find_units(text)
    with suppress(Unreadable):  # no sum, units that do not go together, a temperature below all
        assert parse(text).shown
