"""Log lines: structured, through the standard library's loggers, whose owner decides what becomes of them (R9.6)."""

import logging
from contextvars import ContextVar
from typing import Any

from switchyard.tools.core.masking import MASK, is_secret_name, without_keys

FIELDS = "fields"
"""Where a record of the standard library has what a line says beside its event."""
logged_run: ContextVar[str] = ContextVar("logged_run", default="")
"""The run that the lines of now belong to."""


class Logger:
    """Lines of one module: an event with its fields. Values of secret names, and secrets inside texts, are masked."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **fields: Any) -> None:
        """What only somebody looking for a fault reads."""
        self._log(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Any) -> None:
        """What is good to know."""
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        """What somebody should do something about."""
        self._log(logging.WARNING, event, fields)

    def _log(self, level: int, event: str, fields: dict[str, Any]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        error = fields.pop("exc_info", None)
        line = {**({"run_id": logged_run.get()} if logged_run.get() else {}), **fields}
        for name, value in line.items():
            if isinstance(value, str):
                line[name] = MASK if is_secret_name(name) else without_keys(value)
        text = " ".join([event, *(f"{name}={value!r}" for name, value in line.items())])
        self._logger.log(level, "%s", text, extra={FIELDS: {"event": event, **line}}, exc_info=error, stacklevel=3)


def get_logger(name: str) -> Logger:
    """The logger of a module, by its `__name__`."""
    return Logger(name)
