"""Folders, kinds of files and what is looked for in them, as a text names them."""

import re

from switchyard.agents.by_rules.labels import Span

_UNDER = re.compile(
    r"\b(?:in|under|inside|from|of)\s+(?:the\s+)?(?:folder\s+|directory\s+)?([\w./-]{1,200})(?:\s+(?:folder|directory))?"
    r"(?=\s*$|\s+(?:is|are|has|have|that|which|by|mentions?|contains?|uses?|imports?|calls?|says?)\b|\s*[,?])"
    r"|\b(?:the\s+)?([\w.-]{1,100})\s+(?:folder|directory)\b"
    r"|(?:在|列出|目录|文件夹)\s*([A-Za-z0-9_./-]+)\s*(?:目录|文件夹|下|里|中)?"
    r"|(?<![A-Za-z0-9_./-])([A-Za-z0-9_./-]{1,200})\s?(?:目录|文件夹)?\s?[里下中内]",
    re.IGNORECASE,
)
_HERE = frozenset(
    {"this", "that", "the", "a", "any", "all", "current", "here", "it", "my", "our"}
    | {"each", "them", "these", "those", "both", "me", "us", "total", "every"}
    | {"project", "workspace", "repository", "repo", "code", "files", "file", "folder", "directory"}
)
"""Words that name no folder of their own: the workspace is meant."""
_SOUGHT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:mention(?:s|ed|ing)?|contain(?:s|ing)?|match(?:es|ing)?|use[sd]?|import(?:s|ing)?|call(?:s|ing)?"
            r"|says?\s+(?:(?:any|some)thing\s+)?about)\s+(?:the\s+(?:word|text|string|phrase|function)\s+)?"
            r"(?!the\b|in\b|a\b|it\b)([\w.-]+)"
        ),
        r"\b(?:the\s+)?(?:word|text|string|phrase|function|term)\s+(?!counts?\b|for\b|in\b|of\b|files?\b|number)([\w.-]+)",
        r"\bdoes\s+([\w.-]+)\s+(?:appear|occur)",
        r"([A-Za-z0-9_.-]+)\s*这个?(?:词|字|单词|函数|字符串)",
        r"(?:用到|用了|使用了?|调用了?|提及)\s*([A-Za-z0-9_.-]+)",
        (
            r"(?:包含|提到|含有|写到|出现(?!在))[了过]?\s*(?:单词|词|字符串)?\s*"
            r"(\S.{0,60}?)(?=\s?的\s?(?:[A-Za-z]{1,20}\s?)?(?:文件|代码|行|内容|地方|文本)|\s在\s|[，。？！?]|$)"
        ),
        r"\bfor (?:the word )?([\w.-]+)",
        r"\b(?:search|look|grep|find) (?!the\b|in\b|all\b|this\b|my\b)([\w.-]+)",
        (
            r"(?:搜索|查找|搜一?下|找一?下|找)(?!所有|出|到|包含|提到|含有|一[家个位本张件辆台套间份些])[了过]?\s*(?:单词|词|字符串)?\s*"
            r"(\S.{0,200}?)(?=\s?的\s?(?:[A-Za-z]{1,20}\s?)?(?:文件|代码|行|内容|地方|文本)|\s在\s"
            r"|的(?:新闻|消息|文章|资料|信息)|\s*(?:一共|总共|出现|有多少|有几)|[，。？！?]|$)"
        ),
        r"有\s*([A-Za-z0-9_.-]+)",
    )
)
"""Where a text says what is looked for, the surest first."""
_FILE_KINDS = {"python": "*.py", "markdown": "*.md", "text": "*.txt", "yaml": "*.y*ml", "javascript": "*.js"} | {
    "文本": "*.txt"
}
_FILES_OF_KIND = re.compile(
    r"(?<![\w.])\.?(python|markdown|javascript|json|yaml|yml|toml|text|文本|csv|html|md|py|txt|js|ts|xml|log|sql|sh)\s*"
    r"(?=(?:源)?files?\b|文件|脚本|scripts?\b)",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r".*\.[A-Za-z0-9]{1,6}|.*/.*")
_FOLDER = re.compile(r"folder|director|\brepo|\bdir\b|文件夹|目录", re.IGNORECASE)


def may_be_folder(described: str) -> bool:
    """Whether a field takes a folder as well as a file."""
    return _FOLDER.search(described) is not None


def is_file_name(text: str) -> bool:
    """Whether a quoted text looks like the name of a file."""
    return _FILE_NAME.fullmatch(text) is not None


def find_folder(text: str) -> Span | None:
    """The folder a text speaks of: "in docs", src 里."""
    match = _UNDER.search(text)
    under = next((group for group in match.groups() if group), None) if match else None
    if match is None or under is None or under.lower() in _HERE:
        return None
    start = text.index(under, match.start())
    return Span(under, start, start + len(under))


def find_kind(text: str) -> tuple[str, Span] | None:
    """The kind of files a text speaks of, as a glob: "Python files" is *.py."""
    match = _FILES_OF_KIND.search(text)
    if match is None:
        return None
    return _FILE_KINDS.get(match[1].lower(), f"*.{match[1].lower()}"), Span(match[0], *match.span())


def find_sought(text: str) -> Span | None:
    """What a text says is looked for: "mentions asyncio", 包含 TODO 的文件."""
    for pattern in _SOUGHT:
        match = pattern.search(text)
        if match:
            said = re.split(r"\s{2,}", match[1], maxsplit=1)[0]  # a gap is something else that was taken out
            return Span(said, match.start(1), match.start(1) + len(said))
    return None


_LINES = re.compile(
    r"\blines?\s+(?P<a>\d+)(?:\s*(?:to|-|–|through|until)\s*(?P<b>\d+))?"
    r"|第\s*(?P<c>\d+)\s*行?\s*(?:(?:到|至|-|~)\s*第?\s*(?P<d>\d+)\s*行|(?<=行))",
    re.IGNORECASE,
)


def find_lines(text: str) -> tuple[int, int, Span] | None:
    """The lines of a file a text asks for, as the first and how many: "lines 5 to 7", 第3行."""
    match = _LINES.search(text)
    if match is None:
        return None
    first = int(match["a"] or match["c"])
    last = int(match["b"] or match["d"] or first)
    return (first, last - first + 1, Span(match[0], *match.span())) if last >= first >= 1 else None
