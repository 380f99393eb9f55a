"""Print lid labels for allergy meals."""
import csv, sys

LABEL_WIDTH_MM = 62
COPIES = 2

def rows(path):
    with open(path, encoding="utf-8") as f:
        yield from csv.DictReader(f)

def main(path):
    for r in rows(path):
        n = int(r["Allergy meals 過敏餐"] or 0)
        # TODO: print the Portuguese text too
        for _ in range(n * COPIES):
            print(r["Client 客戶"], r["Main 主菜"], sep=" | ")

if __name__ == "__main__":
    main(sys.argv[1])
