"""Which folders the user trusts: what lies in another's folder is code, and is run only when they said so once (R4.2).

The list is kept in the user's own configuration, which no folder's `.env` can move.
"""

import json
from itertools import chain, islice
from pathlib import Path
from typing import Any

from switchyard.language.messages import message
from switchyard.toolhub.sources.native import PACKAGED, tool_files
from switchyard.toolhub.sources.skills.source import skill_files
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.files import write_whole
from switchyard.tools.core.json_values import is_list

MCP_FILE = "mcp.local.json"

_FILES_LOOKED_AT = 200
_KIT = ("switchyard", "tools.core")
"""What a tool file imports, now and formerly: a folder `tools/` of something else is none of ours."""


class Project:
    """A folder of the user's with tools, skills or MCP servers of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tools, self.skills, self.mcp = folder / "tools", folder / "skills", folder / MCP_FILE

    def tool_files(self) -> list[str]:
        """The files in its tools/ that are imported once it is trusted, tools or not."""
        return self._shown(tool_files(self.tools))

    def skill_names(self) -> list[str]:
        """The folders and files in its skills/ that are read or imported once it is trusted."""
        folders = [str(file.parent.relative_to(self.folder)) for file in self._written_skills()]
        return folders + self._shown(tool_files(self.skills, packages=False))

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing in it that trust would have run."""
        return not (self.tool_files() or self.skill_names() or self.mcp.exists())

    def brings(self) -> list[str]:
        """What in it would be used, by name."""
        tools = islice(chain(self.tools.glob("*.py"), self.tools.glob(f"*/{PACKAGED}")), _FILES_LOOKED_AT)
        used = {
            "tools/": any(map(_uses_the_kit, tools)),
            "skills/": bool(self._written_skills()) or any(map(_uses_the_kit, self.skills.glob("*.py"))),
            MCP_FILE: self.mcp.is_file(),
        }
        return [name for name, is_used in used.items() if is_used]

    def _written_skills(self) -> list[Path]:
        return skill_files(self.skills) if self.skills.is_dir() else []

    def _shown(self, files: list[Path]) -> list[str]:
        return [file.relative_to(self.folder).as_posix() for file in files]


class TrustedFolders:
    """The list of trusted folders."""

    def __init__(self, config_dir: Path) -> None:
        self._file = config_dir / "trusted.json"

    def folders(self) -> list[Path]:
        """Every trusted folder, in the order they were trusted."""
        try:
            read: Any = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise SettingsInvalid(message("file_to_mend", path=str(self._file), why=str(error))) from error
        return [Path(entry) for entry in (read if is_list(read) else ()) if isinstance(entry, str)]

    def __contains__(self, folder: Path) -> bool:
        return folder.resolve() in self.folders()

    def add(self, folder: Path) -> None:
        """Trust a folder from now on."""
        self._write(list(dict.fromkeys([*self.folders(), folder.resolve()])))

    def remove(self, folder: Path) -> bool:
        """Trust a folder no longer; says whether it was trusted."""
        known, folder = self.folders(), folder.resolve()
        if folder not in known:
            return False
        self._write([other for other in known if other != folder])
        return True

    def _write(self, folders: list[Path]) -> None:
        write_whole(self._file, json.dumps([str(folder) for folder in folders], ensure_ascii=False, indent=2) + "\n")


def _uses_the_kit(file: Path) -> bool:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        return any(kit in text for kit in _KIT)
    except OSError:
        return False
