"""What is easily read as something else, and is not: every row here was once answered wrongly."""

from datetime import date
from pathlib import Path

import pytest

from switchyard.agents.by_rules.lookups import read_look_up
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.row_question import read_after, read_in_workspace
from switchyard.app.orchestrator import Orchestrator
from switchyard.language.arithmetic import find_arithmetic
from tests.wordings.row_readers import told

TODAY = date(2026, 11, 17)
FILES = {
    "shipments.csv": "ref,customer,status,price_eur,booked,due,returned\n"
    "S1,Ottica,customs,300,2026-10-02,2026-10-20,2026-10-28\nS2,Bovisa,delivered,200,2026-10-09,2026-10-21,\n"
    "S3,Ottica,delivered,150,2026-11-03,2026-11-09,2026-11-08\n",
    "stock.csv": "item,hall,qty,weight_kg\nrattan chair,A,202,35\noak table,B,12,180\nlamp,A,40,20\n",
    "采购单.csv": "单号,品名,数量,单位,状态,下单日期\nC1,高白泥,200,公斤,运输中,2026-09-19\n"
    "C2,高白泥,250,公斤,已到货,2026-10-04\nC3,毛笔,20,支,运输中,2026-10-10\n",
    "车队/出车.csv": "车号,日期,公里\nV1,2026-11-02,30\nV1,2026-11-03,12\nV2,2026-11-04,50\n",
    "车队/维修记录.csv": "车牌,送修日,费用\nV2,2026-10-01,300\nV2,2026-10-09,120\nV1,2026-10-11,80\n",
    "名册.csv": "编号,姓名,声部,职务,手机\n1,孙悦,大提琴,首席,131-2\n2,余浩,大提琴,乐手,132-2\n"
    "3,苏航,小提琴,首席,133-2\n",
    "零件.csv": "零件号,名称,单价\nZ1,线束,1475\nZ2,水泵,405\n",
    "鞍坊/成品.csv": "货号,型号,数量\nQ1,赛马鞍,6\nQ2,儿童鞍,10\nQ3,草原鞍,2\n",
    "鞍坊/库存.json": '[{"名称": "羊毛毡", "现有": 55, "最低库存": 30}, {"名称": "牛皮", "现有": 8, "最低库存": 5}]',
    "invoices.csv": "invoice,client,state\n1,Ottica,late\n2,Bovisa,paid\n3,Ottica,late\n",
    "orders.csv": "order_no,order_date,ship_date,variety,stems_cut,rejected,price_usd,cost_usd,work,status\n"
    "LB-7,2026-09-09,2026-09-11,Athena,400,12,3,9,grafting,shipped\n"
    "LB-8,2026-09-12,,Xlence,25,1,,8,cutting,open\nLB-9,2026-09-14,,Athena,90,4,5,2,cutting,open\n",
    "花苗.csv": "批号,品种,数量\nB1,满天星,4000\nB2,满天星,500\nB3,绣球,90\n",
    "课程表.csv": "课程,名额,已报名\n蝶泳提高班,10,4\n水球,12,12\n",
    "parts.csv": "part_no,qty,unit_price_cny\nPO-22,40,88\nPO-23,2,15\n",
    "logs/shop.log": "2026-11-03 02:00 INFO open\n2026-11-04 02:00 ERROR no paper\n",
    "notes/prices 3 November.md": "# Prices, 3 November\n\n- From 1 January a lesson goes up to 240 kr.\n"
    "- Balder needs 1.5 cm more in his saddle.\n",
    "notes/minutes.md": "# Minutes\n\n- New label printer arrived, serial LP-4471.\n"
    "- 投诉2起，都是等药时间太长，已道歉。\n- 周日班是否加开，等家长投票结果。\n- 陶泥一袋25公斤，每托盘40袋。\n"
    "- Overdue shipments are chased by Marta.\n",
    "logs/sync.log": "2026-11-03 02:00 INFO received 5 orders\n2026-11-04 02:00 INFO received 2 orders\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("depot")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("which customer brought in the most money in shipments.csv", None),
        ("which customer has the highest total price in shipments.csv?", "sum price_eur; by customer; max 1"),
        ("how many different customers have booked since 5 October", "distinct customer; where day_of_year of …"),
        ("how many rattan chairs do we have in stock?", "sum qty; where item in rattan chair"),
        ("which items have a weight below 100?", "show item; where weight_kg < 100"),
        ("现在哪几单还在运输中？", "where 状态 in 运输中"),
        ("高白泥一共订了多少公斤?", "sum 数量; where 品名 in 高白泥 and 单位 in 公斤"),
        ("孙悦的手机号多少？", "show 手机; where 姓名 in 孙悦"),
        ("零件.csv里单价最贵的是什么零件", "order 单价; max 1"),
        ("采购单.csv 里哪个品名的总数量最高？", "sum 数量; by 品名; max 1"),
        ("How many shipments were booked in December 2026?", None),
        ("12月下了多少采购单？", None),
        ("哪辆车修的次数最多？", None),
        ("Which visits were there?", None),
        ("how many invoices are late?", "count rows; where state in late"),
        ("Of the October shipments in shipments.csv", None),
        ("When did LB-7 ship?", "show ship_date; where order_no in LB-7"),
        ("What percentage of the stems_cut of Athena was rejected in orders.csv?", None),
        ("Which order in orders.csv is the most expensive?", "order price_usd; max 1"),
        ("Who is working on LB-7?", None),
        ("orders.csv里stems_cut是25的品种有哪些？", "show variety; where stems_cut = 25"),
        ("满天星总共到了多少株？", "sum 数量; where 品种 in 满天星"),
        ("list the ERROR lines of logs/shop.log", "where level in ERROR"),
        ("what is the difference in orders.csv?", None),
        ("蝶泳提高班还剩几个名额？", None),
        ("蝶泳提高班有几个名额？", "sum 名额; where 课程 in 蝶泳提高班"),
        ("what is the sum of the unit prices in parts.csv?", None),
        ("马鞍数量最多的是哪一款？", None),
        ("羊毛毡的库存还有多少米？", None),
        ("儿童鞍的数量是多少？", "show 数量; where 型号 in 儿童鞍"),
        ("羊毛毡的最低库存是多少？", "show 最低库存; where 名称 in 羊毛毡"),
    ],
)
def test_rows_are_asked_for_what_is_meant(root: Path, question: str, meant: str | None):
    found = told(read_in_workspace(question, Place(root), TODAY))
    if meant is None:
        assert found is None
    else:
        assert found is not None
        assert found.partition(": ")[2].startswith(meant.removesuffix("…"))


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        ("名册里大提琴有几个人？", "首席是谁？", "show 姓名; where 声部 in 大提琴 and 职务 in 首席"),
        (
            "What does a rattan chair weigh in stock.csv?",
            "And how many do we have?",
            "sum qty; where item in rattan chair",
        ),
        (
            "Which shipments in shipments.csv are from Ottica?",
            "How many are there, without the delivered one?",
            "count rows; where customer in Ottica and status not in delivered",
        ),
    ],
)
def test_what_follows_is_asked_of_the_same_rows(root: Path, before: str, question: str, meant: str):
    earlier = read_in_workspace(before, Place(root), TODAY)
    assert earlier is not None
    found = told(read_after(question, earlier, TODAY))
    assert found is not None
    assert found.partition(": ")[2] == meant


