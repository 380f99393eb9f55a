"""Days with a name: those that keep their date, those on the n-th weekday of a month, Easter, and the lunar ones.

A name that means different days in different countries (Mother's Day, Independence Day, Labour Day) is left out, in the
language in which it does. Lunar feasts are known from 2000 to 2049, by new moons and solar terms as seen in Beijing.
"""

from collections.abc import Callable
from datetime import date, timedelta

from switchyard.language.durations import days_in
from switchyard.language.errors import Impossible

DayOf = Callable[[int], date]
"""The day in a year."""

_LUNAR_FROM = 2000
_LUNAR = """
    02050606080609121006 01240625082510011025 02120615081509211014 02010604080409111004 01220622082209281022
    02090611081109181011 01290531073110061030 02180619081909251019 02070608080709141007 01260528082610031026
    02140616081609221016 02030606080609121005 01230623082309301023 02100612081309191013 01310602080209081002
    02190620082009271021 02080609080909151009 01280530082810041028 02160618081709241017 02050607080709131007
    01250625082510011025 02120614081409211014 02010603080409101004 01220622082209291023 02100610081009171011
    01290531082910061029 02170619081909251018 02060609080809151008 01260528082610031026 02130616081609221016
    02030605080509121005 01230624082410011024 02110612081209191012 01310601080109081001 02190620082009271020
    02080610081009161009 01280530082810041027 02150618081709241017 02040607080709131007 01240527082610021026
    02120614081409201014 02010603080309101003 01220622082209281022 02100611081109171011 01300531073110051029
    02170619081909251018 02060608080809151008 01260529082710041027 02140615081609221016 02020604080509111005
"""
"""For each year month and day of 春节, 端午, 七夕, 中秋 and 重阳."""
_SPRING, _DRAGON_BOAT, _SEVENTH, _MID_AUTUMN, _NINTH = range(5)
_THURSDAY, _SUNDAY = 3, 6


def nth_weekday(year: int, month: int, weekday: int, n: int) -> date | None:
    """The n-th Monday, Tuesday … of a month, counted from its end for -1; None where it has no such day."""
    if n < 0:
        last = date(year, month, days_in(year, month))
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    day = 1 + (weekday - date(year, month, 1).weekday()) % 7 + 7 * (n - 1)
    return date(year, month, day) if day <= days_in(year, month) else None


def _fixed(month: int, day: int) -> DayOf:
    return lambda year: date(year, month, day)


def _on_weekday(month: int, weekday: int, n: int, more: int = 0) -> DayOf:
    def day_of(year: int) -> date:
        return (nth_weekday(year, month, weekday, n) or date(year, month, 1)) + timedelta(days=more)

    return day_of


def _lunar(column: int, more: int = 0) -> DayOf:
    def day_of(year: int) -> date:
        years = _LUNAR.split()
        if not 0 <= year - _LUNAR_FROM < len(years):
            last = _LUNAR_FROM + len(years) - 1
            raise Impossible(f"Lunar feasts are known from {_LUNAR_FROM} to {last} only.")
        month_and_day = years[year - _LUNAR_FROM][4 * column : 4 * column + 4]
        return date(year, int(month_and_day[:2]), int(month_and_day[2:])) + timedelta(days=more)

    return day_of


