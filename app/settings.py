"""One settings class: environment variables with the prefix APP_, and a `.env` file. Nothing below reads either."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv.parser import parse_stream
from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ledger.options import RunOptions
from tools.core.errors import SettingsInvalid
from tools.core.network import NetworkPolicy, SearchProvider

DEFAULT_MODEL = "gpt-4.1-mini"
"""Taken when a key or an endpoint is set but no model is named."""

NO_MODEL = "none"
"""The model name that means: work by rules, whatever keys are set."""


def _separated(value: Any) -> Any:
    """A list as people write it in an environment: with commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


CommaSeparated = Annotated[list[str], NoDecode, BeforeValidator(_separated)]


class Settings(RunOptions, BaseSettings):
    """How this orchestrator works. The limits of a run are settings too: APP_MAX_SECONDS and so on."""

    model_config = SettingsConfigDict(
        env_prefix="APP_", env_file_encoding="utf-8", extra="ignore", populate_by_name=True, protected_namespaces=()
    )

    base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("base_url", "APP_BASE_URL", "OPENAI_BASE_URL"),
        description="An OpenAI-compatible endpoint, such as http://localhost:11434/v1.",
    )
    api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("api_key", "APP_API_KEY", "OPENAI_API_KEY"),
        description="The key of the endpoint.",
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
        default=Path(),
        description="A folder whose own tools/, skills/ and mcp.local.json are used once it is trusted.",
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
        """The workspace as a real folder.

        Raises:
            SettingsInvalid: when it is missing, no folder or not readable.
        """
        folder = self.workspace.expanduser().resolve()
        if not folder.is_dir():
            what = "is not a folder" if folder.exists() else "does not exist"
            raise SettingsInvalid(f"The workspace {folder} {what}. Set APP_WORKSPACE or --workspace to one that does.")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise SettingsInvalid(f"The workspace {folder} cannot be read. Change its permissions or use another.")
        return folder

    def check_tool_places(self) -> None:
        """Make sure that the folders of tools and skills and the files of MCP servers that are named are there.

        Raises:
            SettingsInvalid: naming one that is not.
        """
        for folder in self.tool_folders:
            if not folder.is_dir():
                raise SettingsInvalid(f"The tool folder {folder} does not exist. Correct APP_TOOL_FOLDERS or --tools.")
        for folder in self.skill_folders:
            if not folder.is_dir():
                raise SettingsInvalid(
                    f"The folder of skills {folder} does not exist. Correct APP_SKILL_FOLDERS or --skills."
                )
        for file in self.mcp_files or ():
            if not file.is_file():
                raise SettingsInvalid(f"The file of MCP servers {file} does not exist. Correct APP_MCP_FILES.")


_NAMES_CODE = (
    *("APP_TOOL_FOLDERS", "APP_SKILL_FOLDERS", "APP_MCP_FILES"),
    *("APP_PROJECT", "APP_CONFIG_DIR", "APP_CACHE_DIR"),
)
"""Settings that say which code is run, or who said that it may be."""
_OPENS_NETWORKS = ("APP_ALLOW_PRIVATE", "APP_SEARCH_URL")


def load_settings(*, env_file: Path | None = Path(".env"), **given: Any) -> Settings:
    """Settings from the environment, the `.env` file and what is given, the last winning.

    Raises:
        SettingsInvalid: naming the file and line, or the setting, that cannot be used.
    """
    written: dict[str, str | None] = {}
    if env_file is not None and env_file.exists():
        written = _read_env_file(env_file)
    else:
        env_file = None
    for name in _NAMES_CODE:
        if name in written:
            raise SettingsInvalid(
                f"{env_file} sets {name}: a folder's own file may not say which code is run. Set it in the environment."
            )
    for name in _OPENS_NETWORKS:
        if name in written:
            raise SettingsInvalid(
                f"{env_file} sets {name}: a folder's own file may not open the way to private addresses. Set it in the "
                "environment."
            )
    if {"APP_BASE_URL", "OPENAI_BASE_URL"} & written.keys() and not {"APP_API_KEY", "OPENAI_API_KEY"} & written.keys():
        given.setdefault("api_key", None)  # a key of the environment is not sent to an address a folder names
    try:
        return Settings(_env_file=env_file, **given)  # pyright: ignore[reportCallIssue]  pydantic-settings' own argument
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = "_".join(str(part) for part in first["loc"])
        shown = name if name.isupper() else f"APP_{name.upper()}"
        raise SettingsInvalid(f"The setting {shown} cannot be used: {first['msg']}, got {first['input']!r}.") from error
    except Exception as error:
        if type(error).__name__ != "SettingsError":  # its class is not exported in every version
            raise
        raise SettingsInvalid(f"A setting cannot be read: {error}.") from error


def _read_env_file(path: Path) -> dict[str, str | None]:
    """The names and values of a `.env` file, checked line by line."""
    try:
        with path.open(encoding="utf-8") as file:
            bindings = list(parse_stream(file))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsInvalid(f"{path} cannot be read: {error}. Mend it or move it away.") from error
    broken = next((binding for binding in bindings if binding.error), None)
    if broken is not None:
        line = broken.original.string.strip().splitlines()[0][:60]
        key = line.split("=", maxsplit=1)[0]  # what follows may be a secret
        raise SettingsInvalid(f"{path} line {broken.original.line}: '{key}…' is not of the form NAME=value.")
    return {binding.key: binding.value for binding in bindings if binding.key}
