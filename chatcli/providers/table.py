"""The table of providers, which one is used, and how it is built.

A provider that speaks a known wire is one row. Names, variables and defaults are here alone.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from msgspec import Struct, structs

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.providers.base import CacheClass, Provider, Wire
from chatcli.providers.catalogue import facts
from chatcli.providers.failures import Service, missing_key, unusable_key
from chatcli.providers.openai_chat_body import Dialect
from chatcli.settings import Settings

OPENAI_URL = "https://api.openai.com/v1"


class ProviderSpec(Struct, frozen=True, kw_only=True):
    """One row: everything that is said about a provider, and nothing that is found out."""

    name: str
    wire: Wire
    base_url: str
    default_model: str
    cache: CacheClass
    aliases: tuple[str, ...] = ()
    """Other names that people use, in lower case."""
    url_variables: tuple[str, ...] = ()
    """Variables that redirect it, the canonical one first."""
    key_variables: tuple[str, ...] = ()
    model_variables: tuple[str, ...] = ()
    needs_key: bool = True
    free: bool = False
    dialect: Dialect = Dialect()
    """On the chat wire: what it takes beyond the common ground."""
    price_id: str = ""
    """Name of the provider in the price table."""


FindKey = Callable[[ProviderSpec], str | None]
"""The key of a provider, from the environment or wherever keys are kept."""


class Choice(Struct, frozen=True, kw_only=True):
    """Which provider is used, and why, in words for people."""

    spec: ProviderSpec
    reason: str
    model: str = ""
    """A model that is known to be there; empty: the usual default."""


SPECS: tuple[ProviderSpec, ...] = (
    ProviderSpec(
        name="CLAUDEAI",
        wire="anthropic",
        base_url="https://api.anthropic.com",
        default_model="claude-sonnet-5-5",
        cache="explicit",
        aliases=("claude", "anthropic"),
        url_variables=("ANTHROPIC_BASE_URL",),
        key_variables=("ANTHROPIC_API_KEY", "CLAUDEAI_API_KEY"),
        model_variables=("ANTHROPIC_MODEL", "CLAUDEAI_MODEL"),
        price_id="anthropic",
    ),
    ProviderSpec(
        name="OPENAI",
        wire="responses",
        base_url=OPENAI_URL,
        default_model="gpt-6.1-sol",
        cache="automatic",
        aliases=("chatgpt", "gpt"),
        url_variables=("OPENAI_BASE_URL", "OPENAI_API_URL", "OPENAI_RESPONSES_API_URL"),
        key_variables=("OPENAI_API_KEY",),
        model_variables=("OPENAI_MODEL",),
        price_id="openai",
    ),
    ProviderSpec(
        name="OPENROUTER",
        wire="chat",
        base_url="https://openrouter.ai/api/v1",
        default_model="openai/gpt-6.1-sol",
        cache="automatic",
        aliases=("open_router", "open-router"),
        url_variables=("OPENROUTER_API_URL", "OPENROUTER_BASE_URL"),
        key_variables=("OPENROUTER_API_KEY",),
        model_variables=("OPENROUTER_MODEL",),
        dialect=Dialect(cache_key=True, reasoning_details=True, marked_models=("anthropic/",)),
        price_id="openrouter",
    ),
    ProviderSpec(
        name="OLLAMA",
        wire="ollama",
        base_url="http://localhost:11434",
        default_model="gpt-oss:20b",
        cache="automatic",
        url_variables=("OLLAMA_BASE_URL",),
        key_variables=("OLLAMA_API_KEY",),
        model_variables=("OLLAMA_MODEL",),
        needs_key=False,
        free=True,
    ),
    ProviderSpec(
        name="OFFLINE",
        wire="offline",
        base_url="",
        default_model="rules",
        cache="none",
        needs_key=False,
        free=True,
    ),
)
_BY_NAME = {spec.name: spec for spec in SPECS}
_ENDPOINTS = ("/chat/completions", "/responses", "/v1/messages", "/api/chat")
_TRUE = ("true", "1", "yes", "on")
_FALSE = ("false", "0", "no", "off")


def find_spec(name: str) -> ProviderSpec:
    """The row that a person means. Raises `UsageError` with all names and the nearest one."""
    word = name.strip().lower()
    for spec in SPECS:
        if word == spec.name.lower() or word in spec.aliases:
            return spec
    known = {alias: spec.name for spec in SPECS for alias in (spec.name.lower(), *spec.aliases)}
    nearest = difflib.get_close_matches(word, known, n=1)
    hint = _("Providers: {names}").format(names=", ".join(spec.name for spec in SPECS))
    if nearest:
        hint = _("Did you mean {name}?").format(name=known[nearest[0]]) + " " + hint
    raise UsageError(_("There is no provider named {name!r}.").format(name=name), hint=hint)


def choose(name: str, environment: Mapping[str, str], find_key: FindKey) -> Choice:
    """The provider of that name, else the first with credentials, else a running Ollama, else OFFLINE.

    Raises `UsageError` for an unknown name. Ollama is asked within a fifth of a second.
    """
    if name.strip():
        return Choice(spec=find_spec(name), reason=_("chosen with --provider or LLM_PROVIDER"))
    # Variables first: they are what was set for this very run, and a keyring costs time to open.
    for spec in SPECS:
        if spec.needs_key and (variable := _set_variable(spec.key_variables, environment)):
            return Choice(spec=spec, reason=_("{variable} is set").format(variable=variable))
    for spec in SPECS:
        if spec.needs_key and find_key(spec):
            return Choice(spec=spec, reason=_("a key for it is stored"))
    if is_redirected(_BY_NAME["OPENAI"], environment):
        return Choice(spec=_BY_NAME["OPENAI"], reason=_("OPENAI_BASE_URL is set"))
    return _without_key(environment)


def _without_key(environment: Mapping[str, str]) -> Choice:
    from chatcli.providers.ollama_probe import installed_models

    spec = _BY_NAME["OLLAMA"]
    models = installed_models(base_url(spec, environment))
    if models is None:
        return Choice(spec=_BY_NAME["OFFLINE"], reason=_("no key is set and no Ollama is running"))
    if not models:
        reason = _("no key is set and Ollama has no model; get one with: ollama pull {model}")
        return Choice(spec=_BY_NAME["OFFLINE"], reason=reason.format(model=spec.default_model))
    usual = default_model(spec, environment)
    model = usual if usual in models else models[0]
    return Choice(spec=spec, reason=_("no key is set and Ollama is running"), model=model)


def default_model(spec: ProviderSpec, environment: Mapping[str, str]) -> str:
    """The model of the provider's own variable, else of its row."""
    variable = _set_variable(spec.model_variables, environment)
    return environment[variable].strip() if variable else spec.default_model


