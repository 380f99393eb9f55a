"""Questions read without a model, from the words to the answer: rows of anything, chains, follow-ups, declines."""

import asyncio
import re
from pathlib import Path

import pytest

from switchyard.agents.by_rules.query import NotRead
from switchyard.agents.by_rules.world import table_of
from switchyard.app.orchestrator import Orchestrator
from switchyard.ledger.options import RunOptions

APPROVED = RunOptions(auto_approve=True)
FILES = {
    "docs/short.md": "# Short\n",
    "docs/two words.md": "# Two\n",
    "docs/long.md": "# Long\n\n" + "line\n" * 20,
    "orders.csv": "day,city,product,quantity,phone\n2026-03-02,Berlin,kettle,3,\n2026-03-09,Paris,lamp,1,12\n"
    "2026-04-01,Berlin,lamp,2,34\n",
    "订单.csv": "日期,城市,商品,数量\n2026-03-02,上海,茶壶,3\n2026-03-09,北京,灯,1\n2026-04-01,上海,灯,2\n",
    "todo.md": "# To do\n\n- [ ] call Ann\n- [x] pay rent\n- [ ] 买牛奶\n",
    "hours.json": '{"open_until": {"friday": {"close": "18:00"}, "saturday": {"close": "12:30"}}}',
    "weights.csv": "item,weight_kg\ntea,3.5\nsalt,2\n",
    "tools/pump.txt": "A pump.\n",
    "level.json": '{"max": 450, "keep_days": 45}',
    "notes.md": "# Keys\n\n- The spare key hangs behind the boiler.\n- 备用钥匙放在蓝色铁盒里\n",
}


@pytest.fixture(autouse=True)
def files(workspace: Path) -> Path:
    for name, text in FILES.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text, encoding="utf-8")
    return workspace


@pytest.mark.parametrize(
    ("question", "tools", "said"),
    [
        ("Which file in docs is the largest?", ["list_dir", "data_analyzer"], "docs/long.md"),
        ("docs 里最大的文件是哪个？", ["list_dir", "data_analyzer"], "docs/long.md"),
        ("How many lines does the longest file in docs have?", ["list_dir", "read_file", "data_analyzer"], "22"),
        ("docs 里每个文件有多少行？", ["list_dir", "read_file", "data_analyzer"], "docs/short.md"),
        ("Which is the biggest file in the whole folder?", ["list_dir", "data_analyzer"], "orders.csv"),
        ("how many csv files have I got in here, subfolders included?", ["list_dir"], "3 entries"),
        ("整个文件夹里有多少个文件？", ["list_dir"], "11项"),
        ("这里一共有多少个 csv 文件（包括子文件夹）？", ["list_dir"], "3项"),
        ("which file is the biggest of all we have here?", ["list_dir", "data_analyzer"], "orders.csv"),
        ("how many lines has docs/long.md got", ["read_file"], "22 lines"),
        ("Which is the largest file we have in here?", ["list_dir", "data_analyzer"], "orders.csv"),
        ("docs 文件夹里有几个文件，都叫什么", ["list_dir"], "docs/short.md"),
        ("which file mentions the name Ann?", ["grep_search"], "todo.md"),
        ("in which file did I write something about Ann?", ["grep_search"], "todo.md"),
        ("which files mention Berlin anywhere? file names", ["grep_search"], "- orders.csv"),
        ("哪些文件里提到了“上海”？只要文件名", ["grep_search"], "- 订单.csv"),
        ("what is still open on my to-do list?", ["data_analyzer"], "call Ann"),
        ("待办事项里还有哪些没做完？", ["data_analyzer"], "买牛奶"),
        ("Where is the spare key?", ["read_file"], "behind the boiler"),
        ("备用钥匙放在哪儿？", ["read_file"], "蓝色铁盒"),
    ],
)
async def test_rows_of_anything_are_asked(
    orchestrator: Orchestrator, question: str, tools: list[str], said: str
) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert [step.tool for step in report.steps] == tools
    assert said in report.answer


