"""A prompt, and what several of them tell in the same words: what failed, what was learned, what a step waits for."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from switchyard.language.words import depends_on_the_day
from switchyard.ledger.attempts import Failure, Repeat
from switchyard.ledger.context import Pattern, StepRecord
from switchyard.ledger.plan import Step
from switchyard.toolhub.excerpts import DATA_RULE, as_data, head_and_tail
from switchyard.tools.core.context import Turn

SPACE_BESIDE = 4_000
"""Characters of results in prompts that are about something else: what to do next, which arguments."""
SPACE_TO_READ = 10_000
"""Characters of results in prompts whose work it is to read them."""
FAILURES_TOLD = 3
"""The last failures are told with their reason (R7.5); of earlier ones only the call is, which is not made again."""
ERROR_LENGTH, ARGUMENTS_LENGTH = 600, 400
"""Characters of an error and of a call's arguments."""
TURNS_SHOWN, TURN_LENGTH = 6, 300
"""What is shown of a conversation, and how much of a turn."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model reads: what is to be known, and at the end, whatever else there is, the question."""

    system: str
    user: str
    question: str = ""
    dated: bool = False
    """Whether it takes the day of today, whatever the question says."""

    def whole(self, today: Callable[[], str]) -> "Prompt":
        """As it is sent; the day stands in it where the question, or what is asked of it, depends on it."""
        day = today() if self.dated or depends_on_the_day(self.question) else ""
        parts = [day, self.user.strip(), self.question and f"Question: {self.question}"]
        return Prompt(self.system, "\n\n".join(filter(None, parts)) + "\n")


def with_data_rule(instructions: str) -> str:
    """A system prompt: what is to be done, and that what tools gave is material and no instruction."""
    return f"{instructions}\n{DATA_RULE}"


def section(title: str, lines: Sequence[str]) -> str:
    """Lines under their title, set off from what comes before; nothing where there are none."""
    return f"\n{title}:\n" + "\n".join(lines) + "\n" if lines else ""


def learned_lines(patterns: Sequence[Pattern]) -> str:
    """What was learned about tools, in earlier runs and in this one, error texts among it; failures are told apart."""
    lines = [f"- {one.tool}: {as_data(one.text)}" for one in patterns if one.learned != "failed"]
    return "Known from earlier calls:\n" + "\n".join(lines) + "\n\n" if lines else ""


def conversation(history: Sequence[Turn], turns: int = TURNS_SHOWN) -> str:
    """What was said before, the last of it; an answer was made of what tools gave."""
    lines = [f"{one.role}: {_said(one) if one.role == 'user' else as_data(_said(one))}" for one in history[-turns:]]
    return "Conversation so far:\n" + "\n".join(lines) + "\n\n" if lines else ""


def _said(turn: Turn) -> str:
    return head_and_tail(" ".join(turn.text.split()), TURN_LENGTH, "get_conversation_history has all")


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """What failed, each call once: the last ones, and the last of each step, with their reason; before them the others.

    What else failed since takes no step's reason away.
    """
    of_steps = {failure.step_id: failure for failure in failures}
    told = [one for one in failures[:-FAILURES_TOLD] if of_steps[one.step_id] is one] + [*failures[-FAILURES_TOLD:]]
    last = {told_call(failure): failure for failure in told}
    earlier = dict.fromkeys(told_call(failure) for failure in failures if not failure.transient)
    return [f"- {call}" for call in earlier if call not in last] + [
        f"- {failure.step_id}: {call}: {failure.kind}{' (for the moment)' if failure.transient else ''}: "
        f"{as_data(head_and_tail(failure.error, ERROR_LENGTH))}"
        for call, failure in last.items()
    ]


def repeat_lines(repeats: Sequence[Repeat]) -> list[str]:
    """The calls that were wanted again and not made, with why; each once, and how often."""
    times = Counter(told_call(one) for one in repeats)
    said = {told_call(one): one for one in repeats}
    return [
        f"- {one.step_id}: {call}{f' ({times[call]} times)' if times[call] > 1 else ''}: "
        f"{as_data(head_and_tail(one.reason, ERROR_LENGTH))}"
        for call, one in said.items()
    ]


def after(step: Step) -> str:
    """What a step waits for, what it runs over, and whether it is hard."""
    needs = f" (after {', '.join(step.dependencies)})" if step.dependencies else ""
    hard = " (complex)" if step.complexity == "high" else ""
    loop = step.for_each
    return needs + (f" (once per item of {loop.step}{loop.path})" if loop else "") + hard


def told_call(made: Failure | Repeat | StepRecord) -> str:
    """A call as it is told: the tool, its action, its arguments."""
    action = f".{made.action}" if made.action and made.action != made.tool else ""
    arguments = json.dumps(made.arguments, ensure_ascii=False, default=str)
    return f"{made.tool}{action}({head_and_tail(arguments, ARGUMENTS_LENGTH)})"
