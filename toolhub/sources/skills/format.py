"""The open Agent Skills format: the front matter of a SKILL.md, each field with its line (R4.6).

A skill written for another program loads wherever its meaning is clear, and what strays from the format is reported all
the same. Only the front matter is read here; the instructions are read when the skill is used. What `allowed-tools`
names is understood as the tools of this hub.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from switchyard.toolhub.sources.native import BrokenFile
from switchyard.tools.core.files import decode, read_text, split_lines
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.plain_words import nearest

RUN_SCRIPT = "run_script"
"""What a skill names to have its own scripts run."""
ALSO_CALLED = {
    **dict.fromkeys(("read", "view"), "read_file"),
    **dict.fromkeys(("write", "write_file", "edit", "multi_edit"), "write_to_file"),
    **dict.fromkeys(("glob", "ls"), "list_dir"),
    **dict.fromkeys(("bash", "shell"), RUN_SCRIPT),
    "grep": "grep_search",
    "web_search": "search_web",
    "web_fetch": "web_scraper",
    "python": "python_executor",
}
"""How other programs call what we have."""
_WORD_EDGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_RUNS_PYTHON = re.compile(r"(?:python[\d.]*|uv run)\b|(?:\./)?(?:\S*/)?scripts/|\*?$")
FILE_NAMES = ("SKILL.md", "skill.md")
MAX_FRONT_MATTER = 64_000
"""Bytes; a longer one is not closed, or not one."""
MAX_DEPTH = 20
"""Lists in lists of a field; what a thousand of them cost to read grows with their square."""
MAX_BYTES = 1_000_000
"""Larger instructions are refused."""
_LONGEST = {"name": 64, "description": 1024, "compatibility": 500}
"""Characters the format allows."""
_KNOWN = ("name", "description", "allowed-tools", "license", "compatibility", "metadata")
_ESSENTIAL = _KNOWN[:3]
"""A skill whose limits cannot be read is not used without them."""
_FENCE = "---"
_CLOSED = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:.*?\n)??---[ \t]*\r?(?=\n|\Z)", re.DOTALL)
"""From the first fence to the next line that is one."""
_FIELD = re.compile(r"[\"']?([^\W\d][\w.-]*)[\"']?\s*:(?:\s+(.*))?$")
_PLAIN = re.compile(r"(?!.*(?::\s|:$|\s#))\w.*")
"""A value that means what it says; everything else is left to YAML."""
_QUOTED = tuple("\"'[{|>")
"""What a value begins with that was meant as more than plain text."""
_TOOL = re.compile(r"[^\s,()]+(?:\([^)]*\))?")
Value = str | list[str] | dict[str, str]


@dataclass(frozen=True, slots=True)
class Problem(BrokenFile):
    """What is wrong with a skill. `error` names the line and the field too, for whoever shows nothing else."""

    line: int | None = None
    field: str | None = None
    fatal: bool = True
    """Whether the skill cannot be used."""

    @property
    def text(self) -> str:
        """The sentence without its place."""
        return self.error.removeprefix(_place(self.line, self.field))


def problem(file: Path, text: str, *, line: int | None = None, field: str | None = None, fatal: bool = True) -> Problem:
    """A problem whose sentence begins with its place."""
    return Problem(file, _place(line, field) + text, line, field, fatal)


def _place(line: int | None, field: str | None) -> str:
    parts = [f"line {line}" if line is not None else "", f"field '{field}'" if field is not None else ""]
    return f"{', '.join(filter(None, parts))}: " if any(parts) else ""


@dataclass(frozen=True, slots=True)
class Skill:
    """What is known of a skill before it is used."""

    name: str
    description: str
    file: Path
    allowed_tools: tuple[str, ...] | None = None
    """As the author wrote them; None when the skill does not say."""
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    """Where each field stands."""

    @property
    def folder(self) -> Path:
        """Where the skill and its files are."""
        return self.file.parent

    def instructions(self) -> str:
        """What the file says below the front matter, as it is now."""
        lines = split_lines(read_text(self.file.resolve(), MAX_BYTES))
        end = next((at for at, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), 0)
        return "\n".join(lines[end + 1 :]).strip()


@dataclass(slots=True)
class _Reader:
    """Reads one file and gathers what is wrong with it."""

    file: Path
    problems: list[Problem] = field(default_factory=list[Problem])
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    lines: dict[str, int] = field(default_factory=dict[str, int])

    def report(self, text: str, field: str | None = None, *, line: int | None = None, fatal: bool = True) -> None:
        line = self.lines.get(field or "", 1) if line is None else line
        self.problems.append(problem(self.file, text, line=line, field=field, fatal=fatal))

    def read(self) -> Skill | None:
        self._read_fields(self._front_matter())
        name, description, allowed = self._name(), self._text("description", required=True), self._allowed()
        metadata = self.values.get("metadata", {})
        if not isinstance(metadata, dict):
            self.report("must be a list of `key: value` lines.", "metadata", fatal=False)
            metadata = {}
        if any(found.fatal for found in self.problems):
            return None
        return Skill(
            name=name,
            description=description,
            file=self.file,
            allowed_tools=allowed,
            license=self._text("license"),
            compatibility=self._text("compatibility"),
            metadata=metadata,
            lines=self.lines,
        )

    def _front_matter(self) -> list[str]:
        """The lines between the fences; nothing else of the file is decoded."""
        try:
            with self.file.open("rb") as file:
                head = file.read(MAX_FRONT_MATTER)
        except OSError as error:
            self.report(f"the file cannot be read: {error.strerror}.")
            return []
        closed = _CLOSED.match(head)
        text = decode(closed[0] if closed else head)
        lines = split_lines(text) if text else []
        if text is None:
            self.report("the file is not text; write it in UTF-8.")
        elif not lines or lines[0].rstrip() != _FENCE:
            self.report(f"the file must begin with a line `{_FENCE}`, then `name: …` and `description: …`.")
        elif closed is None:
            self.report(f"the front matter is not closed; end it with a line `{_FENCE}`.", line=len(lines))
        else:
            return lines[1:-1]
        return []

    def _read_fields(self, lines: list[str]) -> None:
        """Each field is read by itself: one that is wrong costs no other."""
        starts = [(at, match) for at, line in enumerate(lines) if (match := _FIELD.match(line))]
        ends = [at for at, _ in starts[1:]] + [len(lines)]
        for (at, match), end in zip(starts, ends, strict=False):
            name, line = match[1], at + 2
            if name in self.values:
                self.report("is there twice; the first one counts.", name, line=line, fatal=False)
            elif (value := self._value(line, name, (match[2] or "").strip(), lines[at:end])) is not None:
                self.values[name], self.lines[name] = value, line
            if name not in _KNOWN and (near := nearest(name, _KNOWN, likeness=90)):
                self.report(f"is not a field of the format; did you mean '{near[0]}'?", name, line=line, fatal=False)

    def _value(self, line: int, name: str, first: str, block: list[str]) -> Value | None:
        rest = [text.strip() for text in block[1:] if text.strip()]
        if not rest and _PLAIN.fullmatch(first):
            return first
        value, error = _from_yaml(block)
        if value is not None or name not in _KNOWN:
            return value
        if first.startswith(_QUOTED) or error is None:
            text = f"cannot be read as YAML: {error or 'it is nested'}."
            self.report(text, name, line=line, fatal=name in _ESSENTIAL)
            return None
        # the commonest mistake of all: plain text with a colon in it
        self.report(f"is not valid YAML ({error}); put the text in quotes.", name, line=line, fatal=False)
        return " ".join([first, *rest]).strip()

    def _text(self, name: str, *, required: bool = False) -> str:
        found = self.values.get(name)
        text = found.strip() if isinstance(found, str) else ""
        if found is None:
            if required and not any(one.fatal and one.field in {None, name} for one in self.problems):
                self.report("is missing; the format requires it.", name)
        elif not text:
            self.report("must be text." if found else "is empty.", name, fatal=required)
        elif len(text) > _LONGEST.get(name, len(text)):
            self.report(f"has {len(text)} characters; the format allows {_LONGEST[name]}.", name, fatal=False)
        return text

    def _name(self) -> str:
        written = self._text("name", required=True)
        if not written:
            return ""
        name = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFKC", written).lower()).strip("-")
        rule = f"'{written}' must be lower-case letters, digits and single hyphens"
        if not name:
            self.report(f"{rule}.", "name")
        elif name != written:
            self.report(f"{rule}; it is read as '{name}'.", "name", fatal=False)
        elif name != unicodedata.normalize("NFKC", self.file.parent.name):
            other = f"'{name}' is not the name of its folder, '{self.file.parent.name}'; make them equal."
            self.report(other, "name", fatal=False)
        return name

    def _allowed(self) -> tuple[str, ...] | None:
        found = self.values.get("allowed-tools")
        if found is None:
            return None
        if isinstance(found, dict):  # a limit that cannot be read is not lifted
            self.report("must be names with spaces between them.", "allowed-tools")
            return ()
        return tuple(dict.fromkeys(_TOOL.findall(found if isinstance(found, str) else " ".join(found))))


def read_skill(file: Path) -> tuple[Skill | None, list[Problem]]:
    """The skill a SKILL.md describes, None when it cannot be used, and what is wrong with it."""
    reader = _Reader(file)
    return reader.read(), reader.problems


def skill_file(folder: Path) -> Path | None:
    """The SKILL.md of a folder that is a skill."""
    return next((folder / name for name in FILE_NAMES if (folder / name).is_file()), None)


def _from_yaml(block: list[str]) -> tuple[Value | None, str | None]:
    """The value of one field, or what is wrong with it."""
    import yaml  # noqa: PLC0415  plain front matter does without it

    text, depth = "\n".join(block), 0
    try:
        for event in cast("Iterator[yaml.Event]", cast("Any", yaml).parse(text, yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                return None, "it is nested too deeply"
        # every scalar stays the text it is, and what an alias stands for is there once
        loaded: Any = yaml.load(text, yaml.BaseLoader)  # noqa: S506  which makes nothing but texts, lists and mappings
    except yaml.YAMLError as error:
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else None
        return None, problem or type(error).__name__
    value = next(iter(loaded.values()), None) if is_object(loaded) else None
    if is_object(value):
        return {name: part for name, part in value.items() if isinstance(part, str)}, None
    is_plain = isinstance(value, str) or (is_list(value) and all(isinstance(item, str) for item in value))
    return (cast("Value", value) if is_plain else None), None


def tool_ids(written: str) -> tuple[str, ...]:
    """What a name may mean here, likeliest first; none when it allows less than any tool here does.

    `Read` is read_file, `mcp__time__now` is time/now, and `Bash(python:*)` lets the skill's own scripts run. There is
    no shell, so `Bash(git:*)` means nothing; nor does `Read(docs/**)`: a limit that is not kept must not look kept.
    """
    name, bracket, limit = written.rstrip(")").partition("(")
    if name.startswith("mcp__"):
        return ("/".join(name.split("__", 2)[1:]),)
    snake = _WORD_EDGE.sub("_", name).replace("-", "_").lower()
    meant = ALSO_CALLED.get(snake, snake)
    if bracket and not (meant == RUN_SCRIPT and _RUNS_PYTHON.match(limit.strip())):
        return ()
    return tuple(dict.fromkeys((name, meant)))


def allows(allowed: tuple[str, ...] | None, tool: str) -> bool:
    """Whether a skill may call this tool; one that names no tools may call any, but run no scripts."""
    if allowed is None:
        return tool != RUN_SCRIPT
    return any(fnmatchcase(tool, one) for written in allowed for one in tool_ids(written))


def names_nothing(written: str, exists: Callable[[str], bool]) -> bool:
    """Whether no tool is meant by a name; patterns like `time/*` mean whatever there is."""
    return not any(one == RUN_SCRIPT or "*" in one or exists(one) for one in tool_ids(written))
