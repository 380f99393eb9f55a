"""Places people name when they mean a time zone, in English and Chinese.

One table: each zone with the cities and countries that keep its time, English name first. A `|` stands between
spellings of a name. Countries with several zones stand apart, with the cities to offer instead.
"""

import re
from dataclasses import dataclass, replace
from datetime import timedelta, timezone, tzinfo
from functools import cache

_ZONES = """
Pacific/Honolulu: Honolulu 檀香山, Hawaii 夏威夷; America/Anchorage: Anchorage 安克雷奇, Alaska 阿拉斯加;
America/Los_Angeles: Los Angeles|LA 洛杉矶, San Francisco 旧金山|三藩市, Seattle 西雅图, San Diego 圣迭戈,
    San Jose 圣何塞, Las Vegas 拉斯维加斯, Portland 波特兰, California 加州|加利福尼亚, Silicon Valley 硅谷;
America/Vancouver: Vancouver 温哥华; America/Denver: Denver 丹佛, Salt Lake City 盐湖城;
America/Phoenix: Phoenix 菲尼克斯|凤凰城; America/Edmonton: Calgary 卡尔加里, Edmonton 埃德蒙顿;
America/Chicago: Chicago 芝加哥, Houston 休斯敦|休斯顿, Dallas 达拉斯, Austin 奥斯汀, New Orleans 新奥尔良,
    Minneapolis 明尼阿波利斯, Texas 得克萨斯|德州, Mobile 莫比尔;
America/Mexico_City: Mexico City 墨西哥城; America/Guatemala: Guatemala 危地马拉;
America/Costa_Rica: Costa Rica 哥斯达黎加;
America/New_York: New York|New York City|NYC 纽约, Washington|Washington DC|Washington D.C. 华盛顿, Boston 波士顿,
    Miami 迈阿密, Philadelphia 费城, Atlanta 亚特兰大, Detroit 底特律, Pittsburgh 匹兹堡, Orlando 奥兰多,
    Florida 佛罗里达;
America/Toronto: Toronto 多伦多, Montreal|Montréal 蒙特利尔, Ottawa 渥太华;
America/Havana: Havana 哈瓦那, Cuba 古巴; America/Jamaica: Jamaica 牙买加, Kingston 金斯敦;
America/Panama: Panama 巴拿马; America/Bogota: Bogota|Bogotá 波哥大, Colombia 哥伦比亚;
America/Lima: Lima 利马, Peru 秘鲁; America/Caracas: Caracas 加拉加斯, Venezuela 委内瑞拉;
America/La_Paz: La Paz 拉巴斯, Bolivia 玻利维亚; America/Halifax: Halifax 哈利法克斯;
America/Santiago: Santiago 圣地亚哥; America/St_Johns: St. John's 圣约翰斯;
America/Sao_Paulo: Sao Paulo|São Paulo 圣保罗, Rio de Janeiro|Rio 里约热内卢|里约, Brasilia|Brasília 巴西利亚;
America/Argentina/Buenos_Aires: Buenos Aires 布宜诺斯艾利斯, Argentina 阿根廷;
America/Montevideo: Montevideo 蒙得维的亚, Uruguay 乌拉圭;
Atlantic/Reykjavik: Reykjavik|Reykjavík 雷克雅未克, Iceland 冰岛;
Africa/Casablanca: Casablanca 卡萨布兰卡, Rabat 拉巴特, Morocco 摩洛哥;
Africa/Dakar: Dakar 达喀尔, Senegal 塞内加尔; Africa/Accra: Accra 阿克拉, Ghana 加纳;
Europe/London: London 伦敦, Manchester 曼彻斯特, Edinburgh 爱丁堡, Birmingham 伯明翰, Liverpool 利物浦,
    Cambridge 剑桥, Oxford 牛津, Reading 雷丁, Bath 巴斯, United Kingdom|UK|Britain|Great Britain 英国,
    England 英格兰, Scotland 苏格兰, Wales 威尔士;
Europe/Dublin: Dublin 都柏林, Ireland 爱尔兰, Cork 科克;
Europe/Lisbon: Lisbon 里斯本, Porto 波尔图, Portugal 葡萄牙;
Europe/Madrid: Madrid 马德里, Barcelona 巴塞罗那, Valencia 瓦伦西亚, Spain 西班牙;
Europe/Paris: Paris 巴黎, Lyon 里昂, Marseille 马赛, Nice 尼斯, Orange 奥朗日, France 法国;
Europe/Brussels: Brussels 布鲁塞尔, Belgium 比利时;
Europe/Amsterdam: Amsterdam 阿姆斯特丹, Rotterdam 鹿特丹, The Hague 海牙, Netherlands|Holland 荷兰;
Europe/Luxembourg: Luxembourg 卢森堡;
Europe/Berlin: Berlin 柏林, Munich 慕尼黑, Frankfurt 法兰克福, Hamburg 汉堡, Cologne 科隆, Germany 德国;
Europe/Zurich: Zurich|Zürich 苏黎世, Geneva 日内瓦, Bern 伯尔尼, Switzerland 瑞士; Europe/Monaco: Monaco 摩纳哥;
Europe/Rome: Rome 罗马, Milan 米兰, Venice 威尼斯, Florence 佛罗伦萨, Naples 那不勒斯, Turin 都灵, Italy 意大利;
Europe/Vienna: Vienna 维也纳, Austria 奥地利; Europe/Prague: Prague 布拉格, Czech Republic|Czechia 捷克;
Europe/Budapest: Budapest 布达佩斯, Hungary 匈牙利; Europe/Warsaw: Warsaw 华沙, Krakow|Kraków 克拉科夫, Poland 波兰;
Europe/Belgrade: Belgrade 贝尔格莱德, Serbia 塞尔维亚;
Europe/Zagreb: Zagreb 萨格勒布, Split 斯普利特, Croatia 克罗地亚;
Europe/Copenhagen: Copenhagen 哥本哈根, Denmark 丹麦; Europe/Oslo: Oslo 奥斯陆, Norway 挪威;
Europe/Stockholm: Stockholm 斯德哥尔摩, Sweden 瑞典; Africa/Lagos: Lagos 拉各斯, Nigeria 尼日利亚;
Africa/Algiers: Algiers 阿尔及尔, Algeria 阿尔及利亚; Africa/Tunis: Tunis 突尼斯市, Tunisia 突尼斯;
Africa/Johannesburg: Johannesburg 约翰内斯堡, Cape Town 开普敦, South Africa 南非;
Africa/Cairo: Cairo 开罗, Egypt 埃及; Europe/Athens: Athens 雅典, Greece 希腊;
Europe/Bucharest: Bucharest 布加勒斯特, Romania 罗马尼亚; Europe/Sofia: Sofia 索非亚, Bulgaria 保加利亚;
Europe/Helsinki: Helsinki 赫尔辛基, Finland 芬兰; Europe/Riga: Riga 里加, Latvia 拉脱维亚;
Europe/Vilnius: Vilnius 维尔纽斯, Lithuania 立陶宛; Europe/Tallinn: Tallinn 塔林, Estonia 爱沙尼亚;
Europe/Kyiv: Kyiv|Kiev 基辅, Ukraine 乌克兰; Asia/Jerusalem: Jerusalem 耶路撒冷, Tel Aviv 特拉维夫, Israel 以色列;
Asia/Beirut: Beirut 贝鲁特, Lebanon 黎巴嫩;
Europe/Istanbul: Istanbul 伊斯坦布尔, Ankara 安卡拉, Turkey|Türkiye 土耳其;
Europe/Moscow: Moscow 莫斯科, Saint Petersburg|St. Petersburg 圣彼得堡;
Africa/Nairobi: Nairobi 内罗毕, Kenya 肯尼亚; Africa/Addis_Ababa: Addis Ababa 亚的斯亚贝巴, Ethiopia 埃塞俄比亚;
Asia/Amman: Amman 安曼, Jordan 约旦; Asia/Baghdad: Baghdad 巴格达, Iraq 伊拉克;
Asia/Riyadh: Riyadh 利雅得, Jeddah 吉达, Mecca 麦加, Saudi Arabia 沙特|沙特阿拉伯; Asia/Kuwait: Kuwait 科威特;
Asia/Qatar: Doha 多哈, Qatar 卡塔尔; Asia/Tehran: Tehran 德黑兰, Iran 伊朗;
Asia/Dubai: Dubai 迪拜, Abu Dhabi 阿布扎比, United Arab Emirates|UAE 阿联酋;
Asia/Muscat: Muscat 马斯喀特, Oman 阿曼; Asia/Baku: Baku 巴库, Azerbaijan 阿塞拜疆; Asia/Tbilisi: Tbilisi 第比利斯;
Asia/Kabul: Kabul 喀布尔, Afghanistan 阿富汗;
Asia/Karachi: Karachi 卡拉奇, Islamabad 伊斯兰堡, Lahore 拉合尔, Pakistan 巴基斯坦;
Asia/Tashkent: Tashkent 塔什干, Uzbekistan 乌兹别克斯坦;
Asia/Almaty: Almaty 阿拉木图, Astana 阿斯塔纳, Kazakhstan 哈萨克斯坦;
Asia/Kolkata: New Delhi 新德里, Delhi 德里, Mumbai|Bombay 孟买, Bangalore|Bengaluru 班加罗尔,
    Kolkata|Calcutta 加尔各答, Chennai 金奈, Hyderabad 海得拉巴, India 印度;
Asia/Colombo: Colombo 科伦坡, Sri Lanka 斯里兰卡; Asia/Kathmandu: Kathmandu 加德满都, Nepal 尼泊尔;
Asia/Dhaka: Dhaka 达卡, Bangladesh 孟加拉国|孟加拉; Asia/Yangon: Yangon 仰光, Myanmar|Burma 缅甸;
Asia/Bangkok: Bangkok 曼谷, Thailand 泰国;
Asia/Ho_Chi_Minh: Ho Chi Minh City|Saigon 胡志明市, Hanoi 河内, Vietnam 越南;
Asia/Phnom_Penh: Phnom Penh 金边, Cambodia 柬埔寨; Asia/Jakarta: Jakarta 雅加达;
Asia/Shanghai: Beijing|Peking 北京, Shanghai 上海, Guangzhou 广州, Shenzhen 深圳, Hangzhou 杭州, Chengdu 成都,
    Wuhan 武汉, Nanjing 南京, Chongqing 重庆, Tianjin 天津, Suzhou 苏州, Xi'an|Xian 西安, Qingdao 青岛, Dalian 大连,
    Xiamen 厦门, China 中国;
Asia/Hong_Kong: Hong Kong 香港; Asia/Macau: Macau|Macao 澳门; Asia/Taipei: Taipei 台北, Taiwan 台湾;
Asia/Manila: Manila 马尼拉, Philippines 菲律宾; Asia/Singapore: Singapore 新加坡;
Asia/Kuala_Lumpur: Kuala Lumpur 吉隆坡, Malaysia 马来西亚; Australia/Perth: Perth 珀斯;
Asia/Ulaanbaatar: Ulaanbaatar|Ulan Bator 乌兰巴托;
Asia/Tokyo: Tokyo 东京, Osaka 大阪, Kyoto 京都, Nagoya 名古屋, Yokohama 横滨, Sapporo 札幌, Fukuoka 福冈,
    Japan 日本;
Asia/Seoul: Seoul 首尔, Busan 釜山, South Korea|Korea 韩国; Asia/Pyongyang: Pyongyang 平壤, North Korea 朝鲜;
Australia/Adelaide: Adelaide 阿德莱德; Australia/Brisbane: Brisbane 布里斯班;
Australia/Sydney: Sydney 悉尼, Canberra 堪培拉; Australia/Melbourne: Melbourne 墨尔本;
Asia/Vladivostok: Vladivostok 符拉迪沃斯托克|海参崴;
Pacific/Auckland: Auckland 奥克兰, Wellington 惠灵顿, Christchurch 基督城, New Zealand 新西兰;
Pacific/Fiji: Fiji 斐济;
"""

