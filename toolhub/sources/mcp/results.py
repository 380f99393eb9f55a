"""What a server answered, in the one result shape."""

import json
import re
from typing import TYPE_CHECKING, Any

from switchyard.language.messages import message
from switchyard.toolhub.sources.mcp.secrets import Secrets
from switchyard.tools.core.errors import FailureKind
from switchyard.tools.core.result import ResultMeta, ToolResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock

MAX_ERROR = 2_000

_WORDS: tuple[tuple[FailureKind, str], ...] = (
    ("bad_arguments", r"validation error|无效的?参数|参数(错误|无效|不正确)"),
    ("rate_limit", r"rate.?limit|too many requests|quota|\b429\b|限流|频率|请求过多|配额"),
    ("permission", r"permission|denied|forbidden|unauthori[sz]ed|not allowed|\b40[13]\b|权限|禁止|未授权|拒绝"),
    ("timeout", r"timed?.?out|deadline|超时"),
    ("unavailable", r"unavailable|unreachable|connection|network|\b50[234]\b|不可用|无法连接|网络|稍后再试"),
    ("not_found", r"not found|no such|n[o']t exist|unknown|cannot find|could not find|\b404\b|不存在|找不到|未找到"),
    ("bad_arguments", r"invalid|required|missing|must |expected|malformed|syntax|参数|无效|缺少|必填|格式|语法"),
)
"""What the texts of errors have in common; the first that is found decides."""

_KINDS: list[tuple[FailureKind, re.Pattern[str]]] = [(kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS]


def converted(answer: "CallToolResult", secrets: Secrets) -> ToolResult:
    """Structured content if there is some, else the texts; an error is classified by its words."""
    if answer.isError:
        text = "\n".join(block.text for block in answer.content if block.type == "text").strip()
        if not text:
            silent = message("server_gave_no_reason")
            return ToolResult.failed(silent, classified(silent))
        text = secrets.text(text)
        return ToolResult.failed(text[:MAX_ERROR], classified(text))
    value: Any = answer.structuredContent
    if value is None:
        blocks = [_block(block) for block in answer.content]
        value = blocks[0] if len(blocks) == 1 else blocks or None
    sources = [str(uri) for block in answer.content if (uri := _address(block))]
    return ToolResult(result=secrets.data(value), meta=ResultMeta(sources=secrets.data(sources)))


def classified(text: str) -> FailureKind:
    """The class of a failure a server only told in words, English or Chinese."""
    for kind, words in _KINDS:
        if words.search(text[:500]):
            return kind
    return "crash"


def _block(block: "ContentBlock") -> Any:
    """One piece of content as data; of pictures and sounds, what they are and their size."""
    match block.type:
        case "text":
            return _read(block.text)
        case "image" | "audio":
            return {"type": block.type, "mime_type": block.mimeType, "bytes": len(block.data) * 3 // 4}
        case "resource_link":
            return {"type": "link", "uri": str(block.uri), "name": block.name, "description": block.description}
        case "resource":
            inside = block.resource
            text = getattr(inside, "text", None)
            content = {"text": text} if text is not None else {"bytes": len(getattr(inside, "blob", "")) * 3 // 4}
            return {"type": "resource", "uri": str(inside.uri), "mime_type": inside.mimeType, **content}


def _address(block: "ContentBlock") -> Any:
    match block.type:
        case "resource_link":
            return block.uri
        case "resource":
            return block.resource.uri
        case _:
            return None


def _read(text: str) -> Any:
    """Servers send objects as JSON text; later steps want their fields."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text
