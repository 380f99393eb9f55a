"""Files of the workspace: converted, split, merged, counted, hashed."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, Effect, ResultMeta, RetryTool, ToolContext, ToolResult, action, tool
from switchyard.tools.core.effect import EffectKind
from switchyard.tools.core.files import existing_file, name_of, read_bytes, split_lines, writable
from switchyard.tools.core.workspace import shown
from switchyard.tools.file_processor import operations
from switchyard.tools.file_processor.operations import Algorithm, Encoding, Output
from switchyard.tools.files.rows import TableFormat, read_rows, write_rows
from switchyard.tools.files.text import count_words

_ENDINGS = ("csv", "tsv", "json", "jsonl", "markdown")
FORMATS = {f".{kind}": kind for kind in _ENDINGS} | {".ndjson": "jsonl", ".md": "markdown"}
"""What a file is, by the end of its name."""

Format = Literal["csv", "json", "jsonl", "text"]
SUFFIXES: dict[Format, str] = {"csv": ".csv", "json": ".json", "jsonl": ".jsonl", "text": ".txt"}
_TABLES: dict[str, TableFormat] = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "jsonl"}

Overwrite = Annotated[bool, Field(description="Replace a file that is there already.")]


class CountParams(BaseToolParams):
    """Which file."""

    path: str = Field(description="The file, relative to the workspace.")


class HashParams(CountParams):
    """Which file, and how."""

    algorithm: Algorithm = Field(default="sha256", description="The hash to compute.")


class ConvertParams(CountParams):
    """Which file, and into what."""

    format: Format | None = Field(
        default=None, description="The format to convert a table to; text makes plain text of Markdown."
    )
    encoding: Encoding | None = Field(default=None, description="The encoding to write.")
    line_endings: Literal["lf", "crlf"] | None = Field(default=None, description="How lines shall end.")
    source_encoding: Encoding | None = Field(default=None, description="The encoding it has, if it is not found out.")
    output: str | None = Field(
        default=None, description="The new file; left out, the name with the new ending, or the file itself."
    )
    overwrite: Overwrite = False


class SplitParams(CountParams):
    """Which file, and into parts of what size."""

    lines: int | None = Field(default=None, ge=1, description="Lines in a part.")
    size: int | None = Field(default=None, ge=1, description="Bytes in a part, instead of lines.")
    header: bool = Field(default=False, description="Repeat the first line in every part, as for CSV.")
    folder: str | None = Field(default=None, description="Where the parts go; left out, beside the file.")
    overwrite: Overwrite = False


class MergeParams(BaseToolParams):
    """Which files, and into which one."""

    paths: list[str] = Field(min_length=1, description="The files in order; parts/*.csv stands for all that fit.")
    output: str = Field(description="The file to make, relative to the workspace.")
    separator: Annotated[str, StringConstraints(strip_whitespace=False, max_length=1000)] = Field(
        default="", description="Text between the files, such as a line end."
    )
    header: bool = Field(default=False, description="Keep the first line of the first file only, as for CSV.")
    overwrite: Overwrite = False


@tool(category="files", capability_tags=("convert", "转换"))
class FileProcessor:
    """Convert, split, merge, count or hash files of the workspace.

    Files above 50 MB are only hashed. A file that is there already is not replaced unless overwrite says so.
    """

    def __init__(self, seconds: float = 20.0) -> None:
        self._seconds = seconds
        """What hashing a file may take."""

    @action(returns="path, lines, words, characters, chinese_characters, bytes, encoding")
    def count(self, params: CountParams, context: ToolContext) -> ToolResult:
        """Count the lines, words, characters, Chinese characters and bytes of a text file."""
        import regex  # noqa: PLC0415  loaded where it is used

        file, path = existing_file(context.workspace, params.path)
        data = read_bytes(file, operations.MAX_BYTES, name=path)
        text, encoding = operations.read_as(data, path)
        result: dict[str, Any] = {
            "path": path,
            "lines": len(split_lines(text)),
            "words": count_words(text),
            "characters": len(text),
            "chinese_characters": sum(len(run) for run in regex.findall(r"\p{Han}+", text)),
            "bytes": len(data),
            "encoding": encoding,
        }
        return ToolResult(result=result, meta=ResultMeta(sources=[path]))

    @action(returns="path, algorithm, hash (hexadecimal), bytes")
    def hash(self, params: HashParams, context: ToolContext) -> ToolResult:
        """Compute the hash of a file, of any kind and size."""
        file, path = existing_file(context.workspace, params.path)
        digits = operations.digest(file, path, params.algorithm, self._seconds)
        result = {"path": path, "algorithm": params.algorithm, "hash": digits, "bytes": file.stat().st_size}
        return ToolResult(result=result, meta=ResultMeta(sources=[path]))

    @action(writes=True, returns="path (of the new file), source, encoding, bytes, rows (of a table), changed")
    def convert(self, params: ConvertParams, context: ToolContext) -> ToolResult:
        """Convert a text file: its format (CSV, JSON, JSON lines, Markdown to text), encoding or line endings."""
        made = _conversion(params, context.workspace)
        changed = made.keep()
        result: dict[str, Any] = {"path": made.path, "source": made.sources[0], "encoding": made.encoding}
        result |= {"bytes": len(made.data), "rows": made.rows, "changed": changed}
        return ToolResult(result=result, meta=ResultMeta(sources=made.sources))

    def preview_convert(self, params: ConvertParams, context: ToolContext) -> list[Effect]:
        """What converting would write."""
        return [_conversion(params, context.workspace).effect()]

    @action(writes=True, returns="path, parts with path and bytes, count")
    def split(self, params: SplitParams, context: ToolContext) -> ToolResult:
        """Split a file into parts name.001.txt, name.002.txt and so on, by lines or by bytes."""
        path, parts = _parts(params, context.workspace)
        made: list[dict[str, Any]] = []
        for part in parts:
            part.keep()
            made.append({"path": part.path, "bytes": len(part.data)})
        return ToolResult(result={"path": path, "parts": made, "count": len(made)}, meta=ResultMeta(sources=[path]))

    def preview_split(self, params: SplitParams, context: ToolContext) -> list[Effect]:
        """Which files splitting would write, by name: what is in them is in the file that is split."""
        found: dict[EffectKind, list[str]] = {}
        for part in _parts(params, context.workspace)[1]:
            kind = "leaves" if not part.differs() else "changes" if part.file.exists() else "creates"
            found.setdefault(kind, []).append(part.path)
        ranges = {kind: " … ".join(dict.fromkeys((names[0], names[-1]))) for kind, names in found.items()}
        return [Effect(kind=kind, target=ranges[kind], text="\n".join(names)) for kind, names in found.items()]

    @action(writes=True, returns="path, files, count, bytes, changed")
    def merge(self, params: MergeParams, context: ToolContext) -> ToolResult:
        """Merge files into one, in the order they are named."""
        made = _merger(params, context.workspace)
        changed = made.keep()
        count = len(made.sources)
        result = {"path": made.path, "files": made.sources, "count": count, "bytes": len(made.data), "changed": changed}
        return ToolResult(result=result, meta=ResultMeta(sources=made.sources))

    def preview_merge(self, params: MergeParams, context: ToolContext) -> list[Effect]:
        """What merging would write."""
        return [_merger(params, context.workspace).effect()]


def _conversion(params: ConvertParams, workspace: Path) -> Output:
    file, source = existing_file(workspace, params.path)
    if not (params.format or params.encoding or params.line_endings or params.output):
        raise RetryTool(message("convert_into_what", path=source), hint=message("set_conversion"))
    ending = Path(params.output or "").suffix.lower()  # of the new file: what it is to be, where nothing says it
    formats: list[Format] = [kind for kind, suffix in SUFFIXES.items() if suffix == ending != file.suffix.lower()]
    by_name = formats[0] if formats else None
    wanted: Format | None = params.format or (None if params.encoding or params.line_endings else by_name)
    data = read_bytes(file, operations.MAX_BYTES, name=source)
    text, encoding = operations.read_as(data, source, params.source_encoding)
    target, rows = file, None
    if wanted and wanted != (kind := FORMATS.get(file.suffix.lower())):
        text, rows = _converted(text, kind, wanted)
        target, encoding = file.with_suffix(SUFFIXES[wanted]), "utf-8"
    if params.line_endings:
        text = operations.with_ends(text, {"lf": "\n", "crlf": "\r\n"}[params.line_endings])
    data = operations.encoded(text, encoding := params.encoding or encoding)
    target = writable(workspace, params.output or shown(workspace, target))
    overwrite = params.overwrite or target == file
    return Output(target, name_of(workspace, target), data, [source], overwrite, encoding, rows)


def _parts(params: SplitParams, workspace: Path) -> tuple[str, list[Output]]:
    file, path = existing_file(workspace, params.path)
    if (params.lines is None) == (params.size is None) or (params.header and params.size):
        raise RetryTool(message("lines_or_bytes"), hint=message("set_lines_or_bytes"))
    data = read_bytes(file, operations.MAX_BYTES, name=path)
    if params.lines is None:
        parts = operations.split_by_size(data, params.size or len(data))
    else:
        text, encoding = operations.read_as(data, path)
        texts = operations.split_by_lines(text, params.lines, header=params.header)
        parts = [operations.encoded(part, encoding) for part in texts]
    folder = params.folder or shown(workspace, file.parent)
    width = max(3, len(str(len(parts))))
    names = [f"{folder}/{file.stem}.{number:0{width}d}{file.suffix}" for number in range(1, len(parts) + 1)]
    targets = zip([writable(workspace, name) for name in names], parts, strict=True)
    return path, [Output(to, name_of(workspace, to), part, [path], params.overwrite) for to, part in targets]


def _merger(params: MergeParams, workspace: Path) -> Output:
    target = writable(workspace, params.output)
    files = operations.found_files(workspace, params.paths, target)
    data = operations.merged(operations.read_all(files), params.separator, header=params.header)
    return Output(target, name_of(workspace, target), data, [name for _, name in files], params.overwrite)


def _converted(text: str, kind: str | None, wanted: Format) -> tuple[str, int | None]:
    if len(text) > operations.MAX_FORMATTED:
        long = message("text_too_long", length=len(text), most=operations.MAX_FORMATTED)
        raise RetryTool(long, hint=message("split_file_first"))
    if wanted == "text":
        if kind != "markdown":
            raise RetryTool(message("only_markdown"), hint=message("name_markdown"))
        return operations.without_markdown(text), None
    if kind not in _TABLES:
        known = [suffix for suffix, kind in FORMATS.items() if kind in _TABLES]
        raise RetryTool(message("only_tables_become", wanted=wanted, endings=known))
    rows = read_rows(text, _TABLES[kind])
    return write_rows(rows, wanted), len(rows)
