"""What has been said before."""

from typing import Any

from pydantic import Field

from switchyard.tools.core import BaseToolParams, ToolContext, tool


class GetConversationHistoryParams(BaseToolParams):
    """Which messages."""

    limit: int = Field(default=10, ge=1, le=1000, description="How many messages at most; the latest ones are kept.")
    query: str | None = Field(default=None, description="Only messages that contain this text, in any case.")


@tool(
    category="history",
    capability_tags=("history", "历史"),
    returns="turns with role and text, and count, the number of messages that fit",
)
class GetConversationHistory:
    """Look up earlier messages of this conversation, all of them or those that mention something.

    `count` is the number of all messages that fit; `turns` holds the latest of them, oldest first.
    """

    async def execute(self, params: GetConversationHistoryParams, context: ToolContext) -> dict[str, Any]:
        """The latest messages, oldest first."""
        wanted = (params.query or "").casefold()
        fitting = [turn for turn in context.history if wanted in turn.text.casefold()]
        turns = [{"role": turn.role, "text": turn.text} for turn in fitting[-params.limit :]]
        return {"turns": turns, "count": len(fitting)}
