"""The hydrology example, by rules: what is chosen, with which arguments, and what is answered (R11)."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from switchyard.app.orchestrator import Orchestrator, open_orchestrator
from switchyard.app.places import ROOT
from switchyard.app.report import RunReport
from switchyard.app.settings import Settings
from tests.support.endpoint import Endpoint, fills, steps

FOLDER = ROOT / "examples" / "hydrology"
FOLDERS = {"tool_folders": [FOLDER / "tools"], "skill_folders": [FOLDER / "skills"]}
PANSHITOU, XIUWU, JIXIAN, ANYANG = "31020100", "31004100", "31004500", "31005300"

pytestmark = pytest.mark.asyncio(loop_scope="module")

Call = tuple[str, dict[str, Any]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hydrology(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Orchestrator]:
    """Opened once: what only reads may share it."""
    given = {"workspace": tmp_path_factory.mktemp("workspace"), "database": ":memory:", "model": "none"}
    async with open_orchestrator(Settings.model_validate({**given, **FOLDERS})) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def own(make_settings: Callable[..., Settings]) -> AsyncGenerator[Orchestrator]:
    """A test's own, in its own workspace: for what writes."""
    async with open_orchestrator(make_settings(**FOLDERS)) as opened:
        yield opened


def calls(report: RunReport) -> list[Call]:
    return [(step.tool or "", step.arguments) for step in report.steps]


def look_up(name: str) -> Call:
    return "lookup_station_code", {"station_name": name}


def at(code: str, **more: Any) -> dict[str, Any]:
    return {"station_code": code, **more}


async def test_there_are_many_tools_with_chinese_descriptions(hydrology: Orchestrator) -> None:
    specs = [spec for spec in hydrology.hub.registry.listed() if spec.category == "hydrology"]
    assert hydrology.hub.supply.broken() == []
    assert len(specs) > 30
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in spec.summary) for spec in specs)
    assert all({"en", "zh"} <= spec.answers.keys() for spec in specs)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("盘石头水库当前水位", ["query_reservoir_last", "lookup_station_code"]),
        ("What is the current water level of Panshitou reservoir?", ["query_reservoir_last", "lookup_station_code"]),
        ("修武站水位和雨量", ["query_river_last", "lookup_station_code", "query_rain_sum"]),
        ("启动自动预报", ["start_auto_forecast", "start_manual_forecast"]),
    ],
)
async def test_recall_has_the_right_ones_on_top(hydrology: Orchestrator, question: str, first: list[str]) -> None:
    found = await hydrology.hub.finder.recall(question, 10)
    assert [scored.name for scored in found][: len(first)] == first


