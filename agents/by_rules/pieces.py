"""A clause as pieces that sentences take: its words, and what stands for itself in it, by kind.

file, folder, path              files (also below, by a name that only one has), folders, either
new_file, target                a file that is not there, and what may be written to, both as they are said
changed, there                  what may be changed: a file that is there, also below by a name that only one has; what
                                may be added to: such a one, or one of a name that none has
data, table, plain_file         files that may be read as rows, those that mostly are, and all the others
library, other_folder           folders of documents by their names (docs, notes), and all the others
files, glob, globs, url, pairs  several files, *.csv, the same as a list, an address, base=EUR&x=1
text, code, sql, json           what is quoted or follows a colon; what reads as such
number, count, size             any number; a whole one above 0; bytes
date, clock, duration, place    2026-11-16 of any date; the others as they are said
selector                        a CSS selector: #login, .price
word, name                      one word that no lexicon has; several with capital letters: Greta Vos
topic                           several words as they are, without a joint or a negation
stretch, figure                 a few pieces of any kind as they are written; of these what has a digit in it
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from switchyard.language.clauses import clauses
from switchyard.language.lexicon import key_of, segment, senses_of
from switchyard.language.mentions import Mention, find_mentions, hidden
from switchyard.language.numbers import find_numbers
from switchyard.language.sentences import Piece, Run, words_of
from switchyard.language.structures import find_structures
from switchyard.language.tables import words
from switchyard.language.words import courtesy
from switchyard.toolhub.memory.adjustments import bare_folder, is_a_slip
from switchyard.tools.core.errors import ToolError
from switchyard.tools.core.files import walk
from switchyard.tools.core.workspace import resolve_inside, shown

LONGEST = 2_000
"""Characters of a clause that is read by sentences."""
MOST_ENTRIES = 3_000
LONGEST_TRAIL = 40
"""Characters of what is said out of politeness after a question."""
LONGEST_TOPIC = 12
"""Words, or twice as many Chinese characters."""

_MARKS = " \t\n\r\v\f\u3000,，.。?？!！"
_HAN = re.compile(r"[\u3400-\u9fff]+")
_SPOKEN = re.compile(r"(?<=[\w\u3400-\u9fff`)）])\s*[:：]\s*(?P<text>\S.*)$", re.DOTALL)
"""What follows a colon is said word by word."""
_LINES = re.compile(
    r"(?i)\b(?:(?:two|three|four|five|six|seven|eight|[2-9]) (?:\w+ )?|(?:these|following) )(?:lines|items|entries)\b"
    r"|(?<![第\d十])[两二三四五六七八九2-9][行条项句]|[一每]行[写放]?一|一[条项个句]一行|\bone (?:\w+ )?(?:per|a) line"
)
"""How many lines a text is to have that is said behind it; one for each thing that is named."""
_PARTED = (r"\s*[、;；]\s*", r"\s*[,，、;；]\s*(?:and )?", r"\s*[,，、;；]\s*(?:and )?|\s+and\s+|\s*和\s*")
"""What parts the lines of a text, the surest first."""
_FORMED = re.compile(
    r"(?i)(?:with )?(?:the |a )?(?:header|heading|columns?)\b[^.]*,|(?:第一行)?[是写为]?(?:表头|列名)"
    r"|[两三四五六]列|one \w+ (?:per|a) line|[一每]行一|(?:every|each|all)\b.*\b(?:columns?|header|in the order of)\b"
)
"""The form of what is to be found and written: it is no text."""
_TABLE_BEFORE = re.compile(r"(?i)\.[ct]sv\W*$")
_ROWS_OF = re.compile(r"(?i)(?:every|each|all|the|those|any|our)\b|所有|全部|每|凡|哪")
"""What is to be found for a table, not what stands in it: every job that is late."""
_THEN = re.compile(r"(?i)\bthen\b|然后|接着|随后")
_OPENS_QUOTE = tuple("\"'`“「‘《")
_FENCED = re.compile(r"```(?:\w*\n)?(?P<code>.*?)```", re.DOTALL)
_SQL = re.compile(
    r"(?<![A-Za-z0-9_'\"`])(?:select|with\s+\w+\s+as\s*\()\s.+?\sfrom\s.+?"
    r"(?=\s+(?:on|over|against|in|for)\s+(?:the\s+)?(?:(?:file|table|data|dataset)\s+)?(?:in\s+)?"
    r"[\w./\u3400-\u9fff-]+\.\w+\s*[.?]?\s*$|$)",
    re.IGNORECASE | re.DOTALL,
)
_STARTS_SQL = re.compile(r"(?i)\s*(?:select|with)\s")
_PAIR = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)=([^\s=,，;；&。\u3400-\u9fff]+|[\u3400-\u9fff][^\s=,，;；&。]*)")
_PAIRS = re.compile(rf"(?<![A-Za-z0-9_=?&]){_PAIR.pattern}(?:(?:\s*[,，&]\s*|\s+and\s+|\s*和\s*){_PAIR.pattern})*")
_SIZE = re.compile(r"(?i)(?<![A-Za-z0-9_.])(\d+(?:\.\d+)?)\s?(bytes?|[kmg]i?b|字节|兆)(?![A-Za-z])")
_BYTES = {"b": 1, "字": 1, "k": 10**3, "m": 10**6, "兆": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_TAG = r"(?:a|button|div|span|input|form|img|li|p|td|h[1-6])"
_SELECTOR = re.compile(
    rf"(?a:(?<![\w./#*-]){_TAG}(?:#[A-Za-z][\w-]*|\.[A-Za-z]\w*-[\w-]+)(?![\w/.-]))"
    r"|(?:(?<![A-Za-z0-9_./#*])#|(?<![\w./#*])\.)[A-Za-z][A-Za-z0-9_-]*(?![A-Za-z0-9_/.])"
)
"""What no file is called: #login, .price, a.social-count, div#main."""
_ELEMENT = re.compile(rf"{_TAG}\.[A-Za-z][\w-]*")
_QUOTED_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?[#.\[][^\s<>]+|h[1-6]|[a-z]+(?: ?> ?[a-z][\w.#]*)+")
_FIGURE = re.compile(r"(?=.*\d)[A-Za-z0-9_=.:,%$¥€£/ +-]+[\u3400-\u9fff]{0,3}")
"""What has a digit, and little more than that in Chinese: 21, 6500 yuan, KEEP_DAYS=21, 30元."""
_RANGE = re.compile(r"(?i)(\blines?\s+\d+)\s?[-–~]\s?(\d+)")
_GLUED = re.compile(r"[A-Za-z]\d*[-_]?$")
"""What stands before a number that is part of a name: sha-256."""
_FILE_NAME = re.compile(r"[\w./~ -]+\.\w{1,8}")
_SPACED_NAME = re.compile(r"\w [\w-]+\.[A-Za-z]")
_NAME = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9_.-]*")
_CAPITALS = re.compile(r"(?<![\w'.])[A-Z][\w'-]*(?: [A-Z][\w'-]*){1,3}(?![\w'])", re.ASCII)
_STANDS_OUT = re.compile(r"[A-Z][A-Z0-9_]{2,}|\w*_\w*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|(?=.*\d)(?=.*[A-Za-z])[\w.-]+")
"""A name of code: TODO, load_config, readFile, E1042."""
_SHOWING = frozenset({"show me", "give me", "get me", "gimme"})
"""Words that ask for something to be shown: of a file that is named, it is all that is said."""
_JOINS_HAN = re.compile(r"然后|接着|以及|并且|或者|除了|没有|不|没|别|，|。|；|并|或|和|再")
_BREAK = re.compile(r"[,，;；:：.。?？!！、]\s|[，；：。？！、\n]")
_TABLES = frozenset({".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"})
_TIMES = frozenset({"date", "clock", "duration", "place"})
_A_FILE = r"(?:(?:同一个|一个|一份|个)?(?:空白?的?)?(?:新|文本)?文件|一个|一份)?(?:名为|叫做?)?"
_A_FOLDER = frozenset({"folder", "path", "other_folder"})


