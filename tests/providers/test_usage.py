"""Usage as services really report it, old and new shapes, in the one normal form."""

from __future__ import annotations

import pytest

from chatcli.messages import Usage
from chatcli.providers.usage import (
    anthropic_usage,
    chat_usage,
    converse_usage,
    gemini_usage,
    ollama_usage,
    responses_usage,
    stackspot_usage,
)

ANTHROPIC = [
    ({"input_tokens": 10, "output_tokens": 5}, Usage(input=10, output=5)),
    (
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 900,
            "cache_creation_input_tokens": 50,
            "output_tokens": 5,
        },
        Usage(input=10, cache_read=900, cache_write_5m=50, output=5),
    ),
    (
        {
            "input_tokens": 10,
            "cache_read_input_tokens": None,
            "cache_creation_input_tokens": 150,
            "cache_creation": {"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 100},
            "output_tokens": 30,
            "output_tokens_details": {"thinking_tokens": 20},
        },
        Usage(input=10, cache_write_5m=50, cache_write_1h=100, output=30, reasoning=20),
    ),
    ({}, Usage()),
]
RESPONSES = [
    ({"input_tokens": 100, "output_tokens": 5}, Usage(input=100, output=5)),
    (
        {
            "input_tokens": 4020,
            "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 3000},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(input=20, cache_read=1000, cache_write_5m=3000, output=30, reasoning=20),
    ),
]
CHAT = [
    ({"prompt_tokens": 100, "completion_tokens": 5}, Usage(input=100, output=5)),
    (
        {
            "prompt_tokens": 4020,
            "prompt_tokens_details": {"cached_tokens": 4012},
            "completion_tokens": 30,
            "completion_tokens_details": {"reasoning_tokens": 20},
        },
        Usage(input=8, cache_read=4012, output=30, reasoning=20),
    ),
    (
        {
            "prompt_tokens": 100,
            "prompt_tokens_details": None,
            "completion_tokens": 5,
            "completion_tokens_details": None,
        },
        Usage(input=100, output=5),
    ),
    (
        {"prompt_tokens": 100, "cached_tokens": 60, "completion_tokens": 5},
        Usage(input=40, cache_read=60, output=5),
    ),
    (
        {
            "prompt_tokens": 100,
            "completion_tokens": 5,
            "cost": 0.0125,
            "prompt_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 70},
        },
        Usage(input=10, cache_read=20, cache_write_5m=70, output=5, cost_usd=0.0125),
    ),
    ({"prompt_tokens": 100, "completion_tokens": 5, "cost": 0}, Usage(input=100, output=5, cost_usd=0.0)),
]
ZAI_AND_KIMI = [
    (
        {
            "prompt_tokens": 100,
            "prompt_tokens_details": {"cached_tokens": 60},
            "cached_tokens": 60,
            "completion_tokens": 5,
        },
        Usage(input=40, cache_read=60, output=5),
    ),
    (
        {"prompt_tokens": 100, "prompt_cache_hit_tokens": 64, "completion_tokens": 5},
        Usage(input=36, cache_read=64, output=5),
    ),
]
GEMINI = [
    ({"promptTokenCount": 100, "candidatesTokenCount": 5}, Usage(input=100, output=5)),
    (
        {
            "promptTokenCount": 5000,
            "cachedContentTokenCount": 4096,
            "toolUsePromptTokenCount": 10,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 20,
            "totalTokenCount": 5035,
        },
        Usage(input=914, cache_read=4096, output=25, reasoning=20),
    ),
    ({"promptTokenCount": 100, "thoughtsTokenCount": 7}, Usage(input=100, output=7, reasoning=7)),
]
CONVERSE = [
    ({"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}, Usage(input=10, output=5)),
    (
        {"inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 900, "cacheWriteInputTokens": 50},
        Usage(input=10, cache_read=900, cache_write_5m=50, output=5),
    ),
    (
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "cacheWriteInputTokens": 150,
            "cacheDetails": [{"ttl": "5m", "inputTokens": 50}, {"ttl": "1h", "inputTokens": 100}],
        },
        Usage(input=10, cache_write_5m=50, cache_write_1h=100, output=5),
    ),
    (
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "cacheReadInputTokenCount": 900,
            "cacheWriteInputTokenCount": 50,
        },
        Usage(input=10, cache_read=900, cache_write_5m=50, output=5),
    ),
]
STACKSPOT = [
    ({"user": 100, "enrichment": 30, "output": 5}, Usage(input=130, output=5)),
    ({"user": 100, "enrichment": None, "output": 5}, Usage(input=100, output=5)),
]
OLLAMA = [
    ({"prompt_eval_count": 26, "eval_count": 259}, Usage(input=26, output=259)),
    ({"eval_count": 259}, Usage(output=259)),
]
TABLE = [
    *((anthropic_usage, *row) for row in ANTHROPIC),
    *((responses_usage, *row) for row in RESPONSES),
    *((chat_usage, *row) for row in CHAT),
    *((chat_usage, *row) for row in ZAI_AND_KIMI),
    *((gemini_usage, *row) for row in GEMINI),
    *((converse_usage, *row) for row in CONVERSE),
    *((stackspot_usage, *row) for row in STACKSPOT),
    *((ollama_usage, *row) for row in OLLAMA),
]


@pytest.mark.parametrize(("read", "reported", "expected"), TABLE)
def test_reported_usage_becomes_the_normal_form(read, reported, expected):
    assert read(reported) == expected