_SEVERAL_ZONES = {
    "United States|USA|US|America 美国": ("New York", "Chicago", "Denver", "Los Angeles"),
    "Canada 加拿大": ("Toronto", "Vancouver", "Calgary", "Halifax"),
    "Mexico 墨西哥": ("Mexico City",),
    "Brazil 巴西": ("Sao Paulo", "Rio de Janeiro"),
    "Chile 智利": ("Santiago",),
    "Russia 俄罗斯": ("Moscow", "Vladivostok"),
    "Indonesia 印度尼西亚|印尼": ("Jakarta",),
    "Mongolia 蒙古": ("Ulaanbaatar",),
    "Australia 澳大利亚|澳洲": ("Sydney", "Brisbane", "Adelaide", "Perth"),
}

_WORDS_TOO = frozenset({"Reading", "Nice", "Bath", "Mobile", "Orange", "Split", "Cork"})
"""Also ordinary words: counted with a capital letter only, and not where a sentence begins."""

_CAPITAL_ONLY = frozenset(
    {"China", "Turkey", "Jordan", "Phoenix", "Lima", "LA", "US", "Rio", "Wales", "Cologne", "Xian"}
)
"""Ordinary words in small letters."""

_IN_CONTEXT = {
    "日本": "(?<![今昨明当生每])日本",
    "中国": "(?<!其)中国",
    "成都": "(?<![变完当做达])成都",
    "大连": "(?<!最)大连(?![接续])",
    "西安": "(?<!东)西安(?![全装])",
    "里加": "(?<![这那哪])里加(?![上入])",
    "尼斯": "(?<!丹)尼斯",
    "巴斯": "(?<!伦)巴斯(?![克夫])",
    "威尔士": "(?<!新南)威尔士",
    "汉堡": "汉堡(?![包王])",
    "米兰": "米兰(?!达)",
    "加纳": "加纳(?!税)",
    "墨西哥": "(?<!新)墨西哥",
}
"""Chinese names whose characters also meet by chance: where they do not count."""

