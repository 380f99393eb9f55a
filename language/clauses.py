"""A question becomes one or several clauses, each a task; quotes, paths, addresses and numbers are never split."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from switchyard.language.structures import find_structures
from switchyard.language.words import courtesy

Joint = Literal["start", "end", "then", "also", "comma"]
_STRENGTH: tuple[str, ...] = ("end", "then", "also", "comma", "start")
_AROUND = " ,，。.;；?？!！、\n\t"

_PROTECTED = re.compile(
    # a condition belongs to the question after it
    r"(?i)(?:^|(?<=[.?!;]\s))(?i:if|when|suppose|assuming|given that)\b[^,;?]{1,200},"
    r"|(?:如果|假如|要是|若|当)[^，；？,;?]{1,100}[，,]|"
    r"\"[^\"]*\"|'[^']*'(?!\w)|`[^`]*`|“[^”]*”|「[^」]*」|‘[^’]*’"
    r"|https?://[^\s，。；！？]+"
    r"|\([^()]*\)|（[^（）]*）"
    r"|[\w./\\*~-]{1,300}\.[A-Za-z0-9]{1,6}\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?,\s*\d{4}"
    # a list of three numbers or more, then a number alone
    r"|\d[\d.]*%?(?:\s*[,，、]\s*\d[\d.]*%?){1,200}(?:\s*[,，、]\s*|\s*,?\s+and\s+|\s*[和与]\s*)\d[\d.]*%?(?![\w.]|\s*of\b)"
    r"|\d+(?:,\d+)*(?:\.\d+)?%?"
    r"|[\U000f0000-\U000ffffd]"
)
_JOINT = re.compile(r"\w*?(?:然后|接着|随后)再?(?=\w[\w./\\*~-]*$)|再(?=[写存])")
"""What joins two tasks, where no space parts it from the name of a file: 2+2然后写入a.txt."""
_MASK = 0xF0000
"""The first of a plane of private-use characters, more of them than a question has pieces."""
MAX_CHARACTERS = 20_000

_TASK = (
    r"(?:what|what's|whats|how|when|where|which|who|tell|list|read|find|search|calculate|compute|show|give|count|open|"
    r"add|subtract|multiply|divide|grep|look|round|write|explain|translate|summari[sz]e|convert|check|send|turn|set|get)\b"
)
_DO = (
    r"(?:加|减|乘|除|算|读|查|列|找|看|数|把|将|换|告诉|发|打|统计|搜|求|取|开|平方|四舍|保留"
    r"|保存|另存|写[入到进]|存[为到成入])"
)
_SEPARATORS: tuple[tuple[Joint, str], ...] = (
    (
        "then",
        r"\s*[,;，；]?\s*\b(?:and\s+then|and\s+finally|then|finally|(?:and\s+)?after\s+that|afterwards|and\s+next)\b[\s,，]*"
        r"|\s*[，,、；。]?\s*(?:然后|接着|随后|(?<![天周月年日时钟])之后|紧接着|最后(?=" + _DO + r"))再?[，,]?\s*"
        r"|\s*[，,、；。]\s*再(?!过)|再(?=" + _DO + r")",
    ),
    (
        "also",
        rf"\s*[,;]?\s+(?:and|also|plus)\s+(?:also\s+)?(?={_TASK})|\s*,\s*(?={_TASK})|\s*[;；]\s*"
        r"|[.!]\s+(?=\S)|[。！]\s*(?=\S)"
        r"|\s*[，,、]?\s*(?:并且|同时|另外|还有(?!多|几)|顺便|以及(?=" + _DO + r")|并(?=" + _DO + r")|还要)[，,]?\s*",
    ),
    ("end", r"\?\s+(?=\S)|[？?]\s*(?=\S)"),
    ("comma", r"\s*[，,]\s*(?:and\s+)?|\s+and\s+(?:also\s+)?|\s*，?以及\s*"),
)
_MAY_PART = re.compile(
    r"(?is)[,，、;；.!。！?？](?=.)|\b(?:and|also|plus|then|finally|after|afterwards)\b|[然接随后最再并同另还顺以]"
    r"|[\"'`“「‘(（\[{<]"
)
"""What no two clauses and nothing that stays whole are without: it is found sooner than where they part."""
_SPLIT = re.compile("|".join(f"(?P<{joint}>{pattern})" for joint, pattern in _SEPARATORS), re.IGNORECASE)
_BACK = re.compile(
    r"(?i)(?<!time is )(?<!time's )(?<!is )\bit\b(?!\s+(?:is|be)\b)"
    r"|\b(?:its|that|this|them|these|those|each|his|her|their|the\s+(?:result|answer|number|value|sum|total|content|contents|translation|price|longest|shortest|largest|smallest|biggest|first|last)(?:\s+one)?)\b"
    r"|结果|它|他|她|上述|这个数|得数|其中|译文|内容|那个|那份|每个|每一个|各自|该"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a question that may be a task of its own."""

    text: str
    joint: Joint = "start"
    """How it is joined to the one before: said to come after it, another task, or only parted by a comma or "and"."""
    refers_back: bool = False
    """Speaks of an earlier result: "it", 结果."""
    before: str = ""
    """What stands between the one before and this."""


