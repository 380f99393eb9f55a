"""A question becomes one or several clauses, each a task; quotes, paths, addresses and numbers are never split."""

import re
from dataclasses import dataclass

_PROTECTED = re.compile(
    # a condition belongs to the question after it
    r"(?:^|(?<=[.?!;]\s))(?i:if|when|suppose|assuming|given that)\b[^,;?]{1,200},"
    r"|(?:如果|假如|要是|若|当)[^，；？,;?]{1,100}[，,]|"
    r"\"[^\"]*\"|'[^']*'(?!\w)|`[^`]*`|“[^”]*”|「[^」]*」|‘[^’]*’"
    r"|https?://[^\s，。；！？]+"
    r"|\([^()]*\)|（[^（）]*）"
    r"|[\w./\\*~-]{1,300}\.[A-Za-z0-9]{1,6}\b"
    r"|\d+(?:,\d+)*(?:\.\d+)?%?"
    r"|[\U000f0000-\U000ffffd]"  # what the mask itself is made of
)
_MASK = 0xF0000
"""The first of a plane of private-use characters, more of them than a question has pieces."""
MAX_CHARACTERS = 20_000

_TASK = (
    r"(?:what|what's|whats|how|when|where|which|who|tell|list|read|find|search|calculate|compute|show|give|count|open|"
    r"add|subtract|multiply|divide|grep|look|round|write|explain|translate|summari[sz]e)\b"
)
_SPLIT = re.compile(
    rf"\s*[,;]?\s*\b(?:and\s+then|and\s+finally|then|finally|(?:and\s+)?after\s+that|afterwards)\b[\s,]*"
    rf"|\s*[,;]?\s+(?:and|also|plus)\s+(?:also\s+)?(?={_TASK})"
    rf"|\s*,\s*(?={_TASK})"
    rf"|\s*[;；]\s*|[.?!]\s+(?=\S)|[。？！]\s*(?=\S)"
    r"|\s*[，,、]?\s*(?:然后|接着|之后|随后|最后(?=[加减乘除算读查列找])|并且|同时|另外|还有|再(?=[加减乘除算读查列找]))[，,]?\s*"
    r"|\s*，\s*",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"\b(?:then|finally|after\s+that|afterwards)\b|然后|接着|之后|随后|最后|再", re.IGNORECASE)
_BACK = re.compile(
    r"(?<!time is )(?<!time's )\bit\b|\b(?:its|that|this|them|these|those|the\s+(?:result|answer|number|value|sum))\b"
    r"|结果|它|上述|这个数|得数|其中",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    rf"^(?:{_TASK})|\?|[A-Za-z]{{2,}}\s|多少|几|什么|哪|吗|呢|怎么|谁|为什么"
    r"|^(?:请|再|先|也)?(?:读|查|列|算|计算|搜|找|打开|告诉|统计|数|把|给|发|创建|新建|建|翻译|换算|看|写|解释|总结|设|调|预?订|关|开|盖|加|减|乘|除)",
    re.IGNORECASE,
)
_POLITE = re.compile(r"^(?:please|could you|can you|would you|and|also|请问?|帮我|麻烦你?|你能)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """One task of a question."""

    text: str
    follows: bool = False
    """Said to come after the one before."""
    refers_back: bool = False
    """Speaks of an earlier result: "it", 结果."""
    is_task: bool = True
    """Asks or orders something of its own; a detail such as 标题“周会” does not."""


def clauses(question: str) -> list[Clause]:
    """The tasks of a question, in the order they are asked."""
    masked, kept = _mask(question)
    found: list[Clause] = []
    position, follows, apart = 0, False, True
    for match in [*_SPLIT.finditer(masked), None]:
        raw = masked[position : match.start() if match else len(masked)]
        text = _POLITE.sub("", _unmask(raw, kept).strip(" ,，。.;；?？!！\n\t"))
        if re.search(r"[^\W_]", text):
            found.append(
                Clause(
                    text,
                    follows=follows and bool(found),
                    refers_back=_BACK.search(text) is not None,
                    is_task=apart or _ORDERS.search(text) is not None,
                )
            )
            follows, apart = False, False
        if match:
            follows = follows or _SEQUENCE.search(match[0]) is not None
            apart = apart or match[0].strip() not in {",", "，"}
            position = match.end()
    return found


def _mask(text: str) -> tuple[str, list[str]]:
    """`text` with what must stay whole replaced by single private-use characters."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        return chr(_MASK + len(kept) - 1)

    masked = _PROTECTED.sub(hide, text[:MAX_CHARACTERS])
    return re.sub(r"\s+", " ", masked), kept  # long runs of space would make the patterns slow


def _unmask(text: str, kept: list[str]) -> str:
    return re.sub(r"[\U000f0000-\U000ffffd]", lambda match: kept[ord(match[0]) - _MASK], text)
