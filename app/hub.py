"""Opens the hub with all its sources: what is shipped, what the settings name, and the project folder once trusted."""

import asyncio
import inspect
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakSet

from switchyard.app.models import build_embeddings
from switchyard.app.places import ROOT
from switchyard.app.settings import Settings
from switchyard.app.trust import MCP_FILE, Project, TrustedFolders
from switchyard.language.messages import message
from switchyard.toolhub.library import UnifiedToolLibrary
from switchyard.toolhub.sources.mcp.health import Patience
from switchyard.toolhub.sources.mcp.source import McpSource
from switchyard.toolhub.sources.native import class_tool
from switchyard.tools.core.errors import SettingsInvalid, ToolBroken
from switchyard.tools.core.spec import FunctionToolSpec, Language


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
async def open_library(settings: Settings) -> AsyncGenerator[UnifiedToolLibrary]:
    """The hub with every tool found; closing it ends its servers and what its tools keep open."""
    places = await asyncio.to_thread(find_places, settings)
    library = UnifiedToolLibrary(
        native=ROOT / "tools",
        extra=places.tools,
        skills=ROOT / "skills",
        extra_skills=places.skills,
        mcp=await _servers(settings, places.mcp) if places.mcp else None,
        disabled=settings.disabled_tools,
        embeddings=await asyncio.to_thread(build_embeddings, settings),
        tool_timeout=settings.tool_timeout,
    )
    _open_hubs.add(library)
    try:
        async with library:
            yield library
    finally:
        _open_hubs.discard(library)
        await _end_browser()


def register(library: UnifiedToolLibrary, given: Any) -> None:
    """Add a caller's own tool: a plain function, a LangChain tool, or one of ours.

    Raises:
        SettingsInvalid: when it is none of these, or has no name or description to be found by.
    """
    from langchain_core.tools import BaseTool  # noqa: PLC0415  only callers with tools of their own need it

    if not isinstance(given, BaseTool) and not inspect.isroutine(given) and not hasattr(given, "__tool_spec__"):
        raise SettingsInvalid(message("tool_unusable", tool=repr(given)[:80], why=message("not_a_tool")))
    try:
        if isinstance(given, BaseTool):
            library.register_langchain_tool(given)
        elif inspect.isclass(given):
            library.register(class_tool(given))
        else:
            library.register_function_tool(FunctionToolSpec.of(given))
    except (ToolBroken, ValueError) as error:  # what pydantic raises is one of these
        raise SettingsInvalid(message("tool_unusable", tool=repr(given)[:80], why=str(error))) from error


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


async def _end_browser() -> None:
    """End the browser, if it was ever used: it is one for all hubs of a process, and ends with the last of them."""
    module: Any = sys.modules.get("switchyard.tools.use_browser.chromium")
    if module is not None and not _open_hubs:
        await asyncio.to_thread(module.shared.close)


_open_hubs: WeakSet[UnifiedToolLibrary] = WeakSet()
