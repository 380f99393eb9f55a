"""Reasons in Chinese: our own sentences have a Chinese form that follows the code, a stranger's words are quoted."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from switchyard.agents.reasons import KINDS, LIMITS, reason_in_chinese, translated
from switchyard.agents.run_reasons import RUN_REASONS
from switchyard.agents.tool_reasons import TOOL_REASONS
from switchyard.tools.core.errors import FailureKind

ROOT = Path(__file__).parents[2]
ROOMS = ("agents", "ledger", "toolhub", "tools", "language")
FORMS = {**TOOL_REASONS, **RUN_REASONS}
FOREIGN = {"ConnectionError", "TimeoutError", "AuthenticationError", "RateLimitError", "NotFoundError", "Error"}
"""Names of a library's errors."""


def texts_in_the_code() -> Iterator[str]:
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py") if not file.stem.endswith("reasons")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


@pytest.fixture(scope="module")
def code() -> str:
    return "\n".join(texts_in_the_code())


def test_every_english_form_is_what_the_code_says(code: str) -> None:
    pieces = {
        piece.strip(" .,:;?()'")
        for form in FORMS
        for literal, _, _, _ in Formatter().parse(form)
        for piece in re.split(r"[.:;,] ", literal)
    }
    assert {piece for piece in pieces - FOREIGN if piece not in code} == set()


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_found_and_leaves_no_place_open(form: str) -> None:
    said = translated(re.sub(r"\{\w+\}", "7", form))
    assert said is not None
    assert "{" not in said
    assert said.endswith(("。", "？"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_strangers_reason_is_quoted_after_its_kind(kind: FailureKind) -> None:
    assert reason_in_chinese("quota of project 9 used up.", kind) == (
        f"{KINDS[kind]}（原文：“quota of project 9 used up”）。"
    )


@pytest.mark.parametrize("text", ["没有这个站", "接口 api 没有返回数据"])
def test_a_chinese_reason_stays_as_it_is(text: str) -> None:
    assert reason_in_chinese(text, "not_found") == f"{text}。"


def test_an_english_reason_about_something_chinese_is_quoted() -> None:
    assert reason_in_chinese("plate 盘子 is broken", "crash") == "工具出错（原文：“plate 盘子 is broken”）。"


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "The same call of list_dir failed before (crash: 'b c' is a file, not a folder.); it is not repeated.",
            "list_dir 的同样调用之前已经失败（“b c”是文件，不是文件夹），不再重复。",
        ),
        ("2 of 3 items failed; 1 more left out", "3 项中有 2 项失败。还有 1 项没有处理。"),
        ("the limit of model_calls is reached", "已达到上限：模型调用次数。"),
        ("m1: APIConnectionError: Connection error.", "无法连接模型 m1（原文：“Connection error.”）。"),
    ],
)
def test_reasons_inside_and_beside_each_other(english: str, chinese: str) -> None:
    assert reason_in_chinese(english) == chinese


def test_every_limit_has_a_name_in_both_languages() -> None:
    assert all(re.search("[\u3400-\u9fff]", names["zh"]) and names["en"].isascii() for names in LIMITS.values())
