"""Known models: window, longest reply and smallest cacheable prefix, in tokens.

A small table of our own, because price tables do not say these. Numbers are the vendors', as of
November 2026. A model is found by the longest row that its id begins with, vendor prefix and case
aside; unknown models get cautious assumptions.
"""

from __future__ import annotations

from msgspec import Struct


class ModelFacts(Struct, frozen=True, kw_only=True):
    window_tokens: int
    max_output_tokens: int
    cache_minimum_tokens: int = 1_024
    """Prefixes shorter than this are not cached: no error, they just are not."""


UNKNOWN = ModelFacts(window_tokens=128_000, max_output_tokens=8_192)

_M = 1_000_000
_CLAUDE = ModelFacts(window_tokens=_M, max_output_tokens=128_000, cache_minimum_tokens=512)
_CLAUDE_4 = ModelFacts(window_tokens=200_000, max_output_tokens=64_000)
_CLAUDE_4_LATE = ModelFacts(window_tokens=200_000, max_output_tokens=64_000, cache_minimum_tokens=4_096)
_GPT = ModelFacts(window_tokens=922_000, max_output_tokens=128_000)
"""1,050,000 in all, of which 922,000 may be input."""
_GPT_SMALL = ModelFacts(window_tokens=272_000, max_output_tokens=128_000)
"""400,000 in all, of which 272,000 may be input."""
_GEMINI = ModelFacts(window_tokens=1_000_000, max_output_tokens=65_536, cache_minimum_tokens=4_096)
_LONG = ModelFacts(window_tokens=_M, max_output_tokens=128_000)

_TABLE: dict[str, ModelFacts] = {
    "claude-sonnet-5": _LONG,
    "claude-sonnet-5-5": _CLAUDE,
    "claude-sonnet-5.5": _CLAUDE,
    "claude-opus-5": _CLAUDE,
    "claude-fable-5": _CLAUDE,
    "claude-haiku-5": _CLAUDE,
    "claude-opus-4": ModelFacts(window_tokens=200_000, max_output_tokens=32_000),
    "claude-opus-4-5": _CLAUDE_4_LATE,
    "claude-opus-4-6": ModelFacts(window_tokens=_M, max_output_tokens=64_000, cache_minimum_tokens=4_096),
    "claude-opus-4-7": ModelFacts(window_tokens=_M, max_output_tokens=128_000, cache_minimum_tokens=2_048),
    "claude-opus-4-8": _LONG,
    "claude-sonnet-4": _CLAUDE_4,
    "claude-sonnet-4-6": ModelFacts(window_tokens=_M, max_output_tokens=64_000),
    "claude-haiku-4-5": _CLAUDE_4_LATE,
    "gpt-6": _GPT,
    "gpt-5": _GPT_SMALL,
    "gpt-5.3": ModelFacts(window_tokens=128_000, max_output_tokens=16_384),
    "gpt-5.3-codex": _GPT_SMALL,
    "gpt-5.4": _GPT,
    "gpt-5.4-mini": _GPT_SMALL,
    "gpt-5.4-nano": _GPT_SMALL,
    "gpt-5.5": ModelFacts(window_tokens=872_000, max_output_tokens=128_000),
    "gpt-5.6": _GPT,
    "gpt-4.1": ModelFacts(window_tokens=_M, max_output_tokens=32_768),
    "gpt-4o": ModelFacts(window_tokens=128_000, max_output_tokens=16_384),
    "gpt-oss": ModelFacts(window_tokens=131_072, max_output_tokens=32_768),
    "grok-4.7": ModelFacts(window_tokens=500_000, max_output_tokens=128_000),
    "glm-5.3": _LONG,
    "minimax-m3": _LONG,
    "kimi-k3": ModelFacts(window_tokens=1_048_576, max_output_tokens=131_072),
    "gemini-3": _GEMINI,
    "gemini-4": _GEMINI,
}


def facts(model: str) -> ModelFacts:
    """What is known about a model, or `UNKNOWN`."""
    name = model.rsplit("/", 1)[-1].lower()
    rows = [row for row in _TABLE if name.startswith(row)]
    return _TABLE[max(rows, key=len)] if rows else UNKNOWN
