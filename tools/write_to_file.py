"""Text into a file of the workspace."""

import hashlib
import re
import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_state_path
from pydantic import Field, StringConstraints, model_validator

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, Effect, RetryTool, ToolContext, ToolFailed, ToolResult, tool
from switchyard.tools.core.files import decode, is_text, name_of, read_bytes, told
from switchyard.tools.core.json_values import is_object
from switchyard.tools.files.paths import writable
from switchyard.tools.files.rows import as_text
from switchyard.tools.files.writing import difference, effect_on, whole_file

MAX_BYTES = 10_000_000
"""Neither the content nor the file may be larger."""
MAX_DIFF_LINES = 200
"""The diff is cut beyond."""
DAYS_KEPT = 30
"""How long it is remembered that a text was appended."""
_ADDING = frozenset({"append", "append_line"})
_CHANGING = _ADDING | {"replace"}
_ONE_AT_A_TIME = threading.Lock()
"""A file is read, changed and written back: nobody else of this process may come between."""


class WriteToFileParams(BaseToolParams):
    """What to write, and where."""

    path: str = Field(description="The file, relative to the workspace, like docs/notes.md; folders are created.")
    content: Annotated[str, StringConstraints(strip_whitespace=False)] = Field(
        description="The text, exactly as it shall stand in the file; or rows of an earlier result, {{s1.rows}}."
    )
    mode: Literal["overwrite", "append", "append_line", "create", "replace"] = Field(
        default="overwrite",
        description="overwrite replaces the whole file; append adds at its end, append_line on a line of its own; "
        "create only makes a new file; replace puts the content wherever the file has `replaces`.",
    )
    replaces: Annotated[str, StringConstraints(strip_whitespace=False)] = Field(
        default="", description="With mode replace: the text that goes, exactly as it stands in the file."
    )

    @model_validator(mode="before")
    @classmethod
    def _written(cls, given: Any) -> Any:
        """Rows or a figure of an earlier result are written down by whoever writes the file, not by a model."""
        if not is_object(given) or not isinstance(given.get("content"), list | dict | int | float):
            return given
        return {**given, "content": as_text(given["content"], str(given.get("path", "")))}


