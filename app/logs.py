"""What the shell makes of log lines: for people at a terminal, as JSON otherwise."""

import logging
import sys
from datetime import UTC, datetime

from typing_extensions import override

OURS = "switchyard"


def configure_logs(level: str = "warning") -> None:
    """Print the log lines of this process; called by the shell, never for a library user."""
    logger = logging.getLogger(OURS)
    logger.setLevel(level.upper())
    if not any(isinstance(one, _Stderr) for one in logger.handlers):
        logger.addHandler(_Stderr())


class _Stderr(logging.Handler):
    """Writes to the standard error of now: a program may replace it."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        import structlog  # noqa: PLC0415  few commands log

        fields = getattr(record, "fields", {"event": record.getMessage()})
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        line = {**fields, "level": record.levelname.lower(), "timestamp": at}
        if record.exc_info:
            line["exc_info"] = record.exc_info
        at_terminal = sys.stderr.isatty()
        render = structlog.dev.ConsoleRenderer(colors=True) if at_terminal else structlog.processors.JSONRenderer()
        if not at_terminal:
            line = structlog.processors.format_exc_info(record.name, "", line)
        sys.stderr.write(f"{render(record.name, record.levelname, line)}\n")
