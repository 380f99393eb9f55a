"""What the shell says around an answer, in the language of the question."""

from switchyard.app.report import RunReport, Source
from switchyard.language.messages import Field, Message, is_known, message, said
from switchyard.language.words import language_of
from switchyard.tools.core.spec import Language

DOWNGRADES_SHOWN = 3
ITEMS_SHOWN = 3


def language_of_run(report: RunReport) -> Language:
    """The language a run is spoken about in."""
    return language_of(report.question)


def sources_of(report: RunReport, language: Language) -> str:
    """Where the answer comes from, each source once."""
    parts = [_source(source).text(language) for source in report.sources]
    return ("，" if language == "zh" else ", ").join(dict.fromkeys(parts))


def _source(source: Source) -> Message:
    kinds: Field = [
        message(f"source.{kind}") if is_known(f"source.{kind}") else kind for kind in source.source.split(", ")
    ]
    if source.items:
        kinds = message("source_with_items", source=kinds, items=source.items[:ITEMS_SHOWN])
    return message("source_of_answer", tool=source.tool, source=kinds)


def notes_of(report: RunReport, language: Language) -> list[str]:
    """Where a plainer way was taken, the first few."""
    told = [note(one.agent, one.reason, language) for one in report.downgrades]
    return list(dict.fromkeys(told))[:DOWNGRADES_SHOWN]


def note(agent: str, reason: str, language: Language) -> str:
    """That a plainer way was taken."""
    who = message(f"agent.{agent}") if is_known(f"agent.{agent}") else agent
    return message("note", agent=who, reason=said(reason, language)).text(language)


def cost_of(report: RunReport, language: Language) -> str:
    """How the run ended and what it took."""
    usage = report.usage
    sent, every = usage.tool_tokens.summaries + usage.tool_tokens.definitions, usage.tool_tokens.full_catalogue
    tokens = message("cost_tokens", count=usage.prompt_tokens + usage.completion_tokens).text(language)
    if sent:  # what the tools took of the prompts, against sending them all
        tokens += message("cost_tool_share", sent=sent, all=every).text(language)
    parts = [
        message("cost_seconds", seconds=usage.seconds).text(language),
        message("cost_tool_calls", count=usage.tool_calls).text(language),
        message("cost_model_calls", count=usage.model_calls).text(language),
        tokens,
        message("cost_thread", thread=report.thread_id).text(language),
    ]
    return message("cost", status=message(f"status.{report.status}"), parts=" · ".join(parts)).text(language)
