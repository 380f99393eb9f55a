"""What the judge reads, and what it must answer."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from switchyard.agents.prompt import SPACE_TO_READ, Prompt, with_data_rule
from switchyard.toolhub.excerpts import shown_results

SYSTEM = with_data_rule("""\
You check results. For each step below, say whether its result answers the step. A result that is empty because there is
nothing to find is fine, and so is one that is only shown in part. Judge what is there.

Answer with one JSON object and nothing else; "confidence" is from 0 to 1, such as:
{"judgements": [{"step": "s1", "ok": false, "confidence": 0.9, "reason": "it is about Paris, not Berlin"}]}
""")


class Judgement(BaseModel):
    """What the judge thinks of one result."""

    model_config = ConfigDict(coerce_numbers_to_str=True)  # steps are often numbered

    step: str
    ok: bool
    confidence: float = Field(default=0.5, ge=0, le=1)
    reason: str = ""


class JudgeAnswer(BaseModel):
    """What the judge thinks of all results of a round."""

    judgements: list[Judgement] = Field(default_factory=list[Judgement])


def judge_prompt(question: str, steps: Mapping[str, str], results: Mapping[str, Any]) -> Prompt:
    """The descriptions of the steps by id, and what they gave."""
    shown = shown_results(results, SPACE_TO_READ)
    lines = [f"{step_id}: {description}\nresult: {shown[step_id]}" for step_id, description in steps.items()]
    return Prompt(SYSTEM, "\n\n".join(lines), question)
