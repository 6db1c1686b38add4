"""Which provider is used, and how it is built from its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from chatcli.errors import ProviderError
from chatcli.i18n import _
from chatcli.providers.base import Provider, Wire
from chatcli.providers.catalogue import facts
from chatcli.providers.complaints import missing_key, missing_model, missing_variable, retired, unusable_key
from chatcli.providers.openai_chat_body import Dialect
from chatcli.providers.service import Service
from chatcli.providers.spec import ProviderSpec
from chatcli.providers.specs import SPECS, all_specs, base_url, default_model, find_spec, is_redirected, wire
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


def choose(
    name: str, environment: Mapping[str, str], find_key: FindKey, *, home: Path | None = None
) -> Choice:
    """The provider of that name, else the first with credentials, else a running Ollama, else a model
    file in `home` that is of use, else OFFLINE.

    Raises `UsageError` for an unknown name. Ollama is asked within a fifth of a second.
    """
    if name.strip():
        return Choice(spec=find_spec(name), reason=_("chosen with --provider or LLM_PROVIDER"))
    for spec in all_specs():
        if not spec.chosen_by_key:
            continue
        if key := _whole_key(spec, environment, find_key):
            return Choice(spec=spec, reason=_("there is a key for it: {name}").format(name=key.name))
        if spec.key_is_optional_elsewhere and is_redirected(spec, environment):
            address = base_url(spec, environment)
            return Choice(spec=spec, reason=_("its address is set: {address}").format(address=address))
    return _without_key(environment, home)


def _whole_key(spec: ProviderSpec, environment: Mapping[str, str], find_key: FindKey) -> Credential | None:
    """The key of a provider that needs nothing else, or has it."""
    if spec.auth == "none" or not default_model(spec, environment):
        return None
    if not all(find_key((name,)) for name in spec.also_needs):
        return None
    return find_key(spec.key_variables)


def _without_key(environment: Mapping[str, str], home: Path | None) -> Choice:
    from chatcli.providers.ollama_probe import installed_models

    spec = find_spec("OLLAMA")
    models = installed_models(base_url(spec, environment))
    usual = default_model(spec, environment)
    if models:
        asked_for = usual != spec.default_model
        model = usual if asked_for or usual in models else models[0]
        return Choice(spec=spec, reason=_("no key is set and Ollama is running"), model=model)
    if model := _usable_file(environment, home):
        return Choice(
            spec=find_spec("LOCAL"), reason=_("no key is set and there is a model file"), model=model
        )
    if models is None:
        return Choice(spec=find_spec("OFFLINE"), reason=_("no key is set and no Ollama is running"))
    reason = _("no key is set and Ollama has no model; get one with: ollama pull {model}")
    return Choice(spec=find_spec("OFFLINE"), reason=reason.format(model=spec.default_model))


def _usable_file(environment: Mapping[str, str], home: Path | None) -> str:
    """A model file that may be chosen without being named; small ones only demonstrate."""
    if home is None:
        return ""
    from chatcli.providers.local import models

    try:
        model = models.find_model(default_model(find_spec("LOCAL"), environment), home)
    except ProviderError:
        return ""
    return model.name if model.usable and models.is_installed() else ""


def create(
    spec: ProviderSpec,
    model: str,
    settings: Settings,
    environment: Mapping[str, str],
    find_key: FindKey,
    *,
    home: Path | None = None,
) -> Provider:
    """A provider that is ready to be asked; nothing heavy is imported yet.

    An empty `model` means the provider's default. `home` is where assistants are kept. Raises a
    `ProviderError` when a key or something else is needed and there is none, when it cannot be a
    key, or when the service has ended.
    """
    model = model or default_model(spec, environment)
    if spec.wire == "offline":
        from chatcli.providers.offline import Offline

        return Offline(model=model, environment=environment)
    if spec.wire == "local":
        from chatcli.providers.local.provider import connect as connect_local

        return connect_local(model, settings, home)
    service = service_of(spec, model, settings, environment, find_key)
    redirected = is_redirected(spec, environment)
    if spec.retired and not redirected:
        raise retired(service, spec.retired, spec.url_variables[0])
    if not service.key and spec.needs_key and not (spec.key_is_optional_elsewhere and redirected):
        raise missing_key(service)
    if not (service.key.isascii() and service.key.isprintable()):
        raise unusable_key(service)
    for name in spec.also_needs:
        if not find_key((name,)):
            raise missing_variable(service, name)
    if not model and spec.wire != "assistant":
        raise missing_model(service, spec.model_variables)
    return _build(spec, service, environment, find_key, home)


def service_of(
    spec: ProviderSpec,
    model: str,
    settings: Settings,
    environment: Mapping[str, str],
    find_key: FindKey,
) -> Service:
    """Where the provider is and what it is asked for, before anything is checked."""
    key = find_key(spec.key_variables)
    known = facts(model, spec.name)
    window_tokens = settings.context_window_tokens or known.window_tokens
    if spec.wire == "ollama":
        window_tokens = settings.context_window_tokens or settings.ollama_num_ctx
    return Service(
        name=spec.name,
        model=model,
        base_url=base_url(spec, environment),
        key=key.value.strip() if key else "",
        bearer=spec.auth == "bearer",
        key_variable=spec.key_variables[0] if spec.key_variables else "",
        cache=spec.cache,
        hour_cache=spec.hour_cache,
        part_breakpoints=spec.part_breakpoints,
        window_tokens=window_tokens,
        window_given=settings.context_window_tokens > 0,
        max_output_tokens=known.max_output_tokens,
        vision=known.vision,
        images=spec.images,
        ca_bundle=settings.ca_bundle,
        idle_seconds=max(float(settings.stream_idle_seconds), spec.patience_seconds),
        local=spec.wire == "ollama",
    )


def _build(
    spec: ProviderSpec,
    service: Service,
    environment: Mapping[str, str],
    find_key: FindKey,
    home: Path | None,
) -> Provider:
    dialect = spec.dialect
    redirected = is_redirected(spec, environment)
    if spec.key_is_optional_elsewhere and redirected:
        # A server of one's own does not know the fields of OpenAI alone.
        dialect = Dialect()
    spoken = wire(spec, environment)
    match spoken:
        case "assistant":
            from chatcli.providers.assistants import connect as connect_assistant

            return connect_assistant(service, home)
        case "bedrock":
            from chatcli.providers.bedrock import connect as connect_bedrock

            return connect_bedrock(service, environment)
        case "copilot":
            from chatcli.providers.copilot import Copilot

            return Copilot(service, dialect, redirected=redirected)
        case "stackspot":
            from chatcli.providers.stackspot import connect as connect_stackspot

            return connect_stackspot(service, environment, find_key)
    return _adapter(spoken, service, dialect, replays_unsigned=spec.replays_unsigned)


def _adapter(wire: Wire, service: Service, dialect: Dialect, *, replays_unsigned: bool) -> Provider:
    """For services that speak one wire and need a key alone."""
    match wire:
        case "anthropic":
            from chatcli.providers.anthropic_messages import AnthropicMessages

            return AnthropicMessages(service, replays_unsigned=replays_unsigned)
        case "responses":
            from chatcli.providers.openai_responses import OpenAIResponses

            return OpenAIResponses(service, dialect.fields)
        case "gemini":
            from chatcli.providers.gemini_native import GeminiNative

            return GeminiNative(service)
        case "ollama":
            from chatcli.providers.ollama import Ollama

            return Ollama(service)
        case _:
            from chatcli.providers.openai_chat import OpenAIChat

            return OpenAIChat(service, dialect)
