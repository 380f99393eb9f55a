"""Write the weekly report."""

from datetime import date

TITLE = "Weekly report"


def heading(day: date) -> str:
    """The first line of the report."""
    return f"{TITLE}, {day.isoformat()}"


def body(sales: dict[str, int]) -> str:
    """One line for each city, the best first."""
    ranked = sorted(sales.items(), key=lambda item: -item[1])
    return "\n".join(f"{city}: {amount}" for city, amount in ranked)


def report(day: date, sales: dict[str, int]) -> str:
    """The whole report."""
    return heading(day) + "\n" + body(sales)
