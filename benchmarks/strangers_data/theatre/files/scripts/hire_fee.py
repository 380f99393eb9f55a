# late fee for costumes
VAT = 0.2
LATE_FEE_PER_DAY = 4.5
MAX_LATE_DAYS = 20


def late_fee(days):
    return min(days, MAX_LATE_DAYS) * LATE_FEE_PER_DAY


def with_vat(net):
    return round(net * (1 + VAT), 2)


def deposit_back(deposit, days, damaged):
    if damaged:
        return 0
    return max(0, deposit - late_fee(days))
