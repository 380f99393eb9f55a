"""An answer in whole sentences without a model, in the language of the question (R6.2)."""

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from switchyard.language.messages import is_known, joined, message, said
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.context import ExecutionContext, StepRecord
from switchyard.ledger.limits import LimitName
from switchyard.ledger.plan import Declined, Plan, Step
from switchyard.toolhub.excerpts import cut
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.spec import Language, ToolSpec

TEXT_LENGTH = 1500
ROWS_SHOWN = 20
LEFT_OUT_SHOWN = 5

_COUNTS = re.compile(
    r"\bhow (?:many|long|big)\b|(?<![\w.#-])count\b|\bnumber of\b|多少|几[行个字词]|统计", re.IGNORECASE
)
_LISTS = re.compile(r"\b(?:which|what|list|show|name|names|where)\b|哪|什么|列|分别", re.IGNORECASE)
"""Asks to see what is counted, too."""
_NO_PLURAL = frozenset({"is", "has", "was", "does", "as", "its", "this"})
_COUNTED = re.compile(r"\{(?P<name>\w+)\} (?P<noun>[a-z]+s)\b")


def sentence_for(step: Step, result: Any, spec: ToolSpec | None, language: Language, about: str = "") -> str:
    """A result as a sentence: by its tool's own template, else by what the result is; and what was left out of it.

    `about`: what the tool was asked about, for results that do not say it themselves.
    """
    if step.call is not None and step.call.about:
        return told_rows(step.call.about, result, language)
    said = _said(step, result, spec, language, about)
    missing = left_out(result, language)
    return f"{said}\n{missing}" if missing else said


_COUNTED_ROWS = {message("row_count").text(language) for language in ("en", "zh")}


def told_rows(about: str, result: Any, language: Language) -> str:
    """The rows of a query after what it asked: one figure, figures by name, or a list."""
    given: list[Any] = _fields(result).get("rows") or []
    rows = [_fields(row) for row in given]
    colon, comma = ("：", "，") if language == "zh" else (": ", ", ")
    text = _fields(result).get("text")
    if isinstance(text, str):
        return f"{text.strip()}（{about}）" if language == "zh" else f"{text.strip()} ({about})"
    if not rows:
        return _ended(about + colon + message("nothing_found").text(language), language)
    listed = [comma.join(f"{name}{colon}{shown(value, language)}" for name, value in row.items()) for row in rows]
    if all(len(row) == 1 for row in rows):
        listed = [shown(next(iter(row.values())), language) for row in rows]
    if len(rows) == 1:
        name = next(iter(rows[0]))
        counted = f"{name} {listed[0]}" if language == "zh" else f"{listed[0]} {name}"
        figure = counted if name in _COUNTED_ROWS else f"{name} = {listed[0]}"
        return _ended(about + colon + (figure if len(rows[0]) == 1 else listed[0]), language)
    total = _fields(result).get("total", 0)
    return "\n".join([about.rstrip() + colon.rstrip(), *_listed(listed, language, total)])


def left_out(result: Any, language: Language) -> str:
    """Which files a tool did not look at, and why; nothing where its result names none under `skipped`."""
    skipped = _fields(_fields(result).get("skipped"))
    count, listed = skipped.get("count"), skipped.get("files")
    files = [_fields(file) for file in listed] if is_list(listed) else []
    if not isinstance(count, int) or not files or not all({"path", "reason"} <= file.keys() for file in files):
        return ""
    few = files[:LEFT_OUT_SHOWN]
    # a tool of a stranger's may have reasons of its own
    known = {file["reason"] for file in few}
    why = {one: message(f"left_out.{one}") if is_known(f"left_out.{one}") else str(one) for one in known}
    each = [message("file_left_out", path=file["path"], why=why[file["reason"]]) for file in few]
    more = [message("more_rows", count=count - len(each))] if count > len(each) else []
    return _ended(message("files_left_out", count=count, which=[*each, *more]).text(language), language)


def _fields(value: Any) -> Mapping[str, Any]:
    return value if is_mapping(value) else {}


