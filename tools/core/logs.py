"""Log lines: structured, through the standard library's loggers, whose owner decides what becomes of them (R9.6)."""

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog

from switchyard.tools.core.masking import MASK, is_secret_name, without_keys

FIELDS = "fields"
"""Where a record of the standard library has what a line says beside its event."""


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of a module, by its `__name__`."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.contextvars.merge_contextvars, _masked, _as_record],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def _masked(_: Any, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Values under secret names, and secrets inside texts, are masked."""
    for name, value in line.items():
        if isinstance(value, str):
            line[name] = MASK if is_secret_name(name) else without_keys(value)
    return line


def _as_record(_: Any, __: str, line: MutableMapping[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    event, error = str(line.pop("event", "")), line.pop("exc_info", None)
    text = " ".join([event, *(f"{name}={value!r}" for name, value in line.items())])
    return (text,), {"extra": {FIELDS: {"event": event, **line}}, "exc_info": error}