@pytest.mark.parametrize(
    "question",
    [
        "What did the new label printer cost?",
        "投诉是谁投诉的？",
        "家长投票结果是什么？",
        "陶泥一袋25公斤，一托盘40袋，一托盘多重？",
        "Which shipments are overdue?",
        "sync.log 里一共收到了多少个订单？",
        "how many orders were received in sync.log?",
        "How tall is Balder?",
        "How much does a lesson cost in November?",
        "What have the lessons brought in so far?",
        "羊毛毡的库存还有多少米？",
    ],
)
def test_a_line_that_only_speaks_of_it_is_no_answer(root: Path, question: str):
    assert read_look_up(question, root, TODAY) == []


def test_a_difference_is_not_what_is_different(root: Path):
    earlier = read_in_workspace("How many stems_cut has Athena in orders.csv?", Place(root), TODAY)
    assert earlier is not None
    assert read_after("What is the difference?", earlier, TODAY) is None
    assert read_after("How many different varieties?", earlier, TODAY) is not None


@pytest.mark.parametrize(
    "question",
    [
        "How many times did a picking come in below 8 kg?",  # a figure in a line is no number of times, nor cm kg
        "采菇低于8公斤的有几次？",
        "How many kilos of mushrooms have we picked?",
        "How many mushrooms have we picked altogether?",
        "蘑菇一共采了多少公斤？",
        "Who was the first to badge in on 13 November, per door.log?",  # a badge nobody could read let nobody in
        "11月13日镜片磨好了几片？看 door.log",  # one word of two counts another thing
    ],
)
def test_a_line_about_another_event_is_no_answer(tmp_path: Path, question: str) -> None:
    (tmp_path / "须知.txt").write_text(
        "3. 平菇:菌盖直径8到10厘米时采,整丛采下。\n5. 香菇:菌膜未破时采。\n", encoding="utf-8"
    )
    lines = (
        "06:35:12 INFO E19 Chantal Bisson IN",
        "07:02:13 WARN badge unreadable (E04)",
        "08:00:00 ERROR lens broken",
    )
    (tmp_path / "door.log").write_text("".join(f"2026-11-13 {one}\n" for one in lines), encoding="utf-8")
    assert read_look_up(question, tmp_path, TODAY) == []


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("By rules.txt, how long is the guarantee on a peeling coating?", 3),
        ("Who was supposed to book the fire extinguisher check?", 5),
        ("按 rules.txt，谁要订 fire extinguisher check？", 5),
        ("What are the hours on Wednesday according to rules.txt?", 4),
    ],
)
def test_what_is_said_around_a_file_is_not_looked_for(tmp_path: Path, question: str, line: int) -> None:
    text = "GUARANTEE AND EXCHANGE, what we say\n\nCoating (peeling): 12 months.\n"
    (tmp_path / "rules.txt").write_text(
        f"{text}Open Tuesday to Friday 10:00-14:00.\n- [ ] Book the fire extinguisher check (Tom)\n"
    )
    assert [one.arguments.get("start_line") for one in read_look_up(question, tmp_path, TODAY)] == [line]


