"""`doctor`: what works, what does not, and what to do about it."""

import sys
from typing import TYPE_CHECKING, NamedTuple

from switchyard.app.cli.command import EXIT, WrongUsage, command, load, show
from switchyard.app.cli.late import loaded_late
from switchyard.app.cli.notices import servers_of
from switchyard.app.cli.options import Json
from switchyard.app.places import ROOT
from switchyard.language.messages import message, quoted

with loaded_late():
    import asyncio
    import platform
    from importlib import metadata

    import httpx

    from switchyard.app import hub, models, storage, trust
    from switchyard.ledger import secrets

if TYPE_CHECKING:
    from switchyard.app.settings import Settings

REACHABLE_SECONDS = 5.0
OPENAI = "https://api.openai.com/v1"
"""What a name without a provider is asked for where no other endpoint is set."""
NO_LIST = frozenset({404, 405, 501})
"""What an endpoint answers that does not list its models."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str


@command
async def doctor(*, json: Json = False) -> int:
    """Check settings, database, tools and model, and say what to do about what is wrong."""
    from switchyard.tools.core.errors import SwitchyardError

    settings = load()
    findings = [
        Finding("python", ok=True, text=f"{platform.python_version()} at {sys.executable}"),
        Finding("langgraph", ok=True, text=metadata.version("langgraph")),
    ]
    looks = {"workspace": _workspace, "database": _database, "project": _project, "tools": _tools, "model": _model}
    for name, look in looks.items():
        try:
            found = await look(settings)
        except (SwitchyardError, WrongUsage) as error:
            findings.append(Finding(name, ok=False, text=str(error)))
        else:
            findings += [Finding(name, ok=True, text=found)] if isinstance(found, str) else found
    rows = [(finding.name, "ok" if finding.ok else "PROBLEM", finding.text) for finding in findings]
    show([finding._asdict() for finding in findings], ("what", "state", "found"), rows, json=json)
    return 0 if all(finding.ok for finding in findings) else EXIT["failed"]


async def _workspace(settings: "Settings") -> str:
    return str(settings.checked_workspace())


async def _database(settings: "Settings") -> str:
    async with storage.open_storage(settings.database_path, wait=settings.database_wait):
        return settings.database_path


async def _project(settings: "Settings") -> str:
    places = await asyncio.to_thread(hub.find_places, settings)
    if notice := places.notice():
        return notice
    folder = settings.project.expanduser().resolve()
    if folder == ROOT:
        return f"{folder} is Switchyard's own folder, always used"
    trusted = folder in trust.TrustedFolders(settings.config_dir)
    brings = ", ".join(trust.Project(folder).brings()) or "nothing of its own"
    return f"{folder} {'is trusted and' if trusted else 'is not trusted; it'} brings {brings}"


async def _tools(settings: "Settings") -> list[Finding]:
    from switchyard.tools.core.plain_words import counted
    from switchyard.tools.core.spec import ToolType

    async with hub.open_hub(settings) as toolhub:
        counts = [f"{len(toolhub.registry.listed(one))} of type {one}" for one in ToolType]
        good = Finding("tools", ok=True, text=f"{counted(len(toolhub.registry), 'tool')}: {', '.join(counts)}")
        bad = [Finding("tools", ok=False, text=f"{file.path}: {file.error}") for file in toolhub.supply.broken()]
        named = [spec.tool_id for spec in toolhub.registry]
        missing = await asyncio.to_thread(toolhub.registry.unusable, named, settings.network)
        # that a part was not installed, or set up, is no fault
        left_out = [Finding("tools", ok=True, text=f"{name}: {why}") for name, why in missing.items()]
        servers = [
            Finding(f"mcp {one.name}", ok=one.problem is None, text=one.error or f"{one.state}, {one.tools} tools")
            for one in servers_of(toolhub)
        ]
        return [good, *bad, *left_out, *servers]


async def _model(settings: "Settings") -> str:
    name = settings.default_model
    if name is None:
        return "none set: works by rules. Set APP_MODEL with OPENAI_API_KEY or APP_BASE_URL to add one"
    names = list(dict.fromkeys([name, *settings.agent_models.values()]))
    for one in names:
        models.check_model_name(one)
    url = (settings.base_url or OPENAI).rstrip("/")
    asked = [one for one in names if models.package_of(one) is None]
    if not asked:
        return f"{name} (not called: doctor asks OpenAI-compatible endpoints)"
    return f"{', '.join(names)} at {url}{await _answers(settings, url, [one.removeprefix('openai:') for one in asked])}"


async def _answers(settings: "Settings", url: str, names: list[str]) -> str:
    """Ask an endpoint, with the key, whether it has these models; one token where it does not list them."""
    key = settings.api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    each_anew = httpx.Limits(max_keepalive_connections=0)  # some close a connection without a word
    one_token = {"model": names[0], "messages": [{"role": "user", "content": "1"}], "max_tokens": 1}
    try:
        async with (
            httpx.AsyncClient(timeout=REACHABLE_SECONDS, headers=headers, limits=each_anew) as client,
            asyncio.timeout(REACHABLE_SECONDS),
        ):
            answer = await client.get(f"{url}/models")
            listed = answer.status_code not in NO_LIST
            if not listed:
                answer = await client.post(f"{url}/chat/completions", json=one_token)
    except (httpx.HTTPError, TimeoutError) as error:
        raise WrongUsage(message("endpoint_silent", url=url, why=type(error).__name__)) from error
    if answer.status_code in {401, 403}:
        raise WrongUsage(message("endpoint_refuses_key", url=url, status=answer.status_code))
    if answer.is_error:
        told = secrets.masked(" ".join(answer.text.split())[:200], key.get_secret_value() if key else None)
        raise WrongUsage(message("endpoint_failing", url=url, status=answer.status_code, text=quoted(told)))
    try:
        known = [str(model.get("id")) for model in answer.json().get("data", [])] if listed else []
    except (ValueError, AttributeError):
        return " (it does not list its models)"
    if known and (unknown := [one for one in names if one not in known]):
        raise WrongUsage(message("endpoint_without_model", url=url, name=unknown[0], names=known[:8]))
    return "" if known else " (it does not list its models)"
