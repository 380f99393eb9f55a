"""What we say to people: the catalogue and the code agree, both languages are there, a stranger's words are quoted."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from switchyard.language.messages import STORED, Field, Message, Said, catalogue, joined, message, quoted, said
from switchyard.ledger.limits import LimitName
from switchyard.tools.core.errors import FailureKind, RetryTool, ToolFailed

ROOT = Path(__file__).parents[2]
ROOMS = ("app", "graphs", "agents", "toolhub", "ledger", "tools", "language")
ANYTHING = "{}"
Calls = list[tuple[str, str, set[str] | None]]


def calls_in_the_code() -> Iterator[tuple[str, str, set[str] | None]]:
    """Where a message is made: file and line, its code (with `{}` for what is put in), its fields if all are named."""
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message":
                named = [keyword.arg for keyword in node.keywords]
                fields = None if None in named else {name for name in named if name}
                for code in codes_of(node.args[0]):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", code, fields


def codes_of(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(code)):
            return [code]
        case ast.IfExp(body=body, orelse=orelse):
            return codes_of(body) + codes_of(orelse)
        case ast.JoinedStr(values=values):
            return ["".join(str(part.value) if isinstance(part, ast.Constant) else ANYTHING for part in values)]
        case _:
            return [ANYTHING]


def meant_by(code: str) -> list[str]:
    """The codes of the catalogue that a code with places in it may become."""
    pattern = re.compile("[^.]+".join(map(re.escape, code.split(ANYTHING))))
    return [known for known in catalogue() if pattern.fullmatch(known)]


def fields_of(code: str) -> set[str]:
    words = catalogue()[code]
    counted = {"count"} if "one" in words else set[str]()
    return counted | {name for text in words.values() for _, name, _, _ in Formatter().parse(text) if name}


@pytest.fixture(scope="module")
def calls() -> Calls:
    return list(calls_in_the_code())


def test_every_message_of_the_code_is_in_the_catalogue_with_its_fields(calls: Calls) -> None:
    wrong = [
        f"{where}: {code}: {sorted(fields or ())} for {sorted(fields_of(known))}"
        for where, code, fields in calls
        for known in meant_by(code)
        if fields is not None and fields != fields_of(known)
    ]
    missing = [f"{where}: {code}" for where, code, _ in calls if not meant_by(code)]
    unwritten = [where for where, code, _ in calls if code == ANYTHING]
    assert wrong + missing + unwritten == []


def test_every_message_of_the_catalogue_is_said_somewhere(calls: Calls) -> None:
    used = {known for _, code, _ in calls for known in meant_by(code)}
    assert sorted(catalogue().keys() - used) == []


def test_every_message_has_both_languages() -> None:
    assert [code for code, words in catalogue().items() if words.keys() - {"one"} != {"en", "zh"}] == []
    unread = {code: words["zh"] for code, words in catalogue().items() if not re.search("[\u3400-\u9fff]", words["zh"])}
    assert [code for code, chinese in unread.items() if not chinese.isupper() and not fields_of(code)] == []


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_a_strangers_reason_is_quoted_after_its_kind(kind: FailureKind) -> None:
    failed = message(f"failure.{kind}").text("zh")
    assert said("quota of project 9 used up.", "zh", kind) == f"{failed}（原文：“quota of project 9 used up”）。"


@pytest.mark.parametrize("text", ["没有这个站", "接口 api 没有返回数据"])
def test_a_chinese_reason_stays_as_it_is(text: str) -> None:
    assert said(text, "zh", "not_found") == f"{text}。"


def test_an_english_reason_about_something_chinese_is_quoted() -> None:
    assert said("plate 盘子 is broken", "zh", "crash") == "工具出错（原文：“plate 盘子 is broken”）。"


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (
            message("failed_before", tool="list_dir", kind="crash", reason=message("question_empty")),
            "The same call of list_dir failed before (crash: The question is empty.); it is not repeated.",
            "list_dir 的同样调用之前已经失败（问题是空的），不再重复。",
        ),
        (
            joined(
                message("items_failed", failed=2, all=3, items=["甲", "乙"]),
                message("items_left_out", count=1),
                by="; ",
            ),
            "2 of 3 items failed: 甲, 乙; 1 more left out",
            "3 项中有 2 项失败：甲、乙。还有 1 项没有处理。",
        ),
        (
            message("plan_rejected", reason=quoted("it is a poem.")),
            "the model's plan was rejected: it is a poem.",
            "模型的计划不可用：原文：“it is a poem”。",
        ),
        (message("plan_in_circle", steps=["a", "b"]), "The steps a, b wait for each other.", "步骤 a、b 互相等待。"),
    ],
)
def test_messages_inside_and_beside_each_other(told: str, english: str, chinese: str) -> None:
    assert (told, said(told, "en"), said(told, "zh")) == (english, english, chinese)


def test_what_stands_in_a_field_is_text() -> None:
    assert message("unverified", text="{text} {0}").text("zh") == "未经核实：{text} {0}"


@pytest.mark.parametrize("limit", get_args(LimitName))
def test_every_limit_has_a_name_in_both_languages(limit: LimitName) -> None:
    name = message(f"limit.{limit}")
    assert name.isascii()
    assert re.search("[\u3400-\u9fff]", name.text("zh"))


def test_an_error_keeps_its_message() -> None:
    told = message("plan_empty")
    assert str(ToolFailed(told)) is told
    assert said(str(RetryTool(told, hint=message("question_empty"))), "zh") == "计划里没有可以执行的步骤。问题是空的。"


def test_an_authors_own_words_are_one_text() -> None:
    assert str(RetryTool("No such rack.", hint="Name one.")) == "No such rack. Name one."


class Row(BaseModel):
    error: Said | None = None
    issues: list[Said] = []


MESSAGES: list[Field] = [
    message("plan_empty"),
    joined(message("plan_empty"), "a stranger's"),
    message("failed_before", tool="t", kind="crash", reason=message("plan_in_circle", steps=["a", "b"])),
]


@pytest.mark.parametrize("told", MESSAGES)
def test_a_message_survives_being_stored(told: Message) -> None:
    stored = Row(error=told, issues=[told, "plain"]).model_dump(mode="json", context=STORED)
    row = Row.model_validate(stored)
    assert isinstance(row.error, Message)
    assert row.error.text("zh") == told.text("zh")
    assert said(row.issues[0], "zh") == told.text("zh")
    assert row.issues[1] == "plain"


@pytest.mark.parametrize("told", MESSAGES)
def test_in_json_for_others_a_message_is_its_english(told: Message) -> None:
    assert Row(error=told, issues=[told]).model_dump(mode="json") == {"error": str(told), "issues": [str(told)]}
    assert Row.model_json_schema()["properties"]["issues"]["items"] == {"type": "string"}


@pytest.mark.parametrize("stored", ["a text", {"text": "a text", "code": "no_such_code", "fields": {}}])
def test_a_text_without_a_known_code_is_read_as_it_is(stored: Any) -> None:
    assert Row.model_validate({"error": stored}).error == "a text"


def test_a_message_is_copied_and_sent_to_other_processes() -> None:
    told = message("plan_in_circle", steps=["a", "b"])
    assert pickle.loads(pickle.dumps(told)).text("zh") == told.text("zh")  # noqa: S301  our own
    assert Row(error=told).model_copy(deep=True).error == told


def test_secrets_leave_a_message_without_taking_its_code() -> None:
    told = message("in_field", name="key", problem=quoted("hunter2 is wrong")).changed(
        lambda text: text.replace("hunter2", "***")
    )
    assert (told, said(told, "zh")) == ("key: *** is wrong", "字段 key：原文：“*** is wrong”。")


def test_a_secret_that_is_spelled_across_fields_is_hidden_all_the_same() -> None:
    told = message("in_field", name="hun", problem="ter2").changed(lambda text: text.replace("hun: ter2", "***"))
    assert told == "***"