def _easter(more: int) -> DayOf:
    def day_of(year: int) -> date:
        century, golden = year // 100, year % 19
        epact = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
        moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
        sunday = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
        month = 3 + (sunday + 40) // 44
        return date(year, month, sunday + 28 - 31 * (month // 4)) + timedelta(days=more)

    return day_of


def _clear_and_bright(year: int) -> date:
    """清明, a solar term; the rule holds for this century."""
    if not 2000 <= year < 2100:  # noqa: PLR2004  this century
        raise Impossible("清明 is known from 2000 to 2099 only.")
    since = year - 2000
    return date(year, 4, int(since * 0.2422 + 4.81) - since // 4)


_NUMERAL = "[零〇一二三四五六七八九十百千万亿两\\d点折成]"
FEASTS: tuple[tuple[str, str, DayOf], ...] = (
    ("christmas eve", "平安夜|圣诞前夜", _fixed(12, 24)),
    ("christmas(?: day)?|xmas", "圣诞节?", _fixed(12, 25)),
    ("boxing day", "", _fixed(12, 26)),
    ("(?<!chinese )(?<!lunar )new year['’]?s eve", "跨年夜?", _fixed(12, 31)),
    (
        "(?<!chinese )(?<!lunar )(?<!jewish )(?<!persian )(?<!islamic )(?<!thai )(?:the )?new year(?:['’]?s(?: day)?)?",
        "元旦节?",
        _fixed(1, 1),
    ),
    ("(?:st\\.? |saint )?valentine['’]?s(?: day)?", "情人节", _fixed(2, 14)),
    ("international women['’]?s day", "(?:三八)?妇女节", _fixed(3, 8)),
    ("", "植树节", _fixed(3, 12)),
    ("(?:st\\.? |saint )patrick['’]?s day", "", _fixed(3, 17)),
    ("april fools?['’]?s? day", "愚人节", _fixed(4, 1)),
    ("earth day", "世界地球日", _fixed(4, 22)),
    (
        "may day|international workers['’]? day",
        f"(?:五一)?(?:国际)?劳动节|五一节|(?<!{_NUMERAL})五一(?!{_NUMERAL}|[个分天年月])",
        _fixed(5, 1),
    ),
    ("", "(?:五四)?青年节", _fixed(5, 4)),
    ("", "(?:六一)?(?:国际)?儿童节", _fixed(6, 1)),
    ("", "建党节", _fixed(7, 1)),
    ("", "(?:八一)?建军节", _fixed(8, 1)),
    ("", "教师节", _fixed(9, 10)),
    ("china['’]?s national day|chinese national day", "(?:十一)?国庆节?", _fixed(10, 1)),
    ("halloween", "万圣节(?:前夜)?", _fixed(10, 31)),
    ("singles['’]? day", "双十一|双11|光棍节", _fixed(11, 11)),
    ("", "双十二|双12", _fixed(12, 12)),
    ("thanksgiving(?: day)?", "感恩节", _on_weekday(11, _THURSDAY, 4)),
    ("black friday", "黑色星期五", _on_weekday(11, _THURSDAY, 4, 1)),
    ("", "母亲节", _on_weekday(5, _SUNDAY, 2)),
    ("", "父亲节", _on_weekday(6, _SUNDAY, 3)),
    ("good friday", "耶稣受难日", _easter(-2)),
    ("easter monday", "", _easter(1)),
    ("easter(?: sunday)?(?! (?:monday|island|eggs?)\\b)", "复活节(?!岛)", _easter(0)),
    ("(?:chinese|lunar) new year['’]?s eve", "除夕夜?|大年三十|年三十", _lunar(_SPRING, -1)),
    (
        "(?:chinese|lunar) new year(?:['’]?s(?: day)?)?|(?:the )?spring festival",
        "春节|农历新年|农历年|大年初一|正月初一|(?<![怎想])过年",
        _lunar(_SPRING),
    ),
    ("lantern festival", "元宵节?|正月十五", _lunar(_SPRING, 14)),
    ("(?:the )?(?:qingming|tomb[- ]sweeping)(?: festival| day)?", "清明节?", _clear_and_bright),
    ("(?:the )?dragon boat festival", "端午节?", _lunar(_DRAGON_BOAT)),
    ("qixi(?: festival)?", "七夕节?", _lunar(_SEVENTH)),
    ("(?:the )?(?:mid[- ]autumn|moon) festival", "中秋节?", _lunar(_MID_AUTUMN)),
    ("(?:the )?double ninth(?: festival)?", "重阳节?", _lunar(_NINTH)),
)
"""The names in English and in Chinese, and the day."""
