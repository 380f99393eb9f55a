# prints litres per fuel for one month, e.g. python fuel_report.py 2026-10
import csv, sys
from collections import defaultdict

VAT = 0.20
month = sys.argv[1]
litres = defaultdict(float)
with open("fuel/油料销售.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        if row["日期 Date"].startswith(month):
            litres[row["油品 Fuel"]] += float(row["升数 Litres"])
for fuel, total in sorted(litres.items()):
    print(f"{fuel:12s} {total:9.1f}")
