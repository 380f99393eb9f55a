"""What tools are good for, in one table of words: similar tools share a tag (R4.4).

A tool declares its tags, in either language, or they are derived from its name and its summary. A project adds entries
of its own with `CapabilityTable.extended`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from switchyard.tools.core.spec import ToolSpec

Together = Literal["best", "synthesise"]
"""What becomes of the answers of several similar tools: the first good one is taken, or all are merged."""

Likeness = Literal["calculation", "time", "search", "extraction", "other"]
"""The kinds of results that are treated differently."""


class Capability(BaseModel):
    """One tag, and the words it is known by."""

    model_config = ConfigDict(frozen=True)

    tag: str
    zh: str = ""
    words: tuple[str, ...] = ()
    """English and Chinese words that speak for the tag in a name or a summary."""
    in_name: tuple[str, ...] = ()
    """Words that do so only in a name: in a sentence they may mean anything."""
    like: Likeness = "other"
    vague: bool = False
    """A verb alone: tools that share it need not serve the same purpose, and none is called in another's place."""


TABLE = (
    Capability(
        tag="calculate",
        zh="计算",
        words=("calculate", "calculator", "calculation", "compute", "arithmetic", "计算", "算术"),
        in_name=("math",),
        like="calculation",
    ),
    Capability(tag="convert", zh="转换", words=("convert", "converter", "conversion", "转换", "换算"), vague=True),
    Capability(
        tag="time",
        zh="时间",
        words=("current time", "time zone", "timezone", "weekday", "当前时间", "现在几点", "时区", "星期几"),
        in_name=("time", "date", "datetime", "clock", "calendar", "时间", "日期", "日历"),
        like="time",
    ),
    Capability(
        tag="search",
        zh="搜索",
        words=("search", "look up", "搜索", "检索", "搜寻"),
        in_name=("find", "lookup", "查找"),
        like="search",
    ),
    Capability(
        tag="extract",
        zh="提取",
        words=("extract", "extraction", "提取", "抽取"),
        in_name=("scraper",),
        like="extraction",
    ),
    Capability(
        tag="fetch",
        zh="抓取",
        words=("scrape", "crawl", "fetch a url", "fetch a page", "抓取", "爬取"),
        in_name=("fetch", "scraper", "crawler", "download", "下载"),
        like="extraction",
    ),
    Capability(
        tag="browse", zh="浏览", words=("browser", "浏览器"), in_name=("browse", "浏览"), like="extraction", vague=True
    ),
    Capability(
        tag="history",
        zh="历史",
        words=("conversation history", "chat history", "对话历史", "聊天记录"),
        in_name=("history", "历史"),
    ),
    Capability(tag="read", zh="读取", words=("read a file", "读取文件"), in_name=("read", "读取"), vague=True),
    Capability(
        tag="write",
        zh="写入",
        words=("write to a file", "写入文件"),
        in_name=("write", "save", "写入", "保存"),
        vague=True,
    ),
    Capability(tag="list", zh="列出", words=("list files", "列出文件"), in_name=("list", "ls", "列出"), vague=True),
    Capability(
        tag="execute",
        zh="执行",
        words=("execute code", "run code", "执行代码", "运行代码"),
        in_name=("execute", "executor", "执行", "运行"),
        vague=True,
    ),
    Capability(tag="analyze", zh="分析", words=("analyze", "analyse", "analyzer", "analysis", "分析"), vague=True),
    Capability(tag="translate", zh="翻译", words=("translate", "translator", "translation", "翻译")),
    Capability(tag="summarize", zh="摘要", words=("summarize", "summarise", "摘要", "总结", "概括")),
    Capability(tag="weather", zh="天气", words=("weather", "天气")),
    Capability(
        tag="send",
        zh="发送",
        words=("send an email", "send a message", "发送邮件", "发送消息"),
        in_name=("send", "notify", "发送", "通知"),
        vague=True,
    ),
)
"""What ships. English words also stand for their forms in -s, -es, -d, -ed and -ing."""

