"""What a person is shown before they decide: the effect of a call (R1.6)."""

import asyncio
import re

import structlog

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.calling.retreat import Dispatcher
from switchyard.tools.core.effect import Effect
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.masking import MASK, is_secret_name, shown_arguments

PREVIEW_SECONDS = 5.0
"""What a tool may take to say what it would do."""
MAX_EFFECTS, MAX_LINES, LINE_LENGTH = 20, 60, 300
"""What is kept with a request: effects, lines of each, characters of a line."""

_NAMED = re.compile(r"^([ +-]?[ \t]*(?:export\s+)?[\"']?(?!key\b)([\w.-]+)[\"']?[ \t]*[:=][ \t]*)\S.*$", re.MULTILINE)
"""A line of a file that gives something named a value, such as `API_KEY=…`."""

log = structlog.get_logger(__name__)


async def effects_of(dispatcher: Dispatcher, request: ToolRequest) -> list[Effect]:
    """What the tool says the call would do, without secrets and not too much; nothing where it cannot say.

    Raises:
        ToolError: with what the tool says against the call.
    """
    try:
        async with asyncio.timeout(PREVIEW_SECONDS):
            effects = await dispatcher.preview(request)
    except ToolError:
        raise
    except Exception as error:  # noqa: BLE001  what a tool cannot say beforehand keeps nobody from deciding
        log.warning("preview_failed", tool=request.tool, step=request.context.step_id, error=type(error).__name__)
        return []
    return [_bounded(effect) for effect in effects[:MAX_EFFECTS]]


def _bounded(effect: Effect) -> Effect:
    """The effect without secrets and not too long, whatever the tool made of it."""
    text = shown_arguments({"text": effect.text})["text"]
    lines = _NAMED.sub(_masked, text).splitlines()
    return Effect(
        kind=effect.kind,
        target=_cut(shown_arguments({"target": effect.target})["target"]),
        text="\n".join(map(_cut, lines[:MAX_LINES])),
        left_out=effect.left_out + max(len(lines) - MAX_LINES, 0),
    )


def _masked(line: re.Match[str]) -> str:
    """The line without its value, where the name says that it is a secret."""
    return f"{line[1]}{MASK}" if is_secret_name(line[2]) else line[0]


def _cut(line: str) -> str:
    return line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…"
