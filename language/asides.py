"""What is said around a question and asks for nothing: why it is asked, what counts anyway, how the answer should look.

A sentence asks by a word such as "how many" or 哪. Sentences around it that do not, name no file, quote nothing and are
not spoken of again are told for politeness or for context. What narrows the question down is kept.
"""

import re
from typing import NamedTuple

from switchyard.language.words import courtesy

_ABBREVIATED = re.compile(r"(?i)\b(?:i\.e|e\.g|no|st|dr|mr|mrs|vs)\.$")
_END = re.compile(r"[!?。！？；;\n]+\s*|\.\s+|[:：]\s*(?!//)|\s+[-–—]+\s+|\.$")
_I_E = re.compile(r"(?i)\bi\.\s?e\.,?")
_ASKS = re.compile(
    r"(?i)\b(?:what|what's|whats|which|who|whose|when|where|how|is there|are there|list|show|add up|count|average|total"
    r"|biggest|largest|top)\b|[?？]|多少|几(?!乎)|哪|谁|什么|怎[么样]|吗|是否|是不是|何时|有无|各|列出|统计|算一下"
)
_WRITES = re.compile(
    r"(?i)\b(?:save|write|append|create|make|put|copy|export|store|replace|change|rename|set|send"
    r"|add (?!up).{1,80} to)\b"
    r"|新建|写[入到进:：]|存[到成入为]|追加|保存|导出|改[成为]|换成|发[给到送]|里面写|内容[是为]"
)
_BACK = re.compile(r"(?i)\b(?:it|its|there|that|them|they|their|he|she|his|her|this)\b|[它他她这那]")
_NAMES = re.compile(r"[\w/-]+\.[A-Za-z]\w{0,5}\b|https?://|[\"“”`「」]|\d|\bserver\b|服务器|\w+[/_]\w+")
_LEAD = re.compile(
    r"(?i)^[^?？]{0,30}?(?:(?:让|叫|托)我)?(?:想?问一?下|想问问|问问)[，,：:\s]*(?=\S)"
    r"|^(?:hi|hello|hey|(?:good )?(?:morning|afternoon|evening))\b[^,.!?]{0,20}[,.!]\s*"
)
_ANYWAY = re.compile(
    r"(?i)^\W*(?:(?:the\s+)?[a-z]+(?:\s+ones)?\s+(?:are\s+)?(?:included|count too|count as well)(?:\s+if any)?"
    r"|whole year"
    r"|(?:the )?(?:blank|empty|missing)\s*(?:ones|cells|rows)?\s*(?:don't|do not|doesn't) count"
    r"|\w+ nobody \w+ (?:don't|do not) count"
    r"|(?:leave|leaving) (?:the )?(?:empty|blank)(?: ones)? out"
    r"|leave out (?:rows|lines|those|the ones) (?:where|with) no [\w ]+"
    r"|\S{1,6}(?:也|都)要?(?:算|包括)(?:在内|进去)?|(?:没填|空|空白|空着|没写)的?都?(?:不算|不计|跳过)|(?:刚好|正好)等于的不算)\W*$"
)
"""What is so whatever is said: nothing is left out unless it is asked for, and what is empty is no number."""
_WISH = re.compile(
    r"(?i)^\W*(?:just|only)?\s*(?:the\s+)?(?P<en>[a-z]+(?:[ ,]+(?:and\s+)?[a-z]+){0,3}?)"
    r"(?:\s+(?:only|please|pls|is enough|is fine|will do))*\W*$"
    r"|^\W*(?:请|就|只)*(?:给|要|列|把|发|报)(?:我|出|一下)*(?P<zh>[^，。！？,\d]{2,10}?)(?:给我|发我|列出来|就行|即可|就好|就可以)*\W*$"
)


class Question(NamedTuple):
    """A question without what is said around it."""

    text: str
    wish: str = ""
    """What the answer is to show, where that is said apart: names only, 给编号."""


def core_of(question: str) -> Question:
    """A question without the sentences around it that ask for nothing, and what it wants to be shown."""
    bare = _LEAD.sub("", question, count=1)
    if _WRITES.search(question) or not _ASKS.search(bare):
        return Question(question)
    said = _sentences(_I_E.sub("that is", bare))
    asking = [at for at, one in enumerate(said) if _ASKS.search(one) and not _ANYWAY.match(one)]
    if not asking:
        return Question(question)
    first, last = asking[0], asking[-1]
    core = "".join(said[first : last + 1])
    if any(map(_NAMES.search, said[:first])) or (first and _BACK.search(core)):
        core = "".join(said[: last + 1])
    parts = [part for one in said[last + 1 :] for part in re.split("[,，]", one) if part.strip()]
    after = [part for part in parts if not _ANYWAY.match(part) and not _is_courtesy(part)]
    after = [",".join(after)] if after else []
    wish = _WISH.match(after[0]) if len(after) == 1 and not _NAMES.search(after[0]) else None
    if after and not wish:
        return Question(core + " ".join(after))
    at = max(core.rfind(","), core.rfind("，"))
    core = core[:at] if at > 0 and _ANYWAY.match(core[at + 1 :]) else core
    return Question(core.strip(), (wish["en"] or wish["zh"]).strip() if wish else "")


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
