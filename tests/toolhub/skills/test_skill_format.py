"""The front matter of a SKILL.md: what is wrong is named with file, line and field; what is clear loads."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skills_ref import validate

from switchyard.toolhub.sources.skills.format import MAX_BYTES, Problem, Skill, read_skill
from switchyard.toolhub.sources.skills.source import check_skill
from tests.toolhub.skills.desk import write_skill

FULL = """\
name: pdf-forms
description: "Fills PDF forms: text, boxes. 填写 PDF 表单。"
license: Apache-2.0
compatibility: Requires Python 3.11 and network access
metadata:
  author: example-org
  version: "1.0"
allowed-tools: Bash(git:*) Bash(jq:*) Read\
"""


def read(tmp_path: Path, text: str | bytes, name: str = "mine") -> tuple[Skill | None, list[Problem]]:
    file = tmp_path / name / "SKILL.md"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_skill(file)


def good(tmp_path: Path, front: str, name: str = "mine") -> Skill:
    skill, _ = read(tmp_path, f"---\n{front}\n---\nbody 正文", name)
    assert skill is not None
    return skill


def test_every_field_of_the_format_is_read(tmp_path: Path):
    skill, problems = read(tmp_path, f"---\n{FULL}\n---\nDo it.", "pdf-forms")
    assert problems == []
    assert skill is not None
    assert (skill.name, skill.license) == ("pdf-forms", "Apache-2.0")
    assert skill.description == "Fills PDF forms: text, boxes. 填写 PDF 表单。"
    assert skill.compatibility == "Requires Python 3.11 and network access"
    assert skill.metadata == {"author": "example-org", "version": "1.0"}
    assert skill.allowed_tools == ("Bash(git:*)", "Bash(jq:*)", "Read")


@pytest.mark.parametrize(
    ("text", "line", "field", "said"),
    [
        ("", 1, None, "must begin with a line `---`"),
        ("# Title\n标题", 1, None, "must begin with a line `---`"),
        ("---\nname: mine\ndescription: x\n", 3, None, "is not closed"),
        ("---", 1, None, "is not closed"),
        ("---\n---\n", 1, "name", "is missing"),
        ("---\ndescription: x\n---\n", 1, "name", "is missing"),
        ("---\nname: mine\n---\n", 1, "description", "is missing"),
        ("---\nname: mine\ndescription:\n---\n", 3, "description", "is empty"),
        ('---\nname: mine\ndescription: "  "\n---\n', 3, "description", "must be text"),
        ("---\nname: mine\ndescription: [a, b]\n---\n", 3, "description", "must be text"),
        ("---\n# 说明\nname: ---\ndescription: x\n---\n", 3, "name", "lower-case letters"),
        (
            '---\nname: mine\ndescription: "never closed\nlicense: MIT\n---\n',
            3,
            "description",
            "cannot be read as YAML",
        ),
        (
            "---\nname: mine\ndescription: x\nallowed-tools:\n  read: yes\n---\n",
            4,
            "allowed-tools",
            "names with spaces",
        ),
        ("---\nname: mine\ndescription: x\nallowed-tools: [Read\n---\n", 4, "allowed-tools", "cannot be read as YAML"),
        ("---\nname：mine\ndescription: x\n---\n", 1, "name", "is missing"),
        (b"\x00\x01\x02---", 1, None, "is not text"),
    ],
)
def test_an_error_names_file_line_and_field(tmp_path: Path, text: str | bytes, line: int, field: str | None, said: str):
    skill, problems = read(tmp_path, text)
    fatal = [problem for problem in problems if problem.fatal]
    assert skill is None
    assert (fatal[0].path, fatal[0].line, fatal[0].field) == (tmp_path / "mine" / "SKILL.md", line, field)
    assert said in fatal[0].error
    assert f"line {line}" in fatal[0].error
    assert field is None or f"'{field}'" in fatal[0].error


def test_all_errors_are_told_at_once(tmp_path: Path):
    _, problems = read(tmp_path, "---\nname:\ndescription:\n---\n")
    assert [problem.field for problem in problems] == ["name", "description"]


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("description: Use it when: a PDF is named", "Use it when: a PDF is named"),
        ("description: 触发词: 会议, 纪要", "触发词: 会议, 纪要"),
        ("description:\n  Pairs with design: grill first,\n  then build", "Pairs with design: grill first, then build"),
        ("description: `code` first", "`code` first"),
        ("description: @someone 的技能", "@someone 的技能"),
    ],
)
def test_text_that_needed_quotes_is_taken_as_meant_and_reported(tmp_path: Path, front: str, description: str):
    skill, problems = read(tmp_path, f"---\nname: mine\n{front}\n---\nbody")
    assert skill is not None
    assert skill.description == description
    assert [(problem.field, problem.fatal) for problem in problems] == [("description", False)]
    assert problems[0].line == 3


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("description: >\n  folded\n  text 折叠", "folded text 折叠"),
        ("description: |-\n  one\n  two", "one\ntwo"),
        ("description: plain # a comment", "plain"),
        ("description: 'single ''quoted'''", "single 'quoted'"),
        ("description: goes on\n  below 下一行", "goes on below 下一行"),
        ("description: 2024", "2024"),
        ("description: yes", "yes"),
        ("description: http://a.example/b", "http://a.example/b"),
    ],
)
def test_text_in_every_form_of_yaml(tmp_path: Path, front: str, description: str):
    skill, problems = read(tmp_path, f"---\nname: mine\n{front}\n---\nbody")
    assert skill is not None
    assert skill.description == description
    assert problems == []


@pytest.mark.parametrize(
    "front",
    [
        "argument-hint: [file] [count]",
        "model: opus\ncontext: fork\nuser-invocable: true",
        "hooks:\n  stop:\n    - command: [a, {b: c}]",
        "metadata:\n  emoji: 🦞\n  nested: {requires: {bins: [git]}}",
        "作者: 张三",
        "version: 1.0\ntags:\n- a\n- b",
        "license: {odd: [1]}",
    ],
)
def test_what_others_add_is_tolerated(tmp_path: Path, front: str):
    assert good(tmp_path, f"name: mine\ndescription: 描述 x\n{front}").description == "描述 x"


@pytest.mark.parametrize("depth", [21, 5000])
def test_lists_in_lists_are_not_followed_for_ever(tmp_path: Path, depth: int):
    skill, problems = read(tmp_path, f"---\nname: mine\ndescription: {'[' * depth}深{']' * depth}\n---\nbody")
    assert skill is None
    assert [one.error for one in problems] == [
        "line 3, field 'description': cannot be read as YAML: it is nested too deeply."
    ]


@pytest.mark.parametrize(
    ("front", "allowed"),
    [
        ("allowed-tools: Read Grep", ("Read", "Grep")),
        ("allowed-tools: Read, Grep, Bash(python *)", ("Read", "Grep", "Bash(python *)")),
        ("allowed-tools: [Read, 'Grep']", ("Read", "Grep")),
        ("allowed-tools:\n- Read\n- mcp__time__*", ("Read", "mcp__time__*")),
        ("allowed-tools: *", ("*",)),
        ("allowed-tools:", ()),
        ('allowed-tools: "read_file"', ("read_file",)),
        ("license: MIT", None),
    ],
)
def test_allowed_tools_in_every_form(tmp_path: Path, front: str, allowed: tuple[str, ...] | None):
    assert good(tmp_path, f"name: mine\ndescription: x\n{front}").allowed_tools == allowed


@pytest.mark.parametrize(
    ("written", "name"),
    [("My Skill", "my-skill"), ("data_profile", "data-profile"), ("-a--b-", "a-b"), ("数据 概况", "数据-概况")],
)
def test_a_name_outside_the_rules_is_made_to_fit_and_reported(tmp_path: Path, written: str, name: str):
    skill, problems = read(tmp_path, f"---\nname: {written}\ndescription: x\n---\nbody")
    assert skill is not None
    assert skill.name == name
    assert [(problem.line, problem.field, problem.fatal) for problem in problems] == [(2, "name", False)]


@pytest.mark.parametrize(
    ("front", "field", "said"),
    [
        ("name: other\ndescription: x", "name", "not the name of its folder"),
        (f"name: mine\ndescription: {'长' * 1025}", "description", "1025 characters"),
        (f"name: mine\ndescription: x\ncompatibility: {'c' * 501}", "compatibility", "501 characters"),
        ("name: mine\nname: yours\ndescription: x", "name", "twice"),
        ("name: mine\ndescription: x\nallowed_tools: Read", "allowed_tools", "did you mean 'allowed-tools'"),
        ("name: mine\ndescription: x\nmetadata: text", "metadata", "key: value"),
    ],
)
def test_what_strays_from_the_format_is_reported_and_loads(tmp_path: Path, front: str, field: str, said: str):
    skill, problems = read(tmp_path, f"---\n{front}\n---\nbody")
    assert skill is not None
    assert [(problem.field, problem.fatal) for problem in problems] == [(field, False)]
    assert said in problems[0].error


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_encodings_and_line_ends(tmp_path: Path, end: str, encoding: str):
    text = end.join(["---", "name: mine", "description: 描述", "---", "", "# 步骤", "---", "完"])
    skill, problems = read(tmp_path, text.encode(encoding))
    assert skill is not None
    assert (skill.description, skill.instructions(), problems) == ("描述", "# 步骤\n---\n完", [])


def test_a_line_in_the_text_that_begins_like_a_fence_closes_nothing(tmp_path: Path):
    assert good(tmp_path, "name: mine\ndescription: >\n  a\n  --- b").description == "a --- b"


def test_only_the_front_matter_is_read_at_first(tmp_path: Path):
    body = b"\xff\xfe\x00 not text at all " + b"x" * MAX_BYTES
    skill, problems = read(tmp_path, b"---\nname: mine\ndescription: x\n---\n" + body)
    assert skill is not None
    assert problems == []
    (problem,) = check_skill(tmp_path / "mine")
    assert "1.0 MB" in problem.error


def test_the_instructions_are_those_of_the_moment(tmp_path: Path):
    skill, _ = read_skill(write_skill(tmp_path, "mine", "old 旧") / "SKILL.md")
    assert skill is not None
    skill.file.write_text(skill.file.read_text(encoding="utf-8").replace("old 旧", "new 新"), encoding="utf-8")
    assert skill.instructions() == "new 新"


def test_front_matter_that_never_ends_is_not_read_whole(tmp_path: Path):
    with (tmp_path / "SKILL.md").open("wb") as file:
        file.write(b"---\nname: mine\n")
        file.truncate(3_000_000_000)
    skill, problems = read_skill(tmp_path / "SKILL.md")
    assert skill is None
    assert problems[0].fatal


@pytest.mark.parametrize(
    "front",
    [
        "description: &a [*a]",
        "metadata: &a\n  x: *a",
        "description: " + "[" * 5000,
        "metadata:\n" + "\n".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)),
        "description: !!python/object/apply:os.system ['true']",
    ],
)
def test_yaml_that_does_harm_elsewhere_is_only_text_here(tmp_path: Path, front: str):
    _, problems = read(tmp_path, f"---\nname: mine\n{front}\n---\nbody")
    assert all(problem.line and problem.line >= 1 for problem in problems)


@pytest.mark.parametrize("front", ["", "name: mine\ndescription: "])
@given(text=st.text(alphabet=st.sampled_from("ab名:：-[]{}\"'|>#&*!%@`, \t\n\r\\0"), max_size=80))
def test_no_front_matter_raises(front: str, text: str):
    with tempfile.TemporaryDirectory() as folder:  # a fixture would be shared by all examples
        file = Path(folder) / "SKILL.md"
        file.write_text(f"---\n{front}{text}\n---\nbody", encoding="utf-8", newline="")
        skill, problems = read_skill(file)
    assert (skill is None) == any(problem.fatal for problem in problems)


@pytest.mark.parametrize(
    "front",
    [
        FULL,
        "name: mine\ndescription: x",
        "name: 我的-技能\ndescription: 描述",
        "name: mine\ndescription: >-\n  folded\n  描述",
        "name: My Skill\ndescription: x",
        "name: mine\ndescription: ''",
        "name: mine",
        "description: x",
        f"name: mine\ndescription: {'d' * 1025}",
        f"name: {'n' * 65}\ndescription: x",
        f"name: mine\ndescription: x\ncompatibility: {'c' * 501}",
    ],
)
def test_the_reference_validator_agrees(tmp_path: Path, front: str):
    name = next((line[6:] for line in front.splitlines() if line.startswith("name: ")), "mine")
    folder = write_skill(tmp_path, name, front=front)
    ours = [problem for problem in check_skill(folder) if problem.field != "allowed-tools"]  # it knows no tools
    assert bool(ours) == bool(validate(folder))


def test_a_folder_without_the_file_is_told(tmp_path: Path):
    (problem,) = check_skill(tmp_path)
    assert (problem.path, problem.fatal) == (tmp_path, True)
    assert "no SKILL.md" in problem.error


def test_instructions_that_are_not_there_are_told(tmp_path: Path):
    (problem,) = check_skill(write_skill(tmp_path, "mine", body=""))
    assert "no instructions" in problem.error
    assert not problem.fatal
