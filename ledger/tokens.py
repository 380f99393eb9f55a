"""Tokens, estimated without a tokeniser's tables: those are downloaded at run time, and this must work offline."""

import re
from functools import lru_cache

_PIECES = re.compile(r"[A-Za-z]{1,6}|\d{1,3}|[\u3400-\u9fff\uf900-\ufaff]|[^\sA-Za-z\d]{1,2}")


@lru_cache(maxsize=512)  # the same summaries and definitions come again and again
def estimate_tokens(text: str) -> int:
    """About as many tokens as a large model's tokeniser would count, English or Chinese."""
    return round(len(_PIECES.findall(text)) * 0.95)
