"""Known models: window, longest reply, smallest cacheable prefix, what they take, how they count.

A small table of our own, because price tables do not say these. Numbers are the vendors', as of
November 2026. A model is found by the longest row that its name begins with; what a service said
about its own models (`chatcli models --refresh`) comes before the table, what the user says in the
settings before both. Unknown models get cautious assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct, structs

from chatcli.providers.listing import Listed, read_list
from chatcli.providers.model_names import bare_name


class ModelFacts(Struct, frozen=True, kw_only=True):
    window_tokens: int
    max_output_tokens: int
    cache_minimum_tokens: int = 1_024
    """Prefixes shorter than this are not cached: no error, they just are not."""
    tools: bool = True
    vision: bool = False
    tokens_ratio: float = 1.0
    """Billed tokens for each one that the estimator expects; measured on recorded traffic."""


UNKNOWN = ModelFacts(window_tokens=128_000, max_output_tokens=8_192)

_M = 1_000_000
_CLAUDE = ModelFacts(
    window_tokens=_M, max_output_tokens=128_000, cache_minimum_tokens=512, vision=True, tokens_ratio=1.4
)
_CLAUDE_4_7 = structs.replace(_CLAUDE, cache_minimum_tokens=2_048)
_CLAUDE_4_8 = structs.replace(_CLAUDE, cache_minimum_tokens=1_024)
_CLAUDE_4 = ModelFacts(window_tokens=200_000, max_output_tokens=64_000, vision=True, tokens_ratio=1.1)
_CLAUDE_4_LATE = structs.replace(_CLAUDE_4, cache_minimum_tokens=4_096)
_GPT = ModelFacts(window_tokens=922_000, max_output_tokens=128_000, vision=True)
"""1,050,000 in all, of which 922,000 may be input."""
_GPT_SMALL = ModelFacts(window_tokens=272_000, max_output_tokens=128_000, vision=True)
"""400,000 in all, of which 272,000 may be input."""
_GEMINI = ModelFacts(window_tokens=_M, max_output_tokens=65_536, cache_minimum_tokens=4_096, vision=True)
_LONG = ModelFacts(window_tokens=_M, max_output_tokens=128_000)

_TABLE: dict[str, ModelFacts] = {
    "claude-sonnet-5": _CLAUDE_4_8,
    "claude-sonnet-5-5": _CLAUDE,
    "claude-sonnet-5.5": _CLAUDE,
    "claude-opus-5": _CLAUDE,
    "claude-fable-5": _CLAUDE,
    "claude-haiku-5": _CLAUDE,
    "claude-opus-4": structs.replace(_CLAUDE_4, max_output_tokens=32_000),
    "claude-opus-4-5": _CLAUDE_4_LATE,
    "claude-opus-4-6": structs.replace(_CLAUDE_4_LATE, window_tokens=_M),
    "claude-opus-4-7": _CLAUDE_4_7,
    "claude-opus-4-8": _CLAUDE_4_8,
    "claude-sonnet-4": _CLAUDE_4,
    "claude-sonnet-4-6": structs.replace(_CLAUDE_4, window_tokens=_M),
    "claude-haiku-4-5": _CLAUDE_4_LATE,
    "gpt-6": _GPT,
    "gpt-5": _GPT_SMALL,
    "gpt-5.3": ModelFacts(window_tokens=128_000, max_output_tokens=16_384, vision=True),
    "gpt-5.3-codex": _GPT_SMALL,
    "gpt-5.4": _GPT,
    "gpt-5.4-mini": _GPT_SMALL,
    "gpt-5.4-nano": _GPT_SMALL,
    "gpt-5.5": structs.replace(_GPT, window_tokens=872_000),
    "gpt-5.6": _GPT,
    "gpt-4.1": ModelFacts(window_tokens=_M, max_output_tokens=32_768, vision=True),
    "gpt-4o": ModelFacts(window_tokens=128_000, max_output_tokens=16_384, vision=True),
    "gpt-oss": ModelFacts(window_tokens=131_072, max_output_tokens=32_768),
    "grok-4.7": ModelFacts(window_tokens=500_000, max_output_tokens=128_000, vision=True),
    "glm-5.3": _LONG,
    "minimax-m3": _LONG,
    "kimi-k3": ModelFacts(window_tokens=1_048_576, max_output_tokens=131_072, vision=True),
    "gemini-2.5": structs.replace(_GEMINI, cache_minimum_tokens=2_048),
    "gemini-3": _GEMINI,
    "gemini-4": _GEMINI,
    "nova-2": ModelFacts(window_tokens=_M, max_output_tokens=64_000, vision=True),
}

_own: dict[str, ModelFacts] = {}
_listed: dict[str, Mapping[str, Listed]] = {}
_folder: Path | None = None


def use_own_models(models: Mapping[str, ModelFacts], folder: Path | None) -> None:
    """What the user's settings say, and the folder with what services said: from now on, in this process."""
    global _folder
    _own.clear()
    _own.update(models)
    _listed.clear()
    _folder = folder


def learn(provider: str, models: Iterable[Listed]) -> None:
    """What a service has just said about its models."""
    _listed[provider] = {model.id: model for model in models}


def facts(model: str, provider: str = "") -> ModelFacts:
    """What is known about a model, at this provider if it is named, or `UNKNOWN`."""
    if model in _own:
        return _own[model]
    name = bare_name(model)
    rows = [row for row in _TABLE if name.startswith(row)]
    known = _TABLE[max(rows, key=len)] if rows else UNKNOWN
    listed = _list_of(provider).get(model)
    return structs.replace(known, **listed.said()) if listed else known


def _list_of(provider: str) -> Mapping[str, Listed]:
    if provider and provider not in _listed and _folder is not None:
        _listed[provider] = read_list(_folder, provider)
    return _listed.get(provider, {})
