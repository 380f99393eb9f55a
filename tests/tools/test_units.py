"""Units in both languages and what converts to what."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchyard.language.arithmetic import parse, read_arithmetic
from switchyard.language.arithmetic.outcomes import Outcome
from switchyard.language.errors import Unreadable
from switchyard.language.units import find_units, unit_at, unit_named


def converted(text: str) -> Outcome:
    return parse(text).result()


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
    outcome = converted(text)
    assert (outcome.value, outcome.unit) == (Fraction(value), unit)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("How many seconds are in a day?", "86400", "s"),
        ("hours in a week", "168", "h"),
        ("The baby weighs 12 lb. How many kilos is that?", "5.44310844", "kg"),
        ("I'm 6 ft 2, how tall is that in cm?", "187.96", "cm"),
        ("I am 5'10\" tall, what is that in centimetres", "177.8", "cm"),
        ("It's 95 degrees fahrenheit outside, what is that in celsius?", "35", "°C"),
        ("72 degrees in celsius", "200/9", "°C"),
        ("how many litres of water are in 5 cubic metres?", "5000", "L"),
        ("800 megabits expressed in megabytes", "100", "MB"),
        ("what's 90 km/h in metres per second", "25", "m/s"),
        ("20 metres a second in km/h", "72", "km/h"),
        ("3/4 cup in ml", "177.441177375", "mL"),
        ("5 miles -> km", "8.04672", "km"),
        ("350 F in C, I'm baking", "530/3", "°C"),
        ("I ran 5 miles, that's how many km?", "8.04672", "km"),
        ("my car does 60 mph, tell me that in km/h", "96.56064", "km/h"),
        ("How many weeks are in a year?", "365/7", "week"),
        ("30 miles per gallon in litres per 100 km", "7.84048611111", "L/100km"),
        ("12 km/L in L/100km", "25/3", "L/100km"),
        ("2.4 GHz in MHz", "2400", "MHz"),
        ("3斤苹果是多少克", "1500", "g"),
        ("三斤半等于多少克", "1750", "g"),
        ("500克等于多少两", "10", "两"),
        ("20里路是几公里", "10", "km"),
        ("每秒 20 米换成公里每小时是多少", "72", "km/h"),
        ("时速36公里等于多少米每秒", "10", "m/s"),
        ("时速 36 公里合每秒多少米", "10", "m/s"),
        ("体温 104 华氏度，摄氏多少度", "40", "°C"),
        ("两年半是多少个月", "30", "month"),
        ("5 立方米的水是多少升？", "5000", "L"),
        ("我身高一米七五，是多少厘米", "175", "cm"),
        ("我体重 65 公斤，等于多少斤", "130", "斤"),
        ("6英尺2英寸等于多少厘米", "187.96", "cm"),
        ("今天35摄氏度，换成华氏是多少", "95", "°F"),
        ("35度换算成华氏度", "95", "°F"),
        ("一天有多少秒", "86400", "s"),
        ("2小时30分是多少分钟", "150", "min"),
        ("百公里油耗8升等于多少公里每升", "12.5", "km/L"),
        ("150马力是多少千瓦", "110.32481250", "kW"),
    ],
)
def test_conversions_are_found_in_what_people_say(text: str, value: str, unit: str):
    outcome = converted(text)
    assert isinstance(outcome.value, Fraction)
    assert float(outcome.value) == pytest.approx(float(Fraction(value)))
    assert outcome.unit == unit


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5 kg in meters", "kg .*mass.* m .*length"),
        ("5公斤等于多少米", "千克.*米"),
        ("2 months in days", "no fixed length"),
        ("5 foo in km", "'foo' is no unit.*'km'"),
        ("5 tons in kg", "metric ton.*US ton"),
        ("-300 C in F", "absolute zero"),
    ],
)
def test_what_cannot_be_converted_gets_a_sentence(text: str, sentence: str):
    with pytest.raises(Unreadable, match=sentence):
        converted(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "5 apples in oranges",
            "你好",
            "7 inches 5 feet in cm",
            "5 °C 7 °C in °F",
            "5 km in foo",
            "5公里跑了30分钟",
        ),
        *(
            "How many calories are in 100 grams of rice?",
            "北京到上海1200公里要几小时",
            "3 hours in Tokyo",
            "在3公里内有几家店",
        ),
        *("100 dollars in euros", "100 美元等于多少欧元", "wake me in half an hour", "3月和4月一共多少钱"),
    ],
)
def test_what_asks_for_no_conversion_is_left_to_others(text: str):
    assert read_arithmetic(text) is None


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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("miles per hour and more", "miles per hour"),
        ("升水", "升"),
        ("minus 3", None),
        ("fl. oz. of", "fl. oz."),
        ("m2", "m2"),
    ],
)
def test_the_longest_name_of_a_unit_is_taken(text: str, name: str | None):
    found = unit_at(text, 0)
    assert (text[found.start : found.end] if found else None) == name


@given(st.text(alphabet="0123456789.- kmgCF°斤两公里等于多少into换算成半", max_size=30) | st.text())
def test_any_text_is_read_or_not(text: str):
    find_units(text)
    found = read_arithmetic(text)
    assert found is None or (found.outcome is None) != (found.problem is None)
