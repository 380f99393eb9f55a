"""What the shell says around an answer, in the language of the question."""

from typing import Any

from switchyard.app.report import RunReport
from switchyard.language.messages import said
from switchyard.language.words import language_of
from switchyard.ledger.limits import Usage
from switchyard.tools.core.plain_words import counted
from switchyard.tools.core.spec import Language

DOWNGRADES_SHOWN = 3
ITEMS_SHOWN = 3

PHRASES: dict[str, dict[Language, str]] = {
    "sources": {"en": "Sources: {sources}", "zh": "来源：{sources}"},
    "note": {"en": "Note: {agent}: {reason}", "zh": "说明：{agent}：{reason}"},
    "cost": {"en": "{status}: {parts}", "zh": "{status}：{parts}"},
    "thread": {"en": "thread {thread}", "zh": "对话 {thread}"},
    "tool_share": {
        "en": " ({sent} about tools, of {all} if all were sent)",
        "zh": "（工具说明占 {sent}，全部发送需 {all}）",
    },
    "reply": {"en": "your reply: ", "zh": "您的回答："},
    "decide": {"en": "approve, edit or refuse? [a/e/r] ", "zh": "批准、修改还是拒绝？[a/e/r] "},
    "lines_below": {"en": "({count} lines, see below)", "zh": "（共 {count} 行，见下）"},
    "lines_left_out": {
        "en": "… {left_out} of {count} lines left out …",
        "zh": "…… 共 {count} 行，省略 {left_out} 行 ……",
    },
    "more_characters": {"en": "({over} more characters)", "zh": "（还有 {over} 个字符）"},
    "sends": {"en": "It sends {target} with this body:", "zh": "将发送 {target}，正文如下："},
    "sends_nothing": {"en": "It sends {target} without a body.", "zh": "将发送 {target}，没有正文。"},
    "creates": {"en": "It creates {target}, which does not exist yet.", "zh": "将新建 {target}（目前还不存在）。"},
    "changes": {"en": "It changes {target}, which exists already.", "zh": "将修改 {target}（已经存在）。"},
    "leaves": {
        "en": "{target} has just this content already; it stays as it is.",
        "zh": "{target} 已经是这样的内容，不会改变。",
    },
    "arguments": {"en": "arguments as JSON: ", "zh": "新的参数（JSON 对象）："},
    "no_object": {
        "en": "That is no JSON object; nothing was done.",
        "zh": "这不是 JSON 对象，没有执行任何操作。",
    },
    "stopped": {
        "en": "Stopped. Go on with: switchyard resume {again}",
        "zh": "已停止。继续执行：switchyard resume {again}",
    },
    "waiting": {"en": "Waiting for approval: {call}", "zh": "等待批准：{call}"},
    "approve": {
        "en": "Decide with: switchyard resume {again} --approve (or --refuse)",
        "zh": "批准：switchyard resume {again} --approve（拒绝则用 --refuse）",
    },
    "give": {
        "en": "Give it with: switchyard resume {again} --reply "
        """'{{"{step}": {{"decision": "edit", "arguments": {{…}}}}}}' (or --refuse)""",
        "zh": "重新填写：switchyard resume {again} --reply "
        """'{{"{step}": {{"decision": "edit", "arguments": {{…}}}}}}'（拒绝则用 --refuse）""",
    },
    "answer": {
        "en": "Answer with: switchyard resume {again} --reply '…'",
        "zh": "回答：switchyard resume {again} --reply '…'",
    },
    "env_refused": {
        "en": "{file} sets {names}: not used. A folder's own file may only name a model, an address with its key, and "
        "lower limits; set the rest in the environment.",
        "zh": "没有采用 {file} 中的 {names}：文件夹自带的文件只能指定模型、地址连同它的密钥，以及调低限额；"
        "其余请用环境变量设置。",
    },
    "env_endpoint": {
        "en": "Questions go to {url}, as {file} says; no key of the environment is sent there.",
        "zh": "按 {file} 的设置，问题会发往 {url}；环境变量中的密钥不会发到那里。",
    },
    "untrusted": {
        "en": "{brings} in {folder} not used: `switchyard trust` lets what lies there be run.",
        "zh": "没有使用 {folder} 中的 {brings}：运行 `switchyard trust` 才会启用那里的内容。",
    },
}
"""Every sentence of the shell's own about a run, both languages side by side."""

STATUS = {"answered": "已回答", "partial": "部分完成", "failed": "未完成", "waiting": "等待中", "cancelled": "已停止"}
SOURCES = {"native": "内置", "skill": "技能", "mcp": "MCP", "model": "模型"}
AGENTS = {
    "planning": "规划",
    "tool_selection": "选择工具",
    "execution": "执行",
    "verification": "核实",
    "coordination": "协调",
}


def phrase(name: str, language: Language, **fields: Any) -> str:
    """One of the shell's sentences."""
    return PHRASES[name][language].format(**fields)


def language_of_run(report: RunReport) -> Language:
    """The language a run is spoken about in."""
    return language_of(report.question)


def reason_shown(reason: str, language: Language) -> str:
    """Why a step failed, or a plainer way was taken."""
    return said(reason, language)


def sources_of(report: RunReport, language: Language) -> str:
    """Where the answer comes from, each source once."""
    chinese = language == "zh"
    parts: list[str] = []
    for source in report.sources:
        kinds = source.source.split(", ")
        kind = "、".join(SOURCES.get(one, one) for one in kinds) if chinese else source.source
        items = ("、" if chinese else ", ").join(source.items[:ITEMS_SHOWN])
        inside = kind + (("：" if chinese else ": ") + items if items else "")
        parts.append(f"{source.tool}（{inside}）" if chinese else f"{source.tool} ({inside})")
    return ("，" if chinese else ", ").join(dict.fromkeys(parts))


def notes_of(report: RunReport, language: Language) -> list[str]:
    """Where a plainer way was taken, the first few."""
    told = [note(one.agent, one.reason, language) for one in report.downgrades]
    return list(dict.fromkeys(told))[:DOWNGRADES_SHOWN]


def note(agent: str, reason: str, language: Language) -> str:
    """That a plainer way was taken."""
    who = AGENTS.get(agent, agent) if language == "zh" else agent
    return phrase("note", language, agent=who, reason=reason_shown(reason, language))


def cost_of(report: RunReport, language: Language) -> str:
    """How the run ended and what it took."""
    usage = report.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    thread = phrase("thread", language, thread=report.thread_id)
    if language == "zh":
        parts = [f"{usage.seconds:.2f} 秒", f"工具调用 {usage.tool_calls} 次", f"模型调用 {usage.model_calls} 次"]
        parts += [f"{tokens} 个令牌{_tool_share(usage, language)}", thread]
        return phrase("cost", language, status=STATUS[report.status], parts=" · ".join(parts))
    parts = [f"{usage.seconds:.2f} s", counted(usage.tool_calls, "tool call"), counted(usage.model_calls, "model call")]
    parts += [counted(tokens, "token") + _tool_share(usage, language), thread]
    return phrase("cost", language, status=report.status, parts=" · ".join(parts))


def _tool_share(usage: Usage, language: Language) -> str:
    """What the tools took of the prompts, against sending them all."""
    tokens = usage.tool_tokens
    sent = tokens.summaries + tokens.definitions
    return phrase("tool_share", language, sent=sent, all=tokens.full_catalogue) if sent else ""
