"""Prints plant labels for everything whose label is missing."""
import csv

LABEL_WIDTH_MM = 85

# TODO: read printer name from config
def rows(path="garden/living_collection.csv"):
    with open(path, encoding="utf-8") as f:
        for r in csv.DictReader(f):
            if r["LabelOK"] == "N" and r["Condition"] != "dead":
                yield r

def main():
    for r in rows():
        print(r["TagNo"], r["LatinName"], r["中文名"])

if __name__ == "__main__":
    main()
