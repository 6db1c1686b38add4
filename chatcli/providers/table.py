"""Which provider is used, and how it is built from its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from chatcli.i18n import _
from chatcli.providers.base import CacheClass, Provider, Wire
from chatcli.providers.catalogue import facts
from chatcli.providers.complaints import missing_key, unusable_key
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.service import Service
from chatcli.providers.specs import (
    SPECS,
    ProviderSpec,
    base_url,
    default_model,
    find_spec,
    is_redirected,
    wire,
)
from chatcli.settings import Settings

if TYPE_CHECKING:
    from chatcli.providers.credentials import Credential

__all__ = ["SPECS", "Choice", "FindKey", "ProviderSpec", "choose", "create", "find_spec"]

FindKey = Callable[[Sequence[str]], "Credential | None"]
"""Looks up the first of these variables that has a key: `credentials.find_key` with its home."""


class Choice(Struct, frozen=True, kw_only=True):
    """Which provider is used, and why, in words for people."""

    spec: ProviderSpec
    reason: str
    model: str = ""
    """A model that is known to be there; empty: the usual default."""


def choose(name: str, environment: Mapping[str, str], find_key: FindKey) -> Choice:
    """The provider of that name, else the first with credentials, else a running Ollama, else OFFLINE.

    Raises `UsageError` for an unknown name. Ollama is asked within a fifth of a second.
    """
    if name.strip():
        return Choice(spec=find_spec(name), reason=_("chosen with --provider or LLM_PROVIDER"))
    for spec in SPECS:
        if spec.needs_key and (key := find_key(spec.key_variables)):
            return Choice(spec=spec, reason=_("there is a key for it: {name}").format(name=key.name))
        if spec.key_is_optional_elsewhere and is_redirected(spec, environment):
            address = base_url(spec, environment)
            return Choice(spec=spec, reason=_("its address is set: {address}").format(address=address))
    return _without_key(environment)


def _without_key(environment: Mapping[str, str]) -> Choice:
    from chatcli.providers.ollama_probe import installed_models

    spec = find_spec("OLLAMA")
    models = installed_models(base_url(spec, environment))
    if models is None:
        return Choice(spec=find_spec("OFFLINE"), reason=_("no key is set and no Ollama is running"))
    if not models:
        reason = _("no key is set and Ollama has no model; get one with: ollama pull {model}")
        return Choice(spec=find_spec("OFFLINE"), reason=reason.format(model=spec.default_model))
    usual = default_model(spec, environment)
    asked_for = usual != spec.default_model
    model = usual if asked_for or usual in models else models[0]
    return Choice(spec=spec, reason=_("no key is set and Ollama is running"), model=model)


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
    key = find_key(spec.key_variables)
    service = Service(
        name=spec.name,
        model=model,
        base_url=base_url(spec, environment),
        key=key.value.strip() if key else "",
        key_variable=spec.key_variables[0],
        local=spec.wire == "ollama",
    )
    dialect = spec.dialect
    if spec.key_is_optional_elsewhere and is_redirected(spec, environment):
        # A server of one's own: the SDK wants a key, such servers mostly do not, nor fields of OpenAI alone.
        service = structs.replace(service, key=service.key or "no-key-needed")
        dialect = Dialect()
    if not service.key and spec.needs_key:
        raise missing_key(service)
    if not (service.key.isascii() and service.key.isprintable()):
        raise unusable_key(service)
    return _build(service, wire(spec, environment), spec.cache, dialect, settings)


def _build(service: Service, wire: Wire, cache: CacheClass, dialect: Dialect, settings: Settings) -> Provider:
    window_tokens = settings.context_window_tokens or facts(service.model).window_tokens
    idle_seconds = float(settings.stream_idle_seconds)
    match wire:
        case "anthropic":
            from chatcli.providers.anthropic_messages import AnthropicMessages

            return AnthropicMessages(
                service, cache=cache, window_tokens=window_tokens, idle_seconds=idle_seconds
            )
        case "responses":
            from chatcli.providers.openai_responses import OpenAIResponses

            return OpenAIResponses(
                service, cache=cache, window_tokens=window_tokens, idle_seconds=idle_seconds
            )
        case "chat":
            from chatcli.providers.openai_chat import OpenAIChat

            return OpenAIChat(
                service,
                dialect,
                cache=cache,
                window_tokens=window_tokens,
                idle_seconds=idle_seconds,
            )
        case _:
            from chatcli.providers.ollama import Ollama

            num_ctx = settings.context_window_tokens or settings.ollama_num_ctx
            return Ollama(service, num_ctx=num_ctx, idle_seconds=idle_seconds)
