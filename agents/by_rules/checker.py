"""Checks without a model: what is empty, what looks like an error, numbers, times, the declared shape (R6.1).

And whether a result is about what was asked: one that repeats an argument repeats it as it was.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from switchyard.agents.prompt import Prompt
from switchyard.language.messages import Message, message, quoted
from switchyard.language.numbers import find_numbers
from switchyard.language.places import zone_of
from switchyard.language.tokeniser import has_chinese, tokens, words
from switchyard.language.words import is_asked
from switchyard.ledger.decisions import Verdict
from switchyard.toolhub.calling.arguments import safe_validator
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.plain_words import kind_of_value
from switchyard.tools.core.spec import ToolSpec

if TYPE_CHECKING:
    from jsonschema import ValidationError

_ERROR_LIKE = re.compile(
    r"^\s*(?:traceback \(most recent|\w*(?:error|exception)\s*(?:[:：]|\d|in\b|$)|fatal\s*[:：]"
    r"|(?:错误|异常|失败|出错)(?:\s*[:：]|\S{0,4}\s*$)"
    r"|(?:http\S*\s+)?[45]\d\d\s+(?:bad|unauthori|forbidden|not |method|request|gone|too many|internal|gateway|service)"
    r"|(?:access denied|permission denied|not found|forbidden|unauthori[sz]ed|internal server error|bad gateway"
    r"|service unavailable|too many requests|request failed|invalid (?:api )?key)\W*$"
    r"|(?:数据)?(?:查询|请求|调用|获取|读取|连接|操作|执行|处理|加载|登录|解析|更新|写入|发送|服务|系统|接口|网络)"
    r"(?:失败|出错|异常|错误|超时|不可用)(?:了|\W|$))",
    re.IGNORECASE,
)
"""Not every text that begins with the word: "Error handling in Python" is an answer."""
_FOUND_NOTHING = re.compile(
    r"\b(?:could|can|was|were|is|are)(?:n['’]t| ?not) (?:be )?"
    r"(?:found|find|determin|answer|tell|access|retriev|read|say|know)"
    r"|\bunable to\b|\bno (?:information|data|answer|result)s?\b"
    r"|\b(?:do|does)(?:n['’]t| not) (?:know|say|contain|have)\b"
    r"|\bunknown\b|未能|无法|没有?(?:找到|查到|提供|说明|提到)|[查找]不到|不知道|不清楚|未知|未[找查]到",
    re.IGNORECASE,
)
_SHORT_REPLY = 160
"""Characters of a reply that says nothing else."""
_SAYS = ("message", "msg", "error", "errors", "detail", "details", "reason", "error_message", "errmsg", "description")
_AROUND = frozenset(
    {"code", "status", "status_code", "success", "ok", "data", "result", "results", "errcode", "error_code"}
)
"""The fields of a reply that has nothing but its own state to tell, beside what it says about that."""
_FAILED = frozenset({"error", "fail", "failed", "failure", "错误", "失败", "异常"})
_HTTP_ERROR = 400
_SHORT_PAGE = 120
"""Characters of a page that says one thing only."""
_KINDS = {"object": "dict", "array": "list", "string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_MOMENTS: dict[str, Callable[[str], object]] = {
    "date-time": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_IDENTIFIES = re.compile(r"(?:^|_)(?:id|code|no|number|symbol|编号|代码|编码)$", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[\w.-]{1,40}")
_NAMES = re.compile(
    r"(?:^|_)(?:name|city|town|country|region|place|location|station|currency|ticker|user|player|team|airport|site"
    r"|reservoir|river|company|product|language|城市|地点|站名|名称|站|国家)$",
    re.IGNORECASE,
)
"""Arguments that say what a call is about: a result that repeats one is about the same, or about something else."""
_ALIKE = 50
"""Likeness from which on two names may mean the same: München and Munich do."""
_NUMBER = re.compile(r"(?<![\w.])\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?!\w*\.\w)")
_ROUNDED = 0.006
"""How far a number may be from the one it was rounded from."""
_COUNTING = 20
_READ, _SPELLED = 100_000, 2_000
"""Characters that are searched for numbers in figures, and for numbers in words."""
_MOST_VALUES = 20_000
"""Values of results that an answer is compared with."""
SAME_PURPOSE = 0.6
"""Jaccard of two steps' wordings from which on they are after the same thing."""
_DATA = re.compile(r"<data>.*?</data>", re.DOTALL)
_SHORTEST_ECHO = 12
"""Characters from which on a text that stands in a prompt was taken from there."""
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_RUN, _FEWEST_COPIED, _COPIED_SHARE = 4, 4, 4
"""Words in a row; how many such runs, and which part of a text, are no chance where they stand in its instructions."""
DISAGREE = 0.2
"""Jaccard of two results below which they disagree."""


