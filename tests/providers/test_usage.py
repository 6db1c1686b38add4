"""Usage as services really report it, old and new shapes, in the one normal form."""

from __future__ import annotations

import pytest

from chatcli.messages import Usage
from chatcli.providers.usage import anthropic_usage, chat_usage, ollama_usage, responses_usage

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
OLLAMA = [
    ({"prompt_eval_count": 26, "eval_count": 259}, Usage(input=26, output=259)),
    ({"eval_count": 259}, Usage(output=259)),
]
TABLE = [
    *((anthropic_usage, *row) for row in ANTHROPIC),
    *((responses_usage, *row) for row in RESPONSES),
    *((chat_usage, *row) for row in CHAT),
    *((ollama_usage, *row) for row in OLLAMA),
]


@pytest.mark.parametrize(("read", "reported", "expected"), TABLE)
def test_reported_usage_becomes_the_normal_form(read, reported, expected):
    assert read(reported) == expected
