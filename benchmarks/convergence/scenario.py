"""What a scenario is: a question, what it is asked of, what goes wrong there, what is true, and how a model plays it.

A file has a list of families. A family is told once and asked in both languages: every `$name` in it is replaced by
that word of `words.en` or `words.zh`, and `SITE` by the address of its site.

    - name: counter-moved             # the scenarios are counter-moved-en and counter-moved-zh
      fault: selector_gone            # what goes wrong, for the tables
      words: {en: {ask: ...}, zh: {ask: ...}}
      question: $ask
      site: {/octo: {html: ...}}      # pages, with faults; see `Page`
      files: {docs/a.md: ...}         # what is in the workspace
      databases: {shop.db: [SQL, ...]}
      tools: [...]                    # tools of its own; see `PlayedTool`
      says: ["48213"]                 # what a right answer has, each, or one of each list
      steps: [...]                    # what a model plans; see `ScriptStep`
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field

from benchmarks.strangers import Said, Written

DATA = Path(__file__).parent.parent / "convergence_data"
LANGUAGES: tuple[Literal["en", "zh"], ...] = ("en", "zh")
_WORD = re.compile(r"\$([a-z_0-9]+)")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Fault(_Strict):
    """What a page does instead of being shown."""

    times: int | None = None
    """How often; None: always."""
    status: int = 200
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    body: str = ""
    delay: float = 0.0
    """Seconds before the page itself comes."""
    only: str = ""
    """A text that has to be in the query for it."""


class Page(_Strict):
    """A page of the site; its faults come first, in their order."""

    html: str = ""
    json_: Any = Field(default=None, alias="json")
    text: str = ""
    faults: list[Fault] = Field(default_factory=list[Fault])


class PlayedReply(_Strict):
    """What a tool does on a call; the first that fits is taken. `<city>` in what it gives is the argument."""

    when: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Arguments the call has; a list: one of these values."""
    times: int | None = None
    """How often it fits; None: always."""
    gives: Any = None
    fails: str | None = None
    kind: str = "crash"
    """The class of the failure, where a tool can say so: MCP servers only have the text."""
    crashes: bool = False
    hangs: float = 0.0
    """Seconds before anything else of this reply."""
    sql: str | None = None
    """A database whose rows it gives, by the argument `query`."""
    saves: dict[str, str] | None = None
    """`path` and `text` of a file it writes; `append: yes` adds to its end."""


class PlayedTool(_Strict):
    """A tool of the scenario's own."""

    name: str
    """Of an MCP server's tool: `server/tool`."""
    does: str
    takes: dict[str, str | dict[str, Any]] = Field(default_factory=dict[str, str | dict[str, Any]])
    """Parameters with their description, or a JSON schema that may say `optional: true`."""
    writes: bool = False
    category: str = "general"
    tags: list[str] = Field(default_factory=list[str])
    capability_tags: list[str] = Field(default_factory=list[str])
    returns: str = ""
    returns_schema: dict[str, Any] | None = None
    answers: dict[str, str] = Field(default_factory=dict[str, str])
    requires: list[str] = Field(default_factory=list[str])
    produces: list[str] = Field(default_factory=list[str])
    examples: list[str] = Field(default_factory=list[str])
    sentences: list[str] = Field(default_factory=list[str])
    """What people say to it without a model, as its author would write it down; MCP servers have none."""
    replies: list[PlayedReply]


class ScriptCall(_Strict):
    """A call a model can think of. `{{@tool.field}}` refers to whichever step has that tool."""

    tool: str = ""
    """Empty: the step's own."""
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    hint: str = ""
    """What has to be in the prompt before a model can know of this call; empty: it always may."""


