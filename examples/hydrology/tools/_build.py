"""Builds the database out of the tables in `data/`: the same one every time.

The tables are copied as they are. The hourly readings are made up from them: ten days that end now, with a storm some
thirty hours ago whose flood is on its way down the rivers. Readings are kept by how many hours ago they were taken, so
that "now" is always now and the values of a question do not change from day to day.
"""

import csv
import math
import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

HOURS = 240
SEED = 20210721
STORM_BEGAN = 40
"""Hours ago."""
FLOOD_BEGAN = 30

_TABLES = {
    "rivers": "name TEXT, name_en TEXT, length_km REAL, basin_km2 REAL, flows_into TEXT, flows_into_en TEXT, "
    "counties TEXT",
    "stations": "code TEXT PRIMARY KEY, name TEXT, name_en TEXT, aliases TEXT, kind TEXT, river TEXT, region TEXT, "
    "county TEXT, longitude REAL, latitude REAL",
    "reservoirs": "code TEXT PRIMARY KEY, dead_level REAL, flood_limit_level REAL, normal_level REAL, "
    "design_level REAL, top_level REAL, dead_storage REAL, total_storage REAL, level_now REAL, inflow_now REAL, "
    "outflow_now REAL, catchment_km2 REAL",
    "river_stations": "code TEXT PRIMARY KEY, base_level REAL, base_flow REAL, warning_level REAL, "
    "guarantee_level REAL, level_now REAL, flow_now REAL, lag_hours REAL",
    "demand": "region TEXT, sector TEXT, demand REAL, supply REAL",
    "rain_forecast": "day INTEGER, region TEXT, least REAL, most REAL",
    "warnings": "number TEXT, hours_ago INTEGER, level TEXT, region TEXT, text TEXT, text_en TEXT",
    "dispatch_rules": "code TEXT, level_from REAL, outflow REAL, rule TEXT, rule_en TEXT",
    "cameras": "code TEXT, camera TEXT, level_offset REAL, confidence REAL, rain_class TEXT",
    "ai_events": "code TEXT, hours_ago INTEGER, event TEXT, event_en TEXT, confidence REAL",
    "duty": "weekday INTEGER, leader TEXT, officer TEXT, phone TEXT",
}
_READINGS = """
CREATE TABLE rain_hours (code TEXT, hours_ago INTEGER, rain REAL, PRIMARY KEY (code, hours_ago)) WITHOUT ROWID;
CREATE TABLE river_hours (code TEXT, hours_ago INTEGER, water_level REAL, flow REAL, PRIMARY KEY (code, hours_ago))
    WITHOUT ROWID;
CREATE TABLE reservoir_hours (code TEXT, hours_ago INTEGER, water_level REAL, storage REAL, inflow REAL, outflow REAL,
    PRIMARY KEY (code, hours_ago)) WITHOUT ROWID;
"""


def build(data: Path, target: Path, version: int) -> None:
    """Write the database to `target`, marked with the version of what it was built from."""
    connection = sqlite3.connect(target)
    try:
        connection.executescript(_READINGS)
        for table, columns in _TABLES.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
            _insert(connection, table, _rows(data / f"{table}.csv"))
        _add_readings(connection)
        connection.execute(f"PRAGMA user_version = {int(version)}")
        connection.commit()
    finally:
        connection.close()


def storage_at(level: float, reservoir: Mapping[str, Any]) -> float:
    """What a reservoir holds at a level, in million cubic metres."""
    height = max(0.0, level - reservoir["dead_level"]) / (reservoir["top_level"] - reservoir["dead_level"])
    return float(reservoir["dead_storage"] + (reservoir["total_storage"] - reservoir["dead_storage"]) * height**1.8)


