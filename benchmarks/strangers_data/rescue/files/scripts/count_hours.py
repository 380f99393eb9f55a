"""Adds up the volunteers' hours of this year."""
import csv

total = 0
for row in csv.DictReader(open("team/volunteers.csv", encoding="utf-8")):
    total += int(row["hours_2026"])
print(total)