def clauses(question: str) -> list[Clause]:
    """The pieces of a question, in the order they stand there."""
    if _MAY_PART.search(question) is None:
        text = _uncourteous(re.sub(r"\s+", " ", question[:MAX_CHARACTERS]))
        return [Clause(text, refers_back=refers_back(text))] if re.search(r"[^\W_]", text) else []
    masked, kept = _mask(question)
    found: list[Clause] = []
    position = 0
    joint: Joint = "start"
    before = ""
    for match in [*_SPLIT.finditer(masked), None]:
        raw = masked[position : match.start() if match else len(masked)]
        text = re.sub(r"[\U000f0000-\U000ffffd]", lambda match: kept[ord(match[0]) - _MASK], raw)
        text = _uncourteous(text)
        if re.search(r"[^\W_]", text):
            back = refers_back(text)
            found.append(Clause(text, joint, back, before) if found else Clause(text, refers_back=back))
            joint, before = "start", ""
        if match:
            before += match[0]
            joint = cast("Joint", min(joint, match.lastgroup or joint, key=_STRENGTH.index))
            position = match.end()
    return found


def _uncourteous(text: str) -> str:
    first, last = _courtesy()
    return last.sub("", first.sub("", text.strip(_AROUND)))


@cache
def _courtesy() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is taken off before a clause, joints among it, and after it."""
    joints = r"\b(?:and|also|first)\b|先"
    before = rf"^(?:(?:{courtesy('before')}|{joints})(?!求)[\s,，]*)+"
    return re.compile(before, re.IGNORECASE), re.compile(rf"(?i)[\s,，]*(?:{courtesy('after')})$")


def refers_back(text: str) -> bool:
    """Whether a text speaks of an earlier result: "it", 结果."""
    return _BACK.search(text) is not None


def joined(parts: Sequence[Clause]) -> Clause:
    """Several pieces as the one task they make together."""
    text = parts[0].text + "".join(part.before + part.text for part in parts[1:])
    return Clause(text, parts[0].joint, parts[0].refers_back, parts[0].before)


def _mask(text: str) -> tuple[str, list[str]]:
    """`text` with what must stay whole replaced by single private-use characters."""
    text = text[:MAX_CHARACTERS]
    kept: list[str] = []
    masked, position = "", 0
    for start, end in _whole_pieces(text):
        joint = _JOINT.match(text, start, end)
        first = joint.end() if joint else start
        masked += text[position:first] + chr(_MASK + len(kept))
        kept.append(text[first:end])
        position = end
    return re.sub(r"\s+", " ", masked + text[position:]), kept  # long runs of space would make the patterns slow


def _whole_pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where what must stay whole stands, from left to right."""
    structures = [(start, end) for _, start, end in find_structures(text)]
    position = 0
    while position < len(text):
        match = _PROTECTED.search(text, position)
        ahead = [span for span in structures if span[0] >= position][:1] + ([match.span()] if match else [])
        if not ahead:
            return
        start, position = min(ahead, key=lambda span: (span[0], -span[1]))
        yield start, position
