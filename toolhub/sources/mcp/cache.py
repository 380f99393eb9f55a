"""Tool lists of servers, kept so that nobody waits for a server to learn what it can do."""

import tempfile
import time
from pathlib import Path

from pydantic import BaseModel, ValidationError

from switchyard.tools.core.spec import ToolSpec

MAX_AGE = 7 * 24 * 3600
"""Seconds after which a list is still used, but asked for again behind the first question."""

FAILURE_AGE = 600
"""Seconds for which nobody waits again for a server that did not answer."""


class ToolList(BaseModel):
    """What a server offered when it was last asked."""

    tools: list[ToolSpec] | None
    """None: it did not answer. It is asked again, but nobody waits for it."""
    error: str = ""
    """Why it did not answer, where that is known."""
    at: float

    @property
    def old(self) -> bool:
        """Whether it is time to ask again."""
        return not 0 <= time.time() - self.at <= (FAILURE_AGE if self.tools is None else MAX_AGE)


class ToolListCache:
    """One small file per server, named by the hash of its configuration; it can be deleted at any time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, fingerprint: str) -> ToolList | None:
        """The list, or None when there is none that can be read."""
        try:
            return ToolList.model_validate_json(self._path(fingerprint).read_bytes())
        except (OSError, ValidationError):
            return None

    def save(self, fingerprint: str, tools: list[ToolSpec] | None, error: str = "") -> None:
        """Keep a list, or why there is none. Where nothing can be written, the next start asks again."""
        if tools is None and (known := self.load(fingerprint)) and known.tools is not None:
            return  # an answer was better
        content = ToolList(tools=tools, error=error, at=time.time()).model_dump_json()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=self._folder, delete=False) as file:
                file.write(content)
            Path(file.name).replace(self._path(fingerprint))  # at once: another process may read it
        except OSError:
            return

    def _path(self, fingerprint: str) -> Path:
        return self._folder / f"{fingerprint[:32]}.json"