@pytest.mark.parametrize(
    ("question", "path", "text"),
    [
        ("Save the total quantity per city in orders.csv to sums.csv", "sums.csv", "Berlin,5"),
        ("把 订单.csv 里城市是上海的记录另存为 上海.csv", "上海.csv", "2026-04-01,上海,灯,2"),
        ("How many orders are in orders.csv, and write the number to n.txt", "n.txt", "3"),
        (
            "Copy the orders from Berlin into a new file called b.csv, I need it for the letters",
            "b.csv",
            "Berlin,lamp,2,34",
        ),
        ("Make a file l.csv with the orders for lamps in orders.csv", "l.csv", "2026-03-09,Paris,lamp,1,12"),
        ("订单.csv里上海的那些行帮我另存成 上海的.csv，我要打印", "上海的.csv", "2026-03-02,上海,茶壶,3"),
        ("把 notes.md 的行数写入 行数.txt", "行数.txt", "4"),
        ("Write the list of csv files to list.txt", "list.txt", "orders.csv\nweights.csv\n订单.csv"),
        ("in notes.md replace 'boiler' with 'stove'", "notes.md", "behind the stove"),
        ("把 notes.md 里的“蓝色铁盒”改成“红色铁盒”", "notes.md", "放在红色铁盒里"),
        ("Add 'buy salt' at the end of long.md", "docs/long.md", "line\nbuy salt\n"),
        ("convert orders.csv to a json file called o.json", "o.json", '"city": "Berlin"'),
        ("读取 todo.md 并保存为 看过.md", "看过.md", "- [x] pay rent"),
        ("Read docs/two words.md and save it as one.md", "one.md", "# Two"),
        (
            "please save the products of orders.csv to p.txt, one per line, nothing else in it",
            "p.txt",
            "kettle\nlamp",
        ),
        ("把 订单.csv 里上海的日期存到 日期.txt，一行一个，不要表头，顺序不变", "日期.txt", "2026-03-02\n2026-04-01"),
        ("把 订单.csv 里上海的商品存到 商品.txt，一行一个商品，按表里的顺序", "商品.txt", "茶壶\n灯"),
        ("add this at the end of docs/long.md: [ ] buy salt", "docs/long.md", "line\n[ ] buy salt\n"),
        ("In level.json set keep_days to 60 instead of 45, leave the rest as it is", "level.json", '"keep_days": 60}'),
        ("把 level.json 里的 keep_days 从 45 改成 60，其他不变", "level.json", '"keep_days": 60}'),
        ("把 订单.csv 的数量总和算出来，存到 总数.txt，只写数字", "总数.txt", "6"),
        ("请把 notes.md 里的“蓝色铁盒”改成“红色铁盒”，别的不要动", "notes.md", "放在红色铁盒里"),
        ("make a file out/todo.txt with these two lines:\ncall Ann\nbuy salt", "out/todo.txt", "call Ann\nbuy salt"),
        (
            "Save the products from Berlin in orders.csv to p.txt, one per line, in the order they have in the table.",
            "p.txt",
            "kettle\nlamp",
        ),
        (
            "Save the orders from Berlin in orders.csv to p.txt, only the product, highest quantity first",
            "p.txt",
            "kettle",
        ),
        ("Save the cities of orders.csv to c.txt, alphabetically, no heading, nothing else", "c.txt", "Berlin\nParis"),
        (
            "From orders.csv, make p.txt with the orders from Berlin, one per line: product, then day.",
            "p.txt",
            "lamp, 2026-04-01",
        ),
        ("看 订单.csv，把上海的商品写到 商品.txt，一行一个商品，按数量排序，不要表头", "商品.txt", "灯\n茶壶"),
        ("新建 商品.txt，把订单.csv里上海的商品写进去，每行一个，照表里的顺序", "商品.txt", "茶壶\n灯"),
    ],
)
async def test_what_is_found_is_written_as_the_file_wants_it(
    orchestrator: Orchestrator, files: Path, question: str, path: str, text: str
) -> None:
    report = await orchestrator.ask(question, options=APPROVED)
    assert report.status == "answered"
    assert text in (files / path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("question", "path", "text"),
    [
        (
            "Make a new file n/call.txt with just this line in it: Fri 09:30: ring Bo",
            "n/call.txt",
            "Fri 09:30: ring Bo",
        ),
        ("Please create n.txt with exactly this one line: 5 May: oil the pump.", "n.txt", "5 May: oil the pump."),
        ('Make me a file n.txt with exactly this one line: "Doors at 19:00."', "n.txt", "Doors at 19:00."),
        (
            'Make n.txt with these three lines: "a: 1", "b" and "c, d". No quotation marks in it.',
            "n.txt",
            "a: 1\nb\nc, d",
        ),
        ("make a file n.txt with these two lines: call Ann, buy salt and tea", "n.txt", "call Ann\nbuy salt and tea"),
        ("Make a file n.txt with just this line: call Ann, nothing else.", "n.txt", "call Ann"),
        ("请新建文件 采购.txt，一行一项，一共三行：茶壶2只、灯1盏、纸5包。", "采购.txt", "茶壶2只\n灯1盏\n纸5包"),
        ("新建 采购.txt，两行：茶壶；灯，别的不要写", "采购.txt", "茶壶\n灯"),
        ("帮我新建 提醒.txt，里面只写一行：周五前订灯", "提醒.txt", "周五前订灯"),
        ("新建文件 通知.txt，里面只写一句：“明天停电。”", "通知.txt", "明天停电。"),
        (
            (
                "Write the products from Berlin in orders.csv to p.txt, one per line and nothing else, in the order"
                " of the orders list."
            ),
            "p.txt",
            "kettle\nlamp",
        ),
        ("Save the products in orders.csv to p.txt, names only, in alphabetical order", "p.txt", "kettle\nlamp"),
        (
            "Save the days from Berlin in orders.csv to d.txt: one day per line, by quantity",
            "d.txt",
            "2026-04-01\n2026-03-02",
        ),
        ("请把城市是“上海”的商品写进 商品.txt，按表里的顺序一行一个，别的不要写。", "商品.txt", "茶壶\n灯"),
        ("把 订单.csv 里上海的商品写进 商品.txt，一行一个，按数量从小到大，别的不要", "商品.txt", "灯\n茶壶"),
        ("把 订单.csv 里上海的商品写进 商品.txt，一行一个，按日期从晚到早", "商品.txt", "灯\n茶壶"),
        (
            "make a file l.csv from orders.csv: the header product,day and then all orders from Berlin",
            "l.csv",
            "product,day\nkettle,2026-03-02\nlamp,2026-04-01\n",
        ),
        (
            (
                "For the driver: make l.csv with the columns city,quantity and all the lamp orders in orders.csv, by"
                " quantity, header on top."
            ),
            "l.csv",
            "city,quantity\nParis,1\nBerlin,2\n",
        ),
        (
            (
                "Make l.csv with product and day of every order from Berlin in orders.csv, a header line on top, in the"
                " order of the table."
            ),
            "l.csv",
            "product,day\nkettle,2026-03-02\nlamp,2026-04-01\n",
        ),
        (
            "把 订单.csv 里上海的订单整理成 沪.csv，两列：商品、数量，带表头，顺序跟原表一样。",
            "沪.csv",
            "商品,数量\n茶壶,3\n灯,2\n",
        ),
        (
            "请把城市是上海的订单存成 沪.csv，只要商品、日期两列，第一行写列名，用逗号分隔，顺序照原表。",
            "沪.csv",
            "商品,日期\n茶壶,2026-03-02\n灯,2026-04-01\n",
        ),
        (
            "帮我新建 沪.csv,逗号分隔,第一行表头 商品,数量,下面列出 订单.csv 里上海的订单,按数量排。",
            "沪.csv",
            "商品,数量\n灯,2\n茶壶,3\n",
        ),
        (
            "做个 合计.csv：表头是“城市,件数”，把订单里每个城市的数量加起来，从多到少排。",
            "合计.csv",
            "城市,件数\n上海,5\n北京,1\n",
        ),
    ],
)
async def test_a_file_holds_what_was_asked_and_nothing_else(
    orchestrator: Orchestrator, files: Path, question: str, path: str, text: str
) -> None:
    report = await orchestrator.ask(question, options=APPROVED)
    assert report.status == "answered"
    assert (files / path).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "question",
    [
        "Save the products from Berlin in orders.csv to p.txt, one per line, in the order of the price list",
        "Make l.csv with the header product,colour and then all orders from Berlin in orders.csv",
        "Make l.csv with the header product,day and then all the shiny orders in orders.csv",
        "Create l.csv: the header product,colour and then all orders from Berlin",
        "make a file n.txt with these three lines: call Ann, buy salt",
        "Make l.csv: every order from Berlin, in the order of the list, with the columns product,day (header first)",
        "把发给上海、还在运输中的单号写进 途.txt，一行一个",
        'make a file n.txt with these three lines: "call Ann" and "buy salt"',
        "For the Berlin branch: save the products of orders.csv to p.txt",
        "Save the products of orders.csv to p.txt, in alphabetical order of mood",
        "Save the orders from Berlin in orders.csv to b.txt, comma separated",
        "Save the phones in orders.csv to p.txt, names only, one per line",
        "把 订单.csv 里上海的商品存到 商品.txt，一行一个，按价格表的顺序",
        "把 订单.csv 里上海的订单整理成 沪.csv，三列：日期、商品，带表头",
        "新建 沪.csv，表头是 日期,颜色，下面列出 订单.csv 里上海的订单",
        "新建 沪.csv：表头是 日期,商品，下面列出 订单.csv 里所有漂亮的订单",
        "新建 清单.txt，一行一项，一共三行：牛奶、面包",
        "把 订单.csv 里上海的商品写进 商品.txt，一行一个，按心情从小到大",
        "把 订单.csv 里上海的订单存成 沪.txt，只要商品、日期两列，用逗号分隔",
        "做个 合计.csv：表头是“城市,颜色”，把订单里每个城市的数量加起来",
    ],
)
async def test_nothing_is_written_where_not_all_of_its_form_is_understood(
    orchestrator: Orchestrator, files: Path, question: str
) -> None:
    report = await orchestrator.ask(question, options=APPROVED)
    assert report.status != "answered"
    assert {one.relative_to(files).as_posix() for one in await asyncio.to_thread(lambda: [*files.rglob("*.*")])} == {
        *FILES
    }


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("How many orders are from Berlin in orders.csv?", "and from Paris?", "1 rows"),
        ("订单.csv 里上海的订单有几个？", "北京的呢？", "行数 1"),
        ("Which orders in orders.csv are from Berlin?", "how many of those are lamps?", "1 rows"),
        ("List the files in docs", "which is the largest?", "docs/long.md"),
        ("How many orders are from Berlin in orders.csv?", "how many products are there?", "city = Berlin"),
        ("What is the highest quantity from Berlin in orders.csv?", "and the average?", "average quantity = 2.5"),
        ("订单.csv 里上海的最高数量是多少？", "平均呢？", "2.5"),
        ("What was ordered on 2 March in orders.csv?", "And on the 9th?", "lamp"),
        ("What was ordered on 8 March in orders.csv?", "And the day after?", "lamp"),
        ("订单.csv 里3月8日有哪些订单？", "9日呢？", "北京"),
        ("订单.csv 里3月8日有哪些订单？", "那第二天呢？", "北京"),
        ("What is in the docs folder?", "And in tools?", "tools"),
        ("When do we close on Friday according to hours.json?", "And on Saturday?", "12:30"),
        ("hours.json 里星期五几点关门？", "星期六呢？", "12:30"),
        ("How many kilos of tea do we have in weights.csv?", "How much is that in grams?", "3500"),
        ("weights.csv里tea有多少公斤？", "换算成克是多少？", "3500"),
        ("Which city has the most orders in orders.csv?", "How many pieces has it ordered in total?", "Berlin"),
    ],
)
async def test_a_follow_up_is_read_against_what_was_asked(
    orchestrator: Orchestrator, first: str, second: str, said: str
) -> None:
    await orchestrator.ask(first, thread_id="t")
    report = await orchestrator.ask(second, thread_id="t")
    assert report.status == "answered"
    assert said in report.answer


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (
            ("What time is it in Tokyo?", "and in London?", "and in Paris?", "and in Oslo?", "and in Lima?"),
            "America/Lima",
        ),
        (("东京现在几点？", "那伦敦呢？", "那巴黎呢？", "那上海呢？", "那纽约呢？"), "America/New_York"),
    ],
)
async def test_one_follow_up_after_another(orchestrator: Orchestrator, turns: tuple[str, ...], said: str) -> None:
    reports = [await orchestrator.ask(turn, thread_id="t") for turn in turns]
    assert [report.status for report in reports] == ["answered"] * len(turns)
    assert said in reports[-1].answer


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is 2 + 2?", "how many of those are from Berlin?"),
        ("2加2等于几？", "其中上海的有几个？"),
        ("How many lamps did we botch in orders.csv?", "and what quantity is that altogether?"),
        ("Which city has the highest total quantity in orders.csv?", "and which one comes second?"),
        ("What is the total quantity from Berlin in orders.csv?", "so whats the difference between the two"),
        ("Which orders did Xiaomei take in orders.csv?", "How many are there?"),
        ("What was ordered on 9 March in orders.csv?", "And on Friday?"),
        ("订单.csv 里3月9日有哪些订单？", "那星期五呢？"),
        ("What is in the docs folder?", "And in the garden?"),
        ("How many orders are from Berlin in orders.csv?", "Save just the number (one decimal) to n.txt"),
        ("Which orders in orders.csv are from Berlin?", "Save them to b.txt, in the nicest order"),
    ],
)
async def test_a_follow_up_of_something_else_is_declined(orchestrator: Orchestrator, first: str, second: str) -> None:
    await orchestrator.ask(first, thread_id="t")
    assert (await orchestrator.ask(second, thread_id="t")).status == "failed"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("help", "What is 15% of 2480?"),
        ("what can you do?", "List the files in docs"),
        ("hi", "Without a language model"),
        ("你能做什么？", "2480的15%是多少？"),
        ("你好", "没有语言模型时"),
    ],
)
async def test_who_asks_for_help_is_told_what_may_be_asked(
    orchestrator: Orchestrator, question: str, said: str
) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert said in report.answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many orders from Berlin did we botch in orders.csv?", "Not understood: botch"),
        ("Give me a tour of this repository", "The skill repository-tour"),
        ("帮我写一首关于灯的诗", "没有语言模型"),
        ("Sort the poems by beauty", "language model"),
    ],
)
async def test_a_decline_says_what_may_help(orchestrator: Orchestrator, question: str, said: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "failed"
    assert said in report.answer


@pytest.mark.parametrize(
    "question", ["How many orders from Berlin did we botch in orders.csv?", "订单.csv 里搞砸了的上海订单有几笔？"]
)
async def test_a_decline_shows_a_question_over_the_same_table_that_is_answered(
    orchestrator: Orchestrator, question: str
) -> None:
    declined = (await orchestrator.ask(question)).answer
    (shown,) = re.findall(r"(?:this is understood: \"|这样说可以：“)([^\"”]+)", declined)
    assert re.findall(r"\w+\.csv", shown) == re.findall(r"\w+\.csv", question)
    assert (await orchestrator.ask(shown)).status == "answered"


@pytest.mark.parametrize(
    "question",
    [
        "orders.csv: how many orders came from Berlin? mind the phone",
        "订单.csv 里上海的订单有几个？注意数量",
    ],
)
async def test_a_remark_that_is_not_used_is_named_and_shows_no_rows(orchestrator: Orchestrator, question: str) -> None:
    report = await orchestrator.ask(question)
    assert report.status == "partial"
    assert [step.tool for step in report.steps if step.success] == ["data_analyzer"]


async def test_an_empty_cell_is_no_answer(orchestrator: Orchestrator) -> None:
    report = await orchestrator.ask("What is the phone of the kettle in orders.csv?")
    assert report.status == "failed"
    assert "Nothing is recorded there" in report.answer


@pytest.mark.parametrize(
    ("question", "after"),
    [
        ('Read todo.md, then write "seen" to seen.md', [[], ["s1"]]),
        ('Write "milk" to list.md; read todo.md; append "eggs" to list.md', [[], [], ["s1"]]),
        ("读取 todo.md，然后把“看过”写入 抄本.md", [[], ["s1"]]),
        ("把“牛奶”写入 清单.md；读取 todo.md；在 清单.md 末尾追加“鸡蛋”", [[], [], ["s1"]]),
    ],
)
async def test_what_changes_something_comes_in_its_order(
    orchestrator: Orchestrator, question: str, after: list[list[str]]
) -> None:
    report = await orchestrator.ask(question, options=APPROVED)
    assert report.status == "answered"
    assert report.plan is not None
    assert [step.dependencies for step in report.plan.steps] == after


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which names are in many.csv?", "… and 480 more"),
        ("列出 many.csv 的 name", "……还有 480 项"),
    ],
)
async def test_a_long_list_says_how_many_more_there_are(
    orchestrator: Orchestrator, workspace: Path, question: str, said: str
) -> None:
    (workspace / "many.csv").write_text("name\n" + "".join(f"n{at}\n" for at in range(500)), encoding="utf-8")
    report = await orchestrator.ask(question)
    assert said in report.answer


