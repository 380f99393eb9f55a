"""The sentences that are still recognised by their English, until each is a message of the catalogue."""

import re
from functools import cache

from switchyard.language.messages import said

_FIELD = re.compile(r"\\\{(\w+)\\\}")
_NAMED_TWICE = re.compile(r".+ \(([^()]*[\u3400-\u9fff][^()]*)\)")


TOOL_REASONS: dict[str, str] = {
    # places, dates and times
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
    "Primes are looked for among whole numbers from 2 to {most}.": "只在 2 到 {most} 的整数中查找质数。",
    "Only whole numbers are written in hexadecimal, binary or octal.": "只有整数才能写成十六进制、二进制或八进制。",
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
    return value
