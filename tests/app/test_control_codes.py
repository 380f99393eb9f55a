"""What a file, a tool or a model says moves no cursor and turns no text around, whichever way it is printed."""

import json
import unicodedata
from pathlib import Path

import pytest

from tests.app.conftest import Invoke
from tests.support.endpoint import Endpoint

HOSTILE = "红\x9b31m色 \u202egnp.exe \u2066x\u2069 \x1b[2J end 完"
READ = ("tools", "run", "read_file", '{"path": "t.txt"}')


def codes(text: str) -> set[str]:
    """The characters in a text that steer how it is shown."""
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return {
        one
        for one in text
        if (unicodedata.category(one) == "Cc" and one not in "\t\n") or unicodedata.bidirectional(one) in turning
    }


@pytest.fixture
def hostile(project: Path) -> None:
    """A text file full of codes."""
    (project / "t.txt").write_text(HOSTILE + "\n", encoding="utf-8")


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "arguments",
    [
        READ,
        (*READ, "--json"),
        ("run", "Read t.txt"),
        ("run", "读一下 t.txt", "--json"),
        ("run", "读一下 t.txt", "--stream"),
    ],
)
def test_no_code_of_a_file_is_printed(invoke: Invoke, arguments: tuple[str, ...]) -> None:
    done = invoke(*arguments)
    assert "end 完" in done.stdout
    assert not codes(done.stdout + done.stderr)


@pytest.mark.usefixtures("hostile")
def test_who_reads_the_json_gets_the_text_as_it_is(invoke: Invoke) -> None:
    assert json.loads(invoke(*READ).stdout)["text"].strip() == HOSTILE


@pytest.mark.parametrize("arguments", [(), ("--trace",)])
def test_no_code_of_a_model_is_printed(
    invoke: Invoke, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    endpoint.script(plan=[{"answer": HOSTILE}])
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    done = invoke("run", f"问候 {HOSTILE}", *arguments)
    assert "end 完" in done.stdout
    assert not codes(done.stdout + done.stderr)
