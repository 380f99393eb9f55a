# prints price labels for one category, made by Kevin
import csv
import sys

LABEL_WIDTH = 32
CURRENCY = "$"


def load(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def label(row):
    text = row["product"] + " " + row["中文名"]
    return text.ljust(LABEL_WIDTH) + CURRENCY + row["price"]


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else "bun"
    for row in load("products.csv"):
        if row["category"] == wanted:
            print(label(row))


# TODO: print the allergens in red
main()
