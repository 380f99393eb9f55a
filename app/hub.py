"""Opens the hub with all its sources: what is shipped, what the settings name, and the project folder once trusted."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from switchyard.app.models import build_embeddings
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.trust import MCP_FILE, Project, TrustedFolders
from switchyard.language.messages import message
from switchyard.toolhub.hub import ToolHub
from switchyard.toolhub.sources.mcp.session import Patience
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.tools.core.spec import Language


@dataclass(frozen=True, slots=True)
class Places:
    """Where tools, skills and MCP servers are looked for beside our own."""

    tools: list[Path]
    skills: list[Path]
    mcp: list[Path]
    untrusted: Project | None = None
    """The project folder, when it has something to use and nobody trusted it yet."""

    def notice(self, language: Language = "en") -> str | None:
        """What to tell a user whose folder is left out, in the language they asked in."""
        if self.untrusted is None:
            return None
        brings = ("、" if language == "zh" else ", ").join(self.untrusted.brings())
        return message("folder_untrusted", brings=brings, folder=str(self.untrusted.folder)).text(language)


def find_places(settings: Settings) -> Places:
    """Where this hub looks; reads the disk, and refuses a folder or file of the settings that is not there."""
    settings.check_tool_places()
    tools = [folder.absolute() for folder in settings.tool_folders]
    skills = [folder.absolute() for folder in settings.skill_folders]
    mcp = [ROOT / MCP_FILE] if settings.mcp_files is None else list(settings.mcp_files)
    project = Project(settings.project.expanduser().resolve())
    if project.folder == ROOT:
        return Places(tools, skills, mcp)
    if project.folder not in TrustedFolders(settings.config_dir):
        return Places(tools, skills, mcp, project if project.brings() else None)
    own_servers = [project.mcp] if settings.mcp_files is None else []
    return Places([*tools, project.tools], [*skills, project.skills], [*mcp, *own_servers])


@asynccontextmanager
async def open_hub(settings: Settings) -> AsyncGenerator[ToolHub]:
    """The hub with every tool found; closing it ends its servers and what its tools keep open."""
    places = await asyncio.to_thread(find_places, settings)
    async with ToolHub(
        extra=places.tools,
        extra_skills=places.skills,
        mcp=await _servers(settings, places.mcp),
        disabled=settings.disabled_tools,
        embeddings=await asyncio.to_thread(build_embeddings, settings),
        cache_dir=settings.cache_dir,
    ) as hub:
        yield hub


@asynccontextmanager
async def open_servers(settings: Settings, entries: Mapping[str, Any] | None = None) -> AsyncGenerator[McpSource]:
    """MCP servers without the rest of the hub: those that are given, or those the files name."""
    config = entries or (await asyncio.to_thread(find_places, settings)).mcp
    servers = await _servers(settings, config)
    async with servers() as source:
        yield source


async def _servers(settings: Settings, config: Sequence[Path] | Mapping[str, Any]) -> partial[McpSource]:
    # a relative workspace asks for the current folder, which LangGraph's server counts as blocking
    workspace = await asyncio.to_thread(lambda: settings.workspace.expanduser().absolute())
    return partial(
        McpSource,
        config,
        cache_dir=settings.cache_dir / "mcp",
        environment=os.environ,
        workspace=workspace,
        patience=Patience(call=settings.tool_timeout),
    )