_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\W]+")
_TOGETHER: dict[Likeness, Together] = {
    "calculation": "best",
    "time": "best",
    "search": "synthesise",
    "extraction": "synthesise",
}


class CapabilityTable:
    """Finds the tags of tools."""

    def __init__(self, entries: Iterable[Capability] = TABLE) -> None:
        self._entries: dict[str, Capability] = {}
        for entry in entries:
            known = self._entries.get(entry.tag)
            self._entries[entry.tag] = entry if known is None else _joined(known, entry)
        self._canonical = {
            word.lower(): entry.tag
            for entry in reversed(self._entries.values())  # a word of two entries is the first one's
            for word in (*entry.in_name, *entry.words, entry.zh, entry.tag)
            if word
        }
        self._patterns = [
            (entry.tag, _pattern(entry.words), _pattern(entry.in_name)) for entry in self._entries.values()
        ]
        self.derived = lru_cache(maxsize=20_000)(self._derived)
        """The tags a name and a text speak for, most telling first."""

    def extended(self, entries: Iterable[Capability]) -> "CapabilityTable":
        """This table with entries of a project; one of a tag that is there adds its words to it."""
        return CapabilityTable([*self._entries.values(), *entries])

    def canonical(self, tag: str) -> str:
        """The tag a word stands for: 搜索 is `search`; a word that is not in the table stands for itself."""
        word = tag.strip().lower()
        return self._canonical.get(word, word)

    def tags_of(self, spec: ToolSpec) -> tuple[str, ...]:
        """The tags of a tool, as it declares them or as its name and summary say."""
        if spec.capability_tags:
            return tuple(dict.fromkeys(map(self.canonical, spec.capability_tags)))
        return self.derived(spec.name, spec.summary)

    def described(self, spec: ToolSpec) -> ToolSpec:
        """The tool with its tags in both languages, where it declares none."""
        tags = self.tags_of(spec)
        if spec.capability_tags or not tags:
            return spec
        names = [name for tag in tags for name in (tag, self._entries[tag].zh) if name]
        return spec.model_copy(update={"capability_tags": tuple(names)})

    def interchangeable(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Those of the tags whose tools can stand in for each other."""
        return tuple(tag for tag in tags if not (tag in self._entries and self._entries[tag].vague))

    def likeness(self, tags: Iterable[str]) -> Likeness:
        """How results of tools with these tags are treated."""
        kinds: list[Likeness] = [self._entries[tag].like for tag in tags if tag in self._entries]
        kinds.sort(key="other".__eq__)
        return kinds[0] if kinds else "other"

    def together(self, tags: Iterable[str]) -> Together | None:
        """What becomes of several answers; None where it depends on how many there are."""
        return _TOGETHER.get(self.likeness(tags))

    def _derived(self, name: str, text: str = "") -> tuple[str, ...]:
        own = _WORD_EDGE.sub(" ", name.rpartition("/")[2]).lower()
        both = f"{own} {text.lower()}"
        named = [tag for tag, words, in_name in self._patterns if in_name.search(own) or words.search(own)]
        said = [tag for tag, words, _ in self._patterns if words.search(both)]
        return tuple(dict.fromkeys([*named, *said]))


def _joined(one: Capability, other: Capability) -> Capability:
    like = one.like if other.like == "other" else other.like
    words, in_name = one.words + other.words, one.in_name + other.in_name
    return one.model_copy(update={"zh": one.zh or other.zh, "words": words, "in_name": in_name, "like": like})


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """English words stand alone; Chinese ones stand anywhere."""
    english = "|".join(re.escape(word.lower()) for word in words if word.isascii())
    parts = [rf"(?<![a-z0-9])(?:{english})(?:s|es|d|ed|ing)?(?![a-z0-9])"] if english else []
    parts += [re.escape(word) for word in words if not word.isascii()]
    return re.compile("|".join(parts) or r"(?!)")
