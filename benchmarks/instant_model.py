"""A chat model inside the process that answers at once: what remains is the cost of the machinery around it."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from switchyard.agents.coordination.prompts import ANSWER_SYSTEM
from switchyard.agents.planning.prompts import SYSTEM as PLAN_SYSTEM

QUESTION = "What is 15% of 2480?"
EXPRESSION = "15% of 2480"
ANSWER = "15% of 2480 is 372."

CALL = {"tool": "calculate", "arguments": {"expression": EXPRESSION}}
REPLIES = {
    PLAN_SYSTEM: json.dumps({"steps": [{"id": "s1", "description": f"calculate {EXPRESSION}", **CALL}]}),
    ANSWER_SYSTEM: ANSWER,
}
"""What our prompts are answered with, by their system text."""


class InstantModel(BaseChatModel):
    """Answers our prompts by their kind; an agent's messages with one tool call, then the answer."""

    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """As providers do it: a binding around the model."""
        return self.bind(tools=list(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager
        self.calls += 1
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, as_agent="tools" in kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del run_manager
        return self._generate(messages, stop, None, **kwargs)

    def _reply(self, messages: list[BaseMessage], *, as_agent: bool) -> AIMessage:
        usage = UsageMetadata(input_tokens=100, output_tokens=20, total_tokens=120)
        if not as_agent:
            return AIMessage(REPLIES[str(messages[0].text)], usage_metadata=usage)
        if messages[-1].type == "tool":
            return AIMessage(ANSWER, usage_metadata=usage)
        call = ToolCall(name="calculate", args={"expression": EXPRESSION}, id=f"call_{self.calls}")
        return AIMessage("", tool_calls=[call], usage_metadata=usage)
