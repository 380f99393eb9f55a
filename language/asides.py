"""What is said around a question and asks for nothing: why it is asked, what counts anyway, how the answer should look.

A sentence asks by a word such as "how many" or 哪. Sentences around it that do not, name no file, quote nothing and are
not spoken of again are told for politeness or for context. What narrows the question down is kept.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from switchyard.language.words import courtesy

LONGEST = 1000
"""Characters of a question that is looked through for what is said around it."""
_LONGEST_END = 120
"""Characters at the end of a question in which it may say where something is."""
_ABBREVIATED = re.compile(r"(?i)\b(?:i\.e|e\.g|no|st|dr|mr|mrs|vs)\.$")
_END = re.compile(r"[!?。！？；;\n]+\s*|\.\s+|[:：]\s*(?!//)|\s+[-–—]+\s+|\.$")
_ASKS = re.compile(
    r"(?i)\b(?:what|what's|whats|which|who|whose|when|where|how|is there|are there|list|show|add up|count|average|total"
    r"|biggest|largest|top)\b|[?？]|多少|几(?!乎)|哪|谁|什么|怎[么样]|吗|是否|是不是|何时|有无|各|列出|统计|算一下"
)
_WRITES = re.compile(
    r"(?i)(?:^|[.,;:!?]\s*|\b(?:and|then|please)\s+)(?:save|write|append|create|make|put|copy|export|store|replace|change"
    r"|rename|set|send|add (?!up).{1,80} to)\b"
    r"|新建|写[入到进:：]|存[到成入为]|追加|保存|导出|改[成为]|换成|发[给到送]|里面写|内容[是为]"
)
_BACK = re.compile(
    r"(?i)\b(?:it|its|them|they|theirs?|he|him|she|his|hers?|(?:that|this) one)\b"
    r"|^\W*(?:that|this)\b(?! (?:year|month|week))|[它他她这那](?![个边年月周])|对方|人家"
)
_OWN = re.compile(r"(?i)\b(?:which|how many) \w+ (?:have|has|had|with) (?:their|its|his|her)\b")
"""Words that speak of what the question itself names: which guides had their first season before 2015."""
SOMEBODY = re.compile(r"(?i)\b(?:theirs?|them|they|hers?|his|him|she|he)\b|(?<![其吉])[他她](?:们|家)?|对方|人家")
_NAMES = re.compile(r"[\w/-]+\.[A-Za-z]\w{0,5}\b|https?://|[\"“”`「」]|\d|\bserver\b|服务器|\w+[/_]\w+")
_LEAD = re.compile(
    r"(?i)^[^?？]{0,30}?(?:(?:让|叫|托)我)?(?:想?问一?下|想问问|问问)[，,：:\s]*(?=\S)"
    r"|^(?:老板|经理|领导|会计|财务|主管|同事|客户|有人)(?:在|想|又)?问(?![题卷答])[，,：:\s]*"
    r"|^(?:hi|hello|hey|(?:good )?(?:morning|afternoon|evening))\b[^,.!?]{0,20}[,.!]\s*"
)
_FOR = re.compile(
    r"^(?:[A-Z]\w+(?: [A-Z]\w+)?|(?:Our|My|The) [a-z]+(?: [a-z]+)?)"
    r" (?:wants?|needs?|would like|asks? for|asked for|is asking for)(?: to (?:know|see|have))?"
    r"[,:]?\s+(?=(?:the|all|a list|our|how|which|what|who)\b)"
)
"""Who wants it, which is nothing that is asked: Nadine wants the overdue invoices."""
_WISHED_BY = re.compile(
    r"(?i)^.{0,30}?(?:\b(?:wants?|needs?|asks?|asked|wanted|asking|doing|checking|preparing|writing)\b|要|想|在问|问我|正在|得)"
)
"""Who wants to know it, which may be somebody that a table has."""
_PURPOSE = re.compile(
    r"(?i)(?:[\s,;.!-]+so (?:that )?(?:i|we) (?:can|could|may|know|have|will|don't|do not)\b"
    r"|[,;.!?]\s*(?:because\s+)?(?:i|we|he|she|they|(?:my|our|the) \w+|(?-i:[A-Z]\w+(?: [A-Z]\w+)?)) (?:needs?|wants?)"
    r" (?:it|them|this|that) (?:for|to|by|in|before)\b)[^?]*[?]?\s*$"
    r"|[，。；,;!！]\s*(?:我们?|老板|会计|财务|领导)?(?:以便|方便|便于|急着?要|[要得]去|[要得]?用来|[要得](?:核对|对账|备份|存档|打印|汇报|报销))"
    r"[^？?]*[？?]?\s*$"
)
"""What a thing is wanted for, said after it: it asks nothing."""
_LOOKED_AT = re.compile(
    r"(?i)^\W*(?:(?:please )?(?:(?:have|take|having) a (?:quick )?look|look(?:ing)?) (?:at|in|into|through|on)"
    r"|(?:going|judging) by|according to|based on|as per|per|see|check|consult|open|from|using|with"
    r"|(?:请|麻烦|你|帮我)*(?:看一?下|看一看|看看|看|查一?下|查看|翻一?下|打开|参考|参照|对照|根据|依据|依照|按照|按|照|据|从))"
    r"\s*(?P<place>https?://[^\s,，]++|(?!http)[^\n,，:：;；]{1,80}?)\s*(?:[,，:：;；]|\s[-–—]+(?=\s))\s*(?=\S)"
)
"""Where to look, said before what is asked: going by harvest.csv, …; 看一下 X，…."""
_SAYS_MORE = re.compile(
    r"(?i)[?？](?!\s*$)|\b(?:only|except|but|without|and then|not|by|sorted|how|what|which|who)\b"
    r"|只|除|别|不|并|再|按|多少|几|哪|谁|什么"
)
"""What would change what is asked."""
_SEE = re.compile(r"(?i)(?:,\s|;\s|\s\()?\s?\bsee\s+(?P<file>[\w./-]+\.[a-z]{2,5})\s*\)?[?.]?\s*$")
"""Where it is, behind what is asked: …, see sales.csv."""
_ANYWAY = re.compile(
    r"(?i)^\W*(?:(?:the\s+)?[a-z]+(?:\s+ones)?\s+(?:are\s+)?included(?:\s+if any)?"
    r"|(?:whatever|no matter|regardless of) [a-z' ]+|whole year"
    r"|(?:the )?(?:blank|empty|missing)\s*(?:ones|cells|rows)?\s*(?:don't|do not|doesn't) count"
    r"|(?:不管|无论|不论)[^，,？?]{2,15}|[^，,？?]{1,12}(?:也|都)要?(?:算|包括)(?:在内|进去)?"
    r"|(?:没填|空|空白|空着|没写)的?都?(?:不算|不计|跳过))\W*$"
)
"""What is so whatever is said: nothing is left out unless it is asked for, and what is empty is no number."""
_WISH = re.compile(
    r"(?i)^\W*(?:(?:please )?(?:give|tell|send|show|list)(?: me| us)?\s+)?"
    r"(?:just|only)?\s*(?:their |the\s+)?(?P<en>[a-z]+(?:[ ,]+(?:and\s+)?[a-z]+){0,3}?)"
    r"(?:\s+(?:only|please|pls|is enough|is fine|will do))*\W*$"
    r"|^\W*(?:请|就|只)*(?:给|要|列|把|发|报)(?:我|出|一下)*(?:它们的|对应的)?(?P<zh>[^，。！？,\d]{2,10}?)(?:给我|发我|列出来|就行|即可|就好|就可以)*\W*$"
)

_LISTS = re.compile(
    r"(?i)^\W*(?:please )?(?:list|show|give)(?: me| us)? (?:only |just )?(?:the|their) [a-z]+\W*$"
    r"|^\W*请?(?:列出|报出|给出)(?:它们的|对应的)?[^，。！？,\d]{2,5}\W*$"
)
"""A sentence that only says what is to be shown of what is asked before it."""


class Question(NamedTuple):
    """A question without what is said around it."""

    text: str
    wish: str = ""
    """What the answer is to show, where that is said apart: names only, 给编号."""
    lead: str = ""
    """What was said before it, but for who wants to know it."""
    remark: str = ""
    """What stands at its beginning and asks nothing, but says what the rest speaks of."""


def without_aside(question: str) -> str:
    """A question without why it is asked: …, so I can check the copy; …，我要核对备份."""
    if len(question) > LONGEST:
        return question
    question = _FOR.sub("", question)
    question = question[:-_LONGEST_END] + _SEE.sub(r" in \g<file>", question[-_LONGEST_END:])
    aside = _PURPOSE.search(question)
    said = aside[0].lstrip(" ?.,;!，。；！") if aside else ""
    if aside is None or aside.start() == 0 or _SAYS_MORE.search(said) or _NAMES.search(said):
        return question
    return question[: aside.start()]


def led(text: str) -> tuple[str, str, str]:
    """What is said before a text of where to look, the place it names, and the text; it alone where nothing is."""
    found = _LOOKED_AT.match(text) if len(text) <= LONGEST else None
    return (text[: found.end("place")], found["place"], text[found.end() :]) if found else ("", "", text)


def with_place_in_it(question: str, is_place: Callable[[str], bool]) -> str:
    """A question with the file or address in it that it goes by: 看一下 X，多少…? is X里多少…?"""
    lead, place, rest = led(question)
    if not lead or not is_place(place) or not _ASKS.search(rest) or _WRITES.search(rest):
        return question
    chinese = not (lead + rest).replace(place, "").isascii()
    return f"{place} 里{rest}" if chinese else f"{'On' if '://' in place else 'In'} {place}, {rest}"


def core_of(question: str) -> Question:
    """A question without the sentences around it that ask for nothing, and what it wants to be shown."""
    if len(question) > LONGEST or _WRITES.search(question):
        return Question(question)
    said = _sentences(_LEAD.sub("", question, count=1))
    asking = [at for at, one in enumerate(said) if _ASKS.search(one) and not _ANYWAY.match(one)]
    while len(asking) > 1 and _LISTS.match(said[asking[-1]]):  # …? 请列出编号。
        asking.pop()
    first, last = (asking[0], asking[-1]) if asking else (0, len(said) - 1)
    core, before = "".join(said[first : last + 1]), "".join(said[:first])
    remark = before if _BACK.search(_OWN.sub("", core)) else ""
    if _NAMES.search(before) or remark:
        core, before = before + core, ""
    parts = [part for one in said[last + 1 :] for part in re.split("[,，]", one) if part.strip()]
    after = ",".join(part for part in parts if not _ANYWAY.match(part) and not _is_courtesy(part))
    wish = _WISH.match(after) if after and not _NAMES.search(after) else None
    lead = _WISHED_BY.sub("", before)
    if after and not wish:
        return Question(core + after, lead=lead, remark=remark)
    at = max(core.rfind(","), core.rfind("，"))
    core = core[:at] if at > 0 and _ANYWAY.match(core[at + 1 :]) else core
    return Question(core.strip(), (wish["en"] or wish["zh"]).strip() if wish else "", lead, remark)


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if not _ABBREVIATED.search(text[: match.start() + 1]):
            found.append(text[start : match.end()])
            start = match.end()
    return [one for one in [*found, text[start:]] if one.strip()]


def _is_courtesy(sentence: str) -> bool:
    return re.fullmatch(rf"(?i)\W*(?:{courtesy('after', 'particle')})\W*", sentence) is not None
