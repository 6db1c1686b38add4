"""Streams as the services send them, cut down to what says something about usage.

What each must come to was computed by hand from the raw figures and the vendors' price lists: per
million tokens, written out in `usd`. Old and new shapes of one wire stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from chatcli.messages import Usage

NOVEMBER = datetime(2026, 11, 30, tzinfo=UTC)
JANUARY = datetime(2027, 1, 2, tzinfo=UTC)


class Recording(Struct, frozen=True, kw_only=True):
    name: str
    wire: str
    provider: str
    model: str
    chunks: Sequence[dict[str, Any]]
    usage: Usage
    usd: float | None
    at: datetime = NOVEMBER


def anthropic(start: dict[str, Any], end: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return (
        {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "usage": start}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end},
        {"type": "message_stop"},
    )


def chat(*usages: dict[str, Any] | None) -> tuple[dict[str, Any], ...]:
    """The last chunk of most services has usage and no choices."""
    return (
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Yes."}}], "usage": None},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        *({"choices": [], "usage": usage} for usage in usages),
    )


def responses(usage: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return (
        {"type": "response.created", "response": {"status": "in_progress", "usage": None}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Yes."},
        {"type": "response.completed", "response": {"status": "completed", "usage": usage}},
    )


def gemini(*usages: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    *before, last = usages
    return (
        *({"candidates": [{"content": {"parts": [{"text": "Y"}]}}], "usageMetadata": u} for u in before),
        {
            "candidates": [{"content": {"parts": [{"text": "es."}]}, "finishReason": "STOP"}],
            "usageMetadata": last,
        },
    )


RECORDINGS: tuple[Recording, ...] = (
    Recording(
        name="Anthropic, old: only the output is repeated at the end",
        wire="anthropic",
        provider="CLAUDEAI",
        model="claude-sonnet-5-5",
        chunks=anthropic(
            {
                "input_tokens": 21,
                "cache_creation_input_tokens": 188,
                "cache_read_input_tokens": 4_000,
                "output_tokens": 1,
            },
            {"output_tokens": 15},
        ),
        usage=Usage(input=21, cache_read=4_000, cache_write_5m=188, output=15),
        usd=(21 * 2 + 4_000 * 0.1 + 188 * 2.5 + 15 * 10) / 1e6,
    ),
    Recording(
        name="Anthropic, new: everything again at the end, writes split by lifetime, thinking told apart",
        wire="anthropic",
        provider="CLAUDEAI",
        model="claude-sonnet-5-5",
        chunks=anthropic(
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 2,
                "service_tier": "standard",
            },
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 1_300,
                "cache_read_input_tokens": 9_000,
                "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 1_000},
                "output_tokens": 120,
                "output_tokens_details": {"thinking_tokens": 80},
            },
        ),
        usage=Usage(
            input=3, cache_read=9_000, cache_write_5m=300, cache_write_1h=1_000, output=120, reasoning=80
        ),
        usd=(3 * 2 + 9_000 * 0.1 + 300 * 2.5 + 1_000 * 4 + 120 * 10) / 1e6,
    ),
    Recording(
        name="MiniMax on Anthropic's wire: cache counts are null",
        wire="anthropic",
        provider="MINIMAX",
        model="MiniMax-M3",
        chunks=anthropic(
            {"input_tokens": 0, "output_tokens": 0},
            {
                "input_tokens": 500,
                "cache_creation_input_tokens": None,
                "cache_read_input_tokens": 1_500,
                "output_tokens": 40,
            },
        ),
        usage=Usage(input=500, cache_read=1_500, output=40),
        usd=(500 * 0.3 + 1_500 * 0.06 + 40 * 1.2) / 1e6,
    ),
    Recording(
        name="OpenAI Responses, old: read alone",
        wire="responses",
        provider="OPENAI",
        model="gpt-5.4",
        chunks=responses(
            {
                "input_tokens": 4_020,
                "input_tokens_details": {"cached_tokens": 3_968},
                "output_tokens": 30,
                "output_tokens_details": {"reasoning_tokens": 20},
                "total_tokens": 4_050,
            }
        ),
        usage=Usage(input=52, cache_read=3_968, output=30, reasoning=20),
        usd=(52 * 2.5 + 3_968 * 0.25 + 30 * 15) / 1e6,
    ),
    Recording(
        name="OpenAI Responses, new: writes are billed",
        wire="responses",
        provider="OPENAI",
        model="gpt-6.1-sol",
        chunks=responses(
            {
                "input_tokens": 4_020,
                "input_tokens_details": {
                    "cached_tokens": 1_000,
                    "cache_write_tokens": 3_000,
                    "cache_write_tokens_details": {"ttl_30m_tokens": 3_000, "ttl_12h_tokens": 0},
                },
                "output_tokens": 30,
                "output_tokens_details": {"reasoning_tokens": 0},
            }
        ),
        usage=Usage(input=20, cache_read=1_000, cache_write_5m=3_000, output=30),
        usd=(20 * 2 + 1_000 * 0.1 + 3_000 * 2.5 + 30 * 10) / 1e6,
    ),
    Recording(
        name="OpenAI Responses above 272K: input and caches twice, output one and a half times",
        wire="responses",
        provider="OPENAI",
        model="gpt-6.1-sol",
        chunks=responses(
            {
                "input_tokens": 300_000,
                "input_tokens_details": {"cached_tokens": 200_000, "cache_write_tokens": 90_000},
                "output_tokens": 1_000,
            }
        ),
        usage=Usage(input=10_000, cache_read=200_000, cache_write_5m=90_000, output=1_000),
        usd=(10_000 * 4 + 200_000 * 0.2 + 90_000 * 5 + 1_000 * 15) / 1e6,
    ),
    Recording(
        name="xAI: Responses, no fee for writes",
        wire="responses",
        provider="XAI",
        model="grok-4.7",
        chunks=responses(
            {
                "input_tokens": 2_000,
                "input_tokens_details": {"cached_tokens": 1_500},
                "output_tokens": 50,
                "output_tokens_details": {"reasoning_tokens": 45},
            }
        ),
        usage=Usage(input=500, cache_read=1_500, output=50, reasoning=45),
        usd=(500 * 2 + 1_500 * 0.5 + 50 * 6) / 1e6,
    ),
    Recording(
        name="OpenAI Chat, old: no details at all",
        wire="chat",
        provider="OPENAI",
        model="gpt-6.1-sol",
        chunks=chat({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}),
        usage=Usage(input=100, output=5),
        usd=(100 * 2 + 5 * 10) / 1e6,
    ),
    Recording(
        name="OpenAI Chat, new: 4020 in the prompt, of which 4012 written",
        wire="chat",
        provider="OPENAI",
        model="gpt-6.1-sol",
        chunks=chat(
            {
                "prompt_tokens": 4_020,
                "completion_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 4_012, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
            }
        ),
        usage=Usage(input=8, cache_write_5m=4_012, output=10),
        usd=(8 * 2 + 4_012 * 2.5 + 10 * 10) / 1e6,
    ),
    Recording(
        name="OpenRouter: says what it charged, which counts more than any list",
        wire="chat",
        provider="OPENROUTER",
        model="anthropic/claude-sonnet-5.5",
        chunks=chat(
            {
                "prompt_tokens": 10_427,
                "completion_tokens": 264,
                "cost": 0.0033789,
                "is_byok": False,
                "prompt_tokens_details": {"cached_tokens": 9_000, "cache_write_tokens": 1_000},
                "cost_details": {"upstream_inference_cost": 0.0033789},
                "completion_tokens_details": {"reasoning_tokens": 64},
            }
        ),
        usage=Usage(
            input=427,
            cache_read=9_000,
            cache_write_5m=1_000,
            output=264,
            reasoning=64,
            cost_usd=0.0033789,
        ),
        usd=0.0033789,
    ),
    Recording(
        name="OpenRouter with the user's own key at the vendor: the fee, and what the vendor takes",
        wire="chat",
        provider="OPENROUTER",
        model="openai/gpt-6.1-sol",
        chunks=chat(
            {
                "prompt_tokens": 1_000,
                "completion_tokens": 100,
                "cost": 0.00015,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 0.003},
            }
        ),
        usage=Usage(input=1_000, output=100, cost_usd=0.00315),
        usd=0.00315,
    ),
    Recording(
        name="Z.ai: usage in the chunk that ends the reply",
        wire="chat",
        provider="ZAI",
        model="glm-5.3",
        chunks=(
            {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm.", "content": "Yes."}}]},
            {
                "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": 1_000,
                    "completion_tokens": 60,
                    "prompt_tokens_details": {"cached_tokens": 900},
                    "completion_tokens_details": {"reasoning_tokens": 50},
                },
            },
        ),
        usage=Usage(input=100, cache_read=900, output=60, reasoning=50),
        usd=(100 * 1.4 + 900 * 0.26 + 60 * 4.4) / 1e6,
    ),
    Recording(
        name="Moonshot, old: cached tokens at the top",
        wire="chat",
        provider="MOONSHOT",
        model="kimi-k3.1-pro",
        chunks=chat({"prompt_tokens": 1_000, "completion_tokens": 20, "cached_tokens": 768}),
        usage=Usage(input=232, cache_read=768, output=20),
        usd=(232 * 2 + 768 * 0.2 + 20 * 10) / 1e6,
    ),
    Recording(
        name="Moonshot, new: cached tokens in both places count once",
        wire="chat",
        provider="MOONSHOT",
        model="kimi-k3.1-pro",
        chunks=chat(
            {
                "prompt_tokens": 1_000,
                "completion_tokens": 20,
                "cached_tokens": 768,
                "prompt_tokens_details": {"cached_tokens": 768},
            }
        ),
        usage=Usage(input=232, cache_read=768, output=20),
        usd=(232 * 2 + 768 * 0.2 + 20 * 10) / 1e6,
    ),
    Recording(
        name="DeepSeek's words for hits and misses, at a provider of one's own",
        wire="chat",
        provider="DEEPSEEK",
        model="deepseek-chat",
        chunks=chat(
            {
                "prompt_tokens": 1_000,
                "completion_tokens": 20,
                "prompt_cache_hit_tokens": 640,
                "prompt_cache_miss_tokens": 360,
            }
        ),
        usage=Usage(input=360, cache_read=640, output=20),
        usd=None,
    ),
    Recording(
        name="Copilot: OpenAI's shape, a vendor's price",
        wire="chat",
        provider="COPILOT",
        model="gpt-6.1-sol",
        chunks=chat(
            {
                "prompt_tokens": 2_000,
                "completion_tokens": 40,
                "prompt_tokens_details": {"cached_tokens": 1_920},
            }
        ),
        usage=Usage(input=80, cache_read=1_920, output=40),
        usd=(80 * 2 + 1_920 * 0.1 + 40 * 10) / 1e6,
    ),
    Recording(
        name="GitHub Models has no price",
        wire="chat",
        provider="GITHUB_MODELS",
        model="openai/gpt-6.1-sol",
        chunks=chat({"prompt_tokens": 2_000, "completion_tokens": 40}),
        usage=Usage(input=2_000, output=40),
        usd=None,
    ),
    Recording(
        name="Gemini: the prompt includes the cache, the answer excludes the thoughts; the last word counts",
        wire="gemini",
        provider="GOOGLEAI",
        model="gemini-3.8-flash",
        chunks=gemini(
            {"promptTokenCount": 5_000, "cachedContentTokenCount": 4_096, "thoughtsTokenCount": 30},
            {
                "promptTokenCount": 5_000,
                "cachedContentTokenCount": 4_096,
                "candidatesTokenCount": 20,
                "thoughtsTokenCount": 70,
                "toolUsePromptTokenCount": 10,
                "totalTokenCount": 5_100,
            },
        ),
        usage=Usage(input=914, cache_read=4_096, output=90, reasoning=70),
        usd=(914 * 0.75 + 4_096 * 0.075 + 90 * 3.75) / 1e6,
    ),
    Recording(
        name="Gemini, old and small: no details; and the price doubles with the new year",
        wire="gemini",
        provider="GOOGLEAI",
        model="gemini-3.8-flash",
        chunks=gemini({"promptTokenCount": 300, "candidatesTokenCount": 20}),
        usage=Usage(input=300, output=20),
        usd=(300 * 1.5 + 20 * 7.5) / 1e6,
        at=JANUARY,
    ),
    Recording(
        name="Bedrock Converse, old names",
        wire="converse",
        provider="BEDROCK",
        model="global.amazon.nova-2-lite-v1:0",
        chunks=(
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Yes."}}},
            {"messageStop": {"stopReason": "end_turn"}},
            {
                "metadata": {
                    "usage": {
                        "inputTokens": 100,
                        "outputTokens": 8,
                        "totalTokens": 1_108,
                        "cacheReadInputTokenCount": 1_000,
                        "cacheWriteInputTokenCount": 0,
                    }
                }
            },
        ),
        usage=Usage(input=100, cache_read=1_000, output=8),
        usd=(100 * 0.3 + 1_000 * 0.075 + 8 * 2.5) / 1e6,
    ),
    Recording(
        name="Bedrock Converse, new: writes by lifetime, for Claude",
        wire="converse",
        provider="BEDROCK",
        model="global.anthropic.claude-sonnet-5-5",
        chunks=(
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Yes."}}},
            {"messageStop": {"stopReason": "end_turn"}},
            {
                "metadata": {
                    "usage": {
                        "inputTokens": 10,
                        "outputTokens": 8,
                        "cacheReadInputTokens": 2_000,
                        "cacheWriteInputTokens": 700,
                        "cacheDetails": [
                            {"ttl": "1h", "inputTokens": 500},
                            {"ttl": "5m", "inputTokens": 200},
                        ],
                    }
                }
            },
        ),
        usage=Usage(input=10, cache_read=2_000, cache_write_5m=200, cache_write_1h=500, output=8),
        usd=(10 * 2 + 2_000 * 0.1 + 200 * 2.5 + 500 * 4 + 8 * 10) / 1e6,
    ),
    Recording(
        name="Bedrock, Claude in one region: a tenth more",
        wire="anthropic",
        provider="BEDROCK",
        model="us.anthropic.claude-sonnet-5-5",
        chunks=anthropic({"input_tokens": 1_000, "output_tokens": 1}, {"output_tokens": 100}),
        usage=Usage(input=1_000, output=100),
        usd=(1_000 * 2.2 + 100 * 11) / 1e6,
    ),
    Recording(
        name="Ollama: counts in the last object; it costs nothing",
        wire="ollama",
        provider="OLLAMA",
        model="gpt-oss:20b",
        chunks=(
            {"message": {"role": "assistant", "content": "Yes."}, "done": False},
            {"message": {"content": ""}, "done": True, "prompt_eval_count": 26, "eval_count": 259},
        ),
        usage=Usage(input=26, output=259),
        usd=0.0,
    ),
    Recording(
        name="Ollama, all of the prompt still in memory: no count of it",
        wire="ollama",
        provider="OLLAMA",
        model="gpt-oss:20b",
        chunks=({"message": {"content": "Yes."}, "done": True, "eval_count": 259},),
        usage=Usage(output=259),
        usd=0.0,
    ),
    Recording(
        name="StackSpot, flat: the user's tokens and those of its knowledge",
        wire="stackspot",
        provider="STACKSPOT",
        model="flat-agent",
        chunks=(
            {"message": "Yes."},
            {"type": "done", "tokens": {"user": 100, "enrichment": 900, "output": 12}},
        ),
        usage=Usage(input=1_000, output=12),
        usd=None,
    ),
    Recording(
        name="StackSpot in OpenAI's shape",
        wire="stackspot",
        provider="STACKSPOT",
        model="chunked-agent",
        chunks=(
            {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]},
            {"usage": {"prompt_tokens": 1_000, "completion_tokens": 12}},
        ),
        usage=Usage(input=1_000, output=12),
        usd=None,
    ),
)
