"""同一个智能体，有无中间件各跑一遍，比较提示词长度、模型调用、工具调用和重复的失败。

The same agent with and without our middleware, over two hundred tools, with a model that plays a script.
"""

import json
from collections.abc import Sequence
from typing import Any, cast

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]  only partly typed
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from office import Office

from switchyard import SwitchyardFailureGuard, SwitchyardToolSelection

PLAYED: dict[str, tuple[str, dict[str, str], str]] = {
    "How many orders are open?": ("count_order", {"state": "open"}, ""),
    "工单 T-17 里写了什么？": ("get_ticket", {"number": "T-17"}, "find_ticket"),
    "Show me invoice R-3 of the Miller company": ("get_invoice", {"number": "R-3"}, "list_invoice"),
    "把今年的差旅费导出成 csv": ("export_expense", {"format": "csv", "since": "2026-01-01"}, ""),
    "Assign contract 2044 to Ben": ("assign_contract", {"number": "2044", "person": "Ben"}, ""),
}
"""What is asked, the call the model makes for it, and the tool it turns to when it is told of it."""
PATIENCE = 5
"""How often the model makes a call that fails, as weak ones do, where nothing tells it better."""


class PlayedModel(BaseChatModel):
    """Makes the call of its script, again and again while it fails; takes a tool that a message suggests."""

    calls: int = 0
    prompt_tokens: int = 0
    unseen: int = 0
    """Calls of a tool that was not in the request: a real model could not have made them."""

    @property
    def _llm_type(self) -> str:
        return "played"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        """As providers do it: the definitions are a part of the prompt."""
        return self.bind(tools=list(map(convert_to_openai_tool, tools)))

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        definitions: list[Any] = kwargs.get("tools", [])
        self.calls += 1
        self.prompt_tokens += count_tokens_approximately(messages)
        self.prompt_tokens += count_tokens_approximately([HumanMessage(json.dumps(definitions, ensure_ascii=False))])
        reply = self._reply(messages)
        shown = {one["function"]["name"] for one in definitions}
        self.unseen += sum(call["name"] not in shown for call in reply.tool_calls)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _reply(self, messages: Sequence[BaseMessage]) -> AIMessage:
        question = next(one.text for one in reversed(messages) if isinstance(one, HumanMessage))
        tool, arguments, instead = PLAYED[question]
        results = [one for one in messages if isinstance(one, ToolMessage)]
        if results and instead and instead in results[-1].text and results[-1].name == tool:
            tool, arguments = instead, {"words": question}
        elif results and ("There is no" not in results[-1].text or len(results) >= PATIENCE):
            return AIMessage(results[-1].text)
        call = {"name": tool, "args": arguments, "id": f"call{self.calls}"}
        return AIMessage("", tool_calls=[call])


def run(*middleware: Any) -> list[int]:
    """Ask everything, and count."""
    office, model = Office(), PlayedModel()
    agent = cast("Any", create_agent)(model, office.tools, middleware=list(middleware))
    answers = [agent.invoke({"messages": [("user", question)]})["messages"][-1].text for question in PLAYED]
    answered = sum("There is no" not in answer for answer in answers)
    return [model.prompt_tokens, model.calls, office.calls, office.repeated_failures, model.unseen, answered]


def main() -> None:
    """Print the table."""
    heads = ("prompt tokens", "model calls", "tool calls", "repeated failures", "calls of unseen tools", "answered")
    plain, ours = run(), run(SwitchyardToolSelection(topk=10), SwitchyardFailureGuard())
    print(f"{f'{len(Office().tools)} tools, {len(PLAYED)} questions':<24} {'without':>9} {'with':>9}")  # noqa: T201  what it is for
    for head, without, within in zip(heads, plain, ours, strict=True):
        print(f"{head:<24} {without:>9} {within:>9}")  # noqa: T201  what it is for


if __name__ == "__main__":
    main()
