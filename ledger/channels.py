"""Reading what a channel of the graph's state holds, which a person may have edited, into our models."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from switchyard.language.messages import message, quoted
from switchyard.tools.core.errors import StateUnreadable

M = TypeVar("M", bound=BaseModel)


def read(model: type[M], value: Any, channel: str) -> M:
    """The value of a channel.

    Args:
        model: what it has to be.
        value: what it is, as JSON or as one of ours.
        channel: where it stands, for the sentence that says what is wrong with it.

    Raises:
        StateUnreadable: when it is something else.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in (channel, *problem["loc"]))
        raise unreadable(where, problem["msg"]) from error


def unreadable(where: str, problem: str) -> StateUnreadable:
    """The error that names the place and says what is wrong there."""
    return StateUnreadable(message("state_unreadable", where=where, problem=quoted(problem)))