def check(result: Any, spec: ToolSpec | None, arguments: Mapping[str, Any] = MappingProxyType({})) -> Verdict:
    """Whether a result of a call can be believed at all. An empty list is a result; so is a zero."""
    if result is None or result == "":
        return Verdict(verified=True, confidence=0.5, issues=[message("nothing_came_back")])
    problem = _not_a_number(result) or error_like(result) or _about_another(result, arguments)
    if problem is None and spec is not None:
        problem = (_bad_time(result) if spec.category == "time" else None) or _wrong_shape(result, spec.returns_schema)
    if problem is not None:
        return Verdict(verified=False, confidence=0.0, issues=[problem])
    return Verdict(verified=True, confidence=0.9)


def no_answer(question: str, text: str, prompt: Prompt, today: str) -> bool:
    """Whether a text that a model gives as its answer is none: JSON, marks of ours, or what it was told."""
    said = " ".join(text.split())
    if not re.search(r"\w", said) or said[0] in "{[<" or ("<data>" in said and "<data>" not in question):
        return True
    return is_echo(question, text, prompt, today)


def is_echo(question: str, text: str, prompt: Prompt, today: str) -> bool:
    """Whether a text is the question again, or was taken from the prompt, or from the line of the calendar in it."""
    said = " ".join(text.split())
    if _bare(said) == _bare(question):
        return True
    # what a tool found, or a step thought up, may be told word for word
    user = " ".join(_DATA.sub(" ", prompt.user.replace(question, " ")).split())
    echoed = said.rstrip(".。 ")
    if len(said) >= _SHORTEST_ECHO and any(echoed in told for told in (_flat(prompt.system), user, today)):
        return True
    runs = _runs(said)
    copied = runs & _runs(f"{prompt.system} {today}")
    copied = copied - _runs(prompt.user) if len(copied) >= _FEWEST_COPIED else copied
    return len(copied) >= _FEWEST_COPIED and len(copied) * _COPIED_SHARE >= len(runs)


@lru_cache(maxsize=32)
def _flat(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=32)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """The words of a text, so many in a row; the same instructions are compared with again and again."""
    found = _WORD.findall(text.casefold())
    return frozenset(zip(*(found[at:] for at in range(_RUN)), strict=False))


def finds_nothing(text: Any) -> bool:
    """Whether what was reasoned says that there is no answer."""
    return isinstance(text, str) and len(text) <= _SHORT_REPLY and _FOUND_NOTHING.search(text) is not None


def has_something_of(text: str, result: Any, question: str) -> bool:
    """Whether an answer has at least one value that a step found and the question does not say itself."""
    values = [*islice(_values(result), _MOST_VALUES)]
    asked, figures = sorted(_numbers_in(question)), sorted(_figures(values))
    if any(_is_told(one, figures) and not _is_told(one, asked) for one in _written(text)):
        return True  # most often: no word need be looked at
    said = [one for one in _numbers_in(text) if not _is_told(one, asked)]
    if any(_is_told(one, figures) for one in said):
        return True
    texts = _texts_of(values)
    numbers = sorted({*figures, *_numbers_in(texts)})
    if finds_nothing(text) and (not values or 0.0 in numbers):
        return True  # there is nothing, and it says so
    told = {word for word in words(texts) if not word.isdecimal()} - {*words(question)}
    if not told and all(_is_told(one, asked) for one in numbers):
        return True  # there is nothing to tell
    if told & {*words(text)} or any(_is_told(one, numbers) for one in said):
        return True
    return bool(told) and has_chinese(texts) is not has_chinese(text)  # what is translated has other words


def numbers_of_nobody(text: str, known: Sequence[Any]) -> list[str]:
    """The numbers of an answer that neither the question nor a result has, as far as they are no rounding of one."""
    values = [*islice(_values([*known], names=True), _MOST_VALUES)]
    said = dict.fromkeys(_NUMBER.findall(text))
    figures = sorted(_figures(values))
    # small ones count what is listed, or number it
    left = [one for one in said if _read(one) > _COUNTING and not _is_told(_read(one), figures)]
    for numbers in (_written, _numbers_in):  # to look for words takes longer
        given = sorted(numbers(_texts_of(values))) if left else []
        left = [one for one in left if not _is_told(_read(one), given)]
    return left


