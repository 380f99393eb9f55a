"""Every native tool is described for people of both languages."""

import re
import subprocess
import sys

import pytest

from switchyard.app.places import ROOT
from switchyard.toolhub.calling.arguments import SchemaCheck
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core import ToolCapability, ToolSpec

_HAN = re.compile("[\u4e00-\u9fff]")
SPECS = {found.spec.tool_id: found.spec for found in discover(ROOT / "tools", "switchyard.tools").tools}
OPERATIONS = [
    pytest.param(spec, operation, id=f"{spec.tool_id}-{operation.name}")
    for spec in SPECS.values()
    for operation in spec.capabilities
]


def in_both_languages(words: tuple[str, ...]) -> bool:
    return any(_HAN.search(word) for word in words) and any(not _HAN.search(word) for word in words)


def test_every_file_of_the_folder_gives_the_tool_of_its_name() -> None:
    files = {file.stem for file in (ROOT / "tools").glob("*.py") if not file.stem.startswith("_")}
    packages = {file.parent.name for file in (ROOT / "tools").glob("*/tool.py")}
    assert set(SPECS) == files | packages


def test_the_extras_that_tools_work_with_are_loaded_when_they_work() -> None:
    heavy = {"duckdb", "playwright", "pydantic_monty", "selectolax"}
    files = [file for file in (ROOT / "tools").rglob("*.py") if file.stem not in {"__init__", "reader", "worker"}]
    modules = [".".join(("switchyard", *file.relative_to(ROOT).with_suffix("").parts)) for file in files]
    program = f"import sys, {', '.join(sorted(modules))}; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_words_of_both_languages_describe_a_tool(spec: ToolSpec) -> None:
    assert in_both_languages(spec.tags)
    assert in_both_languages(spec.capability_tags)
    assert spec.summary.endswith(".")


@pytest.mark.parametrize(("spec", "operation"), OPERATIONS)
def test_every_operation_has_examples_and_answers_in_both_languages(spec: ToolSpec, operation: ToolCapability) -> None:
    own = spec.for_action(operation.name)
    assert in_both_languages(own.asked)
    assert own.returns
    assert set(own.answers) == {"en", "zh"}
    assert set(re.findall(r"\{(\w+)\}", own.answers["en"])) == set(re.findall(r"\{(\w+)\}", own.answers["zh"]))
    assert all(name in own.returns for name in re.findall(r"\{(\w+)\}", own.answers["en"]))


@pytest.mark.parametrize(("spec", "operation"), OPERATIONS)
def test_every_operation_has_a_call_that_it_takes(spec: ToolSpec, operation: ToolCapability) -> None:
    assert operation.examples
    for example in operation.examples:
        assert SchemaCheck(spec.tool_id, operation.parameters).checked(dict(example)) == example


def test_a_person_is_asked_before_what_changes_or_sends() -> None:
    asking = {
        (spec.tool_id, operation.name)
        for spec in SPECS.values()
        for operation in spec.capabilities
        if spec.for_action(operation.name).asks_first
    }
    assert {tool for tool, _ in asking} == {
        "api_caller",
        "file_processor",
        "use_browser",
        "write_to_file",
    }
    assert ("file_processor", "count") not in asking
    assert ("file_processor", "merge") in asking
