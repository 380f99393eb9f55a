# prints the mean humidity of each show case
import csv, collections
LIMIT = 55
by = collections.defaultdict(list)
with open("climate/showcase_readings.csv") as f:
    for row in csv.DictReader(f):
        if row["rh_pct"]:
            by[row["case"]].append(float(row["rh_pct"]))
for case, v in sorted(by.items()):
    mean = sum(v) / len(v)
    print(case, round(mean, 1), "HIGH" if mean > LIMIT else "")  # TODO: send mail to He Jing
