"""The sentences that are still recognised by their English, until each is a message of the catalogue."""

import re
from functools import cache

from switchyard.language.messages import said
from switchyard.language.places import zone_of

_SYSTEM: dict[str, str] = {
    "Permission denied": "权限不足",
    "it is write-protected": "它是写保护的",
    "File name too long": "文件名太长",
    "Not a directory": "路径中有一段不是文件夹",
    "No space left on device": "磁盘已满",
    "Read-only file system": "文件系统是只读的",
    "embedded null byte": "其中有空字符",
    "All connection attempts failed": "连接失败",
}
_VALUES: dict[str, dict[str, str]] = {"system": _SYSTEM, "done": {"read": "读取", "written": "写入"}}
_FIELD = re.compile(r"\\\{(\w+)\\\}")
_NAMED_TWICE = re.compile(r".+ \(([^()]*[\u3400-\u9fff][^()]*)\)")


TOOL_REASONS: dict[str, str] = {
    # files
    "'{path}' does not exist in the workspace. The nearest existing path is '{near}'.": (
        "工作区里没有“{path}”，名字最接近的是“{near}”。"
    ),
    "'{path}' does not exist in the workspace. Nothing in the workspace has a similar name.": (
        "工作区里没有“{path}”，也没有名字相近的文件。"
    ),
    "'{path}' is outside the workspace {root}; only paths inside it can be used.": (
        "“{path}”在工作区“{root}”之外，只能使用工作区里面的路径。"
    ),
    "'{path}' is not a usable path: {system}.": "“{path}”不是可用的路径：{system}。",
    "'{path}' is a folder, not a file.": "“{path}”是文件夹，不是文件。",
    "'{path}' is a file, not a folder.": "“{path}”是文件，不是文件夹。",
    "'{path}' is a pipe or a device, not a file.": "“{path}”是管道或设备，不是文件。",
    "'{path}' is a pipe or a device, not a folder.": "“{path}”是管道或设备，不是文件夹。",
    "'{path}' is neither a file nor a folder.": "“{path}”既不是文件也不是文件夹。",
    "'{path}' ends at line {line}.": "“{path}”到第 {line} 行就结束了。",
    "Start there or before.": "请从这一行或之前开始。",
    "List it with list_dir.": "可以用 list_dir 列出里面的内容。",
    "Read it with read_file.": "可以用 read_file 读取它。",
    "Read it with read_file, or name its folder.": "可以用 read_file 读取它，或者给出它所在的文件夹。",
    "Name a file in it; list_dir shows them.": "请给出其中的一个文件，list_dir 可以列出它们。",
    "Name a file in it.": "请给出其中的一个文件。",
    "Name a file.": "请给出一个文件。",
    "Name a folder.": "请给出一个文件夹。",
    "'{path}' may not be {done}: {system}.": "“{path}”不允许{done}：{system}。",
    "'{path}' may not be read.": "“{path}”不允许读取。",
    "'{path}' cannot be read as a table: {said}": "“{path}”无法作为表格读取：{said}。",
    "'{path}' cannot be {done}: {system}.": "“{path}”无法{done}：{system}。",
    "'{path}' has {size} MB; files above {most} MB are not read.": (
        "“{path}”有 {size} MB，超过 {most} MB 的文件不读取。"
    ),
    "'{path}' is a binary file, not text.": "“{path}”是二进制文件，不是文本。",
    "'{path}' is there already.": "“{path}”已经存在。",
    "Name a new file, or use mode overwrite or append.": "请换一个文件名，或者选择覆盖或追加。",
    "Name another output, or set overwrite=true.": "请换一个输出文件名，或者允许覆盖。",
    "No file of the workspace fits '{pattern}'.": "工作区里没有文件符合“{pattern}”。",
    "'{path}' is no table I can read.": "“{path}”不是能读取的表格。",
    "Name a file that ends in {endings}.": "请给出以 {endings} 结尾的文件。",
    "'{path}' is empty.": "“{path}”是空的。",
    "Name a file with rows.": "请给出有数据的文件。",
    "'{path}' has no column '{column}'.": "“{path}”没有“{column}”这一列。",
    "Columns: {columns}.": "已有的列：{columns}。",
    "'{query}' has no word to look for.": "“{query}”里没有可以查找的词。",
    "Write words, in any language.": "请写出要找的词。",
    # places, dates and times
    "No place or time zone called '{place}' is known.": "不认识名为“{place}”的地点或时区。",
    "Did you mean {near}?": "您要找的是不是：{near}？",
    "Name a larger city, an IANA zone or an offset.": "请换成附近的大城市、IANA 时区名或与 UTC 的时差。",
    "{place} has several time zones; name a city such as {cities}.": "{place}有多个时区，请说出城市，例如：{cities}。",
    "'{text}' is not a date that can be read.": "“{text}”不是能看懂的日期。",
    "Write it as 2026-11-16, 16 November 2026, tomorrow, next Friday or 90 days from today.": (
        "可以写成 2026-11-16、2026年11月16日、明天、下周五或90天后。"
    ),
    "'{text}' is not a time of day that can be read.": "“{text}”不是能看懂的时间。",
    "Write it as 09:30, 9:30 am or 上午九点半.": "可以写成 09:30 或上午九点半。",
    "'{text}' is not a duration that can be read.": "“{text}”不是能看懂的时长。",
    "Write it as 90 days, 2 weeks, 3个月 or -45 minutes.": "可以写成90天、2周或3个月。",
    "That leads out of the years 1 to 9999.": "结果超出了公元1年到9999年的范围。",
    "There is no month {month}; the months are 1 to 12.": "没有{month}月，月份是1到12。",
    "{day} does not exist: {month} has {days} days.": "{day} 不存在：这个月只有{days}天。",
    "{month} has no day {day}: it has {days} days at most.": "这个月没有{day}日：最多只有{days}天。",
    "No month has a day {day}.": "没有哪个月有{day}日。",
    "{text} can be read in two ways; write {one} or {other}.": "{text} 有两种读法，请写成 {one} 或 {other}。",
    "清明 is known from 2000 to 2099 only.": "清明节的日期只知道2000年到2099年的。",
    "Lunar feasts are known from {first} to {last} only.": "农历节日的日期只知道{first}年到{last}年的。",
    # arithmetic
    "That divides by zero, which has no value.": "除数是零，没有结果。",
    "That divides by zero.": "除数是零，没有结果。",
    "That is too large or too small to compute.": "数太大或太小，无法计算。",
    "The result would have more than {digits} digits; that is not computed.": "结果会超过{digits}位，不作计算。",
    "Numbers with more than {digits} digits are not computed.": "超过{digits}位的数不作计算。",
    "A negative number has no real square root.": "负数没有实数平方根。",
    "A negative number has no real root of an even degree.": "负数没有实数的偶次方根。",
    "A negative number has no real power with a fractional exponent.": "负数没有实数的分数次幂。",
    "Logarithms exist for positive numbers only.": "只有正数才有对数。",
    "Logarithms exist for positive numbers only, and not to the base 1.": "只有正数才有对数，并且底数不能是1。",
    "The tangent of a right angle has no value.": "直角没有正切值。",
    "Factorials exist for whole numbers from 0 on.": "只有非负整数才有阶乘。",
    "That is below absolute zero: no temperature is.": "这低于绝对零度，没有这样的温度。",
    "{unit} measures {measured}, {other} {wanted}: neither becomes the other.": (
        "{unit} 与 {other} 不是同一类单位，不能换算。"
    ),
    "Name two units of the same kind.": "请给出两个同类的单位。",
    "'{name}' is no unit I know, so it cannot be converted to '{target}'.": (
        "不认识单位“{name}”，无法换算成“{target}”。"
    ),
    "'{text}' is not arithmetic I can read.": "“{text}”不是能看懂的算式。",
    "'{text}' has nothing to compute with.": "“{text}”里没有可以计算的数。",
    "'{text}' is an amount; say what to do with it.": "“{text}”只是一个数量，请说明要怎么算。",
    "That is a text, not arithmetic.": "这是一段文字，不是算式。",
    "That cannot be worked out as it is written.": "这样写的算式无法计算。",
    "That has no value.": "这个算式没有结果。",
    "A bracket is opened and never closed.": "有括号没有合上。",
    "A bracket is closed too early.": "有多余的右括号。",
    "A number is missing before '{name}'.": "“{name}”前面缺少一个数。",
    "The expression ends where a number is expected.": "算式没有写完，最后缺少一个数。",
    "Two numbers stand side by side: '{text}' is the second.": "两个数连在一起：第二个是“{text}”。",
    "A sum, an average, a minimum or the like needs at least one number.": "求和、平均或最值至少需要一个数。",
    "A date, a time, a version or the number of a telephone or an order is not computed.": (
        "日期、时间、版本号、电话号码和单号不作计算。"
    ),
    "Amounts in several currencies, or of several kinds, are not computed together.": (
        "不同货币或不同种类的量不能一起计算。"
    ),
    "Write it like 2480 * 15%, (3 + 4)^2, sqrt(144), 2480的15% or 72 °F in °C.": (
        "可以写成 2480 * 15%、(3 + 4)^2、2480的15% 或 72 °F 换算成 °C。"
    ),
    # the hub
    "There is no tool '{tool}'; did you mean {near}?": "没有名为“{tool}”的工具，您要找的是不是：{near}？",
    "There is no tool '{tool}'; `tools list` shows those there are.": (
        "没有名为“{tool}”的工具，`tools list` 可以列出现有的工具。"
    ),
    "{tool} ended its own call before it had a result.": "{tool} 还没有结果就自行中止了。",
    "{tool} ({source}) failed: {said}": "{tool} 失败：{said}。",
    "That failed too: {said}": "那也失败了：{said}。",
    "Asked instead, for the same purpose: {near}.": "改用了同类的工具：{near}。",
    "The MCP server '{server}' is not available: {said}. It is tried again.": (
        "MCP 服务“{server}”不可用：{said}，稍后会重试。"
    ),
    "The MCP server '{server}' did not answer within {seconds} s.": "MCP 服务“{server}”在 {seconds} 秒内没有回应。",
    "The MCP server '{server}' was not ready within {seconds} s.": "MCP 服务“{server}”在 {seconds} 秒内没有就绪。",
    "The MCP server '{server}' ended during this call: {said}.": "MCP 服务“{server}”在调用中途结束：{said}。",
    "The MCP server '{server}' refused this call: {said}": "MCP 服务“{server}”拒绝了这次调用：{said}。",
    "The skill '{skill}' works with a model, and this run has none.": "技能“{skill}”需要模型，而这次没有接入模型。",
    "Set a model, or ask for something that tools can do by themselves.": "请接入模型，或者改问工具自己能完成的事。",
    # the network
    "{url} redirected to {there}, which is a private address.": "{url} 重定向到了 {there}，那是内部网络的地址。",
    "{url} redirected to {there}.": "{url} 重定向到了 {there}。",
    "{url} redirects to a '{scheme}' address, which is not fetched.": "{url} 重定向到“{scheme}”地址，不予访问。",
    "{url} redirects more than {most} times, in a circle.": "{url} 在循环重定向，超过了 {most} 次。",
    "{url} redirects more than {most} times.": "{url} 重定向超过了 {most} 次。",
    "'{host}' leads into a private, local or reserved network, which tools do not reach.": (
        "“{host}”属于内部、本机或保留的网络，工具不会访问。"
    ),
    "Use a public address, or have the owner allow this one: APP_ALLOW_PRIVATE={host}.": (
        "请使用公网地址，或者由所有者设置 APP_ALLOW_PRIVATE={host} 来允许它。"
    ),
    "The address of '{host}' cannot be found; check its spelling.": "找不到“{host}”的地址，请检查拼写。",
    "The address of '{host}' cannot be found; name look-up does not work at the moment.": (
        "找不到“{host}”的地址：目前无法解析域名。"
    ),
    "{url} did not answer within {seconds} s.": "{url} 在 {seconds} 秒内没有回应。",
    "{url} cannot be reached: {system}.": "无法连接 {url}：{system}。",
    "{url} cannot be reached.": "无法连接 {url}。",
    "{url} answered with status {status}.": "{url} 返回了状态 {status}。",
    "'{name}' names another method, which the action read does not send.": (
        "“{name}”指定了另一种方法，read 操作不会发送它。"
    ),
    "Use the action send, with that method.": "请改用 send 操作，并写明该方法。",
    "{url} is not a page with text but {media}.": "{url} 不是文字网页，而是 {media}。",
    "{url} answers with more than {size}, which is not read; ask for less of it.": (
        "{url} 的内容超过 {size}，不予读取，请缩小范围。"
    ),
    "'{url}' cannot be read as a URL.": "“{url}”不是能看懂的网址。",
    "Write it in full, like https://example.com/page.": "请写完整的网址，例如 https://example.com/page。",
    "No search engine is set.": "没有设置搜索引擎。",
    "Set APP_SEARCH_PROVIDER to searxng (with APP_SEARCH_URL, the address of the instance), or to tavily or brave "
    "(with APP_SEARCH_KEY).": (
        "请将 APP_SEARCH_PROVIDER 设为 searxng（并用 APP_SEARCH_URL 给出服务地址），"
        "或设为 tavily、brave（并用 APP_SEARCH_KEY 给出密钥）。"
    ),
    "{engine} needs APP_SEARCH_URL, the address of the instance.": "{engine} 需要用 APP_SEARCH_URL 给出服务地址。",
    "{engine} needs APP_SEARCH_KEY, the key of your account there.": "{engine} 需要用 APP_SEARCH_KEY 给出密钥。",
    "Check APP_SEARCH_KEY.": "请检查 APP_SEARCH_KEY。",
    # what is said around a stranger's words
    "{tool} failed: {said}": "{tool} 出错：{said}。",
    "{tool}: {problem} Fields: {fields}.": "{tool} 的参数不对（原文：“{problem}”），可用的参数：{fields}。",
}


