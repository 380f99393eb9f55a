"""What a user may put in the place of ours: how tools are recalled and ranked, and what the model reads (R3.5)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from switchyard.ledger.plan import Step
from switchyard.toolhub.recall.bm25 import Scored


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model reads."""

    system: str
    user: str


class Recall(Protocol):
    """Stage one of selection: which tools a text may mean."""

    async def __call__(self, query: str, topk: int) -> list[Scored]:
        """The best tools first; none where nothing fits. Names that do not exist are left out."""
        ...


class Ranker(Protocol):
    """Stage two of selection: which of the recalled tools serve each step."""

    async def __call__(
        self, question: str, steps: Sequence[Step], recalled: Mapping[str, Sequence[Scored]]
    ) -> Mapping[str, Sequence[str]]:
        """The names of the tools for each step, best first, by the step's id."""
        ...


Prompts = Callable[[str, str, Prompt], Prompt]
"""Given an agent's name, the name of what it must answer (`PlanAnswer`, `RankAnswer`, … or `text`) and our prompt, the
prompt that is sent."""


@dataclass(frozen=True, slots=True)
class Custom:
    """What is replaced; what is left out stays ours."""

    recall: Recall | None = None
    ranker: Ranker | None = None
    prompts: Prompts | None = None
