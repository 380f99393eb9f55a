"""Sentences as people may say them, drawn from the templates of tools."""

import random
import re
from collections.abc import Callable

from switchyard.language.sentences import Rules, Slot


def sample(template: str, rules: Rules, dice: random.Random, fill: Callable[[Slot], str]) -> str:
    """One sentence that a template takes; `fill` gives the text of each slot."""
    return re.sub(r"\s+", " ", _sampled(_written_out(template, rules), dice, fill)).strip()


def _written_out(template: str, rules: Rules) -> str:
    """A template with its named phrases written out."""
    while (wider := re.sub(r"<(\w+)>", lambda match: f"({rules[match[1]]})", template)) != template:
        template = wider
    return template


def _sampled(template: str, dice: random.Random, fill: Callable[[Slot], str]) -> str:
    inner = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")
    while match := inner.search(template):
        options = (match[1] if match[1] is not None else match[2]).split("|")
        chosen = dice.choice([*options, ""] if match[2] is not None else options)
        template = template[: match.start()] + chosen + template[match.end() :]
    spaced = re.sub(r"(?<=[A-Za-z0-9}])(?=\{)|(?<=\})(?=[A-Za-z0-9])", " ", template)
    return re.sub(r"\{(\w+)(?::(\w+))?\}", lambda match: fill(Slot(match[1], match[2] or match[1])), spaced)
