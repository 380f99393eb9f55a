"""Models that nothing needs before a first question: to build them all would take a good part of the start."""

from pydantic import BaseModel


class LateModel(BaseModel, defer_build=True):
    """A model that is built when it is first used, or before that, in a thread, by `build`."""

    @classmethod
    def build(cls) -> None:
        """Build every model of this kind that is not built yet, those first that others are made of."""
        kinds = cls.__subclasses__()
        for kind in kinds:
            kind.model_rebuild()
        for kind in kinds:
            kind.build()
