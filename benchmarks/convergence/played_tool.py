"""What the tools of a scenario do, as its data says; and an MCP server over stdio that has them.

Nothing beyond the standard library is imported: as a server it starts at once.

    python -I -S played_tool.py TOOLS.json SERVER CALLS.jsonl WORKSPACE
"""

import fcntl
import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO, cast


class Failed(Exception):
    """The tool says that it failed."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(text)
        self.kind = kind


class Crashed(Exception):
    """The tool ends in the middle of the call."""


def play(tool: dict[str, Any], arguments: dict[str, Any], calls: Path, workspace: Path) -> Any:
    """What a call gives; it is noted in a file, so that a fault that comes twice comes twice.

    Raises:
        Failed: when it fails.
        Crashed: when it crashes.
    """
    given = {name: value for name, value in arguments.items() if value is not None and name != "explanation"}
    reply = _next_reply(tool, given, calls)
    if reply is None:
        raise Failed(f"{tool['name']}: nothing is known for {json.dumps(given, ensure_ascii=False)}", "not_found")
    time.sleep(reply["hangs"])
    if reply["crashes"]:
        raise Crashed(f"{tool['name']} crashed: {reply['fails'] or 'NoneType has no attribute read'}")
    if reply["fails"] is not None:
        raise Failed(_filled(reply["fails"], given), reply["kind"])
    if reply["sql"]:
        return _asked(workspace / reply["sql"], str(given.get("query", "")))
    if reply["saves"]:
        _save(workspace, _filled(reply["saves"], given))
    return _filled(reply["gives"], given)


def _next_reply(tool: dict[str, Any], given: dict[str, Any], calls: Path) -> dict[str, Any] | None:
    with calls.open("a+", encoding="utf-8") as noted:
        fcntl.flock(noted, fcntl.LOCK_EX)
        noted.seek(0)
        before = [json.loads(line) for line in noted]
        for number, reply in enumerate(tool["replies"]):
            done = sum(1 for one in before if (one["tool"], one["reply"]) == (tool["name"], number))
            if _fits(reply["when"], given) and (reply["times"] is None or done < reply["times"]):
                _note(noted, tool["name"], number, given)
                return reply
        _note(noted, tool["name"], -1, given)
    return None


def _note(noted: TextIO, tool: str, number: int, given: dict[str, Any]) -> None:
    noted.write(json.dumps({"tool": tool, "reply": number, "arguments": given}, ensure_ascii=False) + "\n")
    noted.flush()


def _fits(when: dict[str, Any], given: dict[str, Any]) -> bool:
    return all(_is(given.get(name), wanted) for name, wanted in when.items())


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return any(_is(value, one) for one in cast("list[Any]", wanted))
    return str(value).strip().casefold() == str(wanted).casefold()


def _filled(value: Any, given: dict[str, Any]) -> Any:
    if isinstance(value, str):
        if value.startswith("<") and value[1:-1] in given:
            return given[value[1:-1]]
        for name, argument in given.items():
            value = value.replace(f"<{name}>", str(argument))
        return value
    if isinstance(value, list):
        return [_filled(part, given) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _filled(part, given) for key, part in cast("dict[str, Any]", value).items()}
    return value


def _asked(database: Path, query: str) -> dict[str, Any]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        try:
            rows = [dict(row) for row in connection.execute(query)]
        except sqlite3.Error as error:
            raise Failed(f"SQL error: {error}", "bad_arguments") from error
    return {"rows": rows, "count": len(rows)}


def _save(workspace: Path, saved: dict[str, Any]) -> None:
    path = workspace / str(saved["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if saved.get("append") else "w", encoding="utf-8") as file:
        file.write(str(saved["text"]))


def parameters(tool: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, described in tool["takes"].items():
        field = {"type": "string", "description": described} if isinstance(described, str) else dict(described)
        if not field.pop("optional", False):
            required.append(name)
        properties[name] = field
    return {"type": "object", "properties": properties, "required": required}


def _serve(tools: dict[str, dict[str, Any]], calls: Path, workspace: Path) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = _answered(message, tools, calls, workspace)
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        sys.stdout.flush()


def _answered(message: dict[str, Any], tools: dict[str, dict[str, Any]], calls: Path, workspace: Path) -> Any:
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "played", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {
                "tools": [
                    {
                        "name": name,
                        "description": tool["does"],
                        "inputSchema": parameters(tool),
                        "annotations": {"readOnlyHint": not tool["writes"]},
                    }
                    for name, tool in tools.items()
                ]
            }
        case "tools/call":
            return _called(message["params"], tools, calls, workspace)
        case _:
            return {}


def _called(asked: dict[str, Any], tools: dict[str, dict[str, Any]], calls: Path, workspace: Path) -> Any:
    try:
        given = play(tools[asked["name"]], asked.get("arguments") or {}, calls, workspace)
    except Crashed as error:
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(3)
    except Failed as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    content: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    if isinstance(given, dict):
        content["structuredContent"] = given
    return content


def main() -> None:
    """Serve the tools of one server."""
    described, server, calls, workspace = sys.argv[1:]
    every = json.loads(Path(described).read_text(encoding="utf-8"))
    own = {tool["name"].partition("/")[2]: tool for tool in every if tool["name"].startswith(f"{server}/")}
    _serve(own, Path(calls), Path(workspace))


if __name__ == "__main__":
    main()
