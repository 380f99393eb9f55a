"""Every module of a folder is imported; a broken file is named and the others load."""

import sys
from pathlib import Path

import pytest

from switchyard.app.places import ROOT
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sources.native import Discovery, discover
from switchyard.tools.core.context import ToolContext

HEAD = "from switchyard import BaseToolParams, ToolContext, tool\n\n\nclass P(BaseToolParams):\n    label: str\n\n\n"

GOOD = (
    HEAD
    + '''@tool()
class CountWords:
    """Count words. 数词。

    More about it.
    """

    def execute(self, params: P) -> int:
        return len(params.label.split())
'''
)

BROKEN = {
    "syntax": ("x = 1\ndef broken(:\n    pass\n", "SyntaxError", 2),
    "missing_module": ("import os\n\nimport no_such_module_anywhere\n", "ModuleNotFoundError", 3),
    "raises": ("x = 1\n\n\nraise RuntimeError('坏了')\n", "RuntimeError: 坏了", 4),
    "exits": ("import sys\n\nsys.exit(3)\n", "SystemExit", 3),
    "no_docstring": (
        HEAD + "@tool()\nclass A:\n    def execute(self, params: P) -> int:\n        return 1\n",
        "A has no docstring",
        8,
    ),
    "no_params": (
        HEAD + '@tool()\nclass A:\n    """Do."""\n\n    def execute(self) -> int:\n        return 1\n',
        "takes no parameter model",
        8,
    ),
    "plain_params": (
        HEAD + '@tool()\nclass A:\n    """Do."""\n\n    def execute(self, label: str) -> int:\n        return 1\n',
        "'label' must be annotated",
        8,
    ),
    "no_execute": (HEAD + '@tool()\nclass A:\n    """Do."""\n', "A has no execute method", 8),
}


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def names(found: Discovery) -> list[str]:
    return [tool.spec.tool_id for tool in found.tools]


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_named_with_its_error(tmp_path: Path, kind: str) -> None:
    text, said, _ = BROKEN[kind]
    (broken,) = discover(write(tmp_path, **{kind: text})).broken
    assert broken.path.name == f"{kind}.py"
    assert said in broken.error


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_named_with_the_line(tmp_path: Path, kind: str) -> None:
    text, _, line = BROKEN[kind]
    (broken,) = discover(write(tmp_path, **{kind: text})).broken
    assert f"line {line})" in broken.error


def test_the_line_is_found_in_a_folder_given_by_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "mine", raises=BROKEN["raises"][0])
    monkeypatch.chdir(tmp_path)
    (broken,) = discover(Path("mine")).broken
    assert broken.error.endswith("(line 4)")


def test_a_syntax_error_tells_its_line_once(tmp_path: Path) -> None:
    (broken,) = discover(write(tmp_path, syntax=BROKEN["syntax"][0])).broken
    assert broken.error.count("line 2") == 1


@pytest.mark.parametrize("kind", BROKEN)
def test_the_other_files_load(tmp_path: Path, kind: str) -> None:
    assert names(discover(write(tmp_path, **{kind: BROKEN[kind][0]}, good=GOOD))) == ["count_words"]


def test_a_broken_file_leaves_no_module_behind(tmp_path: Path) -> None:
    before = set(sys.modules)
    discover(write(tmp_path, raises=BROKEN["raises"][0]))
    assert not [name for name in set(sys.modules) - before if name.endswith("raises")]


def test_a_tool_is_described_by_its_class(tmp_path: Path) -> None:
    (tool,) = discover(write(tmp_path, good=GOOD)).tools
    assert tool.spec.summary == "Count words. 数词。"
    assert tool.spec.details == "More about it."
    assert tool.spec.capabilities[0].parameters["required"] == ["label"]


def test_files_that_start_with_an_underscore_are_not_tools(tmp_path: Path) -> None:
    assert names(discover(write(tmp_path, _private=GOOD))) == []


BORROWING = "from ._words import label\n" + GOOD.replace("len(params.label.split())", "label()")


async def run_only(folder: Path) -> object:
    (tool,) = discover(folder).tools
    return (await tool.run(ToolRequest(tool.spec.tool_id, None, {"label": "一"}, ToolContext(workspace=folder)))).result


async def test_files_of_a_folder_import_each_other(tmp_path: Path) -> None:
    write(tmp_path, good=BORROWING, _words="def label():\n    return '标签'\n")
    assert await run_only(tmp_path) == "标签"


async def test_a_changed_file_that_others_import_is_read_again(tmp_path: Path) -> None:
    await run_only(write(tmp_path, good=BORROWING, _words="def label():\n    return 1\n"))
    write(tmp_path, _words="def label():\n    return 'another length'\n")
    assert await run_only(tmp_path) == "another length"


async def test_two_folders_have_helpers_of_one_name(tmp_path: Path) -> None:
    one = write(tmp_path / "one", good=BORROWING, _words="def label():\n    return 1\n")
    two = write(tmp_path / "two", good=BORROWING, _words="def label():\n    return 2\n")
    assert (await run_only(one), await run_only(two)) == (1, 2)


