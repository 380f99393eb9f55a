"""The notebooks run from top to bottom without a key, and show what is stored in them."""

from pathlib import Path
from typing import Any, cast

import nbformat
import pytest

from tests.support.notebooks import FOLDER, run, shown

NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
LARGEST = 60_000
"""Bytes of a notebook with what it shows."""


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_shows_what_is_stored_in_it(name: str, tmp_path: Path) -> None:
    stored = cast("Any", nbformat).read(FOLDER / name, as_version=4)
    assert shown(run(name, tmp_path)) == shown(stored)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_a_notebook_shows_is_small_has_pictures_and_names_no_machine(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert len(text) < LARGEST
    assert "image/png" in text
    assert "Traceback" not in text
    assert not [word for word in ("/tmp", "/home/", "/root", "site-packages") if word in text]  # noqa: S108  not to be in it


def test_there_are_three() -> None:
    assert [name[:2] for name in NOTEBOOKS] == ["01", "02", "03"]
