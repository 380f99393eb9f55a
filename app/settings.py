"""One settings class: environment variables with the prefix APP_, and a little of a folder's `.env`.

Nothing below reads either.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv.parser import parse_stream
from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from switchyard.language.messages import Message, message, quoted
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.errors import SettingsInvalid
from switchyard.tools.core.network import NetworkPolicy, SearchProvider

DEFAULT_MODEL = "gpt-4.1-mini"
"""Taken when a key or an endpoint is set but no model is named."""
NO_MODEL = "none"
"""The model name that means: work by rules, whatever keys are set."""
PROVIDERS = {
    **{name: f"langchain_{name}" for name in ("anthropic", "cohere", "deepseek", "fireworks", "google_genai")},
    **{name: f"langchain_{name}" for name in ("google_vertexai", "groq", "huggingface", "mistralai", "ollama")},
    **{name: f"langchain_{name}" for name in ("openai", "together", "xai")},
    "azure_openai": "langchain_openai",
    "bedrock": "langchain_aws",
}
"""Provider prefixes and the package each needs. Any other colon belongs to the model's own name, as in `qwen3:8b`."""


def _separated(value: Any) -> Any:
    """A list as people write it in an environment: with commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


CommaSeparated = Annotated[list[str], NoDecode, BeforeValidator(_separated)]


class Settings(RunOptions, BaseSettings):
    """How this orchestrator works. The limits of a run are settings too: APP_MAX_SECONDS and so on."""

    model_config = SettingsConfigDict(env_prefix="APP_", extra="forbid", protected_namespaces=())

    base_url: str | None = Field(
        default_factory=lambda: os.environ.get("OPENAI_BASE_URL"),
        description="An OpenAI-compatible endpoint, such as http://localhost:11434/v1. Also read: OPENAI_BASE_URL.",
    )
    api_key: SecretStr | None = Field(
        default_factory=lambda: SecretStr(key) if (key := os.environ.get("OPENAI_API_KEY")) else None,
        description="The key of the endpoint. Also read: OPENAI_API_KEY.",
    )
    model_timeout: float = Field(default=60.0, gt=0, description="Seconds a model call may take.")
    model_retries: int = Field(default=2, ge=0, description="How often a failed model call is sent again.")
    embeddings: str | None = Field(
        default=None,
        description="What tools are recalled by meaning with: a model of the endpoint, or provider:model; "
        "'none' recalls by words alone. Empty: word vectors that come with the program.",
    )
    workspace: Path = Field(default=Path(), description="The folder file tools stay in.")
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("switchyard", appauthor=False),
        description="Where conversations and the journal are kept.",
    )
    database: str | None = Field(
        default=None, description="A SQLite file instead of the one in the data folder; ':memory:' keeps nothing."
    )
    max_runs: int = Field(default=32, ge=1, description="Questions that are worked on at the same time.")
    database_wait: float = Field(
        default=10.0, ge=0, description="Seconds to wait for another program that writes to the same database."
    )
    config_dir: Path = Field(
        default_factory=lambda: user_config_path("switchyard", appauthor=False),
        description="Where the list of trusted folders is kept.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: user_cache_path("switchyard", appauthor=False),
        description="Where the tool lists of MCP servers are kept.",
    )
    project: Path = Field(
        default=Path(), description="A folder whose own tools/, skills/ and mcp.local.json are used once it is trusted."
    )
    tool_folders: list[Path] = Field(default_factory=list[Path], description="More folders with tool files.")
    skill_folders: list[Path] = Field(default_factory=list[Path], description="More folders with skills.")
    mcp_files: list[Path] | None = Field(
        default=None, description="Files that name MCP servers, instead of the ones found; [] means none."
    )
    disabled_tools: CommaSeparated = Field(
        default_factory=list[str], description="Tools that are not offered, by name."
    )
    allow_private: CommaSeparated = Field(
        default_factory=list[str], description="Private hosts network tools may reach: host, host:port, or *."
    )
    search_provider: SearchProvider | None = Field(default=None, description="searxng, tavily or brave.")
    search_url: str = Field(default="", description="Where the search engine is; SearXNG needs it.")
    search_key: SecretStr | None = Field(default=None, description="The key of the search engine.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="debug, info, warning or error."
    )

    @property
    def network(self) -> NetworkPolicy:
        """What tools may reach."""
        key = self.search_key.get_secret_value() if self.search_key else ""
        return NetworkPolicy(tuple(self.allow_private), self.search_provider, self.search_url, key)

    @property
    def options(self) -> RunOptions:
        """The part a caller may change for one run."""
        return RunOptions.model_validate({name: getattr(self, name) for name in RunOptions.model_fields})

    @property
    def default_model(self) -> str | None:
        """The model runs use unless they name one; None: rules."""
        if self.model:
            return None if self.model.lower() == NO_MODEL else self.model
        return DEFAULT_MODEL if self.api_key or self.base_url else None

    @property
    def database_path(self) -> str:
        """Where the database is."""
        return self.database or str(self.data_dir / "switchyard.sqlite")

    def checked_workspace(self) -> Path:
        """The workspace as a real folder."""
        folder = self.workspace.expanduser().resolve()
        if not folder.is_dir():
            wrong = message("workspace_no_folder" if folder.exists() else "workspace_missing", folder=str(folder))
            raise SettingsInvalid(wrong)
        if not os.access(folder, os.R_OK | os.X_OK):
            raise SettingsInvalid(message("workspace_unreadable", folder=str(folder)))
        return folder

    def check_tool_places(self) -> None:
        """Make sure that the folders of tools and skills and the files of MCP servers that are named are there."""
        named = [
            ("tools", self.tool_folders, Path.is_dir),
            ("skills", self.skill_folders, Path.is_dir),
            ("mcp", self.mcp_files or (), Path.is_file),
        ]
        for what, paths, is_there in named:
            for path in paths:
                if not is_there(path):
                    raise SettingsInvalid(message(f"place_missing.{what}", path=str(path)))


FILE_MAY_SET = ("model", "base_url", "api_key")
FILE_MAY_LOWER = tuple(name for name in RunOptions.model_fields if name.startswith("max_"))
"""All that a `.env` may say: it is whoever's who made the folder, and nobody is asked before it is read.

