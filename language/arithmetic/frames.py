"""The words around arithmetic: those that only ask, and those that say how the answer is wanted.

Words that could change what is computed are in `data/arithmetic.tsv`, as are those that cannot.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.amounts import ANY
from switchyard.language.tables import listed, rows, values
from switchyard.language.words import courtesy

_PLACES = rf"(?P<places>[{ANY}])"
_ROUNDED = r"[,;?]?\s*(?:\b(?:rounded|round|correct|accurate|off|and|to|with|using|at)\b\s*)*"
_HAN_ROUNDED = "[,?]?(?:结果)?(?:四舍五入)?,?并?(?:保留|精确|取|留)?到?"
_BEHIND = "(?: (?:after|behind) the (?:decimal )?point)?"
_HAN_INTO = "(?:的|用|以|(?:转换|转化|换算|表示|转|换|写|化)[成为]?)"
_FORM = r"(?: (?:number|form|notation|representation|equivalent|value))?"
_PRIMES = "分解质因数|质因数分解|质因数"
_WISHES = (
    rf"(?:round (?:off )?)?(?P<of>.+?){_ROUNDED}{_PLACES} (?:decimal )?(?:decimals?|places?|digits?|dp){_BEHIND}",
    rf"(?P<of>.+?){_HAN_ROUNDED}(?:小数点后面?)?第?{_PLACES}位(?:小数)?",
    rf"(?:round (?:off )?)?(?P<of>.+?){_ROUNDED}(?:the nearest|the|an?) (?P<step>[a-z ]+|[{ANY}])",
    rf"(?P<of>.+?){_HAN_ROUNDED}(?P<step>[\u4e00-\u9fff]{{1,3}}|(?<=精确到)[{ANY}])",
    r"round (?P<whole>.+)|(?P<han_whole>.+?),?(?:结果)?四舍五入(?:取整)?",
    rf"(?:express |write |convert |turn )?(?P<of>.+?),? (?:as|in|to|into) (?:an? |its )?(?P<form>[a-z]+){_FORM}",
    rf"(?:the )?(?P<form>[a-z]+){_FORM} (?:of|for) (?P<of>.+)",
    rf"(?P<of>.+?),?(?:结果)?请?{_HAN_INTO}(?P<form>[\u4e00-\u9fff]{{2,4}}?)数?(?:表示|形式)?",
    rf"is (?P<of>[{ANY}]) (?:also )?(?:an? )?(?P<form>prime|composite)(?: number)?",
    rf"(?P<of>[{ANY}])(?:是|是不是|是否是|是否为)一?个?(?P<form>质数|素数|合数)[吗么呢]?",
    rf"(?:the )?(?P<form>prime factor)\w* of (?P<of>[{ANY}])",
    rf"[把将对]?(?P<of>[{ANY}])的?(?P<form>{_PRIMES})(?:有哪些|是什么)?",
)
"""How an answer is wanted: rounded to places or to a step, or in another form."""


class Wish(NamedTuple):
    """How an answer is wanted, and the text without that."""

    text: str
    places: str = ""
    """The sign of the amount of decimals."""
    step: str = ""
    """What it is a multiple of: a number, or the sign of an amount."""
    form: str = ""


def find_wish(text: str) -> Wish | None:
    """How a text wants its answer; None where it does not say."""
    for form in _wishes():
        if match := form.fullmatch(text):
            said = {name: found for name, found in match.groupdict().items() if found}
            whole = said.get("whole") or said.get("han_whole")
            kind = values("arithmetic", "form").get(said.get("form", "").lower(), "")
            step = (
                "1" if whole else values("arithmetic", "word").get(said.get("step", "").lower(), said.get("step", ""))
            )
            if kind or "places" in said or re.fullmatch(rf"[0-9.]+|[{ANY}]", step):
                return Wish((whole or said["of"]).strip(" ,?"), said.get("places", ""), step, kind)
    return None


def without_verb(text: str) -> list[str]:
    """The text as an expression where a verb says what is done: subtract 4 from 9."""
    found = ((outcome, form.fullmatch(text)) for form, outcome in _verbs())
    parts = ((outcome, (match[1].strip(), match[2])) for outcome, match in found if match)
    return [outcome.format(first if len(first) == 1 else f"({first})", last) for outcome, (first, last) in parts]


@cache
def _verbs() -> list[tuple[re.Pattern[str], str]]:
    table = (row[1:] for row in rows("arithmetic") if row[0] == "verb")
    return [(re.compile(rf"(?i)(?:{verb}) (.+?) (?:{joint}) ([{ANY}])"), outcome) for outcome, verb, joint in table]


@cache
def _wishes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form, re.IGNORECASE) for form in _WISHES)


@cache
def _changing() -> frozenset[str]:
    words = (*listed("arithmetic", "changing"), *listed("arithmetic", "numbered"))
    return frozenset([*words, *listed("arithmetic", "changing_characters")[0]])


def changes_meaning(word: str) -> bool:
    """Whether a word in small letters could make another sum of one."""
    return word in _changing()


_LONGEST_END = 60
"""Characters at the end of a text in which its last words are looked for."""


def without_frame(text: str) -> list[str]:
    """The text without what only asks: first with the words that may belong to what is asked, then without."""
    polite = _stripped(text, asking=False)
    asked = _stripped(polite, asking=True)
    return list(dict.fromkeys(found.strip(" ,") for found in (polite, asked) if found.strip(" ,")))


def _stripped(text: str, *, asking: bool) -> str:
    """The text without such words on either side, however they alternate."""
    before, after = _frames(asking=asking)
    length = -1
    while length != len(text):
        length = len(text)
        text = before.sub("", text)
        text = text[:-_LONGEST_END] + after.sub("", text[-_LONGEST_END:])
    return text


@cache
def _frames(*, asking: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What is taken off before a text and after it; an exclamation mark behind a number is a factorial.

    A Chinese word that asks is part of what is asked behind 的 and 百分之.
    """
    first = [courtesy("before", "asking", "filler"), *_said("polite", *(["ask"] if asking else []))]
    last = [courtesy("after", "particle"), *_said("thanks", *(["asked"] if asking else []), own=r"(?<!百分之)(?<!的)")]
    signs = r"[\s,.:;?、=]" if asking else r"[\s,.:;?、]"
    ends = rf"[\s,.:;?=]|(?<![{ANY}0-9)])!"
    return (
        re.compile(rf"(?i)^(?:{signs}|{'|'.join(first)})+"),
        re.compile(rf"(?i)(?:{ends}|{'|'.join(last)})+$"),
    )


def _said(*kinds: str, own: str = "") -> Iterator[str]:
    """The words of some kinds as patterns, English and Chinese, the longest first."""
    for side in (1, 2):
        words = {word for row in rows("arithmetic") if row[0] in kinds for word in row[side].split("|") if word != "-"}
        said = "|".join(sorted(words, key=len, reverse=True))
        if said:
            yield rf"\b(?:{said})\b(?!')" if side == 1 else f"{own}(?:{said})"
