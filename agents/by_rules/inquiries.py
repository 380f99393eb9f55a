"""Whether a text asks to be told something, rather than to have something done."""

import re
from collections.abc import Iterable

from switchyard.language.mentions import Mention, hidden

_ASKS = re.compile(
    r"^\W*(?:(?:and|so|but|please|just)\s+)*(?:"
    r"(?:which|what|what's|whats|how|who|whose|when|where|why|is|are|was|were|does|did|has|had|isn't|aren't|doesn't)\b"
    r"|(?:do|have)\s+(?:i|we|they|you|any|these|those|both)\b"
    r"|(?:should|may|will|would|could|can)\s+(?:i|we|they|he|she|it)\b"
    r"|(?:tell|show|remind|give)\s+(?:me|us)\s+(?:again\s+)?(?:which|what|how|who|whose|when|where|why|if|whether)\b"
    r"|(?:read|search|find|look|count|list|compare|check(?!\s+(?:in|out)\b)|see|grep|cat|view|show|inspect|verify)\b"
    r"|i\s+(?:wonder|want\s+to\s+know)\b)",
    re.IGNORECASE,
)
"""English says at the beginning what kind of sentence it is."""
_ASKS_CHINESE = re.compile(
    r"哪[个些里儿一份篇种行]|什么|多少|几[个行字词次点页]|谁|是否|有没有|是不是|能不能|怎么|怎样|如何|为什么|为何|何时"
    r"|[吗呢嘛么]\W*$"
    # looked for, in a place or anywhere
    r"|^\W*(?:请|帮我|帮忙|麻烦你?|我想|先|再|并|然后)*\s*(?:在.{1,60}?[里中内下上])?\W*"
    r"(?:查|搜|找|统计|数一|数数|读|念|看|列出|列一|比较|对比|比一比|检查|浏览|核对)"
    r"|^\W*[把将].{0,60}?(?:读|念|看|查|数|列|比较|对比|统计)(?:一下|一遍|一读|一看|一查|一数|出来|给我)"
    # what was done is told of, not asked for
    r"|(?:写入?|保?存|记|创建|追加|覆盖)[了过着的得]"
)


def is_inquiry(text: str, mentions: Iterable[Mention]) -> bool:
    """Whether a text asks about things; what it quotes and names, its mentions, is left out of account."""
    said = hidden(text, mentions)
    return _ASKS.search(said) is not None or _ASKS_CHINESE.search(said) is not None
