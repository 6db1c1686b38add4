"""The rows of the table of providers: names, variables, addresses and defaults are here alone.

A provider that speaks a known wire is one row.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.providers.base import CacheClass, Wire
from chatcli.providers.openai_chat_body import Dialect

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
    key_is_optional_elsewhere: bool = False
    """Redirected to a server of one's own it works without a key."""
    free: bool = False
    dialect: Dialect = Dialect()
    """On the chat wire: what it takes beyond the common ground."""
    price_id: str = ""
    """Name of the provider in the price table."""


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
        key_is_optional_elsewhere=True,
        dialect=Dialect(cache_key=True),
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
_ENDPOINTS: dict[Wire, tuple[str, ...]] = {
    "anthropic": ("/v1/messages", "/v1"),
    "responses": ("/chat/completions", "/responses"),
    "chat": ("/chat/completions",),
    "ollama": ("/api/chat", "/api", "/v1"),
}
"""Endings that are no part of a base URL, by the wire of a row."""
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


def default_model(spec: ProviderSpec, environment: Mapping[str, str]) -> str:
    """The model of the provider's own variable, else of its row."""
    variable = _set_variable(spec.model_variables, environment)
    return environment[variable].strip() if variable else spec.default_model


def base_url(spec: ProviderSpec, environment: Mapping[str, str]) -> str:
    """Where the provider is, without the path of an endpoint: full endpoint URLs are accepted too.

    Raises `UsageError` for a variable that holds no address.
    """
    variable = _set_variable(spec.url_variables, environment)
    if not variable:
        return spec.base_url
    url = environment[variable].strip()
    url = (url if "://" in url else f"http://{url}").rstrip("/")
    for ending in _ENDPOINTS[spec.wire]:
        url = url.removesuffix(ending)
    if not _is_address(url):
        raise UsageError(
            _("{variable} is not an address: {value!r}").format(
                variable=variable, value=environment[variable]
            ),
            hint=_("It looks like {example}").format(example=spec.base_url),
        )
    return url


def is_redirected(spec: ProviderSpec, environment: Mapping[str, str]) -> bool:
    """Whether a variable points to another place than the provider's own."""
    return base_url(spec, environment) != spec.base_url


def wire(spec: ProviderSpec, environment: Mapping[str, str]) -> Wire:
    """The wire format to speak: OpenAI itself has two, and what imitates it mostly knows the older one.

    Raises `UsageError` when `OPENAI_USE_RESPONSES` is neither true nor false.
    """
    if spec.wire != "responses":
        return spec.wire
    if word := environment.get("OPENAI_USE_RESPONSES", "").strip().lower():
        if word not in _TRUE + _FALSE:
            raise UsageError(_("OPENAI_USE_RESPONSES must be true or false, not {word!r}.").format(word=word))
        return "responses" if word in _TRUE else "chat"
    variable = _set_variable(spec.url_variables, environment)
    endpoint = environment.get(variable, "").rstrip("/")
    if endpoint.endswith("/responses"):
        return "responses"
    if endpoint.endswith("/chat/completions") or is_redirected(spec, environment):
        return "chat"
    return "responses"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _set_variable(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first of these variables that holds something, or the empty string."""
    return next((name for name in names if environment.get(name, "").strip()), "")
