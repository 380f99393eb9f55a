"""A call that failed is executed once, however it comes again; each tool counts its own executions (R7.2)."""

import asyncio
import itertools
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from switchyard.ledger.context import ExecutionContext
from switchyard.ledger.options import RunOptions
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import NativeRunner
from switchyard.tools.core import BaseToolParams, ToolCapability, ToolContext, ToolFailed, tool
from switchyard.tools.core.errors import FailureKind
from tests.support.bench import RUN, Bench, statuses, task

AT_LIBERTY = RunOptions(auto_approve=True, retry_delay=0)


class FetchParams(BaseToolParams):
    """What to fetch."""

    file: str = "a"
    count: int = 3
    items: list[str] = Field(default_factory=list[str])


@tool(category="files")
class Fetch:
    """Fetch a thing, and fail always."""

    def __init__(self) -> None:
        self.executions: list[dict[str, Any]] = []

    def execute(self, params: FetchParams) -> None:
        self.executions.append(params.model_dump(exclude={"explanation"}))
        raise ToolFailed("没有", kind="not_found")


@pytest.fixture
def fetched(bench: Bench) -> list[dict[str, Any]]:
    """What the native tool `fetch` was executed with."""
    made: list[Fetch] = []

    class Kept(Fetch):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    spec = Fetch.__dict__["__tool_spec__"]
    bench.hub.registry.add(RegisteredTool(spec, NativeRunner(Kept(), Fetch.__dict__["__tool_calls__"], spec.tool_id)))
    return made[0].executions


# However it is written


@pytest.mark.parametrize(
    "again",
    [
        {},
        {"file": "./a"},
        {"file": "b/../a"},
        {"file": "a/"},
        {"file": "a\u200b"},
        {"count": "3"},
        {"count": "+3"},
        {"items": []},
        {"items": "[]"},
    ],
    ids=str,
)
async def test_the_same_call_in_other_words_is_not_made(
    bench: Bench, fetched: list[dict[str, Any]], again: dict[str, Any]
) -> None:
    context = await bench.round(task("s1", "fetch", file="a"))
    context = await bench.round(task("s2", "fetch", **again), context=context)
    assert len(fetched) == 1
    assert (context.steps["s2"].status, context.steps["s2"].error) == ("failed", "没有")
    assert [one.step_id for one in context.repeats] == ["s2"]


@pytest.mark.parametrize(
    "again", ["http://H.example/水 a", "http://h.example:80/%E6%B0%B4%20a", "http://h.example/水%20a#x"]
)
async def test_an_address_in_another_spelling_is_not_asked_for_again(
    bench: Bench, fetched: list[dict[str, Any]], again: str
) -> None:
    context = await bench.round(task("s1", "fetch", file="http://h.example/水%20a"))
    context = await bench.round(task("s2", "fetch", file=again), context=context)
    assert len(fetched) == 1
    assert (context.steps["s2"].status, context.steps["s2"].error) == ("failed", "没有")
    assert [one.step_id for one in context.repeats] == ["s2"]


async def test_another_call_of_the_tool_is_made(bench: Bench, fetched: list[dict[str, Any]]) -> None:
    context = await bench.round(task("s1", "fetch", file="a"))
    await bench.round(task("s2", "fetch", file="b"), context=context)
    assert [one["file"] for one in fetched] == ["a", "b"]


# At the same time


async def test_of_equal_calls_that_start_together_one_that_fails_is_made(
    bench: Bench, fetched: list[dict[str, Any]]
) -> None:
    calls = [{"file": "a"}, {"file": "./a"}, {"count": "3"}]
    context = await bench.round(*(task(f"s{at}", "fetch", **given) for at, given in enumerate(calls)))
    assert len(fetched) == 1
    assert set(statuses(context).values()) == {"failed"}


