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
