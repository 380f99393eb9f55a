"""The tools that come with the program, as an earlier start described them; what runs them is imported for a first run.

What a tool says of itself comes from its file and from what that imports, all of it in `tools` and `language`. Where
anything of these has changed, or nothing can be read here, the tools are found as everywhere else. Users' folders are
never known from here.
"""

import asyncio
import hashlib
import os
import sys
import time
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pydantic import VERSION, BaseModel

from switchyard.toolhub.calling.request import ToolRequest
from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import (
    Discovery,
    NativeRunner,
    discover,
    module_name,
    stamp,
    tool_files,
)
from switchyard.tools.core.files import write_whole
from switchyard.tools.core.result import ToolResult
from switchyard.tools.core.spec import ToolSpec

_LOADED = time.time_ns()
"""What is younger than this may have been imported as it was before."""


class _KnownTool(BaseModel):
    spec: ToolSpec
    file: str
    """In the folder: no other code than ours is ever named here."""
    class_name: str

    def late(self, folder: Path, package: str) -> RegisteredTool:
        file = folder / self.file
        return RegisteredTool(self.spec, LateRunner(module_name(folder, package, file), self.class_name), file)


class _Known(BaseModel):
    version: str
    tools: list[_KnownTool]


def discover_shipped(folder: Path, package: str, cache_dir: Path | None) -> Discovery:
    """The tools of a folder that is a package of ours; where nothing is kept, every module of it is imported."""
    if cache_dir is None:
        return discover(folder, package)
    folder = folder.absolute()
    file = cache_dir / f"tools-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}.json"
    version, youngest = _stamped(folder, folder.parent / "language")
    with suppress(OSError, ValueError):  # there is none, or it is damaged
        known = _Known.model_validate_json(file.read_bytes())
        if known.version == version:
            return Discovery([one.late(folder, package) for one in known.tools])
    loaded = [one for one in tool_files(folder) if module_name(folder, package, one) in sys.modules]
    found = discover(folder, package)
    if youngest < _LOADED and not loaded and not found.broken:
        known = _Known(version=version, tools=[_known(tool, folder) for tool in found.tools])
        with suppress(OSError, ValueError):  # where it cannot be kept, each start finds the tools anew
            write_whole(file, known.model_dump_json())
    return found


class LateRunner:
    """Runs a tool whose module is imported when it is first needed, or before that, in a thread, by `load`."""

    def __init__(self, module: str, class_name: str) -> None:
        self._class = module, class_name

    async def __call__(self, request: ToolRequest) -> ToolResult:
        """As of `NativeRunner`."""
        if "_runner" not in vars(self):
            await asyncio.to_thread(self.load)
        return await self._runner(request)

    def __getattr__(self, name: str) -> Any:
        """What else a `NativeRunner` has to say."""
        return getattr(self._runner, name)

    def load(self) -> None:
        """Import the module now; whatever it raises, the call itself will say it."""
        with suppress(Exception):
            _ = self._runner

    @cached_property
    def _runner(self) -> NativeRunner:
        module, name = self._class
        return NativeRunner.of(getattr(import_module(module), name))


def _known(tool: RegisteredTool, folder: Path) -> _KnownTool:
    file = (tool.file or folder).relative_to(folder).as_posix()
    made = cast("NativeRunner", tool.run).tool  # what `discover` gives its tools
    return _KnownTool(spec=tool.spec, file=file, class_name=type(made).__qualname__)


def _stamped(*folders: Path) -> tuple[str, int]:
    """What the descriptions depend on, as one text, and when the last of it was changed."""
    walked = (folder for one in folders for folder in os.walk(one) if not folder[0].endswith("__pycache__"))
    files = sorted(f"{folder}/{name}" for folder, _, names in walked for name in names)
    stamps = {file: known for file in files if (known := stamp(file))}
    text = repr((sys.version, VERSION, stamps))
    return hashlib.sha256(text.encode()).hexdigest(), max(changed for changed, *_ in stamps.values())
