"""Which language a text is in, and the words that say what kind of task it is."""

import re
from functools import cache
from typing import Literal

from switchyard.language.tables import rows, words

Language = Literal["en", "zh"]

_HAN = re.compile(r"[\u3400-\u9fff]")

# the long ones below are compiled by `re` when a question first needs them: every start would wait for them
_NEEDS_A_MODEL = (
    r"(?i)\b(?:poem|poetry|essay|story(?! ?(?:book|time|hour))|joke|haiku|lyrics|slogan)\b"
    r"|\b(?:write|compose|draft|explain|translate|summari[sz]e|rewrite|paraphrase|recommend|imagine|invent)\b"
    r"|\b(?:why|what do you think|your opinion|meaning of|(?<!time )difference between(?! (?:today|now|\d)))\b"
    r"|写一?[首篇封个段]|作诗|诗歌|故事(?![书会集角屋])|笑话|解释|翻译|总结|概括|改写|润色|为什么|推荐|你觉得|什么意思|区别"
)


_NOW = (
    r"(?i)\b(?:latest|currently|right now|at the moment|today's|weather|temperature in|stock price|exchange rate)\b"
    r"|最新|现在|目前|当前|今天的|天气|气温|股价|汇率|实时"
)
_DAY = (
    r"(?i)\b(?:now|current(?:ly)?|today|tonight|tomorrow|yesterday|ago|recent(?:ly)?|latest|lately|soon|overdue|due|deadline"
    r"|expire[sd]?|how old|age|what (?:day|date|time)|weekday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|christmas|easter|(?:this|last|next|past|coming|previous|until|till|since|in|for|by|on) (?:\w+ ){0,2}?"
    r"(?:days?|weeks?|weekends?|months?|quarters?|years?)"
    r"|january|february|april|june|july|august|september|october|november|december"
    r"|(?:in|of|for|since|by|until|about) (?:march|may))\b"
    r"|[今明去前后]年|[今明昨前后][天日晚早]|[上下本这]个?(?:周|星期|礼拜|月|季|半年)|周[一二三四五六日末]|星期|礼拜"
    r"|最近|近期|近[一二两三四五六七八九十\d]|现在|目前|当前|最新|截至|[到过逾]期|几[天号月点]|年龄|多大|月份"
    r"|[\d一二三四五六七八九十]月|春节|中秋|国庆"
)
_NAMED = re.compile(
    r"https?://\S+|\"[^\"]*\"|“[^”]*”|「[^」]*」|《[^》]*》|`[^`]*`|(?<!\w)'[^']*'(?!\w)"
    r"|(?<!\S)[\w./-]*?\.[A-Za-z]\w{0,5}(?!\w)"
)
"""What a question names or repeats: it may be of another language than the question."""
_ENGLISH = re.compile(
    r"(?i)\b(?:the|a|an|of|in|on|at|to|and|or|is|are|was|were|what|which|who|how|when|where|do|does|did|have|has|for|from|with"
    r"|many|much|me|my|we|our|it|this|that|please|show|list|read|count)\b"
)
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")


def language_of(text: str) -> Language:
    """The language a question is answered in: that of its own words, not of a file or a value it names."""
    own = _NAMED.sub(" ", text)
    own = own if re.search(r"[^\W\d_]", own) else text
    if not _HAN.search(own):
        return "en"
    english = len(_ENGLISH.findall(own))
    return "en" if english > 1 and english > len(_HAN_RUN.findall(own)) else "zh"


_OF_LANGUAGES = re.compile(r"(?i)english|chinese|mandarin|translat|中文|汉语|英文|英语|译")
_SENTENCE = {"en": 4, "zh": 8}
"""How many empty English words, or Chinese characters, are no name any more."""


def is_other_language(question: str, answer: str) -> bool:
    """Whether an answer is a sentence of another language than its question, which does not speak of languages."""
    if language_of(question) == language_of(answer) or _OF_LANGUAGES.search(question):
        return False
    spoken = language_of(answer)
    return len((_ENGLISH if spoken == "en" else _HAN).findall(answer)) >= _SENTENCE[spoken]


