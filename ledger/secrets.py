"""Secrets stay out of logs, reports, prompts and the database."""

import re

MASK = "***"

_SECRET = re.compile(r"\b(?:sk|pk|tvly|ghp|xox[abp])[-_][A-Za-z0-9_*-]{8,}|(?<=Bearer )\S+", re.IGNORECASE)


def masked(text: str, *secrets: str | None) -> str:
    """`text` without what looks like a key, and without the secrets that are known."""
    for secret in secrets:
        if secret and len(secret) > len(MASK):
            text = text.replace(secret, MASK)
    return _SECRET.sub(MASK, text)
