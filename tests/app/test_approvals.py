"""What a person sees before they approve: texts as lines, bounded, with how much is left out; secrets stay masked."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.execution.approval import ApprovalRequest
from app.approvals import LINE_LENGTH, LINES_AT_FIRST, LINES_AT_LAST, shown_call
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.surroundings import own_environment
from tests.support.terminal import at_terminal
from tools.core.masking import shown_arguments
from tools.core.spec import Language


def shown(language: Language = "en", **arguments: Any) -> list[str]:
    request = ApprovalRequest(
        step_id="s1", description="", tool="write_to_file", arguments=shown_arguments(arguments), reason=""
    )
    return shown_call(request, language).splitlines()


@pytest.mark.parametrize(
    ("language", "first", "second", "note"),
    [
        ("en", "Buy milk.", "Call Ana.", "(3 lines, see below)"),
        ("zh", "买牛奶。", "给安娜打电话。", "（共 3 行，见下）"),
    ],
)
def test_a_text_of_several_lines_is_shown_as_lines(language: Language, first: str, second: str, note: str) -> None:
    assert shown(language, path="笔记.md", content=f"{first}\n\n{second}\n") == [
        f'write_to_file {{"path": "笔记.md", "content": "{note}"}}',
        "  content:",
        f"  │ {first}",
        "  │ ",
        f"  │ {second}",
    ]


def test_other_arguments_are_shown_as_they_are() -> None:
    assert shown(path="a.md", content="one line 一行", size=3) == [
        'write_to_file {"path": "a.md", "content": "one line 一行", "size": 3}'
    ]


def test_a_text_inside_a_list_is_named_by_its_place() -> None:
    lines = shown(files=[{"path": "a.md", "content": "一\n二"}])
    assert lines[1:] == ["  files[0].content:", "  │ 一", "  │ 二"]


@pytest.mark.parametrize(
    ("language", "word", "note"),
    [("en", "line", "… 60 of 100 lines left out …"), ("zh", "行", "…… 共 100 行，省略 60 行 ……")],
)
def test_a_long_text_says_how_much_of_it_is_left_out(language: Language, word: str, note: str) -> None:
    count = LINES_AT_FIRST + LINES_AT_LAST + 60
    lines = shown(language, content="\n".join(f"{word}{number}" for number in range(count)))[2:]
    assert len(lines) == LINES_AT_FIRST + 1 + LINES_AT_LAST
    assert lines[LINES_AT_FIRST] == f"  {note}"
    assert (lines[0], lines[-1]) == (f"  │ {word}0", f"  │ {word}99")


@pytest.mark.parametrize(("language", "note"), [("en", "(7 more characters)"), ("zh", "（还有 7 个字符）")])
def test_a_long_line_says_how_much_of_it_is_left_out(language: Language, note: str) -> None:
    assert shown(language, content="x\n" + "水" * (LINE_LENGTH + 7))[-1] == f"  │ {'水' * LINE_LENGTH}… {note}"


def test_no_line_of_a_text_can_pass_for_a_word_of_the_shell() -> None:
    lines = shown(content="fine\napprove, edit or refuse? [a/e/r] a\r已批准\u2028approved")
    assert all(line.startswith("  │ ") for line in lines[2:])


def test_secrets_stay_masked() -> None:
    text = "\n".join(shown(api_key="sk-1234567890\nabcdef", headers={"Authorization": "Bearer 秘密"}))
    assert "1234567890" not in text
    assert "秘密" not in text


@pytest.mark.parametrize(
    ("question", "content"),
    [("Write my list to list.md", "- milk\n- bread"), ("把清单写到 list.md", "- 牛奶\n- 面包")],
)
def test_at_the_terminal_and_when_resumed_the_file_is_shown_as_lines(
    tmp_path: Path, workspace: Path, endpoint: Endpoint, question: str, content: str
) -> None:
    endpoint.script(
        plan=[steps({"description": question, "tool": "write_to_file"})],
        fill=[fills(s1={"path": "list.md", "content": content})],
        answer=["ok 好了"],
    )
    environment = own_environment(
        tmp_path, TERM="xterm", COLUMNS="120", APP_MODEL="scripted", OPENAI_BASE_URL=endpoint.url
    )
    switchyard = [sys.executable, "-m", "app"]
    lines = [f"  │ {line}" for line in content.splitlines()]
    with at_terminal([*switchyard, "run", question, "--thread", "t1"], workspace, environment) as terminal:
        terminal.until("[a/e/r]")
        assert all(line in terminal.seen for line in lines), terminal.seen
        terminal.type("\x03")
        assert terminal.leave() == 130
    with at_terminal([*switchyard, "resume", "t1"], workspace, environment) as terminal:
        terminal.until("[a/e/r]")
        assert all(line in terminal.seen for line in lines)
        assert json.dumps(content, ensure_ascii=False) not in terminal.seen
        terminal.type("a\r")
        assert terminal.leave() == 0
    assert (workspace / "list.md").read_text(encoding="utf-8") == content
