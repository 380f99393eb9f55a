"""How every command runs: settings, logs, one event loop, and a sentence with an exit code instead of a traceback."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from app.logs import configure_logs
from app.settings import Settings, load_settings
from tools.core.errors import SettingsInvalid, StorageUnavailable, SwitchyardError, ThreadUnknown, ToolUnknown

EXIT = {"answered": 0, "failed": 1, "waiting": 3, "partial": 4, "cancelled": 130}
WRONG_USAGE = 2


def run_command(work: Callable[[Settings], Awaitable[int]], **given: Any) -> int:
    """Run a command to its exit code.

    Args:
        work: the command, given the settings.
        given: settings from the command line; what is None is left to the environment.
    """
    try:
        settings = load_settings(**{name: value for name, value in given.items() if value is not None})
        configure_logs(settings.log_level)
        return asyncio.run(_finish(work(settings)))
    except KeyboardInterrupt:
        return EXIT["cancelled"]
    except (SettingsInvalid, ThreadUnknown, ToolUnknown) as error:
        complain(str(error))
        return WRONG_USAGE
    except StorageUnavailable as error:
        complain(str(error))
        return EXIT["failed"]
    except SwitchyardError as error:
        complain(str(error))
        return EXIT["failed"]
    except BrokenPipeError:
        # the reader of our output has gone, as with `| head`
        sys.stderr.close()
        return EXIT["failed"]


async def _finish(work: Awaitable[int]) -> int:
    return await work


def complain(text: str) -> None:
    """One sentence on standard error."""
    sys.stderr.write(f"switchyard: {text}\n")


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON object on standard output, Chinese as Chinese."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=indent, default=str) + "\n")
    sys.stdout.flush()
