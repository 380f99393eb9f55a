"""What the web knows, through the search engine that the owner has set: SearXNG, Tavily or Brave, one shape for all."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from switchyard.language.messages import joined, message, quoted
from switchyard.tools.core import BaseToolParams, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.masking import masked
from switchyard.tools.core.network import NetworkPolicy, SearchProvider
from switchyard.tools.web.reply import WebReply, kind_of_status, read_json, text_of
from switchyard.tools.web.request import allowing, fetch

_REDIRECT = 300
_PLAN_USED_UP = frozenset({402, 432, 433})
_MARKS = re.compile(r"<[^<>]*>")
_MAX_SNIPPET = 1000
_MAX_REASON = 200


class SearchWebParams(BaseToolParams):
    """What to search for."""

    query: str = Field(min_length=1, max_length=400, description="What to search for, in a few words.")
    max_results: int = Field(default=8, ge=1, le=20, description="How many results to return at most.")


@tool(
    category="search",
    capability_tags=("search", "web_search", "搜索", "联网"),
    returns="query, provider, results with title, url, snippet and engine, count",
    sends=True,
    needs_approval=False,  # the query goes to the engine the owner has chosen for it
)
class SearchWeb:
    """Search the web and return titles, addresses and short texts of what was found.

    To read a whole page, give its address to web_scraper.
    """

    def unusable(self, network: NetworkPolicy) -> str | None:
        """There is no engine to ask."""
        return message("search_engine_missing") if network.search_provider is None else None

    async def execute(self, params: SearchWebParams, context: ToolContext) -> ToolResult:
        """The results, best first."""
        policy = context.network
        if policy.search_provider is None:
            raise ToolFailed(message("no_search_engine"), kind="permission", lasting=True)
        hits = await _search(_ENGINES[policy.search_provider], params, policy)
        result = {"query": params.query, "provider": policy.search_provider, "results": hits, "count": len(hits)}
        return ToolResult.of(result, *(hit["url"] for hit in hits))


@dataclass(frozen=True, slots=True)
class _Engine:
    """A search engine: where it is, how it is asked, how its answer is read."""

    name: str
    path: str
    request: Callable[[SearchWebParams, str], dict[str, Any]]
    """The request for a query, with the key: what `fetch` takes."""
    rows: Callable[[dict[str, Any]], Any]
    """The list of results in an answer."""
    snippet: str
    """What the engine calls the text of a result."""
    address: str = ""
    """Where it is unless the owner says otherwise."""
    needs_key: bool = True

    def hits(self, answer: Any) -> dict[str, dict[str, str]]:
        """The results of an answer by their addresses, without those that lead nowhere."""
        rows = self.rows(answer) if is_object(answer) else None
        if not is_list(rows):
            raise ToolFailed(message("search_form_unknown", engine=self.name), kind="wrong_result")
        found: dict[str, dict[str, str]] = {}
        for row in filter(is_object, rows):
            url = str(row.get("url") or "")
            if url.startswith(("http://", "https://")) and url not in found:
                snippet, engine = _plain(row.get(self.snippet)), str(row.get("engine") or self.name.lower())
                found[url] = {"title": _plain(row.get("title")), "url": url}
                found[url] |= {"snippet": snippet[:_MAX_SNIPPET], "engine": engine}
        return found


async def _search(engine: _Engine, params: SearchWebParams, policy: NetworkPolicy) -> list[dict[str, str]]:
    address = policy.search_url or engine.address
    if not address:
        raise ToolFailed(message("search_needs_url", engine=engine.name), kind="permission")
    if engine.needs_key and not policy.search_key:
        raise ToolFailed(message("search_needs_key", engine=engine.name), kind="permission")
    url = address.rstrip("/").removesuffix(engine.path) + engine.path
    try:
        policy_here = allowing(policy, url) if policy.search_url else policy
        reply = await fetch(policy_here, url, **engine.request(params, policy.search_key))
        return list(engine.hits(_answer(engine, reply)).values())[: params.max_results]
    except RetryTool as error:
        raise ToolFailed(message("search_settings_unusable", problem=quoted(str(error))), kind="permission") from error
    except ToolFailed as error:
        error.args = (masked(error.args[0], [policy.search_key]),)
        raise


def _answer(engine: _Engine, reply: WebReply) -> Any:
    """What the engine answered, when it is an answer."""
    text = text_of(reply) or ""
    if reply.status < _REDIRECT:
        try:
            return read_json(text)
        except ValueError as error:
            wrong = joined(message("search_not_json", engine=engine.name), message("check_search_settings"))
            raise ToolFailed(wrong, kind="wrong_result") from error
    reason = quoted(_plain(text)[:_MAX_REASON])
    said = message("search_answered_status", engine=engine.name, status=reply.status, reason=reason)
    kind = kind_of_status(reply.status) if reply.is_error else "permission"
    kind = "rate_limit" if reply.status in _PLAN_USED_UP else kind
    raise ToolFailed(joined(said, message("check_search_settings")), kind=kind, wait=reply.wait)


def _plain(text: Any) -> str:
    return " ".join(html.unescape(_MARKS.sub("", text)).split()) if isinstance(text, str) else ""


def _ask_searxng(params: SearchWebParams, key: str) -> dict[str, Any]:
    asked = {"q": params.query, "format": "json"}
    return {"params": asked, "headers": {"Authorization": f"Bearer {key}"} if key else {}}


def _rows_of_searxng(answer: dict[str, Any]) -> Any:
    rows, silent = answer.get("results"), answer.get("unresponsive_engines")
    if rows == [] and silent:
        why = json.dumps(silent, ensure_ascii=False)[:200]
        raise ToolFailed(message("search_engines_silent", why=why), kind="unavailable")
    return rows


def _ask_tavily(params: SearchWebParams, key: str) -> dict[str, Any]:
    asked = {"query": params.query, "max_results": params.max_results}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return {"method": "POST", "headers": headers, "body": json.dumps(asked).encode()}


def _ask_brave(params: SearchWebParams, key: str) -> dict[str, Any]:
    asked = {"q": params.query, "count": str(params.max_results), "result_filter": "web", "text_decorations": "false"}
    return {"params": asked, "headers": {"X-Subscription-Token": key, "Accept": "application/json"}}


def _rows_of_brave(answer: dict[str, Any]) -> Any:
    if answer.get("type") == "search" and "web" not in answer:
        return []  # without results there is no part for them
    web = answer.get("web")
    return web.get("results") if is_object(web) else None


_TAVILY, _BRAVE = "https://api.tavily.com", "https://api.search.brave.com"
_ENGINES: dict[SearchProvider, _Engine] = {
    "searxng": _Engine("SearXNG", "/search", _ask_searxng, _rows_of_searxng, "content", needs_key=False),
    "tavily": _Engine("Tavily", "/search", _ask_tavily, lambda answer: answer.get("results"), "content", _TAVILY),
    "brave": _Engine("Brave", "/res/v1/web/search", _ask_brave, _rows_of_brave, "description", _BRAVE),
}
