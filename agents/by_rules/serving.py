"""Which tool serves a piece of text: recall, then the rules; for planning and selection alike."""

from dataclasses import dataclass
from datetime import date

from switchyard.agents.by_rules.kinds import LONGEST_TASK, REQUESTS, request_task
from switchyard.agents.by_rules.selector import Earlier, Fit, filled_by, fits, knows
from switchyard.agents.by_rules.totals import find_total
from switchyard.agents.by_rules.vocabulary import named_words
from switchyard.agents.scope import RunScope
from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.time_questions import read_time_question
from switchyard.toolhub.recall.bm25 import Scored
from switchyard.tools.core.spec import ToolSpec


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

    async def best(self, text: str, earlier: Earlier | None = None, *, each: bool = False) -> Fit | None:
        """The tool that serves a text best; none where nothing does.

        Args:
            text: what is asked.
            earlier: the step it may speak of.
            each: only tools that can be asked about each row of that step's result.
        """
        if len(text) > LONGEST_TASK:
            return None
        found = await self.scope.recall(text, for_model=False)
        pairs = self.with_specs(text, found, follows=earlier is not None)
        found = fits(text, pairs, earlier=earlier, today=self.today)
        if each:
            return next((fit for fit in found if fit.each), None)
        first = next(iter(found), None)
        if first is None or first.coverage == 1 or first.looked_up or first.late:
            return first
        # one that leaves a word over gives way to one that has a use for it, as the name of what it looks up; and so
        # does the look-up itself to one that needs just that and is spoken of more
        with_names = (fit for fit in found if fit.looked_up and (needed := self.look_up(fit)) and needed.certain)
        if first.filled.guessed:
            made, score = set(first.spec.produces), first.scored.score
            with_names = (fit for fit in with_names if made.issuperset(fit.looked_up) and fit.scored.score > score)
        return next(with_names, first)

    def with_specs(
        self, text: str, recalled: list[Scored], avoid: set[str] | None = None, *, follows: bool = False
    ) -> list[tuple[Scored, ToolSpec]]:
        """The recalled tools with their descriptions, and those that are found by what is asked, not by its words.

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
        categories |= {REQUESTS} if request_task(text) is not None else set()
        known = {scored.name for scored in recalled} | (avoid or set())
        others = [spec for spec in library.registry if spec.category in categories and spec.name not in known]
        return [*pairs, *((Scored(spec.name, 0.0), spec) for spec in others if self.scope.allows(spec.name))]

    async def withheld(self, text: str) -> list[str]:
        """The tools that would serve a text and are switched off."""
        if len(text) > LONGEST_TASK:
            return []
        found = await self.scope.equipment.library.withheld(text, self.scope.options.topk)
        pairs = [(scored, one.tool.spec) for scored, one in found]
        return [spec.name for scored, spec in pairs if fits(text, [(scored, spec)], today=self.today)]

    def look_up(self, wanted: Fit) -> "LookUp | None":
        """The tool that produces the one value a tool lacks, where the rest of the text gives what it needs (R3.2)."""
        if len(wanted.looked_up) != 1:
            return None
        text = " ".join(wanted.filled.rest.split())
        for spec in self.scope.equipment.library.registry:
            if wanted.looked_up[0] not in spec.produces or not self.scope.allows(spec.name):
                continue
            filled = filled_by(text, spec, None, self.today, named_words(wanted.spec))
            if not filled.missing and not filled.unused:
                key = f"{spec.name} {sorted(filled.arguments.items())}"
                return LookUp(spec, text, key, certain=knows(wanted.spec, filled.rest))
        return None


@dataclass(frozen=True, slots=True)
class LookUp:
    """A tool that finds what another needs."""

    spec: ToolSpec
    text: str
    key: str
    """Equal for two that find the same."""
    certain: bool
    """Whether the other tool knows every word that the look-up has no use for."""