async def test_of_equal_items_one_that_fails_is_made(bench: Bench) -> None:
    rows = task("s1", "echo", rows=["甲", "甲", "甲", "乙"])
    await bench.round(rows, task("s2", "broken", over="s1", path=".rows", label="{{item}}"))
    assert [arguments["label"] for _, name, arguments in bench.calls if name == "broken"] == ["甲", "乙"]


async def test_equal_calls_that_succeed_all_have_their_result(bench: Bench) -> None:
    context = await bench.round(*(task(f"s{number}", "echo", label="甲") for number in range(3)))
    assert set(statuses(context).values()) == {"done"}


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "unavailable"])
async def test_what_may_pass_is_counted_over_equal_calls_that_start_together(bench: Bench, kind: FailureKind) -> None:
    async def busy(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise ToolFailed("忙", kind=kind)

    bench.tool("busy", busy)
    await bench.round(*(task(f"s{number}", "busy") for number in range(5)))
    assert len(bench.calls) == bench.options.max_attempts


async def test_calls_that_differ_do_not_wait_for_each_other(bench: Bench) -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: dict[str, Any], context: ToolContext) -> Any:
        await both.wait()
        return {}

    bench.tool("meet", meet)
    context = await bench.round(task("s1", "meet", label="甲"), task("s2", "meet", label="乙"))
    assert set(statuses(context).values()) == {"done"}


async def test_equal_writes_that_start_together_are_not_both_made_unasked(workspace: Path) -> None:
    bench = Bench(workspace, options=AT_LIBERTY)
    await bench.round(task("s1", "stamp", label="甲"), task("s2", "stamp", label=" 甲 "), reply="refuse")
    assert len(bench.calls) == 1
    assert [request.why for request in bench.asked] == ["already_done"]


