"""What is done: a clause as one call, by the sentences that tools bring with them.

A tool's sentences are a file beside it (`sentences.yaml` in its package, or its own name with `.yaml`): templates in
both languages, each leading to an action and arguments. One sentence has to take the whole clause; two that lead to
different calls mean that it is not understood.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from switchyard.agents.scope import RunScope
from switchyard.language.mentions import Mention, find_mentions
from switchyard.language.sentences import Part, Piece, matches, needs, parse, words_of
from switchyard.language.structures import find_structures
from switchyard.language.words import courtesy
from switchyard.ledger.plan import Call
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import walk
from switchyard.tools.core.workspace import resolve_inside, shown

LONGEST = 2_000
"""Characters of a clause that is read by sentences."""
MOST_ENTRIES = 3_000

_SPOKEN = re.compile(r"(?<=[\w\u3400-\u9fff`])\s*[:：]\s*(?P<text>\S.*)$", re.DOTALL)
"""What follows a colon is said word by word."""
_FENCED = re.compile(r"```(?:\w*\n)?(?P<code>.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A template of a tool and the call it leads to."""

    tool: str
    template: str
    part: Part
    action: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    lists: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])


class Deeds:
    """The sentences of the tools a run may use."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope

    def read(self, clause: str) -> Call | None:
        """The call a clause asks for; None where no sentence takes all of it, or two lead to different calls."""
        if len(clause) > LONGEST:
            return None
        equipment = self._scope.equipment
        pieces = pieces_of(clause, equipment.workspace, equipment.clock().date())
        kinds = {kind for piece in pieces for kind in piece.kinds}
        found: dict[str, Call] = {}
        for sentence in self._sentences():
            if not needs(sentence.template) <= kinds | sentence.lists.keys():
                continue
            for taken in matches(sentence.part, pieces, sentence.lists):
                arguments = {**sentence.arguments, **taken}
                call = Call(tool=sentence.tool, action=sentence.action, arguments=arguments)
                found[call.model_dump_json()] = call
        return next(iter(found.values())) if len(found) == 1 else None

    def _sentences(self) -> Iterator[Sentence]:
        registry = self._scope.equipment.library.registry
        for spec in registry:
            file = registry.file_of(spec.name) if self._scope.allows(spec.name) and spec.source == "native" else ""
            if file:
                yield from sentences_beside(spec.name, Path(file))


def sentences_beside(tool: str, module: Path) -> tuple[Sentence, ...]:
    """The sentences in the file beside a tool's module."""
    is_package = module.name in {"tool.py", "__init__.py"}
    path = module.with_name("sentences.yaml") if is_package else module.with_suffix(".yaml")
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return ()
    return _loaded(tool, path, changed)


@lru_cache(maxsize=256)
def _loaded(tool: str, path: Path, _changed: int) -> tuple[Sentence, ...]:
    import yaml  # noqa: PLC0415  only the rules read sentences

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    content: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506  a safe loader
    rules: dict[str, str] = content.get("phrases", {})
    lists = {name: _phrases(values) for name, values in content.get("lists", {}).items()}
    return tuple(
        Sentence(tool, template, parse(template, rules), block.get("action"), block.get("arguments", {}), lists)
        for block in content["sentences"]
        for template in block["say"]
    )


def _phrases(values: Mapping[str, str]) -> dict[str, Any]:
    """A list as phrases with what they mean; in the file a meaning has its phrases, `|` between them."""
    return {phrase.strip(): value for value, said in values.items() for phrase in str(said).split("|")}


def pieces_of(clause: str, workspace: Path, today: date) -> list[Piece]:
    """A clause as words and mentions; courtesy around it is left out."""
    text = _plain(clause)
    pieces: list[Piece] = []
    position = 0
    names = _names(workspace)
    for start, end, piece in _mentions(text, workspace, today):
        if start < position:
            continue
        pieces += _words(text[position:start], names)
        pieces.append(piece)
        position = end
    return [*pieces, *_words(text[position:], names)]


