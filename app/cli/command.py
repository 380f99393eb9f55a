"""How every command runs: settings, logs, one event loop, and a sentence with an exit code instead of a traceback."""

import inspect
import io
import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextvars import ContextVar
from functools import wraps
from typing import Any, NoReturn, get_type_hints

from switchyard.app.cli.late import loaded_late
from switchyard.language.messages import Message, message
from switchyard.language.words import Language, language_of

with loaded_late():
    import asyncio

    from switchyard.app import console, logs, settings

EXIT = {"answered": 0, "failed": 1, "waiting": 3, "partial": 4, "cancelled": 130}
WRONG_USAGE = 2
_spoken: ContextVar[Language] = ContextVar("spoken", default="en")


class WrongUsage(Exception):
    """What was typed cannot be done; the sentence says why, and the exit code is that of wrong usage."""


def command(action: Callable[..., Coroutine[Any, Any, int | None]]) -> Callable[..., NoReturn]:
    """A coroutine function as typer calls it: the process ends with the exit code it returns, 0 where it has none.

    A parameter whose type is a named tuple stands for options that several commands share: each field is one.
    """
    parameters = inspect.signature(action, eval_str=True).parameters.values()
    groups = {each.name: each.annotation for each in parameters if hasattr(each.annotation, "_fields")}

    @wraps(action)
    def run(**given: Any) -> NoReturn:
        for name, group in groups.items():
            given[name] = group(**{field: given.pop(field) for field in group._fields})
        speak_as_in(given.get("question", ""))
        sys.exit(_exit_code(action(**given)))

    expanded = [option for each in parameters for option in (_options(groups.get(each.name)) or [each])]
    run.__signature__ = inspect.Signature(expanded)  # pyright: ignore[reportAttributeAccessIssue]  what typer reads
    return run


def _options(group: Any) -> list[inspect.Parameter]:
    kind, defaults = inspect.Parameter.KEYWORD_ONLY, getattr(group, "_field_defaults", {})
    hints = get_type_hints(group, include_extras=True) if group else {}
    return [inspect.Parameter(name, kind, default=defaults[name], annotation=hint) for name, hint in hints.items()]


def spoken() -> Language:
    """What the user is spoken to in: the language of the question, or that of the terminal."""
    return _spoken.get()


def speak_as_in(question: str) -> None:
    """Speak to the user in the language of a question; where there is none, in that of the terminal."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    here: Language = "zh" if locale.lower().startswith("zh") else "en"
    _spoken.set(language_of(question) if question.strip() else here)


def load(**given: Any) -> "settings.Settings":
    """The settings of a command, the logs set up as they say; None and [] leave a setting to the environment."""
    there = {name: value for name, value in given.items() if value not in (None, [])}
    loaded = settings.load_settings(tell=complain, **there)
    logs.configure_logs(loaded.log_level)
    return loaded


def complain(text: str) -> None:
    """One sentence on standard error, in the user's language where it is ours."""
    told = text.text(spoken()) if isinstance(text, Message) else text
    sys.stderr.write(f"switchyard: {console.printable(told)}\n")


def say(text: str) -> None:
    """Plain text on standard output."""
    console.Console().say(text)


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(console.printable_json(value, indent=indent) + "\n")
    sys.stdout.flush()


def tell(value: Any, text: str, *, json: bool) -> None:
    """What was done, on standard output: as JSON, or as a sentence."""
    print_json(value) if json else say(text)


def show(value: Any, heads: Sequence[str], rows: Iterable[Sequence[str]], *, json: bool, cut: bool = False) -> None:
    """A listing on standard output: the value as JSON, or the rows as a table."""
    if json:
        print_json(value)
    else:
        console.Console().show_table(heads, rows, cut=cut)


def moment(at: float) -> str:
    """A time of the journal, as people here read it."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def _exit_code(action: Coroutine[Any, Any, int | None]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no Chinese still gets an answer
    try:
        return asyncio.run(action) or 0
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
    from switchyard.tools.core.errors import SettingsInvalid, SwitchyardError, ThreadUnknown, ToolUnknown, first_of
    from switchyard.tools.core.logs import get_logger

    match error := first_of(error):
        case WrongUsage() | SettingsInvalid() | ThreadUnknown() | ToolUnknown():
            complain(str(error))
            return WRONG_USAGE
        case SwitchyardError():
            complain(str(error))
        case UnicodeError():
            complain(message("text_unwritable", why=str(error)))
        case OSError():
            complain(message("system_refuses", why=str(error)))
        case _:
            get_logger(__name__).debug("unforeseen", exc_info=error)
            complain(message("unforeseen", type=type(error).__name__, why=str(error)))
    return EXIT["failed"]
