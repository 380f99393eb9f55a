"""What a run learns of a tool, as the context keeps it: what failed, what helped, what served in its place (R7.3)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from switchyard.ledger.attempts import Failure
from switchyard.ledger.context import Pattern


def of_failure(failure: Failure) -> Pattern:
    """The action and the arguments that failed."""
    action = f"{failure.action} " if failure.action and failure.action != failure.tool else ""
    given = json.dumps(failure.arguments, ensure_ascii=False, default=str)
    return Pattern(tool=failure.tool, text=f"{action}{given}: {failure.kind}", learned="failed")


def of_success(failures: Sequence[Failure], tool: str, arguments: Mapping[str, Any]) -> list[Pattern]:
    """What made the difference to the calls that had failed in the same place."""
    found = [
        Pattern(tool=one.tool, text=f"{tool} served in its place", learned="switched")
        for one in failures
        if one.tool != tool
    ]
    last = next((one for one in reversed(failures) if one.tool == tool), None)
    for name in sorted({*arguments, *last.arguments} if last else ()):
        before, after = last.arguments.get(name) if last else None, arguments.get(name)
        if before != after and None not in (before, after):
            text = f"{name} {after!r} worked where {before!r} had failed"
            found.append(Pattern(tool=tool, text=text, learned="adjusted"))
    return list({one.text: one for one in found}.values())
