"""Analysing tables in real files, in real processes."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, cast

import duckdb
import psutil
import pytest
from pydantic import ValidationError

from switchyard.language.messages import said
from switchyard.tools.core import RetryTool, ToolContext, ToolFailed, ToolSpec
from switchyard.tools.core.processes import close_kept
from switchyard.tools.data_analyzer.tool import (
    MAX_BYTES,
    MAX_ROWS,
    MAX_ROWS_BYTES,
    AggregateParams,
    DataAnalyzer,
    DescribeParams,
    FilterParams,
    QueryParams,
)

SPEC: ToolSpec = cast("Any", DataAnalyzer).__tool_spec__
MODELS = {
    "describe": DescribeParams,
    "filter": FilterParams,
    "aggregate": AggregateParams,
    "query": QueryParams,
}
SALES = (
    "城市,销量,日期,code\n北京,10,2024-01-05,007\n上海,,2024-02-05,008\n北京,30.5,2024-03-01,\n广州,2,2023-12-31,Ab\n"
)
Call = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


@pytest.fixture
def call(workspace: Path) -> Call:
    (workspace / "销售.csv").write_text(SALES, encoding="utf-8")

    async def run(
        action: str, path: str | None = "销售.csv", seconds: float = 60.0, **arguments: Any
    ) -> dict[str, Any]:
        params = MODELS[action](path=path, **arguments)
        result = await getattr(DataAnalyzer(seconds), action)(params, ToolContext(workspace=workspace))
        return result.result

    return run


def test_no_action_asks_first():
    assert not SPEC.asks_first
    assert [one.name for one in SPEC.capabilities] == list(MODELS)


async def test_describing(call: Call):
    result = await call("describe")
    assert (result["path"], result["rows"], result["column_count"]) == ("销售.csv", 4, 4)
    assert result["columns"][:3] == [
        *[
            {"name": "城市", "type": "VARCHAR", "nulls": 0, "distinct": 3, "min": "上海", "max": "广州"}
            | {"mean": None, "median": None}
        ],
        *[
            {"name": "销量", "type": "DOUBLE", "nulls": 1, "distinct": 3, "min": 2.0, "max": 30.5}
            | {"mean": 42.5 / 3, "median": 10.0}
        ],
        *[
            {"name": "日期", "type": "DATE", "nulls": 0, "distinct": 4, "min": "2023-12-31", "max": "2024-03-01"}
            | {"mean": None, "median": None}
        ],
    ]


async def test_the_first_rows(call: Call):
    assert await call("filter", limit=1) == {
        "path": "销售.csv",
        "columns": ["城市", "销量", "日期", "code"],
        "rows": [{"城市": "北京", "销量": 10.0, "日期": "2024-01-05", "code": "007"}],
        "count": 1,
        "total": 4,
        "truncated": True,
    }


async def test_filtering(call: Call):
    result = await call("filter", where="城市 = '北京' AND 销量 > 20 -- 北京", columns=["日期"])
    assert (result["rows"], result["total"], result["truncated"]) == ([{"日期": "2024-03-01"}], 1, False)


async def test_a_value_that_does_not_fit_its_column_is_told(call: Call):
    with pytest.raises(RetryTool, match=r"does not work: .*明天"):
        await call("filter", where="日期 > '明天'")


@pytest.mark.parametrize("action", ["filter", "aggregate", "query"])
async def test_a_wrong_column_names_the_nearest(call: Call, action: str):
    arguments: dict[str, dict[str, Any]] = {
        "filter": {"sort_by": ["销 量"]},
        "aggregate": {"functions": ["max"], "columns": ["销 量"]},
        "query": {"sql": 'SELECT "销 量" FROM data'},
    }
    with pytest.raises(
        RetryTool, match=r"has no column '销 量'\. Did you mean '销量'.* Columns: 城市, 销量, 日期, code"
    ):
        await call(action, **arguments[action])


@pytest.mark.parametrize("column", ["discount", "折扣", "地区"])
async def test_a_column_that_is_like_none_is_given_no_other(call: Call, column: str):
    with pytest.raises(RetryTool) as caught:
        await call("aggregate", functions=["avg"], columns=[column])
    assert "Did you mean" not in str(caught.value)
    assert "Columns: 城市, 销量, 日期, code" in str(caught.value)


async def test_the_top_rows(call: Call):
    result = await call("filter", sort_by=["销量"], descending=True, limit=2, columns=["城市", "销量"])
    assert result["rows"] == [{"城市": "北京", "销量": 30.5}, {"城市": "北京", "销量": 10.0}]
    assert (result["count"], result["total"], result["truncated"]) == (2, 4, True)


async def test_values_by_group(call: Call):
    functions = ["sum", "avg", "min", "max", "median", "count"]
    result = await call("aggregate", functions=functions, columns=["销量"], group_by=["城市"])
    values = {
        "sum_销量": 40.5,
        "avg_销量": 20.25,
        "min_销量": 10.0,
        "max_销量": 30.5,
        "median_销量": 20.25,
        "count_销量": 2,
    }
    assert result["rows"][0] == {"城市": "北京", **values}
    assert [row["城市"] for row in result["rows"]] == ["北京", "广州", "上海"]


async def test_counting_rows_that_meet_a_condition(call: Call):
    result = await call("aggregate", functions=["count"], where="城市 = '北京'")
    assert result["rows"] == [{"count": 2}]


@pytest.mark.parametrize("descending", [True, False])
async def test_empty_cells_come_last_both_ways(call: Call, *, descending: bool):
    assert (await call("filter", sort_by=["销量"], descending=descending))["rows"][-1]["城市"] == "上海"


@pytest.mark.parametrize("where", ["1=1); DROP TABLE data; SELECT (1", "1=1; SELECT 1", "城市 IN (SELECT '('"])
async def test_a_condition_is_no_second_statement(call: Call, where: str):
    with pytest.raises(RetryTool, match=r"Only one SELECT|does not work"):
        await call("filter", where=where)


ENTRIES = [
    {"name": "a.md", "size": 10, "changed": "2026-01-05"},
    {"name": "文档.md", "size": 2.5, "changed": None, "in": {"folder": "docs"}},
    {"name": "图.png", "size": None, "changed": "2026-03-01"},
]


@pytest.mark.parametrize(
    ("rows", "column", "total"),
    [
        (ENTRIES, "size", 12.5),
        ({"path": "docs", "entries": ENTRIES, "count": 3}, "size", 12.5),
        ({"columns": ["name", "size"], "rows": ENTRIES}, "size", 12.5),
        ([3, 4, None, 5], "value", 12),
        ({"values": [0.5, 2]}, "value", 2.5),
        ([{"数量": 1}] * 30_000 + [{"数量": 2.5}], "数量", 30_002.5),
    ],
)
async def test_rows_of_an_earlier_result_are_summed_up(call: Call, rows: Any, column: str, total: float):
    result = await call("aggregate", None, rows=rows, functions=["sum"], columns=[column])
    assert result["rows"] == [{f"sum_{column}": total}]


async def test_rows_of_a_result_have_types_and_keep_what_is_nested(call: Call):
    described = await call("describe", None, rows=ENTRIES)
    assert [column["type"] for column in described["columns"][:3]] == ["VARCHAR", "DOUBLE", "DATE"]
    result = await call("query", None, rows=ENTRIES, sql='SELECT name, "in" FROM data WHERE size < 5')
    assert result["rows"] == [{"name": "文档.md", "in": {"folder": "docs"}}]


@pytest.mark.parametrize(("language", "name"), [("en", "the list"), ("zh", "列表")])
async def test_rows_of_a_result_have_a_name_and_no_source(workspace: Path, language: Any, name: str):
    context = ToolContext(workspace=workspace, language=language)
    result = await DataAnalyzer(60.0).filter(FilterParams(rows=ENTRIES), context)
    assert (result.result["path"], result.result["total"], result.meta.sources) == (name, 3, [])


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        ({}, "Either path or rows", "path 和 rows 必须且只能给出一个"),
        ({"path": "销售.csv", "rows": ENTRIES}, "Either path or rows", "path 和 rows 必须且只能给出一个"),
        ({"rows": {"a": 1}}, r"such as \{\{s1\.rows\}\}", "rows 既不是列表"),
        ({"rows": {"a": [1], "b": [2]}}, "neither a list nor an object with one list", "只含一个列表的对象"),
        ({"rows": []}, "'rows' is empty", "“rows”是空的"),
        ({"rows": [1] * (MAX_ROWS + 1)}, "too many rows", "最多 100000 行、20 MB"),
        ({"rows": ["文" * MAX_ROWS_BYTES]}, "too many rows", "最多 100000 行、20 MB"),
        ({"rows": [{"数": 1}], "columns": ["数量"]}, "'rows' has no column '数量'", "“rows”没有“数量”这一列"),
    ],
)
async def test_rows_that_cannot_be_used_are_told(call: Call, arguments: dict[str, Any], english: str, chinese: str):
    with pytest.raises((RetryTool, ToolFailed), match=english) as caught:
        await call("filter", **{"path": None, **arguments})
    assert chinese in said(caught.value.args[0], "zh")
    assert caught.value.kind == "bad_arguments"


async def test_text_is_not_summed_up(call: Call):
    with pytest.raises(RetryTool, match=r"does not work: .*sum.*VARCHAR"):
        await call("aggregate", functions=["sum"], columns=["城市"])


async def test_a_function_needs_a_column(call: Call):
    with pytest.raises(RetryTool, match="Of which columns"):
        await call("aggregate", functions=["sum"])


async def test_asking_by_sql(call: Call):
    sql = "SELECT 城市, sum(销量) AS 总量 FROM data GROUP BY 城市 ORDER BY 总量 DESC NULLS LAST; -- 完"
    result = await call("query", sql=sql, limit=1)
    assert (result["rows"], result["total"]) == ([{"城市": "北京", "总量": 40.5}], 3)


async def test_a_change_by_sql_is_refused_with_what_is_allowed(call: Call):
    with pytest.raises(RetryTool, match="Only one SELECT over the table data"):
        await call("query", sql="DROP TABLE data")


@pytest.mark.parametrize("sql", ["SELECT * FROM 数据", "", "--"])
async def test_a_query_that_does_not_work_is_told(call: Call, sql: str):
    with pytest.raises(RetryTool, match=r"The query does not work: .*\. The table is called data|Only one SELECT"):
        await call("query", sql=sql)


async def test_a_query_that_takes_too_much_memory_is_ended(call: Call):
    with pytest.raises((ToolFailed, RetryTool), match=r"memory|does not work|broke off"):
        await call("query", sql="SELECT lpad('x', 4000000000, 'y')")


def workers() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "data_analyzer/worker.py" in " ".join(child.cmdline())]


@pytest.fixture(autouse=True)
def no_worker_left() -> Iterator[None]:
    yield
    close_kept()
    assert workers() == []


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r"


async def test_a_query_that_takes_too_long_is_ended(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = names_in(tmp_path)
    with pytest.raises(ToolFailed, match="not worked out within 2 seconds") as caught:
        await call("query", seconds=2, sql=ENDLESS)
    assert caught.value.kind == "timeout"
    assert workers() == []
    assert names_in(tmp_path) == before


async def test_a_limit_from_outside_ends_the_call_and_its_process(call: Call):
    task = asyncio.ensure_future(asyncio.wait_for(call("query", seconds=90, sql=ENDLESS), 2))
    done, _ = await asyncio.wait([task], timeout=60)  # long before its own limit
    left = workers()
    with pytest.raises(TimeoutError):
        await task
    assert done
    assert left == []


async def test_a_call_nobody_waits_for_leaves_nothing_behind(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = names_in(tmp_path)
    task = asyncio.ensure_future(call("query", sql=ENDLESS))
    while not workers():
        assert not task.done()
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert workers() == []
    assert names_in(tmp_path) == before


async def test_the_worker_sees_no_environment(call: Call, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    task = asyncio.ensure_future(call("query", sql=ENDLESS))
    while not (found := workers()):
        assert not task.done()
        await asyncio.sleep(0)
    environment = found[0].environ()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "OPENAI_API_KEY" not in environment


async def test_one_worker_serves_question_after_question_and_ends_with_the_last_hub(call: Call):
    await call("query", sql="SELECT 1")
    (ready,) = workers()
    with pytest.raises(RetryTool, match="does not work"):
        await call("query", sql="SELEC 1")
    await call("query", sql="SELECT 2")
    assert workers() == [ready]
    close_kept()
    assert workers() == []


def test_a_worker_outlives_the_event_loop_it_was_started_on(call: Call):
    asyncio.run(call("query", sql="SELECT 1"))
    ready = workers()
    assert asyncio.run(call("query", sql="SELECT 2 AS 数"))["rows"] == [{"数": 2}]
    assert workers() == ready


async def test_several_are_asked_at_once_and_one_stays_ready(call: Call):
    found = await asyncio.gather(*(call("query", sql=f"SELECT {number} AS n") for number in range(3)))
    assert [result["rows"] for result in found] == [[{"n": number}] for number in range(3)]
    assert len(workers()) == 1


async def test_a_worker_that_has_died_is_replaced(call: Call):
    await call("query", sql="SELECT 1")
    (ready,) = workers()
    ready.kill()
    assert (await call("query", sql="SELECT 2 AS n"))["rows"] == [{"n": 2}]
    assert workers() != [ready]


async def test_a_question_sees_nothing_of_the_one_before(call: Call, workspace: Path):
    (workspace / "other.csv").write_text("secret\n1\n", encoding="utf-8")
    await call("query", "other.csv", sql="SELECT * FROM data")
    for sql in ("SELECT secret FROM data", "SELECT * FROM asked", "SELECT * FROM read_csv('/dev/fd/4')"):
        with pytest.raises(RetryTool, match=r"has no column|does not work|Only one SELECT"):
            await call("query", sql=sql)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", SALES.encode("gbk")),
        ("a.CSV", SALES.encode("utf-16")),
        ("a.csv", b"\xef\xbb\xbf" + SALES.encode()),
        ("a.csv", SALES.replace(",", ";").encode()),
        ("a.tsv", SALES.replace(",", "\t").encode("gb18030")),
        ("a.csv", SALES.replace(",", "|").replace("\n", "\r\n").encode()),
        ("数据[1].csv", SALES.encode()),
        ("数据'*.csv", SALES.encode()),
    ],
)
async def test_csv_as_people_keep_it(call: Call, workspace: Path, name: str, data: bytes):
    (workspace / name).write_bytes(data)
    result = await call("aggregate", name, functions=["max"], columns=["销量"], group_by=["城市"])
    assert result["rows"][0] == {"城市": "北京", "max_销量": 30.5}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[{"城市": "北京", "n": 1}, {"城市": "上海", "n": 2.5}]'),
        ("a.jsonl", '{"城市": "北京", "n": 1}\n{"城市": "上海", "n": 2.5}\n'),
        ("a.ndjson", '{"城市": "北京", "n": 1}\n{"城市": "上海", "n": 2.5}'),
    ],
)
async def test_json(call: Call, workspace: Path, name: str, text: str):
    (workspace / name).write_bytes(text.encode("gb18030"))
    result = await call("filter", name, sort_by=["n"], descending=True)
    assert result["rows"] == [{"城市": "上海", "n": 2.5}, {"城市": "北京", "n": 1.0}]


async def test_parquet(call: Call, workspace: Path):
    duckdb.execute(
        "COPY (SELECT i AS n, '城市' || i AS 城市 FROM range(3000) t(i)) TO ?", [str(workspace / "a.parquet")]
    )
    result = await call("filter", "a.parquet", where="城市 = '城市2999'")
    assert (result["rows"], result["total"]) == ([{"n": 2999, "城市": "城市2999"}], 1)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", "a,名\n1,2\n3,4,5\n".encode(), r"'a\.csv' cannot be read as a table\. Line 3 has 3 cells"),
        ("a.json", b'[{"a": 1},', "was cut off"),
        ("a.json", '[{"a": 1}, 文]'.encode(), "cannot be read as a table"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "cannot be read as a table"),
        ("a.parquet", "不是".encode() * 100, "cannot be read as a table"),
        ("a.csv", b"\x89PNG\x00\x01\xff\xff", "binary"),
        ("a.json", b"\xff\xff\x00", "binary"),
    ],
)
async def test_a_damaged_file_is_told(call: Call, workspace: Path, name: str, data: bytes, said: str):
    (workspace / name).write_bytes(data)
    with pytest.raises(ToolFailed, match=said) as caught:
        await call("describe", name)
    assert caught.value.kind == "bad_arguments"
    assert "switchyard-" not in str(caught.value)


async def test_an_empty_file_is_told(call: Call, workspace: Path):
    (workspace / "空.csv").touch()
    with pytest.raises(RetryTool, match=r"'空\.csv' is empty"):
        await call("filter", "空.csv")


async def test_another_kind_of_file_is_told(call: Call, workspace: Path):
    (workspace / "表.xlsx").write_bytes(b"PK")
    with pytest.raises(RetryTool, match=r"no table I can read. Name a file that ends in \.csv"):
        await call("filter", "表.xlsx")


@pytest.mark.parametrize("name", ["big.csv", "big.parquet"])
async def test_a_2_gb_file_is_refused(call: Call, workspace: Path, name: str):
    with (workspace / name).open("wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(ToolFailed, match=rf"2000\.0 MB; at most {MAX_BYTES // 1_000_000} MB"):
        await call("describe", name)


@pytest.mark.parametrize("path", ["../outside.csv", "/etc/passwd", "链接.csv"])
async def test_a_path_out_of_the_workspace_is_refused(call: Call, workspace: Path, tmp_path: Path, path: str):
    (tmp_path / "outside.csv").write_text(SALES, encoding="utf-8")
    (workspace / "链接.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(ToolFailed, match="outside the workspace") as caught:
        await call("describe", path)
    assert caught.value.kind == "permission"


async def test_a_missing_file_names_the_nearest(call: Call):
    with pytest.raises(ToolFailed, match=r"销售\.csv"):
        await call("describe", "消售.csv")


async def test_a_folder_is_refused(call: Call, workspace: Path):
    (workspace / "表.csv").mkdir()
    with pytest.raises(RetryTool, match="folder"):
        await call("describe", "表.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on POSIX systems only")
async def test_a_pipe_is_refused_instead_of_waited_for(call: Call, workspace: Path):
    os.mkfifo(workspace / "pipe.csv")
    with pytest.raises(RetryTool, match="not a file"):
        await call("describe", "pipe.csv")


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        (FilterParams, {"limit": 5000}),
        (FilterParams, {"where": "文" * 5001}),
        (AggregateParams, {"functions": ["var"], "columns": ["a"]}),
        (AggregateParams, {"columns": ["a"]}),
        (QueryParams, {"sql": "x" * 5001}),
    ],
)
def test_wrong_arguments_are_refused(model: Any, arguments: dict[str, Any]):
    with pytest.raises(ValidationError):
        model(path="a.csv", **arguments)
