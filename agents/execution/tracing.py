"""Calls as tool runs to LangChain's callbacks, so that LangSmith, Langfuse and `astream_events` see them."""

import json
from collections.abc import Awaitable, Callable

from langchain_core.runnables.config import (
    ensure_config,
    get_async_callback_manager_for_config,
    patch_config,
    set_config_context,
)

from switchyard.ledger.attempts import Attempt
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.result import ToolResult


async def traced(attempt: Attempt, summary: str, make: Callable[[], Awaitable[ToolResult]]) -> ToolResult:
    """The result of a call, which is told to whoever listens; without secrets: the attempt and the result have none."""
    config = ensure_config()
    manager = get_async_callback_manager_for_config(config)
    run = await manager.on_tool_start(
        {"name": attempt.tool, "description": summary},
        json.dumps(attempt.arguments, ensure_ascii=False, default=str),
        name=attempt.tool,
        inputs=attempt.arguments,
        tool_call_id=attempt.key,
    )
    try:
        with set_config_context(patch_config(config, callbacks=run.get_child())):
            result = await make()
    except BaseException as error:
        await run.on_tool_error(error)
        raise
    if result.success:
        await run.on_tool_end(result.result)
    else:
        await run.on_tool_error(ToolFailed(result.error or "", kind=result.error_type))
    return result
