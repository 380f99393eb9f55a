"""What the web knows, through the search engine that the owner has set."""

from dataclasses import asdict
from typing import Any

from pydantic import Field

from switchyard.language.messages import joined, message, quoted
from switchyard.tools.core import BaseToolParams, ResultMeta, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.masking import every_text
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.search_web.engines import ENGINES, Engine, Hit, Query, Recency, reason_in
from switchyard.tools.web.reply import WebReply, kind_of_status, read_json, text_of
from switchyard.tools.web.request import allowing, fetch
from switchyard.tools.web.secrets import masked

_REDIRECT, _ERROR = 300, 400
_NO_ENTRY = frozenset({401, 403})
_PLAN_USED_UP = frozenset({402, 432, 433})


class SearchWebParams(BaseToolParams):
    """What to search for."""

    query: str = Field(min_length=1, max_length=400, description="What to search for, in a few words.")
    max_results: int = Field(default=8, ge=1, le=20, description="How many results to return at most.")
    language: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z]{2,4})?$",
        description="Only pages in this language, such as en, zh or zh-TW; Tavily ignores it.",
    )
    recency: Recency | None = Field(default=None, description="Only pages of the last day, week, month or year.")


@tool(
    category="search",
    tags=(
        *("search", "web", "internet", "online", "news", "look up", "google", "latest"),
        *("搜索", "网络", "上网", "互联网", "查找", "新闻", "最新", "资料"),
    ),
    capability_tags=("search", "web_search", "搜索", "联网"),
    examples=(
        "Search the web for LangGraph tutorials",
        "What is the latest news about the Mars rover?",
        "Look up the population of Norway online",
        "find recent articles on solid-state batteries",
        "上网搜索 LangGraph 教程",
        "火星车的最新消息是什么？",
        "在网上查一下挪威的人口",
        "查找最近关于固态电池的文章",
    ),
    returns="query, provider, results with title, url, snippet and engine, count",
    answers={"en": "{count} results for '{query}'", "zh": "“{query}”有{count}条搜索结果"},
    sends=True,
    needs_approval=False,  # the query goes to the engine the owner has chosen for it
)
class SearchWeb:
    """Search the web and return titles, addresses and short texts of what was found.

    To read a whole page, give its address to web_scraper.
    """

    async def execute(self, params: SearchWebParams, context: ToolContext) -> ToolResult:
        """The results, best first."""
        policy = context.network
        if policy.search_provider is None:
            raise ToolFailed(message("no_search_engine"), kind="permission")
        engine = ENGINES[policy.search_provider]
        language = (params.language or "").lower().replace("_", "-")
        query = Query(params.query, params.max_results, language, params.recency)
        hits = await _search(engine, query, policy)
        result: dict[str, Any] = {
            "query": params.query,
            "provider": policy.search_provider,
            "results": [asdict(hit) for hit in hits],
            "count": len(hits),
        }
        return ToolResult(result=result, meta=ResultMeta(sources=[hit.url for hit in hits]))


async def _search(engine: Engine, query: Query, policy: NetworkPolicy) -> list[Hit]:
    address = policy.search_url or engine.address
    if not address:
        raise ToolFailed(message("search_needs_url", engine=engine.name), kind="permission")
    if engine.needs_key and not policy.search_key:
        raise ToolFailed(message("search_needs_key", engine=engine.name), kind="permission")
    url = address.rstrip("/").removesuffix(engine.path) + engine.path
    asking = engine.ask(query, policy.search_key)
    try:
        reply = await fetch(
            allowing(policy, url) if policy.search_url else policy,
            url,
            method=asking.method,
            params=asking.params,
            headers=asking.headers,
            body=asking.body,
        )
        found: dict[str, Hit] = {}
        for hit in engine.hits(_answer(engine, reply)):
            found.setdefault(hit.url, hit)
    except RetryTool as error:
        raise ToolFailed(message("search_settings_unusable", problem=quoted(str(error))), kind="permission") from error
    except ToolFailed as error:
        hidden = every_text(str(error), lambda text: masked(text, [policy.search_key]))
        raise ToolFailed(hidden, kind=error.kind) from error
    return list(found.values())[: query.max_results]


def _answer(engine: Engine, reply: WebReply) -> Any:
    """What the engine answered, when it is an answer."""
    text = text_of(reply) or ""
    try:
        answer = read_json(text)
    except ValueError as error:
        if reply.status < _REDIRECT:
            wrong = message("search_not_json", engine=engine.name)
            hint = joined(message("check_search_url"), message(f"search_refused.{engine.refused}"))
            raise ToolFailed(joined(wrong, hint), kind="wrong_result") from error
        answer = None
    if reply.status < _REDIRECT:
        return answer
    said = message("search_answered_status", engine=engine.name, status=reply.status)
    if reason := reason_in(answer):
        because = quoted(reason)
        said = message("search_answered_status_because", engine=engine.name, status=reply.status, reason=because)
    if reply.status < _ERROR:
        raise ToolFailed(joined(said, message("set_search_url")), kind="permission")
    if reply.status in _PLAN_USED_UP:
        raise ToolFailed(said, kind="rate_limit")
    hint = message(f"search_refused.{engine.refused}") if reply.status in _NO_ENTRY else ""
    raise ToolFailed(joined(said, hint), kind=kind_of_status(reply.status))
