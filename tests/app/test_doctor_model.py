"""`doctor` asks the endpoint with the key: a wrong key, an unknown model and an endpoint that fails are found."""

import json
from collections.abc import Generator

import pytest

from tests.app.conftest import Invoke
from tests.support.web_server import Answer, Asked, WebServer, as_json, web_server

KEY = "sk-right-right-right-right"
LISTED = as_json({"object": "list", "data": [{"id": "m1"}, {"id": "通义"}]})


@pytest.fixture
def served() -> Generator[WebServer]:
    with web_server() as server:
        yield server


def keyed(answer: Answer, asked: Asked) -> Answer:
    right = asked.headers.get("authorization") == f"Bearer {KEY}"
    return answer if right else as_json({"error": "no such key"}, status=401)


def model_finding(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer, *, key: str = KEY, model: str = "m1"
) -> tuple[bool, str]:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("APP_BASE_URL", f"{served.url}/v1/")
    monkeypatch.setenv("APP_MODEL", model)
    finding = next(one for one in json.loads(invoke("doctor", "--json").stdout) if one["name"] == "model")
    assert KEY not in finding["text"]
    return finding["ok"], finding["text"]


@pytest.mark.parametrize("model", ["m1", "通义", "openai:m1"])
def test_a_model_that_is_there_is_found_with_the_key(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer, model: str
) -> None:
    served.pages["/v1/models"] = lambda asked: keyed(LISTED, asked)
    assert model_finding(invoke, monkeypatch, served, model=model) == (True, f"{model} at {served.url}/v1")


def test_a_wrong_key_is_found(invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer) -> None:
    served.pages["/v1/models"] = lambda asked: keyed(LISTED, asked)
    ok, text = model_finding(invoke, monkeypatch, served, key="sk-wrong")
    assert not ok
    assert "refuses the key (status 401)" in text


def test_an_unknown_model_is_found(invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer) -> None:
    served.pages["/v1/models"] = lambda asked: keyed(LISTED, asked)
    ok, text = model_finding(invoke, monkeypatch, served, model="没有")
    assert not ok
    assert "does not know the model '没有'" in text


def test_an_endpoint_that_fails_is_found(invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer) -> None:
    served.pages["/v1/models"] = as_json({"error": f"过载 {KEY}"}, status=503)
    ok, text = model_finding(invoke, monkeypatch, served)
    assert not ok
    assert "status 503" in text
    assert "过载" in text


@pytest.mark.parametrize(("status", "ok"), [(200, True), (401, False), (404, False)])
def test_one_that_lists_nothing_is_asked_for_a_token(
    *, invoke: Invoke, monkeypatch: pytest.MonkeyPatch, served: WebServer, status: int, ok: bool
) -> None:
    served.pages["/v1/chat/completions"] = as_json({"choices": []}, status=status)
    found, _ = model_finding(invoke, monkeypatch, served)
    assert found is ok
    posted = [one for one in served.asked if one.method == "POST"]  # doctor looks at other things at the same time
    assert [json.loads(one.body)["max_tokens"] for one in posted] == [1]
