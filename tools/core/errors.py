"""Every error this project raises on purpose.

    SwitchyardError
    ├── ToolError                 a tool call did not give a result
    │   ├── ToolFailed            the tool says: not like this; carries a failure kind
    │   ├── RetryTool             the tool says: change the arguments; carries a hint
    │   ├── BadArguments          the arguments do not fit the tool's schema
    │   └── ToolUnknown           no tool of that name
    ├── ToolBroken                a tool file that cannot be loaded
    ├── ModelFailed               a model call gave nothing usable
    ├── PlanRejected              a plan that must not be followed
    ├── StorageUnavailable        the database cannot be opened or used
    │   └── ThreadDamaged         what is stored of one conversation cannot be read
    ├── ThreadUnknown             no conversation of that id
    ├── StateUnreadable           the state of a run, as stored or edited, is not one of ours
    │   └── StateNewer            a newer version of this program wrote it
    ├── OrchestratorClosed        an orchestrator after its end, or in another event loop than its own
    └── SettingsInvalid           a setting, a question or a workspace that cannot be used

The text of each is a sentence for a person: what was expected, what came, what to do. Ours are messages
(`language.messages`), which are said in English or in Chinese; an author's own words stay as they are.
"""

from typing import Literal, cast

from switchyard.language.messages import joined

FailureKind = Literal[
    "not_found", "timeout", "bad_arguments", "permission", "rate_limit", "unavailable", "crash", "wrong_result"
]
"""The classes of failure a run remembers."""

TRANSIENT: frozenset[FailureKind] = frozenset({"timeout", "rate_limit", "unavailable"})
"""Failures that may pass by themselves: the same call can be worth a second try."""

LONGEST_WAIT = 30.0
"""Seconds; what a server wants to be left alone for longer does not pass in time."""


def first_of(error: BaseException) -> BaseException:
    """The error itself, or what came first of a group of them."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]  # `isinstance` does not say of what
    return error


class SwitchyardError(RuntimeError):
    """The root of the tree. LangGraph's server keeps the text of a plain `Exception` to itself, and says this one's."""


class ToolError(SwitchyardError):
    """A tool call did not give a result."""

    usual_kind: FailureKind = "crash"

    def __init__(
        self, message: str, *, kind: FailureKind | None = None, wait: float | None = None, lasting: bool = False
    ) -> None:
        """What went wrong.

        Args:
            message: a sentence for a person.
            kind: the class of failure.
            wait: seconds after which the same call is welcome, where somebody says so.
            lasting: the same call fails again whenever it is made, although failures of its kind often pass.
        """
        super().__init__(message)
        self.kind: FailureKind = kind or self.usual_kind
        self.wait, self.lasting = wait, lasting


class ToolFailed(ToolError):
    """Raised by a tool: this call cannot work as it is, do not repeat it."""


class RetryTool(ToolError):
    """Raised by a tool: other arguments would work; `hint` says which."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(joined(message, hint), kind="bad_arguments")
        self.hint = hint


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema."""

    usual_kind = "bad_arguments"


class ToolUnknown(ToolError):
    """No tool of that name is registered."""

    usual_kind = "not_found"


class ToolBroken(SwitchyardError):
    """A tool's file or declaration cannot be used."""


class ModelFailed(SwitchyardError):
    """A model call gave nothing usable; the rules take over.

    `lasting`: the model cannot be reached at all, so that the rest of the run need not wait for it again.
    """

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


class PlanRejected(SwitchyardError):
    """A plan that must not be followed; the text says why."""


class StorageUnavailable(SwitchyardError):
    """The database cannot be opened or used."""


class ThreadDamaged(StorageUnavailable):
    """What is stored of one conversation cannot be read; the others can."""


class ThreadUnknown(SwitchyardError):
    """No conversation of that id is stored."""


class StateUnreadable(SwitchyardError):
    """The state of a run, as it was stored or edited, cannot be read."""


class StateNewer(StateUnreadable):
    """The state of a run, or a row of its journal, was written by a newer version of this program."""


class OrchestratorClosed(SwitchyardError):
    """An orchestrator that is closed, or of another event loop, was asked something."""


class SettingsInvalid(SwitchyardError):
    """A setting, a question or a folder that cannot be used."""
