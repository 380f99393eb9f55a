"""The answer to a comparison: the one that was asked for with its number, and the others with theirs."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from switchyard.agents.by_rules.comparisons import COUNTED, Comparison
from switchyard.tools.core.spec import Language

WAYS: dict[Language, dict[tuple[bool, bool], str]] = {
    "en": {(True, False): "more", (False, False): "fewer", (True, True): "the most", (False, True): "the fewest"},
    "zh": {(True, False): "更多", (False, False): "更少", (True, True): "最多", (False, True): "最少"},
}
"""By whether the most is meant, and whether there are more than two."""


def verdict(comparison: Comparison, results: Sequence[Any]) -> str | None:
    """Which of the files it is, from the results in their order; none where one of them has no such number."""
    tables = [cast("Mapping[str, Any]", result) for result in results if isinstance(result, Mapping)]
    numbers = [table[comparison.counted] for table in tables if isinstance(table.get(comparison.counted), int)]
    if len(numbers) < len(comparison.files):
        return None
    wanted = max(numbers) if comparison.most else min(numbers)
    pairs = list(zip(comparison.files, numbers, strict=True))
    named = [file for file, number in pairs if number == wanted]
    others = [(file, number) for file, number in pairs if number != wanted]
    language = comparison.language
    noun = COUNTED[comparison.counted][language]
    way = WAYS[language][comparison.most, len(pairs) > 2]  # noqa: PLR2004  of two, one has more
    if language == "zh":
        if not others:
            return f"{'、'.join(named)} 的{noun}相同：{wanted}。"
        rest = "，".join(f"{file} 为 {number}" for file, number in others)
        return f"{'、'.join(named)} 的{noun}{way}：{wanted}（{rest}）。"
    if not others:
        return f"{_listed(named)} have the same number of {noun}: {wanted}."
    rest = ", ".join(f"{file} has {number}" for file, number in others)
    return f"{_listed(named)} {'has' if len(named) == 1 else 'have'} {way} {noun}: {wanted} ({rest})."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