def _said(step: Step, result: Any, spec: ToolSpec | None, language: Language, about: str) -> str:
    if is_mapping(result):
        head = _by_template(spec, result, language)
        counts = _COUNTS.search(step.description)
        counts_rows = counts and isinstance(result.get("count", result.get("rows")), int)
        only_counts = head and counts_rows and not _LISTS.search(step.description)
        listed = [] if only_counts else _rows(result, spec, language)
        text = result.get("text")
        counts = counts and (head is None or _tells_figure(spec, result, language))
        if isinstance(text, str) and not counts and not result.get("links"):
            listed.append(cut(text.strip(), TEXT_LENGTH))
        if head is not None:
            return "\n".join([_ended(head, language), *listed])
        return "\n".join(listed) if listed else described(result, spec, language, about)
    if is_list(result):
        if not result:
            return _ended(message("nothing_found").text(language), language)
        return "\n".join(_listed([sentence_for(step, item, spec, language) for item in result], language))
    return _ended(shown(result, language), language)


def described(fields: Mapping[str, Any], spec: ToolSpec | None, language: Language, about: str = "") -> str:
    """A result of a tool that has no sentence of its own: its fields, as the tool calls them."""
    called = names_in(spec.returns) if spec else {}
    said: list[str] = []
    for name, value in fields.items():
        label, unit = called.get(name, (name.replace("_", " "), ""))
        if value == []:
            said.append(f"没有 {label}" if language == "zh" else f"there are no {label}")
        elif language == "zh":
            label = label if has_chinese(label) else f"{label} "
            said.append(f"{label}为{shown(value, language)}{unit if has_chinese(unit) else ' ' + unit if unit else ''}")
        else:
            said.append(f"the {label} is {shown(value)}{' ' + unit if unit else ''}")
    if language == "zh":
        return _ended((f"{about}：" if about else "") + "，".join(said), language)
    text = " and ".join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)
    text = f"For {about}, {text}" if about else text
    return _ended(text[:1].upper() + text[1:], language)


_RETURNED = re.compile(
    r"(?P<zh>\w+)\s*[：:]\s*(?P<label>[^，,；;（()]+)(?:[（(](?P<unit>[^）)]+)[）)])?"
    r"|(?P<en>[a-z_]\w*)\s+in\s+(?P<in>[A-Za-z ]+?)(?=[,;.]|$)"
)


def names_in(returns: str) -> dict[str, tuple[str, str]]:
    """What a tool's `returns` calls its fields, with their units: "water_level：水位（米）", "humidity in percent"."""
    found: dict[str, tuple[str, str]] = {}
    for match in _RETURNED.finditer(returns):
        if match["zh"]:
            found[match["zh"]] = (match["label"].strip(), match["unit"] or "")
        else:
            found[match["en"]] = (match["en"].replace("_", " "), match["in"].strip())
    return found


def _template(spec: ToolSpec | None, language: Language) -> str:
    return (spec.answers.get(language) or spec.answers.get("en") or "") if spec else ""


def _by_template(spec: ToolSpec | None, fields: Mapping[str, Any], language: Language) -> str | None:
    template = _template(spec, language)
    return _filled(template, fields, language) if template else None


def _tells_figure(spec: ToolSpec | None, fields: Mapping[str, Any], language: Language) -> bool:
    """Whether a tool's own sentence has a number of its result: the text need not be shown to who counts."""
    names = (name for _, name, _, _ in Formatter().parse(_template(spec, language)) if name)
    return any(isinstance(fields.get(name), int | float) for name in names)


def problems_of(plan: Plan | None, context: ExecutionContext) -> list[str]:
    """What was not done, each with its reason, in the language of the question."""
    language = context.language
    problems: list[str] = []
    planned = {step.id for step in plan.steps} if plan else set[str]()
    first = context.original_plan.steps if context.original_plan else []
    # what an earlier plan tried in vain is told where the last one did not do it either
    given_up = [one for one in first if one.id not in planned and context.status(one.id) == "failed"]
    whole = plan is not None and all(context.is_good(step.id) for step in plan.steps)
    for step in [*(plan.steps if plan else []), *([] if whole else given_up)]:
        record = context.steps.get(step.id) or StepRecord(step_id=step.id)
        if record.status == "done":
            continue
        if record.problem == "switched_off":
            off = message("switched_off", task=step.description, tools=", ".join(record.withheld))
            problems.append(off.text(language))
        elif record.problem in {"no_tool", "needs_model"}:
            problems.append(said(declined(step), language))
        elif record.status == "failed":
            error = said(record.error or "", language, record.error_type or "crash").rstrip(".")
            failed = message("step_failed", task=step.description, error=error)
            problems.append(_ended(failed.text(language), language))
        else:
            problems.append(_ended(message(f"step.{record.status}", task=step.description).text(language), language))
    return problems + [stopped_at(limit, language) for limit in context.limits_hit]


