"""The benchmark of convergence runs: a scenario with every player, in both languages, and create_agent beside them."""

from pathlib import Path
from random import Random

import pytest

from benchmarks.convergence.endpoint import listening
from benchmarks.convergence.measures import document, figures, measures
from benchmarks.convergence.running import known_players
from benchmarks.convergence.scenario import load
from benchmarks.convergence.trials import BROKEN, RULES, Trial, try_all
from benchmarks.parallel import critical_path, random_plan

PLAYERS = {RULES, "stubborn", "lazy", "sloppy", "sensible"}
ANOTHER = """
from benchmarks.convergence.players import Sensible


class Silent(Sensible):
    def answer(self, prompt):
        return prompt.closed("", [])


PLAYERS = {"silent": Silent}
"""


async def tried(name: str, folder: Path, players: set[str], *, file: Path | None = None) -> list[Trial]:
    scenario = next(one for one in load() if one.name == name)
    known = {player: make for player, make in known_players(file).items() if player in players}
    with listening() as endpoint:
        return await try_all(scenario, known, endpoint, folder, baseline=True)


@pytest.mark.parametrize("name", ["count-goes-well-en", "count-goes-well-zh"])
async def test_every_player_plays_a_plan_that_goes_well(tmp_path: Path, name: str) -> None:
    trials = await tried(name, tmp_path, PLAYERS)
    assert not [trial.broke for trial in trials if trial.broke]
    ours = {trial.player: trial for trial in trials if trial.engine == "ours"}
    assert set(ours) == {*PLAYERS, BROKEN}
    assert {trial.player for trial in trials if trial.engine == "create_agent"} == PLAYERS - {RULES}
    assert ours["sensible"].right
    assert ours["sensible"].asked == ["plan"]  # the rules read it too: theirs is the plan, and the wording
    assert ours["sensible"].calls[0].tool == "file_processor"
    assert all(trial.right for trial in trials if trial.engine == "create_agent")


@pytest.mark.parametrize("name", ["counter-moved-en", "counter-moved-zh"])
async def test_a_fault_is_met_counted_and_judged(tmp_path: Path, name: str) -> None:
    trials = await tried(name, tmp_path, {"stubborn", "sensible"})
    theirs = {trial.player: trial for trial in trials if trial.engine == "create_agent"}
    assert theirs["sensible"].right
    assert [call.failed for call in theirs["sensible"].calls] == [True, False]
    assert len(theirs["stubborn"].calls) > 10
    assert len(theirs["stubborn"].repeated) == len(theirs["stubborn"].calls) - 1
    first, second = [trial for trial in trials if trial.engine == "ours" and trial.player == "sensible"]
    assert (first.run, second.run) == (1, 2)
    assert first.right
    assert not first.repeated
    names = [measure.name for measure in measures(trials)]
    assert any(measure.startswith("a.social-count") for measure in names)
    assert {one.engine for one in figures(trials)} == {"ours", "create_agent"}
    assert '"trials"' in document(trials)


async def test_another_player_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "another.py"
    file.write_text(ANOTHER, encoding="utf-8")
    trials = await tried("count-goes-well-zh", tmp_path / "work", {"silent"}, file=file)
    assert trials[0].player == "silent"
    assert "plan" in trials[0].asked


def test_the_scenarios_are_many_and_half_chinese() -> None:
    scenarios = load()
    assert len(scenarios) >= 80
    chinese = [one for one in scenarios if one.lang == "zh"]
    assert len(chinese) * 2 == len(scenarios)
    for one in scenarios:
        assert one.says or one.writes or not one.reachable, one.name
        assert one.reachable or one.tried, one.name


def test_a_critical_path_is_the_longest_way() -> None:
    tasks = random_plan(Random(1), 20)  # noqa: S311  nothing is secret
    assert max(task.ms for task in tasks) <= critical_path(tasks) <= sum(task.ms for task in tasks)