async def test_a_package_is_one_tool_whose_files_import_each_other(tmp_path: Path) -> None:
    write(tmp_path / "words", tool=BORROWING, __init__="", _words="def label():\n    return '标签'\n")
    assert await run_only(tmp_path) == "标签"


async def test_a_changed_file_of_a_package_is_read_again(tmp_path: Path) -> None:
    await run_only(write(tmp_path / "words", tool=BORROWING, _words="def label():\n    return 1\n").parent)
    write(tmp_path / "words", _words="def label():\n    return 'another length'\n")
    assert await run_only(tmp_path) == "another length"


@pytest.mark.parametrize("folder", ["_private", ".hidden", "no_tool/deeper"])
def test_other_folders_are_not_tools(tmp_path: Path, folder: str) -> None:
    write(tmp_path / folder, tool=GOOD)
    write(tmp_path / "no_tool", helper="raise RuntimeError('never imported')\n")
    assert discover(tmp_path) == Discovery()


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_package_is_named_with_its_line_and_the_others_load(tmp_path: Path, kind: str) -> None:
    text, said, line = BROKEN[kind]
    write(tmp_path / "bad", tool=text, __init__="")
    write(tmp_path / "words", tool=GOOD)
    found = discover(write(tmp_path, lines=GOOD.replace("CountWords", "CountLines")))
    assert names(found) == ["count_lines", "count_words"]
    (broken,) = found.broken
    assert broken.path == tmp_path / "bad" / "tool.py"
    assert said in broken.error
    assert f"line {line})" in broken.error


def test_a_package_that_breaks_in_another_file_is_named_with_the_line_that_imports_it(tmp_path: Path) -> None:
    write(tmp_path / "bad", tool="x = 1\nfrom . import _words\n", _words="raise RuntimeError('坏了')\n")
    (broken,) = discover(tmp_path).broken
    assert (broken.path.parent.name, broken.error) == ("bad", "RuntimeError: 坏了 (line 2)")


def test_a_file_without_a_tool_is_fine(tmp_path: Path) -> None:
    write(tmp_path / "empty", tool="x = 1\n")
    assert discover(write(tmp_path, plain="x = 1\n")) == Discovery()


def test_an_empty_folder_has_no_tools(tmp_path: Path) -> None:
    assert discover(tmp_path) == Discovery()


def test_a_tool_under_two_names_of_its_module_is_one_tool(tmp_path: Path) -> None:
    assert names(discover(write(tmp_path, good=GOOD + "\n\nOldName = CountWords\n"))) == ["count_words"]


def test_a_tool_imported_from_another_file_is_not_found_twice(tmp_path: Path) -> None:
    borrowed = "from switchyard.tools.calculate import Calculate\n\n__all__ = ['Calculate']\n"
    assert names(discover(write(tmp_path, borrowed=borrowed))) == []


def test_annotations_written_as_text_are_understood(tmp_path: Path) -> None:
    text = "from __future__ import annotations\n" + GOOD
    assert names(discover(write(tmp_path, good=text))) == ["count_words"]


def test_two_folders_with_equal_file_names_both_load(tmp_path: Path) -> None:
    one = write(tmp_path / "one", good=GOOD)
    two = write(tmp_path / "two", good=GOOD.replace("CountWords", "CountLines"))
    assert names(discover(one)) + names(discover(two)) == ["count_words", "count_lines"]


def test_what_is_known_of_other_folders_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hubs may open at once: what both would forget, one of them would not find any more."""
    elsewhere = str(tmp_path / "elsewhere")
    monkeypatch.setitem(sys.path_importer_cache, elsewhere, None)
    assert names(discover(write(tmp_path / "own", good=GOOD))) == ["count_words"]
    assert elsewhere in sys.path_importer_cache


async def test_a_users_own_tools_folder_shadows_none_of_ours(tmp_path: Path) -> None:
    mine = write(tmp_path / "tools", calculate=GOOD, __init__="", core="raise RuntimeError('not ours')\n")
    hub = ToolHub(skills=None, extra=[mine])
    await hub.open()
    assert hub.registry.get("calculate") is not None
    assert hub.registry.get("count_words") is not None
    file = sys.modules["switchyard.tools.calculate"].__file__
    assert file in {str(ROOT / "tools" / "calculate.py"), str(ROOT / "switchyard" / "tools" / "calculate.py")}


async def test_the_library_names_the_files_that_did_not_load(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine", good=GOOD, raises=BROKEN["raises"][0])
    hub = ToolHub(skills=None, extra=[mine])
    await hub.open()
    assert [broken.path.name for broken in hub.supply.broken()] == ["raises.py"]


async def test_a_users_tool_of_our_name_is_a_second_candidate(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine", calculate=GOOD.replace("CountWords", "Calculate"))
    hub = ToolHub(skills=None, extra=[mine])
    await hub.open()
    assert len(hub.registry.candidates("calculate")) == 2


async def test_a_found_tool_runs(tmp_path: Path) -> None:
    (tool,) = discover(write(tmp_path, good=GOOD)).tools
    result = await tool.run(
        ToolRequest(tool.spec.tool_id, None, {"label": "一 two 三"}, ToolContext(workspace=tmp_path))
    )
    assert result.result == 3
