"""The tables of this room: what words and names mean, English and Chinese side by side, as files in `data/`.

A file has a row a line, its columns parted by tabs; a line that begins with `#` explains. Nothing in them is a pattern:
how a name is looked for is said by the reader that uses the table, which reads it when it is first needed.
"""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "data"


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a table; columns that a line leaves out are missing."""
    lines = (_FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(tuple(line.split("\t")) for line in lines if line and not line.startswith("#"))


@cache
def words(name: str, key: str) -> frozenset[str]:
    """The words of all rows that begin with a key, parted by spaces."""
    return frozenset(listed(name, key))


@cache
def listed(name: str, key: str) -> tuple[str, ...]:
    """The same in the order of the table."""
    return tuple(word for first, *cells in rows(name) if first == key for cell in cells for word in cell.split())


@cache
def phrases(name: str, key: str) -> tuple[str, ...]:
    """The phrases of all rows that begin with a key, parted by `|`."""
    return tuple(phrase for first, *cells in rows(name) if first == key for cell in cells for phrase in cell.split("|"))


@cache
def values(name: str, key: str) -> dict[str, str]:
    """The names of all rows that begin with a key, parted by `|`, each with the second column of its row."""
    kept = (row for row in rows(name) if row[0] == key)
    return {said: row[1] for row in kept for cell in row[2:] for said in cell.split("|") if said}


@cache
def numbers(name: str, key: str) -> dict[str, int]:
    """The same where the second column is a whole number."""
    return {said: int(value) for said, value in values(name, key).items()}