class ScriptStep(_Strict):
    """A step of the plan a model makes."""

    id: str
    does: str
    tool: str | None = None
    action: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """What the model sends first."""
    after: list[str] = Field(default_factory=list[str])
    for_each: dict[str, str] | None = None
    mended: list[ScriptCall] = Field(default_factory=list[ScriptCall])
    """What a sensible model sends once it was told what is wrong, one after the other."""
    thinks: str = ""
    """What a step of reasoning (`tool: none`) says."""

    @property
    def calls(self) -> list[ScriptCall]:
        """The first call and the mended ones, each with its tool."""
        first = ScriptCall(tool=self.tool or "", action=self.action, arguments=self.arguments)
        own = self.tool or ""
        mended = [
            call.model_copy(
                update={"tool": call.tool or own, "action": call.action or (None if call.tool else self.action)}
            )
            for call in self.mended
        ]
        return [first, *mended]


class Scenario(_Strict):
    """One question with all that belongs to it."""

    name: str
    lang: Literal["en", "zh"]
    fault: str
    question: str
    site: dict[str, Page] = Field(default_factory=dict[str, Page])
    files: dict[str, str] = Field(default_factory=dict[str, str])
    databases: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    tools: list[PlayedTool] = Field(default_factory=list[PlayedTool])
    says: list[Said | list[Said]] = Field(default_factory=list[Said | list[Said]])
    not_says: list[Said] = Field(default_factory=list[Said])
    writes: dict[str, str | Written] = Field(default_factory=dict[str, str | Written])
    reachable: bool = True
    """Whether the tools there are can give the answer."""
    unseeable: bool = False
    """The fault is one no rule can see: a wrong answer is counted apart."""
    tried: list[str] = Field(default_factory=list[str])
    """Where it is not reachable: what a statement of what was tried names, one of these."""
    decoys: list[Said] = Field(default_factory=list[Said])
    """Values that a faithful writer of the answer would take from wrong results."""
    right_tools: list[str] = Field(default_factory=list[str])
    """Tools it is right to learn from beside those of the script."""
    steps: list[ScriptStep] = Field(default_factory=list[ScriptStep])
    replan: list[ScriptStep] = Field(default_factory=list[ScriptStep])
    """What a sensible model plans the second time, where that is another plan."""
    others: list[ScriptCall] = Field(default_factory=list[ScriptCall])
    """Calls for steps that are none of the script, by their tool."""
    writer: str | None = None
    """What every model's writer says as the answer, whatever was found."""
    about: Literal["", "goes_well", "mended_once", "no_model"] = ""
    """For the table of model calls."""
    settings: dict[str, Any] = Field(default_factory=dict[str, Any])

    @property
    def tools_to_learn(self) -> set[str]:
        """The tools that serve this question."""
        calls = [call for step in [*self.steps, *self.replan] for call in step.calls]
        return {call.tool for call in [*calls, *self.others] if call.tool} | {*self.right_tools}


def load(folder: Path = DATA) -> list[Scenario]:
    """Every scenario of the files of a folder, by name."""
    found = [one for file in sorted(folder.glob("*.yaml")) for one in read(file.read_text(encoding="utf-8"))]
    names = [one.name for one in found]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise ValueError(f"more than one scenario is called {', '.join(sorted(doubled))}")
    return found


def read(text: str) -> Iterator[Scenario]:
    """The scenarios of one file: each family in both languages, or in those it has words for."""
    for family in cast("list[dict[str, Any]]", yaml.safe_load(text)):
        words: Mapping[str, Mapping[str, Any]] = family.pop("words")
        for language in LANGUAGES:
            if language in words:
                told = _in_words(family, words[language])
                yield Scenario.model_validate({**told, "name": f"{family['name']}-{language}", "lang": language})


def _in_words(value: Any, words: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _WORD.fullmatch(value)
        if whole and whole[1] in words:
            return _in_words(words[whole[1]], {name: word for name, word in words.items() if name != whole[1]})
        return _WORD.sub(lambda found: str(words.get(found[1], found[0])), value)
    if isinstance(value, list):
        return [_in_words(part, words) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        parts = cast("dict[str, Any]", value)
        return {_in_words(key, words): _in_words(part, words) for key, part in parts.items()}
    return value


def at_address(value: Any, address: str) -> Any:
    """The same with the address of the site filled in."""
    if isinstance(value, str):
        return value.replace("SITE", address)
    if isinstance(value, list):
        return [at_address(part, address) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: at_address(part, address) for key, part in cast("dict[str, Any]", value).items()}
    return value