@tool(
    category="files",
    capability_tags=("write", "写入"),
    returns="path, mode, bytes (size of the file now), created and changed (whether it was), diff (unified), "
    "diff_truncated",
    writes=True,
)
class WriteToFile:
    """Write text to a file of the workspace: replace it or a text in it, add to its end, or create it.

    The file is replaced as a whole or not at all, in UTF-8, and keeps its permissions. Repeating a call that was
    interrupted does not write twice. Binary files and files above 10 MB are refused.
    """

    def __init__(self, records: Path | None = None) -> None:
        self._records = records
        """Where appended texts are remembered; None takes the user's own folder for such things."""

    def execute(self, params: WriteToFileParams, context: ToolContext) -> ToolResult:
        """Write, and show what changed."""
        file = writable(context.workspace, params.path)
        path = name_of(context.workspace, file)
        with _ONE_AT_A_TIME, told(path):
            before, content = self._change(file, path, params, context.idempotency_key)
            if before != content:
                if params.mode in _CHANGING and context.idempotency_key:
                    was = before or b""
                    self._note(context.idempotency_key, len(was) if params.mode in _ADDING else zlib.crc32(was))
                with whole_file(file) as new:
                    new.write(content)
        diff, cut = difference(decode(before or b"") or "", content.decode("utf-8-sig"), path, MAX_DIFF_LINES)
        result: dict[str, Any] = {
            "path": path,
            "mode": params.mode,
            "bytes": len(content),
            "created": before is None,
            "changed": before != content,
            "diff": diff,
            "diff_truncated": cut,
        }
        return ToolResult.of(result, path)

    def preview(self, params: WriteToFileParams, context: ToolContext) -> list[Effect]:
        """What writing would change; of a new file the arguments say all there is."""
        file = writable(context.workspace, params.path)
        path = name_of(context.workspace, file)
        with told(path):
            before, content = self._change(file, path, params, context.idempotency_key)
        return [Effect(kind="creates", target=path) if before is None else effect_on(path, before, content)]

    def _change(self, file: Path, path: str, params: WriteToFileParams, key: str) -> tuple[bytes | None, bytes]:
        """What the file has now, None where it is not there yet, and what it is to have."""
        content = _encoded(params.content)
        created = not file.exists()
        before = b"" if created else read_bytes(file, MAX_BYTES)
        if decode(before) is None:
            raise ToolFailed(message("file_binary", path=path), kind="bad_arguments")
        if params.mode == "append_line":
            content = content.rstrip(b"\n") + b"\n"
        if params.mode in _ADDING:
            content = self._appended(path, before, content, key, own_line=params.mode == "append_line")
        elif params.mode == "replace":
            content = self._replaced(path, before, params, key)
        elif params.mode == "create" and not created and before != content:
            raise RetryTool(message("file_there_already", path=path), hint=message("name_new_file"))
        return None if created else before, content

    def _replaced(self, path: str, before: bytes, params: WriteToFileParams, key: str) -> bytes:
        """The file with one text in the place of another, unless this very call did that before it was interrupted."""
        text, old = _utf8(path, before), params.replaces
        if self._noted(key) not in {None, zlib.crc32(before)}:
            return before
        # 5 is no part of 15 or 5.5; nor cat of catalogue, where it stands by itself elsewhere
        whole = rf"(?<![A-Za-z0-9_])(?<!\d\.){re.escape(old)}(?![A-Za-z0-9_])(?!\.\d)"
        found = whole if re.search(whole, text) or old[-1:].isdigit() else re.escape(old)
        if not old or not re.search(found, text):
            raise RetryTool(message("text_not_there", path=path, text=old), hint=message("name_text_there"))
        return _encoded(re.sub(found, lambda _: params.content, text))

    def _appended(self, path: str, before: bytes, content: bytes, key: str, *, own_line: bool) -> bytes:
        """The file with the content at its end, unless this very call has put it there before it was interrupted."""
        _utf8(path, before)
        if len(before) + len(content) > MAX_BYTES:
            raise ToolFailed(message("would_grow_too_large", path=path, most=MAX_BYTES / 1e6), kind="bad_arguments")
        place = self._noted(key)
        if place is not None and before[place:].removeprefix(b"\n" if own_line else b"").startswith(content):
            return before
        return before + (b"\n" if own_line and before and not before.endswith(b"\n") else b"") + content

    def _note(self, key: str, place: int) -> None:
        """Note how long a file is before it is added to, or what it is like before a text in it is replaced.

        A kill in between leaves it as it was. Old notes go.
        """
        record = self._record(key)
        oldest = time.time() - DAYS_KEPT * 86_400
        for note in record.parent.glob("*"):
            with suppress(FileNotFoundError):  # another process throws away the same
                if note.stat().st_mtime < oldest:
                    note.unlink()
        with told(str(record)), whole_file(record) as note:
            note.write(str(place).encode())

    def _noted(self, key: str) -> int | None:
        record = self._record(key) if key else None
        return int(record.read_text()) if record is not None and record.exists() else None

    def _record(self, key: str) -> Path:
        folder = self._records or user_state_path("switchyard", appauthor=False) / "appended"
        return folder.resolve() / hashlib.sha256(key.encode()).hexdigest()[:32]


def _utf8(path: str, data: bytes) -> str:
    """A file's text; what is added to it has to be written as the rest is."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RetryTool(message("not_utf8", path=path), hint=message("convert_to_utf8")) from error


def _encoded(content: str) -> bytes:
    if "\x00" in content or not is_text(content):
        raise ToolFailed(message("content_binary"), kind="bad_arguments")
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise ToolFailed(message("content_half_character", position=error.start), kind="bad_arguments") from error
    if len(data) > MAX_BYTES:
        large = message("content_too_large", size=len(data) / 1e6, most=MAX_BYTES / 1e6)
        raise ToolFailed(large, kind="bad_arguments")
    return data
