"""Code that a text gives and wants run: "compute 1/0 with Python", 用 Python 执行 sorted([3, 1, 2])."""

import ast
import re
from functools import lru_cache

_RUN = r"(?:run|execute|evaluate|eval|compute|calculate|work\s+out)"
_RUN_ZH = r"(?:运行|执行|计算|求值?|算)(?:一下|下|出)?"
_THIS = r"(?:(?:this|the\s+following|some|the)\s+)"
_GIVEN = tuple(
    re.compile(rf"^{pattern}$", re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"{_RUN}\s+{_THIS}?python(?:\s*3)?(?:\s+(?:code|script|program|expression))?\s*[:：]?\s+(?P<code>.+)",
        rf"{_RUN}\s+(?:the\s+(?:code|expression)\s+)?(?P<code>.+?)\s+(?:with|in|using|by|through)\s+python",
        rf"(?:use|using|with|in)\s+python[\s,]+(?:to\s+)?{_RUN}\s*[:：]?\s+(?P<code>.+)",
        rf"{_RUN_ZH}\s*(?:这段|下面的?|以下)?\s*python\s*(?:代码|脚本|程序|表达式)?\s*[:：]?\s*(?P<code>.+)",
        rf"[用在]\s*python\s*(?:里|中|代码)?\s*(?:来|去)?\s*{_RUN_ZH}\s*[:：]?\s*(?P<code>.+)",
    )
)
_QUOTES = re.compile(r"^(?:```\w*\n?(.*?)\n?```|`(.*)`|“(.*)”)$", re.DOTALL)


@lru_cache(maxsize=256)
def read_program(text: str) -> str | None:
    """The Python code that a text gives to be run; None where it gives none, or what it gives is no Python."""
    plain = text.strip(" \t\n。？！?")
    for pattern in _GIVEN:
        match = pattern.match(plain)
        if match is None:
            continue
        inner = _QUOTES.match(match["code"].strip())
        code = next((group for group in inner.groups() if group), "") if inner else match["code"].strip()
        return code if _is_python(code) else None
    return None


def _is_python(code: str) -> bool:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    # a word, or the name of a file, is a name in Python as well
    names = all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Name | ast.Attribute) for one in body)
    return not names
