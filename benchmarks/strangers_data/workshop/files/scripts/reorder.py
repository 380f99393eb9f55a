import csv
import sys

# TODO: send the list by mail
# TODO: skip parts that are already ordered


def low_stock(path):
    with open(path, encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            if not row["qty"]:
                continue
            if int(row["qty"]) < int(row["reorder_at"]):
                yield row["sku"], row["name"], int(row["reorder_at"]) - int(row["qty"])


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "stock/parts.csv"
    for sku, name, missing in low_stock(path):
        print(f"{sku:12} {name:35} {missing}")


if __name__ == "__main__":
    main()