class Pieces(NamedTuple):
    """A clause cut up: its text without courtesy, the pieces of it, and where each stands there."""

    text: str
    pieces: list[Piece]
    spans: list[tuple[int, int]]


def pieces_of(clause: str, place: "Place", today: date) -> Pieces:
    """A clause as words and mentions; courtesy around it is left out."""
    text = _RANGE.sub(r"\1 to \2", _with_names_apart(without_courtesy(clause), place, today))
    found = _mentions(text, place, today)
    if not (found and found[-1][1] == len(text) and "text" in found[-1][2].kinds):
        text = _without_trail(text)
    pieces: list[Piece] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end, piece in [*found, (len(text), len(text), None)]:
        for word in words_of(text[at:start]):
            at = text.index(word, at)
            pieces.append(place.word(word))
            spans.append((at, at + len(word)))
            at += len(word)
        if piece is not None and end <= len(text):
            pieces.append(piece)
            spans.append((start, end))
        at = max(at, end)
    return Pieces(text, _with_runs(text, pieces, spans, place, find_mentions(text, today)), spans)


def _with_names_apart(text: str, place: "Place", today: date) -> str:
    """The text with a space before the name of a file, and after an address, where none parts it from Chinese words.

    What follows a colon stays as it is: it is said word by word.
    """
    if text.isascii():
        return text
    spoken = re.search(r"(?<!https)(?<!http)[:：]", text)
    for mention in sorted(find_mentions(text, today), key=lambda one: -one.start):
        if mention.kind in {"path", "url"} and mention.end <= (spoken.start() if spoken else len(text)):
            han = _HAN.search(mention.text) if mention.kind == "url" else None
            parted = re.search(r"[\u3400-\u9fff] +$", text[: mention.start]) is not None
            is_path = mention.kind == "path"
            cut = place.start_of(mention.text, is_parted=parted) if is_path else han.start() if han else 0
            if cut:  # what is apart now may have hidden other names
                at = mention.start + cut
                return _with_names_apart(f"{text[:at]} {text[at:]}", place, today)
    return text


