"""Where the skills of a test are, and a file to use them on."""

from pathlib import Path

import pytest


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    return tmp_path / "skills"


@pytest.fixture
def notes(workspace: Path) -> Path:
    file = workspace / "notes.txt"
    file.write_text("alpha 你好", encoding="utf-8")
    return file