def translated(text: str) -> str | None:
    """The Chinese of a text that is made of our own sentences; None where one of them is not ours."""
    chinese, rest = "", text.strip()
    while rest:
        found = (match for form in _forms() if (match := form.match(rest)))
        match = next(found, None)
        if match is None:
            return None
        fields = {name: _value(name, str(match[name])) for name in match.re.groupindex}
        chinese += _forms()[match.re].format(**fields)
        rest = rest[match.end() :].lstrip("; ")
    return chinese or None


@cache
def _forms() -> dict[re.Pattern[str], str]:
    return {re.compile(_expression(en), re.DOTALL): zh for en, zh in TOOL_REASONS.items()}


def _expression(form: str) -> str:
    fields = _FIELD.sub(
        lambda field: f"(?P<{field[1]}>.+)" if field[1] == "said" else rf"(?P<{field[1]}>(?:(?!\.\s).)+?)",
        re.escape(form),
    )
    return fields + (r"(?=\s|$)" if form.endswith((".", "?")) else r"(?=;\s|$)")


def _value(name: str, value: str) -> str:
    if name == "said":  # a reason inside a reason
        return said(value, "zh").rstrip("。")
    if name == "near":  # Atlanta (亚特兰大)
        return "、".join(_NAMED_TWICE.sub(r"\1", part).strip("'") for part in re.split(r", | or ", value))
    if name == "cities":
        return "、".join(place.name_zh if (place := zone_of(city)) else city for city in value.split(", "))
    return _VALUES.get(name, {}).get(value, value)