def without_courtesy(clause: str, *, after: bool = False) -> str:
    """A clause without what is said before it out of politeness; `after`: and behind it."""
    text = clause.strip()
    while (match := _around()[0].match(text)) and match[0].strip().lower() not in _SHOWING:
        text = text[match.end() :]
    return _without_trail(text) if after else text


def _without_trail(text: str) -> str:
    text = text.rstrip(_MARKS)
    match = _around()[1].search(text, max(0, len(text) - LONGEST_TRAIL))
    return text[: match.start()].rstrip(_MARKS) if match else text


@cache
def _around() -> tuple[re.Pattern[str], re.Pattern[str]]:
    before = rf"(?i)^(?:{courtesy('before', 'asking')})(?![求假客])[\s,，:：]*"
    return re.compile(before), re.compile(rf"(?i)(?:{courtesy('after', 'particle')})$")


@cache
def _before_name(kind: str, after: str = "") -> re.Pattern[str]:
    leads = sorted(words("sentence_words", kind), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(leads)})+{after}")


class Place:
    """The workspace as far as a clause may speak of it; it is looked through once, when first needed."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    @cached_property
    def root(self) -> Path:
        """Its folder."""
        return self._workspace.resolve()

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The paths of files, by name."""
        found: dict[str, list[str]] = {}
        for entry in walk(self.root, hidden=False, limit=MOST_ENTRIES):
            found.setdefault(entry.name, []).append(entry.path)
        return found

    @cached_property
    def folders(self) -> Mapping[str, str]:
        """Folders, and files without an ending, that a single word names: in small letters, wherever they are."""
        found: dict[str, set[str]] = {}
        for entry in walk(self.root, hidden=False, limit=MOST_ENTRIES):
            if "." not in entry.name or entry.is_dir(follow_symlinks=False):
                found.setdefault(entry.name.lower(), set()).add(shown(self.root, Path(entry.path)))
        top = {name: path for name, paths in found.items() for path in paths if "/" not in path}
        return {name: next(iter(paths)) for name, paths in found.items() if len(paths) == 1} | top

    def chinese_folders(self) -> Iterator[tuple[str, str, frozenset[str]]]:
        """Folders with Chinese names, each with the path that is meant and the kinds of slots it fits."""
        for name, path in self.folders.items():
            if _HAN.fullmatch(name):
                yield name, path, self.kinds(path)
                if (bare := bare_folder(name)) not in self.folders:
                    yield bare, bare, _A_FOLDER

    def word(self, word: str) -> Piece:
        """A word; one that names a folder, or a file, fits there too."""
        folder = self.folders.get(word.lower())
        kinds = self.kinds(folder) if folder else frozenset[str]()
        if not folder and any(is_a_slip(word, name) for name in self.folders):
            folder, kinds = word, _A_FOLDER  # who looks there is told, and looks there
        return Piece(word, kinds | {"word"} if _is_rare(word) else kinds, folder or word, values=(("word", word),))

    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        try:
            return resolve_inside(self._workspace, name).exists()
        except (ToolError, OSError, ValueError):
            return False

    def found(self, name: str) -> str:
        """A path as it is there: itself, or the only file of that name somewhere below."""
        if "/" in name or self.exists(name):
            return name
        fitting = self._by_name.get(name, [])
        return shown(self.root, Path(fitting[0])) if len(fitting) == 1 else name

    def with_names_quoted(self, text: str) -> str:
        """A text with the names of files that have a space in them in quotes, so that they stay whole."""
        if not _SPACED_NAME.search(text):
            return text
        paths = [shown(self.root, Path(path)) for same in self._by_name.values() for path in same]
        spaced = {name for path in paths for name in (path, path.rpartition("/")[2]) if " " in name and "." in name}
        names = "|".join(re.escape(name) for name in sorted(spaced, key=len, reverse=True))
        said = rf"(?<![A-Za-z0-9_/`\"'“《「.-])(?:{names})(?![A-Za-z0-9_`\"'”》」])"
        return re.sub(said, lambda match: f"`{match[0]}`", text, flags=re.IGNORECASE) if names else text

    def kinds(self, path: str) -> frozenset[str]:
        """What kinds of slots a path fits."""
        real, exists = self.root / path, self.exists(path)
        if exists and real.is_dir():
            is_library = real.name.lower() in words("sentence_words", "library")
            return frozenset({"folder", "path", "library" if is_library else "other_folder"})
        ending = real.suffix.lower()
        kinds = {"file", "path", "table" if ending in _TABLES else "plain_file"}
        kinds |= set[str]() if exists else {"new_file"}  # who reads it is told that it is not there
        return frozenset(kinds | ({"data"} if ending in _TABLES or ending == ".json" else set[str]()))

    def written_to(self, said: str) -> Mapping[str, str]:
        """As what kinds of slots a path may be written to: never as a file of that name that lies elsewhere."""
        name = self.found(said)
        kinds = self.kinds(name)
        if "folder" in kinds:
            return {}
        if "new_file" in kinds:
            return {"target": said, "new_file": said} | ({} if said in self._by_name else {"there": said})
        elsewhere = {"new_file": said} if name != said else {}
        return {"target": said, "there": name, "changed": name} | elsewhere

    def start_of(self, name: str, *, is_parted: bool = False) -> int:
        """Where the name of a file begins in what looks like one: 在todo.txt, 新建报告.md.

        One that a space parts from Chinese words begins there: 写入 看过.md.
        """
        if is_parted or _HAN.search(name) is None or self._is_there(name):
            return 0
        stop = name.rindex(".") if "." in name else len(name)
        made = max((one.end() for one in _before_name("before_new", _A_FILE).finditer(name, 0, stop)), default=0)
        known = (at for at in range(1, stop) if _HAN.match(name[at - 1]) and self._is_there(name[at:]))
        if (first := next(known, None)) is not None:
            return made if 0 < made < first else first  # 存到北京报名.csv is not 报名.csv
        named = max((one.end() for one in _before_name("before_name").finditer(name, 0, stop)), default=0)
        lead = made or named
        return lead if lead < stop else 0

    def _is_there(self, name: str) -> bool:
        return self.exists(name) or name in self._by_name

    def apart(self, mention: Mention, text: str = "") -> Mention:
        """A path that a text mentions, without Chinese words that no space parts from it, with all its words."""
        if mention.kind != "path":
            return mention
        for name in self._by_name:
            start = mention.end - len(name)
            if name.endswith(f" {mention.value}") and text[max(0, start) : mention.end].lower() == name.lower():
                return replace(mention, value=name, text=name, start=start)
        cut = self.start_of(str(mention.value))
        return replace(mention, value=str(mention.value)[cut:], text=mention.text[cut:], start=mention.start + cut)


