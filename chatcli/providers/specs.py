"""The table of providers as this user has it, and what a row means in this environment."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from chatcli.errors import UsageError
from chatcli.i18n import _
from chatcli.providers.base import Wire
from chatcli.providers.rows import ROWS
from chatcli.providers.spec import ProviderSpec

SPECS: tuple[ProviderSpec, ...] = ROWS
"""The rows that everybody has."""

_ENDPOINTS: dict[Wire, tuple[str, ...]] = {
    "anthropic": ("/v1/messages", "/v1"),
    "responses": ("/chat/completions", "/responses"),
    "assistant": ("/chat/completions", "/responses"),
    "chat": ("/chat/completions",),
    "copilot": ("/chat/completions", "/responses"),
    "gemini": ("/models", "/openai"),
    "ollama": ("/api/chat", "/api", "/v1"),
    "stackspot": ("/v1/agent", "/v1"),
}
"""Endings that are no part of a base URL, by the wire of a row."""
_TRUE = ("true", "1", "yes", "on")
_FALSE = ("false", "0", "no", "off")

_own: dict[str, ProviderSpec] = {}


def use_own_rows(rows: Iterable[ProviderSpec]) -> None:
    """The rows of the user's settings, from now on and in this process: one of a known name replaces it."""
    _own.clear()
    _own.update({row.name: row for row in rows})


def all_specs() -> tuple[ProviderSpec, ...]:
    """Every row, the user's own ones in front of `OLLAMA` and `OFFLINE`, which nobody is asked to choose."""
    known = [_own.get(spec.name, spec) for spec in SPECS]
    new = [row for name, row in _own.items() if name not in {spec.name for spec in SPECS}]
    at = next(i for i, spec in enumerate(known) if spec.auth == "none")
    return (*known[:at], *new, *known[at:])


def find_spec(name: str) -> ProviderSpec:
    """The row that a person means. Raises `UsageError` with all names and the nearest one."""
    word = name.strip().lower()
    for spec in all_specs():
        if word == spec.name.lower() or word in spec.aliases:
            return spec
    known = {alias: spec.name for spec in all_specs() for alias in (spec.name.lower(), *spec.aliases)}
    nearest = difflib.get_close_matches(word, known, n=1)
    hint = _("Providers: {names}").format(names=", ".join(spec.name for spec in all_specs()))
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
    for old, new in spec.url_endings:
        if url.endswith(old):
            url = url.removesuffix(old) + new
    for ending in _ENDPOINTS.get(spec.wire, ()):
        url = url.removesuffix(ending)
    if not is_address(url):
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
    if not spec.chat_elsewhere:
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


def is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _set_variable(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The first of these variables that holds something, or the empty string."""
    return next((name for name in names if environment.get(name, "").strip()), "")