def _plain(clause: str) -> str:
    lead = re.compile(rf"^(?:{courtesy('before', 'asking')})[\s,，:：]*", re.IGNORECASE)
    trail = re.compile(rf"[\s,，.。?？!！]*(?:{courtesy('after', 'particle')})?[\s,，.。?？!！]*$", re.IGNORECASE)
    text = clause.strip()
    while match := lead.match(text):
        text = text[match.end() :]
    return trail.sub("", text)


def _words(text: str, names: Mapping[str, frozenset[str]]) -> Iterator[Piece]:
    for word in words_of(text):
        kinds = names.get(word.lower(), frozenset())
        yield Piece(word, kinds, word)


def _names(workspace: Path) -> Mapping[str, frozenset[str]]:
    """Folders that a single word names."""
    root = workspace.resolve()
    found = (entry for entry in walk(root, hidden=False, limit=MOST_ENTRIES) if entry.is_dir(follow_symlinks=False))
    paths = [shown(root, Path(entry.path)) for entry in found]
    return {path.lower(): frozenset({"folder", "path"}) for path in paths if "/" not in path}


def _mentions(text: str, workspace: Path, today: date) -> list[tuple[int, int, Piece]]:
    """What stands for itself, in order; of two that overlap, the first that was looked for."""
    found: list[tuple[int, int, Piece]] = []

    def add(start: int, end: int, piece: Piece) -> None:
        if all(end <= first or start >= last for first, last, _ in found):
            found.append((start, end, piece))

    for match in _FENCED.finditer(text):
        add(*match.span(), Piece(match[0], frozenset({"code", "text"}), match["code"].strip("\n"), is_word=False))
    for value, start, end in find_structures(text):
        kinds = frozenset({"json"})
        add(start, end, Piece(text[start:end], kinds, value, is_word=False))
    mentioned = find_mentions(text, today)
    spoken = _SPOKEN.search(text)
    if spoken and not any(mention.start <= spoken.start() < mention.end for mention in mentioned):
        said = spoken["text"].strip()
        rest = [mention for mention in mentioned if mention.start >= spoken.start("text")]
        if not (rest and rest[0].kind == "quoted" and rest[0].text == said):
            add(spoken.start(), len(text), Piece(said, frozenset({"text", "code"}), said, is_word=False))
    for mention in mentioned:
        piece = _piece(mention, workspace)
        if piece is not None:
            add(mention.start, mention.end, piece)
    return sorted(found, key=lambda one: one[0])


def _piece(mention: Mention, workspace: Path) -> Piece | None:
    match mention.kind:
        case "path":
            return Piece(
                mention.text,
                _kinds_of_path(str(mention.value), workspace),
                _found(str(mention.value), workspace),
                is_word=False,
            )
        case "quoted":
            inner = str(mention.value)
            path = (
                _kinds_of_path(inner, workspace) & {"file", "folder", "path"} if _is_path(inner) else frozenset[str]()
            )
            return Piece(mention.text, frozenset({"text", "code"}) | path, inner, is_word=False)
        case "url" | "glob":
            return Piece(mention.text, frozenset({mention.kind}), mention.value, is_word=False)
        case "number":
            value = float(mention.value)
            return Piece(mention.text, frozenset({"number"}), int(value) if value == int(value) else value)
        case _:
            return None


def _is_path(text: str) -> bool:
    return re.fullmatch(r"[\w./~-]+\.\w{1,8}", text) is not None


def _kinds_of_path(name: str, workspace: Path) -> frozenset[str]:
    real = workspace.resolve() / _found(name, workspace)
    if real.is_dir():
        return frozenset({"folder", "path"})
    return frozenset({"file", "path"}) if real.is_file() else frozenset({"new_file", "path"})


def _found(name: str, workspace: Path) -> str:
    """A path as it is there: itself, or the only file of that name somewhere below."""
    try:
        if resolve_inside(workspace, name).exists() or "/" in name:
            return name
    except ToolError:
        return name
    root = workspace.resolve()
    fitting = [entry.path for entry in walk(root, hidden=False, limit=MOST_ENTRIES) if entry.name == name]
    return shown(root, Path(fitting[0])) if len(fitting) == 1 else name