GARDENS = {
    "苗木库存.csv": "编号,树种,株数\nNM101,银杏,40\nNM102,水杉,25\nNM103,桂花,30\n",
    "saplings stock.csv": "lot,species,pieces\nL1,oak,12\nL2,ash,7\nL3,lime,9\n",
    "租借.csv": "单号,类别,数量\nT1,动力工具,3\nT2,手动工具,5\nT3,动力工具,1\nT4,手动工具,2\n",
}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("苗木库存.csv里一共有多少株苗？", "sum 株数"),  # pieces of what the rows are of: no rows are counted
        ("库存最多的是哪种？看苗木库存.csv", None),  # NM101 says no kind
        ("哪个编号的株数最多？", "show 编号; order 株数; max 1"),
        ("租借.csv里动力工具占全部手动工具的百分之多少？", None),
        ("what share of power tools is hand tools in 租借.csv?", None),
        ("租借.csv里动力工具占百分之多少？", "share; where 类别 in 动力工具"),
        ("How many saplings are there in saplings stock.csv?", None),  # lots, or pieces
    ],
)
def test_pieces_kinds_and_shares_are_what_they_are_called(tmp_path: Path, question: str, meant: str | None):
    for name, text in GARDENS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found and found.partition(": ")[2]) == meant


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("Where is the alarm?", 0),  # a number says how many, and no place
        ("警报器在哪里？", 0),
        ("Where is the water tank?", 1),
        ("How many pallets actually arrived on 3 November?", 0),
        ("11月4日实际到了几个托盘？", 0),
    ],
)
def test_a_setting_or_an_order_is_neither_a_place_nor_what_came(tmp_path: Path, question: str, lines: int):
    (tmp_path / "house.json").write_text('{"alarm": 4, "警报器": true, "water tank": "behind the shed"}', "utf-8")
    (tmp_path / "notes.md").write_text("- 3 November: 12 pallets ordered.\n- 11月4日：订了8个托盘。\n", "utf-8")
    assert len(read_look_up(question, tmp_path, TODAY)) == lines


