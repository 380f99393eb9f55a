"""Files of the workspace: converted, split, merged, counted, hashed."""

import codecs
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import regex
from pydantic import Field

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, Effect, RetryTool, ToolContext, ToolFailed, ToolResult, action, tool
from switchyard.tools.core.effect import EffectKind
from switchyard.tools.core.files import decode, encoding_of, name_of, read_bytes, split_lines, told, walk
from switchyard.tools.core.workspace import open_real, shown
from switchyard.tools.files.paths import existing_file, glob_matcher, writable
from switchyard.tools.files.rows import TableFormat, read_rows, write_rows
from switchyard.tools.files.text import count_words
from switchyard.tools.files.writing import effect_on, whole_file

MAX_BYTES = 20_000_000
"""Larger files are only hashed."""
MAX_PARTS = 1000
"""Files that a split may give, or a merge may take."""
FORMATS: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What a table is, by the end of its name."""

Encoding = Literal["utf-8", "utf-8-sig", "gb18030", "utf-16"]
Overwrite = Annotated[bool, Field(description="Replace a file that is there already.")]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_NUMBER = re.compile(r"(\d+)")


class CountParams(BaseToolParams):
    """Which file."""

    path: str = Field(description="The file, relative to the workspace.")


class HashParams(CountParams):
    """Which file, and how."""

    algorithm: Literal["sha256", "md5", "sha1"] = Field(default="sha256", description="The hash to compute.")


class ConvertParams(CountParams):
    """Which file, and into what."""

    format: TableFormat | None = Field(default=None, description="The format to convert a table to.")
    encoding: Encoding | None = Field(default=None, description="The encoding to write.")
    output: str | None = Field(
        default=None, description="The new file; left out, the name with the new ending, or the file itself."
    )
    overwrite: Overwrite = False


class SplitParams(CountParams):
    """Which file, and into parts of how many lines."""

    lines: int = Field(ge=1, description="Lines in a part.")
    header: bool = Field(default=False, description="Repeat the first line in every part, as for CSV.")
    overwrite: Overwrite = False


class MergeParams(BaseToolParams):
    """Which files, and into which one."""

    paths: list[str] = Field(min_length=1, description="The files in order; parts/*.csv stands for all that fit.")
    output: str = Field(description="The file to make, relative to the workspace.")
    header: bool = Field(default=False, description="Keep the first line of the first file only, as for CSV.")
    overwrite: Overwrite = False


@tool(category="files", capability_tags=("convert", "转换"))
class FileProcessor:
    """Convert, split, merge, count or hash files of the workspace.

    Files above 20 MB are only hashed. A file that is there already is not replaced unless overwrite says so.
    """

    @action(returns="path, lines, words, characters, chinese_characters, bytes, encoding")
    def count(self, params: CountParams, context: ToolContext) -> ToolResult:
        """Count the lines, words, characters, Chinese characters and bytes of a text file."""
        file, path = existing_file(context.workspace, params.path)
        data = read_bytes(file, MAX_BYTES, name=path)
        text, encoding = _read(data, path)
        result: dict[str, Any] = {
            "path": path,
            "lines": len(split_lines(text)),
            "words": count_words(text),
            "characters": len(text),
            "chinese_characters": sum(len(run) for run in regex.findall(r"\p{Han}+", text)),
            "bytes": len(data),
            "encoding": encoding,
        }
        return ToolResult.of(result, path)

    @action(returns="path, algorithm, hash (hexadecimal), bytes")
    def hash(self, params: HashParams, context: ToolContext) -> ToolResult:
        """Compute the hash of a file, of any kind and size."""
        file, path = existing_file(context.workspace, params.path)
        with told(path, verb="read"), open_real(file) as opened:
            found = hashlib.file_digest(opened, lambda: hashlib.new(params.algorithm, usedforsecurity=False))
        result = {"path": path, "algorithm": params.algorithm, "hash": found.hexdigest(), "bytes": file.stat().st_size}
        return ToolResult.of(result, path)

    @action(writes=True, returns="path (of the new file), source, encoding, bytes, rows (of a table), changed")
    def convert(self, params: ConvertParams, context: ToolContext) -> ToolResult:
        """Convert a text file: its format (CSV, JSON, JSON lines) or its encoding."""
        made, told_of = _converted(params, context.workspace)
        result = {"path": made.path, **told_of, "bytes": len(made.data), "changed": made.keep()}
        return ToolResult.of(result, told_of["source"])

    def preview_convert(self, params: ConvertParams, context: ToolContext) -> list[Effect]:
        """What converting would write."""
        return [_converted(params, context.workspace)[0].effect()]

    @action(writes=True, returns="path, parts with path and bytes, count")
    def split(self, params: SplitParams, context: ToolContext) -> ToolResult:
        """Split a text file by lines into parts name.001.txt, name.002.txt and so on, beside it."""
        path, parts = _split(params, context.workspace)
        for part in parts:
            part.keep()
        made = [{"path": part.path, "bytes": len(part.data)} for part in parts]
        return ToolResult.of({"path": path, "parts": made, "count": len(made)}, path)

    def preview_split(self, params: SplitParams, context: ToolContext) -> list[Effect]:
        """Which files splitting would write, by name: what is in them is in the file that is split."""
        found: dict[EffectKind, list[str]] = {}
        for part in _split(params, context.workspace)[1]:
            found.setdefault(part.effect().kind, []).append(part.path)
        ranges = {kind: " … ".join(dict.fromkeys((names[0], names[-1]))) for kind, names in found.items()}
        return [Effect(kind=kind, target=ranges[kind], text="\n".join(names)) for kind, names in found.items()]

    @action(writes=True, returns="path, files, count, bytes, changed")
    def merge(self, params: MergeParams, context: ToolContext) -> ToolResult:
        """Merge files into one, in the order they are named."""
        made, files = _merged(params, context.workspace)
        result = {"path": made.path, "files": files, "count": len(files), "bytes": len(made.data)}
        return ToolResult.of({**result, "changed": made.keep()}, *files)

    def preview_merge(self, params: MergeParams, context: ToolContext) -> list[Effect]:
        """What merging would write."""
        return [_merged(params, context.workspace)[0].effect()]


@dataclass(frozen=True, slots=True)
class Output:
    """A file that is to be written."""

    file: Path
    path: str
    data: bytes
    overwrite: bool

    def effect(self) -> Effect:
        """What writing it would change; what must not be replaced is refused."""
        with told(self.path):
            before = read_bytes(self.file, MAX_BYTES, name=self.path) if self.file.exists() else None
        effect = effect_on(self.path, before, self.data)
        if effect.kind == "changes" and not self.overwrite:
            raise RetryTool(message("file_there_already", path=self.path), hint=message("name_other_output"))
        return effect

    def keep(self) -> bool:
        """Write it; says whether something changed."""
        if changed := self.effect().kind != "leaves":
            with told(self.path), whole_file(self.file) as new:
                new.write(self.data)
        return changed


def _output(workspace: Path, path: str, data: bytes, *, overwrite: bool) -> Output:
    file = writable(workspace, path)
    return Output(file, name_of(workspace, file), data, overwrite)


def _read(data: bytes, path: str) -> tuple[str, Encoding]:
    """The text of a file, and its encoding as the bytes say it, the mark at its beginning told apart."""
    found = encoding_of(lambda: [data])
    if found is None or "\x00" in (text := data.decode(found)):
        raise ToolFailed(message("file_binary", path=path), kind="bad_arguments")
    return text, "utf-8" if found == "utf-8-sig" and not data.startswith(codecs.BOM_UTF8) else found


def _converted(params: ConvertParams, workspace: Path) -> tuple[Output, dict[str, Any]]:
    file, source = existing_file(workspace, params.path)
    if not (params.format or params.encoding or params.output):
        raise RetryTool(message("convert_into_what", path=source), hint=message("set_conversion"))
    known = FORMATS.get(file.suffix.lower())
    # the end of the new file's name says what it is to be, where nothing else does
    wanted = params.format or (None if params.encoding else FORMATS.get(Path(params.output or "").suffix.lower()))
    text, encoding = _read(read_bytes(file, MAX_BYTES, name=source), source)
    path, rows = shown(workspace, file), None
    if wanted and file.suffix.lower() != f".{wanted}":
        if known is None:
            raise RetryTool(message("only_tables_become", wanted=wanted, endings=list(FORMATS)))
        table = read_rows(text, known)
        text, rows, encoding = write_rows(table, wanted), len(table), "utf-8"
        path = str(Path(path).with_suffix(f".{wanted}"))
    path, encoding = params.output or path, params.encoding or encoding
    overwrite = params.overwrite or writable(workspace, path) == file
    made = _output(workspace, path, text.encode(encoding), overwrite=overwrite)
    return made, {"source": source, "encoding": encoding, "rows": rows}


def _split(params: SplitParams, workspace: Path) -> tuple[str, list[Output]]:
    file, path = existing_file(workspace, params.path)
    text, encoding = _read(read_bytes(file, MAX_BYTES, name=path), path)
    lines = _LINE.findall(text)
    head, body = ("".join(lines[:1]), lines[1:]) if params.header else ("", lines)
    parts = ["".join(body[at : at + params.lines]) for at in range(0, len(body), params.lines)]
    if len(parts) > MAX_PARTS:
        many = message("too_many_parts", parts=len(parts), most=MAX_PARTS)
        raise RetryTool(many, hint=message("make_parts_larger"))
    width = max(3, len(str(len(parts))))
    beside = file.relative_to(workspace.resolve())
    names = [str(beside.with_suffix(f".{number:0{width}d}{file.suffix}")) for number in range(1, len(parts) + 1)]
    overwrite = params.overwrite
    return path, [
        _output(workspace, name, (head + part).encode(encoding), overwrite=overwrite)
        for name, part in zip(names, parts, strict=True)
    ]


def _merged(params: MergeParams, workspace: Path) -> tuple[Output, list[str]]:
    """Files one after another: texts of several encodings become UTF-8, what is binary stays as it is."""
    target = writable(workspace, params.output)
    files = [one for path in params.paths for one in _found(workspace, path, target)]
    if len(files) > MAX_PARTS:
        raise RetryTool(message("too_many_files", count=len(files), most=MAX_PARTS), hint=message("merge_fewer"))
    if sum(file.stat().st_size for file, _ in files) > MAX_BYTES:
        raise RetryTool(message("too_large_together", most=MAX_BYTES / 1e6), hint=message("merge_fewer_of_them"))
    parts = [(read_bytes(file, MAX_BYTES, name=name), name) for file, name in files]
    if any(decode(data) is None for data, _ in parts) and not params.header:
        data = b"".join(data for data, _ in parts)
    else:
        read = [_read(data, name) for data, name in parts]
        texts = [text for text, _ in read]
        texts[1:] = ["".join(_LINE.findall(text)[1:]) if params.header else text for text in texts[1:]]
        encodings = {encoding for _, encoding in read}
        data = "".join(texts).encode(encodings.pop() if len(encodings) == 1 else "utf-8")
    made = _output(workspace, params.output, data, overwrite=params.overwrite)
    return made, [name for _, name in files]


def _found(workspace: Path, path: str, output: Path) -> list[tuple[Path, str]]:
    """The files that a path names; one with `*` stands for all that fit, in the order of their numbers."""
    if "*" not in path:
        return [existing_file(workspace, path)]
    fits = glob_matcher(path)
    entries = [entry for entry in walk(workspace.resolve(), hidden=False) if entry.is_file(follow_symlinks=False)]
    named = [(Path(entry.path), name_of(workspace, Path(entry.path))) for entry in entries]
    found = [(file, name) for file, name in named if file != output and fits(name) and ("/" in path or "/" not in name)]
    if not found:
        raise ToolFailed(message("no_file_fits", pattern=path), kind="not_found")

    def by_numbers(one: tuple[Path, str]) -> list[str]:
        return [part.zfill(20) if part.isdigit() else part for part in _NUMBER.split(one[1])]

    return sorted(found, key=by_numbers)
