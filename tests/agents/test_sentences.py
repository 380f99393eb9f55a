"""Each sentence of a native tool is its own test: what it may say comes back as its call, and as no other tool's."""

import random
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.by_rules.deeds import Deeds
from switchyard.agents.by_rules.planner import steps_of
from switchyard.agents.scope import RunScope
from switchyard.app.places import ROOT
from switchyard.language.sentences import Slot
from switchyard.ledger.plan import Call
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sentences import EARLIER, Sentence, problems, sentences_beside
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolCapability, ToolSpec
from tests.support.reading import NOW
from tests.support.samples import sample
from tests.support.scopes import scope_over

EXAMPLES = 2
"""That each action prints in each language, at least."""
EARLIER_STEP = "{{s1#content}}"

FILES = {
    "README.md": "# Readme\n\ntext\n",
    "notes.txt": "a note\n",
    "todo.txt": "- a\n",
    "a.txt": "a\n",
    "b.txt": "b\n",
    "report.md": "# Report\n",
    "文章.txt": "文章\n",
    "数据.txt": "数据\n",
    "big.log": "line\n" * 10,
    "setup.zip": "PK",
    "data.bin": "x",
    "src/app.py": "import os\n\n\ndef main():\n    pass\n",
    "docs/guide.md": "# Guide\n",
    "docs/计划.txt": "计划\n",
    "logs/app.log": "error\n",
    "parts/one.csv": "a\n1\n",
    "parts/two.csv": "a\n2\n",
    "data.csv": "name,price\na,1\n",
    "data.parquet": "",
    "sales.csv": "city,product,price,amount\nBerlin,a,120,3\nParis,b,80,4\nBerlin,c,60,5\n",
    "销售.csv": "城市,产品,销量\n北京,甲,120\n上海,乙,80\n北京,丙,60\n",
    "people.csv": "name,age,年龄\nAnn,30,30\nBob,20,20\n",
    "orders.json": '[{"city": "Berlin", "total": 3}, {"city": "Paris", "total": 5}]',
    "订单.json": '[{"城市": "北京", "金额": 3}, {"城市": "上海", "金额": 5}]',
}