def level_at(storage: float, reservoir: Mapping[str, Any]) -> float:
    """The level at which a reservoir holds so much: the other way round."""
    share = max(0.0, storage - reservoir["dead_storage"]) / (reservoir["total_storage"] - reservoir["dead_storage"])
    return float(reservoir["dead_level"] + (reservoir["top_level"] - reservoir["dead_level"]) * share ** (1 / 1.8))


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Sequence[object]]) -> None:
    rows = list(rows)
    places = ", ".join("?" * len(rows[0]))
    connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608  our own table names


def _add_readings(connection: sqlite3.Connection) -> None:
    chance = random.Random(SEED)  # noqa: S311  made-up weather needs no secrets
    connection.row_factory = lambda cursor, row: dict(
        zip((column[0] for column in cursor.description), row, strict=True)
    )
    for station in connection.execute("SELECT code FROM stations ORDER BY code").fetchall():
        _insert(connection, "rain_hours", _rain(station["code"], chance))
    for station in connection.execute("SELECT * FROM river_stations ORDER BY code").fetchall():
        _insert(connection, "river_hours", _river(station))
    for reservoir in connection.execute("SELECT * FROM reservoirs ORDER BY code").fetchall():
        _insert(connection, "reservoir_hours", _reservoir(reservoir))


def _rain(code: str, chance: random.Random) -> list[tuple[str, int, float]]:
    weight, shift = chance.uniform(0.6, 1.5), chance.randint(-2, 2)
    rows: list[tuple[str, int, float]] = []
    for hours_ago in range(HOURS):
        storm = 14 * math.exp(-(((hours_ago - STORM_BEGAN + 6 + shift) / 4) ** 2))
        earlier = 5 * math.exp(-(((hours_ago - 150 + shift) / 6) ** 2))
        drizzle = 1.2 if 1 <= hours_ago <= 6 else 0.0  # noqa: PLR2004  this morning's
        amount = weight * (storm + earlier + drizzle) * chance.uniform(0.5, 1.5)
        rows.append((code, hours_ago, round(amount * 2) / 2))  # gauges tip every half millimetre
    return rows


def _river(station: Mapping[str, Any]) -> list[tuple[str, int, float, float]]:
    now = _flood(FLOOD_BEGAN, station["lag_hours"])
    rise, more = station["level_now"] - station["base_level"], station["flow_now"] - station["base_flow"]
    rows: list[tuple[str, int, float, float]] = []
    for hours_ago in range(HOURS):
        share = _flood(FLOOD_BEGAN - hours_ago, station["lag_hours"]) / now
        level, flow = station["base_level"] + rise * share, station["base_flow"] + more * share**1.4
        rows.append((station["code"], hours_ago, round(level, 2), round(flow, 1)))
    return rows


def _flood(hours: float, lag: float) -> float:
    """How high a flood stands so many hours after it began: up to 1 when `lag` hours have passed, slowly down again."""
    return ((hours / lag) * math.exp(1 - hours / lag)) ** 0.35 if hours > 0 else 0.0


def _reservoir(reservoir: Mapping[str, Any]) -> list[tuple[str, int, float, float, float, float]]:
    now = _flood(FLOOD_BEGAN, 14)
    rise = 0.05 * (reservoir["level_now"] - reservoir["dead_level"])
    rows: list[tuple[str, int, float, float, float, float]] = []
    for hours_ago in range(HOURS):
        filled = 1 / (1 + math.exp(-(20 - hours_ago) / 5)) / (1 / (1 + math.exp(-4)))
        level = reservoir["level_now"] - rise * (1 - filled)
        inflow = reservoir["inflow_now"] * max(0.08, _flood(FLOOD_BEGAN + 4 - hours_ago, 14) / now)
        outflow = reservoir["outflow_now"] * (1 if hours_ago < FLOOD_BEGAN else 0.3)
        storage = storage_at(round(level, 2), reservoir)
        inflow = reservoir["inflow_now"] if hours_ago == 0 else inflow
        rows.append(
            (reservoir["code"], hours_ago, round(level, 2), round(storage, 2), round(inflow, 1), round(outflow, 1))
        )
    return rows
