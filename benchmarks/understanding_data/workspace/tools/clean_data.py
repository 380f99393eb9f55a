"""Remove empty rows from a table."""


def clean(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows with at least one value."""
    return [row for row in rows if any(row.values())]
