"""Names of places, alone and in sentences."""

from zoneinfo import available_timezones

from hypothesis import given
from hypothesis import strategies as st

from switchyard.language import places
from switchyard.language.places import cities_of, find_places, nearest_places, tzinfo_of, zone_of


def test_every_zone_of_the_table_exists():
    zones = {place.zone for place in places._places().values() if place.zone}  # pyright: ignore[reportPrivateUsage]
    assert zones <= available_timezones()


def test_every_city_offered_is_known():
    for country in ("USA", "Canada", "Mexico", "Brazil", "Chile", "Russia", "Indonesia", "Mongolia", "Australia"):
        assert all(zone_of(city) for city in cities_of(country))
        assert cities_of(country)


def test_a_country_with_one_zone_offers_no_cities():
    assert cities_of("Japan") == ()


def test_spans_point_at_the_name():
    text = "现在纽约几点, and in London?"
    assert [text[place.start : place.end] for place in find_places(text)] == ["纽约", "London"]


def test_the_nearest_names():
    assert nearest_places("Tokio")[0].name_en == "Tokyo"
    assert "北京" in {place.name_zh for place in nearest_places("北津")}


def test_an_offset_has_a_clock():
    offset = tzinfo_of("UTC-03:30").utcoffset(None)
    assert offset is not None
    assert offset.total_seconds() == -3.5 * 3600


@given(st.text(max_size=80))
def test_any_text_can_be_looked_through(text: str):
    zone_of(text)
    for place in find_places(text):
        assert place.start is not None
        assert place.end is not None
        assert place.start < place.end
