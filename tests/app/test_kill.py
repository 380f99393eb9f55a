"""A run survives a killed process: no finished step runs twice, no writing step is repeated blindly (R1.5)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.surroundings import own_environment

TRIALS = 50
ROOT = Path(__file__).resolve().parents[2]
FRUIT = ({"apple", "pear", "plum"}, {"苹果", "梨", "李子"})
WRITTEN = {"letter", "信件"}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Fifty runs killed at random moments and resumed."""
    folder = tmp_path_factory.mktemp("kills")
    clean = own_environment(folder)
    command = [sys.executable, "-m", "tests.support.killing", str(folder), str(TRIALS), "20261116"]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_kills_really_fell_in_the_middle(trials: list[dict[str, Any]]) -> None:
    assert len(trials) == TRIALS
    partly = [trial for trial in trials if trial["killed"] and 0 < len(trial["before"]["finished"]) < len(FRUIT[0]) + 1]
    assert partly
    assert sum(trial["killed"] for trial in trials) >= TRIALS // 2


def test_no_finished_step_runs_twice(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        for label in trial["before"]["finished"]:
            assert trial["after"]["starts"][label] == trial["before"]["starts"][label], trial


def test_a_writing_step_never_runs_twice(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert all(count == 1 for label, count in trial["after"]["starts"].items() if label in WRITTEN), trial


def test_a_writing_step_that_was_under_way_is_put_to_the_user(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert trial["waited"] == bool(trial["before"]["started"]), trial
        assert set(trial["before"]["started"]) <= WRITTEN, trial


def test_every_run_is_finished_by_its_resume(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert set(trial["done"]) - WRITTEN in FRUIT, trial
        assert trial["status"] == ("partial" if trial["waited"] else "answered"), trial
