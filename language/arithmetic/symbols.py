"""What operators and functions are called, before a value, after it or between two, in English and Chinese."""

import re
from collections.abc import Mapping, Sequence

SCALAR_FUNCTIONS = {
    "floor": ("floor|round down", "rounded down|向下取整"),
    "ceil": ("ceil|ceiling|round up", "rounded up|向上取整"),
    "exp": ("exp", ""),
    "log2": ("log2", ""),
    "log10": ("log10|lg", ""),
    "ln": (r"ln|natural log(?:arithm)?", "的?自然对数"),
    "sin": ("sin|sine", "的?正弦值?"),
    "cos": ("cos|cosine", "的?余弦值?"),
    "tan": ("tan|tangent", "的?正切值?"),
    "factorial": ("factorial", r"!|的?阶乘|factorial(?!\s*(?:\(|of\b))"),
    "deg": ("", "°|degrees?|度"),
    "pct": ("百分之", "percent|per cent|%"),
    "sqrt": (r"sqrt|square root|square-root|√|根号|root(?=\s+of\b)", "的?(?:算术)?平方根|开平方|开根号|开方"),
    "cbrt": (r"cbrt|cube root|cubic root", "的?立方根|开立方"),
    "square": (r"square(?=\s+of\b)", ""),
    "cube": (r"cube(?=\s+of\b)", ""),
    "multiple": ("", "倍"),
    "double": ("double|twice", "doubled|翻一?倍|翻一番"),
    "triple": ("triple|treble|thrice", "tripled|trebled"),
    "quadruple": ("quadruple", "quadrupled|翻两番"),
    "half": ("halve", "halved|减半"),
    "reciprocal": ("reciprocal", "的?倒数"),
    "abs": ("abs|absolute value", "的?绝对值"),
}
"""Functions of one value: what they are called before it and after it; below, those of a list."""
LIST_FUNCTIONS = {
    "gcd": (
        "greatest common (?:divisor|factor|denominator)|highest common factor|gcd|gcf|hcf",
        "的?最大公[约因]数",
    ),
    "lcm": ("(?:least|lowest|smallest) common (?:multiple|denominator)|lcm", "的?最小公倍数"),
    "min": ("minimum|min|smallest|lowest|least", "的?最小[值数]|[中里]最小的数?"),
    "max": ("maximum|max|largest|highest|greatest|biggest", "的?最大[值数]|[中里]最大的数?"),
    "sum": ("sum|total", "的?总和|的?合计|的和|之和|相加(?:的和)?"),
    "product": ("product", "的?乘?积|之积|相乘"),
    "distance": ("(?:positive |absolute )?difference between", ""),
    "difference": ("difference", "的差|之差|相减"),
    "quotient": ("quotient", "的商|之商|相除"),
    "mean": ("(?:arithmetic )?(?:average|mean)|avg", "的?平均[值数分]?|的?均值"),
    "median": ("median", "的?中位[数值]"),
    "mode": ("mode", "的?众数"),
    "spread": ("range", "的?极差"),
    "sample_deviation": ("sample standard deviation", "的?样本标准差"),
    "deviation": ("(?:population )?(?:standard deviation|std dev|stdev|std)", "的?(?:总体)?标准差"),
    "sample_variance": ("sample variance", "的?样本方差"),
    "variance": ("(?:population )?variance", "的?(?:总体)?方差"),
}
OPERATORS = {
    "**": r"(?:raised )?to the power(?: of)?|raised to(?! the \S+ power)|\*\*|\^",
    "//": "//",
    "%": r"modulo|mod|取余|取模|(?<=\s)%(?=\s)|(?<!\s)%(?=\S)",
    "*": r"multiplied (?:by|with)|times|乘以|乘上|乘|[x×*]",
    "/": "divided by|over|除以|[/÷]",
    "+": "[+]",
    "+ ": "plus|added to|increased by|(?:增加|增长|上涨|涨|提高)了?(?!到|至)|加上|加(?!起来|到|在一起)",
    "-": "minus|negative|负|[-]",
    "- ": r"decreased by|reduced by|less(?! than)|take away|(?:减少|下降|降低|下跌|降)了?(?!到|至)|减去|减掉|减",
}
"""A space behind the name: the word stands between two values only, never as a sign before one."""
POWERS = {"2": "²", "3": "³", " 2": "squared|的?平方(?!根)", " 3": "cubed|的?立方(?!根)"}
_INNER = "discounted saved significant to_multiple shares larger_share smaller_share series choices grown shrunk"
TAKE_SEVERAL = {name: name for name in ("round", "log", "pow", "root")} | {
    name: rf"{name}(?=\()" for name in (*LIST_FUNCTIONS, *_INNER.split())
}
"""Functions that are written with brackets and take more than one value, but are none of a list; the later ones are
only named by our own outcomes."""
CONSTANTS = {"pi": "pi|π|圆周率", "e": "e"}
JOINTS = {"off": "(?:off|discount on)(?: of)?", "part": "of", "share": "的"}
SEPARATORS = {",": r"[,;、]\s*(?:and\b|和|以及|还有)|[,;、和与跟及]|还有|and\b"}


def side(table: Mapping[str, tuple[str, str]], number: int) -> dict[str, str]:
    """What the functions of a table are called on one side of their values."""
    return {name: words[number] for name, words in table.items() if words[number]}


def pattern(names: Sequence[str]) -> re.Pattern[str]:
    """All names as groups `s0`, `s1`, … of one pattern; a word made of letters must not run on into another letter."""
    groups = (rf"(?P<s{n}>(?:{words})(?:(?<![a-z0-9])|(?![a-z])))" for n, words in enumerate(names))
    return re.compile("|".join(groups))
