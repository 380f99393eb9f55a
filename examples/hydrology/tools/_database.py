"""The database: built when it is missing or its tables have changed, then only read. Changes go to the workspace."""

import sqlite3
import threading
import zlib
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from switchyard.tools.core import ToolContext, ToolFailed

from . import _build

DATA = Path(__file__).resolve().parent.parent / "data"
FILE = DATA / "hydrology.sqlite"
_BUILDING = threading.Lock()

_OPERATIONS = """
CREATE TABLE IF NOT EXISTS forecasts (number INTEGER PRIMARY KEY, kind TEXT, station_code TEXT, rain REAL,
    hours INTEGER, started TEXT, key TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS issued_warnings (number INTEGER PRIMARY KEY, level TEXT, region TEXT, text TEXT, issued TEXT,
    key TEXT UNIQUE);
"""


def rows(sql: str, *values: object) -> list[dict[str, Any]]:
    """What a query finds."""
    with closing(sqlite3.connect(f"{_built().as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, values)]


def row(sql: str, *values: object) -> dict[str, Any] | None:
    """The first thing a query finds."""
    return next(iter(rows(sql, *values)), None)


@contextmanager
def operations(context: ToolContext) -> Generator[sqlite3.Connection]:
    """What was started and issued from this workspace; committed when all went well."""
    file = context.workspace / ".hydrology" / "operations.sqlite"
    file.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(file, timeout=10)) as connection:
        connection.row_factory = sqlite3.Row
        connection.executescript(_OPERATIONS)
        with connection:
            yield connection


def present() -> datetime:
    """The full hour readings are counted back from."""
    return datetime.now().astimezone().replace(minute=0, second=0, microsecond=0)


def taken_at(hours_ago: int) -> str:
    """When a reading was taken."""
    return f"{present() - timedelta(hours=hours_ago):%Y-%m-%d %H:%M}"


def _built() -> Path:
    version = _version()
    with _BUILDING:
        if not FILE.exists() or _version_of(FILE) != version:
            try:
                with TemporaryDirectory(dir=DATA) as folder:  # whole or not at all, whoever else builds it meanwhile
                    new = Path(folder) / FILE.name
                    _build.build(DATA, new, version)
                    new.replace(FILE)
            except OSError as error:
                raise ToolFailed(f"{FILE} cannot be built: {error}.", kind="unavailable") from error
    return FILE


def _version() -> int:
    """A number for what the database is built from."""
    parts = [*sorted(DATA.glob("*.csv")), Path(_build.__file__)]
    return zlib.crc32(b"".join(part.read_bytes() for part in parts)) & 0x7FFFFFFF


def _version_of(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
