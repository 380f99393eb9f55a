"""What changes something is done when it is asked for, never because a question shares words with it."""

from functools import cache

import pytest

from switchyard.agents.by_rules.inquiries import is_inquiry
from switchyard.agents.scope import RunScope
from switchyard.language.mentions import find_mentions
from tests.support.reading import NOW, open_scope, planned


@cache
def scope(*, foreign: bool) -> RunScope:
    return open_scope(foreign=foreign)


ABOUT_FILES = (
    "Which of notes.md or README.md has more words?",
    "Is notes.md longer than README.md?",
    "Does notes.md say anything about saving files?",
    "What was written to notes.md?",
    "What does the note in todo.txt say?",
    "Is there a file named report.md with the text hello?",
    'Does README.md contain "write"?',
    "What is stored in config.json?",
    'Has "done" been appended to todo.txt?',
    'Find "save" in notes.md',
    "Look for 'append' in todo.txt",
    'Where is the note "buy milk" stored?',
    'Check whether notes.md mentions "overwrite"',
    "What would happen if I overwrite notes.md?",
    "Compare notes.md and README.md",
    "Show the note about saving in notes.md",
    'Is "hello" in notes.txt?',
    "Tell me what content notes.md has",
    "Do I have to convert sales.csv to JSON?",
    "When were a.txt and b.txt merged into all.txt?",
    "Who wrote 'hello' to notes.txt?",
    "notes.md 和 README.md 哪个字数多？",
    "notes.md 和 README.md 哪个更大？",
    "notes.md 里写了什么？",
    "notes.md 里有没有“保存”？",
    "todo.txt 里写入了什么内容？",
    "谁创建了 notes.md？",
    "notes.md 是什么时候写的？",
    "“你好”写在哪个文件里？",
    "在 notes.md 里找“追加”",
    "在 docs/指南.md 里找“配置”",
    "查一下 notes.md 有没有提到“写入”",
    "notes.md 里存了“你好”吗？",
    "怎么把文件保存到 notes.md？",
    "config.json 里保存的是什么？",
    "看看 todo.txt 里写的“买牛奶”",
    "统计 notes.md 里“创建”出现的次数",
    "把 notes.md 读一下",
    "todo.txt 里写着“买牛奶”",
    "notes.md 有没有覆盖 README.md 的内容",
    "sales.csv 转成 JSON 了吗？",
    "a.txt 和 b.txt 合并成了哪个文件？",
)


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("question", ABOUT_FILES)
async def test_a_question_about_files_changes_and_sends_nothing(question: str, *, foreign: bool) -> None:
    steps, assignments = await planned(question, scope(foreign=foreign))
    library = scope(foreign=foreign).equipment.library
    taken = [
        spec.for_action(assignment.action)
        for assignment in assignments
        if assignment.tool and (spec := library.get_tool_by_id(assignment.tool)) is not None
    ]
    assert steps
    assert [spec.name for spec in taken if spec.writes or spec.sends] == []


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Write 'hello' to notes.txt", {"path": "notes.txt", "content": "hello"}),
        ('Save "buy milk" in todo.txt', {"path": "todo.txt", "content": "buy milk"}),
        ('Add "Who is it?" to todo.txt', {"path": "todo.txt", "content": "Who is it?", "mode": "append"}),
        ("把“你好”写入 notes.txt", {"path": "notes.txt", "content": "你好"}),
        ("将“完成”保存到 report.md", {"path": "report.md", "content": "完成"}),
        ("把“吃什么？”写到 notes.txt", {"path": "notes.txt", "content": "吃什么？"}),
        ("新建 a.txt，内容是“你好”", {"path": "a.txt", "content": "你好", "mode": "create"}),
    ],
)
async def test_what_is_to_be_written_is_written(text: str, arguments: dict[str, str]) -> None:
    _, assignments = await planned(text, scope(foreign=False))
    assert [(one.tool, one.arguments) for one in assignments] == [("write_to_file", arguments)]


@pytest.mark.parametrize("text", ["Append 'done' to todo.txt", "在 todo.txt 末尾追加“买牛奶”", "把“好”追加到 todo.txt"])
async def test_what_is_to_be_added_replaces_nothing(text: str) -> None:
    _, assignments = await planned(text, scope(foreign=False))
    assert [one.arguments.get("mode") for one in assignments] == ["append"]


@pytest.mark.parametrize(
    "text", ["write something nice to notes.txt", "save notes.txt", "往 notes.txt 里写点东西", "保存 notes.txt"]
)
async def test_no_content_is_made_up(text: str) -> None:
    _, assignments = await planned(text, scope(foreign=False))
    assert "write_to_file" not in [one.tool for one in assignments]


@pytest.mark.parametrize(
    "text", ["Which lights are on in the kitchen?", "厨房的灯开着吗？", "Where is the meeting at 3pm tomorrow?"]
)
async def test_a_question_switches_and_makes_nothing(text: str) -> None:
    _, assignments = await planned(text, scope(foreign=True))
    assert {one.tool for one in assignments}.isdisjoint({"toggle_light", "create_event", "book_meeting_room"})


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Remind me what we said", True),
        ("Remind me to ask what it costs", False),
        ("Check in at the hotel", False),
        ("Check the hotel", True),
        ("打开客厅的灯", False),
        ("灯打开了吗", True),
        ("把“谁”写入 a.txt", False),
    ],
)
def test_a_question_is_told_from_a_command(text: str, *, asks: bool) -> None:
    assert is_inquiry(text, find_mentions(text, NOW.date())) is asks
