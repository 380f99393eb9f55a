"""Arithmetic as people say it: number words, sentences, percentages, statistics, conversions."""

from typing import Any

import pytest

from tools.calculate import Calculate, CalculateParams


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("three hundred and five times twelve", 3660),
        ("a third of 99", 33),
        ("two thirds of 90", 60),
        ("half of 86", 43),
        ("三分之一", 1 / 3),
        ("99的三分之一", 33),
        ("一百二十除以八", 15),
        ("3.5万", 35000),
        ("2亿", 200000000),
        ("一万两千三百", 12300),
        ("two dozen", 24),
        ("a dozen times 3", 36),
        ("half a dozen plus 1", 7),
        ("10 less 3", 7),
        ("3 less than 10", 7),
        ("the product of 4 and 5", 20),
        ("difference between 9 and 4", 5),
        ("difference between 4 and 9", 5),
        ("9与4的差", 5),
        ("4与9的差", -5),
        ("4和5的积", 20),
        ("4和5的乘积", 20),
        ("20与4的商", 5),
        ("3和5的和乘以2", 16),
        ("2乘以3和5的和", 16),
        ("square of 12", 144),
        ("the cube of 3", 27),
        ("square 5", 25),
        ("5的平方", 25),
        ("5的立方", 125),
        ("二的十次方", 1024),
        ("5的阶乘", 120),
        ("5 factorial", 120),
        ("factorial of 5", 120),
        ("5!", 120),
        ("2 to the power of ten", 1024),
        ("2 raised to the power of 3", 8),
        ("2 to the 3rd power", 8),
        ("reduce 80 by 10", 70),
        ("72 degrees Fahrenheit in Celsius", 22.2222222222222),
        ("2 divided by half of 8", 0.5),
        ("square root of half of 8", 2),
        ("3的4倍", 12),
        ("add 5 to 3", 8),
        ("add 3 and 5", 8),
        ("subtract 4 from 9", 5),
        ("multiply 4 by 5", 20),
        ("divide 10 by 4", 2.5),
        ("从9减去4", 5),
        ("比80少5", 75),
        ("三分之一加四分之一", 0.583333333333333),
        ("负五加三", -2),
        ("negative five plus three", -2),
        ("三减负五", 8),
        ("two and a half times 4", 10),
        ("3.5万加2千", 37000),
        ("一百二十除以八等于几", 15),
        ("27的立方根", 3),
        ("(3+5)和4的和", 12),
        ("1e3+1", 1001),
        ("$5 + $3", 8),
        ("minus five plus 3", -2),
        ("one third plus one sixth", 0.5),
        ("十加二十", 30),
        ("100 over 4", 25),
        ("nine squared", 81),
        ("two thirds", 0.666666666666667),
        ("五分之三乘以二十", 12),
        ("16开平方", 4),
        ("2 x 3", 6),
        ("3 to the power of 7", 2187),
        ("10的3次方", 1000),
        ("4与5相乘", 20),
        ("3+4×2", 11),
        ("144的一半的平方", 5184),
        ("half of 3 squared", 4.5),
        ("-5的绝对值", 5),
        ("0^2", 0),
        ("3和5的和与2的差", 6),
        ("what is three hundred and five times twelve?", 3660),
        ("请问九加六等于几？", 15),
    ],
)
async def test_number_words_and_operator_words(expression: str, expected: float):
    assert (await calculate(expression))["value"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("百分之十五", 0.15),
        ("150打八折", 120),
        ("150元打八五折是多少钱", 127.5),
        ("10% more than 80", 88),
        ("15% of 2,480", 372),
        ("2480的15%", 372),
        ("200 plus 14%", 228),
        ("200加14%", 228),
        ("increase 80 by 25%", 100),
        ("80 increased by 25%", 100),
        ("80增加25%", 100),
        ("80增加了25%", 100),
        ("80减少25%", 60),
        ("what percent of 80 is 20", 25),
        ("20 is what percent of 80", 25),
        ("20 is what percentage of 80?", 25),
        ("20是80的百分之几", 25),
        ("20是80的百分之几？", 25),
        ("20占80的百分比是多少", 25),
        ("20是80的百分之多少", 25),
        ("20 as a percentage of 80", 25),
        ("0.25 as a percentage", 25),
        ("3/4化成百分数", 75),
        ("percentage increase from 80 to 100", 25),
        ("20% off 150", 120),
        ("20% off of 150", 120),
        ("150 with 20% off", 120),
        ("twenty percent off 150", 120),
        ("100 / 50% of 40", 5),
        ("10% of 3^2", 0.9),
        ("80增加两倍", 240),
        ("比80多25%", 100),
        ("80的百分之25", 20),
        ("fifteen percent of two hundred", 30),
        ("150打对折", 75),
        ("15% of the sum of 3 and 4", 1.05),
    ],
)
async def test_percentages_as_people_say_them(expression: str, expected: float):
    assert (await calculate(expression))["value"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("the sum of 4 and 5", 9),
        ("mean of 3, 5, 8 and 10", 6.5),
        ("average of 3, 5, 8, and 10", 6.5),
        ("median of 3, 5, 8 and 10", 6.5),
        ("sum of 3, 5, 8 and 10", 26),
        ("min of 3, 5, 8 and 10", 3),
        ("largest of 3, 5, 8 and 10", 10),
        ("range of 3, 5, 8 and 10", 7),
        ("standard deviation of 2, 4, 4, 4, 5, 5, 7 and 9", 2),
        ("sample standard deviation of 2, 4, 6", 2),
        ("variance of 2, 4", 1),
        ("mode of 1, 2, 2, 3", 2),
        ("3、5、8、10的平均数", 6.5),
        ("3、5、8、10的中位数", 6.5),
        ("3、5、8、10的总和", 26),
        ("3、5、8、10的最大值", 10),
        ("2、4、4、4、5、5、7、9的标准差", 2),
        ("3,5,8,10的平均数是多少", 6.5),
        ("3、5、8和10的平均值", 6.5),
        ("三、五和十的平均数", 6),
        ("3、5、8中最大的", 8),
        ("求3、5、8的平均数", 5.33333333333333),
        ("twice the sum of 3 and 4", 14),
        ("half the sum of 3 and 5", 4),
        ("divide the sum of 3 and 5 by 2", 4),
        ("sum of 1,234 and 5", 1239),
        ("[1, 2, 3]的平均值", 2),
        ("average of [1, 2, 3]", 2),
        ("square root of the sum of 9 and 16", 5),
    ],
)
async def test_statistics_over_a_list(expression: str, expected: float):
    assert (await calculate(expression))["value"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("round 3.14159 to 2 decimal places", 3.14),
        ("round 3.14159 to two decimal places", 3.14),
        ("round 10/3 to 2 decimals", 3.33),
        ("3.14159 rounded to 3 decimal places", 3.142),
        ("round 1234 to the nearest hundred", 1200),
        ("round 1234 to the nearest ten", 1230),
        ("round 3.7 to the nearest whole number", 4),
        ("round 3.7", 4),
        ("3.14159保留两位小数", 3.14),
        ("10除以3保留两位小数", 3.33),
        ("3.14159四舍五入到两位小数", 3.14),
        ("3.14159四舍五入保留小数点后3位", 3.142),
        ("3.7四舍五入", 4),
        ("3.7四舍五入到整数", 4),
        ("把3.14159四舍五入到小数点后两位", 3.14),
    ],
)
async def test_rounding(expression: str, expected: float):
    assert (await calculate(expression))["value"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("convert 5 miles to km", {"expression": "5 mi in km", "value": 8.04672, "unit": "km"}),
        ("What is 72°F in °C?", {"expression": "72 °F in °C", "value": 22.2222222222222, "unit": "°C"}),
        ("How many feet are in a mile?", {"expression": "1 mi in ft", "value": 5280, "unit": "ft"}),
        ("把 72 华氏度换算成摄氏度", {"expression": "72 华氏度换算成摄氏度", "value": 22.2222222222222, "unit": "°C"}),
        ("请问3斤等于多少克？", {"expression": "3 斤换算成克", "value": 1500, "unit": "g"}),
        ("what percent of 80 is 20?", {"expression": "what percent of 80 is 20", "value": 25, "unit": "%"}),
        ("20是80的百分之几？", {"expression": "20是80的百分之几", "value": 25, "unit": "%"}),
        ("a third of 99", {"expression": "a third of 99", "value": 33}),
    ],
)
async def test_the_unit_comes_with_conversions_and_answers_in_percent(expression: str, result: dict[str, Any]):
    assert await calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("standard deviation of 2 and 4", "standard deviation of 2 and 4 (population)"),
        ("2、4的标准差", "2、4的标准差（总体）"),
        ("sample standard deviation of 2 and 4", "sample standard deviation of 2 and 4"),
        ("2、4的样本标准差", "2、4的样本标准差"),
    ],
)
async def test_the_kind_of_deviation_is_said(expression: str, shown: str):
    assert (await calculate(expression))["expression"] == shown
