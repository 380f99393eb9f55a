import csv
import sys

LB_PER_KG = 2.2046


def landed(path, species):
    with open(path, newline="") as f:
        return sum(float(r["Weight kg"]) for r in csv.DictReader(f) if r["Species"] == species)


def pounds(kg):
    return kg * LB_PER_KG


if __name__ == "__main__":
    print(pounds(landed("fish/landings_2026.csv", sys.argv[1])))