SAID: dict[str, tuple[tuple[str, Any], ...]] = {
    "file": (("notes.txt", "notes.txt"), ("src/app.py", "src/app.py"), ("文章.txt", "文章.txt"), ("'a.txt'", "a.txt")),
    "plain_file": (("notes.txt", "notes.txt"), ("src/app.py", "src/app.py"), ("app.log", "logs/app.log")),
    "table": (("sales.csv", "sales.csv"), ("销售.csv", "销售.csv"), ("parts/one.csv", "parts/one.csv")),
    "data": (("sales.csv", "sales.csv"), ("销售.csv", "销售.csv"), ("orders.json", "orders.json")),
    "target": (("new.md", "new.md"), ("报表.csv", "报表.csv"), ("app.log", "app.log"), ("notes.txt", "notes.txt")),
    "there": (("new.md", "new.md"), ("报表.csv", "报表.csv"), ("app.log", "logs/app.log"), ("notes.txt", "notes.txt")),
    "changed": (("app.log", "logs/app.log"), ("notes.txt", "notes.txt"), ("文章.txt", "文章.txt")),
    "new_file": (("new.md", "new.md"), ("out/all.txt", "out/all.txt"), ("报表.csv", "报表.csv")),
    "folder": (("src", "src"), ("docs", "docs"), ("./logs", "./logs")),
    "library": (("docs", "docs"),),
    "other_folder": (("src", "src"), ("logs", "logs")),
    "files": (("a.txt and b.txt", ["a.txt", "b.txt"]), ("a.txt, b.txt and notes.txt", ["a.txt", "b.txt", "notes.txt"])),
    "globs": (("parts/*.csv", ["parts/*.csv"]), ("*.txt", ["*.txt"])),
    "glob": (("*.md", "*.md"), ("docs/*.txt", "docs/*.txt")),
    "url": (
        ("https://example.com", "https://example.com"),
        ("http://api.example.com/v1/a?b=1", "http://api.example.com/v1/a?b=1"),
    ),
    "pairs": (("base=EUR", {"base": "EUR"}), ("base=EUR&n=3", {"base": "EUR", "n": "3"})),
    "text": (('"buy milk, not tea"', "buy milk, not tea"), ("“买 3 瓶牛奶”", "买 3 瓶牛奶"), ("`x = 1`", "x = 1")),
    "code": (("`print(1)`", "print(1)"), ("```print(2)```", "print(2)")),
    "sql": (
        ("SELECT a, sum(b) FROM data GROUP BY a", "SELECT a, sum(b) FROM data GROUP BY a"),
        ("`select * from data`", "select * from data"),
    ),
    "json": (("{'name': 'Ada'}", {"name": "Ada"}), ('[{"a": 1}, 2]', [{"a": 1}, 2])),
    "count": (("7", 7), ("20", 20), ("300", 300)),
    "size": (("1 MB", 1_000_000), ("500KB", 500_000), ("2 KiB", 2048)),
    "selector": (("#login", "#login"), (".price", ".price"), ("`a.next`", "a.next")),
    "word": (("autoclave", "autoclave"), ("TODO", "TODO"), ("load_config", "load_config")),
    "name": (("Greta Vos", "Greta Vos"), ("Old Mill Road", "Old Mill Road")),
    "stretch": (("Ann Lee", "Ann Lee"), ("3.50", "3.50"), ("KEEP_DAYS=21", "KEEP_DAYS=21")),
    "figure": (("6500 yuan", "6500 yuan"), ("604-555-0266", "604-555-0266"), ("KEEP_DAYS=21", "KEEP_DAYS=21")),
    "topic": (("water levels", "water levels"), ("the vacation policy", "the vacation policy")),
    "asked": (("the average price in sales.csv", "the average price in sales.csv"),),
}
"""What may stand in a slot of each kind, and what it is worth."""
SAID_IN_CHINESE = {
    "files": (("a.txt和b.txt", ["a.txt", "b.txt"]), ("a.txt、b.txt和文章.txt", ["a.txt", "b.txt", "文章.txt"])),
    "word": (("超时", "超时"), ("TODO", "TODO"), ("load_config", "load_config")),
    "stretch": (("周三上午", "周三上午"), ("3.50", "3.50"), ("KEEP_DAYS=21", "KEEP_DAYS=21")),
    "figure": (("6500元", "6500元"), (" 604-555-0266 ", "604-555-0266"), ("KEEP_DAYS=21", "KEEP_DAYS=21")),
    "topic": (("请假制度", "请假制度"), ("水位测量", "水位测量")),
    "asked": (("销售.csv里北京的记录", "销售.csv里北京的记录"),),
    "pairs": ((" base=EUR ", {"base": "EUR"}), (" base=EUR&n=3 ", {"base": "EUR", "n": "3"})),
    "size": (("1 MB", 1_000_000), ("10兆", 10_000_000)),
    "selector": (("#login", "#login"), (" .price", ".price"), ("`a.next`", "a.next")),
    "glob": ((" *.md", "*.md"), (" docs/*.txt", "docs/*.txt")),
    "globs": ((" parts/*.csv", ["parts/*.csv"]), (" *.txt", ["*.txt"])),
}


def native_hub() -> ToolHub:
    hub = ToolHub(skills=None)
    for tool in discover(ROOT / "tools", "switchyard.tools").tools:
        hub.registry.add(tool)
    return hub


def every_sentence() -> Iterator[Sentence]:
    registry = native_hub().registry
    for spec in registry:
        found = sentences_beside(spec.tool_id, Path(registry.file_of(spec.tool_id)))
        yield from (one for one in found if not one.of_rows)


