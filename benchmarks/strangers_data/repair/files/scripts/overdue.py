#!/usr/bin/env python3
"""Print loans that are past their due date. Usage: overdue.py [YYYY-MM-DD]"""
import csv, sys, datetime
day = sys.argv[1] if len(sys.argv) > 1 else datetime.date.today().isoformat()
with open("library/loans.csv", encoding="utf-8") as f:
    for r in csv.DictReader(f):
        # TODO: leave out tools that are reported missing
        if not r["ReturnedOn"] and r["DueOn"] < day:
            print(r["LoanId"], r["ToolNo"], r["MemberId"], r["DueOn"])
