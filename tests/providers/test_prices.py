"""Money: the service's own figure, else the table, else unknown, which is never nothing."""

from __future__ import annotations

import pytest

from chatcli.messages import Usage
from chatcli.providers.prices import cost_usd


@pytest.mark.parametrize(
    ("provider", "model", "usage", "usd"),
    [
        # 100 plain at 2, 900 read at 0.1, 50 written for an hour at 4, 10 written at 7 in all: per million.
        (
            "CLAUDEAI",
            "claude-sonnet-5-5",
            Usage(input=100, cache_read=900, cache_write_1h=50),
            (100 * 2 + 900 * 0.1 + 50 * 4) / 1e6,
        ),
        (
            "CLAUDEAI",
            "claude-sonnet-5-5",
            Usage(input=100, cache_write_5m=1000, output=10),
            (100 * 2 + 1000 * 2.5 + 10 * 10) / 1e6,
        ),
        (
            "OPENAI",
            "gpt-6.1-sol",
            Usage(input=8, cache_write_5m=4012, output=10),
            (8 * 2 + 4012 * 2.5 + 10 * 10) / 1e6,
        ),
        ("OPENROUTER", "anthropic/claude-sonnet-5.5", Usage(input=1000), 1000 * 2 / 1e6),
    ],
)
def test_each_class_of_tokens_has_its_price(provider, model, usage, usd):
    assert cost_usd(provider, model, usage) == pytest.approx(usd)


def test_what_the_service_charged_counts_more():
    assert cost_usd("OPENROUTER", "openai/gpt-6.1-sol", Usage(input=10**6, cost_usd=0.5)) == 0.5


def test_an_unknown_price_is_unknown():
    assert cost_usd("OPENAI", "my-own-model", Usage(input=10**6)) is None


@pytest.mark.parametrize("provider", ["OLLAMA", "OFFLINE"])
def test_what_runs_here_costs_nothing(provider):
    assert cost_usd(provider, "gpt-oss:20b", Usage(input=10**6)) == 0.0
