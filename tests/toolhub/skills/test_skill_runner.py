"""A skill at work: its own loop with a model over real HTTP, real tools in a real workspace."""

from pathlib import Path

import pytest

from switchyard.ledger.options import RunOptions
from tests.support.endpoint import Endpoint
from tests.toolhub.skills.desk import call, finish, mine, open_desk, read, run, turns, use, write_skill

WRITER = '''
from switchyard.tools.core import BaseToolParams, ToolContext, tool


class P(BaseToolParams):
    text: str


@tool(writes=True)
class Stamp:
    """Write a stamp. 盖章。"""

    def execute(self, params: P, context: ToolContext) -> str:
        (context.workspace / "stamp.txt").write_text(params.text, encoding="utf-8")
        return "stamped"
'''
LANGUAGES = {
    "en": ("Count the words of notes.txt", "It has 3 words."),
    "zh": ("数一数 notes.txt 的字数", "共有3个词。"),
}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_tools_are_called_and_the_answer_comes_back(
    endpoint: Endpoint, workspace: Path, skills: Path, notes: Path, language: str
):
    task, answer = LANGUAGES[language]
    mine(skills, "read_file", "Read the file, then count. 先读再数。")
    replies = turns(call("read_file", path="notes.txt"), finish(answer))
    result, desk = await use(endpoint, workspace, skills, replies, task=task)
    assert result.success, result.error
    assert result.result == {"answer": answer, "tools": ["read_file"], "not_done": []}
    assert (result.meta.source, result.meta.sources) == ("skill", ["notes.txt"])
    assert desk.calls == [("read_file", {"path": "notes.txt"})]
    first, second = endpoint.prompts("skill")
    assert "Read the file, then count. 先读再数。" in first
    assert task in first
    assert "alpha 你好" not in first
    assert "alpha 你好" in second


async def test_an_answer_may_be_a_list_or_an_object(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "read_file")
    items = [{"action": "写初稿", "owner": None}]
    result, _ = await use(endpoint, workspace, skills, turns(finish(items)))
    assert result.result["answer"] == items


async def test_a_single_move_without_the_list_around_it_is_taken(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "read_file")
    result, _ = await use(endpoint, workspace, skills, ["```json\n" + '{"do": "finish", "answer": "好"}' + "\n```"])
    assert result.result["answer"] == "好"


async def test_several_moves_are_made_in_one_turn(endpoint: Endpoint, workspace: Path, skills: Path, notes: Path):
    mine(skills, "Read list_dir", references__guide_dot_md="the guide 指南")
    replies = turns([call("Read", path="notes.txt"), call("list_dir"), read("references/guide.md")], finish("ok"))
    result, desk = await use(endpoint, workspace, skills, replies)
    assert result.result["tools"] == ["read_file", "list_dir"]
    assert [name for name, _ in desk.calls] == ["read_file", "list_dir"]
    assert "the guide 指南" in endpoint.prompts("skill")[1]


async def test_an_answer_beside_other_moves_waits_for_what_they_give(
    endpoint: Endpoint, workspace: Path, skills: Path, notes: Path
):
    mine(skills, "read_file")
    replies = turns([call("read_file", path="notes.txt"), finish("made up 编的")], finish("alpha"))
    result, _ = await use(endpoint, workspace, skills, replies)
    assert result.result["answer"] == "alpha"


async def test_files_of_the_skill_are_named_first_and_read_when_asked_for(
    endpoint: Endpoint, workspace: Path, skills: Path
):
    mine(skills, "read_file", references__guide_dot_md="the guide 指南")
    await use(endpoint, workspace, skills, turns(read("./references/guide.md"), finish("ok")))
    first, second = endpoint.prompts("skill")
    assert "references/guide.md" in first
    assert "the guide 指南" not in first
    assert "the guide 指南" in second


@pytest.mark.parametrize("linked", [False, True])
async def test_a_skill_is_used_from_wherever_it_was_found(
    endpoint: Endpoint, workspace: Path, skills: Path, monkeypatch: pytest.MonkeyPatch, *, linked: bool
):
    place = mine(skills, "read_file", references__guide_dot_md="the guide 指南")
    found = skills.with_name("found")
    found.mkdir()
    (found / "mine").symlink_to(place, target_is_directory=True)
    monkeypatch.chdir(skills.parent)
    endpoint.script(skill=turns(read("references/guide.md"), finish("ok")))
    async with open_desk(workspace, endpoint.url, skills=[Path("found" if linked else "skills")]) as desk:
        monkeypatch.chdir(workspace)
        await desk.use("mine", "读指南")
    first, second = endpoint.prompts("skill")
    assert "Files of the skill: references/guide.md\n" in first
    assert "the guide 指南" in second


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", "link.txt", "references", "none.md", "~", "a\0b"])
async def test_no_other_file_is_read(endpoint: Endpoint, workspace: Path, skills: Path, path: str):
    place = mine(skills, "read_file", references__guide_dot_md="guide")
    (skills / "outside.txt").write_text("PRIVATE 私密", encoding="utf-8")
    (place / "link.txt").symlink_to(skills / "outside.txt")
    await use(endpoint, workspace, skills, turns(read(path), finish("ok")))
    second = endpoint.prompts("skill")[1]
    assert "is not a file of this skill; its files: references/guide.md" in second
    assert "PRIVATE" not in second
    assert "root:" not in second


