"""What the calculator says: what was understood, the unit, and as many digits as mean something."""

from typing import Any

import pytest

from switchyard.tools.calculate import Calculate, CalculateParams


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("What is 15% of 2480?", "15% of 2480 = 372"),
        ("2480的15%是多少？", "2480的15% = 372"),
        ("10 / 3", "10 ÷ 3 ≈ 3.333333"),
        ("sqrt(2)", "sqrt(2) ≈ 1.414214"),
        ("round(2.675, 2)", "2.675 rounded to 2 decimals = 2.68"),
        ("100 除以 3 保留两位小数", "(100除以3) 保留 两 位小数 = 33.33"),
        ("divide 900 in the ratio 2:3", "900 in the ratio 2:3 = 360 : 540"),
        ("0.1 + 0.2", "0.1 + 0.2 = 0.3"),
        ("2^63", "2^63 = 9223372036854775808"),
        ("What is 72°F in °C?", "72 °F ≈ 22.22 °C"),
        ("把 72 华氏度换算成摄氏度", "72 华氏度 ≈ 22.22 摄氏度"),
        ("12 lb in kg", "12 lb ≈ 5.443 kg"),
        ("convert 5 miles to km", "5 mi = 8.04672 km"),
        ("how many days are in a year", "1 year (365 days a year) = 365 d"),
        ("一年有多少天", "1 年（一年按365天） = 365 天"),
        ("45 is what percentage of 250?", "45 ÷ 250 = 18%"),
        ("工资从 8000 涨到 9200，涨了百分之几？", "(9200 - 8000) ÷ 8000 = 15%"),
        ("How much is a 15% tip on $60.50?", "15% × $60.50 ≈ $9.08"),
        ("一百块钱的东西打八五折是多少", "一百块钱 打 八五 折 = 85 元"),
        ("把 18.5、21.5 和 60 加起来", "18.5、21.5、60的总和 = 100"),
        ("Which number is smallest: 17, 4, 39?", "smallest of 17, 4 and 39 = 4"),
        ("reduce 80 by a quarter", "80 reduced by a quarter = 60"),
        ("increase 80 by 25%", "80 increased by 25% = 100"),
        ("What is the remainder when 100 is divided by 7?", "remainder of 100 ÷ 7 = 2"),
        ("100除以7余几", "100 ÷ 7 的余数 = 2"),
        ("what is 5/6 minus 1/4 as a fraction", "5/6 minus 1/4 = 7/12"),
        ("0.375化成分数", "0.375 = 3/8"),
        ("5 km + 300 m", "5 km + 300 m = 5.3 km"),
        ("standard deviation of 2 and 4", "standard deviation of 2 and 4 (population) = 1"),
        ("2、4的标准差", "2、4的标准差（总体） = 1"),
        ("sample standard deviation of 2, 4, 6", "sample standard deviation of 2, 4, 6 = 2"),
    ],
)
async def test_the_sentence_names_what_was_computed(expression: str, sentence: str):
    assert (await calculate(expression))["sentence"] == sentence


@pytest.mark.parametrize(
    ("expression", "value", "unit"),
    [
        ("72 °F in °C", 22.2222222222222, "°C"),
        ("请问3斤等于多少克？", 1500, "g"),
        ("what percent of 80 is 20?", 25, "%"),
        ("20% of $80", 16, "$"),
        ("€100 minus 15%", 85, "€"),
        ("5元加3元", 8, "元"),
        ("half of 3 kg", 1.5, "kg"),
        ("一米七五加上二十厘米", 1.95, "m"),
        ("1.5 hours plus 30 minutes", 2, "h"),
    ],
)
async def test_the_value_stays_exact_and_has_its_unit(expression: str, value: float, unit: str):
    result = await calculate(expression)
    assert (result["value"], result["unit"]) == (value, unit)


@pytest.mark.parametrize("expression", ["6 km / 2 km", "$80 / $4", "6公里是2公里的几倍", "a third of 99"])
async def test_a_ratio_has_no_unit(expression: str):
    assert "unit" not in await calculate(expression)


async def test_the_expression_says_what_a_conversion_asks_for():
    assert (await calculate("How many feet are in a mile?"))["expression"] == "1 mi in ft"
    assert (await calculate("把 72 华氏度换算成摄氏度"))["expression"] == "72 华氏度换算成摄氏度"