QUAY = {
    "tours.csv": "tour,date,guide,boat,payment,guests,result\n"
    "T1,2026-09-03,Rosa Lind,Boat A,card,4,good\nT2,2026-10-04,Emil Lind,Boat B,cash,2,good\n"
    "T3,2026-10-09,Rosa Lind,Boat A,cash,3,poor\nT4,2026-10-20,Ida Moe,Boat A,card,6,good\n"
    "T5,2026-11-02,Ida Moe,Boat A,card,2,good\n",
    "茶叶发运.csv": "单号,日期,品种,数量,运输方式,验货员,结果,备注\nC1,2026-09-03,龙井,40,空运,赵建国,合格,\n"
    "C2,2026-09-09,普洱,55,铁路,钱建国,合格,箱角破损\nC3,2026-10-11,龙井,10,空运,孙丽华,退回,箱角破损\n"
    "C4,2026-10-15,普洱,25,铁路,孙丽华,合格,\nC5,2026-10-19,普洱,30,空运,赵建国,合格,箱角破损\n",
    "shipments.csv": "ref,sent,way,qty\nS1,2026-09-02,sea,40\nS2,2026-09-08,air,3\nS3,2026-09-21,sea,12\n",
    "quotes.csv": "quote,client,date,sum_eur\nQ1,Bari,2026-11-06,500\nQ2,Pula,2026-11-09,700\n",
    "offer.json": '{"client": "Lecce", "offer date": "2026-11-06", "expected reply": "until 2026-12-01"}',
    "licence.json": '{"fishing licence": {"issued": "2026-01-06", "valid until": "2027-01-06"}}',
    "证书.json": '{"采购方": "萨那", "证书日期": "2026-01-06", "有效期至": "2027-01-08"}',
    "notes.md": "- Rent of the pier is due on 5 December.\n- The crane was inspected on 3 November.\n",
    "logs/desk.log": "2026-11-16 08:01 INFO order #41 received, 2 tea-sets, pick-up 21 Nov\n"
    "2026-11-16 09:01 INFO order #42 received, 3 tea-sets, pick-up 20 Nov\n"
    "2026-11-17 09:41 INFO order #43 received, 8 tea-sets, pick-up 24 Nov\n"
    "2026-11-17 10:01 INFO Rosa Lind signed in\n2026-11-17 10:04 INFO Emil Lind signed in\n",
    "logs/柜台.log": "2026-11-16 08:01 INFO 收到订单 41，3 罐茶，21日取\n"
    "2026-11-16 09:01 INFO 收到订单 42，2 罐茶，20日取\n"
    "2026-11-17 09:41 INFO 收到订单 43，8 罐茶，24日取\n",
}


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        # the most of a number in a line is not what most lines have, and all that is asked is told
        ("Which order in logs/desk.log was for the most tea-sets?", None),
        ("Which order in logs/desk.log was for the most tea-sets, and on what date is it picked up?", None),
        ("logs/柜台.log 里哪个订单的茶最多，哪天来取？", None),
        ("How many orders were received in logs/desk.log, and when was the last one?", None),
        ("logs/柜台.log 里哪天收到的订单最多？", "2026-11-16"),
        # of a name that two have, one is meant
        ("How many tours has Lind guided?", None),
        ("How often did Lind sign in?", None),
        ("How often did Rosa Lind sign in?", "1 rows"),
        ("How many guests did Rosa have?", "= 7"),
        ("How many tours did the Linds guide?", "3 rows"),
        ("How many tours did Rosa Lind and Emil Lind guide?", "3 rows"),
        ("茶叶发运.csv 里验货员是建国的有几票？", None),
        ("小建国验了几票？", None),
        ("茶叶发运.csv 里验货员叫建国的有几票？", "行数 3"),
        ("验货员是赵建国或者钱建国的有几票？", "行数 3"),
        # how many there are is told beside which has the most of them
        ("备注是箱角破损的一共几票？哪个品种最多？", None),
        ("How many tours were paid in cash? Which guide had the most?", None),
        ("How many tours were paid in cash, and which guide led the most?", None),
        ("Which boat had the most tours, and how many?", "Boat A, rows: 4"),
        ("哪个品种的票数最多，有几票？", "普洱，行数：3"),
        # what is sent is counted as it is asked, there and in the follow-up
        ("9月份空运发了几票？", "行数 1"),
        ("9月份空运发了几票？ || 那铁路呢？", "行数 1"),
        ("How many shipments went by sea in September? || And by air?", "1 rows"),
        ("How many shipments did we send by sea?", None),
        # until when it is valid is no other date
        ("Until when is the offer to Lecce valid?", None),
        ("When does the quote for Bari expire?", None),
        ("When is the crane due?", None),
        ("Until when is the fishing licence valid?", "2027-01-06"),
        ("When is the rent of the pier due?", "5 December"),
        ("给萨那的证书有效期到哪天？", "2027-01-08"),
        # how an answer is to be written, and the code of a thing, are no figures
        ("GX-15T 的平均效率是多少？两位小数就行。", None),
        ("What is the average yield of GX-15T? Two decimals will do.", None),
        ("龙井的平均数量是多少？保留两位小数。", "= 25"),
        # these few are not how many
        ("茶叶发运.csv 里10月份发了几票？ || 这几票都是什么品种？", "- 普洱"),
        ("How many tours were there in October? || What boats are these?", "- Boat B"),
        # a share is one of what is said before
        ("10月份的单子里，合格的占百分之多少？", "66.67"),
        ("10月份合格的占百分之多少？", None),
        ("Of the tours in October, what percentage were good?", "66.67"),
        ("In October, what percentage of tours were good?", None),
        ("What percentage of tours were good in October?", None),
    ],
)
async def test_what_is_not_certain_is_not_given_as_answered(
    orchestrator: Orchestrator, workspace: Path, turns: str, said: str | None
):
    for name, text in QUAY.items():
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(text, encoding="utf-8")
    reports = [await orchestrator.ask(turn, thread_id="quay") for turn in turns.split(" || ")]
    assert (reports[-1].status == "answered") is (said is not None), reports[-1].answer
    assert (said or "") in reports[-1].answer


