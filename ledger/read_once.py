"""Models that are read once of the same JSON, which the nodes of a run hand on to each other."""

from typing import Any, Self

from pydantic import ModelWrapValidatorHandler, ValidationInfo, model_validator

from switchyard.tools.core.late_model import LateModel

MOST_KEPT = 100
"""Models that are kept: those of the runs under way, each of which has a few."""


class KnownModels:
    """What was read last, by the very object it was read of: one that a person has edited is another object."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, LateModel]] = {}

    def get(self, value: object) -> LateModel | None:
        """The model that was read of this object."""
        kept = self._known.get(id(value))
        return kept[1] if kept is not None else None

    def keep(self, value: object, model: LateModel) -> None:
        """Remember what was read of an object, and the object too, so that no other one is taken for it."""
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[id(value)] = value, model


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
