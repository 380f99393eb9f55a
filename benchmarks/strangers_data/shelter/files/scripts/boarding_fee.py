"""Work out a boarding bill."""
DOG = 22.0
CAT = 14.5
RABBIT = 9.0
SECOND_PET_DISCOUNT = 0.15


def fee(kind, nights, pets=1):
    rate = {"dog": DOG, "cat": CAT, "rabbit": RABBIT}[kind]
    total = rate * nights
    for _ in range(pets - 1):
        total += rate * nights * (1 - SECOND_PET_DISCOUNT)
    return round(total, 2)


def deposit(total):
    # a quarter up front
    return round(total * 0.25, 2)


# TODO: add the Christmas surcharge
if __name__ == "__main__":
    print(fee("dog", 7, pets=2))