QUESTIONS: list[tuple[str, list[Call], list[str]]] = [
    (
        "盘石头水库当前水位",
        [look_up("盘石头水库"), ("query_reservoir_last", at(PANSHITOU))],
        ["盘石头水库当前水位246.35米", "低于汛限水位1.65米"],
    ),
    (
        "What is the current water level of Panshitou reservoir?",
        [look_up("Panshitou"), ("query_reservoir_last", at(PANSHITOU))],
        ["Panshitou Reservoir is 246.35 m now"],
    ),
    (
        "修武站水位和雨量",
        [
            look_up("修武站"),
            ("query_river_last", at(XIUWU, measure="water_level")),
            ("query_rain_sum", at(XIUWU)),
        ],
        ["修武站（大沙河）当前水位82.46米", "修武站最近24小时累计雨量5.5毫米"],
    ),
    (
        "What is the water level and rainfall at Xiuwu station?",
        [look_up("Xiuwu"), ("query_river_last", at(XIUWU, measure="water_level")), ("query_rain_sum", at(XIUWU))],
        ["Xiuwu Station is 82.46 m", "5.5 mm of rain"],
    ),
    (
        "修武站过去两天下了多少雨",
        [look_up("修武站"), ("query_rain_sum", at(XIUWU, hours=48))],
        ["修武站最近48小时累计雨量100毫米"],
    ),
    (
        "How much rain fell at Xiuwu station in the last 48 hours?",
        [look_up("Xiuwu"), ("query_rain_sum", at(XIUWU, hours=48))],
        ["100 mm of rain fell at Xiuwu Station"],
    ),
    (
        "比较修武站和汲县站的流量",
        [
            look_up("修武站"),
            look_up("汲县站"),
            ("query_river_last", at(XIUWU, measure="flow")),
            ("query_river_last", at(JIXIAN, measure="flow")),
        ],
        ["流量78.4立方米每秒", "流量134.6立方米每秒"],
    ),
    (
        "哪个水库蓄水量最大",
        [("rank_reservoirs", {"by": "storage", "order": "highest"})],
        ["盘石头水库的蓄水量为243.74百万立方米"],
    ),
    (
        "Which reservoir has the highest water level?",
        [("rank_reservoirs", {"by": "water_level", "order": "highest"})],
        ["Gongshang Reservoir is 501.12 m"],
    ),
    (
        "盘石头水库的蓄满率是多少",
        [look_up("盘石头水库"), ("query_reservoir_storage", at(PANSHITOU))],
        ["占总库容608百万立方米的40.1%"],
    ),
    (
        "How full is Panshitou reservoir?",
        [look_up("Panshitou"), ("query_reservoir_storage", at(PANSHITOU))],
        ["40.1% of its capacity"],
    ),
    (
        "盘石头水库现在蓄水量是多少亿立方米",
        [look_up("盘石头水库"), ("query_reservoir_storage", at(PANSHITOU, unit="hundred_million_m3"))],
        ["2.4374亿立方米"],
    ),
    (
        "哪些河道站超过警戒水位",
        [("list_stations_over_warning", {"threshold": "warning"})],
        ["2个河道站", "淇门站（卫河）水位64.57米，超警戒0.37米", "刘庄站"],
    ),
    (
        "Which reservoirs are above the flood limit?",
        [("list_reservoirs_over_limit", {"limit": "flood_limit"})],
        ["3 reservoirs", "Shimen Reservoir at 297.05 m, 1.05 m above"],
    ),
    (
        "淇门站的警戒水位是多少",
        [look_up("淇门站"), ("query_warning_level", at("31004700"))],
        ["警戒水位是64.2米"],
    ),
    (
        "盘石头水库按200立方米每秒泄洪24小时水位会到多少",
        [look_up("盘石头水库"), ("simulate_release", at(PANSHITOU, outflow=200, hours=24))],
        ["变为245.72米"],
    ),
    ("新乡市农业需水量是多少", [("query_water_demand", {"region": "新乡市", "sector": "农业"})], ["1260万立方米"]),
    ("rain forecast for the next 3 days", [("query_rain_forecast", {"days": 3})], ["41.2 to 82.2 mm"]),
    ("修武站在哪里", [look_up("修武站"), ("query_station_info", at(XIUWU))], ["焦作市修武县"]),
]


@pytest.mark.parametrize(("question", "expected", "said"), QUESTIONS, ids=[question for question, _, _ in QUESTIONS])
async def test_a_question_is_answered(
    hydrology: Orchestrator, question: str, expected: list[Call], said: list[str]
) -> None:
    report = await hydrology.ask(question)
    assert calls(report) == expected
    assert report.status == "answered"
    assert [text for text in said if text not in report.answer] == []