def _values(value: Any, *, names: bool = False) -> Iterator[Any]:
    """Every value in a result, and how many there are of a list; the names of fields where they are wanted."""
    if is_mapping(value):
        for name, inner in value.items():
            yield from _values(inner, names=names)
            if names:
                yield str(name)
    elif is_list(value):
        yield len(value)
        for inner in value:
            yield from _values(inner, names=names)
    elif value is not None:
        yield value


_NUMERIC = (int, float, Fraction)


def _figures(values: Iterable[Any]) -> set[float]:
    """The sizes of the numbers among values; of those that no float can tell, nothing."""
    found: set[float] = set()
    for value in values:
        if type(value) in _NUMERIC:  # a `bool` is none; and `isinstance` asks a `Fraction` slowly
            try:
                found.add(abs(float(value)))
            except OverflowError:
                continue
    return {one for one in found if math.isfinite(one)}


def _texts_of(values: Iterable[Any]) -> str:
    return " ".join(value for value in values if isinstance(value, str))[:_READ]


def _numbers_in(text: str) -> set[float]:
    """The sizes of the numbers of a text, those in words too."""
    return {*_written(text), *_figures(one.value for one in find_numbers(text[:_SPELLED]))}


def _written(text: str) -> set[float]:
    """The sizes of the numbers that a text has in figures."""
    return {*map(_read, _NUMBER.findall(text))}


def _read(number: str) -> float:
    return float(number.replace(",", ""))


def _is_told(number: float, told: Sequence[float]) -> bool:
    """Whether a number is among others, in their order: as it is, as a share, in thousands, or with fewer digits."""
    for factor in (1, 100, 0.01, 1e3, 1e-3, 1e6, 1e-6, 1e4, 1e-4, 1e8, 1e-8):
        form = number * factor
        at = bisect_left(told, form * (1 - _ROUNDED))
        while at < len(told) and told[at] <= form * (1 + _ROUNDED):
            if _digits(told[at]) != _digits(form) or math.isclose(told[at], form):
                return True
            at += 1
    return False


def _digits(number: float) -> int:
    """How many figures a number is told with."""
    return len(f"{number:.12g}".partition("e")[0].replace(".", "").strip("0"))


def disagreement(wording: str, excerpt: str, other_wording: str, other_excerpt: str) -> bool:
    """Whether two steps that were after the same thing found different things. Advice, not a verdict."""
    numbers, others = _numbers_in(excerpt), sorted(_numbers_in(other_excerpt))
    if numbers and others and _purpose(wording) == _purpose(other_wording):
        return not any(_is_told(one, others) for one in numbers)
    return _jaccard(wording, other_wording) >= SAME_PURPOSE and _jaccard(excerpt, other_excerpt) < DISAGREE


def _purpose(wording: str) -> set[str]:
    return {word for word in words(wording) if not is_asked(word)}


def _jaccard(left: str, right: str) -> float:
    a, b = set(tokens(left)), set(tokens(right))
    return len(a & b) / len(a | b) if a | b else 1.0


def _not_a_number(value: Any) -> Message | None:
    endless = (one for one in _values(value) if isinstance(one, float) and not math.isfinite(one))
    return next((message("no_number_to_answer", number=one) for one in endless), None)


def error_like(value: Any) -> Message | None:
    """What is wrong with a result that is none: it reads like an error, or carries one."""
    if isinstance(value, str) and _ERROR_LIKE.search(value):
        return message("reads_like_error", text=value.strip()[:80])
    if not is_mapping(value):
        return None
    if {"url", "status"} & value.keys():  # a reply from elsewhere, whose body may say that it is none
        body = next((value[name] for name in ("json", "body", "text") if value.get(name)), None)
        is_page = isinstance(body, str) and len(body) > _SHORT_PAGE
        if not is_page and (problem := error_like(body)):
            return problem
    if error := value.get("error"):
        return message("carries_error", text=str(error)[:80])
    said = next((str(value[name]) for name in _SAYS if value.get(name)), "")
    gives = any(content for name, content in value.items() if name not in {*_AROUND, *_SAYS})
    gives = gives or any(value.get(name) for name in ("data", "result", "results"))
    if _reports_failure(value) and not gives:
        return message("carries_error", text=said[:80] or "success: false")
    return None


