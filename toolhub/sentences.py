"""What people say to a tool, as a file beside it: `sentences.yaml` in its package, or its own name with `.yaml`.

    lists:                              # words with what they mean
      algorithm:
        sha256: sha-256|sha256sum
    phrases:                            # wordings that several sentences share
      get: (what is|compute|show [me])
    sentences:
      - action: hash                    # of a tool that has several
        arguments: {path: "{file}"}     # what is the same each time; a slot in braces is put in
        say:
          - "[<get>] [the] {algorithm:algorithm} of {file:file}"
          - "[<算>]{file:file}的{algorithm:algorithm}"
        gives: {number: bytes}          # what a later clause may take: the path of the number that was asked for; a
                                        # slot in braces is put in
    rows:                               # phrases for many things, of which more is asked than a sentence says
      - arguments: {recursive: true}
        say: ["[the] files in {path:folder}"]
        gives:
          rows: entries                 # where they are in the result
          called: files|文件            # what they are called
          columns: {path: text, size: number}
          each:                         # columns that another tool has for each of them
            {tool: read_file, arguments: {path: path}, columns: {path: text, lines: number}}

A file beside a module of several tools says in each block which `tool` it is for; a tool may also bring its sentences
with it, `@tool(sentences=("reverse {text:text}", "把{text:text}倒过来"))`. The lists and phrases of
`language/data/phrases.yaml` are there for every tool, those of a `_phrases.yaml` for all files of its folder. A
template is parsed when a question first comes near it.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from switchyard.language.sentences import Part, literals, needs, parse, slots
from switchyard.tools.core.json_values import is_list
from switchyard.tools.core.spec import has_slot

SHARED = Path(__file__).parents[1] / "language" / "data" / "phrases.yaml"
OF_FOLDER = "_phrases.yaml"
OPEN = frozenset({"topic", "word", "name", "stretch", "figure", "asked"})
"""The kinds of slots that take words as they are."""
EARLIER = "<earlier>"
"""As an argument in a block: what an earlier clause gave, which the sentence does not name."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")
_SLOT = re.compile(r"\{[^}]*\}")
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Sentence:
    """A template of a tool and the call it leads to."""

    tool: str
    template: str
    rules: Mapping[str, str] = field(repr=False)
    lists: Mapping[str, Mapping[str, Any]] = field(repr=False)
    action: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    gives: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What of the result a later clause may take: `number`, `rows` with `called`, `columns`, `each`."""
    of_rows: bool = False
    """It is no sentence, but a phrase for the rows of which something is asked."""

    @cached_property
    def part(self) -> Part:
        """The template, parsed."""
        return parse(self.template, self.rules)

    @cached_property
    def needs(self) -> frozenset[str]:
        """The kinds of mentions it cannot do without."""
        return needs(self.template) - self.lists.keys()

    @cached_property
    def literals(self) -> list[frozenset[str]]:
        """Words it cannot do without; of a template that is wrong, one that nobody says."""
        try:
            return literals(self.part)
        except ValueError:
            return [frozenset()]

    @cached_property
    def open_slots(self) -> frozenset[str]:
        """The slots that take words as they are."""
        return frozenset(slot.argument for slot in slots(self.part) if slot.kind in OPEN)

    @cached_property
    def of_earlier(self) -> bool:
        """Whether it speaks of an earlier result."""
        return "earlier" in needs(self.template) or EARLIER in self.arguments.values()

    @cached_property
    def asks(self) -> bool:
        """Whether it has something found before it is done: save the average price to a.txt."""
        return "asked" in needs(self.template)

    @cached_property
    def chinese(self) -> bool | None:
        """Whether it is a Chinese sentence; None where it has no words of its own."""
        words = _SLOT.sub(" ", self.template)
        if _HAN.search(words):
            return True
        return False if _LATIN.search(words) else None

    def filled(self, taken: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the call, from what its slots took."""
        used = {name for value in (*self.arguments.values(), *self.gives.values()) for name in _places(value)}
        given = {name: _put(value, taken) for name, value in self.arguments.items()}
        return {**given, **{name: value for name, value in taken.items() if name not in used}}

    def given(self, taken: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a later clause may take, where a slot says what that is: the words of a file, or its lines."""
        return {name: _put(value, taken) for name, value in self.gives.items()}


def _places(value: Any) -> list[str]:
    if is_list(value):
        return [name for one in value for name in _places(one)]
    return _PLACE.findall(value) if isinstance(value, str) else []


def _put(value: Any, taken: Mapping[str, Any]) -> Any:
    if is_list(value):
        return [_put(one, taken) for one in value]
    if isinstance(value, str) and (alone := _PLACE.fullmatch(value)):
        return taken[alone[1]]
    return _PLACE.sub(lambda match: str(taken[match[1]]), value) if isinstance(value, str) else value


def sentences_beside(tool: str, module: Path) -> tuple[Sentence, ...]:
    """The sentences in the file beside a tool's module; none where there is no such file, or it cannot be read."""
    path = file_beside(module)
    folder = path.with_name(OF_FOLDER)
    with suppress(OSError):
        return _loaded(tool, path, (path.stat().st_mtime_ns, folder.stat().st_mtime_ns if folder.is_file() else 0))
    return ()


def file_beside(module: Path) -> Path:
    """Where the sentences of a tool's module are, if it has any."""
    is_package = module.name in {"tool.py", "__init__.py"}
    return module.with_name("sentences.yaml") if is_package else module.with_suffix(".yaml")


@lru_cache(maxsize=256)
def _loaded(tool: str, path: Path, _changed: tuple[int, int]) -> tuple[Sentence, ...]:
    try:
        return tuple(_sentences(tool, path))
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return ()  # `problems` says what is wrong with it


def _sentences(tool: str, path: Path) -> Iterator[Sentence]:
    content = _content(path)
    rules, lists = _shared()
    folder = path.with_name(OF_FOLDER)
    for one in (_content(folder) if folder.is_file() else {}, content):
        rules = {**rules, **one.get("phrases", {})}
        lists = {**lists, **{name: _meanings(said) for name, said in one.get("lists", {}).items()}}
    for of_rows in (False, True):
        for block in content.get("rows", ()) if of_rows else content["sentences"]:
            if tool and block.get("tool", tool) != tool:
                continue  # without a tool, all of them are looked at
            given = block.get("arguments", {})
            gives = {**content.get("gives", {}), **block.get("gives", {})}
            for template in block["say"]:
                yield Sentence(tool, template, rules, lists, block.get("action"), given, gives, of_rows)


@lru_cache(maxsize=1024)
def brought_along(tool: str, said: tuple[str, ...]) -> tuple[Sentence, ...]:
    """The templates among the sentences that a tool's own code has."""
    rules, lists = _shared()
    return tuple(Sentence(tool, template, rules, lists) for template in said if has_slot(template))


@lru_cache(maxsize=16)
def _listed(name: str) -> tuple[re.Pattern[str], dict[str, Any]]:
    phrases = {phrase.lower(): value for phrase, value in _shared()[1][name].items()}
    said = (re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))
    return re.compile("|".join(rf"(?<![a-z0-9]){one}(?![a-z0-9])" for one in said), re.IGNORECASE), phrases


