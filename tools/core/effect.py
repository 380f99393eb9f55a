"""What a call would do, told before it is made: for the person who decides on it."""

from typing import Literal

from pydantic import ConfigDict

from switchyard.tools.core.late_model import LateModel

EffectKind = Literal["sends", "creates", "changes", "leaves"]
"""A request that goes out; a file that is new, that changes, or that has the wanted content already."""


class Effect(LateModel):
    """One thing a call would do. A tool gives the whole text; what is shown of it is bounded by whoever asks."""

    model_config = ConfigDict(frozen=True)

    kind: EffectKind
    target: str
    """The method and the address of a request, or the file."""
    text: str = ""
    """The body of a request, or the change of a file as a unified diff."""
    left_out: int = 0
    """Lines of the text that are not shown."""
