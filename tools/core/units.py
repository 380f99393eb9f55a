"""Units of measure in English and Chinese, and the conversion between them, exact.

One table: symbol, factor to the base of its kind, names (`|` between them, `_` for a space inside one). Areas, volumes
and speeds follow from the lengths. Where a word means several units, the symbol says which one is taken (US gal).
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from tools.core.errors import RetryTool, ToolFailed
from tools.core.numbers import find_numbers, written

_TABLE = """
length: m 1 metre|meter 米|公尺; km 1000 kilometre|kilometer 公里|千米; dm 0.1 decimetre|decimeter 分米;
    cm 0.01 centimetre|centimeter 厘米|公分; mm 0.001 millimetre|millimeter 毫米; nm 1e-9 nanometre|nanometer 纳米;
    μm 1e-6 micrometre|micrometer|micron|um|µm 微米; mi 1609.344 mile 英里; yd 0.9144 yard 码;
    ft 0.3048 foot|feet 英尺; in 0.0254 inch|inches 英寸; nmi 1852 nautical_mile 海里; 里 500 - 里|市里|华里;
    丈 10/3 - 丈; 尺 1/3 - 尺|市尺; 寸 1/30 - 寸|市寸; ly 9460730472580800 light_year|light-year 光年
mass: g 1 gram|gramme 克; kg 1000 kilogram|kilo 千克|公斤; mg 0.001 milligram 毫克; μg 1e-6 microgram|ug|µg|mcg 微克;
    t 1000000 tonne|metric_ton 吨|公吨; lb 453.59237 pound|lbs 磅; oz 28.349523125 ounce 盎司;
    斤 500 jin|catty 斤|市斤; 两 50 liang 两; st 6350.29318 stone 英石; US_ton 907184.74 short_ton|us_ton 短吨;
    ct 0.2 carat 克拉
temperature: K 1 kelvin 开尔文|开氏度;
    °C 1+273.15 celsius|centigrade|C|degree_celsius|degree_C|deg_C|℃|°_C 摄氏度|摄氏;
    °F 5/9+45967/180 fahrenheit|F|degree_fahrenheit|degree_F|deg_F|℉|°_F 华氏度|华氏
volume: L 0.001 litre|liter 升|公升; mL 1e-6 millilitre|milliliter|cc 毫升; cL 1e-5 centilitre|centiliter 厘升;
    US_gal 0.003785411784 gallon|gal|us_gallon 加仑|美制加仑; US_qt 0.000946352946 quart|qt 夸脱;
    US_pt 0.000473176473 pint|pt 品脱; US_cup 0.0002365882365 cup 美制杯;
    US_fl_oz 2.95735295625e-5 fluid_ounce|fl_oz|fl._oz. 液体盎司|液盎司;
    imp_gal 0.00454609 imperial_gallon|uk_gallon 英制加仑; US_tbsp 1.478676478125e-5 tablespoon|tbsp 汤匙;
    US_tsp 4.92892159375e-6 teaspoon|tsp 茶匙
area: ha 10000 hectare 公顷; acre 4046.8564224 acre 英亩; 亩 2000/3 mu 亩|市亩
time: s 1 second|sec 秒|秒钟; min 60 minute|mins 分钟|分; h 3600 hour|hr|hrs 小时|钟头; d 86400 day 天|日;
    week 604800 week 周|星期|礼拜; ms 0.001 millisecond 毫秒; μs 1e-6 microsecond|us|µs 微秒; ns 1e-9 nanosecond 纳秒
months of no fixed length: month 1 month 个月|月; quarter 3 quarter 季度; year 12 year|yr 年; decade 120 decade 十年;
    century 1200 century|centuries 世纪