def base_url(spec: ProviderSpec, environment: Mapping[str, str]) -> str:
    """Where the provider is, without the path of an endpoint: full endpoint URLs are accepted too."""
    variable = _set_variable(spec.url_variables, environment)
    if not variable:
        return spec.base_url
    url = environment[variable].strip().rstrip("/")
    if "://" not in url:
        url = "http://" + url
    for ending in _ENDPOINTS:
        url = url.removesuffix(ending)
    return url if spec.wire in {"responses", "chat"} else url.removesuffix("/v1").removesuffix("/api")


def is_redirected(spec: ProviderSpec, environment: Mapping[str, str]) -> bool:
    """Whether a variable points to another place than the provider's own."""
    return base_url(spec, environment) != spec.base_url


def wire(spec: ProviderSpec, environment: Mapping[str, str]) -> Wire:
    """The wire format to speak: OpenAI itself has two, and what imitates it mostly knows the older one.

    Raises `UsageError` when `OPENAI_USE_RESPONSES` is neither true nor false.
    """
    if spec.name != "OPENAI":
        return spec.wire
    if word := environment.get("OPENAI_USE_RESPONSES", "").strip().lower():
        if word not in _TRUE + _FALSE:
            raise UsageError(_("OPENAI_USE_RESPONSES must be true or false, not {word!r}.").format(word=word))
        return "responses" if word in _TRUE else "chat"
    variable = _set_variable(spec.url_variables, environment)
    endpoint = environment.get(variable, "").rstrip("/")
    if endpoint.endswith("/responses"):
        return "responses"
    return (
        "chat" if endpoint.endswith("/chat/completions") or is_redirected(spec, environment) else "responses"
    )


def create(
    spec: ProviderSpec,
    model: str,
    settings: Settings,
    environment: Mapping[str, str],
    find_key: FindKey,
) -> Provider:
    """A provider that is ready to be asked; nothing heavy is imported yet.

    An empty `model` means the provider's default. Raises `AuthError` when a key is needed and
    there is none, or when it cannot be a key.
    """
    model = model or default_model(spec, environment)
    if spec.wire == "offline":
        from chatcli.providers.offline import Offline

        return Offline(model=model, environment=environment)
    service = Service(
        name=spec.name,
        model=model,
        base_url=base_url(spec, environment),
        key=(find_key(spec) or "").strip(),
        key_variable=spec.key_variables[0],
        local=spec.wire == "ollama",
    )
    if not service.key and spec.needs_key:
        if spec.name != "OPENAI" or not is_redirected(spec, environment):
            raise missing_key(service)
        service = structs.replace(service, key="none")  # servers of one's own rarely ask for one
    if not (service.key.isascii() and service.key.isprintable()):
        raise unusable_key(service)
    return _build(spec, service, settings, wire(spec, environment))


def _build(spec: ProviderSpec, service: Service, settings: Settings, wire: Wire) -> Provider:
    window_tokens = settings.context_window_tokens or facts(service.model).window_tokens
    idle_seconds = float(settings.stream_idle_seconds)
    match wire:
        case "anthropic":
            from chatcli.providers.anthropic_messages import AnthropicMessages

            return AnthropicMessages(
                service, cache=spec.cache, window_tokens=window_tokens, idle_seconds=idle_seconds
            )
        case "responses":
            from chatcli.providers.openai_responses import OpenAIResponses

            return OpenAIResponses(
                service, cache=spec.cache, window_tokens=window_tokens, idle_seconds=idle_seconds
            )
        case "chat":
            from chatcli.providers.openai_chat import OpenAIChat

            return OpenAIChat(
                service,
                cache=spec.cache,
                window_tokens=window_tokens,
                idle_seconds=idle_seconds,
                dialect=spec.dialect,
            )
        case _:
            from chatcli.providers.ollama import Ollama

            num_ctx = settings.context_window_tokens or settings.ollama_num_ctx
            return Ollama(service, num_ctx=num_ctx, idle_seconds=idle_seconds)


def _set_variable(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first of these variables that holds something, or the empty string."""
    return next((name for name in names if environment.get(name, "").strip()), "")
