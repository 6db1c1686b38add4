"""How long the prompt cache of a provider keeps what nobody reads."""

from __future__ import annotations

from chatcli.errors import UsageError
from chatcli.providers.base import CacheClass, Provider
from chatcli.providers.openai_responses_body import has_breakpoints
from chatcli.providers.specs import find_spec
from chatcli.settings import CacheTtl

# The documented life of a 5-minute entry and of an hour's, the longest and the shortest that automatic
# caches are said to keep anything, what newer OpenAI models promise, and Ollama's default keep-alive.
_LIFE_SECONDS: dict[CacheClass, float] = {"explicit": 300.0, "automatic": 3_600.0, "none": 0.0}
_HOUR_SECONDS = 3_600.0
_AUTOMATIC_PROMISED_SECONDS = 300.0
_PROMISED_WITH_BREAKPOINTS_SECONDS = 1_800.0
_OLLAMA_LIFE_SECONDS = 300.0


def life_seconds(name: str, cache: CacheClass, ttl: CacheTtl = "5m") -> float:
    """After this an unused prefix is surely gone. `ttl` is what was asked for, of services that have it."""
    if name == "OLLAMA":
        return _OLLAMA_LIFE_SECONDS
    if ttl == "1h" and cache == "explicit":
        return _HOUR_SECONDS
    return _LIFE_SECONDS[cache]


def promised_seconds(name: str, model: str, cache: CacheClass, ttl: CacheTtl = "5m") -> float:
    """Until then an unused prefix is surely there: automatic caches forget when they like afterwards."""
    if cache != "automatic" or name == "OLLAMA":
        return life_seconds(name, cache, ttl)
    return _PROMISED_WITH_BREAKPOINTS_SECONDS if has_breakpoints(model) else _AUTOMATIC_PROMISED_SECONDS


def ttl_in_force(provider: Provider, wanted: CacheTtl) -> CacheTtl:
    """What is asked of this provider: an hour only where it is known to have that."""
    if wanted == "5m" or provider.cache != "explicit":
        return "5m"
    try:
        return wanted if find_spec(provider.name).hour_cache else "5m"
    except UsageError:
        return "5m"
