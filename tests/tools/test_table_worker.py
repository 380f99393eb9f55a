"""What the table worker answers, asked in this process; `test_data_analyzer` asks it as the tool does."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.data_analyzer.worker import MAX_CELL, MAX_COLUMNS, answer

SALES = (
    "城市,销量,日期,code\n北京,10,2024-01-05,007\n上海,,2024-02-05,008\n北京,30.5,2024-03-01,\n广州,2,2023-12-31,Ab\n"
)


def ask(file: Path, operation: str, kind: str = "csv", **arguments: Any) -> dict[str, Any]:
    """The worker's answer, given in this process."""
    job = {"path": str(file), "kind": kind, "delimiter": "," if kind == "csv" else None}
    return answer({**job, "operation": operation, "arguments": arguments})


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("WITH t AS (SELECT * FROM data) SELECT count(*) AS n FROM t", {"n": 4}),
        ("FROM data SELECT max(日期) AS d", {"d": "2024-03-01"}),
        ("SELECT 1 AS a, 2 AS a", {"a": 1, "a_1": 2}),
        ("SELECT 0.5::DECIMAL(9,2) AS a, 2::DECIMAL(9,2) AS b, 'NaN'::DOUBLE AS c", {"a": 0.5, "b": 2, "c": None}),
        ("SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' IS NULL AS t, TIME '10:00' AS c", {"t": False, "c": "10:00:00"}),
        (
            "SELECT {'a': [1, 2]} AS s, 'x'::BLOB AS b, INTERVAL 1 DAY AS i",
            {"s": {"a": [1, 2]}, "b": "<1 bytes>", "i": "1 day, 0:00:00"},
        ),
        ("SELECT repeat('文', 2000) AS t", {"t": "文" * MAX_CELL + "…"}),
    ],
)
def test_selects_and_their_values(tmp_path: Path, sql: str, row: dict[str, Any]):
    (tmp_path / "a.csv").write_text(SALES, encoding="utf-8")
    assert ask(tmp_path / "a.csv", "query", sql=sql, limit=5)["rows"] == [row]


def test_times_with_zones_are_given(tmp_path: Path):
    (tmp_path / "a.csv").write_text("t\n2024-01-01 10:00:00+02\n", encoding="utf-8")
    assert ask(tmp_path / "a.csv", "describe")["columns"][0]["max"].startswith("2024-01-01")


OTHERS = (
    "SELECT * FROM read_csv('{other}')",
    "SELECT * FROM '{other}'",
    "SELECT * FROM read_text('{other}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM sniff_csv('{other}')",
    "SELECT * FROM query_table('{other}')",
    "SELECT * FROM duckdb_secrets()",
    "COPY data TO '{folder}/out.csv'",
    "COPY data TO '{itself}'",
    "ATTACH '{folder}/out.db'",
    "EXPORT DATABASE '{folder}/out'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit='100GB'",
    "RESET lock_configuration",
    "PRAGMA enable_logging",
    "SELECT * FROM enable_logging(storage='file', storage_path='{folder}/out')",
    "CREATE TABLE t AS SELECT 1",
    "DROP TABLE data",
    "DELETE FROM data",
    "UPDATE data SET 城市 = ''",
    "SELECT 1; DROP TABLE data",
    "SELECT 1) ; DROP TABLE data; SELECT * FROM (SELECT 1",
    "CALL pragma_version()",
)


@pytest.mark.parametrize("sql", OTHERS)
def test_nothing_else_is_read_and_nothing_changed(tmp_path: Path, sql: str):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "other.csv").write_text("秘密\n1\n", encoding="utf-8")
    (folder / "a.csv").write_text(SALES, encoding="utf-8")
    places = {"other": folder / "other.csv", "itself": folder / "a.csv", "folder": folder}
    said = ask(folder / "a.csv", "query", sql=sql.format(**places), limit=5)
    assert said["problem"] in {"not_select", "sql"}
    assert "秘密" not in str(said)
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "other.csv"]
    assert (folder / "a.csv").read_text(encoding="utf-8") == SALES


@pytest.mark.parametrize("sql", ["SELEC 1", "SELECT * FROM 数据", "SELECT nope(1) FROM data", "SELECT '文'::INTEGER"])
def test_a_query_that_does_not_work_is_a_problem(tmp_path: Path, sql: str):
    (tmp_path / "a.csv").write_text(SALES, encoding="utf-8")
    assert ask(tmp_path / "a.csv", "query", sql=sql, limit=5)["problem"] == "sql"


def test_too_much_memory_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("switchyard.tools.data_analyzer.worker.MEMORY", 200)
    (tmp_path / "a.csv").write_text(SALES, encoding="utf-8")
    sql = "SELECT list(repeat('文', 100000)) FROM range(1000000)"
    assert ask(tmp_path / "a.csv", "query", sql=sql, limit=5) == {"problem": "memory"}


def test_a_late_word_among_numbers_makes_the_column_text(tmp_path: Path):
    (tmp_path / "a.csv").write_text("a\n" + "1\n" * 30_000 + "无\n", encoding="utf-8")
    column = ask(tmp_path / "a.csv", "describe")["columns"][0]
    assert (column["type"], column["distinct"]) == ("VARCHAR", 2)


def test_a_table_with_very_many_columns(tmp_path: Path):
    wide = MAX_COLUMNS + 5
    header, row = ",".join(f"列{number}" for number in range(wide)), ",".join("1" * wide)
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    result = ask(tmp_path / "a.csv", "describe")
    assert (len(result["columns"]), result["column_count"]) == (MAX_COLUMNS, wide)
