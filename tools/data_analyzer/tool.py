"""Tables in files of the workspace, or rows of a result: described, filtered, sorted, summed up, asked by SQL."""

import asyncio
import json
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, ResultMeta, RetryTool, ToolContext, ToolResult, action, tool
from switchyard.tools.core.files import existing_file
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.data_analyzer.tables import ask_table

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "contains", "starts_with", "ends_with", "is_null", "not_null"]
Function = Literal["count", "sum", "avg", "min", "max", "median"]
Scalar = str | int | float | bool
Limit = Annotated[int, Field(ge=1, le=1000, description="How many rows to return at most.")]


class Condition(BaseModel):
    """What a row must meet."""

    model_config = ConfigDict(extra="forbid")

    column: str
    op: Operator = "="
    value: Scalar | list[Scalar] | None = Field(
        default=None, description="A list for in; nothing for is_null, not_null."
    )


class DescribeParams(BaseToolParams):
    """Which table."""

    path: str | None = Field(default=None, description="A CSV, JSON or Parquet file of the workspace; it, or rows.")
    rows: list[Any] | dict[str, Any] | str | None = Field(
        default=None, description="Rows of an earlier result instead of a file, such as {{s1.rows}} or {{s1.text}}."
    )


class HeadParams(DescribeParams):
    """Which table, and how much of it."""

    limit: Limit = 10


class FilterParams(DescribeParams):
    """Which rows of a table."""

    conditions: list[Condition] = Field(min_length=1, max_length=50, description="What the rows must meet.")
    match: Literal["all", "any"] = Field(
        default="all", description="Whether all conditions must hold or one is enough."
    )
    columns: list[str] = Field(default=[], description="The columns to return; all when left out.")
    limit: Limit = 20


class SortParams(DescribeParams):
    """Which order, and how many."""

    by: list[str] = Field(min_length=1, description="The columns to sort by.")
    descending: bool = Field(default=False, description="Largest first, as for a top ten.")
    conditions: list[Condition] = Field(default=[], max_length=50, description="Only rows that meet all of these.")
    columns: list[str] = Field(default=[], description="The columns to return; all when left out.")
    limit: Limit = 20


class AggregateParams(DescribeParams):
    """What to sum up, of what, by what."""

    functions: list[Function] = Field(min_length=1, description="What to work out.")
    columns: list[str] = Field(default=[], description="Of which columns; count works without.")
    group_by: list[str] = Field(default=[], description="For each value of these columns; left out, over all rows.")
    conditions: list[Condition] = Field(default=[], max_length=50, description="Only rows that meet all of these.")
    limit: Limit = 50


class QueryParams(DescribeParams):
    """A question in SQL."""

    sql: str = Field(max_length=5000, description="One SELECT (DuckDB) over the table data.")
    limit: Limit = 50


ROWS = "path, columns (names), rows (objects), count (rows returned), total (rows before the limit), truncated"


@tool(category="data", capability_tags=("analyze", "分析"))
class DataAnalyzer:
    """Analyse a table in a CSV, JSON or Parquet file of the workspace: describe, head, filter, sort, aggregate, query.

    Rows of an earlier result are analysed like a file. Files above 200 MB are refused. Text may be UTF-8, GB18030 or
    UTF-16.
    """

    needs: ClassVar = {"duckdb": "switchyard[tables]"}

    def __init__(self, seconds: float = 25.0) -> None:
        self._seconds = seconds
        """What one call may take."""

    @action(
        returns="path, rows (how many), columns with name, type, nulls, distinct, min, max, mean, median, column_count"
    )
    async def describe(self, params: DescribeParams, context: ToolContext) -> ToolResult:
        """Describe a table: its columns with type, nulls, distinct values, least, largest, mean and median."""
        return await self._ask("describe", params, context)

    @action(returns=ROWS)
    async def head(self, params: HeadParams, context: ToolContext) -> ToolResult:
        """Show the first rows of a table."""
        return await self._ask("rows", params, context)

    @action(returns=ROWS)
    async def filter(self, params: FilterParams, context: ToolContext) -> ToolResult:
        """Find the rows of a table that meet conditions."""
        return await self._ask("rows", params, context)

    @action(returns=ROWS)
    async def sort(self, params: SortParams, context: ToolContext) -> ToolResult:
        """Sort a table by columns and show its first rows: the top or bottom ones."""
        return await self._ask("rows", params, context)

    @action(returns=ROWS + "; a row has the group's columns and function_column, such as avg_price")
    async def aggregate(self, params: AggregateParams, context: ToolContext) -> ToolResult:
        """Work out count, sum, average, least, largest or median of columns, for all rows or by group."""
        if not params.columns and set(params.functions) != {"count"}:
            raise RetryTool(message("of_which_columns"), hint=message("set_columns"))
        return await self._ask("aggregate", params, context)

    @action(returns=ROWS)
    async def query(self, params: QueryParams, context: ToolContext) -> ToolResult:
        """Run one read-only SQL SELECT over the table, which is called data."""
        return await self._ask("query", params, context)

    async def _ask(self, operation: str, params: DescribeParams, context: ToolContext) -> ToolResult:
        """What the worker's operation says, which takes the parameters of the action by their names."""
        arguments = params.model_dump(exclude={"path", "rows", "explanation"})
        if (params.path is None) == (params.rows is None):
            raise RetryTool(message("path_or_rows"), hint=message("set_path_or_rows"))
        if params.path is None:
            said = await ask_table(_rows_in(params.rows), "rows", operation, arguments, self._seconds)
            return ToolResult(result={"path": message("the_list").text(context.language), **said})
        file, path = await asyncio.to_thread(existing_file, context.workspace, params.path)
        said = await ask_table(file, path, operation, arguments, self._seconds)
        return ToolResult(result={"path": path, **said}, meta=ResultMeta(sources=[path]))


def _rows_in(given: Any) -> list[dict[str, Any]]:
    """The rows of a list, of the one list of an object, or the lines of a text; what has no columns is a `value`."""
    if isinstance(given, str):
        given = json.loads(given) if given.lstrip().startswith(("[", "{")) else [*filter(None, given.splitlines())]
    if is_object(given):
        lists = [part for part in given.values() if is_list(part)]
        tables = [part for part in lists if part and is_object(part[0])]
        given = next((found[0] for found in (lists, tables) if len(found) == 1), None)
    if not is_list(given):
        raise RetryTool(message("no_rows_in_it"), hint=message("set_rows"))
    if not given:
        raise RetryTool(message("table_empty", path="rows"), hint=message("set_rows"))
    return [row if is_object(row) else {"value": row} for row in given]
