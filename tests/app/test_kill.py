"""A run survives a killed process: no finished step runs twice, no writing step is repeated blindly (R1.5)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.killing import QUESTIONS
from tests.support.surroundings import own_environment

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = {labels[-1] for labels in QUESTIONS.values()}
SIGHTS = {
    *("event: run", "event: plan", "event: assignments", "event: step running", "event: step done"),
    *("event: verdicts", "event: decision", "event: answer"),
    *("before a row: started", "after a row: started", "before a row: finished", "after a row: finished"),
    "a call under way",
}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Runs killed at all that is seen of them, and resumed."""
    folder = tmp_path_factory.mktemp("kills")
    clean = own_environment(folder)
    command = [sys.executable, "-m", "tests.support.killing", str(folder / "trials")]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_kills_fell_before_during_and_after_the_calls(trials: list[dict[str, Any]], question: str) -> None:
    stops = [stop for trial in trials if trial["question"] == question for stop in trial["stops"]]
    assert {stop["sight"] for stop in stops} == SIGHTS
    assert {len(stop["finished"]) for stop in stops} >= {0, 2, 3, 4}
    assert any(stop["started"] for stop in stops)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_kills_fell_into_resumed_runs_too(trials: list[dict[str, Any]], question: str) -> None:
    again = [stop for trial in trials if trial["question"] == question for stop in trial["stops"][1:]]
    assert {"event: plan", "event: assignments", "a call under way"} <= {stop["sight"] for stop in again}
    assert {0, 2} <= {len(stop["finished"]) for stop in again}


def test_no_finished_step_runs_twice(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        for stop in trial["stops"]:
            for label in stop["finished"]:
                assert trial["starts"][label] == stop["starts"][label], trial


def test_a_writing_step_never_runs_twice(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert all(count == 1 for label, count in trial["starts"].items() if label in WRITTEN), trial


def test_a_writing_step_that_was_under_way_is_put_to_the_user(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert trial["waited"] == bool(trial["stops"][-1]["started"]), trial
        assert set(trial["stops"][-1]["started"]) <= WRITTEN, trial


def test_every_run_is_finished_by_its_resume(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert set(trial["done"]) - WRITTEN == set(QUESTIONS[trial["question"]]) - WRITTEN, trial
        assert trial["status"] == ("partial" if trial["waited"] else "answered"), trial


def test_the_database_is_never_damaged(trials: list[dict[str, Any]]) -> None:
    for trial in trials:
        assert trial["check"] == ["ok"], trial