A model of the endpoint runs no code (another provider's may), and what a dearer one costs is bounded by limits that the
file cannot raise. An address counts with the key of the same file alone. Whatever else there is says which code is run
and who allowed it, where keys and searches go, what is kept where and under whose name, which folder tools work in,
which tools there are and what needs no approval: that is said in the environment, or not at all."""

_ENDPOINT = ("base_url", "api_key")
_OURS = {f"app_{field}": field for field in Settings.model_fields} | {f"openai_{field}": field for field in _ENDPOINT}
"""Our names in a file, in lower case, and what each sets; the others in it are another program's."""


Tell = Callable[[Message], None]
"""Told what a user should know about the file, or the environment."""
SHORTEST_MISSPELT, LONG_NAME = len("APP_MODLE"), len("APP_WORKSPACE")
"""A shorter name is near to too much to be a slip; in a long one, two letters may be wrong."""


def _log(remark: Message) -> None:
    from switchyard.tools.core.logs import get_logger  # noqa: PLC0415  the shell has its own way to tell

    get_logger(__name__).warning(remark.code, **remark.fields)


_told: set[str] = set()


def tell_misspelt(tell: Tell = _log, names: Iterable[str] | None = None) -> None:
    """Say which names are nearly ours and so set nothing; those that are not near are another program's.

    Without names: those of the environment that were not told of before.
    """
    names = os.environ.keys() - _told if names is None else names
    others = [name for name in names if name.lower().startswith("app_") and name.lower() not in _OURS]
    _told.update(others)
    for name in (one for one in others if len(one) >= SHORTEST_MISSPELT):
        from rapidfuzz.distance import OSA  # noqa: PLC0415  only mistakes need it

        most = 1 if len(name) < LONG_NAME else 2
        distance, near = min((OSA.distance(name.lower(), one), one) for one in _OURS)
        if distance <= most:
            tell(message("env_misspelt", name=name, nearest=near.upper()))


def load_settings(*, env_file: Path | None = Path(".env"), tell: Tell = _log, **given: Any) -> Settings:
    """Settings from what is given, the environment, and a folder's `.env` as far as it may speak; the first wins."""
    tell_misspelt(tell, os.environ)
    try:
        settings = Settings(**given)
        if env_file is not None and env_file.is_file():
            added = _added_by(env_file, settings, tell)
            settings = Settings(**{**given, **added})
            if "base_url" in added and settings.default_model:
                tell(message("env_endpoint", file=str(env_file), url=added["base_url"]))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"])
        why, value = quoted(first["msg"]), repr(first["input"])
        raise SettingsInvalid(message("setting_unusable", name=name.upper(), why=why, value=value)) from error
    except SettingsError as error:
        raise SettingsInvalid(message("setting_unreadable", why=str(error))) from error
    return settings


def _added_by(file: Path, others: Settings, tell: Tell) -> dict[str, Any]:
    """What a folder's file adds to the settings there are; what it may not say is told by name."""
    names = {name: value for name, value in _read_env_file(file).items() if value}
    tell_misspelt(tell, names)
    written = {name.lower(): (name, value) for name, value in names.items()}
    ours = [(field, *written[name]) for name, field in _OURS.items() if name in written]
    taken = {field for field in _ENDPOINT if getattr(others, field) is not None} | others.model_fields_set
    refused = [name for field, name, value in ours if not _may_say(field, value)]
    said = {field: value for field, name, value in reversed(ours) if name not in refused}
    added: dict[str, Any] = {field: value for field, value in said.items() if field not in taken}
    if "base_url" in added:
        added["api_key"] = said.get("api_key")  # never one of the environment
    elif "base_url" in taken and added.pop("api_key", None):
        refused += [name for field, name, _ in ours if field == "api_key"]
    if refused:
        tell(message("env_refused", file=str(file), names=", ".join(refused)))
    return added


def _may_say(field: str, value: str) -> bool:
    if field in FILE_MAY_LOWER:
        try:
            return float(value) <= Settings.model_fields[field].default
        except ValueError:
            return False
    if "${" in value:
        return False  # what is filled in there could be a key
    prefix, _, rest = value.partition(":")
    brings_own = field == "model" and rest and prefix in PROVIDERS and prefix != "openai"
    return field in FILE_MAY_SET and not brings_own


def _read_env_file(path: Path) -> dict[str, str | None]:
    try:
        with path.open(encoding="utf-8") as file:
            bindings = list(parse_stream(file))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsInvalid(message("file_to_mend", path=str(path), why=str(error))) from error
    broken = next((binding for binding in bindings if binding.error), None)
    if broken is not None:
        key, equals, _ = broken.original.string.strip().splitlines()[0].partition("=")  # what follows may be a secret
        named = f" ('{key[:60]}=…')" if equals else ""
        raise SettingsInvalid(message("env_line", path=str(path), line=broken.original.line, named=named))
    return {binding.key: binding.value for binding in bindings if binding.key}
