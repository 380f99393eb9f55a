"""Structured logs: for people at a terminal, as JSON otherwise, secrets masked (R9.6)."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

from switchyard.ledger.secrets import MASK, masked

_SECRET_NAME = re.compile(r"key|token|secret|password|authorization|credential", re.IGNORECASE)


def configure_logs(level: str = "warning") -> None:
    """Set up structlog for this process; called by the shell and the server, never by a library user."""
    import structlog  # noqa: PLC0415  `--help` does not log

    at_terminal = sys.stderr.isatty()
    renderer = structlog.dev.ConsoleRenderer(colors=True) if at_terminal else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            mask_secrets,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),  # the stream of now: a program may replace it
    )


def mask_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: values under secret names, and secrets inside texts, are masked."""
    for name, value in event.items():
        if _SECRET_NAME.search(name) and isinstance(value, str):
            event[name] = MASK
        elif isinstance(value, str):
            event[name] = masked(value)
    return event
