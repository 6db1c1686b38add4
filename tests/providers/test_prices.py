"""Money: the service's own figure, else the table, else unknown, which is never nothing."""

from __future__ import annotations

import pytest

from chatcli.messages import Usage
from chatcli.providers.prices import OwnPrice, cost_usd, load, preload, source_of, use_own_prices

MIXED = Usage(input=100, cache_read=200, cache_write_5m=300, cache_write_1h=400, output=500)


@pytest.fixture
def own_prices():
    yield use_own_prices
    use_own_prices({})


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


def test_the_users_own_price_comes_before_the_list(own_prices):
    own_prices(
        {"claude-sonnet-5-5": OwnPrice(input=1, output=2, cache_read=3, cache_write=4, cache_write_1h=5)}
    )
    usd = (100 * 1 + 200 * 3 + 300 * 4 + 400 * 5 + 500 * 2) / 1e6
    assert cost_usd("CLAUDEAI", "claude-sonnet-5-5", MIXED) == pytest.approx(usd)


def test_a_class_without_a_price_of_its_own_costs_what_input_costs(own_prices):
    own_prices({"mine": OwnPrice(input=1, output=2)})
    assert cost_usd("OPENAI", "mine", MIXED) == pytest.approx((1000 * 1 + 500 * 2) / 1e6)


def test_a_price_for_one_provider_alone_comes_first(own_prices):
    own_prices({"m": OwnPrice(input=1, output=1), "OPENAI/m": OwnPrice(input=7, output=1)})
    assert cost_usd("OPENAI", "m", Usage(input=10**6)) == 7
    assert cost_usd("OPENROUTER", "m", Usage(input=10**6)) == 1


def test_a_figure_says_where_it_came_from(own_prices):
    plain, charged = Usage(input=10), Usage(input=10, cost_usd=0.5)
    assert source_of("OPENROUTER", 0.5, charged) == "reported"
    assert source_of("CLAUDEAI", 0.5, plain) == "estimated"
    assert source_of("CLAUDEAI", None, plain) == "unknown"
    assert source_of("OLLAMA", 0.0, plain) == "free"
    assert source_of("A_PROVIDER_OF_YESTERDAY", 0.0, plain) == "estimated"


async def test_the_table_is_loaded_while_the_loop_goes_on():
    preload("CLAUDEAI")
    await load("CLAUDEAI")
    await load("OLLAMA")
    assert cost_usd("CLAUDEAI", "claude-sonnet-5-5", Usage(input=10**6)) == 2.0