def workspace_with(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> RunScope:
    return scope_over(native_hub(), workspace_with(FILES, tmp_path_factory.mktemp("files")), clock=lambda: NOW)


def done(scope: RunScope, clause: str) -> Call | None:
    deed = Deeds(scope).read(clause)
    return None if deed is None else deed.call


def has_han(text: str) -> bool:
    return any("\u3400" <= letter <= "\u9fff" for letter in text)


def samples(sentence: Sentence, count: int) -> Iterator[tuple[str, Call]]:
    """Sentences that a template takes, each with the call it leads to."""
    chinese = sentence.chinese is True
    for number in range(count):
        dice = random.Random(zlib.crc32(f"{sentence.template} {number}".encode()))  # noqa: S311  nothing is kept secret
        taken: dict[str, Any] = {}

        def fill(slot: Slot, dice: random.Random = dice, taken: dict[str, Any] = taken) -> str:
            if slot.kind == "earlier":
                phrases = [one for one in sentence.lists["earlier"] if has_han(one) == chinese]
                said, value = dice.choice(phrases), EARLIER_STEP
            elif slot.kind in sentence.lists:
                phrases = [one for one in sentence.lists[slot.kind].items() if has_han(one[0]) == chinese]
                said, value = dice.choice(phrases or list(sentence.lists[slot.kind].items()))
            else:
                known = SAID_IN_CHINESE.get(slot.kind, SAID[slot.kind]) if chinese else SAID[slot.kind]
                said, value = dice.choice(known)
            assert slot.argument not in taken, "an argument is given twice"
            taken[slot.argument] = value
            return said

        text = sample(sentence.template, sentence.rules, dice, fill)
        filled = {name: EARLIER_STEP if value == EARLIER else value for name, value in sentence.filled(taken).items()}
        yield text, Call(tool=sentence.tool, action=sentence.action, arguments=filled)


def _is_fuller(found: Call, call: Call) -> bool:
    """Whether it is that call; a word such as docs may be the name of a folder too."""
    same = (found.tool, found.action) == (call.tool, call.action)
    return same and found.arguments in (call.arguments, {"path": "docs", **call.arguments})


@pytest.mark.parametrize("tool", sorted({sentence.tool for sentence in every_sentence()}))
def test_what_a_sentence_may_say_comes_back_as_its_call(tool: str, scope: RunScope, samples_of_each: int) -> None:
    deeds = Deeds(scope)
    wrong: list[str] = []
    for sentence in every_sentence():
        for text, call in samples(sentence, samples_of_each) if sentence.tool == tool else ():
            earlier = EARLIER_STEP if sentence.of_earlier else None
            read = [deeds.read_kept(text)] if sentence.asks else deeds.readings(text, earlier=earlier)
            found = [one.call for one in read if one]
            if not (len(found) == 1 and _is_fuller(found[0], call)):
                told = [f"{one.tool}.{one.action} {one.arguments}" for one in found]
                wrong.append(
                    f"{text!r}\n    wanted {call.tool}.{call.action} {call.arguments}\n"
                    f"    got {told}\n    by {sentence.template}"
                )
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:60])


def test_no_list_of_words_is_called_like_a_kind_of_slot() -> None:
    lists = {(sentence.tool, name) for sentence in every_sentence() for name in sentence.lists}
    assert not [(tool, name) for tool, name in lists if name in SAID]  # the slot would take what no list has


async def test_the_examples_that_tools_print_lead_to_them(scope: RunScope) -> None:
    examples = [(spec.tool_id, example) for spec in scope.equipment.hub.registry for example in spec.asked]
    led = {pair: [step.tool for step in await steps_of(scope, pair[1])] for pair in examples}
    astray = [f"{tool}: {example} -> {tools}" for (tool, example), tools in led.items() if tools != [tool]]
    assert not astray, "\n".join(astray)


def test_each_action_prints_two_examples_in_each_language() -> None:
    few = [
        f"{spec.tool_id}.{capability.name}"
        for spec in native_hub().registry
        for capability in spec.capabilities
        for chinese in (False, True)
        if sum(has_han(re.sub(r"\S+\.\w+", "", one)) is chinese for one in _examples(spec, capability)) < EXAMPLES
    ]
    assert not few


def _examples(spec: ToolSpec, capability: ToolCapability) -> Sequence[str]:
    return capability.asked or spec.asked


OWN_TOOL = '''
from switchyard.tools.core import BaseToolParams, tool


class LendParams(BaseToolParams):
    title: str
    days: int = 14


@tool()
class Lend:
    """Lend a book."""

    async def execute(self, params: LendParams) -> dict[str, str]:
        """Who has it."""
        return {"title": params.title}
'''
OWN_SENTENCES = """
sentences:
  - say:
      - "lend [out] [the book] {title:text} [for {days:count} days]"
      - "(借出|借)[一本]{title:text}[借{days:count}天]"
"""


def own_scope(folder: Path, sentences: str) -> RunScope:
    (folder / "lend.py").write_text(OWN_TOOL, encoding="utf-8")
    (folder / "lend.yaml").write_text(sentences, encoding="utf-8")
    hub = native_hub()
    for found in discover(folder).tools:
        hub.registry.add(found)
    return scope_over(hub, folder, clock=lambda: NOW)


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Please lend out the book 'Emma' for 7 days", {"title": "Emma", "days": 7}),
        ("借出《红楼梦》", {"title": "红楼梦"}),
        ("借“围城”借七天", {"title": "围城", "days": 7}),
    ],
)
def test_a_sentence_beside_a_users_own_tool_needs_no_code(
    tmp_path: Path, question: str, arguments: dict[str, Any]
) -> None:
    call = done(own_scope(tmp_path, OWN_SENTENCES), question)
    assert call == Call(tool="lend", arguments=arguments)


