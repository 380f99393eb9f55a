"""`python -m benchmarks [NAME] [--json]`: one table of what was measured against what was wanted."""

import argparse
import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import cast

from pydantic import TypeAdapter

from benchmarks.measuring import Line, progress

NAMES = ("graph_overhead", "startup", "hub", "soak")
HEADS = ("name", "ours", "reference", "ratio", "wanted", "met")


def main() -> None:
    """Run one benchmark or all; a slow result is a result, only a broken benchmark is an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=NAMES, help="one benchmark; all when left out")
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of a table")
    chosen = parser.parse_args()
    if chosen.name:
        lines = cast("list[Line]", importlib.import_module(f"benchmarks.{chosen.name}").run())
    else:
        lines = [line for name in NAMES for line in _apart(name)]
    if chosen.json:
        print(json.dumps([line.model_dump() for line in lines], ensure_ascii=False, indent=2))
    else:
        print_table([HEADS, *map(_cells, lines)])
        for line in lines:
            progress(f"{line.name}: {line.note}")


def _apart(name: str) -> list[Line]:
    """A benchmark in a process of its own: what another left in memory would be in its figures."""
    progress(f"{name} …")
    command = [sys.executable, "-m", "benchmarks", name, "--json"]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return TypeAdapter(list[Line]).validate_json(printed)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as they need to be; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join([first, *(cell.strip().rjust(len(cell)) for cell in others)]))


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.name,
        _shown(line.ours, line.unit),
        _shown(line.reference, line.unit),
        "" if line.ratio is None else f"{line.ratio:.2f}",
        line.wanted,
        "" if line.met is None else "yes" if line.met else "no",
    )


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return f"{value:.1f} {unit}" if unit in {"ms", "MB"} else f"{value:.0f} {unit}".strip()


if __name__ == "__main__":
    sys.exit(main())
