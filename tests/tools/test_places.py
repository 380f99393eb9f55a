"""Names of places, alone and in sentences."""

from zoneinfo import available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchyard.language import places
from switchyard.language.places import cities_of, find_places, nearest_places, tzinfo_of, zone_of


def names(text: str) -> list[str]:
    return [place.name_en for place in find_places(text)]


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Tokyo", "Asia/Tokyo"),
        ("东京", "Asia/Tokyo"),
        ("new york", "America/New_York"),
        ("NYC", "America/New_York"),
        ("纽约", "America/New_York"),
        ("华盛顿", "America/New_York"),
        ("LONDON", "Europe/London"),
        ("reading", "Europe/London"),
        ("Japan", "Asia/Tokyo"),
        ("北京市", "Asia/Shanghai"),
        ("北京时间", "Asia/Shanghai"),
        ("Tokyo time", "Asia/Tokyo"),
        ("Paris, France", "Europe/Paris"),
        ("Chicago, USA", "America/Chicago"),
        ("asia/tokyo", "Asia/Tokyo"),
        ("America/New York", "America/New_York"),
        ("America/Argentina/Ushuaia", "America/Argentina/Ushuaia"),
        ("UTC", "UTC"),
        ("UTC+8", "UTC+08:00"),
        ("GMT-3:30", "UTC-03:30"),
        ("+05:30", "UTC+05:30"),
        ("东八区", "UTC+08:00"),
        ("西十一区", "UTC-11:00"),
        ("东十区", "UTC+10:00"),
    ],
)
def test_a_name_has_a_zone(name: str, zone: str):
    place = zone_of(name)
    assert place is not None
    assert place.zone == zone


@pytest.mark.parametrize(
    "name", ["", "Nowhere", "Paris, Texas", "London, Ontario", "UTC+99", "USA", "美国", "../etc/passwd"]
)
def test_other_names_have_none(name: str):
    assert zone_of(name) is None


def test_every_zone_of_the_table_exists():
    zones = {place.zone for place in places._places().values()}  # pyright: ignore[reportPrivateUsage]
    assert zones <= available_timezones()


def test_every_city_offered_is_known():
    for country in ("USA", "Canada", "Mexico", "Brazil", "Chile", "Russia", "Indonesia", "Mongolia", "Australia"):
        assert all(zone_of(city) for city in cities_of(country))
        assert cities_of(country)


def test_a_country_with_one_zone_offers_no_cities():
    assert cities_of("Japan") == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What time is it in Tokyo and New York?", ["Tokyo", "New York"]),
        ("东京和纽约现在几点？", ["Tokyo", "New York"]),
        ("what about london?", ["London"]),
        ("Tokyo时间", ["Tokyo"]),
        ("London's clock, then Paris.", ["London", "Paris"]),
        ("in Asia/Shanghai or UTC+8", ["Shanghai", "UTC+8"]),
        ("东八区现在几点", ["UTC+8"]),
        ("Mexico City", ["Mexico City"]),
        ("New Delhi", ["New Delhi"]),
    ],
)
def test_places_in_a_sentence(text: str, found: list[str]):
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "plain", "asked"),
    [
        ("3pm EST in IST", ["EST (UTC-05:00)"], ["EST (UTC-05:00)", "IST (UTC+05:30)"]),
        ("3 pm est", ["EST (UTC-05:00)"], ["EST (UTC-05:00)"]),
        ("9am ET in Tokyo", ["Eastern Time", "Tokyo"], ["Eastern Time", "Tokyo"]),
        ("ET phones home", [], []),
        ("what time is it in china", [], ["China"]),
        ("time in nice", [], ["Nice"]),
        ("a nice time", [], []),
        ("in the US", [], ["US"]),
        ("CST", [], ["CST"]),
        ("美国几点", [], ["美国"]),
        ("买一张加长沙发", [], []),
    ],
)
def test_what_is_known_to_ask_for_a_time_may_say_less(text: str, plain: list[str], asked: list[str]):
    assert names(text) == plain
    assert [place.name_en for place in find_places(text, asked=True)] == asked


def test_spans_point_at_the_name():
    text = "现在纽约几点, and in London?"
    assert [text[place.start : place.end] for place in find_places(text)] == ["纽约", "London"]


@pytest.mark.parametrize(
    "text",
    [
        "Reading a file is nice",
        "Nice work, thanks",
        "take a bath with a mobile phone and an orange",
        "a turkey sandwich on fine china",
        "tell us",
        "docs/london.txt",
        "paris.csv",
        "Londoner",
        "Indiana",
        "其中国家很多，今日本地下雨",
        "在这里加上变成都可以",
        "最大连续数",
        "印度尼西亚",
        "汉堡包",
    ],
)
def test_words_that_are_no_places(text: str):
    assert names(text) == []


@pytest.mark.parametrize("word", ["Reading", "Nice", "Bath", "Mobile", "Orange"])
def test_words_that_are_places_too_count_with_a_capital_inside_a_sentence(word: str):
    assert names(f"What time is it in {word}?") == [word]
    assert names(f"What time is it in {word.lower()}?") == []
    assert names(word) == [word]


@pytest.mark.parametrize(
    ("text", "found"), [("罗马尼亚", "Romania"), ("罗马", "Rome"), ("威尼斯", "Venice"), ("突尼斯", "Tunisia")]
)
def test_the_longest_name_counts(text: str, found: str):
    assert names(text) == [found]


def test_the_nearest_names():
    assert nearest_places("Tokio")[0].name_en == "Tokyo"
    assert "北京" in {place.name_zh for place in nearest_places("北津")}


def test_an_offset_has_a_clock():
    offset = tzinfo_of("UTC-03:30").utcoffset(None)
    assert offset is not None
    assert offset.total_seconds() == -3.5 * 3600


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_looked_through(text: str):
    zone_of(text)
    for place in find_places(text):
        assert place.start is not None
        assert place.end is not None
        assert place.start < place.end