@pytest.mark.parametrize(
    ("question", "last", "said"),
    [
        ("安阳站水位", ("query_river_last", at(ANYANG, measure="water_level")), "安阳站（安阳河）当前水位72.86米"),
        (
            "What is the water level at Anyang station?",
            ("query_river_last", at(ANYANG, measure="water_level")),
            "72.86 m",
        ),
        ("安阳站水位是涨还是落", ("query_river_trend", at(ANYANG)), "安阳站水位回落"),
        ("淇门站水位是涨还是落", ("query_river_trend", at("31004700")), "淇门站水位回落"),
        ("Is the water at Qimen station rising or falling?", ("query_river_trend", at("31004700")), "is falling"),
        ("安阳站雨量", ("query_rain_sum", at(ANYANG)), "安阳站最近24小时累计雨量"),
        ("盘石头水库的雨量", ("query_rain_sum", at(PANSHITOU)), "盘石头水库最近24小时累计雨量"),
        ("盘石头水库离汛限水位还有多少米", ("query_reservoir_last", at(PANSHITOU)), "低于汛限水位1.65米"),
        (
            "How far is Panshitou reservoir below its flood limit level?",
            ("query_reservoir_last", at(PANSHITOU)),
            "1.65 m below the flood limit",
        ),
        (
            "新乡市工业缺水多少",
            ("query_water_balance", {"region": "新乡市", "sector": "工业"}),
            "新乡市工业每天需水318",
        ),
        ("安阳市有几个水库", ("list_stations", {"region": "安阳市", "kind": "reservoir"}), "安阳市共有3个水库"),
        ("How many stations are in Anyang?", ("list_stations", {"region": "安阳市"}), "10 stations in Anyang"),
        (
            "淇河上哪个站水位最低",
            ("rank_river_stations", {"by": "water_level", "order": "lowest", "river": "淇河"}),
            "新村站的水位为102.37米",
        ),
        (
            "Which reservoir on the Qihe has the highest water level?",
            ("rank_reservoirs", {"by": "water_level", "order": "highest", "river": "淇河"}),
            "Gongshang Reservoir is 501.12 m",
        ),
    ],
)
async def test_what_a_question_names_is_used(hydrology: Orchestrator, question: str, last: Call, said: str) -> None:
    report = await hydrology.ask(question)
    assert calls(report)[-1] == last
    assert report.status == "answered"
    assert said in report.answer


@pytest.mark.parametrize(
    "question",
    [
        "盘石头水库有多少条鱼",
        "How many fish are in Panshitou reservoir?",
        "小南海水库的电话是多少",
        "What is the phone number of Xiaonanhai reservoir?",
        "石门站水位",
        "淇河的水位",
        "What is the water level of the Qihe?",
        "卫河上哪些站超警",
    ],
)
async def test_what_no_tool_tells_is_declined(hydrology: Orchestrator, question: str) -> None:
    report = await hydrology.ask(question)
    assert report.status != "answered"
    assert "站码是" not in report.answer
    assert "The code of" not in report.answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("淇河上每个河道站的水位", ["新村站，water_level：102.37", "临淇站，water_level：319.72"]),
        (
            "water level of every river station on the Qihe",
            ["Xincun Station, water_level: 102.37", "Linqi Station, water_level: 319.72"],
        ),
    ],
)
async def test_what_is_asked_of_each_station(hydrology: Orchestrator, question: str, said: list[str]) -> None:
    report = await hydrology.ask(question)
    assert [tool for tool, _ in calls(report)] == ["list_stations", "query_river_last", "data_analyzer"]
    assert calls(report)[0][1] == {"river": "淇河", "kind": "river"}
    assert [text for text in said if text not in report.answer] == []


async def test_a_river_without_reservoirs_has_no_highest_one(hydrology: Orchestrator) -> None:
    report = await hydrology.ask("卫河上哪个水库水位最高")
    assert report.status == "failed"
    assert "卫河没有水库" in report.answer
    english = await hydrology.ask("Which reservoir on the Weihe has the highest water level?")
    assert "There is no reservoir on the Weihe" in english.answer


