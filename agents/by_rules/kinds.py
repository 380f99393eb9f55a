"""What a tool does, told by its schema and its words: what it sends, runs, looks for and counts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from switchyard.agents.by_rules.extraction import Filled
from switchyard.agents.by_rules.fields import kind_of, words_of
from switchyard.agents.by_rules.names import PHRASES
from switchyard.agents.by_rules.requests import Request, asks_for_request, read_request, request_arguments
from switchyard.agents.by_rules.vocabulary import schema_of
from switchyard.language.words import is_asked, small_acts
from switchyard.toolhub.calling.schema import required_fields
from switchyard.tools.core.spec import ToolSpec

REQUESTS = "api"
"""The category of tools that send requests."""
LONGEST_TASK = 1000
"""Characters: what is longer is material, not a task that rules can read."""
_RUNS = re.compile(r"\b(?:run|execute|interpreter)s?\b|运行|执行", re.IGNORECASE)

_OF_FILES = frozenset(
    {"find", "phrase", "total", "project", "byte", "找出", "有没有", "数数", "数一数", "几次"}
    | {"项目", "全文", "短语", "字节", "字节数"}
)
"""What questions about files have beside the words of a tool: they ask for nothing else than it gives."""


_COUNTED = re.compile(
    r"(?:几|多少)个?(字节|字符|[行字词页列])|(字节|字符)数|\b(bytes)\b|\bhow (old|big|large)\b", re.IGNORECASE
)

_COLUMN_SAID = re.compile(
    r"\b(?:averages?|mean|median|sum|maximum|minimum|max|min|columns?)\b"
    r"|平均|均值|中位数|总和|求和|合计|最[大小高低]值|哪些列|几列|列名|字段",
    re.IGNORECASE,
)
"""A figure of a column, or columns: what counts lines does not tell them."""
_SOMETHING_ELSE = re.compile(r"^\W*(?:who|whose|when)\b|谁|什么时候|何时", re.IGNORECASE)
"""A person or a time, which no text of a file is."""
_ONLINE = re.compile(r"\b(?:web|internet|online|google)\b|上网|联网|网上|互联网", re.IGNORECASE)
"""Another place than the files here."""


@dataclass(frozen=True, slots=True)
class RequestTask:
    """A task that asks for a request to a web address, which is sent just so or not at all."""

    request: Request | None
    """None for one that is not understood: then nothing serves it."""

    def filled(self, spec: ToolSpec) -> Filled | None:
        """The arguments with which a tool sends it; None where it cannot."""
        said = request_arguments(self.request, schema_of(spec).get("properties", {}))
        return Filled(said, [], whole=True) if said is not None else None

    def suits(self, spec: ToolSpec) -> bool:
        """Whether one of a tool's operations sends such a request."""
        fields = [one.parameters.get("properties", {}) for one in spec.capabilities]
        return any(request_arguments(self.request, known) is not None for known in fields)


def request_task(text: str) -> RequestTask | None:
    """The request a text asks for; None for most, which are told by their words."""
    if len(text) > LONGEST_TASK:
        return None
    request = read_request(text)
    return RequestTask(request) if request is not None or asks_for_request(text) else None


def counts(text: str, rest: str, spec: ToolSpec) -> bool:
    """Whether a tool speaks of what a text counts or measures: 几行, 多少字, bytes, how old, the average in a file.

    Args:
        text: the task.
        rest: the task with what arguments carry blanked out: what is quoted asks for no act.
        spec: the tool.
    """
    match = _COUNTED.search(text)
    own = " ".join([*spec.tags, *spec.examples, spec.summary, spec.returns, *spec.answers.values()])
    counted = match[match.lastindex or 0] if match else ""
    edge = r"\b" if counted.isascii() else ""
    if match and re.search(edge + counted + edge, own, re.IGNORECASE) is None:
        return False
    for asked, said in ((_COLUMN_SAID, text), (_SOMETHING_ELSE, text), (_ONLINE, rest)) if reads_files(spec) else ():
        if asked.search(said) and not asked.search(own):
            return False
    return all(act in own for act in small_acts(rest))


def seeks_by_meaning(spec: ToolSpec) -> bool:
    """Whether a tool looks for what a phrase is about, not for its letters."""
    return _only_required(spec, PHRASES) is not None


def runs_code(spec: ToolSpec) -> bool:
    """Whether a tool runs the code it is given: what a user did not write as code is none."""
    return "code" in required_fields(schema_of(spec)) and _RUNS.search(_own(spec)) is not None


def reads_files(spec: ToolSpec) -> bool:
    """Whether a tool is about files or folders."""
    return "path" in schema_of(spec).get("properties", {})


def must_know_all(spec: ToolSpec) -> bool:
    """Whether a tool is only taken when all of a text is understood.

    What changes something or sends a phrase out is; and what tells of a file or a conversation, which says nothing
    about other questions.
    """
    sends_phrase = spec.sends and seeks_by_meaning(spec)
    return spec.writes or sends_phrase or reads_files(spec) or spec.category == "history"


def goes_without_saying(word: str, known: frozenset[str]) -> bool:
    """Whether a word that a tool does not know asks for nothing else: 项目, or 几行 where it knows 行."""
    parts = not word.isascii() and len(word) == 2  # noqa: PLR2004  a word of two characters
    return word in _OF_FILES or (parts and all(part in known or is_asked(part) for part in word))


def _own(spec: ToolSpec) -> str:
    """What a tool calls itself."""
    return " ".join([spec.name.replace("_", " "), spec.summary, *spec.tags, *spec.capability_tags])


def _only_required(spec: ToolSpec, names: frozenset[str] | set[str]) -> str | None:
    """The one field a tool requires, where it takes such a text."""
    schema = schema_of(spec)
    required = required_fields(schema)
    if len(required) != 1 or names.isdisjoint(words_of(required[0])):
        return None
    field = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {})).get(required[0], {})
    return required[0] if kind_of(required[0], field) in {"sought", "text", "code"} else None
