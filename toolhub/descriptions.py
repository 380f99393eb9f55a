"""What a model reads about a tool: one line to choose by, a full definition only of what was chosen."""

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from switchyard.language.messages import message
from switchyard.language.tokeniser import has_chinese
from switchyard.ledger.tokens import estimate_tokens
from switchyard.toolhub.calling.arguments import as_mapping, required_fields
from switchyard.toolhub.excerpts import head_and_tail
from switchyard.toolhub.registry import ToolRegistry
from switchyard.tools.core.spec import Language, ToolCapability, ToolSpec

LONGEST_LINE, LONGEST_DEFINITION = 2_000, 20_000
"""Characters of a tool's line and of its definition: a tool is described, its manual is not sent along."""


_MOMENT = re.compile(r"(?i)(?:^|_)(?:date|day|days|time|when|since|until|deadline)(?:$|_)|日期|时间")
"""Names of parameters that take a day or a time."""


def takes_a_moment(specs: Iterable[ToolSpec]) -> bool:
    """Whether one of the tools is given a day or a time: whoever writes it may have to know what day it is."""
    fields = (
        (name, as_mapping(field))
        for spec in specs
        for part in spec.capabilities
        for name, field in as_mapping(part.parameters.get("properties")).items()
    )
    return any(_MOMENT.search(name) or field.get("format") in {"date", "time", "date-time"} for name, field in fields)


def summary_line(spec: ToolSpec) -> str:
    """The tool on one line."""
    return _line(spec.tool_id, spec.category, spec.summary, spec.returns)


@lru_cache(maxsize=1024)  # the same tools are shown for question after question
def _line(name: str, category: str, summary: str, returns: str) -> str:
    told = f" Returns {returns.rstrip('.')}." if returns else ""
    return head_and_tail(f"- {name} [{category}]: {' '.join(summary.split())}{told}", LONGEST_LINE)


