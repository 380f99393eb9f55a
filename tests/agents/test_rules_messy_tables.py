"""Tables as people keep them: decimal commas, units in names, several things in a cell, names in two columns."""

from datetime import date
from pathlib import Path

import pytest

from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.row_question import read_in_workspace
from tests.wordings.row_readers import told

TODAY = date(2026, 11, 17)
FILES = {
    "machines.csv": "code;item;room;bought;price_eur;power_kw;next_service\n"
    "A1;mixer;R1;12.03.2024;1249,00;0,8;05.12.2026\nA2;oven;R2;04.02.2025;1790,50;1,2;22.11.2026\n"
    "A3;mixer;R2;18.09.2025;89,90;0,8;18.03.2027\n",
    "orders.csv": "order_no,ordered,customer,product,kg,eur_per_kg,deliver_on,status\n"
    "T1,2026-10-19,Anna Toom,rye,12,9.80,2026-11-18,open\nT2,2026-11-09,Ben Saar,oat,40,5.90,2026-11-19,cancelled\n"
    "T3,2026-11-14,Ben Saar,rye,8,11.50,2026-11-20,delivered\n",
    "children.csv": "child_id,first_name,last_name,born,allergies,start_date\n"
    "C1,Lea,Roy,2022-11-17,peanuts,2025-09-01\nC2,Tom,Roy,2024-01-19,,2026-09-01\n"
    'C3,Mia,Chen,2023-02-11,"eggs, peanuts",2026-03-01\n',
    "staff.csv": "name,hired,hours_week,wage_eur,showed\n"
    "Max Frank,2019-01-07,36,21,yes\nMin Zhang,2024-05-02,20,19,no\nEva Frank,2021-03-01,30,24,yes\n",
    "dive_log.csv": "date,guide,languages,depth_m,rating\n2026-11-02,Asha,German; Swahili,18,5\n"
    "2026-11-03,Asha,German; Swahili,22,4\n2026-11-04,Juma,Swahili,30,5\n",
    "dishes.csv": "dish,price_eur,portions\nsoup,4.50,5\nstew,9.00,8\n",
    "供应/进货.csv": "批次号,到货日期,供应商,数量(副),破损数量,单价(元),验收人\nP1,2026-11-09,明澈,60,2,18.5,张敏\n"
    "P2,2026-11-13,明澈,40,5,46,李娜\nP3,2026-11-16,华光,10,1,88,张敏\n",
    "供应/学员.csv": "编号,姓名,性别,出生日期,加班\nX1,王芳,女,2015-11-17,2\n"
    "X2,李强,男,2016-03-04,\nX3,周敏,女,2015-02-08,1\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("messy")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which machine in machines.csv is the most expensive?", "order price_eur; max 1"),
        ("machines.csv 里最贵的是哪一台？", "order price_eur; max 1"),
        ("How many kW do the machines in R2 have, machines.csv?", "sum power_kw; where room in R2"),
        (
            "Which orders were ordered from 9 to 14 November?",
            "where day_of_year of ordered >= 11-09 and day_of_year of ordered <= 11-14",
        ),
        (
            "进货.csv,11月9日到13日到货的有几批?",
            "count rows; where day_of_year of 到货日期 >= 11-09 and day_of_year of 到货日期 <= 11-13",
        ),
        ("Which orders in orders.csv have to go out on the 18th or 19th of November?", None),
        ("which orders were ordered today?", "where day of ordered = 2026-11-17"),
        ("What are all the orders of Ben Saar worth together?", "sum kg × eur_per_kg; where customer in Ben Saar"),
        ("How many kilos in orders.csv, not counting the cancelled ones?", "sum kg; where status not in cancelled"),
        ("How many kilos are in orders.csv? Leave the cancelled ones out.", "sum kg; where status not in cancelled"),
        ("orders.csv 里不算已取消的一共几公斤？", "sum kg; where status not in cancelled"),
        ("Which children are allergic to peanuts?", "where allergies in peanuts|eggs, peanuts"),
        ("Who is the youngest child in children.csv?", "show first_name, last_name; order born; max 1"),
        ("Which of the orders did customers cancel?", "show order_no, customer; where status in cancelled"),
        ("How many hours a week does Max Frank work?", "sum hours_week; where name in Max Frank"),
        ("Who showed up, according to staff.csv?", "show name; where showed as text true|yes"),
        ("Leaving Max the director aside, who works the most hours in staff.csv?", None),
        ("staff.csv 里时薪不到22欧的有谁？", "show name; where wage_eur < 22"),
        ("明澈一共进了多少副？", "sum 数量(副); where 供应商 in 明澈"),
        ("进货.csv里哪一批破损的数量最多？", "order 破损数量; max 1"),
        ("张敏验收了几批？", "count rows; where 验收人 in 张敏"),
        ("按数量乘单价算，进货.csv里哪一批花的钱最多？", "order 数量(副) × 单价(元); max 1"),
        ("学员.csv里女孩有几个?", "count rows; where 性别 in 女"),
        ("有没有人是11月17日生日?是谁?学员.csv", "show 姓名; where day_of_year of 出生日期 = 11-17"),
        ("Which guide had the most dives in dive_log.csv?", "count rows; by guide; max 1"),
        ("How many dives in dive_log.csv got a rating of 5?", "count rows; where rating = 5"),
        ("Who speaks German, dive_log.csv?", None),
        ("Which guides speak German?", "show guide; where languages in German; Swahili"),
        ("哪些菜有5份？", None),
        ("Which dishes have 8 portions?", "where portions = 8"),
        ("哪道菜最贵？", "show dish; order price_eur; max 1"),
        ("What is the price of 3 soups?", None),
        ("How much overtime did 王芳 do in 学员.csv?", "sum 加班; where 姓名 in 王芳"),
    ],
)
def test_tables_are_read_as_people_keep_them(root: Path, question: str, meant: str | None) -> None:
    read = told(read_in_workspace(question, Place(root), TODAY))

    assert read is None if meant is None else read is not None and read.partition(": ")[2] == meant