@pytest.mark.parametrize(
    "question", [f"how many{' ' * 9000}loans", "，" * 9000, "1 " * 5000, "把" * 9000 + "存到a.csv"]
)
async def test_what_is_long_and_says_little_is_declined(orchestrator: Orchestrator, question: str) -> None:
    assert (await orchestrator.ask(question)).status == "failed"


async def test_more_questions_at_once_than_there_are_threads_are_read(orchestrator: Orchestrator) -> None:
    asked = [f"What is {number} plus 1?" if number % 2 else f"{number}加1等于几" for number in range(12)]
    reports = await asyncio.gather(*map(orchestrator.ask, [*asked, "which gnu is mauve?", "哪只角马是紫色的"]))
    assert [report.status for report in reports] == ["answered"] * 12 + ["failed"] * 2


@pytest.mark.parametrize("name", ["height", "身高"])
def test_a_column_that_a_table_has_not_is_not_read(name: str) -> None:
    with pytest.raises(NotRead):
        table_of("a.csv", [{"weight": "3", "重量": "4"}]).column(name)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many things in list.txt are not ticked off yet?", "2 rows"),
        ("What does Josée still have to do on list.txt?", "call Couches"),
        ("list.txt 里还没做完的事，归 Daniel 的有几件？", "1"),
    ],
)
async def test_who_has_to_do_a_task_is_read_behind_it(
    orchestrator: Orchestrator, workspace: Path, question: str, said: str
) -> None:
    tasks = "[ ] call Couches - Josée - due 4 Dec\n[x] send invoices - Josée\n[ ] fix hinge - Daniel - due 20 Nov\n"
    (workspace / "list.txt").write_text(f"TO DO\n{tasks}", encoding="utf-8")
    report = await orchestrator.ask(question)
    assert report.status == "answered"
    assert said in report.answer


