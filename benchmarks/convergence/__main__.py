"""How a run gets to its answer when things go wrong: scenarios with faults, asked with every player.

    python -m benchmarks.convergence [--json] [--scenarios DIR] [--player FILE] [--only NAME] [--players a,b]

Each scenario is asked by rules and with models that scripts play over HTTP, twice with the same memory, and of
`langchain.agents.create_agent` with the same player and the same tools. What a scenario is, and how others are written:
`scenario.py`; what a player is: `players.py`.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.convergence.measures import document, print_tables
from benchmarks.convergence.players import PLAYERS
from benchmarks.convergence.running import known_players, measured
from benchmarks.convergence.scenario import DATA, load
from benchmarks.convergence.trials import RULES, create_agent_is_there
from benchmarks.measuring import progress


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.convergence", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object with every trial")
    parser.add_argument("--scenarios", type=Path, default=DATA, help="a folder with scenarios instead of ours")
    parser.add_argument("--player", type=Path, help="a Python file with another player")
    parser.add_argument("--only", help="scenarios whose name has this in it")
    parser.add_argument("--players", help=f"some of {RULES}, {', '.join(PLAYERS)} or those of the file")
    parser.add_argument("--no-baseline", action="store_true", help="without create_agent")
    parser.add_argument("--show", action="store_true", help="show each trial that is not as it should be")
    chosen = parser.parse_args()
    scenarios = [one for one in load(chosen.scenarios) if not chosen.only or chosen.only in one.name]
    if not scenarios:
        parser.error("no such scenario")
    known = known_players(chosen.player)
    names = chosen.players.split(",") if chosen.players else list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no such player: {', '.join(unknown)}; there are {', '.join(known)}")
    baseline = not chosen.no_baseline
    if baseline and not create_agent_is_there():
        progress("create_agent is left out: LangChain is not installed (pip install langchain)")
        baseline = False
    trials = measured(scenarios, names, chosen.player, baseline=baseline)
    if chosen.json:
        print(document(trials))
    else:
        print_tables(trials, show=chosen.show)


if __name__ == "__main__":
    sys.exit(main())