async def test_a_write_that_ran_out_of_time_is_not_made_by_an_equal_step_unasked(workspace: Path) -> None:
    async def slow(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise ToolFailed("超时", kind="timeout")

    bench = Bench(workspace, options=AT_LIBERTY)
    bench.tool("slow", slow, writes=True)
    await bench.round(task("s1", "slow"), task("s2", "slow"), reply="refuse")
    assert len(bench.calls) == 1
    assert [request.why for request in bench.asked] == ["may_have_happened"]


# After a write


@pytest.mark.parametrize(
    ("write", "times"),
    [({"label": "1"}, 1), ({"file": "docs/b.md"}, 1), ({"file": "./docs/a.md"}, 2), ({"file": "docs"}, 2)],
    ids=str,
)
async def test_only_a_write_of_what_the_call_reads_allows_it_again(
    workspace: Path, write: dict[str, Any], times: int
) -> None:
    bench = Bench(workspace, options=AT_LIBERTY)
    context = await bench.round(task("s1", "broken", file="docs/a.md"))
    context = await bench.round(task("s2", "stamp", **write), context=context)
    await bench.round(task("s3", "broken", file="docs/a.md"), context=context)
    assert [name for _, name, _ in bench.calls].count("broken") == times


async def test_a_write_before_the_failure_does_not_whatever_the_clock_says(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = itertools.count(1_000_000.0, -3600.0)
    monkeypatch.setattr(time, "time", earlier.__next__)
    bench = Bench(workspace, options=AT_LIBERTY)
    context = await bench.round(task("s1", "stamp", file="a"))
    context = await bench.round(task("s2", "broken", file="a"), context=context)
    await bench.round(task("s3", "broken", file="a"), context=context)
    assert bench.steps_called() == ["s1", "s2"]


async def test_a_write_after_the_failure_does_whatever_the_clock_says_in_another_process_too(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = itertools.count(1_000_000.0, -3600.0)
    monkeypatch.setattr(time, "time", earlier.__next__)
    first = Bench(workspace, options=AT_LIBERTY)
    context = await first.round(task("s1", "broken", file="a"))
    second = Bench(workspace, first.store, options=AT_LIBERTY)
    context = await second.round(task("s2", "stamp", file="a"), context=context)
    third = Bench(workspace, first.store)
    await third.round(task("s3", "broken", file="a"), context=context)
    assert third.steps_called() == ["s3"]


@pytest.mark.parametrize(("url", "times"), [("https://x.y/", 2), ("https://z.y/", 1)])
async def test_what_failed_on_a_page_may_be_tried_when_the_page_was_loaded_anew(
    bench: Bench, url: str, times: int
) -> None:
    tried: list[str] = []

    async def browse(arguments: dict[str, Any], context: ToolContext) -> Any:
        if "selector" in arguments:
            tried.append(arguments["url"])
            raise ToolFailed("没有这个元素", kind="bad_arguments")
        return {}

    page = {"properties": {"url": {"type": "string"}}}
    element = {"properties": {"url": {"type": "string"}, "selector": {"type": "string"}}, "required": ["selector"]}
    operations = (
        ToolCapability(name="navigate", parameters=page, refreshes=True),
        ToolCapability(name="extract", parameters=element),
    )
    bench.tool("browser", browse, capabilities=operations)
    extract = {"url": "https://x.y/", "selector": "a.social"}
    context = await bench.round(task("s1", "browser/extract", **extract))
    context = await bench.round(task("s2", "browser/navigate", url=url), context=context)
    await bench.round(task("s3", "browser/extract", **extract), context=context)
    assert len(tried) == times


# In the place of a tool that is not there


@pytest.fixture
def books(bench: Bench) -> Bench:
    """`search_books` is switched off; `find_books` stands in for it, and fails."""

    async def fails(arguments: dict[str, Any], context: ToolContext) -> Any:
        raise ToolFailed("没有这本书", kind="not_found")

    takes = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    for name in ("search_books", "find_books"):
        capability = ToolCapability(name=name, parameters=takes)
        bench.tool(name, fails, capabilities=(capability,), capability_tags=("search",))
    bench.hub.registry.disable("search_books")
    return bench


async def test_a_stand_in_that_failed_is_not_called_by_its_own_name(books: Bench) -> None:
    context = await books.round(task("s1", "search_books", query="dune"))
    context = await books.round(task("s2", "find_books", query="dune"), context=context)
    assert books.calls == [("s1", "find_books", {"query": "dune"})]
    assert context.repeats[0].reason.startswith("The same call of find_books failed before")


async def test_a_stand_in_that_failed_is_not_called_in_another_process(books: Bench) -> None:
    await books.round(task("s1", "search_books", query="dune"))
    context = ExecutionContext(run_id=RUN, task="做")  # the process ended before the round was kept
    context = await books.round(task("s1", "search_books", query="dune"), context=context)
    await books.round(task("s2", "find_books", query="dune"), context=context)
    assert len(books.calls) == 1


async def test_what_failed_by_its_own_name_does_not_stand_in(books: Bench) -> None:
    context = await books.round(task("s1", "find_books", query="dune"))
    await books.round(task("s2", "search_books", query="dune"), context=context)
    assert books.steps_called() == ["s1"]


async def test_a_stand_in_is_called_with_something_else(books: Bench) -> None:
    context = await books.round(task("s1", "search_books", query="dune"))
    await books.round(task("s2", "search_books", query="沙丘"), context=context)
    assert [arguments["query"] for _, _, arguments in books.calls] == ["dune", "沙丘"]


async def test_a_stand_in_whose_result_was_rejected_is_not_called_by_its_own_name(books: Bench) -> None:
    async def nonsense(arguments: dict[str, Any], context: ToolContext) -> Any:
        return float("nan")

    takes = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
    books.hub.registry.remove("find_books")
    capability = ToolCapability(name="find_books", parameters=takes)
    books.tool("find_books", nonsense, capabilities=(capability,), capability_tags=("search",))
    context = await books.round(task("s1", "search_books", query="dune"))
    assert context.steps["s1"].error_type == "wrong_result"
    await books.round(task("s2", "find_books", query="dune"), context=context)
    assert books.steps_called() == ["s1"]