def test_a_new_sentence_is_there_at_once(tmp_path: Path) -> None:
    scope = own_scope(tmp_path, OWN_SENTENCES)
    assert Deeds(scope).read("hand out 'Emma'") is None
    (tmp_path / "lend.yaml").write_text('sentences:\n  - say: ["hand out {title:text}"]\n', encoding="utf-8")
    assert done(scope, "hand out 'Emma'") == Call(tool="lend", arguments={"title": "Emma"})


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        (
            'sentences:\n  - say:\n      - "lend {title:text}"\n      - "lend (a|b {title:text}"\n',
            "line 4: ')' is missing.",
        ),
        ('sentences:\n  - say:\n      - "<verb> {title:text}"\n', "line 3: <verb> is not defined."),
        ('sentences:\n  - say:\n      - "lend] {title:text}"\n', "line 3: ']' closes nothing."),
        ("sentences: [\n", "line 2: "),
        ("say: it\n", "it needs `sentences`"),
    ],
)
def test_a_bad_template_is_told_with_its_file_and_line(tmp_path: Path, sentences: str, problem: str) -> None:
    scope = own_scope(tmp_path, sentences)
    assert problems(tmp_path / "lend.py")[0].startswith(problem)
    broken = discover(tmp_path).broken
    assert [(file.path.name, file.error.startswith(problem)) for file in broken] == [("lend.yaml", True)]
    assert Deeds(scope).read("Read notes.txt and lend a book") is None  # the others are read


def test_two_different_calls_are_none(tmp_path: Path) -> None:
    scope = own_scope(tmp_path, 'sentences:\n  - say: ["read {title:file}"]\n')
    (tmp_path / "notes.txt").write_text("a\n", encoding="utf-8")
    assert [deed.call.tool for deed in Deeds(scope).readings("Read notes.txt")] == ["lend", "read_file"]
    assert Deeds(scope).read("Read notes.txt") is None


@pytest.mark.parametrize(
    "question",
    [
        "Do not read notes.txt",
        "不要读取 notes.txt",
        "Read notes.txt except the first 3 lines",
        "Read notes.txt and missing.txt",
        "Delete notes.txt",
        "Put 'hello' in notes.txt",
        "把“你好”放进 notes.txt",
        "Merge a.txt and b.txt into notes.txt",
        "Append a line to todo.txt",
        "Append to todo.txt: buy milk and then show the file",
        "Convert sales.csv to JSON and b.csv",
        "which files mention it",
        "Search the web for cats and save the result",
        "Show the first -5 lines of notes.txt",
        "Show the first 2.5 lines of notes.txt",
        "POST to https://example.com",
        "删除 https://example.com",
        "打开 https://example.com/水",
    ],
)
def test_what_is_not_said_whole_is_not_done(question: str, scope: RunScope) -> None:
    assert Deeds(scope).read(question) is None


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("append a line to todo.txt: Call Tom!", {"mode": "append_line", "path": "todo.txt", "content": "Call Tom!"}),
        ("在todo.txt末尾加一行：买牛奶吗？", {"mode": "append_line", "path": "todo.txt", "content": "买牛奶吗？"}),
        (
            "新建报告.md，内容写：今天 3 点，开会。",
            {"mode": "create", "path": "报告.md", "content": "今天 3 点，开会。"},
        ),
    ],
)
def test_what_follows_a_colon_is_written_as_it_is(question: str, arguments: dict[str, str], scope: RunScope) -> None:
    assert done(scope, question) == Call(tool="write_to_file", arguments=arguments)


async def test_a_number_of_any_length_can_be_read(scope: RunScope) -> None:
    for question in (
        f"What is {'9' * 400} + 1?",
        f"Count to {'9' * 400}.5",
        f"fruit.csv 里价格大于 {'9' * 400}.5 的有几行？",
    ):
        assert await steps_of(scope, question)


@pytest.mark.parametrize("number", ["9" * 350, "9" * 350 + ".5", "9" * 280 + "万亿", "5万亿"])
@pytest.mark.parametrize("asked", ["What is {} + 1?", "files larger than {} MB", "{}加1等于多少？"])
async def test_no_number_is_too_large_to_be_read(asked: str, number: str, scope: RunScope) -> None:
    assert await steps_of(scope, asked.format(number))
