"""Models as they are stored: with a version, and read once of the same JSON, which the nodes of a run hand on.

A program reads what it wrote itself or an older one did, never a newer one's. What it wrote itself just now, it does
not read again.
"""

from typing import Any, Self

from pydantic import ModelWrapValidatorHandler, ValidationInfo, field_validator, model_validator

from switchyard.language.messages import STORED, message
from switchyard.tools.core.errors import StateNewer
from switchyard.tools.core.json_values import is_object
from switchyard.tools.core.late_model import LateModel

VERSION = 1
"""One more with each change after which an older program would misread the state or the journal."""
MOST_KEPT = 200
"""Models that are kept, and their JSON: those of the runs under way, each of which has a few."""


class Versioned(LateModel):
    """A state or a row as it is stored; the first ones have no version and are of version 1."""

    version: int = VERSION

    @field_validator("version")
    @classmethod
    def _known(cls, version: int) -> int:
        if version > VERSION:
            raise StateNewer(message("state_newer"))
        return version


class KnownModels:
    """What was read or written last, by the very object it was: one that a person has edited is another object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, object]] = {}

    def get(self, value: object) -> object:
        """The model that was read of this object, or the JSON that was written of this model."""
        kept = self._known.get(id(value))
        return kept[1] if kept is not None else None

    def keep(self, value: object, model: LateModel) -> None:
        """Remember that these are the same; both are held, so that no other object is taken for one of them."""
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[id(value)], self._known[id(model)] = (value, model), (model, value)


KNOWN = KnownModels()
"""Of the runs under way."""


class ReadOnce(LateModel):
    """A model that is taken from `KnownModels`, where these are the context of the validation. Nobody changes it."""

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, value: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        known = info.context
        if not isinstance(known, KnownModels):
            return handler(value)
        if isinstance(found := known.get(value), cls):
            return found
        found = handler(value)
        known.keep(value, found)
        return found

    def stored(self) -> dict[str, Any]:
        """The model as JSON, of which the nodes of this process do not read it again."""
        if is_object(found := KNOWN.get(self)):
            return found
        value = self.model_dump(mode="json", context=STORED)
        if value == self.model_dump(context=STORED):  # a date that a caller gave is a text from here on
            KNOWN.keep(value, self)
        return value
