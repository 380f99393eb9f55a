"""Prints tomorrow's lessons so that the desk can text the parents."""
import csv
import datetime

LESSONS = "timetable/lessons_november.csv"
HOURS_BEFORE = 24


def lessons_on(day):
    with open(LESSONS, encoding="utf-8") as f:
        return [r for r in csv.DictReader(f) if r["Date"] == day]


def text_for(row):
    return f"{row['Student']}: {row['Start']} room {row['Room']}"


def main():
    tomorrow = datetime.date.today() + datetime.timedelta(days=1)
    for row in lessons_on(tomorrow.isoformat()):
        print(text_for(row))  # TODO: send it by sms


if __name__ == "__main__":
    main()
