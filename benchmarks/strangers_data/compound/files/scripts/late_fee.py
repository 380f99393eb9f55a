#!/usr/bin/env python3
"""Late fee on a property fee: 0.05 % per day after the grace days."""
import sys

GRACE_DAYS = 15
RATE = 0.0005


def late_fee(amount, days_late):
    days = max(0, days_late - GRACE_DAYS)
    return round(amount * RATE * days, 2)


if __name__ == "__main__":
    print(late_fee(float(sys.argv[1]), int(sys.argv[2])))
