"""Units of measure in English and Chinese: what they are called and what each is worth, exactly.

One table: symbol, factor to the base of its kind, names (`|` between them, `_` for a space inside one). Areas, volumes,
speeds and data rates follow from lengths and data. Where a word means several units, the symbol says which one is taken
(US gal). What a text asks to convert is read in `tools.core.arithmetic`.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from switchyard.language.numbers import find_numbers

_TABLE = """
length: m 1 metre|meter 米|公尺; km 1000 kilometre|kilometer 公里|千米; dm 0.1 decimetre|decimeter 分米;
    cm 0.01 centimetre|centimeter 厘米|公分; mm 0.001 millimetre|millimeter 毫米; nm 1e-9 nanometre|nanometer 纳米;
    μm 1e-6 micrometre|micrometer|micron|um|µm 微米; mi 1609.344 mile 英里; yd 0.9144 yard 码;
    ft 0.3048 foot|feet 英尺; in 0.0254 inch|inches 英寸; nmi 1852 nautical_mile 海里; 里 500 - 里|市里|华里;
    丈 10/3 - 丈; 尺 1/3 - 尺|市尺; 寸 1/30 - 寸|市寸; ly 9460730472580800 light_year|light-year 光年;
    AU 149597870700 astronomical_unit 天文单位; fathom 1.8288 fathom 英寻; furlong 201.168 furlong 弗隆
mass: g 1 gram|gramme 克; kg 1000 kilogram|kilo 千克|公斤; mg 0.001 milligram 毫克; μg 1e-6 microgram|ug|µg|mcg 微克;
    t 1000000 tonne|metric_ton 吨|公吨; lb 453.59237 pound|lbs 磅; oz 28.349523125 ounce 盎司;
    斤 500 jin|catty 斤|市斤; 两 50 liang 两; st 6350.29318 stone 英石; US_ton 907184.74 short_ton|us_ton 短吨;
    ct 0.2 carat 克拉; gr 0.06479891 grain 格令; 担 50000 - 担|市担
temperature: K 1 kelvin 开尔文|开氏度;
    °C 1+273.15 celsius|centigrade|C|degree_celsius|degree_C|deg_C|℃|°_C 摄氏度|摄氏;
    °F 5/9+45967/180 fahrenheit|F|degree_fahrenheit|degree_F|deg_F|℉|°_F 华氏度|华氏
volume: L 0.001 litre|liter 升|公升; mL 1e-6 millilitre|milliliter|cc 毫升; cL 1e-5 centilitre|centiliter 厘升;
    US_gal 0.003785411784 gallon|gal|us_gallon 加仑|美制加仑; US_qt 0.000946352946 quart|qt 夸脱;
    US_pt 0.000473176473 pint|pt 品脱; US_cup 0.0002365882365 cup 美制杯;
    US_fl_oz 2.95735295625e-5 fluid_ounce|fl_oz|fl._oz. 液体盎司|液盎司;
    imp_gal 0.00454609 imperial_gallon|uk_gallon 英制加仑; US_tbsp 1.478676478125e-5 tablespoon|tbsp 汤匙;
    US_tsp 4.92892159375e-6 teaspoon|tsp 茶匙
area: ha 10000 hectare 公顷; acre 4046.8564224 acre 英亩; 亩 2000/3 mu 亩|市亩|亩地
time: s 1 second|sec|secs 秒|秒钟; min 60 minute|mins 分钟;
    h 3600 hour|hr|hrs 小时|钟头; d 86400 day 天;
    week 604800 week|wk 周|星期|礼拜; fortnight 1209600 fortnight 双周; quarter_hour 900 - 刻钟;
    ms 0.001 millisecond 毫秒; μs 1e-6 microsecond|us|µs 微秒; ns 1e-9 nanosecond 纳秒
months of no fixed length: month 1 month 个月; quarter 3 quarter 季度; year 12 year|yr 年; decade 120 decade 十年;
    century 1200 century|centuries 世纪
data: B 1 byte 字节; kB 1000 kilobyte|KB 千字节; MB 1e6 megabyte|M 兆字节|兆; GB 1e9 gigabyte|G 吉字节;
    TB 1e12 terabyte 太字节; PB 1e15 petabyte 拍字节; KiB 1024 kibibyte -; MiB 1048576 mebibyte -;
    GiB 1073741824 gibibyte -; TiB 1099511627776 tebibyte -; bit 0.125 bit 比特; kbit 125 kilobit|kb|Kb 千比特;
    Mbit 125000 megabit|Mb 兆比特; Gbit 125e6 gigabit|Gb 吉比特
speed: kn 1852/3600 knot|kt 节; mph 0.44704 mile_per_hour|mi/h 英里每小时|英里/小时;
    km/h 1/3.6 kph|kmh|kmph 公里/时|千米/时
