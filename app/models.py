"""Models by name: any OpenAI-compatible endpoint, and any other LangChain provider as `provider:model` (R8.2)."""

import asyncio
import importlib.util
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from switchyard.agents.scope import Model
from switchyard.app.settings import NO_MODEL, PROVIDERS, Settings
from switchyard.language.messages import message, quoted
from switchyard.ledger.options import RunOptions
from switchyard.tools.core.errors import ModelFailed, SettingsInvalid

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel


class ConfiguredModels:
    """The models of one orchestrator, each built once, when first used: importing a provider takes a second."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._models: dict[str, Model] = {}
        self._building = asyncio.Lock()
        self._clients: list[Any] = []

    def name_for(self, options: RunOptions, agent: str) -> str | None:
        """The model an agent uses in a run; None when it works by rules."""
        if options.model and options.model.lower() == NO_MODEL:
            return None
        return options.agent_models.get(agent) or options.model or self._settings.default_model

    async def get(self, name: str) -> Model:
        """The model of that name, built in a thread the first time."""
        async with self._building:
            if name not in self._models:
                try:
                    self._models[name] = await asyncio.to_thread(self._build, name)
                except Exception as error:
                    unusable = message("model_not_set_up", model=name, error=quoted(str(error)))
                    raise ModelFailed(unusable, lasting=True) from error
            return self._models[name]

    def use(self, given: "Model | BaseChatModel | str") -> str | None:
        """Use a caller's own model: for the agents whose settings name it, or for all where none does.

        Returns:
            its name, where it is the one that runs use.

        Raises:
            SettingsInvalid: when it is no chat model.
        """
        if isinstance(given, str):
            name = given
        else:
            model = _model_of(given)
            name, self._models[model.name] = model.name, model
        return None if name in self._settings.agent_models.values() else name

    async def aclose(self) -> None:
        """Close the connections of the models built here."""
        self._models.clear()
        while self._clients:
            await self._clients.pop().aclose()

    def _build(self, name: str) -> Model:
        if package_of(name):
            check_model_name(name)
            from langchain.chat_models import init_chat_model  # noqa: PLC0415  an extra, and slow to import

            return Model(name, init_chat_model(name))
        chat = self._openai(name.removeprefix("openai:") or name)
        key = self._settings.api_key
        secret = key.get_secret_value() if key else None
        return Model(name, chat, inner={"stream": False}, secret=secret, takes_response_format=True)

    def _openai(self, name: str) -> "BaseChatModel":
        from langchain_openai import ChatOpenAI  # noqa: PLC0415  takes a second to import
        from openai import DefaultAsyncHttpxClient  # noqa: PLC0415  the same

        settings = self._settings
        client = DefaultAsyncHttpxClient(timeout=settings.model_timeout)  # of our own, so that it can be closed
        self._clients.append(client)
        return ChatOpenAI(model=name, **_endpoint(settings), http_async_client=client, stream_usage=True, temperature=0)


def _model_of(given: Any) -> Model:
    """A chat model object as ours; one of OpenAI's makers takes what our own of them takes."""
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415  a caller who has one has loaded it

    if isinstance(given, Model):
        return given
    if not isinstance(given, BaseChatModel):
        raise SettingsInvalid(message("model_no_chat_model", kind=type(given).__name__))
    known = [getattr(given, field, None) for field in ("model_name", "model", "name")]
    name = next((one for one in known if isinstance(one, str) and one), type(given).__name__)
    secret = next((value.get_secret_value() for _, value in given if isinstance(value, SecretStr)), None)
    is_openai = "openai" in type(given).__module__
    inner: dict[str, Any] = {"stream": False} if is_openai else {}
    return Model(name, given, inner=inner, secret=secret, takes_response_format=is_openai)


def _endpoint(settings: Settings) -> dict[str, Any]:
    return {
        "base_url": settings.base_url,
        "api_key": settings.api_key or SecretStr("none"),  # endpoints of one's own often want none
        "timeout": settings.model_timeout,
        "max_retries": settings.model_retries,
    }


def package_of(name: str) -> str | None:
    """The package of the provider a name begins with; None where the model is one of the endpoint."""
    provider, _, rest = name.partition(":")
    return PROVIDERS.get(provider) if rest and provider != "openai" else None


def check_model_name(name: str | None) -> None:
    """Make sure that the package a `provider:model` name needs is there."""
    package = package_of(name or "")
    if package is None:
        return
    missing = [needed for needed in (package, "langchain") if importlib.util.find_spec(needed) is None]
    if missing:
        wanted = " ".join(part.replace("_", "-") for part in missing)
        raise SettingsInvalid(message("model_needs_packages", name=str(name), wanted=wanted))


def build_embeddings(settings: Settings) -> "Embeddings | None":
    """The embeddings the settings name; None where word vectors of the package, or none at all, are meant."""
    name = settings.embeddings
    if not name or name.lower() == NO_MODEL:
        return None
    if package_of(name):
        check_model_name(name)
        from langchain.embeddings import init_embeddings  # noqa: PLC0415  an extra, and slow to import

        return init_embeddings(name)
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415  takes a second to import

    return OpenAIEmbeddings(
        model=name.removeprefix("openai:") or name,
        **_endpoint(settings),
        check_embedding_ctx_length=False,  # it would download the tables of a tokeniser
    )
