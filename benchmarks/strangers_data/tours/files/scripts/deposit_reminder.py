"""List confirmed bookings whose deposit is still missing."""
import csv
import sys

PATH = "bookings/bookings_2026.csv"
DEPOSIT = 0.20  # share of the total


def open_deposits(path=PATH):
    with open(path, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row["status"] == "confirmed" and row["deposit_paid"] == "no":
                yield row["booking_id"], row["guest"], float(row["total_eur"]) * DEPOSIT


# TODO: write the mails in German as well
if __name__ == "__main__":
    for booking, guest, amount in open_deposits(*sys.argv[1:]):
        print(f"{booking}\t{guest}\t{amount:.2f} EUR")