def _reports_failure(fields: Mapping[str, Any]) -> bool:
    """Whether a reply says of itself that it is none: `success: false`, a failed status, a code of HTTP's errors."""
    if fields.get("success") is False or fields.get("ok") is False:
        return True
    codes = [fields.get(name) for name in ("code", "status", "status_code", "errcode", "error_code")]
    if any(isinstance(code, str) and code.lower() in _FAILED for code in codes):
        return True
    return any(isinstance(code, int) and (code < 0 or _HTTP_ERROR <= code < 2 * _HTTP_ERROR) for code in codes)


def _about_another(value: Any, arguments: Mapping[str, Any]) -> Message | None:
    """Berlin was asked for, and the result says that it is about Paris."""
    told = {name.lower(): field for name, field in value.items()} if is_mapping(value) else {}
    for name, asked in arguments.items():
        found = told.get(name.lower())
        if isinstance(found, str | int) and isinstance(asked, str | int) and _differ(name, str(asked), str(found)):
            return message("about_another", name=name, asked=str(asked)[:60], found=str(found)[:60])
    return None


def _differ(name: str, asked: str, found: str) -> bool:
    one, other = _bare(asked), _bare(found)
    if not one or not other or one in other or other in one:
        return False
    if _IDENTIFIES.search(name):
        are_codes = _IDENTIFIER.fullmatch(asked) and _IDENTIFIER.fullmatch(found)  # not texts, such as a program's
        alike = one.isascii() == other.isascii() and any(map(str.isdigit, one)) == any(map(str.isdigit, other))
        return bool(are_codes and alike)
    if not _NAMES.search(name):
        return False
    places = zone_of(asked), zone_of(found)
    if places[0] and places[1]:  # in whatever language
        return places[0].name_en != places[1].name_en and places[0].name_zh != places[1].name_zh
    shortest = min(len(one), len(other))
    # DE and Germany mean the same, and so may other short forms
    if one.isascii() != other.isascii() or shortest < (4 if one.isascii() else 2):
        return False
    from rapidfuzz import fuzz  # noqa: PLC0415  few results repeat an argument in another form

    return max(fuzz.ratio(one, other), fuzz.partial_ratio(one, other)) < _ALIKE


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold().removesuffix("市")


def _bad_time(value: Any) -> Message | None:
    if isinstance(value, str) and _CLOCK.fullmatch(value.strip()):
        return _not_read(value.strip(), "time", lambda text: time.fromisoformat(text.zfill(len("00:00"))))
    for name, read in (("time", datetime.fromisoformat), ("date", date.fromisoformat)):
        text = value.get(name) if is_mapping(value) else None
        if isinstance(text, str) and (problem := _not_read(text, name, read)):
            return problem
    return None


def _not_read(text: str, what: str, read: Callable[[str], object]) -> Message | None:
    try:
        read(text)
    except ValueError:
        return message("is_not_a", text=text, what=message(f"moment.{what}"))
    return None


def _wrong_shape(value: Any, schema: Mapping[str, Any] | None) -> Message | None:
    """What of a result is not as its tool promised, whole: fields, types, ranges, values, formats, items."""
    if not schema:
        return None
    try:
        errors = safe_validator(schema, format=_format).iter_errors(value)
        return next((_told(error) for error in errors if error.instance is not None or not error.path), None)
    except Exception:  # noqa: BLE001  a schema can be broken in more ways than jsonschema has errors for
        return None


def _format(_: Any, wanted: Any, value: Any, __: Any) -> Any:
    """The formats of moments; others are the tool's own business."""
    if isinstance(value, str) and wanted in _MOMENTS and _not_read(value, "time", _MOMENTS[wanted]):
        from jsonschema import ValidationError  # noqa: PLC0415  comes with the SDK, which is loaded late

        yield ValidationError(f"{value!r} is not a {wanted}")


def _told(error: "ValidationError") -> Message:
    wanted: Any = error.validator_value
    if error.validator == "required":
        fields = [name for name in wanted if name not in cast("Mapping[str, Any]", error.instance)]
        problem = message("promised_fields_missing", fields=fields)
    elif error.validator == "type" and wanted in _KINDS:
        problem = message(
            "promised_otherwise", what=message(f"value.{_KINDS[wanted]}"), found=kind_of_value(error.instance)
        )
    else:
        problem = message("promised_value", problem=quoted(error.message[:160]))
    where = ".".join(map(str, error.absolute_path))
    return message("in_field", name=where, problem=problem) if where else problem
