"""`patterns` and `tools search --explain`: what was learned is shown, changes the next search, and can be forgotten."""

import json
from pathlib import Path

import pytest

from tests.app.conftest import Invoke
from tests.support.endpoint import Endpoint

HYDROLOGY = str(Path(__file__).resolve().parents[2] / "examples" / "hydrology" / "tools")
WORDINGS = [
    "盘石头水库当前水位",
    "小南海水库当前水位是多少",
    "What is the current water level of Panshitou reservoir?",
    "塔岗水库现在的水位",
    "宝泉水库当前水位",
]


def found(invoke: Invoke, query: str) -> list[str]:
    done = invoke("tools", "search", query, "--json", "-n", "20", "--tools", HYDROLOGY)
    return [row["name"] for row in json.loads(done.stdout)["tools"]]


def score(invoke: Invoke, query: str, tool: str) -> float:
    done = invoke("tools", "search", query, "--json", "-n", "20", "--tools", HYDROLOGY)
    return next((row["parts"]["bm25"] for row in json.loads(done.stdout)["tools"] if row["name"] == tool), 0.0)


def test_the_same_kind_of_question_moves_its_tool_up_and_clearing_undoes_it(invoke: Invoke) -> None:
    kind = "水库水位报一下"
    before = score(invoke, kind, "query_reservoir_last")
    for wording in WORDINGS:
        assert invoke("run", wording, "--tools", HYDROLOGY).exit_code == 0
    after = score(invoke, kind, "query_reservoir_last")
    listed = {row["tool"]: row for row in json.loads(invoke("patterns", "list", "--json").stdout)}
    shown = invoke("patterns", "list", "query_reservoir_last")
    assert after > before
    assert found(invoke, kind)[0] == "query_reservoir_last"
    assert len(listed["query_reservoir_last"]["wordings"]["served"]) >= 3
    assert "盘石头水库当前水位" in shown.stdout
    assert "Forgot what was learned of" in invoke("patterns", "clear").stdout
    assert score(invoke, kind, "query_reservoir_last") == pytest.approx(before)
    assert "还没有学到任何内容" in invoke("patterns", "list").stdout


def test_patterns_of_another_user_are_another_matter(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_USER", "安娜")
    assert invoke("run", "What is 15% of 2480?").exit_code == 0
    assert json.loads(invoke("patterns", "list", "--user", "bob", "--json").stdout) == []
    (own,) = json.loads(invoke("patterns", "list", "--json").stdout)
    assert own["tool"] == "calculate"
    assert json.loads(invoke("patterns", "list", "--user", "安娜", "--json").stdout) == [own]
    assert json.loads(invoke("patterns", "clear", "--user", "bob", "--json").stdout) == {"forgotten": 0}
    assert json.loads(invoke("patterns", "clear", "calculate", "--user", "安娜", "--json").stdout) == {"forgotten": 1}


@pytest.mark.parametrize("query", [WORDINGS[0], WORDINGS[2]])
def test_a_search_explains_itself(invoke: Invoke, query: str) -> None:
    said = invoke("tools", "search", query, "--explain", "--tools", HYDROLOGY).stdout
    told = json.loads(invoke("tools", "search", query, "--explain", "--json", "--tools", HYDROLOGY).stdout)
    lines = said.splitlines()
    assert lines[0].startswith("query_reservoir_last\t")
    assert "Gives the station_code that others need." in said or "提供其他工具需要的 station_code。" in said
    assert set(told["tools"][0]["parts"]) >= {"bm25", "type"}


@pytest.mark.parametrize("query", ["🎻🎻🎻", "ሰላም ዓለም", "the of and", "的了吗"])
def test_what_no_tool_fits_says_so(invoke: Invoke, query: str) -> None:
    done = invoke("tools", "search", query, "--explain")
    assert done.exit_code == 0
    assert "没有合适的工具" in done.stdout


@pytest.mark.parametrize(
    ("query", "why"), [("What is 15% of 2480?", "Chosen by the model."), ("2480的15%", "由模型选出。")]
)
def test_the_model_chooses_among_what_is_recalled(
    invoke: Invoke, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, query: str, why: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("APP_MODEL", "scripted")
    endpoint.script(rank=[{"choices": {"s1": ["calculate"]}}, {"choices": {"s1": []}}])
    (row,) = json.loads(invoke("tools", "search", query, "--rank", "--json").stdout)["tools"]
    assert row["name"] == "calculate"
    assert row["reason"].startswith(why)
    assert "没有合适的工具" in invoke("tools", "search", query, "--rank").stdout
    assert endpoint.kinds == ["rank", "rank"]


@pytest.mark.parametrize("options", [["--strategy", "magic"], ["--rank"]])
def test_a_search_that_cannot_be_made_says_why(invoke: Invoke, options: list[str]) -> None:
    done = invoke("tools", "search", "计算 calculate", *options)
    assert done.exit_code == 2
    assert "fused, bm25, embedding, type" in done.stderr or "APP_MODEL" in done.stderr


@pytest.mark.parametrize("strategy", ["bm25", "embedding", "type"])
def test_one_strategy_can_be_asked_alone(invoke: Invoke, strategy: str) -> None:
    assert "search_web" in invoke("tools", "search", "search the web 搜索", "--strategy", strategy).stdout
