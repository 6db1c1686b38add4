"""Usage as each service reports it, in the one normal form: classes of tokens that do not overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatcli.messages import Usage

_BYTES_PER_TOKEN = 4


def anthropic_usage(reported: Mapping[str, Any]) -> Usage:
    """`input_tokens` is without the cache classes; older services do not split writes by lifetime."""
    written = _count(reported, "cache_creation_input_tokens")
    split = _inner(reported, "cache_creation")
    write_1h = _count(split, "ephemeral_1h_input_tokens")
    return Usage(
        input=_count(reported, "input_tokens"),
        cache_read=_count(reported, "cache_read_input_tokens"),
        cache_write_5m=max(written - write_1h, _count(split, "ephemeral_5m_input_tokens")),
        cache_write_1h=write_1h,
        output=_count(reported, "output_tokens"),
        reasoning=_count(_inner(reported, "output_tokens_details"), "thinking_tokens"),
    )


def responses_usage(reported: Mapping[str, Any]) -> Usage:
    """OpenAI Responses: `input_tokens` includes what was read from and written to the cache."""
    return _inclusive(
        reported,
        read=_inner(reported, "input_tokens_details"),
        written=_inner(reported, "output_tokens_details"),
        input_name="input_tokens",
        output_name="output_tokens",
    )


def chat_usage(reported: Mapping[str, Any]) -> Usage:
    """OpenAI Chat Completions and its many speakers; OpenRouter adds what it charged, in USD."""
    return _inclusive(
        reported,
        read=_inner(reported, "prompt_tokens_details"),
        written=_inner(reported, "completion_tokens_details"),
        input_name="prompt_tokens",
        output_name="completion_tokens",
    )


def ollama_usage(reported: Mapping[str, Any]) -> Usage:
    """Ollama counts the whole prompt and says nothing about its cache. It costs nothing."""
    return Usage(
        input=_count(reported, "prompt_eval_count"),
        output=_count(reported, "eval_count"),
    )


def gemini_usage(reported: Mapping[str, Any]) -> Usage:
    """Google: the prompt includes what was read from the cache, the answer excludes the thoughts."""
    cached = _count(reported, "cachedContentTokenCount")
    prompt = _count(reported, "promptTokenCount") + _count(reported, "toolUsePromptTokenCount")
    thoughts = _count(reported, "thoughtsTokenCount")
    return Usage(
        input=max(0, prompt - cached),
        cache_read=cached,
        output=_count(reported, "candidatesTokenCount") + thoughts,
        reasoning=thoughts,
    )


def converse_usage(reported: Mapping[str, Any]) -> Usage:
    """Bedrock Converse: `inputTokens` is without the cache classes; a list splits writes by lifetime."""
    written = _count(reported, "cacheWriteInputTokens") or _count(reported, "cacheWriteInputTokenCount")
    details = reported.get("cacheDetails")
    write_1h = sum(
        _count(detail, "inputTokens")
        for detail in (details if isinstance(details, list) else ())
        if detail.get("ttl") == "1h"
    )
    return Usage(
        input=_count(reported, "inputTokens"),
        cache_read=_count(reported, "cacheReadInputTokens") or _count(reported, "cacheReadInputTokenCount"),
        cache_write_5m=max(0, written - write_1h),
        cache_write_1h=write_1h,
        output=_count(reported, "outputTokens"),
    )


def stackspot_usage(reported: Mapping[str, Any]) -> Usage:
    """StackSpot: the user's own tokens and those that its knowledge sources added."""
    return Usage(
        input=_count(reported, "user") + _count(reported, "enrichment"),
        output=_count(reported, "output"),
    )


def estimated_usage(request_bytes: int, output_chars: int) -> Usage:
    """What a request must have cost whose service did not say: cut, cancelled, or silent about it."""
    return Usage(
        input=request_bytes // _BYTES_PER_TOKEN,
        output=output_chars // _BYTES_PER_TOKEN,
        estimated=True,
    )


def _inclusive(
    reported: Mapping[str, Any],
    *,
    read: Mapping[str, Any],
    written: Mapping[str, Any],
    input_name: str,
    output_name: str,
) -> Usage:
    # Some services report cached tokens at the top (Kimi) or as prompt_cache_hit_tokens (DeepSeek).
    cached = (
        _count(read, "cached_tokens")
        or _count(reported, "cached_tokens")
        or _count(reported, "prompt_cache_hit_tokens")
    )
    cache_write = _count(read, "cache_write_tokens")
    return Usage(
        input=max(0, _count(reported, input_name) - cached - cache_write),
        cache_read=cached,
        cache_write_5m=cache_write,
        output=_count(reported, output_name),
        reasoning=_count(written, "reasoning_tokens"),
        cost_usd=_charged_usd(reported),
    )


def _charged_usd(reported: Mapping[str, Any]) -> float | None:
    """OpenRouter's own figure. With a key of the user's at the vendor it is the fee alone."""
    cost = reported.get("cost")
    if not isinstance(cost, int | float):
        return None
    upstream = _inner(reported, "cost_details").get("upstream_inference_cost")
    if reported.get("is_byok") is True and isinstance(upstream, int | float):
        return float(cost + upstream)
    return float(cost)


def _inner(reported: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = reported.get(name)
    return value if isinstance(value, Mapping) else {}


def _count(reported: Mapping[str, Any], name: str) -> int:
    value = reported.get(name)
    return int(value) if isinstance(value, int | float) and value > 0 else 0
