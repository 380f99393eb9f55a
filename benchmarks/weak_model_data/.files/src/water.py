"""How much water a bed needs."""

LITRES_PER_SQUARE_METRE = 4.5
PUMP_LITRES_PER_MINUTE = 18


def litres(square_metres: float) -> float:
    """Litres for one watering."""
    return square_metres * LITRES_PER_SQUARE_METRE


def minutes(square_metres: float) -> float:
    """How long the pump runs."""
    return litres(square_metres) / PUMP_LITRES_PER_MINUTE


def main() -> None:
    for bed in (6, 12, 20):
        print(bed, litres(bed), minutes(bed))


if __name__ == "__main__":
    main()
