"""Secrets stay out of logs, reports, prompts and the database."""

from tools.core.masking import MASK, replaced, spelled, without_keys

_SHORTEST = len(MASK) + 1


def masked(text: str, *secrets: str | None) -> str:
    """`text` without what looks like a key, and without the secrets that are known."""
    return without_keys(replaced(text, spelled(filter(None, secrets), _SHORTEST)))