async def test_the_look_up_is_not_part_of_the_answer(hydrology: Orchestrator) -> None:
    assert "站码" not in (await hydrology.ask("盘石头水库当前水位")).answer
    assert "站码是31020100" in (await hydrology.ask("盘石头水库的站码")).answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("潘石头水库当前水位", "没有名为“潘石头水库”的测站，相近的有盘石头水库"),
        ("What is the water level of Panshitu reservoir?", "no station called 'Panshitu'; near names are Panshitou"),
        ("合河站水位", "“合河站”可以指2个站：合河（卫）站 31004300、合河（共）站 31004400"),
        ("What is the water level at Hehe station?", "'Hehe' may be one of 2 stations: Hehe (Weihe) Station 31004300"),
    ],
)
async def test_a_name_that_means_no_single_station_is_told(hydrology: Orchestrator, question: str, said: str) -> None:
    report = await hydrology.ask(question)
    assert report.status == "failed"
    assert said in report.answer


async def test_a_period_beyond_the_records_is_declined(hydrology: Orchestrator) -> None:
    assert (await hydrology.ask("修武站最近20天的雨量")).status == "failed"


@pytest.mark.parametrize(
    ("question", "started", "listed"),
    [
        ("启动自动预报", "自动预报已启动，编号1", ("预报进度怎么样", "共启动过1次预报")),
        (
            "Start the automatic forecast",
            "forecast is started: number 1",
            ("What is the status of the forecasts?", "1"),
        ),
    ],
)
async def test_a_forecast_starts_when_it_is_approved(
    own: Orchestrator, workspace: Path, question: str, started: str, listed: tuple[str, str]
) -> None:
    waiting = await own.ask(question, thread_id="t")
    assert (waiting.status, calls(waiting)) == ("waiting", [("start_auto_forecast", {})])
    assert not (workspace / ".hydrology").exists()
    report = await own.resume("t", "approve")
    assert started in report.answer
    later = await own.ask(listed[0])
    assert calls(later) == [("query_forecast_status", {})]
    assert listed[1] in later.answer


async def test_a_forecast_that_is_refused_does_not_start(own: Orchestrator, workspace: Path) -> None:
    await own.ask("启动自动预报", thread_id="t")
    await own.resume("t", "refuse")
    assert not (workspace / ".hydrology").exists()


async def test_a_warning_is_issued_when_it_is_approved(make_settings: Callable[..., Settings]) -> None:
    settings = make_settings(**FOLDERS, auto_approve=True)
    async with open_orchestrator(settings) as opened:
        issued = await opened.ask("给鹤壁市发布黄色洪水预警")
        listed = await opened.ask("现在有哪些洪水预警")
    assert calls(issued) == [("issue_flood_warning", {"region": "鹤壁市", "level": "黄色"})]
    assert "已发布鹤壁市黄色洪水预警" in issued.answer
    assert "当前有4条洪水预警生效" in listed.answer


async def test_a_model_reads_a_few_tools_and_the_code_is_handed_on(
    make_settings: Callable[..., Settings], endpoint: Endpoint
) -> None:
    endpoint.script(
        plan=[
            steps(
                {"description": "查盘石头水库的站码", "tool": "lookup_station_code"},
                {"description": "查水库最新水情", "tool": "query_reservoir_last", "dependencies": ["s1"]},
            )
        ],
        fill=[fills(s1={"station_name": "盘石头水库"}, s2={"station_code": "{{s1.station_code}}"})],
        answer=["盘石头水库当前水位246.35米。"],
    )
    async with open_orchestrator(make_settings(**FOLDERS, base_url=endpoint.url, model="scripted")) as opened:
        report = await opened.ask("盘石头水库当前水位")
    assert calls(report) == [look_up("盘石头水库"), ("query_reservoir_last", at(PANSHITOU))]
    assert report.answer == "盘石头水库当前水位246.35米。"
    planner = str(endpoint.requests[0]["messages"])
    assert "lookup_station_code" in planner
    assert "query_duty_roster" not in planner
    tokens = report.usage.tool_tokens
    assert 0 < tokens.definitions < tokens.full_catalogue / 10
