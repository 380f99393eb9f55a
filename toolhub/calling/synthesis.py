"""Several good answers become one: by one short model call, or side by side (R5.4).

Whoever dispatches hands in the line to the model, so that the call counts towards the run it serves.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langgraph.errors import GraphBubbleUp
from pydantic import Field

from switchyard.language.messages import message
from switchyard.ledger.references import as_text
from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.capabilities import Likeness
from switchyard.toolhub.excerpts import DATA_RULE, as_data, cut
from switchyard.tools.core.context import SkillHost
from switchyard.tools.core.late_model import LateModel
from switchyard.tools.core.logs import get_logger
from switchyard.tools.core.result import ResultMeta, ToolResult
from switchyard.tools.core.spec import Language, ToolSpec

MAX_CHARACTERS = 2000
MAX_RESULTS = 3
"""Above either, answers are put side by side without the model."""
MERGED_LENGTH = 300
"""Characters of each answer that stand side by side."""
MODEL_SECONDS = 10.0


SYSTEM = (
    """\
Several tools answered the same call. Merge their answers into one text.

Rules:
- Say everything that matters once. Keep numbers, names, dates and addresses exactly as they stand.
- Where answers contradict each other, say so and which tool says what.
- Add nothing that no answer says.
- Write in {language}. Answer with one JSON object and nothing else: {{"text": "..."}}

"""
    + DATA_RULE
)

USER = """\
Call: {call}

{answers}
"""

_LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Chinese"}
_LENGTHS: dict[Likeness, int] = {"calculation": 100, "search": 300, "extraction": 300}
_LENGTH = 250
_CROWDED_SEARCH = 200
"""Each of more than two results of a search."""

log = get_logger(__name__)


class Merged(LateModel):
    """What the model answers."""

    text: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """A good result and the tool that gave it."""

    spec: ToolSpec
    result: ToolResult


async def merged(
    request: ToolRequest, answers: Sequence[Answer], likeness: Likeness, *, seconds: float = MODEL_SECONDS
) -> ToolResult:
    """At least two answers, best first, as one result: `text`, and every full `result` beside its tool.

    The kind of results, `likeness`, says how much of each the model sees.
    """
    started = time.perf_counter()
    texts = [as_text(answer.result.result) for answer in answers]
    host = request.context.skill_host
    asks = host is not None and len(texts) <= MAX_RESULTS and sum(map(len, texts)) <= MAX_CHARACTERS
    text = await _asked(host, request, user_prompt(request, answers, likeness), seconds) if host and asks else None
    each = [{"tool": one.spec.tool_id, "source": one.spec.source, "result": one.result.result} for one in answers]
    sources = [source for one in answers for source in one.result.meta.sources or [one.spec.tool_id]]
    meta = ResultMeta(
        source=", ".join(dict.fromkeys(one.spec.source for one in answers)),
        synthesised=True,
        source_count=len(answers),
        sources=list(dict.fromkeys(sources)),
        ms=max(answer.result.meta.ms for answer in answers) + (time.perf_counter() - started) * 1000,
        downgrades=[message("not_merged")] if asks and text is None else [],
    )
    return ToolResult(result={"text": text or side_by_side(answers), "results": each}, meta=meta)


async def _asked(host: SkillHost, request: ToolRequest, prompt: str, seconds: float) -> str | None:
    system = SYSTEM.format(language=_LANGUAGES[request.context.language])
    try:
        async with asyncio.timeout(seconds):
            answer = await host.ask(system, prompt, Merged)
    except GraphBubbleUp:
        raise
    except Exception as error:  # noqa: BLE001  whatever keeps the model from answering: the results are there
        log.warning("synthesis_failed", error=type(error).__name__)
        return None
    return answer.text if answer else None


def user_prompt(request: ToolRequest, answers: Sequence[Answer], likeness: Likeness) -> str:
    """What the model reads: each answer under its tool, cut to what its kind needs."""
    crowded = likeness == "search" and len(answers) > 2  # noqa: PLR2004  two share the room of three
    length = _CROWDED_SEARCH if crowded else _LENGTHS.get(likeness, _LENGTH)
    call = f"{request.tool} {json.dumps(request.arguments, ensure_ascii=False, default=str)}"
    return USER.format(call=call, answers=_listed(answers, length, as_data))


def side_by_side(answers: Sequence[Answer]) -> str:
    """The answers under their tools, each cut at the end of a sentence."""
    return _listed(answers, MERGED_LENGTH)


def _listed(answers: Sequence[Answer], length: int, mark: Callable[[str], str] = str) -> str:
    shown = [(f"{one.spec.tool_id} ({one.spec.source})", cut(as_text(one.result.result), length)) for one in answers]
    return "\n\n".join(f"{name}: {mark(text)}" for name, text in shown)
