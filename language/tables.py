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
def words(name: str, key: str) -> tuple[str, ...]:
    """The words of all rows that begin with a key, parted by spaces; `_` stands for a space inside one."""
    found = (word for first, *cells in rows(name) if first == key for cell in cells for word in cell.split())
    return tuple(word.replace("_", " ") for word in found)
