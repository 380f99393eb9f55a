"""Files of the workspace: walking through them, reading their text, saying what the system refuses.

Folders that are links are never entered.
"""

import codecs
import errno
import os
import re
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from switchyard.language.messages import Message, is_known, message
from switchyard.tools.core.errors import ToolFailed
from switchyard.tools.core.workspace import open_real, shown

NEVER_ENTERED = frozenset({".git", "__pycache__", ".venv", "node_modules"})
"""Folders a walk does not enter."""
MAX_VISITED = 50_000
"""Entries a walk looks at before it stops."""

TextEncoding = Literal["utf-8-sig", "gb18030", "utf-16"]

_MAX_COMPARED = 5_000
_LIKE_STEM = 50
"""Likeness of two names, without their endings, from which on one may be meant by the other."""
_SNIFFED = 8192
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LINE_END = re.compile(r"\r\n|\r|\n")


def system_words(error: OSError) -> str:
    """What the system refuses something with."""
    name = errno.errorcode.get(error.errno or 0)
    if isinstance(error.strerror, Message) or not is_known(f"system.{name}"):
        return str(error.strerror)
    return message(f"system.{name}")


@contextmanager
def told(path: str, *, verb: Literal["read", "written"] = "written") -> Generator[None]:
    """What the system refuses, as a sentence about `path`."""
    try:
        yield
    except PermissionError as error:
        refused = message(f"may_not_be.{verb}", path=path[:200], why=system_words(error))
        raise ToolFailed(refused, kind="permission") from error
    except OSError as error:
        wrong = {errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.EINVAL}
        kind = "bad_arguments" if error.errno in wrong else "unavailable"
        failed = message(f"cannot_be.{verb}", path=path[:200], why=system_words(error))
        raise ToolFailed(failed, kind=kind) from error


def write_whole(file: Path, text: str) -> None:
    """Write a file of the program's own, so that whoever reads it meanwhile has all of the old or of the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as beside:
        beside.write(text)
    written = Path(beside.name)
    if file.exists():
        written.chmod(file.stat().st_mode)
    written.replace(file)


def nearest_path(workspace: Path, path: str) -> str | None:
    """The existing path whose name, or whole path, looks most like `path`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss

    entries = walk(workspace.resolve(), hidden=False, limit=_MAX_COMPARED)
    wanted = Path(path).as_posix().casefold()
    names = [name_of(workspace, Path(entry.path)) for entry in entries]
    # an ending that many files have makes none of them like another
    names = [name for name in names if fuzz.ratio(Path(name).stem.casefold(), Path(wanted).stem) >= _LIKE_STEM]
    by_path = process.extractOne(wanted, {name: name.casefold() for name in names}, scorer=fuzz.ratio, score_cutoff=60)
    by_name = {name: Path(name).name.casefold() for name in names}
    hit = by_path or process.extractOne(Path(wanted).name, by_name, scorer=fuzz.ratio, score_cutoff=60)
    return hit[2] if hit else None


def name_of(workspace: Path, path: Path) -> str:
    """`path` as people read it; bytes that are no text are replaced."""
    return os.fsencode(shown(workspace, path)).decode("utf-8", "replace")


def walk(
    folder: Path,
    *,
    hidden: bool,
    recursive: bool = True,
    limit: int = MAX_VISITED,
    unreadable: Callable[[Path], object] | None = None,
) -> Iterator[os.DirEntry[str]]:
    """The entries below `folder`, sorted, folders before what they contain; an unreadable one counts as empty."""
    left = limit
    stack = [iter(_entries(folder, unreadable))]
    while stack and left > 0:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            continue
        if entry.name.startswith(".") and not hidden:
            continue
        left -= 1
        yield entry
        if recursive and entry.name not in NEVER_ENTERED and entry.is_dir(follow_symlinks=False):
            stack.append(iter(_entries(Path(entry.path), unreadable)))


def _entries(folder: Path, unreadable: Callable[[Path], object] | None) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []  # it has gone meanwhile
    except OSError:
        if unreadable is not None:
            unreadable(folder)
        return []


def read_text(path: Path, max_bytes: int) -> str:
    """The text of a file, by its real path, in UTF-8, GB18030, or UTF-16 with a byte order mark."""
    text = decode(read_bytes(path, max_bytes))
    if text is None:
        raise ToolFailed(message("file_binary", path=path.name), kind="bad_arguments")
    return text


def read_bytes(path: Path, max_bytes: int, *, name: str = "") -> bytes:
    """The bytes of a file by its real path; `name` is what it is called in sentences."""
    name = name or path.name
    with told(name, verb="read"), open_real(path) as file:
        data = file.read(max_bytes + 1)
        size = os.fstat(file.fileno()).st_size
    if len(data) > max_bytes:
        large = message("file_too_large", path=name, size=size / 1e6, most=max_bytes / 1e6)
        raise ToolFailed(large, kind="bad_arguments")
    return data


def decode(data: bytes) -> str | None:
    """The text of `data`, or None when it is binary."""
    encoding = encoding_of(lambda: [data])
    return None if encoding is None else data.decode(encoding)


def encoding_of(blocks: Callable[[], Iterable[bytes]]) -> TextEncoding | None:
    """The encoding of a text, found by reading all of it, from its beginning each time; None when it is binary."""
    head = next(iter(blocks()), b"")[: _SNIFFED * 4]
    marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not marked and b"\x00" in head[:_SNIFFED]:
        return None
    candidates: tuple[TextEncoding, ...] = ("utf-16",) if marked else ("utf-8-sig", "gb18030")
    for encoding in candidates:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for block in blocks():
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding if is_text(head.decode(encoding, "ignore")) else None
    return None


def is_text(text: str) -> bool:
    """Whether it has few control characters: what is binary may be text by chance."""
    sample = text[:_SNIFFED]
    return len(_CONTROL.findall(sample)) <= len(sample) // 50


def split_lines(text: str) -> list[str]:
    """The lines without their ends; an end at the very end opens no further line."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]
