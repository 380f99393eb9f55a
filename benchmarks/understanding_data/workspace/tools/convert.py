"""Convert prices."""

RATE = 7.2


def to_yuan(dollars: float) -> float:
    """Dollars in yuan."""
    return dollars * RATE


def to_dollars(yuan: float) -> float:
    """Yuan in dollars."""
    return yuan / RATE
