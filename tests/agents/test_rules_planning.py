"""A question is cut into the tasks that tools can serve; what is not served stays a task of its own."""

import pytest

from switchyard.agents.scope import RunScope
from switchyard.app.orchestrator import Orchestrator
from switchyard.tools.core.context import Turn
from tests.support.reading import open_scope, planned


@pytest.fixture(scope="module")
def scope() -> RunScope:
    return open_scope()


@pytest.mark.parametrize(
    ("question", "tools"),
    [
        ("What is 3^7, and then add 14% to it", ["calculate", "calculate"]),
        ("3的7次方是多少，然后加上14%", ["calculate", "calculate"]),
        ("Read README.md and tell me how many words it has", ["read_file"]),
        ("读取 README.md，告诉我有多少个词", ["read_file"]),
        ("What is 15% of 2480, and what time is it in Tokyo?", ["calculate", "get_time"]),
        ("2480的15%是多少？东京现在几点？", ["calculate", "get_time"]),
        ("List the Python files in tools and tell me how many lines the longest has", ["list_dir", "read_file"]),
        ("列出 tools 里的 Python 文件，其中行数最多的有多少行？", ["list_dir", "read_file"]),
        ("Convert 100 dollars to euros, then add 10% to the result", ["convert_currency", "calculate"]),
        ("查一下 TSLA 的股价，再乘以 20", ["get_stock_price", "calculate"]),
        ("Turn on the light in the kitchen and set the volume to 25", ["toggle_light", "set_volume"]),
        ("打开卧室的灯，把卧室空调调到 22 度", ["toggle_light", "set_thermostat"]),
    ],
)
async def test_a_question_becomes_the_tasks_it_asks_for(scope: RunScope, question: str, tools: list[str]) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == tools


@pytest.mark.parametrize(
    ("question", "argument", "values"),
    [
        ("What is the weather in Paris and in Berlin?", "city", ["Paris", "Berlin"]),
        ("巴黎和柏林的天气分别怎么样？", "city", ["巴黎", "柏林"]),
        ("北京、东京和纽约现在分别几点？", "timezone", ["北京", "东京", "纽约"]),
        ("How many lines do notes.txt and todo.txt have?", "path", ["notes.txt", "todo.txt"]),
        ("notes.txt 和 todo.txt 各有多少行？", "path", ["notes.txt", "todo.txt"]),
    ],
)
async def test_a_sentence_about_several_things_is_a_task_for_each(
    scope: RunScope, question: str, argument: str, values: list[str]
) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.arguments.get(argument) for assignment in assignments] == values


async def test_two_things_of_one_place_are_two_tasks(scope: RunScope) -> None:
    _, assignments = await planned("上海的空气质量和天气怎么样？", scope)
    assert [(a.tool, a.arguments) for a in assignments] == [
        ("get_air_quality", {"city": "上海"}),
        ("get_weather", {"city": "上海"}),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "给 li.lei@example.com 发一封邮件，主题是“周会”，正文是“周会改到下午三点。”",
        "Send an email to maria@example.com with the subject 'Budget' and the body 'It is ready, and then some.'",
        "预订长江厅，11月19日下午两点开始，两个小时",
        "I'd like to fly from Rome to Athens on January 8, 2027, business class, 2 passengers",
    ],
)
async def test_details_after_a_comma_belong_to_the_task(scope: RunScope, question: str) -> None:
    steps, assignments = await planned(question, scope)
    assert len(steps) == 1
    assert assignments[0].tool is not None


@pytest.mark.parametrize(
    ("question", "look_up", "argument"),
    [
        ("密云水库现在的水位是多少？", "lookup_station_code", {"station_code": "{{s1.station_code}}"}),
        ("How many vacation days does the employee Priya Nair have left?", "lookup_employee_id", None),
    ],
)
async def test_what_a_tool_requires_is_looked_up_first(
    scope: RunScope, question: str, look_up: str, argument: dict[str, str] | None
) -> None:
    steps, assignments = await planned(question, scope)
    assert assignments[0].tool == look_up
    assert steps[1].dependencies == ["s1"]
    assert assignments[1].arguments == (argument or {"employee_id": "{{s1.employee_id}}"})


@pytest.mark.parametrize(
    ("question", "tools", "dependencies"),
    [
        (
            "密云水库和官厅水库的水位",
            ["lookup_station_code", "query_reservoir_last", "lookup_station_code", "query_reservoir_last"],
            ["", "s1", "", "s3"],
        ),
        (
            "密云水库和官厅水库的水位相差多少",
            ["lookup_station_code", "query_reservoir_last", "lookup_station_code", "query_reservoir_last", "calculate"],
            ["", "s1", "", "s3", "s2 s4"],
        ),
        (
            "What's the leave balance of Ana Silva and of Tom Berg?",
            ["lookup_employee_id", "get_leave_balance", "lookup_employee_id", "get_leave_balance"],
            ["", "s1", "", "s3"],
        ),
        ("密云水库的水位和蓄水量", ["lookup_station_code", "query_reservoir_last"], ["", "s1"]),
    ],
)
async def test_several_things_are_looked_up_each_once(
    scope: RunScope, question: str, tools: list[str], dependencies: list[str]
) -> None:
    steps, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == tools
    assert [" ".join(step.dependencies) for step in steps] == dependencies


