"""What use has taught recall: wordings that tools served, and wordings they failed on (R3.5, R3.7).

Plain data: every change gives a new object, whoever keeps it. Wordings are bounded per tool; the least useful go first,
of equals the oldest.
"""

from collections.abc import Collection, Iterable

from pydantic import BaseModel, ConfigDict, Field

from switchyard.language.tokeniser import tokens

WORDINGS_KEPT = 20
"""Of each tool, of either kind."""
LONGEST_WORDING = 500
"""Characters of a wording that are kept."""
SAME = 0.8
"""Shared terms above which two wordings say the same."""
LIKE = 0.3
"""Shared terms above which a failure speaks against a tool."""


class Wording(BaseModel):
    """What a tool was asked, how often, and when last."""

    model_config = ConfigDict(frozen=True)

    text: str
    times: int = 1
    last: float = 0.0
    """Seconds since the epoch."""


class Experience(BaseModel):
    """What is known of one tool."""

    model_config = ConfigDict(frozen=True)

    served: tuple[Wording, ...] = ()
    failed: tuple[Wording, ...] = ()


class Learned(BaseModel):
    """What is known of all tools, for one user."""

    model_config = ConfigDict(frozen=True)

    tools: dict[str, Experience] = Field(default_factory=dict[str, Experience])

    def with_success(self, tool: str, wording: str, at: float) -> "Learned":
        """A verified result: the wording joins the tool, and earlier failures on such wordings count less."""
        known = self.tools.get(tool, Experience())
        return self._with(tool, _noted(known.served, wording, at), _taken_back(known.failed, wording))

    def with_failure(self, tool: str, wording: str, at: float) -> "Learned":
        """The tool failed on this: it counts against the tool there, and takes back what was learned from it."""
        known = self.tools.get(tool, Experience())
        return self._with(tool, _taken_back(known.served, wording), _noted(known.failed, wording, at))

    def without(self, tool: str) -> "Learned":
        """Everything but one tool."""
        return Learned(tools={name: known for name, known in self.tools.items() if name != tool})

    def failures(self) -> "Learned | None":
        """What tools failed on alone; None where nothing is known."""
        failed = {name: Experience(failed=known.failed) for name, known in self.tools.items() if known.failed}
        return Learned(tools=failed) if failed else None

    def penalties(self, terms: Collection[str]) -> dict[str, float]:
        """How much past failures on such wordings speak against tools: from 0 to 1, nearer to 1 with every failure."""
        found: dict[str, float] = {}
        for tool, known in self.tools.items():
            shares = ((wording.times, likeness(terms, tokens(wording.text))) for wording in known.failed)
            against = sum(times * share for times, share in shares if share >= LIKE)
            if against:
                found[tool] = against / (1 + against)
        return found

    def _with(self, tool: str, served: tuple[Wording, ...], failed: tuple[Wording, ...]) -> "Learned":
        others = self.without(tool).tools
        return Learned(tools={**others, tool: Experience(served=served, failed=failed)} if served or failed else others)


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """The share of terms that two texts have in common."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def _noted(wordings: tuple[Wording, ...], text: str, at: float) -> tuple[Wording, ...]:
    text = " ".join(text.split())[:LONGEST_WORDING]
    if not tokens(text):
        return wordings
    same = next((one for one in wordings if is_same(one.text, text)), None)
    kept = [one for one in wordings if one is not same]
    # the new one stays, or nothing could be learned once a tool is full
    kept = sorted(kept, key=lambda one: (one.times, one.last), reverse=True)[: WORDINGS_KEPT - 1]
    return (*kept, Wording(text=text, times=same.times + 1 if same else 1, last=at))


def _taken_back(wordings: tuple[Wording, ...], text: str) -> tuple[Wording, ...]:
    lessened = (one.model_copy(update={"times": one.times - 1}) if is_same(one.text, text) else one for one in wordings)
    return tuple(one for one in lessened if one.times > 0)


def is_same(one: str, other: str) -> bool:
    """Whether two wordings say the same."""
    return one == other or likeness(tokens(one), tokens(other)) >= SAME
