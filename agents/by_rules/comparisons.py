"""Which of several files has more, or less, of what can be counted in them: "Which of a.md or b.md has more lines?"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from switchyard.language.clauses import clauses, joined
from switchyard.language.mentions import find_mentions, hidden
from switchyard.language.messages import message
from switchyard.language.words import language_of
from switchyard.tools.core.spec import Language

COUNTED = ("lines", "words", "characters", "bytes")
"""What is counted in a file; the catalogue of messages has what people call it."""
_COMPARED: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(?:the\s+)?(?:(?P<most>more|most)|(?P<least>fewer|fewest|less|least))\s+"
        r"(?:(?P<lines>lines)|(?P<words>words)|(?P<characters>characters)|(?P<bytes>bytes))\b"
        r"|\b(?:the\s+)?(?:(?P<large>larger|bigger|largest|biggest)|(?P<small>smaller|smallest)"
        r"|(?P<long>longer|longest)|(?P<short>shorter|shortest))\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:(?P<bytes>字节数?)|(?P<characters>字符数?)|(?P<lines>行数?)|(?P<words>字数|词数|[字词]))?\s*[更最要还]?"
        r"(?:(?P<most>多)|(?P<least>少)|(?P<large>大)|(?P<small>小)|(?P<long>长)|(?P<short>短))"
    ),
}
_AROUND: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"(?:\W|\b(?:which|what|of|the|is|are|has|have|does|do|contains?|files?|one|or|and|between|than|these|two|in)\b)*",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"(?:\W|以及|还是|或者|[和与跟及或比]|相比|哪一?[个份篇]|谁|文件|两个|之间|比较|里面?|[中的有是吗呢些])*"
    ),
}
"""What else is said where nothing but a comparison is asked for."""
_COMPARES = re.compile(
    r"\b(?:compare|than|more|most|fewer|fewest|less|least|largest|smallest|longest|shortest)\b|\b(?:which|what)\b.*\bor\b|哪一?[个份篇]|谁|比|对照",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Files, what is counted in them, and whether the most or the least of it is meant."""

    files: tuple[str, ...]
    counted: str
    language: Language
    most: bool

    @property
    def questions(self) -> tuple[str, ...]:
        """What is asked of each of the files."""
        if self.language == "zh":
            noun = message(f"counted.{self.counted}").text("zh")
            return tuple(f"统计 {file} 的{noun}" for file in self.files)
        return tuple(f"Count the {self.counted} in {file}" for file in self.files)


def find_comparison(text: str, today: date) -> Comparison | None:
    """The comparison of files that a text asks for, where it asks for nothing else."""
    files, said = _files(text, today)
    language = language_of(said)
    match = _COMPARED[language].search(said) if len(files) > 1 else None
    if match is None or not _AROUND[language].fullmatch(f"{said[: match.start()]},{said[match.end() :]}"):
        return None
    told = {name for name, value in match.groupdict().items() if value}
    size = "bytes" if told & {"large", "small"} else "lines" if told & {"long", "short"} else None
    counted = next((name for name in COUNTED if name in told), size)
    if counted is None:
        return None
    return Comparison(files, counted, language, most=not told & {"least", "small", "short"})


def compares_files(text: str, today: date) -> bool:
    """Whether files are set against each other, in whatever respect: to tell of each alone is no answer then."""
    files, said = _files(text, today)
    return len(files) > 1 and _COMPARES.search(said) is not None


def comparisons_in(question: str, today: date) -> Iterator[Comparison]:
    """The comparisons of files in a question that may ask for more."""
    parts = clauses(question)
    for start in range(len(parts)):
        for end in range(start + 1, len(parts) + 1):
            found = find_comparison(joined(parts[start:end]).text, today)
            if found is not None:
                yield found


def _files(text: str, today: date) -> tuple[tuple[str, ...], str]:
    """The files a text names, each once, and the text without them."""
    found = [mention for mention in find_mentions(text, today) if mention.kind == "path"]
    return tuple(dict.fromkeys(str(mention.value) for mention in found)), hidden(text, found)
