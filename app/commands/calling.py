"""`tools run`: one call by hand."""

from typing import Any

from switchyard.app.commands.running import EXIT, complain, print_json, run_command
from switchyard.app.commands.unusable import unknown_tool
from switchyard.app.console import Console, printable_json
from switchyard.app.hub import open_library
from switchyard.app.settings import Settings
from switchyard.toolhub.calling.arguments import as_object
from switchyard.toolhub.naming import no_such_action
from switchyard.tools.core.context import ToolContext
from switchyard.tools.core.errors import BadArguments, SettingsInvalid
from switchyard.tools.core.spec import ToolSpec


def run_tool(name: str, arguments: str, action: str | None, *, yes: bool, as_json: bool, **given: Any) -> int:
    """Call a tool; one that asks first is called when a person says so."""

    async def work(settings: Settings) -> int:
        context = ToolContext(workspace=settings.checked_workspace(), network=settings.network)
        async with open_library(settings) as library:
            await library.reach(name)
            tool, chosen = library.resolve(name, action)
            spec = library.get_tool_by_id(tool)
            if spec is None:
                raise await unknown_tool(settings, library, tool)
            if spec.type == "skill":
                raise SettingsInvalid(
                    f"The skill '{tool}' is carried out by a model inside a run, not by hand: set APP_MODEL and ask "
                    '`switchyard run "…"`.'
                )
            try:
                values = as_object(arguments)
            except BadArguments as error:
                raise SettingsInvalid(str(error)) from error
            offered = [each.spec for each in library.registry.candidates(tool)]
            if all(each.capability(chosen) is None for each in offered):
                raise no_such_action(tool, chosen, [each.name for each in spec.capabilities])
            code = 0 if yes else await _asked(spec.for_action(chosen), values)
            if code:
                return code
            result = await library.execute_tool(tool, chosen, values, context)
        for downgrade in result.meta.downgrades:
            complain(downgrade)
        if as_json:
            print_json(result.model_dump(mode="json"))
        elif result.success:
            print_json(result.result)
        else:
            complain(result.error or "no reason was given")
        return 0 if result.success else EXIT["failed"]

    return run_command(work, **given)


async def _asked(spec: ToolSpec, arguments: dict[str, Any]) -> int:
    """Have a call approved that needs it; the exit code of one that is not made, else 0."""
    if not spec.asks_first:
        return 0
    console = Console()
    if not console.has_person:
        complain(f"{spec.name} changes something or sends data out: `--yes` approves this call.")
        return EXIT["waiting"]
    shown = printable_json(arguments)
    if await console.confirm(f"{spec.name} changes something or sends data out. Run it with {shown}?"):
        return 0
    complain("Nothing was done.")
    return EXIT["failed"]
