"""Everyday questions that mean arithmetic: tips, discounts, shares, ratios, changes in percent, lists, comparisons."""

from typing import Any

import pytest

from switchyard.tools.calculate import Calculate, CalculateParams


async def calculate(expression: str) -> dict[str, Any]:
    return await Calculate().execute(CalculateParams(expression=expression))


async def found(expression: str) -> tuple[Any, str]:
    result = await calculate(expression)
    return result["value"], result.get("unit", "")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("45 is what percentage of 250?", 18),
        ("what % is 45 of 250", 18),
        ("80 is how many percent of 640?", 12.5),
        ("If I got 42 out of 50 questions right, what percentage is that?", 84),
        ("express 3/8 as a percentage", 37.5),
        ("percentage change from 50 to 75", 50),
        ("The price rose from 80 to 100. By what percent did it rise?", 25),
        ("sales fell from 200 to 150, what percentage drop is that?", 25),
        ("By what percentage did my rent increase if it went from 800 to 920?", 15),
        ("45是250的百分之几？", 18),
        ("120里面30占百分之几", 25),
        ("42占50的百分比", 84),
        ("工资从 8000 涨到 9200，涨了百分之几？", 15),
        ("价格从 120 降到 90，降了百分之多少", 25),
        ("房租由800涨到920，涨幅是多少", 15),
        ("9200比8000多百分之几", 15),
    ],
)
async def test_answers_in_percent(question: str, value: float):
    assert await found(question) == (value, "%")


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("Leaving a 20% tip on a bill of 86.50, how much is the tip?", 17.3, ""),
        ("My bill is 86.50 and I want to leave a 20% tip. How much is the tip?", 17.3, ""),
        ("How much is a 15% tip on $60?", 9, "$"),
        ("What's the total for a $48 meal with a 15% tip?", 55.2, "$"),
        ("If the bill is $80 and I tip 20%, what's the total?", 96, "$"),
        ("add 19% VAT to 250", 297.5, ""),
        ("What is 8% sales tax on 45?", 3.6, ""),
        ("What's the sale price of a $120 jacket at 30% off?", 84, "$"),
        ("A shirt costs 40 and is 25% off. How much do I pay?", 30, ""),
        ("How much do I save with 20% off 150?", 30, ""),
        ("take 15% off 200", 170, ""),
        ("18 is 15% of what number?", 120, ""),
        ("reduce 80 by a quarter", 60, ""),
        ("What does 350 come to with 20% VAT on top?", 420, ""),
        ("What is 3500 after a 12% raise?", 3920, ""),
        ("20% off 45, then another 10% off", 32.4, ""),
        ("what's left of 5000 after taking off 12.5%", 4375, ""),
        ("If 15% of a number is 45, what is the number?", 300, ""),
        ("A salary of 4,000 rises by 3%. What is it now?", 4120, ""),
        ("86.5元的账单给20%小费是多少", 17.3, "元"),
        ("原价 399 的鞋打七折要多少钱", 279.3, ""),
        ("一百块钱的东西打八五折是多少", 85, "元"),
        ("一件 260 元的衣服打八折后多少钱", 208, "元"),
        ("原价200元，打七五折，便宜多少钱？", 50, "元"),
        ("原价200现价150，打了几折", 7.5, "折"),
        ("1000元优惠15%后是多少", 850, "元"),
        ("月薪8000，涨薪10%后是多少", 8800, ""),
        ("18是多少的15%", 120, ""),
        ("一个数的15%是18，这个数是多少", 120, ""),
    ],
)
async def test_tips_taxes_and_discounts(question: str, value: float, unit: str):
    assert await found(question) == (value, unit)


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("Split 1,260 evenly between 8 people", 157.5, ""),
        ("share 24 cookies equally between 6 children", 4, ""),
        ("If 4 friends split a bill of 86, how much does each pay?", 21.5, ""),
        ("a bill of $86 split 4 ways", 21.5, "$"),
        ("We are 5 people and the bill is 187.50, how much does each of us pay?", 37.5, ""),
        ("If I divide 900 in the ratio 2:3, how big is the larger share?", 540, ""),
        ("split 450 in the ratio 4 to 5, how big is the smaller part?", 200, ""),
        ("divide 900 in the ratio 2:3", "360 : 540", ""),
        ("how much does each of 7 people get if we share 154", 22, ""),
        ("I bought 3 shirts at 24.99 each, total?", 74.97, ""),
        ("1,450 a month for 18 months, what's the total?", 26100, ""),
        ("25 dollars an hour for 8 hours, how much is that?", 200, "$"),
        ("hey, what do you get if you double 37 and add 9?", 83, ""),
        ("3 apples at $2 each, how much in total?", 6, "$"),
        ("If 3 pens cost 6, how much do 5 pens cost?", 10, ""),
        ("I have 50 and spend 12.30, how much is left?", 37.7, ""),
        ("把 1260 平均分给 8 个人", 157.5, ""),
        ("8个人平分1260元，每人多少", 157.5, "元"),
        ("四个人AA，一共96.4元，每人多少", 24.1, "元"),
        ("900按2:3分，较大的一份是多少", 540, ""),
        ("苹果每斤5元，买3斤多少钱", 15, "元"),
        ("3个苹果10元，6个多少钱", 20, "元"),
        ("3 件衬衫每件 89 元，一共多少钱", 267, "元"),
        ("每月1450元，18个月一共多少钱", 26100, "元"),
        ("一打鸡蛋 12 个，7 打一共多少个？", 84, ""),
        ("1500 块四个人平摊，每人多少", 375, "元"),
        ("100元花了35元还剩多少", 65, "元"),
    ],
)
async def test_shares_and_prices(question: str, value: Any, unit: str):
    assert await found(question) == (value, unit)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the remainder when 100 is divided by 7?", 2),
        ("what's left over when you divide 100 by 7", 2),
        ("100 divided by 7 - what is the remainder?", 2),
        ("100除以7余几", 2),
        ("100除以7，余数是多少？", 2),
        ("how much more is 120 than 85", 35),
        ("120比85多多少", 35),
        ("1000和387差多少", 613),
        ("120是40的几倍", 3),
        ("how many times does 7 go into 84", 12),
        ("which is bigger, 9.11 or 9.9?", 9.9),
        ("which is larger: 2/3 or 3/4", 0.75),
        ("9.11和9.9哪个大？", 9.9),
        ("7、3、9哪个最小", 3),
    ],
)
async def test_remainders_and_comparisons(question: str, value: float):
    assert await found(question) == (value, "")


