"""The model that writes the answer, with its thoughts kept out of LangGraph's `messages` stream (R1.8).

Whoever streams the graph hears what is said, token by token; a thought is kept back where it arises, so that nobody who
listens has to know about it.
"""

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from pydantic import PrivateAttr

from switchyard.agents.thoughts import Thoughts, spoken

M = TypeVar("M", bound=AIMessage)

UNHEARD: RunnableConfig = {"tags": ["nostream"]}
"""Keeps a call out of LangGraph's `messages` stream."""


class Speaker(BaseChatModel):
    """A chat model for one answer, which passes on what another one says and not what it thinks."""

    chat: BaseChatModel
    begins_thinking: bool = False
    """Whether the other's answers begin inside a thought."""
    _heard: list[str] = PrivateAttr(default_factory=list[str])

    @property
    def heard(self) -> str:
        """All the other one wrote, thoughts included."""
        return "".join(self._heard)

    @property
    def _llm_type(self) -> str:
        return "speaker"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError  # answers are written asynchronously

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002  the base class names it
        **kwargs: Any,
    ) -> ChatResult:
        message = await self.chat.ainvoke(messages, UNHEARD, stop=stop, **kwargs)
        said = _saying(message, spoken(self._hear(message)))
        return ChatResult(generations=[ChatGeneration(message=said)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002  the base class names it
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        thoughts, identity = Thoughts(begun=self.begins_thinking), None
        async for piece in self.chat.astream(messages, UNHEARD, stop=stop, **kwargs):
            chunk = _chunk(piece)
            said = thoughts.take(self._hear(chunk))
            if chunk.chunk_position == "last":
                said += thoughts.end()
            identity = chunk.id
            yield ChatGenerationChunk(message=_saying(chunk, said))
        if rest := thoughts.end():
            yield ChatGenerationChunk(message=AIMessageChunk(content=rest, id=identity))

    def _hear(self, message: AIMessage) -> str:
        """The text of a message; where it has blocks, thoughts have blocks of their own."""
        self._heard.append(str(message.text))
        return self._heard[-1] if isinstance(message.content, str) else ""


def _chunk(piece: AIMessage) -> AIMessageChunk:
    """A piece of a stream; a model that cannot stream gives its whole message as the only one."""
    if isinstance(piece, AIMessageChunk):
        return piece
    return AIMessageChunk(
        content=piece.content, id=piece.id, usage_metadata=piece.usage_metadata, chunk_position="last"
    )


def _saying(message: M, text: str) -> M:
    return message.model_copy(update={"content": text}) if isinstance(message.content, str) else message