_OFFSET = r"(?i:utc|gmt)?\s*([+\-−])\s*(\d{1,2})(?::?([0-5]\d))?"
_CHINESE_OFFSET = r"([东西])(十[一二]?|[一二三四五六七八九]|1[0-2]|[1-9])时?区"
_MOST_HOURS = 14
_ENDING = r"(?i:\s+(?:time|city)|时间|当地|市)$"
_BEFORE, _AFTER = r"(?<![A-Za-zÀ-ɏ0-9_/\\.@\-])", r"(?![A-Za-zÀ-ɏ0-9_/\\@]|[.\-][A-Za-z0-9])"
_OFFSET_IN_TEXT = r"(?:UTC|GMT)(?:\s?[+\-−]\s?\d{1,2}(?::[0-5]\d)?)?"
_ZONE_NAME = r"[A-Z][A-Za-z_]+/[A-Z][A-Za-z_+\-]+(?:/[A-Z][A-Za-z_]+)?"
_SENTENCE_START = r"(?:^|[.!?:;。！？：；\n])[\s\"'“(]*$"


@dataclass(frozen=True, slots=True)
class Place:
    """A place, its zone, and where in a text it was named."""

    name_en: str
    name_zh: str
    zone: str
    """An IANA name, or `UTC` with an offset such as `UTC+05:30`."""
    start: int | None = None
    end: int | None = None


