from __future__ import annotations

import re

import pytest

from chatcli.providers.catalogue import UNKNOWN, facts
from chatcli.providers.specs import SPECS

SPEECH = re.compile("realtime|transcribe|audio")


@pytest.mark.parametrize(
    ("model", "window_tokens"),
    [
        ("claude-sonnet-5-5-20260929", 1_000_000),
        ("anthropic/claude-sonnet-5.5", 1_000_000),
        ("claude-haiku-4-5", 200_000),
        ("GPT-6.1-sol", 922_000),
        ("openai/gpt-5.4-mini", 272_000),
        ("global.anthropic.claude-sonnet-5-5", 1_000_000),
        ("us.amazon.nova-2-lite-v1:0", 1_000_000),
        ("MiniMax-M3", 1_000_000),
        ("my-own-model", UNKNOWN.window_tokens),
    ],
)
def test_a_model_is_found_by_the_longest_row_that_begins_its_id(model, window_tokens):
    assert facts(model).window_tokens == window_tokens


def test_every_default_model_of_a_paid_service_is_known():
    named = [spec.default_model for spec in SPECS if spec.needs_key and spec.default_model]
    assert [model for model in named if facts(model) is UNKNOWN] == []


def test_no_window_is_larger_than_the_price_table_says():
    """Two tables made apart: a window that is too large would be noticed only when a session is long."""
    from genai_prices import data_snapshot

    listed = [
        (model.id, model.context_window)
        for provider in data_snapshot.get_snapshot().providers
        if provider.id in {"anthropic", "openai", "moonshotai", "zai"}
        for model in provider.models
        if model.context_window and facts(model.id) is not UNKNOWN and not SPEECH.search(model.id)
    ]
    assert len(listed) > 40
    assert [(model, window) for model, window in listed if facts(model).window_tokens > window] == []
