"""How every command runs: settings, logs, one event loop, and a sentence with an exit code instead of a traceback."""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable
from typing import Any, cast

from switchyard.app.console import printable, printable_json
from switchyard.app.logs import configure_logs
from switchyard.app.phrases import phrase
from switchyard.app.settings import Settings, load_settings
from switchyard.tools.core.errors import SettingsInvalid, SwitchyardError, ThreadUnknown, ToolUnknown
from switchyard.tools.core.spec import Language

EXIT = {"answered": 0, "failed": 1, "waiting": 3, "partial": 4, "cancelled": 130}
WRONG_USAGE = 2


def run_command(work: Callable[[Settings], Awaitable[int]], *, language: Language = "en", **given: Any) -> int:
    """Run a command to its exit code.

    Args:
        work: the command, given the settings.
        language: what the user is spoken to in.
        given: settings from the command line; what is None or empty is left to the environment.
    """

    def tell(remark: str, **fields: str) -> None:
        complain(phrase(remark, language, **fields))

    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal that knows no Chinese still gets an answer
        settings = load_settings(tell=tell, **{name: value for name, value in given.items() if value not in (None, [])})
        configure_logs(settings.log_level)
        return asyncio.run(_finish(work(settings)))
    except (KeyboardInterrupt, asyncio.CancelledError):  # the second at a prompt
        return EXIT["cancelled"]
    except BrokenPipeError:
        # the reader of our output has gone, as with `| head`
        sys.stderr.close()
        return EXIT["failed"]
    except Exception as error:  # noqa: BLE001  the last resort: a sentence, never a traceback
        return _explained(error)


def _explained(error: BaseException) -> int:
    """Say what went wrong; the exit code of it."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    match error:
        case SettingsInvalid() | ThreadUnknown() | ToolUnknown():
            complain(str(error))
            return WRONG_USAGE
        case SwitchyardError():
            complain(str(error))
        case UnicodeError():
            complain(f"Some text cannot be read or written here: {error}. Set PYTHONIOENCODING=utf-8.")
        case OSError():
            complain(f"The system does not allow it: {error}.")
        case _:
            import structlog  # noqa: PLC0415  only for the worst

            structlog.get_logger(__name__).debug("unforeseen", exc_info=error)
            complain(
                f"Something unforeseen happened: {type(error).__name__}: {error}. APP_LOG_LEVEL=debug shows where."
            )
    return EXIT["failed"]


async def _finish(work: Awaitable[int]) -> int:
    return await work


def complain(text: str) -> None:
    """One sentence on standard error."""
    sys.stderr.write(f"switchyard: {printable(text)}\n")


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(printable_json(value, indent=indent) + "\n")
    sys.stdout.flush()