@pytest.mark.parametrize(
    "text", ["把 84 公斤分给 13 户，每户多少公斤？两位小数就行", "84 kg for 13 people each, two decimals will do"]
)
def test_how_many_decimals_is_no_figure_of_a_sum(text: str):
    assert find_arithmetic(text) is None


YARD = {
    "oar orders.csv": "order_no,ordered,shipped,club,length_m2,price_eur,status\n"
    "O1,2026-08-30,2026-09-02,Tornio,3.5,900,paid\nO2,2026-09-11,2026-09-20,Kemi,9.1,400,waived\n"
    "O3,2026-09-15,2026-10-04,Tornio,2.2,500,paid\nO4,2026-09-30,2026-10-09,Kemi,4.0,450,late\n",
    "桨厂/船桨订货.csv": "单号,日期,客户,面积,价格,付款\nA1,2026-09-02,苏木,30,900,已付\n"
    "A2,2026-09-09,塔河,45,400,免费\nA3,2026-10-11,苏木,12,500,已付\nA4,2026-10-12,塔河,14,520,拖欠\n",
    "桨厂/班次.csv": "日期,班别,工段,产量\n2026-10-01,早班,刨削,40\n2026-10-01,晚班,打磨,60\n2026-10-02,早班,打磨,35\n",
    "shifts.csv": "date,watch,hall,pieces\n2026-10-01,early,North,40\n2026-10-01,night,South,60\n"
    "2026-10-02,early,South,35\n",
    "桨厂/来电纪要.md": "# 来电纪要\n\n塔河：曾立、周敏参加。\n苏木的仓库电话 13600012345。\n",
    "phone notes.md": "# Phone notes\n\nKemi: Aino Halla and Paavo Niemi.\nTornio boathouse: +358 40 555 1234.\n"
    "Tornio office: oars@tornio.example\n",
    "停工.md": "# 停工\n\n船桨厂冬天停工，订单最晚12月20日下。\n",
    "logs/saw.log": "2026-11-03 08:01 INFO blade check by Niemi\n2026-11-04 08:02 INFO blade check by Halla\n"
    "2026-11-05 08:02 INFO 刨床检修\n2026-11-06 08:02 INFO 刨床检修\n2026-11-07 09:00 INFO 曾师傅 擦油\n",
}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        # a name with an honorific is there, or nothing is counted
        ("曾师傅今年一共检修了几次？", None),
        ("于老师检修了几次？", None),
        ("曾师傅擦油擦了几次？", "行数 1"),
        ("刨床检修了几次？", "行数 2"),
        ("How often did Mr Lahti do a blade check?", None),
        ("How often did mr lahti do a blade check?", None),
        ("How often was there a blade check?", "2"),
        # the biggest by its money, or by its square metres
        ("Which is the biggest order in oar orders.csv?", None),
        ("Which is our biggest order this year?", None),
        ("Which order in oar orders.csv has the biggest price?", "O1"),
        ("船桨订货.csv里最大的是哪一单？", None),
        ("船桨订货.csv里，面积最大的是哪一单？", "A2"),
        # each of two things that are asked for has its column
        ("产量最高的是哪一天的哪个班？", "晚班"),
        ("产量最高的是哪一天的哪个车间？", None),
        ("Which date and which watch in shifts.csv had the highest pieces?", "night"),
        ("Which date and which foreman in shifts.csv had the highest pieces?", None),
        # somebody whom a sentence before names
        ("Kemi are waiting outside. How many orders of theirs were shipped in September?", "1 rows"),
        ("Kemi called again. How many oar orders are theirs?", "2 rows"),
        ("Jussi of Kemi called again. How many oar orders are his?", None),
        ("Oulu called again. How many oar orders are theirs?", None),
        ("塔河来人了。船桨订货.csv里他们一共有几单？", "行数 2"),
        ("漠河来人了。船桨订货.csv里他们一共有几单？", None),
        # what leads in is no question, and the column that it names is meant
        ("Going by shipped in oar orders.csv, how many orders were there in each month?", "2026-10, rows: 2"),
        ("According to ordered in oar orders.csv, how many orders were there in each month?", "2026-08, rows: 1"),
        ("按日期，船桨订货.csv里每个月有几单？", "2026-10，行数：2"),
        ("Judging by hulls in oar orders.csv, how many orders were there in each month?", None),
        # a number to call, or an address, has digits or an @
        ("What's Aino's mobile number?", None),
        ("What is Aino's e-mail address?", None),
        ("曾立的手机号是多少？", None),
        ("周敏的电话是多少？", None),
        ("苏木仓库的电话是多少？", "13600012345"),
        ("What is the phone number of the Tornio boathouse?", "555 1234"),
        # what is asked for by name is not taken away
        ("船桨订货.csv里付款是已付的占百分之几？免费不算已付。", "50"),
        ("船桨订货.csv里付款是已付的有几单？免费不算已付。", "行数 2"),
        ("船桨订货.csv里付款不是已付的已付单有几单？", None),
        ("How many paid oar orders are not paid?", None),
        ("What percentage of oar orders are paid? Waived does not count as paid.", "50"),
        ("How many oar orders are paid, not counting the waived ones?", "2 rows"),
    ],
)
async def test_what_is_named_is_what_is_told(
    orchestrator: Orchestrator, workspace: Path, question: str, said: str | None
):
    for name, text in YARD.items():
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(text, encoding="utf-8")
    report = await orchestrator.ask(question)
    assert (report.status == "answered") is (said is not None), report.answer
    assert (said or "") in report.answer