@pytest.mark.parametrize("question", ["weather in Oslo for the next 12 days", "奥斯陆未来12天的天气"])
async def test_a_length_of_time_beyond_the_tool_is_declined(scope: RunScope, question: str) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == [None]


@pytest.mark.parametrize(
    ("question", "dependencies"),
    [
        ("What is 3^7, and then add 14% to it", ["", "s1"]),
        ("What is 3^7, and what time is it in Tokyo?", ["", ""]),
        ("3的7次方是多少，然后加上14%", ["", "s1"]),
        ("3的7次方是多少，东京现在几点", ["", ""]),
        ("count the lines of notes.txt and of todo.txt, then add the two numbers", ["", "", "s1 s2"]),
        ("notes.txt 和 todo.txt 各有多少行？然后加起来", ["", "", "s1 s2"]),
    ],
)
async def test_a_step_depends_on_those_it_speaks_of(scope: RunScope, question: str, dependencies: list[str]) -> None:
    steps, _ = await planned(question, scope)
    assert [" ".join(step.dependencies) for step in steps] == dependencies


@pytest.mark.parametrize(
    "question", ["List the text files in this folder and count the lines of each", "docs 下的 md 文件每个有多少行"]
)
async def test_for_each_is_a_step_over_the_rows_before(scope: RunScope, question: str) -> None:
    steps, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == ["list_dir", "read_file"]
    assert steps[1].for_each is not None
    assert steps[1].for_each.step == "s1"


@pytest.mark.parametrize(
    "question",
    [
        "Write a poem about spring",
        "写一首关于春天的诗",
        "Delete notes.txt",
        "把 notes.txt 删掉",
        "那个文件有多少行",
        "how many lines does that file have",
        "'; DROP TABLE orders; --",
        "Find me a flight to Lisbon",
        "Set the bedroom thermostat to 45 degrees",
    ],
)
async def test_what_nothing_serves_gets_no_tool(scope: RunScope, question: str) -> None:
    _, assignments = await planned(question, scope)
    assert [assignment.tool for assignment in assignments] == [None]


async def test_what_cannot_be_done_stays_beside_what_can(scope: RunScope) -> None:
    steps, assignments = await planned("What is 12 * 12, and write a poem about it", scope)
    assert [assignment.tool for assignment in assignments] == ["calculate", None]
    assert "poem" in steps[1].description


@pytest.mark.parametrize(
    ("said", "answered", "question", "tool", "arguments"),
    [
        ("What time is it in Tokyo?", "It is 14:00 in Tokyo.", "and in London?", "get_time", {"timezone": "London"}),
        ("现在东京几点？", "东京现在是14:00。", "那伦敦呢？", "get_time", {"timezone": "伦敦"}),
        ("How many lines does notes.txt have?", "6 lines.", "what about todo.txt?", "read_file", {"path": "todo.txt"}),
        ("notes.txt 有几行", "6 行。", "data/sales.csv 呢", "read_file", {"path": "data/sales.csv"}),
        ("How many lines does notes.txt have?", "6 lines.", "And how many words?", "read_file", {"path": "notes.txt"}),
        ("巴黎天气怎么样", "多云。", "那里的空气质量如何？", "get_air_quality", {"city": "巴黎"}),
        (
            "100 美元等于多少欧元？",
            "92.5",
            "换成日元呢？",
            "convert_currency",
            {"amount": 100, "from_currency": "USD", "to_currency": "JPY"},
        ),
    ],
)
async def test_a_question_goes_on_from_the_one_before(
    said: str, answered: str, question: str, tool: str, arguments: dict[str, object]
) -> None:
    scope = open_scope(history=(Turn("user", said), Turn("assistant", answered)))
    _, assignments = await planned(question, scope)
    assert [(a.tool, a.arguments) for a in assignments] == [(tool, arguments)]


@pytest.mark.parametrize(("said", "question"), [("What is 128 * 46?", "minus 88"), ("计算 128 乘以 46", "再减去 88")])
async def test_a_change_is_made_to_the_last_answer(said: str, question: str) -> None:
    scope = open_scope(history=(Turn("user", said), Turn("assistant", "128 * 46 = 5888")))
    _, assignments = await planned(question, scope)
    assert assignments[0].arguments == {"expression": "5888 - 88"}


async def test_a_question_of_its_own_does_not_lean_on_the_conversation() -> None:
    scope = open_scope(history=(Turn("user", "What time is it in Tokyo?"), Turn("assistant", "14:00")))
    _, assignments = await planned("What is 2 + 2?", scope)
    assert assignments[0].tool == "calculate"


@pytest.mark.parametrize("piece", [" ", "1", "a", "-", "水", "1,", "a/", "and ", "1 和 ", "列出 a 然后 "])
async def test_a_text_of_twenty_thousand_characters_is_planned(scope: RunScope, piece: str) -> None:
    steps, _ = await planned(piece * (20_000 // len(piece)), scope)
    assert len(steps) < 5000


@pytest.mark.parametrize(
    ("question", "expected"), [("and 3+3?", "3+3 = 6."), ("那5乘6呢", "5乘6 = 30。"), ("and 3*3?", "3*3 = 9.")]
)
async def test_a_sum_of_its_own_takes_nothing_from_the_one_before(
    orchestrator: Orchestrator, question: str, expected: str
) -> None:
    await orchestrator.ask("what is 2+2", thread_id="t")
    report = await orchestrator.ask(question, thread_id="t")
    assert report.answer == expected