def _is_rare(word: str) -> bool:
    """Whether a word is one to look for: a name of code, or a word of three letters and more that no lexicon has."""
    if _NAME.fullmatch(word) is None or word.lower() in words("sentence_words", "empty"):
        return False
    senses = senses_of(key_of(word)) or senses_of((word.lower(),))
    known = any(one.kind not in {"head", "light"} for one in senses)  # those say little in any other question, too
    return _STANDS_OUT.fullmatch(word) is not None or (not known and len(word) > 2)  # noqa: PLR2004  an, up, by


Found = tuple[int, int, Piece]
"""A piece with where it begins and ends."""


def _mentions(text: str, place: Place, today: date) -> list[Found]:
    """What stands for itself, in order; of two that overlap, the first that was looked for."""
    found: list[Found] = []
    for start, end, piece in _all_mentions(text, place, find_mentions(text, today)):
        if all(end <= first or start >= last for first, last, _ in found):
            found.append((start, end, piece))
    return sorted(found, key=lambda one: one[0])


def _all_mentions(text: str, place: Place, mentioned: Sequence[Mention]) -> Iterator[Found]:
    """What may stand for itself, the surest first."""
    for match in _FENCED.finditer(text):
        yield *match.span(), _said(match[0], match["code"].strip("\n"))
    kept = [(one.start, one.end) for one in mentioned if one.kind in {"quoted", "url", "clock"}]
    structures = [one for one in find_structures(text) if one[0] != []]  # which is a box to tick
    for start, spoken in _spoken(text, [*kept, *((start, end) for _, start, end in structures)]):
        if (said := _as_lines(text[:start], spoken)) is not None:
            yield start, len(text), _said(spoken, said)
    for match in _SQL.finditer(text):
        yield *match.span(), _piece(match[0], match[0].strip(), "sql")
    for value, start, end in structures:
        if not any(first < start and end < last for first, last in kept):  # else a part of what is quoted
            yield start, end, _piece(text[start:end], value, "json")
    yield from (_of_mention(one, place) for one in mentioned if one.kind in {"quoted", "url"})
    yield from _odd(text)
    for one in mentioned:
        for number in find_numbers(one.text) if one.kind == "duration" else ():
            start, end = one.start + number.start, one.start + number.end
            yield _of_mention(Mention("number", number.value, text[start:end], start, end), place)
        if one.kind in {"path", "glob"} or (one.kind == "number" and not _GLUED.search(text[: one.start])):
            yield _of_mention(one, place)


