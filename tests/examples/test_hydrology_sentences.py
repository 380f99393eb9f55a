"""Each sentence of the hydrology example is its own test, and so is each example that its tools print."""

from pathlib import Path
from typing import Any

import pytest

from switchyard.agents.by_rules.deeds import Deed, Deeds
from switchyard.agents.by_rules.planner import steps_of
from switchyard.agents.scope import RunScope
from switchyard.app.places import ROOT
from switchyard.toolhub.sentences import sentences_beside
from switchyard.toolhub.sources.native import discover
from switchyard.tools.core.spec import ToolSpec
from tests.agents.test_sentences import SAID, SAID_IN_CHINESE, native_hub, samples
from tests.support.reading import NOW
from tests.support.scopes import scope_over

TOOLS = ROOT / "examples" / "hydrology" / "tools"
NUMBERS = (("250", 250), ("62.5", 62.5))
REAL = {
    "某某水库": "盘石头水库",
    "某某站": "修武站",
    "某某市": "新乡市",
    "某某河": "淇河",
    "某河": "淇河",
    "the reservoir": "Panshitou reservoir",
    "at the station": "at Xiuwu station",
    "of the station": "of Xiuwu station",
    "for the station": "for Xiuwu station",
    "Where is the station": "Where is Xiuwu station",
    "in the city": "in Xinxiang",
    "for the city": "for Xinxiang",
    "on the river": "on the Qihe",
    "is the river": "is the Qihe",
}
"""What the examples leave open, with something that is there."""


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> RunScope:
    hub = native_hub()
    for tool in discover(TOOLS).tools:
        hub.registry.add(tool)
    return scope_over(hub, tmp_path_factory.mktemp("workspace"), clock=lambda: NOW)


def own(scope: RunScope) -> list[ToolSpec]:
    return [spec for spec in scope.equipment.hub.registry if spec.category == "hydrology"]


def asked(deed: Deed) -> tuple[str, dict[str, Any]]:
    """The call with what is looked up for it."""
    looked_up = deed.look_up.arguments if deed.look_up else {}
    own = {name: value for name, value in deed.call.arguments.items() if not deed.look_up or name != "station_code"}
    return deed.call.tool, {**own, **looked_up}


def test_every_tool_has_sentences_in_both_languages(scope: RunScope) -> None:
    file_of = scope.equipment.hub.registry.file_of
    said = {spec.tool_id: sentences_beside(spec.tool_id, Path(file_of(spec.tool_id))) for spec in own(scope)}
    without = [name for name, found in said.items() if not {True, False} <= {one.chinese for one in found}]
    assert len(said) > 30
    assert without == []


@pytest.mark.parametrize("module", sorted(path.stem for path in TOOLS.glob("[!_]*.py")))
def test_what_a_sentence_may_say_comes_back_as_its_call(
    module: str, scope: RunScope, monkeypatch: pytest.MonkeyPatch, samples_of_each: int
) -> None:
    monkeypatch.setitem(SAID, "number", NUMBERS)
    monkeypatch.setitem(SAID, "date", (("yesterday", "2026-11-15"), ("2026-11-12", "2026-11-12")))
    monkeypatch.setitem(SAID_IN_CHINESE, "date", (("昨天", "2026-11-15"), ("2026年11月12日", "2026-11-12")))
    monkeypatch.setitem(SAID_IN_CHINESE, "topic", (("盘石头", "盘石头"), ("汤河", "汤河"), ("某某", "某某")))
    deeds = Deeds(scope)
    wrong: list[str] = []
    for spec in own(scope):
        for sentence in sentences_beside(spec.tool_id, TOOLS / f"{module}.py"):
            for text, call in samples(sentence, samples_of_each) if not sentence.of_rows else ():
                found = [asked(deed) for deed in deeds.readings(text)]
                if found != [(call.tool, call.arguments)]:
                    wrong.append(
                        f"{text!r}\n    wanted {call.tool} {call.arguments}\n    got {found}\n    {sentence.template}"
                    )
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:40])


async def test_the_examples_that_the_tools_print_lead_to_them(scope: RunScope) -> None:
    astray: list[str] = []
    for spec in own(scope):
        for example in spec.asked:
            question = example
            for left_open, real in REAL.items():
                question = question.replace(left_open, real)
            tools = [step.tool for step in await steps_of(scope, question)]
            astray += [f"{question} -> {tools}, not {spec.tool_id}"] if tools[-1] != spec.tool_id else []
    assert not astray, "\n".join(astray)


@pytest.mark.parametrize(
    ("question", "names", "tools"),
    [
        ("修武站的水位、流量和雨量", ["修武站"], ["query_river_last", "query_river_last", "query_rain_sum"]),
        ("小南海水库和石门水库的水位", ["小南海水库", "石门水库"], ["query_reservoir_last"] * 2),
        ("修武站、汲县站和淇门站的水位", ["修武站", "汲县站", "淇门站"], ["query_river_last"] * 3),
        ("最近两天修武站和汲县站的雨量", ["修武站", "汲县站"], ["query_rain_sum"] * 2),
        ("修武站的水位和汲县站的雨量", ["修武站", "汲县站"], ["query_river_last", "query_rain_sum"]),
        ("Compare the flow at Xiuwu and Jixian stations", ["Xiuwu", "Jixian"], ["query_river_last"] * 2),
        ("water level and flow at Qimen station", ["Qimen"], ["query_river_last"] * 2),
    ],
)
async def test_what_a_joint_leaves_out_is_put_in(
    question: str, names: list[str], tools: list[str], scope: RunScope
) -> None:
    steps = [step.call for step in await steps_of(scope, question) if step.call is not None]
    assert [call.arguments["station_name"] for call in steps if call.tool == "lookup_station_code"] == names
    asked_for = [call for call in steps if call.tool != "lookup_station_code"]
    assert [call.tool for call in asked_for] == tools
    assert all(call.arguments.get("hours") == (48 if "两天" in question else None) for call in asked_for)


@pytest.mark.parametrize(
    "question", ["每个站水位", "哪个水库当前水位", "盘石头水库和小南海水库哪个水位高", "卫河水位和雨量"]
)
async def test_words_for_several_are_no_name(question: str, scope: RunScope) -> None:
    steps = await steps_of(scope, question)
    assert "lookup_station_code" not in [step.tool for step in steps]
