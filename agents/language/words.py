"""Which language a text is in, and the words that say what kind of task it is."""

import re

from tools.core.spec import Language

_HAN = re.compile(r"[\u3400-\u9fff]")

_NEEDS_A_MODEL = re.compile(
    r"\b(?:poem|poetry|essay|story|joke|haiku|lyrics|slogan)\b"
    r"|\b(?:write|compose|draft|explain|translate|summari[sz]e|rewrite|paraphrase|recommend|imagine|invent)\b"
    r"|\b(?:why|what do you think|your opinion|meaning of|difference between)\b"
    r"|写一?[首篇封个段]|作诗|诗歌|故事|笑话|解释|翻译|总结|概括|改写|润色|为什么|推荐|你觉得|什么意思|区别",
    re.IGNORECASE,
)


def language_of(text: str) -> Language:
    """The language a question is answered in: Chinese as soon as there is a Chinese character."""
    return "zh" if _HAN.search(text) else "en"


def needs_a_model(text: str) -> bool:
    """Whether a task asks for writing, explaining or judging, which no rule can do."""
    return _NEEDS_A_MODEL.search(text) is not None


_LIMITS = re.compile(
    r"\b(?:tomorrow|yesterday|ago|later|from now|will|last|first|next|largest|smallest|longest|shortest|biggest|newest"
    r"|oldest|latest|most|least|except|without|not|never|don't|doesn't|isn't)\b"
    r"|\bhow many (?:weeks|months|years|hours|minutes)\b|\b(?:until|between|since)\s*[?.]?\s*$"
    r"|多少周|几周|多少个?月|几个月|多少年|几年|多少小时|几个?小时|明天|昨天|后天|前天|[上下][周个]|以前|以后|最[大小长短新旧多少后早晚]|第[一二三四五六七八九十\d]|除了|不要|不是|没有|别",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


def left_over(rest: str) -> list[str]:
    """What a task says that no argument carries: numbers, and words that narrow, shift or deny it.

    A tool that is called without them answers another question than the one that was asked.
    """
    return _DIGITS.findall(rest) + _LIMITS.findall(rest)
