"""A server over stdio without the SDK, which takes seconds to load: for tests that start servers by the dozen.

Its switches are words on its command line.

    slow-start  never answers the handshake
    pages       lists its tools one by one
    circle      lists the same page for ever
    stubborn    ignores the end of its input and SIGTERM, and has a child that does too
"""

import json
import os
import signal
import subprocess
import sys
from typing import Any

TOOLS = {
    "pid": "The number of this process. 进程号。",
    "hang": "Never answer.",
    "wedge": "Stop everything.",
    "crash": "End this process.",
    "flood": "Write without end.",
}
CHILD = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"


def called(name: str) -> dict[str, Any] | None:
    match name:
        case "pid":
            return {"content": [], "structuredContent": {"pid": os.getpid()}}
        case "crash":
            os._exit(3)
        case "wedge":
            signal.pause()
        case "flood":
            while True:
                sys.stdout.write("洪水" * 100_000)
        case _:
            pass
    return None


def listed(page: int) -> dict[str, Any]:
    common: dict[str, Any] = {
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    }
    tools = [{"name": name, "description": text, **common} for name, text in TOOLS.items()]
    if "circle" in sys.argv:
        return {"tools": tools[:1], "nextCursor": "0"}
    if "pages" in sys.argv:
        return {"tools": tools[page : page + 1], "nextCursor": str(page + 1) if page + 1 < len(tools) else None}
    return {"tools": tools}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    match message["method"]:
        case "initialize":
            greeting: dict[str, Any] = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
            }
            about = {"name": "lean", "title": "Orchard ledger 果园账本", "version": "1"}
            return {
                **greeting,
                "serverInfo": about,
                "instructions": "Keeps the harvest of every tree. 记录每棵树的收成。",
            }
        case "tools/list":
            return listed(int(message.get("params", {}).get("cursor") or 0))
        case "tools/call":
            return called(message["params"]["name"])
        case _:
            return {}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and (result := answer(message)) is not None:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if "slow-start" in sys.argv:
        signal.pause()
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", CHILD])
    main()
    if "stubborn" in sys.argv:
        signal.pause()
