"""Searching, against a server that speaks as SearXNG, Tavily and Brave do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from switchyard.tools.core import ToolContext, ToolFailed
from switchyard.tools.core.errors import TRANSIENT
from switchyard.tools.core.network import NetworkPolicy, SearchProvider
from switchyard.tools.search_web import SearchWeb, SearchWebParams
from switchyard.tools.web.request import fetch
from tests.support.web_server import Answer, WebServer, as_json, moved, page, web_server

KEY = "tvly-0123456789abcdef"

SEARXNG = {
    "query": "水库",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://example.org/reservoir",
            "title": "Reservoir &amp; dam",
            "content": "A <b>reservoir</b> is\n an enlarged lake.",
            "engine": "duckduckgo",
            "parsed_url": ["https", "example.org", "/reservoir", "", "", ""],
            "template": "default.html",
            "engines": ["duckduckgo", "brave"],
            "positions": [1, 2],
            "publishedDate": None,
            "score": 4.0,
            "category": "general",
        },
        {"url": "https://example.org/reservoir", "title": "The same again", "content": "", "engine": "brave"},
        {"url": "https://例子.中国/水库", "title": "水库", "content": "水库是人工湖。", "engine": "bing", "score": 1.0},
        {"url": "magnet:?xt=1", "title": "not a page", "engine": "torrent"},
        {"title": "leads nowhere", "engine": "wikidata"},
        {"url": "https://example.org/3", "title": None, "content": None, "engine": "bing"},
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": ["水库 水位"],
    "unresponsive_engines": [["google", "timeout"]],
}
TAVILY = {
    "query": "水库",
    "follow_up_questions": None,
    "answer": None,
    "images": [],
    "results": [
        {"url": "https://example.org/a", "title": "Reservoirs", "content": "Text.", "score": 0.9, "raw_content": None},
        {
            "url": "https://example.org/b",
            "title": "水库",
            "content": "水库是人工湖。",
            "score": 0.8,
            "raw_content": None,
        },
    ],
    "response_time": 1.09,
    "request_id": "1a2b",
}
BRAVE = {
    "type": "search",
    "query": {"original": "水库", "more_results_available": True},
    "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": False}], "top": [], "side": []},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Reservoir - Encyclopedia",
                "url": "https://example.org/brave",
                "is_source_local": False,
                "description": "A <strong>reservoir</strong> &#x27;stores&#x27; water.",
                "profile": {"name": "Example", "url": "https://example.org"},
                "language": "en",
                "family_friendly": True,
                "type": "search_result",
                "subtype": "generic",
            },
            {
                "title": "水库",
                "url": "https://example.org/zh",
                "description": "水库是人工湖。",
                "type": "search_result",
            },
        ],
        "family_friendly": True,
    },
}
PATHS = {"searxng": "/search", "tavily": "/search", "brave": "/res/v1/web/search"}
ANSWERS: dict[str, Any] = {"searxng": SEARXNG, "tavily": TAVILY, "brave": BRAVE}
PROVIDERS = ["searxng", "tavily", "brave"]


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        yield running


async def search(
    server: WebServer, provider: SearchProvider, query: str = "水库", answer: Any = None, **arguments: Any
) -> dict[str, Any]:
    server.pages[PATHS[provider]] = answer if isinstance(answer, Answer) else as_json(answer or ANSWERS[provider])
    policy = NetworkPolicy(search_provider=provider, search_url=server.url, search_key=KEY)
    result = await SearchWeb().execute(
        SearchWebParams(query=query, **arguments), ToolContext(workspace=Path(), network=policy)
    )
    assert result.meta.sources == [hit["url"] for hit in result.result["results"]]
    return result.result


async def test_searxng(server: WebServer):
    found = await search(server, "searxng")
    assert found == {
        "query": "水库",
        "provider": "searxng",
        "count": 3,
        "results": [
            {
                "title": "Reservoir & dam",
                "url": "https://example.org/reservoir",
                "snippet": "A reservoir is an enlarged lake.",
                "engine": "duckduckgo",
            },
            {"title": "水库", "url": "https://例子.中国/水库", "snippet": "水库是人工湖。", "engine": "bing"},
            {"title": "", "url": "https://example.org/3", "snippet": "", "engine": "bing"},
        ],
    }
    assert server.asked[0].query == {"q": "水库", "format": "json"}


async def test_tavily(server: WebServer):
    found = await search(server, "tavily", "reservoir 水库")
    assert found["results"] == [
        {"title": "Reservoirs", "url": "https://example.org/a", "snippet": "Text.", "engine": "tavily"},
        {"title": "水库", "url": "https://example.org/b", "snippet": "水库是人工湖。", "engine": "tavily"},
    ]
    (asked,) = server.asked
    assert (asked.method, asked.headers["authorization"]) == ("POST", f"Bearer {KEY}")
    assert asked.headers["content-type"] == "application/json"
    assert json.loads(asked.body) == {"query": "reservoir 水库", "max_results": 8}


async def test_brave(server: WebServer):
    found = await search(server, "brave", max_results=20)
    assert found["results"] == [
        {
            "title": "Reservoir - Encyclopedia",
            "url": "https://example.org/brave",
            "snippet": "A reservoir 'stores' water.",
            "engine": "brave",
        },
        {"title": "水库", "url": "https://example.org/zh", "snippet": "水库是人工湖。", "engine": "brave"},
    ]
    (asked,) = server.asked
    assert asked.headers["x-subscription-token"] == KEY
    assert asked.query == {"q": "水库", "count": "20", "result_filter": "web", "text_decorations": "false"}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_no_more_than_were_asked_for(server: WebServer, provider: SearchProvider):
    assert (await search(server, provider, max_results=1))["count"] == 1


@pytest.mark.parametrize(
    ("provider", "answer"),
    [
        ("searxng", {**SEARXNG, "results": [], "unresponsive_engines": []}),
        ("tavily", {**TAVILY, "results": []}),
        ("brave", {"type": "search", "query": {"original": "x"}}),
    ],
)
async def test_nothing_found_is_a_result(server: WebServer, provider: SearchProvider, answer: dict[str, Any]):
    found = await search(server, provider, answer=answer)
    assert (found["results"], found["count"]) == ([], 0)


async def test_nothing_found_because_nobody_answered(server: WebServer):
    with pytest.raises(ToolFailed, match=r"google.*timeout") as caught:
        await search(server, "searxng", answer={**SEARXNG, "results": []})
    assert caught.value.kind == "unavailable"


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        (NetworkPolicy(), ["APP_SEARCH_PROVIDER", "APP_SEARCH_URL", "APP_SEARCH_KEY"]),
        (NetworkPolicy(search_key=KEY), ["APP_SEARCH_PROVIDER"]),
        (NetworkPolicy(search_provider="searxng"), ["SearXNG", "APP_SEARCH_URL"]),
        (NetworkPolicy(search_provider="tavily"), ["Tavily", "APP_SEARCH_KEY"]),
        (NetworkPolicy(search_provider="brave"), ["Brave", "APP_SEARCH_KEY"]),
        (NetworkPolicy(search_provider="searxng", search_url="localhost:8888"), ["search settings"]),
        (NetworkPolicy(search_provider="searxng", search_url="file:///etc/passwd"), ["search settings"]),
        (NetworkPolicy(search_provider="brave", search_key="a\nb"), ["search settings"]),
    ],
)
async def test_settings_that_are_missing_are_named(policy: NetworkPolicy, named: list[str]):
    with pytest.raises(ToolFailed) as caught:
        await SearchWeb().execute(SearchWebParams(query="水库"), ToolContext(workspace=Path(), network=policy))
    assert caught.value.kind not in TRANSIENT  # to ask again changes no setting
    assert all(name in str(caught.value) for name in named)


@pytest.mark.parametrize(
    ("provider", "answer", "kind", "said"),
    [
        (
            "searxng",
            page("Forbidden", status=403),
            "permission",
            "status 403: Forbidden. Check APP_SEARCH_URL and APP_SEARCH_KEY",
        ),
        (
            "searxng",
            page("Too Many Requests", status=429),
            "rate_limit",
            "SearXNG answered with status 429: Too Many Requests.",
        ),
        (
            "searxng",
            page("<html>results</html>"),
            "wrong_result",
            "SearXNG did not answer in JSON. Check APP_SEARCH_URL",
        ),
        ("searxng", as_json(["x"]), "wrong_result", "not its own"),
        ("searxng", as_json({"hello": 1}), "wrong_result", "not its own"),
        (
            "tavily",
            as_json({"detail": {"error": f"Unauthorized: invalid API key {KEY}."}}, status=401),
            "permission",
            "Unauthorized: invalid API key ***.",
        ),
        (
            "tavily",
            as_json({"detail": {"error": "This request exceeds your plan's set usage limit."}}, status=432),
            "rate_limit",
            "exceeds your plan's set usage limit.",
        ),
        ("tavily", as_json({"detail": {"error": "Query is too long."}}, status=400), "bad_arguments", "too long."),
        ("tavily", moved("https://new.example/search"), "permission", "Check APP_SEARCH_URL"),
        (
            "brave",
            as_json(
                {
                    "type": "ErrorResponse",
                    "error": {
                        "id": "e008f95d",
                        "status": 422,
                        "detail": "Unable to validate request parameter(s)",
                        "meta": {"errors": [{"loc": ["query", "search_lang"], "input": "xx"}]},
                    },
                },
                status=422,
            ),
            "bad_arguments",
            "Unable to validate request parameter(s)",
        ),
        (
            "brave",
            as_json({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 401}}, status=401),
            "permission",
            "SUBSCRIPTION_TOKEN_INVALID",
        ),
        ("brave", as_json({"type": "search", "web": []}), "wrong_result", "not its own"),
        ("brave", page("服务暂停", status=503), "unavailable", "Brave answered with status 503: "),
    ],
)
async def test_what_an_engine_complains_of(
    server: WebServer, provider: SearchProvider, answer: Answer, kind: str, said: str
):
    with pytest.raises(ToolFailed) as caught:
        await search(server, provider, answer=answer)
    assert said in str(caught.value)
    assert KEY not in str(caught.value)
    assert caught.value.kind == kind


@pytest.mark.parametrize("tail", ["", "/", "/search", "/search/"])
async def test_the_address_may_be_written_with_or_without_its_path(server: WebServer, tail: str):
    server.pages["/search"] = as_json(SEARXNG)
    policy = NetworkPolicy(search_provider="searxng", search_url=server.url + tail)
    result = await SearchWeb().execute(SearchWebParams(query="dam"), ToolContext(workspace=Path(), network=policy))
    assert result.result["count"] == 3
    assert "authorization" not in server.asked[0].headers


async def test_the_engine_alone_may_be_private(server: WebServer):
    """The owner has named its address; that opens no other door."""
    with web_server() as inside:
        inside.pages["/"] = as_json(SEARXNG)
        with pytest.raises(ToolFailed, match="private"):
            await search(server, "searxng", answer=moved(inside.url))
        assert inside.asked == []
    policy = NetworkPolicy(search_provider="searxng", search_url=server.url)
    with pytest.raises(ToolFailed, match="private"):
        await fetch(policy, server.url)
