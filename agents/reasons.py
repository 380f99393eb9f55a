"""Why something did not work, for a person who asked in Chinese.

Tools and agents give their reasons in English: the log, the journal, `--json` and the model read those. What is shown
to a person passes through here. Our own sentences have a Chinese form in the tables; a stranger's keep their words, as
a quotation after the kind of failure.
"""

import re
from collections.abc import Mapping
from functools import cache

from switchyard.agents.run_reasons import RUN_REASONS
from switchyard.agents.tool_reasons import TOOL_REASONS
from switchyard.language.places import zone_of
from switchyard.ledger.limits import LimitName
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.spec import Language

KINDS: dict[FailureKind, str] = {
    "not_found": "没有找到",
    "timeout": "超时",
    "bad_arguments": "参数不对",
    "permission": "不允许",
    "rate_limit": "请求过于频繁",
    "unavailable": "服务不可用",
    "crash": "工具出错",
    "wrong_result": "结果不可信",
}
"""The classes of failure in Chinese."""

LIMITS: dict[LimitName, dict[Language, str]] = {
    "iterations": {"en": "iterations", "zh": "循环轮数"},
    "attempts": {"en": "attempts", "zh": "尝试次数"},
    "replans": {"en": "new plans", "zh": "重新规划次数"},
    "tool_calls": {"en": "tool calls", "zh": "工具调用次数"},
    "seconds": {"en": "seconds", "zh": "用时"},
    "model_calls": {"en": "model calls", "zh": "模型调用次数"},
    "tokens": {"en": "tokens", "zh": "令牌数"},
    "recursion_limit": {"en": "graph steps (recursion_limit)", "zh": "图的步数（recursion_limit）"},
}
"""What a run may not exceed, as a sentence names it."""

_SYSTEM: dict[str, str] = {
    "Permission denied": "权限不足",
    "it is write-protected": "它是写保护的",
    "File name too long": "文件名太长",
    "Not a directory": "路径中有一段不是文件夹",
    "No space left on device": "磁盘已满",
    "Read-only file system": "文件系统是只读的",
    "embedded null byte": "其中有空字符",
    "All connection attempts failed": "连接失败",
}
"""What the system says, inside a sentence of ours."""

_VALUES: dict[str, Mapping[str, str]] = {
    "kind": {**KINDS},
    "limit": {name: words["zh"] for name, words in LIMITS.items()},
    "system": _SYSTEM,
    "done": {"read": "读取", "written": "写入"},
    "what": {
        "text": "文本",
        "a list": "列表",
        "an object": "对象",
        "a number": "数",
        "a whole number": "整数",
        "true or false": "真假值",
        "nothing": "空值",
        "date": "日期",
        "time": "时间",
    },
}
"""By the name of a field, the Chinese of what may stand there; what is not listed stays as it is."""

LONGEST_OF_OURS = 1000
"""Characters: what is longer is no sentence of ours, and a stranger's may be made to take long to compare."""

_FIELD = re.compile(r"\\\{(\w+)\\\}")
_NAMED_TWICE = re.compile(r".+ \(([^()]*[\u3400-\u9fff][^()]*)\)")
_HAN, _WORD = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[A-Za-z]+")
_QUOTED = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"")


def reason_in_chinese(text: str, kind: FailureKind | None = None) -> str:
    """A reason as a Chinese sentence: ours in Chinese, a stranger's quoted after the kind of failure."""
    text = " ".join(text.split())
    ours = translated(text) if len(text) <= LONGEST_OF_OURS else None
    if ours is not None:
        return ours
    if _is_chinese(text):
        return text if text.endswith(("。", "！", "？")) else f"{text.rstrip('.')}。"
    said = f"原文：“{text.rstrip('.')}”" if text else ""
    if kind is None:
        return f"{said}。" if said else ""
    return f"{KINDS[kind]}（{said}）。" if said else f"{KINDS[kind]}。"


def _is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese, not only about something with a Chinese name."""
    unquoted = _QUOTED.sub("", text)
    return len(_HAN.findall(unquoted)) > 2 * len(_WORD.findall(unquoted))


def translated(text: str) -> str | None:
    """The Chinese of a text that is made of our own sentences; None where one of them is not ours."""
    said, rest = "", text.strip()
    while rest:
        found = (match for form in _forms() if (match := form.match(rest)))
        match = next(found, None)
        if match is None:
            return None
        fields = {name: _value(name, str(match[name])) for name in match.re.groupindex}
        said += _forms()[match.re].format(**fields)
        rest = rest[match.end() :].lstrip("; ")
    return said or None


@cache
def _forms() -> dict[re.Pattern[str], str]:
    """The tables as expressions: a field ends with its sentence, but `said` may be several."""
    return {re.compile(_expression(en), re.DOTALL): zh for en, zh in {**TOOL_REASONS, **RUN_REASONS}.items()}


def _expression(form: str) -> str:
    fields = _FIELD.sub(
        lambda field: f"(?P<{field[1]}>.+)" if field[1] == "said" else rf"(?P<{field[1]}>(?:(?!\.\s).)+?)",
        re.escape(form),
    )
    return fields + (
        r"(?=\s|$)" if form.endswith((".", "?")) else r"(?=;\s|$)"
    )  # a note without a full stop stands alone


def _value(name: str, value: str) -> str:
    if name == "said":  # a reason inside a reason
        return reason_in_chinese(value).rstrip("。")
    if name == "near":  # Atlanta (亚特兰大)
        return "、".join(_NAMED_TWICE.sub(r"\1", part).strip("'") for part in re.split(r", | or ", value))
    if name == "cities":
        return "、".join(place.name_zh if (place := zone_of(city)) else city for city in value.split(", "))
    return _VALUES.get(name, {}).get(value, value)