async def test_only_allowed_tools_are_called(endpoint: Endpoint, workspace: Path, skills: Path, notes: Path):
    mine(skills, "list_dir")
    result, desk = await use(endpoint, workspace, skills, turns(call("read_file", path="notes.txt"), finish("无")))
    assert desk.calls == []
    assert result.result["tools"] == []
    first, second = endpoint.prompts("skill")
    assert "list_dir: " in first
    assert "read_file: " not in first
    assert "'read_file' is not a tool of this skill; its tools: list_dir" in second


async def test_allowed_tools_that_are_not_there_are_named(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "Read Task mcp__nowhere__now Bash(git:*)")
    await use(endpoint, workspace, skills, turns(finish("ok")))
    assert "not there: Task, mcp__nowhere__now, Bash(git:*)" in endpoint.prompts("skill")[0]


async def test_a_skill_that_names_no_tools_gets_those_that_suit_the_task(
    endpoint: Endpoint, workspace: Path, skills: Path, notes: Path
):
    write_skill(skills, "mine")
    replies = turns(call("read_file", path="notes.txt"), call("calculate", expression="2*3"), finish("ok"))
    _, desk = await use(endpoint, workspace, skills, replies, task="read the file notes.txt 读文件")
    assert "read_file: " in endpoint.prompts("skill")[0]
    assert [name for name, _ in desk.calls] == ["read_file", "calculate"]


async def test_a_failure_is_shown_and_the_skill_goes_on(endpoint: Endpoint, workspace: Path, skills: Path, notes: Path):
    mine(skills, "read_file")
    replies = turns(call("read_file", path="note.txt"), call("read_file", path="notes.txt"), finish("ok"))
    result, _ = await use(endpoint, workspace, skills, replies)
    assert result.success
    assert "failed (not_found): 'note.txt' does not exist" in endpoint.prompts("skill")[1]


async def test_a_writing_tool_nobody_approved_is_refused_and_named(
    endpoint: Endpoint, workspace: Path, skills: Path, tmp_path: Path
):
    mine(skills, "stamp")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "stamp.py").write_text(WRITER, encoding="utf-8")
    endpoint.script(skill=turns(call("stamp", text="章"), finish("not stamped 未盖章")))
    async with open_desk(workspace, endpoint.url, skills=[skills], tools=[tmp_path / "tools"]) as desk:
        result = await desk.use("mine", "盖章")
    assert not (workspace / "stamp.txt").exists()
    assert result.result["not_done"] == [{"tool": "stamp", "arguments": {"text": "章"}}]
    first, second = endpoint.prompts("skill")
    assert "Refused unless it was approved beforehand." in first
    assert "stamp needs a person's approval" in second


async def test_a_writing_tool_that_is_approved_is_called(
    endpoint: Endpoint, workspace: Path, skills: Path, tmp_path: Path
):
    mine(skills, "stamp")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "stamp.py").write_text(WRITER, encoding="utf-8")
    endpoint.script(skill=turns(call("stamp", text="章"), finish("stamped")))
    options = RunOptions(auto_approve=True)
    async with open_desk(workspace, endpoint.url, skills=[skills], tools=[tmp_path / "tools"], options=options) as desk:
        result = await desk.use("mine", "盖章")
    assert (workspace / "stamp.txt").read_text(encoding="utf-8") == "章"
    assert result.result["not_done"] == []


async def test_every_call_has_a_key_of_its_own(endpoint: Endpoint, workspace: Path, skills: Path):
    mine(skills, "write_to_file")
    writes = [call("write_to_file", path="log.txt", content=text, mode="append") for text in ("一\n", "二\n", "一\n")]
    endpoint.script(skill=turns(*writes, finish("ok")))
    async with open_desk(workspace, endpoint.url, skills=[skills], options=RunOptions(auto_approve=True)) as desk:
        result = await desk.use("mine", "写日志", idempotency_key="run:s1")
    assert result.success
    assert (workspace / "log.txt").read_text(encoding="utf-8") == "一\n二\n"


async def test_a_script_is_run_in_the_workspace(endpoint: Endpoint, workspace: Path, skills: Path, notes: Path):
    counts = "import sys\nprint('字数', len(open(sys.argv[1], encoding='utf-8').read()))"
    mine(skills, "run_script", scripts__count_dot_py=counts)
    result, _ = await use(endpoint, workspace, skills, turns(run("scripts/count.py", "notes.txt"), finish("8")))
    assert "exit code 0\n字数 8" in endpoint.prompts("skill")[1]
    assert result.result["tools"] == ["run_script"]


@pytest.mark.parametrize(
    "case",
    [
        ("read_file", "scripts/a.py", "no script that it allows itself to run"),
        ("run_script", "scripts/a.sh", "only those are run"),
        ("run_script", "../other.py", "is not a file of this skill"),
    ],
)
async def test_no_other_script_is_run(endpoint: Endpoint, workspace: Path, skills: Path, case: tuple[str, str, str]):
    tools, path, said = case
    writes = "open('ran', 'w')"
    mine(skills, tools, scripts__a_dot_py=writes, scripts__a_dot_sh="touch ran")
    (skills / "other.py").write_text("", encoding="utf-8")
    await use(endpoint, workspace, skills, turns(run(path), finish("ok")))
    assert said in endpoint.prompts("skill")[1]
    assert not (workspace / "ran").exists()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_without_a_model_a_skill_says_that_it_needs_one(workspace: Path, skills: Path, language: str):
    mine(skills, "read_file")
    async with open_desk(workspace, skills=[skills]) as desk:
        result = await desk.use("mine", LANGUAGES[language][0])
    assert not result.success
    assert result.error_type == "not_found"
    assert "'mine' works with a model, and this run has none" in str(result.error)