def _odd(text: str) -> Iterator[Found]:
    """Mentions that only tools know: pairs, sizes, selectors."""
    for match in _PAIRS.finditer(text):
        yield *match.span(), _piece(match[0], dict(_PAIR.findall(match[0])), "pairs")
    for match in _SIZE.finditer(text):
        unit = match[2].lower()
        factor = _BYTES[unit[:2] if unit[1:2] == "i" else unit[0]]
        yield *match.span(), _piece(match[0], round(Fraction(match[1]) * factor), "size")
    for match in _SELECTOR.finditer(text):
        yield *match.span(), Piece(match[0], frozenset({"selector"}), match[0])


def _piece(text: str, value: object, *kinds: str) -> Piece:
    """Something that is no word of a template."""
    return Piece(text, frozenset(kinds), value, is_word=False)


def _said(text: str, said: str) -> Piece:
    """What is quoted or follows a colon."""
    return _piece(text, said, "text", "code", *(["sql"] if _STARTS_SQL.match(said) else []))


def _spoken(text: str, whole: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """What follows the first colon, as it is; not where it begins with a quotation, or where a task follows it."""
    for match in re.finditer(r"[:：]", text):
        spoken = _SPOKEN.match(text, match.start())
        if spoken is None or any(start <= match.start() < end for start, end in whole):
            continue
        said = _said_after().sub("", spoken["text"].rstrip())
        tasks = any(_THEN.search(part.before) for part in clauses(said))
        object_follows = any(start == spoken.start("text") for start, _ in whole)
        is_object = object_follows or said.startswith((*_OPENS_QUOTE, "```"))
        found = _FORMED.match(said) or (_TABLE_BEFORE.search(text, 0, match.start()) and _ROWS_OF.match(said))
        if (not is_object or _LINES.search(text, 0, match.start())) and not tasks and not found:
            yield match.start(), said
        return


@cache
def _said_after() -> re.Pattern[str]:
    """What is said behind a text and is no part of it."""
    said = rf"(?:[,，;；]|(?<=[.。!！\"”」]))\s*(?:and )?(?:{courtesy('alone')})"
    return re.compile(rf"(?i)(?:{said}|(?<=[.!。！])\s*(?:{courtesy('after')}))[.!。！]*$")


def _as_lines(before: str, said: str) -> str | None:
    """A text as the lines that it is said to have; None where it cannot be told which they are."""
    told = [one[0] for one in _LINES.finditer(before)]
    if not told:
        return said
    counts = {int(number.value) for one in told for number in find_numbers(one) if number.value > 1}
    ways = [said.split("\n"), *(re.split(parted, said.rstrip(" .。")) for parted in _PARTED[: None if counts else 1])]
    if quotes := [one for one in find_mentions(said, date.min) if one.kind == "quoted"]:
        between = re.sub(r"\band\b|[\s,，、;；.。和]", "", hidden(said, quotes))
        ways = [] if between else [[str(one.value) for one in quotes]]
    return next(("\n".join(way) for way in ways if {len(way)} == (counts or {max(2, len(way))})), None)


def _of_mention(mention: Mention, place: Place) -> Found:
    start, end, text, value = mention.start, mention.end, mention.text, mention.value
    match mention.kind:
        case "path" | "quoted":
            said, quoted = str(value), mention.kind == "quoted"
            kinds = _said(text, said).kinds if quoted else frozenset[str]()
            kinds |= {"selector"} if quoted and _QUOTED_SELECTOR.fullmatch(said) else set[str]()
            if quoted and not _FILE_NAME.fullmatch(said) and not place.exists(said):
                return start, end, _piece(text, said, *kinds)
            name, written = place.found(said), place.written_to(said)
            values = {**dict.fromkeys(kinds, said), **written}
            kinds |= place.kinds(name) | written.keys()
            kinds |= {"selector"} if "new_file" in kinds and _ELEMENT.fullmatch(said) else set[str]()
            return start, end, replace(_piece(text, name, *kinds), values=tuple(values.items()))
        case "url":
            han = _HAN.search(text)
            url = (text[: han.start()] if han else text).rstrip(".!?;:")
            kinds = () if re.search(r"[{}<>]", url) else ("url",)  # a pattern is no address
            return start, start + len(url), _piece(url, url, *kinds)
        case "number":
            number = Fraction(value)
            whole = number.denominator == 1
            kinds = {"number", "count"} if whole and number >= 1 else {"number"}
            told = int(number) if whole or abs(number) > sys.float_info.max else float(number)
            return start, end, Piece(text, frozenset(kinds), told)
        case _:
            return start, end, replace(_piece(text, value, "glob", "globs"), values=(("globs", [value]),))


def _with_runs(
    text: str, pieces: list[Piece], spans: list[tuple[int, int]], place: Place, mentions: Sequence[Mention]
) -> list[Piece]:
    """The pieces with what begins at each and goes on: lists of files, dates, Chinese words and folders, topics."""
    runs = [[*_files_from(pieces, at), *_stretches_from(text, pieces, spans, at)] for at in range(len(pieces))]
    at_start = {start: number for number, (start, _) in enumerate(spans)}
    at_end = {end: number for number, (_, end) in enumerate(spans)}
    whole = [
        (one.kind, one.value.isoformat() if one.kind == "date" else one.text, one.start, one.end)
        for one in mentions
        if one.kind in _TIMES
    ]
    for kind, value, start, end in [*whole, *(("name", one[0], *one.span()) for one in _CAPITALS.finditer(text))]:
        if start in at_start and end in at_end:
            runs[at_start[start]].append(Run(kind, at_end[end] + 1 - at_start[start], value))
    if not text.isascii():
        for start, end in _unknown_words(text, pieces, spans):
            for first in range(start, end - 1):
                runs[at_start[first]].append(Run("word", end - first, text[first:end]))
        for name, path, kinds in place.chinese_folders():
            if (first := text.find(name)) in at_start:
                runs[at_start[first]] += [Run(kind, len(name), path) for kind in kinds]
    return [replace(piece, runs=tuple(own)) if own else piece for piece, own in zip(pieces, runs, strict=True)]


def _files_from(pieces: Sequence[Piece], first: int) -> Iterator[Run]:
    """All files of a list that begins here: a.txt, b.txt and c.txt."""
    if "file" not in pieces[first].kinds or (first and "file" in pieces[first - 1].kinds):
        return
    names: list[str] = []
    end = first
    for number in range(first, len(pieces)):
        if "file" in pieces[number].kinds:
            names.append(pieces[number].worth("file"))
            end = number + 1
        elif pieces[number].text.lower() not in words("sentence_words", "links"):
            break
    if len(names) > 1:
        yield Run("files", end - first, names)


def _stretches_from(text: str, pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], first: int) -> Iterator[Run]:
    """What begins here and goes on as it is written, up to a file, a quotation or the end of a part."""
    longest = LONGEST_TOPIC * (1 if pieces[first].text.isascii() else 2)
    is_topic = True
    for end in range(first + 1, min(len(pieces), first + longest) + 1):
        last, said = pieces[end - 1], text[spans[first][0] : spans[end - 1][1]]
        if last.kinds & {"file", "folder", "text", "url"} or _BREAK.search(said):
            return
        yield Run("stretch", end - first, said)
        if _FIGURE.fullmatch(said):
            yield Run("figure", end - first, said)
        joins = last.text.lower() in words("sentence_words", "joins") or _JOINS_HAN.search(said)
        is_topic = is_topic and last.is_word and not joins
        if is_topic:
            yield Run("topic", end - first, said)


def _unknown_words(text: str, pieces: Sequence[Piece], spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where Chinese words stand that no lexicon has."""
    blank = list(text)
    for piece, (start, end) in zip(pieces, spans, strict=True):
        is_number = end - start > 1 and not piece.text.isascii()  # of Chinese words each sign is a piece
        if not piece.is_word or is_number:
            blank[start:end] = " " * (end - start)
    for token in segment("".join(blank), [], {}):
        if not token.senses and _HAN.fullmatch(token.text) and 1 < len(token.text) <= LONGEST_TOPIC:
            yield token.start, token.end
