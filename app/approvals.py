"""A call that waits for a person, as it is shown to them: its arguments, and line by line what it would do."""

import json
from typing import Any

from switchyard.agents.execution.approval import ApprovalRequest
from switchyard.language.messages import message
from switchyard.tools.core.json_values import is_list, is_object
from switchyard.tools.core.spec import Language

LINES_AT_FIRST, LINES_AT_LAST = 30, 10
"""Lines of a longer text that are shown from its beginning and from its end."""
LINE_LENGTH = 300
"""Characters of one line."""


def shown_call(request: ApprovalRequest, language: Language) -> str:
    """The tool and its arguments; secrets among them were masked when the request was made."""
    texts: dict[str, str] = {}
    rest = _without_texts(request.arguments, "", texts, language)
    tool = f"{request.tool}.{request.action}" if request.action not in {None, request.tool} else request.tool
    call = f"{tool} {json.dumps(rest, ensure_ascii=False)}"
    blocks = [f"  {name}:\n{_lines(text, language)}" for name, text in texts.items()]
    return "\n".join([call, *blocks])


def shown_effect(request: ApprovalRequest, language: Language) -> list[tuple[str, str]]:
    """What the call would do, line by line, each with the style it has at a terminal."""
    lines: list[tuple[str, str]] = []
    for effect in request.effect:
        name = "sends_nothing" if effect.kind == "sends" and not effect.text else effect.kind
        lines.append((f"  {message(f'effect.{name}', target=effect.target).text(language)}", "bold"))
        is_diff = effect.text.startswith("--- ")
        for place, line in enumerate(effect.text.splitlines()):
            lines.append((f"  │ {line}", _style_in_diff(place, line) if is_diff else ""))
        if effect.left_out:
            count = effect.left_out + len(effect.text.splitlines())
            left_out = message("lines_left_out", left_out=effect.left_out, count=count)
            lines.append((f"  {left_out.text(language)}", ""))
    return lines


def _style_in_diff(place: int, line: str) -> str:
    """What comes is green, what goes is red, the heads are dim."""
    if place < 2 or line.startswith("@@ "):  # noqa: PLR2004  the two lines that name the file
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def _without_texts(value: Any, name: str, texts: dict[str, str], language: Language) -> Any:
    """The arguments with a word in the place of each text of several lines; the texts join `texts`."""
    if isinstance(value, str) and len(lines := value.splitlines()) > 1:
        texts[name] = value
        return message("lines_below", count=len(lines)).text(language)
    if is_object(value):
        inside = f"{name}." if name else ""
        return {key: _without_texts(part, f"{inside}{key}", texts, language) for key, part in value.items()}
    if is_list(value):
        return [_without_texts(part, f"{name}[{position}]", texts, language) for position, part in enumerate(value)]
    return value


def _lines(text: str, language: Language) -> str:
    """The lines behind a bar, so that none of them can be taken for a word of ours."""
    lines = text.splitlines()
    left_out = len(lines) - LINES_AT_FIRST - LINES_AT_LAST
    shown = [f"  │ {_cut(line, language)}" for line in lines]
    if left_out > 0:
        note = "  " + message("lines_left_out", left_out=left_out, count=len(lines)).text(language)
        shown = [*shown[:LINES_AT_FIRST], note, *shown[-LINES_AT_LAST:]]
    return "\n".join(shown)


def _cut(line: str, language: Language) -> str:
    over = len(line) - LINE_LENGTH
    return f"{line[:LINE_LENGTH]}… {message('more_characters', over=over).text(language)}" if over > 0 else line
