"""The places a time zone is known by: one table, each zone with the cities and countries that keep its time.

English name first; a `|` stands between spellings of a name. Countries with several zones stand apart, with the cities
to offer instead. `tools.core.places` looks them up.
"""

ZONES = """
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
America/Los_Angeles: Sacramento 萨克拉门托, Oregon 俄勒冈, Nevada 内华达,
    Pacific Time|US Pacific 美西|美国西部|太平洋时间;
America/Denver: Colorado 科罗拉多, Utah 犹他, Albuquerque 阿尔伯克基, Mountain Time 山地时间;
America/Phoenix: Arizona 亚利桑那; America/Winnipeg: Winnipeg 温尼伯;
America/Chicago: San Antonio 圣安东尼奥, Kansas City 堪萨斯城, St. Louis|Saint Louis 圣路易斯, Memphis 孟菲斯,
    Nashville 纳什维尔, Milwaukee 密尔沃基, Illinois 伊利诺伊, Wisconsin 威斯康星, Minnesota 明尼苏达, Omaha 奥马哈,
    Central Time|US Central 美中|美国中部;
America/New_York: Baltimore 巴尔的摩, Cleveland 克利夫兰, Tampa 坦帕, New Jersey 新泽西, Ohio 俄亥俄,
    Massachusetts 马萨诸塞, Pennsylvania 宾夕法尼亚|宾州, North Carolina 北卡罗来纳,
    Eastern Time|US Eastern 美东|美国东部;
America/Indiana/Indianapolis: Indianapolis 印第安纳波利斯; America/Toronto: Quebec City|Quebec 魁北克;
America/Cancun: Cancun|Cancún 坎昆; America/Tijuana: Tijuana 蒂华纳; America/Monterrey: Monterrey 蒙特雷;
America/Mexico_City: Guadalajara 瓜达拉哈拉; America/Puerto_Rico: Puerto Rico 波多黎各, San Juan 圣胡安;
America/Santo_Domingo: Dominican Republic 多米尼加, Santo Domingo 圣多明各; America/Guayaquil: Ecuador 厄瓜多尔;
America/Asuncion: Paraguay 巴拉圭; America/El_Salvador: El Salvador 萨尔瓦多; America/Tegucigalpa: Honduras 洪都拉斯;
America/Managua: Nicaragua 尼加拉瓜; America/Bogota: Medellin|Medellín 麦德林; America/Nassau: Bahamas 巴哈马;
America/Manaus: Manaus 马瑙斯; America/Fortaleza: Fortaleza 福塔莱萨; Atlantic/Azores: Azores 亚速尔群岛;
Atlantic/Canary: Canary Islands 加那利群岛;
Europe/London: Leeds 利兹, Glasgow 格拉斯哥, Bristol 布里斯托尔|布里斯托, Cardiff 加的夫, Belfast 贝尔法斯特,
    Sheffield 谢菲尔德, Nottingham 诺丁汉, Southampton 南安普敦|南安普顿, Brighton 布莱顿;
Europe/Madrid: Seville|Sevilla 塞维利亚, Malaga|Málaga 马拉加, Bilbao 毕尔巴鄂;
Europe/Paris: Toulouse 图卢兹, Bordeaux 波尔多, Strasbourg 斯特拉斯堡;
Europe/Berlin: Stuttgart 斯图加特, Düsseldorf|Dusseldorf|Duesseldorf 杜塞尔多夫, Leipzig 莱比锡, Dresden 德累斯顿,
    Bremen 不来梅, Hanover|Hannover 汉诺威, Nuremberg|Nürnberg 纽伦堡, Bonn 波恩, Dortmund 多特蒙德;
Europe/Zurich: Basel 巴塞尔, Lausanne 洛桑; Europe/Vienna: Salzburg 萨尔茨堡; Europe/Vatican: Vatican 梵蒂冈;
Europe/Rome: Bologna 博洛尼亚, Palermo 巴勒莫, Genoa 热那亚; Europe/Oslo: Bergen 卑尔根;
Europe/Amsterdam: Utrecht 乌得勒支, Eindhoven 埃因霍温; Europe/Brussels: Antwerp 安特卫普, Bruges 布鲁日;
Europe/Stockholm: Gothenburg 哥德堡, Malmo|Malmö 马尔默;
Europe/Warsaw: Gdansk|Gdańsk 格但斯克, Wroclaw|Wrocław 弗罗茨瓦夫;
Europe/Bratislava: Bratislava 布拉迪斯拉发, Slovakia 斯洛伐克;
Europe/Ljubljana: Ljubljana 卢布尔雅那, Slovenia 斯洛文尼亚; Europe/Sarajevo: Sarajevo 萨拉热窝, Bosnia 波黑;
Europe/Skopje: Skopje 斯科普里, North Macedonia 北马其顿; Europe/Tirane: Tirana 地拉那, Albania 阿尔巴尼亚;
Europe/Podgorica: Montenegro 黑山; Europe/Malta: Malta 马耳他; Asia/Nicosia: Cyprus 塞浦路斯;
Europe/Chisinau: Moldova 摩尔多瓦; Europe/Minsk: Minsk 明斯克, Belarus 白俄罗斯;
Europe/Kyiv: Lviv 利沃夫, Odesa|Odessa 敖德萨, Kharkiv 哈尔科夫; Europe/Moscow: Kazan 喀山;
Asia/Yekaterinburg: Yekaterinburg 叶卡捷琳堡; Asia/Novosibirsk: Novosibirsk 新西伯利亚;
Asia/Yerevan: Yerevan 埃里温, Armenia 亚美尼亚; Asia/Bishkek: Kyrgyzstan 吉尔吉斯斯坦, Bishkek 比什凯克;
Asia/Dushanbe: Tajikistan 塔吉克斯坦; Asia/Ashgabat: Turkmenistan 土库曼斯坦;
Africa/Kampala: Kampala 坎帕拉, Uganda 乌干达; Africa/Dar_es_Salaam: Dar es Salaam 达累斯萨拉姆, Tanzania 坦桑尼亚;
Africa/Kigali: Kigali 基加利, Rwanda 卢旺达; Africa/Harare: Harare 哈拉雷, Zimbabwe 津巴布韦;
Africa/Lusaka: Lusaka 卢萨卡, Zambia 赞比亚; Africa/Luanda: Luanda 罗安达, Angola 安哥拉;
Africa/Maputo: Maputo 马普托, Mozambique 莫桑比克; Africa/Khartoum: Khartoum 喀土穆;
Africa/Tripoli: Tripoli 的黎波里, Libya 利比亚; Africa/Abidjan: Abidjan 阿比让, Ivory Coast|Côte d'Ivoire 科特迪瓦;
Africa/Douala: Cameroon 喀麦隆; Africa/Lagos: Abuja 阿布贾; Indian/Mauritius: Mauritius 毛里求斯;
Indian/Antananarivo: Madagascar 马达加斯加; Africa/Casablanca: Marrakesh|Marrakech 马拉喀什;
Africa/Gaborone: Botswana 博茨瓦纳; Africa/Windhoek: Namibia 纳米比亚; Africa/Mogadishu: Somalia 索马里;
Africa/Johannesburg: Pretoria 比勒陀利亚; Asia/Damascus: Damascus 大马士革, Syria 叙利亚; Asia/Aden: Yemen 也门;
Asia/Bahrain: Bahrain 巴林; Indian/Maldives: Maldives 马尔代夫; Asia/Thimphu: Bhutan 不丹;
Asia/Kolkata: Ahmedabad 艾哈迈达巴德, Pune 浦那, Jaipur 斋浦尔; Asia/Vientiane: Laos 老挝;
Asia/Ho_Chi_Minh: Da Nang 岘港; Asia/Brunei: Brunei 文莱; Asia/Makassar: Bali 巴厘岛; Asia/Jakarta: Surabaya 泗水;
Asia/Manila: Cebu 宿务; Asia/Kuala_Lumpur: Penang 槟城; Asia/Bangkok: Phuket 普吉岛|普吉, Chiang Mai 清迈;
Asia/Tokyo: Kobe 神户, Hiroshima 广岛, Nagasaki 长崎, Okinawa 冲绳, Nara 奈良, Sendai 仙台, Hokkaido 北海道;
Asia/Seoul: Incheon 仁川, Jeju 济州岛|济州; Asia/Taipei: Kaohsiung 高雄;
Asia/Shanghai: Zhengzhou 郑州, Changsha 长沙, Shenyang 沈阳, Harbin 哈尔滨, Jinan 济南, Kunming 昆明, Lhasa 拉萨,
    Hefei 合肥, Fuzhou 福州, Ningbo 宁波, Wuxi 无锡, Dongguan 东莞, Foshan 佛山, Nanchang 南昌, Taiyuan 太原,
    Shijiazhuang 石家庄, Changchun 长春, Guiyang 贵阳, Nanning 南宁, Haikou 海口, Sanya 三亚, Lanzhou 兰州,
    Xining 西宁, Yinchuan 银川, Hohhot 呼和浩特, Zhuhai 珠海, Guilin 桂林, Wenzhou 温州, Xuzhou 徐州, Yantai 烟台,
    Luoyang 洛阳, Quanzhou 泉州, Shantou 汕头, Lijiang 丽江, Jiaxing 嘉兴, Shaoxing 绍兴, Changzhou 常州,
    Yangzhou 扬州, Yichang 宜昌, Mianyang 绵阳, Zunyi 遵义, Urumqi 乌鲁木齐, Xinjiang 新疆, Tibet 西藏;
Australia/Brisbane: Gold Coast 黄金海岸; Australia/Hobart: Hobart 霍巴特, Tasmania 塔斯马尼亚; Pacific/Guam: Guam 关岛;
Pacific/Apia: Samoa 萨摩亚; Pacific/Tongatapu: Tonga 汤加; Pacific/Port_Moresby: Papua New Guinea 巴布亚新几内亚;
Pacific/Tahiti: Tahiti 大溪地|塔希提; Pacific/Auckland: Queenstown 皇后镇;
"""

