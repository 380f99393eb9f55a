"""The version of what is stored: a program reads what it wrote itself or an older one did, never a newer one's."""

from pydantic import field_validator

from switchyard.language.messages import message
from switchyard.tools.core.errors import StateNewer
from switchyard.tools.core.late_model import LateModel

VERSION = 1
"""One more with each change after which an older program would misread the state or the journal."""


class Versioned(LateModel):
    """A state or a row as it is stored; the first ones have no version and are of version 1."""

    version: int = VERSION

    @field_validator("version")
    @classmethod
    def _known(cls, version: int) -> int:
        if version > VERSION:
            raise StateNewer(message("state_newer"))
        return version
