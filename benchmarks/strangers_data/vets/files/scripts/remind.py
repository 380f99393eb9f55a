# 疫苗提醒：列出快到期的宠物
import csv, datetime
DAYS = 14
today = datetime.date.today()
with open("patients.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        if not row["last_vaccination"]:
            continue
        due = datetime.date.fromisoformat(row["last_vaccination"]) + datetime.timedelta(days=365)
        if 0 <= (due - today).days <= DAYS:
            print(row["name"], row["owner"], row["phone"], due)