def find_listed(name: str, text: str) -> Iterator[tuple[int, int, Any]]:
    """Where phrases of a list that all tools share stand in a text, with what they mean."""
    pattern, phrases = _listed(name)
    return ((*match.span(), phrases[match[0].lower()]) for match in pattern.finditer(text))


@lru_cache(maxsize=1)
def _shared() -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    content = _content(SHARED)
    return content["phrases"], {name: _meanings(said) for name, said in content["lists"].items()}


def _content(path: Path) -> dict[str, Any]:
    import yaml  # noqa: PLC0415  only the rules read sentences

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506  a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{line}{getattr(error, 'problem', None) or error}") from error


def _meanings(values: Mapping[str, str]) -> dict[str, Any]:
    """A list as phrases with what they mean; in the file a meaning has its phrases, `|` between them."""
    return {phrase.strip(): value for value, said in values.items() for phrase in str(said).split("|")}


def problems(module: Path) -> list[str]:
    """What is wrong with the sentences beside a tool's module, each with its line."""
    path = file_beside(module)
    if not path.is_file():
        return []
    try:
        found = list(_sentences("", path))
    except (OSError, ValueError, UnicodeError) as error:
        return [str(error)]
    except (TypeError, AttributeError, KeyError):
        return ["it needs `sentences`, a list of blocks with a list `say`, and maybe `lists` and `phrases`."]
    lines = path.read_text(encoding="utf-8").splitlines()
    wrong: list[str] = []
    for sentence in found:
        try:
            parse(sentence.template, sentence.rules)
        except ValueError as error:
            at = next((number for number, line in enumerate(lines, 1) if sentence.template in line), 1)
            wrong.append(f"line {at}: {error}")
    return wrong
