"""What a model thinks aloud, `<think>…</think>`, taken off what it says.

A tag that is spoken about is none: one in quotation marks or backticks, or with a space on either side. A closing tag
without an opening one ends a thought that the answer began with: the opening tag stood at the end of the prompt.
"""

import re

TAG = re.compile(
    r"(?<![`\"'“‘「])(?!(?<=[ \t])</?[a-z]{5,9}>[ \t])<(/?)(?:think|thinking|reasoning)>(?![`\"'”’」])", re.IGNORECASE
)
"""Its first group is empty where a thought opens."""

_UNFINISHED = re.compile(r"</?[a-z]{0,9}>?\Z", re.IGNORECASE)
"""What may become a tag with what comes next; whether it is one, the character after it decides."""


def spoken(text: str) -> str:
    """A whole text without its thoughts."""
    return Thoughts().whole(text)


class Thoughts:
    """Takes thoughts off a text that comes in pieces.

    What was given out cannot be taken back: a thought whose opening tag is missing passes, unless it is known
    beforehand that the text begins with one.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self.unopened = False
        """Whether a thought came to its end that was never opened."""
        self._thinking = False
        self._after_thought = False
        self._held: list[str] | None = [] if begun else None
        """What is a thought if a closing tag follows, and else is not."""
        self._before = ""
        self._undecided = ""

    def whole(self, text: str) -> str:
        """What is said in a text that comes in one piece."""
        return self._said(text, 0, len(text))

    def take(self, piece: str) -> str:
        """What is said in the next piece, as far as it can be told yet."""
        text = self._undecided + piece
        unfinished = _UNFINISHED.search(text)
        stop = unfinished.start() if unfinished else len(text)
        self._undecided = text[stop:]
        said = self._said(self._before + text, len(self._before), len(self._before) + stop)
        self._before = text[:stop][-1:] or self._before
        return said

    def end(self) -> str:
        """What is said in the rest, now that nothing follows."""
        text = self._before + self._undecided
        said = self._said(text, len(self._before), len(text))
        held, self._held, self._undecided = self._held or [], None, ""
        return "".join([*held, said])

    def _said(self, text: str, start: int, stop: int) -> str:
        said: list[str] = []
        for tag in TAG.finditer(text, start):
            if tag.start() >= stop:
                break
            if not tag[1] and not self._thinking:
                said += [*(self._held or ()), self._speech(text[start : tag.start()])]
                self._held = None
            elif tag[1]:
                if not self._thinking:
                    self.unopened, self._held = True, None
                    said.clear()
                self._after_thought = True
            self._thinking = not tag[1]
            start = tag.end()
        if not self._thinking:
            said.append(self._speech(text[start:stop]))
        if self._held is None:
            return "".join(said)
        self._held += said
        return ""

    def _speech(self, text: str) -> str:
        """The space between a thought and what is said after it belongs to neither."""
        if self._after_thought:
            text = text.lstrip()
            self._after_thought = not text
        return text
