"""Units in both languages and what converts to what."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.core.errors import ToolError
from tools.core.units import Conversion, find_units, read_conversion, unit_named


def converted(text: str) -> Conversion:
    conversion = read_conversion(text)
    assert conversion is not None
    return conversion


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("72 fahrenheit to celsius", "200/9", "°C"),
        ("72°F in °C", "200/9", "°C"),
        ("-40 F to C", "-40", "°C"),
        ("minus 40 degrees celsius in fahrenheit", "-40", "°F"),
        ("300 K in C", "26.85", "°C"),
        ("5 miles in km", "8.04672", "km"),
        ("a mile in feet", "5280", "ft"),
        ("how many feet are in a mile", "5280", "ft"),
        ("how many grams is 3 pounds", "1360.77711", "g"),
        ("half a mile in metres", "804.672", "m"),
        ("5 feet 7 inches in cm", "170.18", "cm"),
        ("3 in in cm", "7.62", "cm"),
        ("2 hours in minutes", "120", "min"),
        ("1 hour and 30 minutes in seconds", "5400", "s"),
        ("3 years in months", "36", "month"),
        ("1.5 GB in MB", "1500", "MB"),
        ("1 GiB in MiB", "1024", "MiB"),
        ("100 Mbps in MB/s", "12.5", "MB/s"),
        ("100 square feet in square meters", "9.290304", "m²"),
        ("2 m^2 in cm^2", "20000", "cm²"),
        ("1 cubic metre in litres", "1000", "L"),
        ("2 gallons in liters", "7.570823568", "L"),
        ("36 km/h in m/s", "10", "m/s"),
        ("60 mph in kilometers per hour", "96.56064", "km/h"),
        ("1 atm in kPa", "101.325", "kPa"),
        ("1 kWh in joules", "3600000", "J"),
        ("1 mile = ? km", "1.609344", "km"),
        ("72 华氏度换算成摄氏度", "200/9", "°C"),
        ("华氏七十二度是多少摄氏度", "200/9", "°C"),
        ("零下40摄氏度换算成华氏度", "-40", "°F"),
        ("72℉等于多少℃", "200/9", "°C"),
        ("72华氏度用摄氏度表示", "200/9", "°C"),
        ("3斤等于多少克", "1500", "g"),
        ("三斤二两等于多少克", "1600", "g"),
        ("二两等于多少克", "100", "g"),
        ("10 kg 是多少磅", "1000000000/45359237", "lb"),
        ("5千克等于多少斤", "10", "斤"),
        ("一公里是几米", "1000", "m"),
        ("半小时等于多少秒", "1800", "s"),
        ("一个半小时有多少分钟", "90", "min"),
        ("2个小时等于多少分钟", "120", "min"),
        ("5英尺7英寸换算成厘米", "170.18", "cm"),
        ("一亩是多少平方米", "2000/3", "m²"),
        ("36公里每小时等于多少米每秒", "10", "m/s"),
        ("2升转换为毫升", "2000", "mL"),
        ("1标准大气压等于多少千帕", "101.325", "kPa"),
    ],
)
def test_conversions_are_exact(text: str, value: str, unit: str):
    conversion = converted(text)
    assert (conversion.value, conversion.target.symbol) == (Fraction(value), unit)


def test_a_conversion_is_shown_in_the_language_asked():
    assert converted("72 fahrenheit to celsius").shown(chinese=False) == "72 °F in °C"
    assert converted("七十二华氏度是多少摄氏度").shown(chinese=True) == "72 华氏度换算成摄氏度"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5 kg in meters", "kg .*mass.* m .*length"),
        ("5公斤等于多少米", "千克.*米"),
        ("1 year in days", "no fixed length"),
        ("5 foo in km", "'foo' is no unit.*'km'"),
        ("5 km in foo", "'foo' is no unit.*"),
        ("5 tons in kg", "metric ton.*US ton"),
        ("-300 C in F", "absolute zero"),
        ("7 inches 5 feet in cm", "larger unit to the smaller"),
        ("5 °C 7 °C in °F", "larger unit to the smaller"),
    ],
)
def test_what_cannot_be_converted_gets_a_sentence(text: str, sentence: str):
    with pytest.raises(ToolError, match=sentence):
        _ = converted(text).value


@pytest.mark.parametrize(
    "text", ["", "2 to the power of 3", "5 + 3", "round 3.14 to 2 decimals", "5 apples in oranges", "你好"]
)
def test_what_asks_for_no_conversion_is_left_to_others(text: str):
    assert read_conversion(text) is None


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("MB", "MB"),
        ("Mb", "Mbit"),
        ("mb", "MB"),
        ("Miles", "mi"),
        ("KM", "km"),
        ("lbs", "lb"),
        ("公里", "km"),
        ("㎡", "m²"),
    ],
)
def test_names_capitals_and_plurals(name: str, symbol: str):
    unit = unit_named(name)
    assert unit is not None
    assert unit.symbol == symbol


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("5 miles in km", ["mi", "km"]),
        ("把 72 华氏度换算成摄氏度", ["°F", "°C"]),
        ("I live in a house and it is 3 m tall", ["m"]),
        ("2个小时走了10km", ["h", "km"]),
        ("3斤等于多少克", ["斤", "g"]),
        ("100 square feet", ["ft²"]),
        ("今天很热", []),
        ("go to me", []),
    ],
)
def test_units_are_found_in_a_sentence(text: str, symbols: list[str]):
    assert [found.unit.symbol for found in find_units(text)] == symbols


@given(st.text(alphabet="0123456789.- kmgCF°斤两公里等于多少into换算成半", max_size=30) | st.text())
def test_any_text_gives_a_conversion_none_or_a_tool_error(text: str):
    find_units(text)
    try:
        conversion = read_conversion(text)
        assert conversion is None or isinstance(conversion.value, Fraction)
    except ToolError:
        pass
