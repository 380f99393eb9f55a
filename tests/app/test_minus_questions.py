"""A question may begin with a minus; a mistyped option is still one."""

from pathlib import Path

import pytest

from tests.app.conftest import Invoke


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("-4 + 5", "-4 + 5 = 1"),
        ("-4+5", "-4+5 = 1"),
        ("-四加五等于多少", "1"),
        ("-4的绝对值是多少", "4"),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_a_question_that_begins_with_a_minus_is_asked(invoke: Invoke, question: str, answer: str, place: int) -> None:
    arguments = ["--thread", "t", "--model", "none"]
    done = invoke("run", *arguments[:place], question, *arguments[place:])
    assert done.exit_code == 0, done.output
    assert answer in done.stdout


def test_what_follows_two_minuses_stays_as_it_is(invoke: Invoke) -> None:
    assert "-4 + 5 = 1" in invoke("run", "--model", "none", "--", "-4 + 5").stdout


def test_an_option_keeps_its_value(invoke: Invoke, project: Path) -> None:
    (project / "我的 文件夹").mkdir()
    assert invoke("run", "-2 + 3", "--workspace=我的 文件夹").exit_code == 0
    assert invoke("run", "-2 + 3", "-w我的 文件夹").exit_code == 0
    assert invoke("run", "-2 + 3", "--thread", "-5 of mine").exit_code == 0


@pytest.mark.parametrize("mistyped", ["--jsn", "-q", "--worspace=my folder", "-"])
def test_a_mistyped_option_is_reported(invoke: Invoke, mistyped: str) -> None:
    assert invoke("run", "2+2", mistyped).exit_code == 2


@pytest.mark.parametrize(("wanted", "tool"), [("-4 degrees in fahrenheit", "calculate"), ("-4度换算", "calculate")])
def test_tools_are_searched_for_by_such_words_too(invoke: Invoke, wanted: str, tool: str) -> None:
    assert tool in invoke("tools", "search", wanted).stdout
