"""What a reader says of a text it cannot read.

Unreadable
├── Impossible    understood, and it cannot be: a day that does not exist, a division by zero
└── Misread       not understood as it is written; other words would do
"""

from switchyard.language.messages import joined


class Unreadable(Exception):
    """A text that gives nothing; its own text is a sentence for a person."""


class Impossible(Unreadable):
    """What was said cannot be, or cannot be computed."""


class Misread(Unreadable):
    """It was not understood as it is written; `hint` shows words that are."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(joined(message, hint))
        self.hint = hint