SLIPS = {
    "takings.csv": "date,receipt,till,amount_eur\n2026-11-02,1,A,300\n2026-11-03,2,A,190\n2026-11-03,3,B,180\n",
    "lessons.csv": "ref,pupil,teacher,paid\nL1,Ana,Rui,no\nL2,Bo,,yes\nL3,Cy,Eva,yes\n",
    "课时.csv": "编号,学员,教练,已付\nL1,小安,老何,无\nL2,小博,,有\nL3,小西,老丁,有\n",
    "guides.csv": 'guide,languages,rate\nAda,"Polish, French",9\n'
    'Ben,"Polish, French, Czech",8\nCal,"Polish, Czech",7\n',
}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("On which day of this month were the takings highest, by takings.csv?", "sum amount_eur; by day of date; "),
        ("takings.csv里哪一天的金额最高？", "sum amount_eur; by day of date; max 1"),
        ("Which lessons in lessons.csv have no teacher yet?", "where teacher empty"),
        ("课时.csv里哪些课没有教练？", "where 教练 empty"),
        ("which guides speak French, going by guides.csv?", "where languages in Polish, French|Polish, French, Czech"),
        ("guides.csv里会French，的有几个？", "count rows; where languages in Polish, French|Polish, French, Czech"),
    ],
)
def test_a_day_has_several_rows_no_negates_and_a_list_has_parts(tmp_path: Path, question: str, meant: str):
    for name, text in SLIPS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert found is not None
    assert found.partition(": ")[2].startswith(meant)


@pytest.mark.parametrize(
    "question",
    ["store.log 11月3日一共出库多少公斤？", "How many minutes was the gate open on 3 November? See store.log"],
)
def test_no_number_of_lines_is_so_many_kilos(tmp_path: Path, question: str):
    (tmp_path / "store.log").write_text(
        "2026-11-03 02:00 INFO 出库 A1\n2026-11-03 03:00 INFO gate open\n2026-11-03 04:00 INFO 出库 A2\n", "utf-8"
    )
    assert read_look_up(question, tmp_path, TODAY) == []