def zone_of(name: str) -> Place | None:
    """The place called `name`: a city, a country with one zone, an IANA name or a UTC offset, in any case."""
    wanted = " ".join(name.split())
    place = _exactly(wanted) or _exactly(re.sub(_ENDING, "", wanted))
    if place:
        return place
    town, _, country = (part.strip() for part in wanted.replace("，", ",").partition(","))
    place = _exactly(town)
    return place if place and _lies_in(place, country) else None


def find_places(text: str) -> list[Place]:
    """The places named in `text`, in order, each with its span; of overlapping names the longest counts."""
    found: list[Place] = []
    for match in _pattern().finditer(text):
        place = _exactly(match[0])
        if place and not (match[0] in _WORDS_TOO and _is_just_a_word(text, match)):
            found.append(replace(place, start=match.start(), end=match.end()))
    return found


def cities_of(country: str) -> tuple[str, ...]:
    """The cities to choose from in a country with several zones; empty for anything else."""
    wanted = " ".join(country.split()).casefold()
    for entry, cities in _SEVERAL_ZONES.items():
        english, chinese = _spellings(entry)
        if wanted in (spelling.casefold() for spelling in english + chinese):
            return cities
    return ()


def nearest_places(name: str, limit: int = 3) -> list[Place]:
    """The known places whose names look most like `name`."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - needed only after a miss; this module must import fast

    places = _places()
    hits = process.extract(name.casefold(), places.keys(), scorer=fuzz.ratio, limit=limit * 3, score_cutoff=50)
    return list({places[key].name_en: places[key] for key, _, _ in hits}.values())[:limit]


def tzinfo_of(zone: str) -> tzinfo:
    """The clock rules of a `Place.zone`."""
    if match := re.fullmatch(_OFFSET, zone):
        size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        return timezone(size if match[1] == "+" else -size, zone)
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - loads the zone database; this module must import fast

    return ZoneInfo(zone)


def _exactly(name: str) -> Place | None:
    return _places().get(name.casefold()) or _offset(name) or _zone_named(name)


def _lies_in(place: Place, country: str) -> bool:
    around = _exactly(country)
    if around:
        return around.zone == place.zone
    return place.zone in {city.zone for city in map(_exactly, cities_of(country)) if city}


def _is_just_a_word(text: str, match: re.Match[str]) -> bool:
    return bool(re.search(_SENTENCE_START, text[: match.start()])) and text.strip(" \t\n.!?") != match[0]


def _spellings(entry: str) -> tuple[list[str], list[str]]:
    english, _, chinese = entry.rpartition(" ")
    return english.split("|"), chinese.split("|")


@cache
def _entries() -> list[tuple[str, list[str], list[str]]]:
    """Each zone (empty for a country with several) with the English and the Chinese spellings of a place."""
    rows = [row.partition(": ") for row in " ".join(_ZONES.split()).strip(";").split("; ")]
    named = [(zone, entry) for zone, _, entries in rows for entry in entries.split(", ")]
    return [(zone, *_spellings(entry)) for zone, entry in [*named, *(("", entry) for entry in _SEVERAL_ZONES)]]


@cache
def _places() -> dict[str, Place]:
    """The place of every spelling, in small letters."""
    return {
        spelling.casefold(): Place(english[0], chinese[0], zone)
        for zone, english, chinese in _entries()
        for spelling in english + chinese
        if zone
    }


@cache
def _pattern() -> re.Pattern[str]:
    english = [name for _, names, _ in _entries() for name in names]
    chinese = [name for _, _, names in _entries() for name in names]
    cased = _WORDS_TOO | _CAPITAL_ONLY
    western = [
        re.escape(name) if name in cased else f"(?i:{re.escape(name)})"
        for name in sorted(english, key=len, reverse=True)
    ]
    eastern = [_IN_CONTEXT.get(name, name) for name in sorted(chinese, key=len, reverse=True)]
    words = "|".join([_OFFSET_IN_TEXT, _ZONE_NAME, *western])
    return re.compile(rf"{_BEFORE}(?:{words}){_AFTER}|{_CHINESE_OFFSET}|{'|'.join(eastern)}")


def _offset(name: str) -> Place | None:
    if name.casefold() in {"utc", "gmt", "z"}:
        return Place("UTC", "UTC", "UTC")
    if match := re.fullmatch(_CHINESE_OFFSET, name):
        sign, hours, minutes = "+" if match[1] == "东" else "-", _chinese_number(match[2]), 0
    elif match := re.fullmatch(_OFFSET, name):
        sign, hours, minutes = "+" if match[1] == "+" else "-", int(match[2]), int(match[3] or 0)
    else:
        return None
    if hours > _MOST_HOURS:
        return None
    short = f"UTC{sign}{hours}" + (f":{minutes:02}" if minutes else "")
    return Place(short, short, f"UTC{sign}{hours:02}:{minutes:02}")


def _chinese_number(text: str) -> int:
    if text.isascii():
        return int(text)
    return (10 if text[0] == "十" else 0) + "〇一二三四五六七八九".find(text[-1]) + (text[-1] == "十")


def _zone_named(name: str) -> Place | None:
    zone = _zone_names().get(name.casefold().replace(" ", "_"))
    if zone is None:
        return None
    city = zone.rpartition("/")[2].replace("_", " ")
    known = _places().get(city.casefold())
    return known if known and known.zone == zone else Place(city, city, zone)


@cache
def _zone_names() -> dict[str, str]:
    from zoneinfo import available_timezones  # noqa: PLC0415 - reads the zone database; this module must import fast

    return {zone.casefold(): zone for zone in available_timezones()}
