"""Servers over streamable HTTP: a real one in a process of its own, on loopback."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from switchyard.toolhub.sources.mcp.connection import _Client  # pyright: ignore[reportPrivateUsage]
from switchyard.toolhub.sources.mcp.source import McpSource
from tests.support.mcp_bench import PATIENT, WebServer, call, health, names, nothing_left, until, web_server

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENVIRONMENT = {**os.environ, "WEB_TOKEN": "let-me-in"}
HEADERS = {"Authorization": "Bearer ${WEB_TOKEN}", "X-Team": "水文-hydrology"}


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


@pytest.fixture(scope="module")
def address(server: WebServer) -> str:
    return server.url


def in_words(text: str) -> str:
    """A header as its bytes were sent; servers read them as Latin-1."""
    return text.encode("latin-1").decode()


def entry(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "http", "url": url, "headers": HEADERS, **more}


async def test_addresses_that_cannot_be_used_say_what_to_change(address: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/mcp"
    reasons = {
        "nobody": "it cannot be reached at its address",
        "nowhere": "its address answered 404: nothing is there; correct 'url'",
        "page": "it answered with something that is no MCP message",
        "refused": "its address answered HTTP 401; check 'headers'",
    }
    servers = {
        "nobody": entry(nobody),
        "nowhere": entry(f"{address}/elsewhere"),
        "page": entry(f"{address}/html"),
        "refused": {"url": f"{address}/mcp", "headers": {"Authorization": "Bearer wrong-secret-错"}},
    }
    async with (
        nothing_left(),
        McpSource(servers, cache_dir=tmp_path, environment=ENVIRONMENT, patience=PATIENT) as source,
    ):
        await until(lambda: all(health(source, name).error for name in servers))
        errors = {name: health(source, name).error for name in servers}
    assert {name: reason in errors[name] for name, reason in reasons.items()} == dict.fromkeys(reasons, True), errors
    assert "wrong-secret" not in repr(errors)


async def test_an_address_that_never_answers_says_so(address: str, tmp_path: Path) -> None:
    servers, patience = {"silent": entry(f"{address}/silent")}, replace(PATIENT, start=1)
    async with (
        nothing_left(),
        McpSource(servers, cache_dir=tmp_path, environment=ENVIRONMENT, patience=patience) as source,
    ):
        await until(lambda: "it did not answer in time" in health(source, "silent").error)


async def test_an_answer_that_never_comes_is_dropped_alone(address: str) -> None:
    async with _Client(timeout=httpx.Timeout(60, read=0.1)) as client:
        assert (await client.post(f"{address}/silent")).status_code == 202


async def test_no_secret_reaches_the_log_of_httpx(
    address: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    servers = {"web": {"url": f"{address}/html?key=${{WEB_TOKEN}}", "headers": HEADERS}}
    async with McpSource(servers, cache_dir=tmp_path, environment=ENVIRONMENT, patience=PATIENT):
        pass
    assert "/html?key=***" in caplog.text
    assert "let-me-in" not in caplog.text


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def source(address: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[McpSource]:
    folder = tmp_path_factory.mktemp("cache")
    servers = {"web": entry(f"{address}/mcp"), "hurried": entry(f"{address}/mcp", timeout=1)}
    async with (
        nothing_left(),
        McpSource(servers, cache_dir=folder, environment=ENVIRONMENT, patience=PATIENT) as opened,
    ):
        yield opened


async def test_a_call(source: McpSource) -> None:
    first, second = await asyncio.gather(call(source, "web/pid"), call(source, "web/pid"))
    assert first.success
    assert first.result == second.result
    assert health(source, "web").transport == "http"


async def test_what_comes_back_is_declared(source: McpSource) -> None:
    spec = next(tool.spec for tool in source.tools() if tool.spec.tool_id == "web/learn")
    assert (spec.returns, spec.asks_first) == ("result", False)
    assert spec.returns_schema is not None
    assert spec.returns_schema["required"] == ["result"]


async def test_headers_are_sent_and_never_shown(source: McpSource) -> None:
    assert (await call(source, "web/headers", name="authorization")).result == {"value": "***"}
    team = (await call(source, "web/headers", name="x-team")).result["value"]
    assert in_words(team) == "水文-hydrology"
    assert "let-me-in" not in repr(source.configs())
    assert source.configs()[0].shown()["headers"] == {"Authorization": "***", "X-Team": "***"}


async def test_a_hanging_call_is_called_off_and_the_session_lives_on(source: McpSource) -> None:
    result = await call(source, "hurried/hang")
    assert (result.error, result.error_type) == ("The MCP server 'hurried' did not answer within 1 s.", "timeout")
    async with asyncio.timeout(120):
        while not (await call(source, "web/called_off")).result["cancelled"]:
            pass
    assert health(source, "hurried").restarts == 0


async def test_the_list_is_asked_for_again_when_the_server_says_so(source: McpSource) -> None:
    await call(source, "web/learn", name="新工具")
    await until(lambda: "web/新工具" in names(source))


async def test_a_server_that_was_restarted_is_used_again(server: WebServer, tmp_path: Path) -> None:
    servers = {"web": entry(f"{server.url}/mcp")}
    async with (
        nothing_left(),
        McpSource(servers, cache_dir=tmp_path, environment=ENVIRONMENT, patience=PATIENT) as source,
    ):
        first = (await call(source, "web/pid")).result
        server.kill()
        assert (await call(source, "web/pid")).error_type == "unavailable"
        server.start()
        await until(lambda: health(source, "web").state == "ready")
        second = await call(source, "web/pid")
        assert second.success, second.error
        assert second.result != first