REACHED = {
    "布料.csv": "布号,布名,产地,门幅厘米,库存米,最低库存米,单价元每米,供应商,进货日期,盘点日期\n"
    "B1,亚麻,绍兴,140,30,40,38,锦华,2026-09-02,2026-10-01\nB2,棉布,绍兴,150,80,40,22,锦华,2026-09-04,\n"
    "B3,真丝,苏州,114,12,15,128.5,苏绣,2026-10-02,2026-10-11\nB4,羊毛,海宁,150,22,20,96,,2026-10-05,\n",
    "boats.csv": "boat,skipper,type,first_launch,length_m,berth_fee_eur_per_m,joined_on,harbour,bill\n"
    "Alba,Rossi,sloop,1998,11,22,2026-05-01,Cork,BI/26/01\nBrisa,Meyer,ketch,2011,14,25,2026-05-02,Cork,BI/26/02\n"
    "Coral,,sloop,2004,9,22,2026-05-03,Kinsale,BI/26/03\nDelfin,Quinn,yawl,1987,12,24,2026-06-09,Kinsale,BI/26/04\n",
}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        # a column against a column, and a name without what it is measured in
        ("布料.csv里库存低于最低库存的布有哪些", "where 库存米 < 最低库存米"),
        ("库存比最低库存还少的布号有哪些", "show 布号; where 库存米 < 最低库存米"),
        ("最低库存比库存多多少", None),
        ("布料.csv里门幅140厘米的有几种？", "count rows; where 门幅厘米 = 140"),
        ("布料.csv里门幅1米的有几种？", None),
        ("布料.csv里门幅140左右的布有哪些", None),
        ("布料.csv里各种布一共有多少米库存？", "sum 库存米"),
        ("布料.csv里各种布有多少米库存？", None),
        # of what stands before 的 nothing is there
        ("布料.csv里盘点日期还没填的布号有哪些？", "show 布号; where 盘点日期 empty"),
        ("哪些布还没有填盘点的日期？给布号就行。", "show 布号; where 盘点日期 empty"),
        ("供应商一栏空着的布有哪些", "where 供应商 empty"),
        ("盘点日期填了的布有哪些", "where 盘点日期 filled"),
        ("产地一列填绍兴的布有哪些", "where 产地 in 绍兴"),
        ("哪些供应商在9月填了", None),
        ("Which boats in boats.csv have no skipper entered?", "where skipper empty"),
        ("How many boats have a skipper on file?", "count rows; where skipper filled"),
        ("Which boats entered in May?", None),
        ("Which boats have skippers entered in May?", None),
        # years in a column, values with their column, shares and rounding
        (
            "We are giving medals to the old hands. Which boats had their first launch before 2000?",
            "where first_launch < 2000",
        ),
        ("Which boats have a length before 2000?", None),
        ("average length of the boats whose harbour is Cork", "avg length_m; where harbour in Cork"),
        ("What share of the boats in boats.csv have sloop as their type?", "share; where type in sloop"),
        ("Average length over the sloops in boats.csv?", "avg length_m; where type in sloop"),
        ("average length over winter in boats.csv", None),
        # so much a metre, and who does it
        ("布料.csv中单价最高的是哪种布，每米多少元？", "order 单价元每米; max 1"),
        ("Which boat has the highest berth fee per m?", "show boat; order berth_fee_eur_per_m; max 1"),
        ("Which boat has the highest berth fee per week?", None),
        ("锦华供应的布，单价最高的是哪一种？", "where 供应商 in 锦华; order 单价元每米; max 1"),
        # what is to be shown is said apart, and what looks like a path is a cell
        ("布料.csv里产地是绍兴的有哪几种？请列出布号。", "show 布号; where 产地 in 绍兴"),
        ("Which boats have a length over 11? List the skippers.", "show skipper; where length_m > 11"),
        ("How many boats have a length over 11 m? List the skippers.", None),
        ("What is the berth fee of bill BI/26/03?", "show berth_fee_eur_per_m; where bill in BI/26/03"),
        ("What is the berth fee of bill BI/26/09?", None),
    ],
)
def test_a_table_is_asked_in_many_ways(tmp_path: Path, question: str, meant: str | None):
    for name, text in REACHED.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found.partition(": ")[2] if found else None) == meant


@pytest.mark.parametrize(
    "question", ["Who is better with customers, Ana or Bo?", "Is Ana a better teacher than Bo?", "小安和小博谁更好？"]
)
def test_who_is_better_no_number_of_rows_says(tmp_path: Path, question: str):
    (tmp_path / "lessons.csv").write_text("ref,teacher,hours\n1,Ana,3\n2,Bo,2\n3,Ana,1\n", "utf-8")
    (tmp_path / "课时.csv").write_text("编号,教练,小时\n1,小安,3\n2,小博,2\n3,小安,1\n", "utf-8")
    assert read_in_workspace(question, Place(tmp_path), TODAY) is None


MISTAKEN = {
    "stays.csv": "stay,guest,booked_on,arrival,nights,source,status\n"
    "T1,Peter Novak,2026-05-02,2026-07-26,5,phone,came\n"
    "T2,Ivana Novak,2026-06-14,2026-07-26,3,email,came\nT3,Eva Horvat,2026-07-15,2026-08-02,2,phone,no-show\n",
    "发货单.csv": "单号,下单日期,发货日期,签收日期,运输方式,箱数\nF1,2026-09-13,2026-10-12,2026-11-02,海运,48\n"
    "F2,2026-10-15,2026-10-29,,铁路,10\n",
    "work_hours.csv": "date,person,boat,hours,checked_by\n2026-11-02,Kari Lie,Liv,3.5,Ingrid Moe\n"
    "2026-11-03,Ola Vik,Liv,4,Kari Lie\n2026-11-04,Ola Vik,Liv,2,Kari Lie\n",
    "驾驶记录.csv": "日期,驾车,车号,里程,审核人\n2026-11-02,马丽娜,甲一,30,王建国\n2026-11-03,王志强,甲二,50,马丽娜\n",
}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many nights was Novak booked for?", None),
        ("How many nights in total for Eva Horvat?", "sum nights; where guest in Eva Horvat"),
        (
            "How many stays with an arrival date in July came in by phone?",
            "count rows; where source in phone and month of arrival = 7",
        ),
        ("How many arrivals does stays.csv have for each month?", None),
        ("How many stays does stays.csv have for each source? Count all statuses.", None),
        ("10月的单子一共多少箱？", None),
        ("10月下单的一共多少箱？", "sum 箱数; where month of 下单日期 = 10"),
        ("Which guests did not turn up (status no-show) in stays.csv?", None),
        ("stays.csv里哪些客人没来（status no-show）？", None),
        ("I am planning a trip to Kranj. Which guests live there?", None),
        ("我要去一趟青岛。那里的单号有哪些？", None),
        ("Who has booked the most hours on Liv?", None),
        ("Who checked the most hours on Liv?", "sum hours; by checked_by; where boat in Liv; max 1"),
        ("谁开的里程最多？", None),
    ],
)
def test_what_was_mistaken_is_not(tmp_path: Path, question: str, meant: str | None):
    for name, text in MISTAKEN.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found.partition(": ")[2] if found else None) == meant


