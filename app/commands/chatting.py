"""`chat`: one question after another in one thread."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from switchyard.app.commands.asking import Ask, watch
from switchyard.app.commands.running import EXIT, complain, run_command
from switchyard.app.commands.trusting import tell_untrusted
from switchyard.app.commands.unusable import Complaints
from switchyard.app.console import Console
from switchyard.app.models import check_model_name
from switchyard.app.orchestrator import new_thread_id, open_orchestrator
from switchyard.app.settings import Settings
from switchyard.tools.core.errors import SwitchyardError

LEAVE = {"exit", "quit", "bye", "/exit", "/quit", "退出", "再见"}


def chat_loop(request: Ask) -> int:
    """Ask until the user leaves; the exit code is that of the last question."""

    async def work(settings: Settings) -> int:
        check_model_name(settings.model)
        await tell_untrusted(settings)
        async with open_orchestrator(settings) as orchestrator:
            complaints = Complaints(orchestrator.library)
            complaints.tell()
            thread_id = request.thread_id or new_thread_id()
            read, code = _reader(), 0
            Console().say(f"Thread {thread_id}. An empty line or 'exit' leaves. 空行或“退出”结束对话。")
            while question := await read():
                if question.lower() in LEAVE:
                    break
                try:
                    events = orchestrator.stream(question, thread_id=thread_id, options=request.options, abandon=True)
                    code = await watch(orchestrator, request, thread_id, events)
                except SwitchyardError as error:  # one bad question does not end the conversation
                    complain(str(error))
                    code = EXIT["failed"]
                complaints.tell()  # what came into the folder meanwhile may not work
            return code

    return run_command(work, **request.settings)


def _reader() -> Callable[[], Awaitable[str]]:
    if not sys.stdin.isatty():

        async def read_line() -> str:
            return (await asyncio.to_thread(sys.stdin.readline)).strip()

        return read_line
    from prompt_toolkit import PromptSession  # noqa: PLC0415  only a person at a terminal needs it

    session: PromptSession[str] = PromptSession()

    async def prompt() -> str:
        try:
            return (await session.prompt_async("› ")).strip()
        except (EOFError, KeyboardInterrupt):
            return ""

    return prompt
