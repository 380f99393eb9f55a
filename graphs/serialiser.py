"""The types a checkpoint may hold. A partial list does not fail, it returns plain dicts: this one is tested whole."""

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

ALLOWED_TYPES: tuple[tuple[str, str], ...] = (
    ("ledger.plan", "Plan"),
    ("ledger.decisions", "Assignment"),
    ("ledger.decisions", "Decision"),
    ("ledger.context", "ExecutionContext"),
    ("ledger.context", "ContextUpdate"),
)
"""Also in langgraph.json, for the development server's own serialiser."""


def serialiser() -> JsonPlusSerializer:
    """A serialiser that revives these types and no others."""
    return JsonPlusSerializer(allowed_msgpack_modules=ALLOWED_TYPES)