KINDS = {
    "stock.csv": "item,qty,unit_cost_eur\nbag,3,2.5\ntube,4,1.5\n",
    "jobs.csv": "job,customer,binder,due,trees\nJ1,Alba,Elio,2026-12-01,5\nJ2,Brisa,Davide,2026-12-02,9\n",
    "lots.csv": "lot,species,height\nL1,oak,3\nL2,elm,5\n",
    "发货.csv": "单号,客户,树种,株数,运输方式,状态\nF1,苏绣,枫香,5,海运,运输中\nF2,锦华,枫香,6,空运,已签收\n"
    "F3,锦华,榉树,7,空运,已签收\n",
    "质检.csv": "批号,抽检数,不合格数,备注\nP1,5,0,\nP2,6,1,偏移\nP3,7,,\n",
}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what is everything in stock.csv worth in total, at unit cost?", None),
        ("质检.csv中哪些批号写了备注？批号和备注都要。", "show 批号, 备注; where 备注 filled"),
        ("质检.csv里哪些批号一件不合格都没有？", "show 批号; where 不合格数 = 0"),
        ("按发货总株数排，前三名是哪几个树种？", "sum 株数; by 树种; first 3"),
        ("发给苏绣、还在运输中的单号有哪些？", None),
        ("Which lot has the most trees in it?", None),
        ("Who is doing J1?", None),
    ],
)
def test_what_a_word_narrows_is_not_passed_over(tmp_path: Path, question: str, meant: str | None):
    for name, text in KINDS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found.partition(": ")[2] if found else None) == meant


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("Which job in jobs.csv is for Alba?", "When is it due, and who is doing it?"),
        ("How many bags do we have in stock.csv?", "What are they worth altogether?"),
    ],
)
def test_what_follows_is_told_whole_or_not(tmp_path: Path, before: str, question: str):
    for name, text in KINDS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    earlier = read_in_workspace(before, Place(tmp_path), TODAY)
    assert earlier is not None
    assert read_after(question, earlier, TODAY) is None


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Who owns the Liv?", None),
        ("Liv属于谁？", None),
        ("谁经办了Liv的单？", "show 经办人, 单号; where 船名 in Liv"),
    ],
)
def test_whose_it_is_is_not_who_handles_it(tmp_path: Path, question: str, meant: str | None):
    (tmp_path / "订单.csv").write_text("单号,船名,经办人\n1,Liv,周涛\n2,Ada,孙丽\n3,Liv,孙丽\n", "utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found.partition(": ")[2] if found else None) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("9月份下的单，金额加起来是多少？", None),  # of the orders, whose dates are two; not of what was spent
        ("9月份的货款加起来是多少？", None),
        ("Which boats had their last one before 1 January 2024?", None),
        ("哪些boats上一次check在2024年1月1日之前？", None),
        ("Which boats had a last_check before 1 January 2024?", "where day of last_check < 2024-01-01"),
    ],
)
def test_what_one_table_cannot_tell_no_other_does(tmp_path: Path, question: str, meant: str | None):
    (tmp_path / "订单.csv").write_text(
        "订单号,下单日期,发货日期,金额\n1,2026-09-02,2026-10-01,80\n2,2026-09-09,,20\n", "utf-8"
    )
    (tmp_path / "spending.csv").write_text("date,what,amount_eur\n2026-09-04,wire,9\n2026-09-20,paint,12\n", "utf-8")
    (tmp_path / "boats.csv").write_text("boat,last_check\nAda,2023-09-05\nLiv,2023-11-02\nIda,2024-02-01\n", "utf-8")
    found = told(read_in_workspace(question, Place(tmp_path), TODAY))
    assert (found.partition(": ")[2] if found else None) == meant


@pytest.mark.parametrize("piece", ["how many, ", "几次，"])
def test_a_question_without_end_is_looked_through_once(tmp_path: Path, piece: str):
    (tmp_path / "door.log").write_text("2026-11-03 02:00 INFO open\n", "utf-8")
    assert read_look_up(f"The longest in door.log: {piece * 2000}", tmp_path, TODAY) == []
