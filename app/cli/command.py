"""How every command runs: settings, logs, one event loop, and a sentence with an exit code instead of a traceback."""

import io
import sys
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import typer

if TYPE_CHECKING:
    from switchyard.app.settings import Settings
    from switchyard.language.messages import Message
    from switchyard.tools.core.spec import Language

P = ParamSpec("P")

EXIT = {"answered": 0, "failed": 1, "waiting": 3, "partial": 4, "cancelled": 130}
WRONG_USAGE = 2


def command(action: Callable[P, Coroutine[Any, Any, int | None]]) -> Callable[P, None]:
    """A coroutine function as typer calls it: the process ends with the exit code it returns, 0 where it has none."""

    @wraps(action)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        sys.exit(_exit_code(action(*args, **kwargs)))

    return run


def load(language: "Language" = "en", **given: Any) -> "Settings":
    """The settings of a command, the logs set up as they say.

    Args:
        language: what the user is spoken to in.
        given: settings from the command line; what is None or empty is left to the environment.
    """
    from switchyard.app.logs import configure_logs
    from switchyard.app.settings import load_settings

    def tell(remark: "Message") -> None:
        complain(remark.text(language))

    settings = load_settings(tell=tell, **{name: value for name, value in given.items() if value not in (None, [])})
    configure_logs(settings.log_level)
    return settings


def complain(text: str) -> None:
    """One sentence on standard error."""
    from switchyard.app.console import printable

    sys.stderr.write(f"switchyard: {printable(text)}\n")


def say(text: str) -> None:
    """Plain text on standard output."""
    from switchyard.app.console import Console

    Console().say(text)


def show_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, cut: bool = False) -> None:
    """A table on standard output, as `Console.show_table` draws it."""
    from switchyard.app.console import Console

    Console().show_table(heads, rows, cut=cut)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON object on standard output."""
    from switchyard.app.console import printable_json

    sys.stdout.write(printable_json(value, indent=indent) + "\n")
    sys.stdout.flush()


def _exit_code(action: Coroutine[Any, Any, int | None]) -> int:
    import asyncio

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no Chinese still gets an answer
    try:
        return asyncio.run(action) or 0
    except typer.BadParameter:
        raise  # typer says it, with the usage of the command
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
    from switchyard.tools.core.errors import SettingsInvalid, SwitchyardError, ThreadUnknown, ToolUnknown

    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]  # a bare isinstance leaves it unknown
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
            import structlog

            structlog.get_logger(__name__).debug("unforeseen", exc_info=error)
            complain(
                f"Something unforeseen happened: {type(error).__name__}: {error}. APP_LOG_LEVEL=debug shows where."
            )
    return EXIT["failed"]
