"""How each search engine is asked and how its answer is read: SearXNG, Tavily and Brave, one shape for all."""

import html
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from switchyard.language.messages import message
from switchyard.tools.core import ToolFailed
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.network import SearchProvider

Recency = Literal["day", "week", "month", "year"]

_MARKS = re.compile(r"<[^<>]*>")
_MAX_SNIPPET = 1000
_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_BRAVE_LANGUAGES = {"ja": "jp", "no": "nb", "pt": "pt-pt"}
_BRAVE_REGIONS = frozenset({"en-gb", "pt-br"})


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for."""

    text: str
    max_results: int
    language: str = ""
    """A language, with a region or script if one is meant, in lower case: `en`, `zh-tw`, `zh-hant`; empty for any."""
    recency: Recency | None = None

    @property
    def base(self) -> str:
        """The language without its region or script."""
        return self.language.partition("-")[0]

    @property
    def region(self) -> str:
        """The region or script of the language."""
        return self.language.partition("-")[2]


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    title: str
    url: str
    snippet: str
    engine: str


@dataclass(frozen=True, slots=True)
class Asking:
    """The part of a request that differs from engine to engine."""

    method: str = "GET"
    params: dict[str, str] = field(default_factory=dict[str, str])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """A search engine: where it is, how it is asked, how its answer is read."""

    name: str
    path: str
    ask: Callable[[Query, str], Asking]
    """Puts a query, with the key."""
    rows: Callable[[dict[str, Any]], Any]
    """The list of results in an answer."""
    snippet: str
    """What the engine calls the text of a result."""
    address: str = ""
    """Where it is unless the owner says otherwise."""
    needs_key: bool = True
    refused: Literal["key", "formats"] = "key"
    """What to look at when it does not let us in."""

    def hits(self, answer: Any) -> Iterator[Hit]:
        """The results of an answer, without those that lead nowhere.

        Raises:
            ToolFailed: when the answer is not the engine's.
        """
        rows = self.rows(answer) if is_object(answer) else None
        if not is_list(rows):
            raise ToolFailed(message("search_form_unknown", engine=self.name), kind="wrong_result")
        for row in rows:
            parts = row if is_object(row) else {}
            url = str(parts.get("url") or "")
            if url.startswith(("http://", "https://")):
                engine = str(parts.get("engine") or self.name.lower())
                yield Hit(_plain(parts.get("title")), url, _plain(parts.get(self.snippet))[:_MAX_SNIPPET], engine)


def reason_in(answer: Any) -> str:
    """What an engine says went wrong, wherever it says it."""
    while is_object(answer):
        said = (answer.get(name) for name in ("error", "detail", "message", "code"))
        answer = next(filter(None, said), None)
    return " ".join(answer.split())[:200].rstrip(".") if isinstance(answer, str) else ""


def _ask_searxng(query: Query, key: str) -> Asking:
    params = {"q": query.text, "format": "json"}
    if query.base == "zh":
        params["language"] = "zh-TW" if query.region in _TRADITIONAL else "zh-CN"
    elif query.language:
        params["language"] = f"{query.base}-{query.region.upper()}" if query.region else query.base
    if query.recency:
        params["time_range"] = query.recency
    return Asking(params=params, headers={"Authorization": f"Bearer {key}"} if key else {})


def _rows_of_searxng(answer: dict[str, Any]) -> Any:
    rows, silent = answer.get("results"), answer.get("unresponsive_engines")
    if rows == [] and silent:
        why = json.dumps(silent, ensure_ascii=False)[:200]
        raise ToolFailed(message("search_engines_silent", why=why), kind="unavailable")
    return rows


def _ask_tavily(query: Query, key: str) -> Asking:
    wanted: dict[str, Any] = {"query": query.text, "max_results": query.max_results}
    if query.recency:
        wanted["time_range"] = query.recency
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return Asking("POST", headers=headers, body=json.dumps(wanted).encode())


def _ask_brave(query: Query, key: str) -> Asking:
    params = {"q": query.text, "count": str(query.max_results), "result_filter": "web", "text_decorations": "false"}
    if query.base == "zh":
        params["search_lang"] = "zh-hant" if query.region in _TRADITIONAL else "zh-hans"
    elif query.language:
        named = query.language in _BRAVE_REGIONS
        params["search_lang"] = query.language if named else _BRAVE_LANGUAGES.get(query.base, query.base)
    if query.recency:
        params["freshness"] = f"p{query.recency[0]}"
    return Asking(params=params, headers={"X-Subscription-Token": key, "Accept": "application/json"})


def _rows_of_brave(answer: dict[str, Any]) -> Any:
    if answer.get("type") == "search" and "web" not in answer:
        return []  # without results there is no part for them
    web = answer.get("web")
    return web.get("results") if is_object(web) else None


def _plain(text: Any) -> str:
    """A text without the marks and the spelling of HTML."""
    return " ".join(html.unescape(_MARKS.sub("", text)).split()) if isinstance(text, str) else ""


ENGINES: dict[SearchProvider, Engine] = {
    "searxng": Engine(
        name="SearXNG",
        path="/search",
        ask=_ask_searxng,
        rows=_rows_of_searxng,
        snippet="content",
        needs_key=False,
        refused="formats",
    ),
    "tavily": Engine(
        name="Tavily",
        path="/search",
        ask=_ask_tavily,
        rows=lambda answer: answer.get("results"),
        snippet="content",
        address="https://api.tavily.com",
    ),
    "brave": Engine(
        name="Brave",
        path="/res/v1/web/search",
        ask=_ask_brave,
        rows=_rows_of_brave,
        snippet="description",
        address="https://api.search.brave.com",
    ),
}