data: B 1 byte 字节; kB 1000 kilobyte|KB 千字节; MB 1e6 megabyte|M 兆字节|兆; GB 1e9 gigabyte|G 吉字节;
    TB 1e12 terabyte 太字节; PB 1e15 petabyte 拍字节; KiB 1024 kibibyte -; MiB 1048576 mebibyte -;
    GiB 1073741824 gibibyte -; TiB 1099511627776 tebibyte -; bit 0.125 bit 比特|位; kbit 125 kilobit|kb|Kb 千比特;
    Mbit 125000 megabit|Mb 兆比特; Gbit 125e6 gigabit|Gb 吉比特
data rate: bit/s 0.125 bps -; kbit/s 125 kbps -; Mbit/s 125000 Mbps|megabit_per_second -; Gbit/s 125e6 Gbps -;
    B/s 1 - -; kB/s 1000 KB/s -; MB/s 1e6 megabyte_per_second|MBps -; GB/s 1e9 gigabyte_per_second|GBps -
speed: kn 1852/3600 knot|kt 节; mph 0.44704 mile_per_hour|mi/h 英里每小时|英里/小时;
    km/h 1/3.6 kph|kmh|kmph 公里/时|千米/时
energy: J 1 joule 焦耳|焦; kJ 1000 kilojoule 千焦|千焦耳; MJ 1e6 megajoule 兆焦; cal 4.184 calorie 卡路里|卡;
    Wh 3600 watt_hour|watt-hour 瓦时; kcal 4184 kilocalorie 千卡|大卡;
    kWh 3.6e6 kilowatt_hour|kilowatt-hour 千瓦时|度电; eV 1.602176634e-19 electronvolt 电子伏特
power: W 1 watt 瓦|瓦特; kW 1000 kilowatt 千瓦; MW 1e6 megawatt 兆瓦; hp 745.69987158227022 horsepower 英制马力
pressure: Pa 1 pascal 帕|帕斯卡; hPa 100 hectopascal 百帕; kPa 1000 kilopascal 千帕; MPa 1e6 megapascal 兆帕;
    bar 1e5 bar 巴; mbar 100 millibar 毫巴; atm 101325 atmosphere 标准大气压|大气压;
    mmHg 133.322387415 millimetre_of_mercury 毫米汞柱; psi 6894.757293168361 pound_per_square_inch -;
    torr 101325/760 torr 托