def definition(spec: ToolSpec, action: str | None = None) -> str:
    """Everything needed to call the tool: parameters with types and meaning, and examples; of one action, that one."""
    # the parameters stand behind what is said: they must not be what is cut
    lines = [head_and_tail(f"{spec.tool_id}: {spec.summary}", LONGEST_DEFINITION // 4), *_how_called(spec, action)]
    if spec.returns:
        lines.append(f"returns: {spec.returns}")
    if spec.asked and not _chosen(spec, action):
        lines.append("examples: " + " | ".join(spec.asked[:3]))
    return head_and_tail("\n".join(lines), LONGEST_DEFINITION)


def _chosen(spec: ToolSpec, action: str | None) -> ToolCapability | None:
    """The one of several actions that is described."""
    return spec.capability(action) if len(spec.capabilities) > 1 and action else None


def _how_called(spec: ToolSpec, action: str | None) -> list[str]:
    lines = [head_and_tail(spec.details, LONGEST_DEFINITION // 4)] if spec.details else []
    several, chosen = len(spec.capabilities) > 1, _chosen(spec, action)
    shown = [chosen] if chosen else spec.capabilities
    first, *others = [list(parameter_lines(one.parameters)) for one in shown] or [[]]
    if shared := [line for line in first if all(line in other for other in others)] if others else []:
        lines += ["every action takes:", *(f"  {line}" for line in shared)]
    for capability in shown:
        if several or capability.description.strip() not in {"", spec.summary, spec.description.strip()}:
            lines.append(f"action {capability.name}: {capability.description}")
        lines += [f"  {line}" for line in parameter_lines(capability.parameters) if line not in shared]
        if several and capability.returns:
            lines.append(f"  returns: {capability.returns}")
    if chosen:
        left = [one for one in spec.capabilities if one.name != chosen.name]
        fields = [
            [name for name in as_mapping(one.parameters.get("properties")) if name != "explanation"] for one in left
        ]
        named = (f"{one.name}({', '.join(own)})" for one, own in zip(left, fields, strict=True))
        lines.append(f"other actions: {', '.join(named)}")
    return lines


def summary_lines(registry: ToolRegistry, names: Iterable[str]) -> str:
    """A line of each of these tools, as far as they are there."""
    return "\n".join(summary_line(spec) for name in names if (spec := registry.get(name)))


def definitions_of(registry: ToolRegistry, names: Iterable[str]) -> str:
    """The full definition of each of these tools, as far as they are there."""
    return "\n\n".join(definition(spec) for name in names if (spec := registry.get(name)))


def for_agent(spec: ToolSpec, language: Language) -> str:
    """A tool for an agent that is not ours: what it is, when to use it, how to call it, and calls as examples."""
    asked = [f"“{text}”" for text in spec.asked if has_chinese(text) is (language == "zh")][:3]
    when = message("when_asked", summary=spec.summary.rstrip(".。"), asked=asked) if asked else spec.summary
    fields = {"name": spec.name, "tool_id": spec.tool_id, "type": str(spec.tool_type), "tags": spec.tags}
    calls = [json.dumps(call, ensure_ascii=False) for call in example_calls(spec)]
    told = [message("tool_for_agent", when=when, **fields), *(message("example_call", call=call) for call in calls)]
    head, *examples = [one.text(language) for one in told]
    return "\n".join([head, definition(spec), *examples])


def example_calls(spec: ToolSpec) -> list[dict[str, Any]]:
    """The examples of a tool, each as a call that can be made."""
    return [
        {"tool_id": spec.tool_id, "action": one.name, "parameters": example}
        for one in spec.capabilities
        for example in one.examples
    ]


class CatalogueCost:
    """What it would cost to send every definition (R3.8), kept up with the registry."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self._parameters: dict[str, tuple[ToolSpec, str, int]] = {}
        self._known: dict[str, tuple[ToolSpec, int]] = {}
        self._total, self._revision = 0, -1

    async def count(self) -> None:
        """Count ahead, in a thread: thousands of tools take a moment."""
        if self._revision != self._registry.revision:
            await asyncio.to_thread(self.tokens)

    def tokens(self) -> int:
        """Of all tools together, as they are now; a tool that is there as it was is not counted again."""
        revision = self._registry.revision
        if self._revision != revision:
            counted: dict[str, tuple[ToolSpec, int]] = {}
            for spec in self._registry:
                known, tokens = self._known.get(spec.tool_id, (None, 0))
                counted[spec.tool_id] = spec, tokens if known is spec else estimate_tokens(definition(spec))
            self._known, self._total = counted, sum(tokens for _, tokens in counted.values())
            self._revision = revision
        return self._total

    def of_parameters(self, name: str) -> tuple[str, int]:
        """What one tool takes, beyond what its line says, and its cost; one that stays as it was is described once."""
        spec = self._registry.get(name)
        known, text, tokens = self._parameters.get(name, (None, "", 0))
        if spec is not None and known is not spec:
            text = head_and_tail("\n".join([f"{name}:", *_how_called(spec, None)]), LONGEST_DEFINITION)
            tokens = estimate_tokens(text)
            self._parameters[name] = spec, text, tokens
        return text, tokens


def parameter_lines(schema: Mapping[str, Any]) -> Iterable[str]:
    """`name (type, required): description` for each parameter."""
    required = set(required_fields(schema))
    shapes = as_mapping(schema.get("$defs"))
    for name, field in as_mapping(schema.get("properties")).items():
        if name == "explanation":
            continue
        notes = [_type_of(field, shapes), *_range(field)]
        if name in required:
            notes.append("required")
        elif field.get("default") is not None:
            notes.append(f"default {json.dumps(field['default'], ensure_ascii=False)}")
        description = field.get("description", "")
        yield f"{name} ({', '.join(notes)}){': ' + description if description else ''}"


def _range(field: Mapping[str, Any]) -> list[str]:
    """What a number must not leave."""
    parts = [field, *(as_mapping(option) for option in field.get("anyOf", ()))]
    told = {name: part[name] for part in parts for name in ("minimum", "exclusiveMinimum", "maximum") if name in part}
    least, most = told.get("minimum"), told.get("maximum")
    if least is not None and most is not None:
        return [f"{least} to {most}"]
    above = told.get("exclusiveMinimum")
    lower = [f"at least {least}"] if least is not None else [f"above {above}"] if above is not None else []
    return lower + ([f"at most {most}"] if most is not None else [])


def _type_of(field: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        others = {key: shape for key, shape in shapes.items() if key != name}  # a shape inside itself is not unrolled
        return _type_of(shapes.get(name, {}), others)
    values: list[Any] = field.get("enum") or ([field["const"]] if "const" in field else [])
    if values:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in values)
    options: list[dict[str, Any]] = field.get("anyOf", [])
    if options:
        return " or ".join(_type_of(option, shapes) for option in options if option.get("type") != "null")
    if field.get("type") == "array":
        return f"list of {_type_of(as_mapping(field.get('items')), shapes)}"
    inside = as_mapping(field.get("properties"))
    if inside:
        return "object with " + ", ".join(f"{name}: {_type_of(part, shapes)}" for name, part in inside.items())
    return str(field.get("type", "any"))