@cache
def courtesy(*sides: str) -> str:
    """What is said around a question and asks for nothing (`data/courtesy.tsv`), as alternatives of a pattern.

    Args:
        sides: `before` it, `asking`, `after` it, `filler`, `particle`; of a file `form`, `order`, `header`, and so on.
    """
    phrases = [phrase for row in rows("courtesy") if row[0] in sides for cell in row[1:] for phrase in cell.split("|")]
    ordered = sorted((re.escape(phrase) for phrase in phrases if phrase != "-"), key=len, reverse=True)
    return "|".join(rf"\b{said}\b" if said.isascii() else said for said in ordered)


def is_about_now(text: str) -> bool:
    """Whether a question asks for what changes from day to day."""
    return re.search(_NOW, text) is not None


def depends_on_the_day(text: str) -> bool:
    """Whether a question has words of time: what they mean may depend on the day of today."""
    return re.search(_DAY, text) is not None


_ASKS = re.compile(
    r"(?i)[?？吗呢]|\b(?:what|what's|whats|which|who|whose|when|where|how|is|are|was|were|do|does|did|has|have"
    r"|list|show|give|tell|find|count|name|compare|add|total|average|sort)\b"
    r"|怎么|如何|什么|为何|哪|谁|多少|几|列出|列|告诉|统计|算|数一?数|给我|找出|查|有没有|是不是|是否|总|共|平均|最"
)


def asks(text: str) -> bool:
    """Whether a text asks or bids for something to be told; "go by paid_on" only says how."""
    return _ASKS.search(text) is not None


def is_deed(text: str, terms: list[str]) -> bool:
    """Whether a text, given with its terms, bids to do something out there: it is sent, bought, deleted, not told."""
    deeds = words("words", "deed")
    bidden = not asks(text) and any(deed in text for deed in deeds if not deed.isascii())
    return (bidden or not deeds.isdisjoint(terms[:1])) and not needs_a_model(text)


def needs_a_model(text: str) -> bool:
    """Whether a task asks for writing, explaining or judging, which no rule can do."""
    return bool(model_words(text))


def model_words(text: str) -> list[str]:
    """The words that say so."""
    return [match[0] for match in re.finditer(_NEEDS_A_MODEL, text)]


_ARTICLE = re.compile(r"一[封间份个条次张位只台件篇本家些趟班首句段种]|.个|degree|percent")


def is_asked(word: str) -> bool:
    """Whether every question has this word, or it is only an article: 一封, 挂个."""
    return word in words("words", "asked") or _ARTICLE.fullmatch(word) is not None


def is_vague(word: str) -> bool:
    """Whether a word tells no tool from another: every question has it, or half of all tools call themselves so."""
    return is_asked(word) or word in words("words", "general")


_DEMONSTRATIVE = (
    r"(?i)\b(?:that|this|those|these)\s+(?:file|number|one|result|order|city|page|document|value)s?\b"
    r"|(?:那个|这个|该(?=文件|结果|页面|网页|订单|城市|文档|值|数|表|人)|那份|这份|那些|这些)(?!文件夹|目录|项目|仓库|工作区|月|星期|周|时候|城市的)"
)


def is_demonstrative(text: str) -> bool:
    """Whether a text points at something it does not name: that file, 那个文件."""
    return re.search(_DEMONSTRATIVE, text) is not None


_CONDITION = re.compile(r"(?i)^(?:if|when|whenever|unless|in case)\b|如果|要是|假如|万一|的话")


def is_conditional(text: str) -> bool:
    """Whether something is to be done only under a condition, which no rule can watch."""
    return _CONDITION.search(text) is not None


def whole_characters(text: str) -> str:
    """The text without halves of characters, which endpoints send when they cut one in two: nothing can write them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
