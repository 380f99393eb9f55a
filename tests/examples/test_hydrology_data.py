"""The example's database: the same every time, rebuilt when its tables change, and not written to."""

import csv
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.hydrology.tools import rain
from examples.hydrology.tools._build import HOURS, build, level_at, storage_at
from examples.hydrology.tools._database import operations, row, rows
from examples.hydrology.tools._stations import stations_named
from examples.hydrology.tools.forecasts import AutoForecastParams, StartAutoForecast
from switchyard.app.places import ROOT
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.sources.native import discover
from switchyard.toolhub.sources.skills.source import check_skill
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import ToolFailed

FOLDER = ROOT / "examples" / "hydrology"


def dump(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return list(connection.iterdump())


def test_it_is_the_same_every_time(tmp_path: Path) -> None:
    build(FOLDER / "data", tmp_path / "one.sqlite", 1)
    build(FOLDER / "data", tmp_path / "two.sqlite", 1)
    assert dump(tmp_path / "one.sqlite") == dump(tmp_path / "two.sqlite")


async def test_a_changed_table_is_taken_over(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "mine", ignore=shutil.ignore_patterns("*.sqlite", "__pycache__"))
    table = tmp_path / "mine" / "data" / "duty.csv"
    (roster,) = [
        tool for tool in discover(tmp_path / "mine" / "tools").tools if tool.spec.tool_id == "query_duty_roster"
    ]
    context = ToolContext(workspace=tmp_path)
    before = await roster.run(ToolRequest(roster.spec.tool_id, context=context))
    table.write_text("weekday,leader,officer,phone\n" + "".join(f"{day},新人,甲,1\n" for day in range(7)), "utf-8")
    after = await roster.run(ToolRequest(roster.spec.tool_id, context=context))
    assert "新人" not in before.result["leader"]
    assert after.result["leader"] == "新人"


def test_it_is_only_read() -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        rows("DELETE FROM stations")


def test_every_station_has_readings_up_to_now() -> None:
    every = rows("SELECT code, kind FROM stations")
    tables = {"river": "river_hours", "reservoir": "reservoir_hours", "rain": "rain_hours"}
    for kind, table in tables.items():
        counts = rows(f"SELECT code, count(*) AS hours, min(hours_ago) AS last FROM {table} GROUP BY code")  # noqa: S608
        wanted = {one["code"] for one in every if one["kind"] == kind or kind == "rain"}
        assert {one["code"] for one in counts} == wanted
        assert {(one["hours"], one["last"]) for one in counts} == {(HOURS, 0)}


def test_the_last_reading_is_the_one_of_the_table() -> None:
    with (FOLDER / "data" / "river_stations.csv").open(encoding="utf-8") as file:
        told = {one["code"]: float(one["level_now"]) for one in csv.DictReader(file)}
    found = rows("SELECT code, water_level FROM river_hours WHERE hours_ago = 0")
    assert {one["code"]: one["water_level"] for one in found} == told


def test_no_river_rises_above_what_it_can_take() -> None:
    over = "SELECT code FROM river_hours JOIN river_stations USING (code) WHERE water_level > guarantee_level"
    assert rows(over) == []


def test_storage_and_level_are_one_curve() -> None:
    reservoir = row("SELECT * FROM reservoirs WHERE code = '31020100'") or {}
    assert level_at(storage_at(250.0, reservoir), reservoir) == pytest.approx(250.0)
    assert storage_at(reservoir["top_level"], reservoir) == reservoir["total_storage"]


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("盘石头水库", ["31020100"]),
        ("盘石头", ["31020100"]),
        ("Panshitou Reservoir", ["31020100"]),
        ("panshitou", ["31020100"]),
        ("修武水文站", ["31004100"]),
        ("Xiuwu station", ["31004100"]),
        ("合河", ["31004300", "31004400"]),
        ("合河（共）站", ["31004400"]),
        ("无此站", []),
    ],
)
def test_stations_are_found_by_their_names(name: str, codes: list[str]) -> None:
    assert [one["code"] for one in stations_named(name)] == codes


def rain_on(day: str, now: datetime) -> float:
    params = rain.RainDayParams(station_code="31004100", date=day)
    return rain.QueryRainDay(lambda: now).execute(params, ToolContext(workspace=Path()))["value"]


def test_the_rain_of_the_days_is_the_rain_of_the_hours() -> None:
    now = datetime(2026, 7, 22, 8, tzinfo=UTC)
    days = sum(rain_on(f"2026-07-{day}", now) for day in (20, 21, 22))
    hours = rows("SELECT rain FROM rain_hours WHERE code = '31004100' AND hours_ago < 56")
    assert days == sum(one["rain"] for one in hours)


@pytest.mark.parametrize("day", ["2026-07-01", "2026-07-23"])
def test_a_day_without_readings_is_told(day: str) -> None:
    with pytest.raises(ToolFailed, match=day):
        rain_on(day, datetime(2026, 7, 22, 8, tzinfo=UTC))


def test_the_same_request_starts_one_forecast(tmp_path: Path) -> None:
    context = ToolContext(workspace=tmp_path, idempotency_key="run:s1")
    numbers = [StartAutoForecast().execute(AutoForecastParams(), context)["number"] for _ in range(2)]
    with operations(context) as connection:
        count = connection.execute("SELECT count(*) FROM forecasts").fetchone()[0]
    assert (numbers, count) == ([1, 1], 1)


def test_the_skill_names_tools_that_are_there() -> None:
    names = [tool.spec.tool_id for tool in discover(FOLDER / "tools").tools]
    assert check_skill(FOLDER / "skills" / "flood-briefing", names) == []