ORCHARD = {
    "orchard/plan.json": '{"harvest": {"begins": "2027-09-06", "ends": "2027-10-17"}, "press_days": 12}',
    "orchard/社团.json": '{"有效期至": "2027-12-31", "名称": "果农社", "会费": 80}',
    "orchard/jobs.txt": "JOBS\n\n[x] Marta: order crates\n[ ] Marta: mend the press\n[x] Tadeo: prune the pears\n"
    "[ ] Ines: paint the gate\n[x] 张磊：修水泵\n[ ] 李娜：买肥料\n",
    "orchard/minutes.md": "# Minutes\n\n- Olga Reis welcomes the two pickers from Porto in May.\n"
    "- The two drivers from Faro are Rui and Nuno.\n- 两位摘果工由李娜接待，五月到。\n"
    "- 两位司机来自法鲁：王强和赵敏。\n",
}


@pytest.fixture
def orchard(workspace: Path) -> Path:
    (workspace / "orchard").mkdir()
    for name, text in ORCHARD.items():
        (workspace / name).write_text(text, encoding="utf-8")
    return workspace


@pytest.mark.usefixtures("orchard")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What day of the week does the harvest end, according to orchard/plan.json?", "Sunday"),
        ("What day of the week is it when the harvest begins in orchard/plan.json?", "Monday"),
        ("How many days is it from today until the harvest begins, going by orchard/plan.json?", "2027-09-06"),
        ("社团.json里的“有效期至”那天是星期几？", "星期五"),
        ("今天离社团.json里的有效期至还有多少天？", "2027-12-31"),
        ("How many days until the pears are sold, according to orchard/plan.json?", ""),
        ("社团.json里的会费那天是星期几？", ""),
        ("今天离社团.json里的开会日期还有多少天？", ""),
        ("What does Marta still have to do, according to orchard/jobs.txt?", "mend the press"),
        ("按orchard/jobs.txt，李娜还有什么要做？", "买肥料"),
        ("What does Tadeo still have to do, according to orchard/jobs.txt?", ""),
        ("按orchard/jobs.txt，张磊还有什么要做？", ""),
        ("What is still to do about the crates, in orchard/jobs.txt?", ""),
        ("What are the names of the two drivers from Faro?", "Rui and Nuno"),
        ("来自法鲁的两位司机叫什么？", "王强和赵敏"),
        ("What are the names of the two pickers from Porto who come in May?", ""),
        ("五月到的两位摘果工叫什么名字？", ""),
        ("Which JSON files are there in the folder, sub-folders included?", "orchard/plan.json"),
        ("orchard文件夹里有哪些文件？连子文件夹里的也要。", "orchard/minutes.md"),
        ("orchard文件夹里有哪些json文件？连子文件夹里的也算。", "orchard/社团.json"),
        ("How many rows are there in orders.csv, not counting the header?", "3 rows"),
        ("订单.csv除去表头有多少行？", "3行"),
        ("订单.csv除去茶叶有多少行？", ""),
        ("订单.csv这个表有哪些列？", "商品"),
        ("What are the columns of weights.csv called?", "weight_kg"),
    ],
)
async def test_what_files_tell_is_read_or_declined(orchestrator: Orchestrator, question: str, said: str) -> None:
    report = await orchestrator.ask(question)
    assert (report.status == "answered") == bool(said), report.answer
    assert said in report.answer