SEVERAL_ZONES = {
    "CST CST": ("Chicago", "Shanghai"),
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

WORDS_TOO = frozenset({"Reading", "Nice", "Bath", "Mobile", "Orange", "Split", "Cork"})
"""Also ordinary words: counted with a capital letter only, and not where a sentence begins."""

CAPITAL_ONLY = frozenset(
    {"China", "Turkey", "Kobe", "Nara", "Jordan", "Phoenix", "Lima", "LA", "US", "Rio", "Wales", "Cologne", "Xian"}
)
"""Ordinary words in small letters."""

IN_CONTEXT = {
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
    "长沙": "长沙(?!发)",
    "合肥": "(?<!适)合肥(?![胖料])",
    "海口": "(?<!出)海口",
    "黑山": "黑山(?!羊)",
    "也门": "也门(?!当)",
    "美东": "美东(?!西)",
    "美中": "(?<![最优完精])美中(?!不)",
    "美西": "美西(?!方)",
    "新疆": "新疆(?![棉大])",
    "米兰": "米兰(?!达)",
    "加纳": "加纳(?!税)",
    "墨西哥": "(?<!新)墨西哥",
}
"""Chinese names whose characters also meet by chance: where they do not count."""

_LETTERS = (
    "EST -05:00, EDT -04:00, CDT -05:00, MST -07:00, MDT -06:00, PST -08:00, PDT -07:00, HST -10:00, AKST -09:00, "
    "BRT -03:00, BST +01:00, CET +01:00, CEST +02:00, EET +02:00, EEST +03:00, MSK +03:00, PKT +05:00, IST +05:30, "
    "SGT +08:00, HKT +08:00, AWST +08:00, JST +09:00, KST +09:00, ACST +09:30, AEST +10:00, AEDT +11:00, NZST +12:00, "
    "NZDT +13:00"
)
ABBREVIATIONS = {entry[:-7]: entry[-6:] for entry in _LETTERS.split(", ")}
"""Zones by their letters, taken as they are defined: EST is UTC-5 in summer too. CST is the time of two continents."""

AFTER_A_CLOCK = {
    **dict.fromkeys(("ET", "Eastern"), "Eastern Time"),
    **dict.fromkeys(("CT", "Central"), "Central Time"),
    **dict.fromkeys(("MT", "Mountain"), "Mountain Time"),
    **dict.fromkeys(("PT", "Pacific"), "Pacific Time"),
}
"""What names a zone only right after a time of day."""
