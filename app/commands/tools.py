"""`tools`: what there is, what fits, and one call by hand."""

from pathlib import Path
from typing import Any

from app.commands.running import EXIT, complain, print_json, run_command
from app.console import Console
from app.hub import open_library
from app.settings import Settings
from toolhub.arguments import as_object
from toolhub.descriptions import definition
from toolhub.library import UnifiedToolLibrary
from tools.core.context import ToolContext
from tools.core.errors import BadArguments, SettingsInvalid


def list_tools(folders: list[Path], *, as_json: bool) -> int:
    """List every tool, and every file that did not load."""

    async def work(settings: Settings) -> int:
        async with open_library(settings) as library:
            specs = library.get_all_tools()
            if as_json:
                broken = [{"file": str(file.path), "error": file.error} for file in library.broken]
                print_json({"tools": [spec.model_dump(mode="json") for spec in specs], "broken": broken})
                return 0
            rows = [
                (spec.name, spec.source, spec.category, "yes" if spec.writes else "", spec.summary) for spec in specs
            ]
            Console().show_table(("name", "source", "category", "writes", "what it does"), rows)
            _complain_of_broken(library)
            return 0

    return run_command(work, tool_folders=folders or None)


def show_tool(name: str, folders: list[Path], *, as_json: bool) -> int:
    """Show one tool."""

    async def work(settings: Settings) -> int:
        async with open_library(settings) as library:
            spec = library.get_tool_by_id(name)
            if spec is None:
                raise library.unknown(name)
            if as_json:
                print_json(spec.model_dump(mode="json"))
            else:
                Console().say(definition(spec))
            return 0

    return run_command(work, tool_folders=folders or None)


def search_tools(query: str, limit: int, folders: list[Path], *, as_json: bool) -> int:
    """The tools stage one of selection recalls for a task."""

    async def work(settings: Settings) -> int:
        async with open_library(settings) as library:
            found = await library.recall(query, limit)
            rows: list[dict[str, Any]] = [
                {"name": scored.name, "score": round(scored.score, 3), "terms": list(scored.terms)} for scored in found
            ]
            if as_json:
                print_json({"query": query, "tools": rows})
            elif not rows:
                Console().say("No tool shares a word with this. 没有工具与此相关。")
            else:
                table = [(row["name"], f"{row['score']:.2f}", ", ".join(row["terms"])) for row in rows]
                Console().show_table(("name", "score", "found by"), table)
            return 0

    return run_command(work, tool_folders=folders or None)


def run_tool(name: str, arguments: str, workspace: Path | None, folders: list[Path], *, as_json: bool) -> int:
    """One call by hand."""

    async def work(settings: Settings) -> int:
        folder = settings.checked_workspace()
        async with open_library(settings) as library:
            if library.get_tool_by_id(name) is None:
                raise library.unknown(name)
            try:
                given = as_object(arguments)
            except BadArguments as error:
                raise SettingsInvalid(str(error)) from error
            result = await library.execute_tool(
                name, None, given, ToolContext(workspace=folder, network=settings.network)
            )
            if as_json:
                print_json(result.model_dump(mode="json"))
            elif result.success:
                print_json(result.result)
            else:
                complain(result.error or "no reason was given")
            return 0 if result.success else EXIT["failed"]

    return run_command(work, workspace=workspace, tool_folders=folders or None)


def _complain_of_broken(library: UnifiedToolLibrary) -> None:
    for file in library.broken:
        complain(f"{file.path} did not load: {file.error}")
