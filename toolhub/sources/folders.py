"""Folders of tools and skills that are looked at again: a file that came, went or changed is noticed (R4.2, R4.6)."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from switchyard.toolhub.registry import RegisteredTool
from switchyard.toolhub.sources.native import Discovery, discover
from switchyard.toolhub.sources.skills import SkillDiscovery, discover_skills, skill_files


@dataclass(frozen=True, slots=True)
class Folder:
    """Where tools or skills are."""

    path: Path
    package: str | None = None
    """The importable package the folder is, if it is ours; a user's is loaded by path under a private name."""
    skills: bool = False

    @property
    def group(self) -> str:
        """What its tools are registered under as one."""
        return f"{'skills' if self.skills else 'tools'}:{self.path.absolute()}"


class WatchedFolder:
    """One folder, and what it gave when it was last read."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.found = Discovery()
        self._stamps: dict[str, tuple[int, int]] | None = None

    def has_changed(self) -> bool:
        """Whether something in the folder came, went or changed since it was read; looks at the disk."""
        return _stamped(self.folder) != self._stamps

    async def read_again(self, taken: Mapping[str, Path]) -> bool:
        """Read the folder if something in it has changed; says whether it had.

        Args:
            taken: the skills of other folders, by name, with their files.
        """
        stamps = await asyncio.to_thread(_stamped, self.folder)
        if stamps == self._stamps:
            return False
        found = await asyncio.to_thread(_read, self.folder, taken)
        if self.folder.package is not None:
            # a module that was imported stays as it is, so a tool that looks the same is the same: it keeps its state
            known = {tool.spec.name: tool for tool in self.found.tools}
            found.tools = [_same(known.get(tool.spec.name), tool) for tool in found.tools]
        self._stamps, self.found = stamps, found
        return True

    def skills(self) -> dict[str, Path]:
        """The names the folder's skills take, with their files."""
        if not isinstance(self.found, SkillDiscovery):
            return {}
        return {tool.spec.name: tool.file or self.folder.path for tool in self.found.tools}


def _same(known: RegisteredTool | None, tool: RegisteredTool) -> RegisteredTool:
    return known if known is not None and known.spec == tool.spec else tool


def _read(folder: Folder, taken: Mapping[str, Path]) -> Discovery:
    if not folder.path.is_dir():
        return Discovery()
    if folder.skills:
        return discover_skills(folder.path, folder.package, taken=taken)
    return discover(folder.path, folder.package)


def _stamped(folder: Folder) -> dict[str, tuple[int, int]]:
    """What tells whether a file has changed."""
    stamps: dict[str, tuple[int, int]] = {}
    try:
        with os.scandir(folder.path) as entries:  # before every question: `glob` takes five times as long
            files: list[os.DirEntry[str] | Path] = [entry for entry in entries if entry.name.endswith(".py")]
        files += skill_files(folder.path) if folder.skills else []
    except OSError:
        return stamps
    for file in files:
        with suppress(OSError):  # gone since it was listed
            status = file.stat()
            stamps[os.fspath(file)] = (status.st_mtime_ns, status.st_size)
    return stamps
