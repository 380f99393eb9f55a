"""Arguments are mended from what the tool, its schema and earlier calls say: evidence, and nothing guessed (R7.3)."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.toolhub.calling.dispatch import wait_said
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.memory.adjustments import AdjustedArguments
from switchyard.tools.core import ToolContext, ToolResult
from switchyard.tools.core.errors import FailureKind
from tests.support.hub_tools import answering, made

TAKES = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "content": {"type": "string"},
        "mode": {"type": "string"},
        "max_lines": {"type": "integer"},
    },
    "required": ["path", "content"],
}


async def adjusted(
    arguments: dict[str, Any],
    error: str = "",
    *,
    kind: FailureKind = "bad_arguments",
    observed: tuple[Any, ...] = (),
    **spec: Any,
) -> AdjustedArguments | None:
    hub = ToolHub(skills=None, native=Path("nowhere"))
    hub.registry.add(made("查", answering(1), **spec))
    return await hub.adjusted(
        "查", None, arguments, kind=kind, error=error, workspace=Path("nowhere"), observed=observed
    )


# Fields by their right name


@pytest.mark.parametrize("writes", [False, True])
@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"path": "a.md", "text": "好"}, {"path": "a.md", "content": "好"}),
        ({"path": "a.md", "Content": "好", "maxLines": 3}, {"path": "a.md", "content": "好", "max_lines": 3}),
        ({"file_path": "a.md", "content": "好"}, {"path": "a.md", "content": "好"}),
        ({"file_path": "a.md", "text": "好"}, {"path": "a.md", "content": "好"}),
    ],
)
async def test_a_field_gets_its_right_name_whether_the_tool_writes_or_not(
    *, given: dict[str, Any], right: dict[str, Any], writes: bool
) -> None:
    better = await adjusted(given, takes=TAKES, writes=writes)
    assert better is not None
    assert (better.arguments, better.sure) == (right, True)


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a.md", "content": "x", "append": True},  # nothing that was said is left out
        {"file": "a.md", "text": "x"},
        {"path": "a.md"},
        {"path": "a.md", "content": 3},
    ],
)
async def test_what_could_mean_anything_is_left_to_somebody_else(given: dict[str, Any]) -> None:
    assert await adjusted(given, takes=TAKES) is None


# Names that an error lists


@pytest.mark.parametrize(
    ("given", "error", "right"),
    [
        (
            {"path": "a.csv", "columns": ["pric"], "group_by": ["pric"]},
            "'a.csv' has no column 'pric'. Did you mean 'price'? Columns: date, price.",
            {"path": "a.csv", "columns": ["price"], "group_by": ["price"]},
        ),
        (
            {"conditions": [{"column": "水位", "op": ">", "value": 3}]},
            "“a.csv”没有“水位”这一列。已有的列：站名、当前水位、雨量。",
            {"conditions": [{"column": "当前水位", "op": ">", "value": 3}]},
        ),
        (
            {"sql": "SELECT Price FROM data"},
            'Referenced column "Price" not found. Candidate bindings: "unit_price"',
            {"sql": "SELECT unit_price FROM data"},
        ),
        (
            {"file": "b.xlsx", "sheet": "summary"},
            "Worksheet 'summary' does not exist. Sheets: Data, Summary",
            {"file": "b.xlsx", "sheet": "Summary"},
        ),
        (
            {"expression": "{{s1.json.temp}} * 2"},
            "'s1.json.temp': no field 'temp'; there are station, temperature_c, humidity.",
            {"expression": "{{s1.json.temperature_c}} * 2"},
        ),
        (
            {"expression": "{{s1.水位}} * 2"},
            "'s1.水位': no field '水位'; there are 站名, 当前水位.",
            {"expression": "{{s1.当前水位}} * 2"},
        ),
        (
            {"url": "http://a.example/v1/stock"},
            "GET http://a.example/v1/stock answered with status 410: gone, use /v2/stock.",
            {"url": "http://a.example/v2/stock"},
        ),
        (
            {"url": "http://a.example/v1/stock"},
            "已停用，请使用 http://a.example/v2/stock",
            {"url": "http://a.example/v2/stock"},
        ),
        (
            {"key": "levl"},
            "no field 'levl'; there are: level, time",
            {"key": "level"},
        ),
    ],
)
async def test_a_name_becomes_the_one_that_is_there(given: dict[str, Any], error: str, right: dict[str, Any]) -> None:
    better = await adjusted(given, error)
    assert better is not None
    assert better.arguments == right


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"column": "name"}, "no column 'name'. Columns: first_name, last_name"),
        ({"column": "volume"}, "no column 'volume'. Columns: date, price"),
        ({"region": "North"}, "There is no region 'North'. Regions: Northeast, South"),
        ({"station": "修武"}, "没有“修武”。已有的站：修武新站、盘石头"),
        ({"version": "v1x"}, "no 'v1x': v2x, v3x"),
        ({"url": "http://a.example/v1/stock"}, "gone: use http://evil.example/v2/stock"),
        ({"url": "http://a.example/v1/stock"}, "not found, see /help 请看 /login"),
    ],
)
async def test_a_name_that_could_be_several_or_another_thing_is_not_guessed(given: dict[str, Any], error: str) -> None:
    assert await adjusted(given, error) is None


# Selectors from the page that was read

PAGE = '<html><div id="top"><a class="nav">首页</a><span class="js-social-count big">42</span></div></html>'


@pytest.mark.parametrize("kind", ["not_found", "bad_arguments"])
async def test_a_selector_comes_from_the_page_that_was_read_where_the_error_says_nothing(kind: FailureKind) -> None:
    given = {"url": "http://x.y", "selector": "a.social-count"}
    better = await adjusted(given, "没有找到", kind=kind, observed=({"rows": [{"html": PAGE}]},))
    assert better is not None
    assert (better.arguments["selector"], better.sure) == ("span.js-social-count", False)


@pytest.mark.parametrize(
    ("selector", "element", "found"),
    [
        ("a.social-count", "<span id='n1' data-id=7 class='js-social-count'>12</span>", "span.js-social-count"),
        ("a.social-count", '<span class="js-social-count" id="n1">12</span>', "span.js-social-count"),
        ("#total", "<b class=sum id=totals>3</b>", "b#totals"),
        ("a.点赞数", "<span id=甲 class='大 新点赞数'>12</span>", "span.新点赞数"),
    ],
)
async def test_every_attribute_of_an_element_is_looked_at(selector: str, element: str, found: str) -> None:
    better = await adjusted({"selector": selector}, "not found", observed=({"text": f"<body>{element}</body>"},))
    assert better is not None
    assert better.arguments["selector"] == found


async def test_where_no_page_was_read_no_selector_is_made_up() -> None:
    assert await adjusted({"selector": "a.social-count"}, "not found", observed=({"text": "3 < 4"},)) is None


# Time


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("429 Too Many Requests, retry after 3600 s", 3600),
        ("Rate limited. Retry-After: 5", 5),
        ("Please try again in 2 minutes.", 120),
        ("slow down, wait 250 ms", 0.25),
        ("请求过多，请在 30 秒后重试", 30),
        ("配额已用完，1 小时后再试", 3600),
        ("请等待5分钟", 300),
        ("retry 3 times", None),
        ("服务不可用", None),
    ],
)
def test_how_long_to_wait_is_read_in_what_a_server_says(text: str, seconds: float | None) -> None:
    assert wait_said(text) == seconds


@pytest.mark.parametrize(
    ("usual", "patience", "granted"), [(1.0, 1, 1), (1.0, 4, 4), (40.0, 2, 60), (90.0, 2, 90), (None, 4, 60)]
)
def test_a_call_that_ran_out_of_time_is_given_more(usual: float | None, patience: int, granted: float) -> None:
    spec = made("查", answering(1), timeout=usual).spec
    assert ToolRequest("查", patience=patience).granted(spec) == granted


async def test_a_failure_says_whether_it_passes(tmp_path: Path) -> None:
    async def busy(arguments: dict[str, Any]) -> Any:
        return ToolResult.failed(f"忙，请在 {arguments['n']} 秒后重试", "rate_limit")

    hub = ToolHub(skills=None, native=Path("nowhere"))
    hub.registry.add(made("查", busy))
    result = await hub.dispatcher.dispatch(ToolRequest("查", None, {"n": 7}, ToolContext(workspace=tmp_path)))
    assert result.meta.wait == 7
