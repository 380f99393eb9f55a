"""Every trial, in as many processes as there are cores."""

import asyncio
import importlib.util
import logging
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.convergence.endpoint import listening
from benchmarks.convergence.players import PLAYERS
from benchmarks.convergence.scenario import Scenario
from benchmarks.convergence.trials import RULES, MakePlayer, Trial, try_all
from benchmarks.measuring import clean_environment, progress

AT_ONCE = 4
"""Scenarios a process works on together: most of them wait now and then."""


def known_players(file: Path | None) -> dict[str, MakePlayer | None]:
    """The rules, our players, and those of a file, by name."""
    found: dict[str, MakePlayer | None] = {RULES: None, **PLAYERS}
    if file is not None:
        spec = importlib.util.spec_from_file_location("another_player", file)
        if spec is None or spec.loader is None:
            raise SystemExit(f"{file} is no Python file")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= module.PLAYERS
    return found


def measured(scenarios: Sequence[Scenario], names: Sequence[str], file: Path | None, *, baseline: bool) -> list[Trial]:
    """Every trial, in as many processes as there are cores."""
    cores = min(os.cpu_count() or 1, len(scenarios))
    if cores == 1:
        return _share(scenarios, names, file, baseline=baseline)
    shares = [scenarios[start :: 4 * cores] for start in range(4 * cores)]
    trials: list[Trial] = []
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = [pool.submit(_share, share, names, file, baseline=baseline) for share in shares if share]
        for done in as_completed(waiting):
            trials += done.result()
            progress(f"{len({one.scenario for one in trials})} of {len(scenarios)} scenarios")
    order = {scenario.name: number for number, scenario in enumerate(scenarios)}
    return sorted(trials, key=lambda trial: order[trial.scenario])


def _share(scenarios: Sequence[Scenario], names: Sequence[str], file: Path | None, *, baseline: bool) -> list[Trial]:
    clean = clean_environment()
    for name in set(os.environ) - set(clean):
        del os.environ[name]
    # what fails here is meant to fail, and standard output is the document's
    logging.getLogger("switchyard").setLevel(logging.CRITICAL)
    return asyncio.run(share(scenarios, {name: known_players(file)[name] for name in names}, baseline=baseline))


async def share(scenarios: Sequence[Scenario], players: dict[str, MakePlayer | None], *, baseline: bool) -> list[Trial]:
    """The trials of some scenarios, a few at once."""
    slots = asyncio.Semaphore(AT_ONCE)
    with listening() as endpoint, TemporaryDirectory() as folder:

        async def one(scenario: Scenario) -> list[Trial]:
            async with slots:
                return await try_all(scenario, players, endpoint, Path(folder), baseline=baseline)

        found = await asyncio.gather(*map(one, scenarios))
    return [trial for trials in found for trial in trials]