def declined(step: Step) -> str:
    """That nothing serves a step without a model, and what may help."""
    known = step.declined or Declined()
    if known.is_skill:
        return message("made_for_a_skill", task=step.description, skill=known.nearest)
    parts = [message("needs_model", task=step.description)]
    parts += [message("words_not_understood", words=known.words)] if known.words else []
    parts += [message("nearest_tool", tool=known.nearest, example=known.example)] if known.example else []
    return joined(*parts)


def stopped_at(limit: LimitName, language: Language) -> str:
    """That a limit ended the run."""
    return message("stopped_at_limit", limit=message(f"limit.{limit}")).text(language)


def shown(value: Any, language: Language = "en") -> str:
    """A value as people write it: no trailing zeros, no quotes."""
    comma = "，" if language == "zh" else ", "
    if isinstance(value, bool):
        return message("yes" if value else "no").text(language)
    if isinstance(value, float):
        return _rounded(value)
    if is_mapping(value):
        return comma.join(f"{k}: {shown(v, language)}" for k, v in value.items())
    if is_list(value):
        return comma.join(shown(part, language) for part in value)
    return "" if value is None else str(value)


def _rounded(value: float) -> str:
    """A number with the digits people read: four places, or four figures of a small one; what is exact stays."""
    if value != value or abs(value) >= 1e15:  # noqa: PLR0124, PLR2004  not a number, or beyond what a float can tell
        return f"{value:.15g}"
    exact = f"{value:.12g}"
    if len(exact.partition(".")[2]) <= 4 and "e" not in exact:  # noqa: PLR2004  four places
        return exact
    return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) >= 1 else f"{value:.4g}"


def _filled(template: str, fields: Mapping[str, Any], language: Language) -> str | None:
    try:
        template = _COUNTED.sub(lambda place: _singular(place, fields), template)
        names = [name for _, name, _, _ in Formatter().parse(template) if name]
        known = all(name in fields for name in names)
        return template.format(**{name: shown(fields[name], language) for name in names}) if known else None
    except (ValueError, LookupError):  # the tool's author wrote a place no text can fill, such as {value:.2f}
        return None


def _singular(place: re.Match[str], fields: Mapping[str, Any]) -> str:
    """A place with its noun, without the plural where there is one of it: 1 line, 1 entry."""
    noun = place["noun"]
    if fields.get(place["name"]) != 1 or noun in _NO_PLURAL:
        return place[0]
    return f"{{{place['name']}}} " + (f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1])


def _rows(fields: Mapping[str, Any], spec: ToolSpec | None, language: Language) -> list[str]:
    rows = next((value for value in fields.values() if is_list(value) and value and is_mapping(value[0])), None)
    return _listed([_row(part, spec, language) for part in rows or ()], language)


def _listed(rows: list[str], language: Language, total: int = 0) -> list[str]:
    """The first rows, and how many more there are; `total`: of those that were not all given."""
    kept = [f"- {row}" for row in rows[:ROWS_SHOWN]]
    more = max(total, len(rows)) - ROWS_SHOWN
    return kept if more <= 0 else [*kept, message("more_rows", count=more).text(language)]


def _row(part: Any, spec: ToolSpec | None, language: Language) -> str:
    if not is_mapping(part):
        return shown(part, language)
    if said := _by_template(spec, part, language):  # it has all the tool's own sentence speaks of
        return said
    if {"path", "line", "text"} <= set(part):
        return f"{part['path']}:{part['line']}: {str(part['text']).strip()}"
    if {"role", "text"} <= set(part):
        who = message(f"role.{part['role']}") if is_known(f"role.{part['role']}") else str(part["role"])
        return message("line_of_talk", who=who, text=part["text"]).text(language)
    name = part.get("path") or part.get("name")
    return str(name) if name else shown(part, language)


def _ended(text: str, language: Language) -> str:
    text = text.strip()
    if not text or text[-1] in ".!?。！？…":
        return text
    return text + ("。" if language == "zh" else ".")
