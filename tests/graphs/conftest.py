"""The bench of the execution tests."""

from pathlib import Path

import pytest

from tests.support.bench import Bench


@pytest.fixture
def bench(workspace: Path) -> Bench:
    return Bench(workspace)