energy: J 1 joule 焦耳|焦; kJ 1000 kilojoule 千焦|千焦耳; MJ 1e6 megajoule 兆焦; cal 4.184 calorie 卡路里|卡;
    Wh 3600 watt_hour|watt-hour 瓦时; kcal 4184 kilocalorie 千卡|大卡;
    kWh 3.6e6 kilowatt_hour|kilowatt-hour 千瓦时|度电; eV 1.602176634e-19 electronvolt 电子伏特;
    BTU 1055.05585262 btu|british_thermal_unit 英热单位
power: W 1 watt 瓦|瓦特; kW 1000 kilowatt 千瓦; MW 1e6 megawatt 兆瓦; hp 745.69987158227022 horsepower 英制马力;
    metric_hp 735.49875 metric_horsepower|PS 马力|公制马力; GW 1e9 gigawatt 吉瓦; mW 0.001 milliwatt 毫瓦
pressure: Pa 1 pascal 帕|帕斯卡; hPa 100 hectopascal 百帕; kPa 1000 kilopascal 千帕; MPa 1e6 megapascal 兆帕;
    bar 1e5 bar 巴; mbar 100 millibar 毫巴; atm 101325 atmosphere 标准大气压|大气压;
    mmHg 133.322387415 millimetre_of_mercury 毫米汞柱; psi 6894.757293168361 pound_per_square_inch -;
    torr 101325/760 torr 托; inHg 3386.389 inch_of_mercury 英寸汞柱
angle: rad 1 radian 弧度; ° π/180 degree|deg 度|角度
frequency: Hz 1 hertz 赫兹|赫; kHz 1000 kilohertz 千赫|千赫兹; MHz 1e6 megahertz 兆赫|兆赫兹;
    GHz 1e9 gigahertz 吉赫|吉赫兹; rpm 1/60 revolution_per_minute 转每分钟|转/分
force: N 1 newton 牛顿|牛; kN 1000 kilonewton 千牛; kgf 9.80665 kilogram-force 千克力|公斤力;
    lbf 4.4482216152605 pound-force 磅力
fuel: km/L 1 kilometre_per_litre|kilometer_per_liter|kpl 公里每升|公里/升|千米每升;
    mpg 1.609344/3.785411784 mile_per_gallon|mile_per_us_gallon|US_mpg 英里每加仑|英里/加仑;
    imp_mpg 1.609344/4.54609 mile_per_imperial_gallon|UK_mpg 英里每英制加仑;
    L/100km 100/x litre_per_100_km|liter_per_100_km|litre_per_100_kilometre|liter_per_100_kilometer|L/100_km
    升每百公里|升/百公里|升每100公里
ton, which is a tonne (metric ton) or a US ton (short ton): ton 1 ton -
"""
_PER = (("s", 1, "second|sec|s", "秒"), ("min", 60, "minute|min", "分钟|分"), ("h", 3600, "hour|hr|h", "小时|时"))
_CUBED = (("area", 2, "²", "square|sq|sq.", "平方"), ("volume", 3, "³", "cubic|cu|cu.", "立方"))
_ALSO = {
    "平米": "m²",
    "㎡": "m²",
    "平方": "m²",
    "平": "m²",
    "sqm": "m²",
    "sqft": "ft²",
    "立方": "m³",
    "方": "m³",
    "L/hkm": "L/100km",
    "㎞": "km",
    "㎏": "kg",
}


_NEAR = 20
"""How many characters before a unit decide whether a short name is one."""
_ASKS = re.compile(r"(?:\b(?:in|to|into|many)|多少|几|成|为|转)$", re.IGNORECASE)
_CONVERTS = re.compile(r"(?:[换算转合折][成为]|多少|几)$")
_START = re.compile(r"(?<![a-zA-Z])[a-zA-Z]|[^\x00-\x7f]")
_LONGEST = 40
"""Characters the name of a unit may have."""
_EDGE = re.compile(r"[^a-zA-Z\s]|[a-zA-Z](?![a-zA-Z])")
"""Where a name may end: nowhere between two letters."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: a value in it times `factor` plus `offset` is the value in the base of its kind."""

    symbol: str
    kind: str
    factor: Fraction
    offset: Fraction
    names: tuple[str, ...]
    """As people call it, English first."""
    chinese: str
    inverse: bool = False
    """The base is the factor divided by the value: litres per 100 km against kilometres per litre."""

    def to_base(self, amount: Fraction) -> Fraction:
        """What an amount in this unit is in the base of its kind."""
        return self.factor / amount if self.inverse else amount * self.factor + self.offset

    def from_base(self, base: Fraction) -> Fraction:
        """What an amount in the base of its kind is in this unit."""
        return self.factor / base if self.inverse else (base - self.offset) / self.factor

    def name(self, *, chinese: bool) -> str:
        """What it is called in an answer."""
        return self.chinese if chinese else self.symbol


UNKNOWN = Unit("", "anything", Fraction(1), Fraction(0), (), "")
"""The unit of an amount that is not known yet: it may turn out to be any."""


