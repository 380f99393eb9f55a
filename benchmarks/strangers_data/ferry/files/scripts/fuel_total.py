import csv
# TODO: round to pence
total = 0
for r in csv.DictReader(open("fuel/bunkering_2026.csv")):
    total += float(r["total_gbp"])
print(total)
