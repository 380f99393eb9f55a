"""Files of the workspace: finding them, walking through them, reading and counting their text.

Every path goes through `resolve_inside`. Folders that are links are never entered.
"""

import codecs
import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from switchyard.tools.core.errors import RetryTool, ToolFailed
from switchyard.tools.core.workspace import open_real, resolve_inside, shown

NEVER_ENTERED = frozenset({".git", "__pycache__", ".venv", "node_modules"})
"""Folders a walk does not enter."""

MAX_VISITED = 50_000
"""Entries a walk looks at before it stops."""

_MAX_COMPARED = 5_000
_SNIFFED = 8192
_MAX_CHOICES = 100
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_BRACES = re.compile(r"\{([^{}]*)\}")


def find_existing(workspace: Path, path: str) -> Path:
    """The real path of something that exists in the workspace.

    Raises:
        ToolFailed: with kind `not_found` and the nearest existing path, or `permission` outside the workspace.
    """
    real = resolve_inside(workspace, path)
    try:
        exists = real.exists()
    except OSError as error:
        kind = "permission" if isinstance(error, PermissionError) else "bad_arguments"
        raise ToolFailed(f"'{path[:200]}' is not a usable path: {error.strerror}.", kind=kind) from error
    if not exists:
        near = nearest_path(workspace, path)
        hint = f"The nearest existing path is '{near}'." if near else "Nothing in the workspace has a similar name."
        raise ToolFailed(f"'{path}' does not exist in the workspace. {hint}", kind="not_found")
    return real


def nearest_path(workspace: Path, path: str) -> str | None:
    """The existing path whose name, or whole path, looks most like `path`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss

    entries = walk(workspace.resolve(), hidden=False, limit=_MAX_COMPARED)
    names = [name_of(workspace, Path(entry.path)) for entry in entries]
    wanted = Path(path).as_posix().casefold()
    hit = process.extractOne(wanted, names, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=60)
    if hit is None:
        last = Path(wanted).name
        hit = process.extractOne(last, names, scorer=fuzz.ratio, processor=_last_name, score_cutoff=60)
    return hit[0] if hit else None


def _last_name(path: str) -> str:
    return path.rpartition("/")[2].casefold()


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
    """The entries below `folder`, sorted, folders before what they contain.

    Args:
        folder: where to begin.
        hidden: whether names that begin with a dot count.
        recursive: whether folders are entered.
        limit: entries to look at before it stops.
        unreadable: is told of each folder that cannot be read, which counts as empty.
    """
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
    """The text of a file, by its real path, in UTF-8, GB18030, or UTF-16 with a byte order mark.

    Raises:
        ToolFailed: when the file is larger than `max_bytes`, is no text, or may not be read.
    """
    text = decode(read_bytes(path, max_bytes))
    if text is None:
        raise ToolFailed(f"'{path.name}' is a binary file, not text.", kind="bad_arguments")
    return text


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The bytes of a file, by its real path.

    Raises:
        ToolFailed: when there are more than `max_bytes`, or they may not be read.
    """
    try:
        with open_real(path) as file:
            data = file.read(max_bytes + 1)
            size = os.fstat(file.fileno()).st_size / 1_000_000
    except PermissionError as error:
        raise ToolFailed(f"'{path.name}' may not be read.", kind="permission") from error
    except OSError as error:
        raise ToolFailed(f"'{path.name}' cannot be read: {error.strerror}.", kind="unavailable") from error
    if len(data) > max_bytes:
        raise ToolFailed(
            f"'{path.name}' has {size:.1f} MB; files above {max_bytes / 1_000_000:.0f} MB are not read.",
            kind="bad_arguments",
        )
    return data


def decode(data: bytes) -> str | None:
    """The text of `data`, or None when it is binary."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\x00" in data[:_SNIFFED]:
        return None
    else:
        encodings = ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text if _is_text(text) else None
    return None


def encoding_of(blocks: Callable[[], Iterable[bytes]]) -> str | None:
    """The encoding of a text that is too large to be read at once, found by reading all of it; None when it is binary.

    Args:
        blocks: gives its bytes from the beginning, each time it is called.
    """
    head = next(iter(blocks()), b"")[: _SNIFFED * 4]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in head[:_SNIFFED]:
        return None
    for encoding in ("utf-8-sig", "gb18030"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for block in blocks():
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding if _is_text(head.decode(encoding, "ignore")) else None
    return None


def _is_text(text: str) -> bool:
    """Whether it has few control characters: a binary file may be text by chance."""
    sample = text[:_SNIFFED]
    return len(_CONTROL.findall(sample)) <= len(sample) // 50


def split_lines(text: str) -> list[str]:
    """The lines without their ends; an end at the very end opens no further line."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths with forward slashes: `*.py` looks at the last name, `src/**/*.py` at the whole path.

    `{a,b}` is a choice; `**` stands for any number of folders.
    """
    if ".." in pattern.split("/") or pattern.startswith("/"):
        raise RetryTool(f"The pattern '{pattern}' leaves the folder.", hint="Write it relative to path, like src/*.py.")
    choices = [choice.removeprefix("./").split("/") for choice in _expand(pattern)]

    def fits(path: str) -> bool:
        names = path.split("/")
        return any(_fits(parts, names[-1:] if len(parts) == 1 else names) for parts in choices)

    return fits


def _expand(pattern: str) -> list[str]:
    """`*.{py,md}` as `*.py` and `*.md`."""
    waiting, plain = [pattern], list[str]()
    while waiting:
        one = waiting.pop()
        if match := _BRACES.search(one):
            waiting += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
        else:
            plain.append(one)
        if len(waiting) + len(plain) > _MAX_CHOICES:
            raise RetryTool(f"The pattern '{pattern[:200]}' has too many choices.", hint="Write it with fewer braces.")
    return plain


def _fits(parts: list[str], names: list[str]) -> bool:
    """Follow all ways at once to read `names` as `parts`: the places in `parts` reached so far."""
    reached = _past_stars(parts, {0})
    for name in names:
        steps = {
            at if parts[at] == "**" else at + 1 for at in reached if at < len(parts) and _fits_one(parts[at], name)
        }
        reached = _past_stars(parts, steps)
    return len(parts) in reached


def _fits_one(part: str, name: str) -> bool:
    return part == "**" or fnmatch.fnmatchcase(name, part)


def _past_stars(parts: list[str], reached: set[int]) -> set[int]:
    for at in range(len(parts)):
        if at in reached and parts[at] == "**":
            reached.add(at + 1)
    return reached


def count_words(text: str) -> int:
    """Words between white space, plus every Han character as a word of its own."""
    if text.isascii():
        return len(text.split())
    words = 0
    for piece in text.split():
        around = _HAN.split(piece)
        if len(around) == 1:
            words += 1
        else:
            words += len(around) - 1 + sum(any(map(str.isalnum, part)) for part in around)
    return words
