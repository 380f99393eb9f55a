"""Which tool serves a piece of text: recall, then the rules; for planning and selection alike."""

from dataclasses import dataclass
from datetime import date

from agents.language.expressions import find_arithmetic, find_change
from agents.language.totals import find_total
from agents.scope import RunScope
from agents.tool_selection.rules import Earlier, Fit, filled_by, fits, named_words
from toolhub.recall.bm25 import Scored
from tools.core.spec import ToolSpec
from tools.core.time_questions import read_time_question

LONGEST_TASK = 1000
"""Characters: what is longer is material, not a task that rules can read."""


def is_arithmetic(text: str, *, follows: bool) -> bool:
    """Whether a text is something to work out, by itself or, where it follows another, with earlier numbers."""
    if find_arithmetic(text) is not None:
        return True
    return follows and (find_change(text, "it") is not None or find_total(text) is not None)


@dataclass(frozen=True, slots=True)
class Server:
    """Answers, for one run, what a text could be served by."""

    scope: RunScope

    @property
    def today(self) -> date:
        """What relative dates count from."""
        return self.scope.equipment.clock().date()

    async def best(self, text: str, earlier: Earlier | None = None) -> Fit | None:
        """The tool that serves a text best; none where nothing does."""
        if len(text) > LONGEST_TASK:
            return None
        found = await self.scope.equipment.library.recall(text, self.scope.options.recall_topk)
        pairs = self.with_specs(text, found, follows=earlier is not None)
        return next(iter(fits(text, pairs, earlier=earlier, today=self.today)), None)

    def with_specs(
        self, text: str, recalled: list[Scored], avoid: set[str] | None = None, *, follows: bool = False
    ) -> list[tuple[Scored, ToolSpec]]:
        """The recalled tools with their descriptions; what calculates and what tells time is found by what is asked.

        "123*456" and "three weeks from Friday" share no word with a tool.
        """
        library = self.scope.equipment.library
        # without a model a skill has nobody to follow its instructions
        known_specs = ((scored, library.get_tool_by_id(scored.name)) for scored in recalled)
        pairs = [(scored, spec) for scored, spec in known_specs if spec is not None and spec.type != "skill"]
        if len(text) > LONGEST_TASK:
            return pairs
        categories = {"calculation"} if is_arithmetic(text, follows=follows) else set[str]()
        categories |= {"time"} if read_time_question(text, self.today) is not None else set()
        known = {scored.name for scored in recalled} | (avoid or set())
        others = (spec for spec in library.registry if spec.category in categories and spec.name not in known)
        return [*pairs, *((Scored(spec.name, 0.0), spec) for spec in others)]

    async def withheld(self, text: str) -> list[str]:
        """The tools that would serve a text and are switched off."""
        if len(text) > LONGEST_TASK:
            return []
        found = await self.scope.equipment.library.withheld(text, self.scope.options.topk)
        pairs = [(scored, one.tool.spec) for scored, one in found]
        return [spec.name for scored, spec in pairs if fits(text, [(scored, spec)], today=self.today)]

    def producer(self, name: str, text: str, wanted_by: ToolSpec) -> ToolSpec | None:
        """The tool that produces a value, where the text gives what it requires (R3.2)."""
        makers = [spec for spec in self.scope.equipment.library.registry if name in spec.produces]
        for spec in makers:
            filled = filled_by(text, spec, None, self.today, named_words(wanted_by))
            if not filled.missing and not filled.unused:
                return spec
        return None