angle: rad 1 radian 弧度; ° π/180 degree|deg 度|角度
"""
_NEAR = 20
"""How many characters before a unit decide whether a short name is one."""
_SEVERAL = {"ton": "a tonne (metric ton) or a US ton (short ton)"}
_PER = (("s", 1, "second", "秒"), ("min", 60, "minute", "分钟"), ("h", 3600, "hour", "小时"))


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


class FoundUnit(NamedTuple):
    """A unit and where it stands."""

    unit: Unit
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """Quantities to be added up and expressed in one unit."""

    quantities: tuple[tuple[Fraction, Unit], ...]
    target: Unit

    @property
    def value(self) -> Fraction:
        """In the target unit."""
        base = sum((amount * unit.factor + unit.offset for amount, unit in self.quantities), Fraction(0))
        if self.target.kind == "temperature" and base < 0:
            raise ToolFailed("That is below absolute zero: no temperature is.", kind="bad_arguments")
        return (base - self.target.offset) / self.target.factor

    def shown(self, *, chinese: bool) -> str:
        """`72 °F in °C`, 72 华氏度换算成摄氏度."""
        parts = [f"{written(amount)} {unit.chinese if chinese else unit.symbol}" for amount, unit in self.quantities]
        return " ".join(parts) + (f"换算成{self.target.chinese}" if chinese else f" in {self.target.symbol}")


def unit_named(name: str) -> Unit | None:
    """The unit of this name, symbol or plural; capitals count where they must (Mb, MB)."""
    name = re.sub(r"\s+", " ", name.strip().replace("^2", "²").replace("^3", "³"))
    exact, folded = _names()
    small = name.casefold()
    words = re.sub(r"\b(\w{2,}[^\Wu])s\b", r"\1", small.replace("feet", "foot").replace("inches", "inch"))
    return exact.get(name) or folded.get(small) or folded.get(words)


def find_units(text: str) -> list[FoundUnit]:
    """The units in a text; short symbols and single Chinese characters only behind a number or a word that asks."""
    numbers = {number.end for number in find_numbers(text)}
    found: list[FoundUnit] = []
    for match in _pattern().finditer(text):
        unit = unit_named(match[0])
        near = max(match.start() - _NEAR, 0)
        before = text[near : match.start()].rstrip().removesuffix("个")
        short = len(match[0]) <= (2 if match[0].isascii() else 1)
        asked = len(match[0]) + (not match[0].isascii()) > 1 and numbers and _ASKS.search(before)
        if unit and (not short or near + len(before) in numbers or asked):
            found.append(FoundUnit(unit, *match.span()))
    return found


def read_conversion(text: str) -> Conversion | None:
    """The conversion a text asks for; None when it asks for none.

    Raises:
        RetryTool: when a unit is unknown, means several, or measures something else.
    """
    text = re.sub(r"^(华氏|摄氏)(?!度)\s*(\S+?)\s*度", r"\2\1度", text)
    text = re.sub(r"^(?:minus\s+|零下)", "-", text, flags=re.IGNORECASE).replace("^2", "²").replace("^3", "³")
    for form in _FORMS:
        if (match := form.match(text)) and (quantities := _quantities(match["source"])):
            target = unit_named(match["target"])
            if target or any(unit_named(name) for _, name in quantities):
                return _checked(quantities, match["target"].strip())
    return None


def _quantities(text: str) -> list[tuple[Fraction, str]]:
    """The amounts and unit names of `5 feet 7 inches`; empty when the text is something else."""
    if lone := re.match(r"an?\s+(?=[a-z]{3})", text, re.IGNORECASE):
        return [(Fraction(1), text[lone.end() :].strip())]
    numbers = find_numbers(text)
    if not numbers or text[: numbers[0].start].strip():
        return []
    ends = [number.start for number in numbers[1:]] + [len(text)]
    parts = [
        (number.value, re.sub(r"^个|(?:[,，]|\band|又)\s*$", "", text[number.end : end].strip()).strip())
        for number, end in zip(numbers, ends, strict=True)
    ]
    return parts if all(name for _, name in parts) else []


def _checked(quantities: list[tuple[Fraction, str]], target_name: str) -> Conversion:
    units: list[Unit] = []
    for name in (*(name for _, name in quantities), target_name):
        if meanings := _SEVERAL.get(name.casefold().removesuffix("s")):
            raise RetryTool(f"'{name}' can mean {meanings}.", hint="Say which one.")
        unit = unit_named(name)
        if unit is None:
            known = ", ".join(f"'{other[:40]}'" for _, other in quantities)
            raise RetryTool(
                f"'{name[:40]}' is no unit I know, so {known} cannot be converted to '{target_name[:40]}'.",
                hint="Name two units of the same kind, like 72 °F in °C or 5 miles in km.",
            )
        units.append(unit)
    *sources, target = units
    for unit in sources:
        if unit.kind != target.kind:
            problem = (
                f"{_called(unit)} measures {unit.kind}, {_called(target)} {target.kind}: neither becomes the other."
            )
            raise RetryTool(problem, hint="Name two units of the same kind.")
    if len(sources) > 1 and (target.kind == "temperature" or sorted(sources, key=lambda unit: -unit.factor) != sources):
        raise RetryTool("Several quantities are added up only from the larger unit to the smaller, like 5 ft 7 in.")
    return Conversion(tuple((amount, unit) for (amount, _), unit in zip(quantities, sources, strict=True)), target)


def _called(unit: Unit) -> str:
    return " / ".join(dict.fromkeys((unit.symbol, unit.chinese)))


_ASKS = re.compile(r"(?:\b(?:in|to|into|many)|多少|几|成|为|转)$", re.IGNORECASE)
_HOW_MANY = (
    r"how (?:many|much)\s+(?P<target>.+?)\s+(?:(?:are there |are |is )?in|is|are|equals?|makes?|does|do)\s+"
    r"(?P<source>.+?)(?:\s+(?:equal|make|have|contain|weigh|last|take))?$"
)
_FORMS = [
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"(?:convert|change|turn|express)?\s*(?P<source>.+)\s+(?:to|in|into|as)\s+(?P<target>.+)$",
        _HOW_MANY,
        r"(?P<source>.+?)\s*(?:\b(?:is|are|equals?|makes?)\b|=)\s*(?:to\s+)?(?:how (?:many|much)|\?)\s*(?P<target>.+)$",
        r"(?P<source>.+?)\s*(?:换算|转换|转化|折算|折合|换|转|变)[成为到作]?\s*(?:多少|几)?个?\s*(?P<target>.+)$",
        r"(?P<source>.+?)\s*(?:等于|相当于|是|有|合|为|=|约)\s*(?:多少|几)\s*个?\s*(?P<target>.+)$",
        r"(?P<source>.+?)\s*用\s*(?P<target>.+?)\s*(?:来|做单位)?表示$",
    )
]


@cache
def _units() -> list[Unit]:
    units: list[Unit] = []
    for line in re.sub(r"\n {2,}", " ", _TABLE).strip().splitlines():
        kind, _, entries = line.partition(": ")
        for entry in entries.rstrip("; ").split("; "):
            symbol, size, english, chinese = entry.split()
            factor, _, offset = size.partition("+")
            names = [name.replace("_", " ") for name in f"{english}|{chinese}".split("|") if name != "-"]
            local = symbol if chinese == "-" else chinese.split("|")[0]
            units.append(
                Unit(symbol.replace("_", " "), kind, _factor(factor), Fraction(offset or 0), tuple(names), local)
            )
    for length in [unit for unit in units if unit.kind == "length"]:
        latin = [name for name in (length.symbol, *length.names) if not re.search("[一-鿿]", name)]
        han = [name for name in length.names if name not in latin]
        for kind, power, sign, word, short, prefix in (
            ("area", 2, "²", "square", "sq", "平方"),
            ("volume", 3, "³", "cubic", "cu", "立方"),
        ):
            names = [f"{start} {name}" for start in (word, short, f"{short}.") for name in latin]
            names += [f"{length.symbol}{power}", *(prefix + name for name in han)]
            chinese = prefix + length.chinese
            units.append(Unit(length.symbol + sign, kind, length.factor**power, Fraction(0), tuple(names), chinese))
        for symbol, seconds, english, chinese in _PER:
            names = [f"{name} per {english}" for name in latin] + [f"{name}/{english}" for name in latin]
            names += [f"{name}{per}{chinese}" for name in han for per in ("每", "/")]
            local = f"{length.chinese}每{chinese}"
            speed = length.factor / seconds
            units.append(Unit(f"{length.symbol}/{symbol}", "speed", speed, Fraction(0), tuple(names), local))
    return units


def _factor(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return (Fraction(math.pi) if above == "π" else Fraction(above)) / Fraction(below or 1)


@cache
def _names() -> tuple[dict[str, Unit], dict[str, Unit]]:
    exact: dict[str, Unit] = {"平米": _area(), "㎡": _area(), "立方": _area("m³"), "方": _area("m³")}
    folded: dict[str, Unit] = {}
    for unit in _units():
        for name in (unit.symbol, *unit.names):
            exact.setdefault(name, unit)
            folded.setdefault(name.casefold(), unit)
    return exact, folded


def _area(symbol: str = "m²") -> Unit:
    return next(unit for unit in _units() if unit.symbol == symbol)


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted((re.escape(name) for name in _names()[1]), key=len, reverse=True)
    plural = "|".join(names).replace("foot", "(?:foot|feet)").replace(r"\ ", r"\s+")
    return re.compile(rf"(?<![a-zA-Z])(?:{plural})(?:(?<![a-zA-Z])|s?(?![a-zA-Z]))", re.IGNORECASE)
