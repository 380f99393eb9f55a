"""The words around arithmetic that ask for it, politely or not, and say nothing else: please, what is, 请问, 是多少."""

import re
from functools import cache
from typing import NamedTuple

from switchyard.language.arithmetic.tokens import ANY

_POLITE = r"""
please|pls|plz|kindly|hey|hi|hello|ok|okay|so|well|now|um+|uh+|hmm+|er|right|quick(?:ly)?|just|and|but|also|then|again
|first|finally|(?:a )?quick question|question|help me(?: with| to)?|do you (?:happen to )?know|any idea|tell me|show me
|let me know|give me|get me|do the maths?|for me|i am (?:wondering|curious)|i wonder
|(?:can|could|would|will) (?:you|u|i|we)(?: please| kindly| quickly| help me)?
(?: tell me| give me| work out| figure out| calculate| compute| show me| find| do| let me know| get)?
|(?:i|we)(?: would)? (?:need|want|like|have)(?: to)?
(?: know| calculate| work out| compute| find out| find| convert| figure out)?
"""
_POLITE_HAN = """
请问一?下?|请你?|帮我|帮忙|帮|麻烦你?|劳驾|能不能|能否|可不可以|可以|你能|能|你知道|知道|告诉我|给我
|我?想(?:知道|问|算|要|请教)一?下?|我需要|我要|问一?下|想问|那么|那个(?!数)|那(?!个)|就是说?|呃+|嗯+|额|啊|哦|喂|你好|您好|来|先
|再(?!乘|除|加|减)|顺便|快速|口算|另外|还有
"""
_THANKS = """
please|pls|plz|thanks|thank you|thx|cheers|for me|right now|exactly|roughly|approximately|in numbers|if you can|quickly
|by the way|then
"""
_THANKS_HAN = "谢谢你?|多谢|谢了|啊|呀|呢|吗|吧|呗|来着|哦|嘛|哈"
_ASK = """
what(?:s| is| are| was| does| do| would be| would| will be| about| if)?|how about|how many (?:is|are)
|how much(?: is| are| does| do| would be| would| will be| will)?|calculate|calc|compute|evaluate|work out|figure out
|solve|determine|convert|express|find(?: out)?|get|take|say|(?:the )?(?:result|value|answer|outcome) (?:of|to|for)
|which(?: number| one| of these| value)? (?:is|are)|do|is|are|the
"""
_ASK_HAN = """
(?:计算|求解|求出|求得|算出|求|算)(?:一下|下|算|出|个数|个)?|看看|看一?下|得出|[把将用]|现在|已知|如果|假如
"""
_ASKED = """
equals?(?: to)?|is (?:equal to )?(?:what|how much)|equal|makes?|comes? to|amounts? to|be|is|gives?
"""
_ASKED_HAN = """
等于|得到?|结果|(?<!百分之)(?:会|应该|大概|大约|约)?[是为]|答案|(?:一共|总共|合计|共)(?=[是有为]?(?:多少|几))
|(?<!百分之)(?<!的)(?:有|要|需要?|剩)?(?:多少钱?|多大|几(?![折成]))|(?<!的)(?:什么|啥)|的(?:结果|值|答案)
"""
_STYLES = {
    "decimal": (
        r"(?:as|in) (?:a )?decimals?(?: number| form)?|(?:用|以|化成|写成|转成|换成)小数(?:形式)?(?:来?表示|作答)?"
    ),
    "fraction": (
        r"(?:as|in|to) (?:an? |its )?(?:simplest |lowest )?(?:fractions?(?: form)?|form|terms)"
        r"|(?:用|以|化成|化为|写成|转成|换成|转换成|转化成)(?:最简)?分数(?:形式)?(?:来?表示|作答)?"
    ),
}
_LONGEST = 60
"""Characters at the end of a text in which its last words are looked for."""


class Framed(NamedTuple):
    """What a text is about, first with its question words and then without."""

    candidates: list[str]
    style: str
    """`fraction` or `decimal` where the text asks for one of them."""


def without_frame(text: str) -> Framed:
    """The text without what only asks; with and without the words that may belong to what is asked."""
    text, style = _stripped(text, "polite"), ""
    for name, words in _STYLES.items():
        bare = re.sub(
            rf"[\s,]*(?:结果)?请?(?:\b(?:expressed|written|given)\s)?(?:{words})$", "", text, flags=re.IGNORECASE
        )
        if bare != text and bare:
            text, style = _stripped(bare, "polite"), name
    asked = _stripped(text, "asking")
    return Framed(list(dict.fromkeys(found.strip(" ,") for found in (text, asked) if found.strip(" ,"))), style)


def _stripped(text: str, kind: str) -> str:
    """The text without such words on either side, however they alternate."""
    before, after = _frames(kind)
    length = -1
    while length != len(text):
        length = len(text)
        for pattern in before:
            match = pattern.match(text)
            text = text[match.end() :] if match else text
        text = text[:-_LONGEST] + after.sub("", text[-_LONGEST:])
    return text


@cache
def _frames(kind: str) -> tuple[list[re.Pattern[str]], re.Pattern[str]]:
    """What is taken off before a text and after it; an exclamation mark behind a number is a factorial."""
    asking = kind == "asking"
    before = [_words(r"[\s,.:;?、]", _POLITE, _POLITE_HAN), *([_words(r"[\s,:=]", _ASK, _ASK_HAN)] if asking else [])]
    words, han = _THANKS + f"|{_ASKED}" * asking, _THANKS_HAN + f"|{_ASKED_HAN}" * asking
    return before, _words(rf"[\s,.:;?=]|(?<![{ANY}0-9)])!", words, han, end="$")


def _words(signs: str, english: str, chinese: str, end: str = "") -> re.Pattern[str]:
    english, chinese = english.replace("\n", ""), chinese.replace("\n", "")
    return re.compile(rf"(?:{signs}|\b(?:{english})\b(?!')|{chinese})+{end}", re.IGNORECASE)
