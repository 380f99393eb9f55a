"""Where a text wants something looked up, and what: on the web, in the news, in the user's own documents."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from switchyard.language.tokeniser import located_words
from switchyard.language.words import is_act, is_change

Place = Literal["web", "news", "documents"]

_NET = r"(?:(?:the\s+)?(?:web|internet|world\s+wide\s+web|net)|google|bing|baidu|duckduckgo)"
_DOCS = (
    r"(?:(?:my|our|the|your|these|all|all\s+(?:my|our|the))\s+)?"
    r"(?:notes|docs|documents|documentation|knowledge\s*base|knowledge|handbook|manual|wiki)"
)
_SEEK = r"(?:search|look|browse|scan|check|query|consult|hunt|dig)"
_FIND = r"(?:search(?:\s+for)?|look\s+(?:up|for|into)|find(?:\s+out)?(?:\s+about)?|read\s+up\s+on|research)"
_GOOGLE_ITSELF = (
    r"(?!(?:stocks?|shares?|maps?|drive|docs|calendar|sheets|cloud|chrome|translate|is|was|has|and|or|'s|inc)\b)"
)
_Q = r"(?P<q>\S.{0,300}?)"

_NET_ZH = r"(?:互联网上?|因特网上?|网络上|网上|全网)"
_ENGINE_ZH = r"(?:百度|谷歌|必应|搜狗|google|bing)"
_SEEK_ZH = r"(?:搜索|搜一?搜|搜寻|搜|查找|查一?查|查询|查|检索|找一?找|寻找|找|看一?看|看|了解)(?:一下|下|到|出)?"
_ASK_ZH = r"(?:请|帮我|给我|帮忙|麻烦|你|去|再|先|来|能不能|能|可以|我想)*"
_DOCS_ZH = r"(?:我们?的|你的|这些|项目的?|所有)?(?:笔记|文档|知识库|手册|资料库?)"
_SAID_ZH = r"(?:是)?(?:怎么|怎样|如何|什么)(?:说|写|讲|规定|评价|看|描述|介绍)"
_ABOUT_ZH = (
    r"(?:关于|有关)\s*(?P<about>\S.{0,300}?)\s*的(?:文章|资料|信息|内容|消息|新闻|报道|介绍|说法|评价|教程|帖子)"
)
_Q_ZH = rf"(?:{_ABOUT_ZH}|(?:关于|有关)?\s*{_Q})"
_TELL = r"(?:(?:what(?:'s|\s+is|\s+are)|(?:find|get|show|give|tell)(?:\s+me)?|(?:search|look)\s+for|any)\s+)?"
_NEW = r"(?:latest|recent|newest|current|new)"
_NEW_ZH = r"(?:(?:最近|最新)的?)"
_NEWS_ZH = r"(?:新闻|消息|文章|报道)"
_WHICH_ZH = r"(?:(?:是|有)(?:什么|哪些))"

_WEB = (
    rf"(?:(?:do|run|make)\s+an?\s+)?(?:web|internet|online|google)\s+search\s+(?:for|on|about|of)\s+{_Q}",
    rf"{_SEEK}\s+(?:(?:on|in|through|across|over)\s+)?(?:{_NET}|online)\s+(?:for|about|on)\s+{_Q}",
    rf"{_FIND}\s+{_Q}\s+(?:(?:on|in|from|using|via|over|through|with)\s+{_NET}|online)",
    rf"(?:search|look|find\s+out|look\s+up|read\s+up)\s+online\s+{_Q}",
    rf"google\s+(?:for\s+|about\s+|up\s+)?{_GOOGLE_ITSELF}{_Q}",
    rf"what\s+(?:does|do)\s+(?:{_NET}|people\s+online)\s+(?:say|think|know|tell\s+us)\s+about\s+{_Q}",
    rf"what\s+(?:is\s+there|can\s+(?:you|we|i)\s+find)\s+(?:on\s+{_NET}|online)\s+(?:about|on)\s+{_Q}",
    rf"{_ASK_ZH}(?:上网|联网|(?:[在去从到用]\s*)?{_NET_ZH}|[用在上去]\s*{_ENGINE_ZH}上?)\s*{_ASK_ZH}{_SEEK_ZH}\s*[:：,，]?\s*{_Q_ZH}",
    rf"{_ASK_ZH}{_SEEK_ZH}\s*{_NET_ZH}(?:的|有)?\s*{_Q_ZH}",
    rf"{_ASK_ZH}{_ENGINE_ZH}(?:一下|搜索|搜一?下|搜一?搜|搜)\s*{_Q}",
    rf"{_NET_ZH}{_SAID_ZH}(?:的是)?\s*{_Q}\s*的?",
    rf"{_NET_ZH}(?:关于|对于?|有关)\s*{_Q}\s*{_SAID_ZH}的?",
)
_NEWS = (
    rf"{_TELL}(?:the\s+)?(?P<q>(?:{_NEW}\s+)?(?:news|headlines)\s+(?:about|on|of|regarding)\s+\S.{{0,300}}?)",
    rf"{_TELL}(?:the\s+|some\s+|any\s+)?(?P<q>(?:{_NEW}\s+)?articles\s+(?:about|on|regarding)\s+\S.{{0,300}}?)",
    rf"{_ASK_ZH}(?:{_SEEK_ZH}\s*)?(?P<q>{_NEW_ZH}?(?:关于|有关)\s*\S.{{0,300}}?\s*的{_NEW_ZH}?{_NEWS_ZH}){_WHICH_ZH}?",
    rf"{_ASK_ZH}(?:{_SEEK_ZH}\s*)?(?P<q>\S.{{0,300}}?\s*的?{_NEW_ZH}{_NEWS_ZH}){_WHICH_ZH}?",
)
_DOCUMENTS = (
    rf"what\s+(?:do|does)\s+{_DOCS}\s+(?:say|tell\s+(?:me|us)|have|know)\s+(?:about|on)\s+{_Q}",
    rf"(?:is|are)\s+there\s+(?:anything|something)\s+in\s+{_DOCS}\s+(?:about|on)\s+{_Q}",
    # one word is as likely to be looked for letter by letter
    rf"{_SEEK}\s+(?:in\s+|through\s+)?{_DOCS}\s+(?:for|about|on)\s+(?P<q>[^\s\"']+\s+\S.{{0,300}}?)",
    rf"{_FIND}\s+(?:me\s+)?(?:documents|notes|docs|passages)\s+(?:about|on|regarding)\s+{_Q}",
    rf"{_DOCS_ZH}(?:里面?|中|上|内)?(?:关于|对于?|有关)\s*{_Q}\s*{_SAID_ZH}的?",
    rf"{_DOCS_ZH}(?:里面?|中|上|内)?{_SAID_ZH}\s*{_Q}\s*的?",
    rf"{_ASK_ZH}在?{_DOCS_ZH}(?:里面?|中|内)\s*{_SEEK_ZH}\s*(?:关于|有关)?\s*(?P<q>[\u4e00-\u9fff]{{4,60}})",
    rf"{_ASK_ZH}{_SEEK_ZH}\s*(?:有关|关于)\s*{_Q}\s*的(?:资料|文档|笔记)",
)
_BY_PLACE: dict[Place, tuple[str, ...]] = {"web": _WEB, "news": _NEWS, "documents": _DOCUMENTS}
_PATTERNS: list[tuple[Place, re.Pattern[str]]] = [
    (place, re.compile(rf"^{pattern}$", re.IGNORECASE | re.DOTALL))
    for place, patterns in _BY_PLACE.items()
    for pattern in patterns
]
_NETWORKED = re.compile(
    rf"\b{_SEEK}\w*\s+(?:(?:on|in|through|across)\s+)?(?:the\s+web|the\s+internet|online|google)\b"
    rf"|\b(?:on|from)\s+the\s+(?:web|internet)\b|^\W*google\s+{_GOOGLE_ITSELF}"
    rf"|(?:上网|联网|{_NET_ZH})\s*{_ASK_ZH}{_SEEK_ZH}|{_SEEK_ZH}\s*{_NET_ZH}|{_ENGINE_ZH}(?:一下|搜)",
    re.IGNORECASE,
)
"""The web is where it shall be looked for, even if what is looked for cannot be told."""
_QUOTED = re.compile(r"[\"'“‘「《`]([^\"'”’」》`]+)[\"'”’」》`]")
_POINTS = re.compile(
    r"(?:it|them|that|this|these|those|him|her|(?:the|that|this)\s+(?:result|answer|number|name|title|value)s?"
    r"|它们?|这个|那个|结果|这些|那些|其)$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[,，。;；?？!！\n]|\s(?:and|then)\s+|然后|接着|并且", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked up, and where."""

    place: Place
    query: str | None = None
    """None where a text says where to look and not in so many words what for."""


@lru_cache(maxsize=256)
def read_search(text: str) -> Search | None:
    """What a text as a whole asks to look up; None where it asks something else, or for the files themselves."""
    plain = " ".join(text.split()).strip(" .?!。？！")
    for place, pattern in _PATTERNS:
        if match := pattern.match(plain):
            found = match.groupdict()
            query = (found.get("about") or found.get("q") or "").strip()
            quoted = _QUOTED.fullmatch(query)
            query = quoted[1] if quoted else query
            return Search(place, None if _POINTS.match(query) or _asks_more(query) else query)
    return Search("web") if _NETWORKED.search(plain) else None


def _asks_more(query: str) -> bool:
    """Whether what would be looked up goes on with something else to be done."""
    for joint in _GOES_ON.finditer(query):
        first = next(iter(located_words(query[joint.end() :])), None)
        if joint[0].strip().lower() != "and" or first is None or is_act(first[0]) or is_change(first[0]):
            return True
    return False