class FoundUnit(NamedTuple):
    """A unit and where it stands."""

    unit: Unit
    start: int
    end: int


@lru_cache(maxsize=4096)
def unit_named(name: str) -> Unit | None:
    """The unit of this name, symbol or plural; capitals count where they must (Mb, MB)."""
    name = re.sub(r"\s+", " ", name.strip().replace("^2", "²").replace("^3", "³"))
    exact, folded = _names()
    small = name.casefold()
    words = re.sub(r"\b(\w{2,}[^\Wu])s\b", r"\1", small.replace("feet", "foot").replace("inches", "inch"))
    return exact.get(name) or folded.get(small) or folded.get(words)


def unit_at(text: str, position: int) -> FoundUnit | None:
    """The unit whose name begins at this place, the longest there is."""
    piece = text[position : position + _LONGEST]
    if piece[:1].casefold() not in _first_letters():
        return None
    for length in reversed([edge.end() for edge in _EDGE.finditer(piece)]):
        if unit := unit_named(piece[:length]):
            return FoundUnit(unit, position, position + length)
    return None


def find_units(text: str) -> list[FoundUnit]:
    """The units in a text; short symbols and single Chinese characters only behind a number or a word that asks."""
    numbers = {number.end for number in find_numbers(text)}
    found: list[FoundUnit] = []
    for start in _START.finditer(text):
        unit = unit_at(text, start.start()) if not found or start.start() >= found[-1].end else None
        if unit is None:
            continue
        name = text[unit.start : unit.end]
        near = max(unit.start - _NEAR, 0)
        before = text[near : unit.start].rstrip().removesuffix("个")
        short = len(name) <= (2 if name.isascii() else 1)
        asked = len(name) + (not name.isascii()) > 1 and (_ASKS if numbers else _CONVERTS).search(before)
        if not short or near + len(before) in numbers or asked:
            found.append(unit)
    return found


@cache
def _first_letters() -> frozenset[str]:
    return frozenset(name[0].casefold() for table in _names() for name in table)


@cache
def _units() -> list[Unit]:
    units: list[Unit] = []
    for line in re.sub(r"\n {2,}", " ", _TABLE).strip().splitlines():
        kind, _, entries = line.partition(": ")
        for entry in entries.rstrip("; ").split("; "):
            symbol, size, english, chinese = entry.split()
            factor, _, offset = size.removesuffix("/x").partition("+")
            names = [name.replace("_", " ") for name in f"{english}|{chinese}".split("|") if name != "-"]
            local = symbol.replace("_", " ") if chinese == "-" else chinese.split("|")[0]
            value, shift = _factor(factor), Fraction(offset or 0)
            inverse = size.endswith("/x")
            units.append(Unit(symbol.replace("_", " "), kind, value, shift, tuple(names), local, inverse))
    return [*units, *(derived for unit in units for derived in _derived(unit))]


def _derived(unit: Unit) -> list[Unit]:
    """The areas, volumes and speeds that go with a length, the rates that go with an amount of data."""
    latin = [name for name in (unit.symbol, *unit.names) if not re.search("[一-鿿]", name)]
    han = [name for name in unit.names if name not in latin]
    derived: list[Unit] = []
    for kind, power, sign, words, prefix in _CUBED if unit.kind == "length" else ():
        names = [f"{start} {name}" for start in words.split("|") for name in latin]
        names += [f"{unit.symbol}{power}", *(prefix + name for name in han)]
        chinese = prefix + unit.chinese
        derived.append(Unit(unit.symbol + sign, kind, unit.factor**power, Fraction(0), tuple(names), chinese))
    for symbol, seconds, english, chinese in _PER if unit.kind in {"length", "data"} else ():
        names = [f"{name}{per}{time}" for name in latin for per in (" per ", "/") for time in english.split("|")]
        names += [f"{name}{per}{time}" for name in han for per in ("每", "/") for time in chinese.split("|")]
        names += [f"{name.removesuffix('it')}ps" for name in (unit.symbol,) if unit.kind == "data" and seconds == 1]
        local = f"{unit.chinese}每{chinese.split('|')[0]}"
        kind = "speed" if unit.kind == "length" else "data rate"
        derived.append(Unit(f"{unit.symbol}/{symbol}", kind, unit.factor / seconds, Fraction(0), tuple(names), local))
    return derived


def _factor(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return (Fraction(math.pi) if above == "π" else Fraction(above)) / Fraction(below or 1)


@cache
def _names() -> tuple[dict[str, Unit], dict[str, Unit]]:
    """Every unit by its names, and by its names in small letters."""
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for unit in _units():
        for name in (unit.symbol, *unit.names):
            exact.setdefault(name, unit)
            folded.setdefault(name.casefold(), unit)
    return exact | {name: exact[symbol] for name, symbol in _ALSO.items()}, folded
