"""一个 HTTP 服务：一个编排器，多个用户；回答以服务器推送事件（SSE）流式返回，写操作先等批准。

A service over HTTP: one orchestrator, many users; answers are streamed as server-sent events, writes wait for approval.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Annotated, Any, cast
from urllib.parse import quote

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field
from pydantic_settings import BaseSettings

from switchyard import (
    Event,
    Orchestrator,
    RunOptions,
    RunReport,
    SettingsInvalid,
    SwitchyardError,
    ThreadUnknown,
    ToolUnknown,
    load_settings,
    open_orchestrator,
)


class ServiceSettings(BaseSettings):
    """What the service itself is told by its environment; the orchestrator reads `APP_…`."""

    service_tokens: dict[str, str] = Field(default_factory=dict[str, str])
    """The user of each token, as JSON in `SERVICE_TOKENS`. A real service asks whoever it trusts with log-ins."""


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncGenerator[dict[str, Any]]:
    """Everything is opened once, in the event loop that serves, and closed when the service ends."""
    async with open_orchestrator(load_settings()) as orchestrator:
        yield {"orchestrator": orchestrator, "users": ServiceSettings().service_tokens}


app = FastAPI(title="Switchyard", lifespan=lifespan)


def opened(request: Request) -> Orchestrator:
    """The orchestrator that was opened at the start."""
    return cast("Orchestrator", request.state.orchestrator)


def known_user(request: Request, token: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> str:
    """Who asks."""
    if user := request.state.users.get(token.credentials):
        return user
    raise HTTPException(401, "This token belongs to nobody. 没有使用此令牌的用户。")


User = Annotated[str, Depends(known_user)]
Opened = Annotated[Orchestrator, Depends(opened)]


def own_thread(thread: str, user: User) -> str:
    """The id a thread is kept under: the user is a part of it, so that nobody reaches a thread of somebody else's."""
    return f"{quote(user, safe='')}/{thread}"


Thread = Annotated[str, Depends(own_thread)]


class Question(BaseModel):
    """What is asked."""

    question: str


class Decisions(BaseModel):
    """What a person decided about the calls that wait, in their order: `{"type": "approve"}`, `edit` or `reject`."""

    decisions: list[dict[str, Any]]


@app.post("/threads/{thread}/questions")
async def ask(asked: Question, thread: Thread, user: User, orchestrator: Opened) -> StreamingResponse:
    """Answer a question as server-sent events; the last is `answer`, or `approval` where calls wait."""
    return await sent(orchestrator.stream(asked.question, thread_id=thread, options=RunOptions(user=user)))


@app.post("/threads/{thread}/decisions")
async def decide(reply: Decisions, thread: Thread, user: User, orchestrator: Opened) -> StreamingResponse:
    """Go on with a run that waits."""
    return await sent(orchestrator.stream_resume(thread, reply.model_dump(), options=RunOptions(user=user)))


@app.post("/threads/{thread}/resume")
async def resume(thread: Thread, user: User, orchestrator: Opened) -> StreamingResponse:
    """Finish a run whose browser went away, or that the end of the service stopped; steps that are done stay done."""
    return await sent(orchestrator.stream_resume(thread, options=RunOptions(user=user)))


@app.post("/threads/{thread}/abandon", status_code=204)
async def abandon(thread: Thread, orchestrator: Opened) -> None:
    """Give up a run that waits or was stopped, so that the thread takes the next question."""
    await orchestrator.abandon(thread)


@app.get("/threads/{thread}")
async def report(thread: Thread, orchestrator: Opened) -> RunReport:
    """The last run of a thread: its answer, its steps, and what it waits for."""
    return await orchestrator.report(thread)


@app.delete("/threads/{thread}", status_code=204)
async def forget_thread(thread: Thread, orchestrator: Opened) -> None:
    """Forget a conversation."""
    await orchestrator.delete_thread(thread)


@app.get("/memory")
async def memory(user: User, orchestrator: Opened) -> dict[str, list[str]]:
    """The tools that served this user, each with the wordings it served."""
    learned = await orchestrator.experience.listed(user) if orchestrator.experience else []
    return {one.tool: [wording.text for wording in one.wordings.served] for one in learned}


@app.delete("/memory", status_code=204)
async def forget_memory(user: User, orchestrator: Opened) -> None:
    """Forget what this user's questions taught."""
    if orchestrator.experience:
        await orchestrator.experience.clear(user)


@app.exception_handler(SwitchyardError)
async def said(request: Request, error: Exception) -> JSONResponse:
    """What went wrong, in the language of the browser: the texts of ours know their Chinese."""
    text = error.args[0]
    chinese = request.headers.get("accept-language", "").startswith("zh") and hasattr(text, "text")
    return JSONResponse({"detail": text.text("zh") if chinese else str(text)}, status_of(error))


def status_of(error: Exception) -> int:
    """The caller's fault, or ours."""
    if isinstance(error, ThreadUnknown):
        return 404
    return 422 if isinstance(error, SettingsInvalid | ToolUnknown) else 503


async def sent(events: AsyncIterator[Event]) -> StreamingResponse:
    """Events as a response. The first one is waited for here: what cannot be asked at all has a status of its own."""
    first = await anext(events, None)

    async def lines() -> AsyncIterator[str]:
        async with aclosing(cast("Any", events)):
            if first is not None:
                yield as_text(first)
            async for event in events:
                yield as_text(event)

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def as_text(event: Event) -> str:
    """An event as browsers read it."""
    return f"event: {event['event']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n"
