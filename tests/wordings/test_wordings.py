"""Each row of a table beside this file is tested: how a question is worded, and what is read in it.

A row has three cells, parted by tabs: the reader (a name of `readers.py`, and what it is told beside the question), the
question, and what is found. Found is a text as it is, a number, `yes` or `no`, `-` for nothing, objects and lists as
JSON; an error is its name and its text. `…` stands for anything. A cell in double quotes is a JSON string: it may be
empty or begin with a space. Lines that begin with `#` are comments.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.wordings.readers import read

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Wording:
    """A row, and where it stands."""

    place: str
    reader: str
    question: str
    found: str


def table(path: Path) -> Iterator[Wording]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        assert len(cells) == 3, f"{path.name}:{number} has {len(cells)} cells, not 3"
        yield Wording(f"{path.stem}:{number}", *(json.loads(cell) if cell[:1] == '"' else cell for cell in cells))


def written(found: Any) -> str:
    """What a reader gave, as a cell says it."""
    if found is None:
        return "-"
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, dict | list):
        return json.dumps(found, ensure_ascii=False, sort_keys=True)
    return str(found)


def said(cell: str) -> str:
    """The cell as a pattern."""
    if cell[:1] in {"{", "["} and cell[:2] != "{{":  # two are a reference
        cell = written(json.loads(cell))
    return ".*".join(re.escape(part) for part in cell.split("…"))


TABLES = {path.stem: list(table(path)) for path in sorted(HERE.glob("*.tsv"))}
WORDINGS = [wording for rows in TABLES.values() for wording in rows]


@pytest.fixture(autouse=True)
def shanghai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")


async def fault(wording: Wording) -> str | None:
    """What is found where the row says something else; nothing where all is well."""
    try:
        found = written(await read(wording.reader, wording.question))
    except Exception as error:  # noqa: BLE001  whatever a reader raises: the rows behind it are read, too
        return f"{type(error).__name__}: {error}"
    return None if re.fullmatch(said(wording.found), found, re.DOTALL) else repr(found)


@pytest.mark.parametrize("name", TABLES)
async def test_a_question_is_read_as_its_row_says(name: str) -> None:
    faults = {wording: await fault(wording) for wording in TABLES[name]}  # one test a row would take longer than these
    wrong = [
        f"{wording.place} {wording.reader}: {wording.question}\n    {found}, not {wording.found!r}"
        for wording, found in faults.items()
        if found is not None
    ]
    assert not wrong, f"{len(wrong)} of {len(faults)} rows:\n" + "\n".join(wrong)


def narrowed(wording: Wording) -> Iterator[str]:
    """A question about rows with one more word before a value it is chosen by."""
    value = re.search(r" in (\w+)(?:;|$| and )", wording.found)
    if wording.reader == "rows" and value and wording.question.count(value[1]) == 1:
        extra = ("botched ", "purple ") if value[1].isascii() else ("搞砸了的", "紫色的")
        yield from (wording.question.replace(value[1], one + value[1]) for one in extra)


async def test_no_word_that_narrows_is_passed_over() -> None:
    questions = [question for wording in WORDINGS for question in narrowed(wording)]
    assert len(questions) > 50
    assert {question: found for question in questions if (found := await read("rows", question)) is not None} == {}


def test_no_row_stands_twice() -> None:
    rows = Counter((wording.reader, wording.question) for wording in WORDINGS)
    assert [row for row, times in rows.items() if times > 1] == []