@pytest.mark.parametrize(
    ("question", "value", "unit"),
    [
        ("Sum up these expenses for me: 12.40, 8.99, 30 and 3.61", 55, ""),
        ("what do 12.5, 7.5 and 20 add up to?", 40, ""),
        ("I spent 12.5 on lunch, 30 on a book and 8 on coffee. How much is that in total?", 50.5, ""),
        ("Rent 1200, food 450 and transport 90: what's the total?", 1740, ""),
        ("$12, $8.50 and $3 in total", 23.5, "$"),
        ("I need the median of 14, 3, 27, 9 and 11.", 11, ""),
        ("What is my average score if I got 80, 90 and 85?", 85, ""),
        ("Given 3, 9, 4, what is the median?", 4, ""),
        ("Which number is smallest: 17, 4, 39?", 4, ""),
        ("sample standard deviation for 2, 4, 6", 2, ""),
        ("把 18.5、21.5 和 60 加起来", 100, ""),
        ("12.4、8.99、30和3.61一共是多少", 55, ""),
        ("早饭12元，午饭25元，晚饭40元，一共花了多少钱？", 77, "元"),
        ("语文85，数学92，英语78，平均分是多少", 85, ""),
        ("12、45、7、33这几个数里最大的是哪个？", 45, ""),
        ("这三个数的平均值：80、90、100", 90, ""),
        ("3、5、10求平均", 6, ""),
    ],
)
async def test_lists_as_people_write_them(question: str, value: float, unit: str):
    assert await found(question) == (value, unit)


@pytest.mark.parametrize(
    "question",
    [
        *("What is 6 * 7?", "whats 6*7", "calc 6 x 7", "6*7=", "= 6 * 7", "hey, can you tell me what 6 times 7 is?"),
        *(
            "could you please work out 84 / 2 for me?",
            "I'd like to know what 6 times 7 is",
            "please calculate 6 x 7, thanks!",
        ),
        *(
            "请问6乘以7是多少？",
            "呃那个嗯就是说25加17啊等于几来着",
            "麻烦问一下，6乘以7是多少呀",
            "帮忙算个数：6*7",
            "你好，帮我算下6乘7谢谢",
        ),
        *("１２＋３０等于多少？", "\u202eWhat is 6 * 7?\u202c", "21 doubled", "21的两倍是多少"),
    ],
)
async def test_the_words_around_do_not_matter(question: str):
    assert await found(question) == (42, "")
