"""What a person sees before they approve: texts as lines, bounded, with how much is left out; secrets stay masked."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.app.console import LINE_LENGTH, LINES_AT_FIRST, LINES_AT_LAST, shown_call, shown_effect
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.masking import shown_arguments
from switchyard.tools.core.spec import Language
from tests.app.conftest import Invoke
from tests.support.endpoint import Endpoint, fills, steps
from tests.support.surroundings import own_environment
from tests.support.terminal import at_terminal


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


DIFF = "--- a.md\n+++ a.md\n@@ -1,2 +1,2 @@\n 一 one\n--- two\n+++ 二"
EFFECTS: list[tuple[Effect, dict[Language, str], list[tuple[str, str]]]] = [
    (
        Effect(kind="sends", target="POST https://example.com/", text='{"name": "小明"}'),
        {
            "en": "It sends POST https://example.com/ with this body:",
            "zh": "将发送 POST https://example.com/，正文如下：",
        },
        [('{"name": "小明"}', "")],
    ),
    (
        Effect(kind="sends", target="DELETE https://example.com/3"),
        {
            "en": "It sends DELETE https://example.com/3 without a body.",
            "zh": "将发送 DELETE https://example.com/3，没有正文。",
        },
        [],
    ),
    (
        Effect(kind="creates", target="a.md"),
        {"en": "It creates a.md, which does not exist yet.", "zh": "将新建 a.md（目前还不存在）。"},
        [],
    ),
    (
        Effect(kind="leaves", target="a.md"),
        {"en": "a.md has just this content already; it stays as it is.", "zh": "a.md 已经是这样的内容，不会改变。"},
        [],
    ),
    (
        Effect(kind="changes", target="a.md", text=DIFF),
        {"en": "It changes a.md, which exists already.", "zh": "将修改 a.md（已经存在）。"},
        list(zip(DIFF.splitlines(), ["dim", "dim", "dim", "", "red", "green"], strict=True)),
    ),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("effect", "said", "lines"), EFFECTS)
def test_what_a_call_would_do_is_said_in_both_languages(
    language: Language, effect: Effect, said: dict[Language, str], lines: list[tuple[str, str]]
) -> None:
    request = ApprovalRequest(step_id="s1", description="", tool="t", reason="", effect=[effect])
    told = [(f"  {said[language]}", "bold"), *((f"  │ {line}", style) for line, style in lines)]
    assert shown_effect(request, language) == told


@pytest.mark.parametrize(
    ("language", "note"), [("en", "… 8 of 10 lines left out …"), ("zh", "…… 共 10 行，省略 8 行 ……")]
)
def test_what_is_not_shown_of_an_effect_is_counted(language: Language, note: str) -> None:
    effect = Effect(kind="sends", target="POST https://example.com/", text="一\n二", left_out=8)
    request = ApprovalRequest(step_id="s1", description="", tool="t", reason="", effect=[effect])
    assert shown_effect(request, language)[-1] == (f"  {note}", "")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ('Save "oops" to notes.md', "  It changes notes.md, which exists already."),
        ("把“oops”写入 notes.md", "  将修改 notes.md（已经存在）。"),
        ('Replace the content of notes.md with "oops"', "  It changes notes.md, which exists already."),
        ("用“oops”覆盖 notes.md", "  将修改 notes.md（已经存在）。"),
    ],
)
def test_without_a_terminal_the_effect_is_told_in_plain_lines_and_as_data(
    invoke: Invoke, project: Path, question: str, said: str
) -> None:
    (project / "notes.md").write_text("买牛奶", encoding="utf-8")
    told = invoke("run", question)
    effect = [
        said,
        *(f"  │ {line}" for line in ("--- notes.md", "+++ notes.md", "@@ -1 +1 @@", "-买牛奶", "+oops")),
    ]
    assert [line for line in told.stderr.splitlines() if line.startswith("  ")][: len(effect)] == effect
    assert "\x1b" not in told.stderr
    [request] = json.loads(invoke("run", question, "--json").stdout)["waiting_for"]
    [effect] = request["effect"]
    assert (effect["kind"], effect["target"]) == ("changes", "notes.md")
    assert "-买牛奶\n+oops" in effect["text"]


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
    switchyard = [sys.executable, "-m", "switchyard"]
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
