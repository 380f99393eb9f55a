"""The answer to a comparison: the one that was asked for with its number, and the others with theirs."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from switchyard.agents.by_rules.comparisons import Comparison
from switchyard.language.messages import message


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
    files = message("named_twice", en=_listed(named), zh="、".join(named))
    noun = message(f"counted.{comparison.counted}")
    if not others:
        return message("compared_equal", files=files, noun=noun, number=wanted).text(language)
    if len(pairs) > 2:  # noqa: PLR2004  of two, one has more
        way = message("way.most" if comparison.most else "way.fewest")
    else:
        way = message("way.more" if comparison.most else "way.fewer")
    told = [message("compared_other", file=file, number=number).text(language) for file, number in others]
    rest = ("，" if language == "zh" else ", ").join(told)
    said = message("compared", count=len(named), files=files, way=way, noun=noun, number=wanted, rest=rest)
    return said.text(language)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
