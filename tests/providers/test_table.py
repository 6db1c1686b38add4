"""Which provider is used and how it is set up: names, variables, addresses, wires."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from chatcli.errors import AuthError, ModelNotFound, ProviderError, UsageError
from chatcli.providers.anthropic_messages import AnthropicMessages
from chatcli.providers.copilot import Copilot
from chatcli.providers.credentials import find_key
from chatcli.providers.gemini_native import GeminiNative
from chatcli.providers.ollama import Ollama
from chatcli.providers.ollama_probe import installed_models
from chatcli.providers.openai_chat import OpenAIChat
from chatcli.providers.openai_responses import OpenAIResponses
from chatcli.providers.specs import SPECS, base_url, wire
from chatcli.providers.stackspot import StackSpot
from chatcli.providers.table import choose, create, find_spec
from chatcli.settings import Settings
from tests.providers.loopback import Answer, loopback, refusal
from tests.wire.server import serve


def keys(environment):
    """Keys as they are really found, in an empty home."""
    return lambda names: find_key(names, environment, Path("/nonexistent"))


def nobody():
    """Variables that make sure that no Ollama of this machine is found."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return {"OLLAMA_BASE_URL": f"http://127.0.0.1:{closed.getsockname()[1]}"}


def chosen(name="", **environment):
    given = nobody() | environment
    return choose(name, given, keys(given))


def created(name, model="", settings=None, **environment):
    return create(find_spec(name), model, settings or Settings(), environment, keys(environment))


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("CLAUDEAI", "CLAUDEAI"),
        (" claude ", "CLAUDEAI"),
        ("Anthropic", "CLAUDEAI"),
        ("openrouter", "OPENROUTER"),
    ],
)
def test_names_are_understood_as_people_write_them(word, name):
    assert find_spec(word).name == name


def test_an_unknown_name_gets_the_list_and_the_nearest():
    with pytest.raises(UsageError) as caught:
        find_spec("antropic")
    assert "antropic" in caught.value.message
    assert caught.value.hint.startswith("Did you mean CLAUDEAI?")
    assert all(spec.name in caught.value.hint for spec in SPECS)


def test_the_first_with_a_key_is_used():
    choice = chosen(OPENROUTER_API_KEY="k", OPENAI_API_KEY="k")
    assert choice.spec.name == "OPENAI"
    assert "OPENAI_API_KEY" in choice.reason


def test_a_name_counts_more_than_a_key():
    assert chosen("ollama", OPENAI_API_KEY="k").spec.name == "OLLAMA"


def test_a_server_of_ones_own_needs_no_key():
    choice = chosen(OPENAI_BASE_URL="http://localhost:8080/v1")
    assert choice.spec.name == "OPENAI"
    assert "http://localhost:8080/v1" in choice.reason


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"GITHUB_TOKEN": "k"}, "OFFLINE"),
        ({"CLIENT_KEY": "k"}, "OFFLINE"),
        ({"CLIENT_KEY": "k", "CLIENT_ID": "c"}, "OFFLINE"),
        ({"CLIENT_KEY": "k", "CLIENT_ID": "c", "STACKSPOT_AGENT_ID": "a"}, "STACKSPOT"),
        ({"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}, "OFFLINE"),
        ({"AWS_BEARER_TOKEN_BEDROCK": "k"}, "BEDROCK"),
        ({"GITHUB_COPILOT_TOKEN": "k"}, "COPILOT"),
        ({"GEMINI_API_KEY": "k"}, "GOOGLEAI"),
    ],
)
def test_a_key_counts_when_it_is_enough_and_meant_for_this(environment, name):
    assert chosen(**environment).spec.name == name


def test_without_anything_it_is_offline_and_says_why():
    choice = chosen(ANTHROPIC_API_KEY=" ")
    assert choice.spec.name == "OFFLINE"
    assert "no key" in choice.reason


def test_without_a_key_a_running_ollama_is_used_with_a_model_that_it_has():
    with serve([]) as server:
        choice = chosen(OLLAMA_BASE_URL=server.url)
        asked_for = chosen(OLLAMA_BASE_URL=server.url, OLLAMA_MODEL="qwen3:8b")
    assert (choice.spec.name, choice.model) == ("OLLAMA", "gpt-oss:20b")
    assert asked_for.model == "qwen3:8b"


async def test_an_ollama_without_models_is_of_no_use_and_the_reason_says_what_to_do():
    async with loopback(refusal(200, {"models": []})) as server:
        choice = await asyncio.to_thread(lambda: chosen(OLLAMA_BASE_URL=server.url))
    assert choice.spec.name == "OFFLINE"
    assert "ollama pull" in choice.reason


@pytest.mark.parametrize(
    ("answer", "models"),
    [
        (refusal(200, {"models": [{"name": "nomic-embed-text"}, {"name": "qwen3:8b"}]}), ("qwen3:8b",)),
        (refusal(200, {"models": None}), ()),
        (refusal(404, {"error": "what?"}), None),
        (Answer(pieces=(b"<html>",)), None),
    ],
)
async def test_only_what_talks_like_ollama_is_taken_for_it(answer, models):
    async with loopback(answer) as server:
        assert await asyncio.to_thread(installed_models, server.url) == models


def test_a_machine_that_does_not_answer_costs_a_moment_only():
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(1)
        assert installed_models(f"http://127.0.0.1:{deaf.getsockname()[1]}") is None


@pytest.mark.parametrize(
    ("name", "variable", "value", "url"),
    [
        ("CLAUDEAI", "", "", "https://api.anthropic.com"),
        ("CLAUDEAI", "ANTHROPIC_BASE_URL", "https://proxy/api/v1/messages", "https://proxy/api"),
        ("CLAUDEAI", "ANTHROPIC_BASE_URL", "https://proxy/v1/", "https://proxy"),
        ("OPENAI", "OPENAI_BASE_URL", "http://localhost:8080/v1/", "http://localhost:8080/v1"),
        ("OPENAI", "OPENAI_API_URL", "https://proxy/v1/chat/completions", "https://proxy/v1"),
        ("OPENAI", "OPENAI_RESPONSES_API_URL", "https://proxy/v1/responses", "https://proxy/v1"),
        ("OPENROUTER", "OPENROUTER_API_URL", "https://or/api/v1/chat/completions", "https://or/api/v1"),
        ("XAI", "XAI_API_URL", "https://api.x.ai/v1/chat/completions", "https://api.x.ai/v1"),
        ("ZAI", "ZAI_API_URL", "https://z/api/paas/v4/chat/completions", "https://z/api/paas/v4"),
        ("MINIMAX", "MINIMAX_API_URL", "https://mm/v1/text/chatcompletion_v2", "https://mm/anthropic"),
        ("MINIMAX", "MINIMAX_API_URL", "https://mm/anthropic/v1/messages", "https://mm/anthropic"),
        ("MOONSHOT", "MOONSHOT_API_URL", "https://kimi/v1/chat/completions", "https://kimi/v1"),
        ("GOOGLEAI", "GOOGLEAI_API_URL", "https://g/v1beta/", "https://g/v1beta"),
        ("COPILOT", "COPILOT_API_BASE_URL", "https://c", "https://c"),
        ("STACKSPOT", "STACKSPOT_API_URL", "https://s/v1", "https://s"),
        ("OLLAMA", "OLLAMA_BASE_URL", "gpu:11434", "http://gpu:11434"),
        ("OLLAMA", "OLLAMA_BASE_URL", "http://gpu:11434/api/chat", "http://gpu:11434"),
        ("OLLAMA", "OLLAMA_BASE_URL", "http://gpu:11434/v1", "http://gpu:11434"),
    ],
)
def test_addresses_are_taken_as_bases_and_as_full_endpoints(name, variable, value, url):
    assert base_url(find_spec(name), {variable: value}) == url


@pytest.mark.parametrize("value", ["http://", "ftp://host", "http://host:port", "http://[1"])
def test_what_is_no_address_is_named(value):
    with pytest.raises(UsageError, match="OPENAI_BASE_URL"):
        base_url(find_spec("OPENAI"), {"OPENAI_BASE_URL": value})


@pytest.mark.parametrize(
    ("environment", "spoken"),
    [
        ({}, "responses"),
        ({"OPENAI_USE_RESPONSES": "false"}, "chat"),
        ({"OPENAI_BASE_URL": "https://api.openai.com/v1/"}, "responses"),
        ({"OPENAI_BASE_URL": "http://localhost:8080/v1"}, "chat"),
        ({"OPENAI_BASE_URL": "http://localhost:8080/v1", "OPENAI_USE_RESPONSES": "on"}, "responses"),
        ({"OPENAI_API_URL": "https://api.openai.com/v1/chat/completions"}, "chat"),
        ({"OPENAI_RESPONSES_API_URL": "https://proxy/v1/responses"}, "responses"),
    ],
)
def test_openai_is_spoken_to_in_one_of_two_ways(environment, spoken):
    assert wire(find_spec("OPENAI"), environment) == spoken


def test_a_switch_that_is_neither_on_nor_off_is_named():
    with pytest.raises(UsageError, match="OPENAI_USE_RESPONSES"):
        wire(find_spec("OPENAI"), {"OPENAI_USE_RESPONSES": "perhaps"})


@pytest.mark.parametrize(
    ("name", "environment", "adapter", "model"),
    [
        ("CLAUDEAI", {"ANTHROPIC_API_KEY": "k"}, AnthropicMessages, "claude-sonnet-5-5"),
        ("CLAUDEAI", {"CLAUDEAI_API_KEY": "k", "ANTHROPIC_MODEL": "claude-x"}, AnthropicMessages, "claude-x"),
        ("OPENAI", {"OPENAI_API_KEY": "k"}, OpenAIResponses, "gpt-6.1-sol"),
        ("OPENAI", {"OPENAI_BASE_URL": "http://localhost:1/v1"}, OpenAIChat, "gpt-6.1-sol"),
        ("OPENROUTER", {"OPENROUTER_API_KEY": "k"}, OpenAIChat, "openai/gpt-6.1-sol"),
        ("OLLAMA", {}, Ollama, "gpt-oss:20b"),
        ("XAI", {"XAI_API_KEY": "k", "OPENAI_USE_RESPONSES": "false"}, OpenAIResponses, "grok-4.7"),
        ("ZAI", {"ZAI_API_KEY": "k"}, OpenAIChat, "glm-5.3"),
        ("MINIMAX", {"MINIMAX_API_KEY": "k"}, AnthropicMessages, "MiniMax-M3"),
        ("MOONSHOT", {"MOONSHOT_API_KEY": "k"}, OpenAIChat, "kimi-k3.1-pro"),
        ("GOOGLEAI", {"GEMINI_API_KEY": "k"}, GeminiNative, "gemini-3.8-flash"),
        ("COPILOT", {"GITHUB_COPILOT_TOKEN": "k"}, Copilot, "gpt-6.1-sol"),
        (
            "GITHUB_MODELS",
            {"GITHUB_TOKEN": "k", "GITHUB_MODELS_API_URL": "http://localhost:1"},
            OpenAIChat,
            "openai/gpt-6.1-sol",
        ),
        (
            "STACKSPOT",
            {"CLIENT_KEY": "k", "CLIENT_ID": "c", "STACKSPOT_AGENT_ID": "01A"},
            StackSpot,
            "01A",
        ),
    ],
)
def test_a_row_becomes_a_provider(name, environment, adapter, model):
    provider = created(name, **environment)
    assert type(provider) is adapter
    assert (provider.name, provider.model) == (name, model)


def test_offline_needs_nothing():
    assert created("OFFLINE").model == "rules"


def test_windows_come_from_the_catalogue_or_the_settings():
    keyed = {"ANTHROPIC_API_KEY": "k"}
    assert created("CLAUDEAI", **keyed).window_tokens == 1_000_000
    assert created("CLAUDEAI", "claude-unheard-of", **keyed).window_tokens == 128_000
    assert created("OLLAMA").window_tokens == 32_768
    wide = Settings(context_window_tokens=50_000)
    assert created("CLAUDEAI", settings=wide, **keyed).window_tokens == 50_000
    assert created("OLLAMA", settings=wide).window_tokens == 50_000


def test_a_missing_key_is_said_with_what_to_do():
    with pytest.raises(AuthError) as caught:
        created("CLAUDEAI")
    assert "ANTHROPIC_API_KEY" in caught.value.hint
    assert "chatcli setup" in caught.value.hint


def test_a_service_that_has_ended_says_so_and_works_where_it_is_redirected_to():
    with pytest.raises(ProviderError) as caught:
        created("GITHUB_MODELS", GITHUB_TOKEN="k")
    assert "30 Jul 2026" in caught.value.message
    assert "OPENROUTER" in caught.value.hint
    assert "GITHUB_MODELS_API_URL" in caught.value.hint


def test_what_is_missing_beside_the_key_is_named():
    with pytest.raises(AuthError, match="CLIENT_ID"):
        created("STACKSPOT", CLIENT_KEY="k", STACKSPOT_AGENT_ID="a")
    with pytest.raises(ModelNotFound) as caught:
        created("STACKSPOT", CLIENT_KEY="k", CLIENT_ID="c")
    assert "STACKSPOT_AGENT_ID" in caught.value.hint


def test_reasoning_models_are_given_the_time_they_need():
    assert created("XAI", XAI_API_KEY="k")._service.idle_seconds == 900.0
    patient = Settings(stream_idle_seconds=1_200)
    assert created("XAI", settings=patient, XAI_API_KEY="k")._service.idle_seconds == 1_200.0
    assert created("OPENAI", OPENAI_API_KEY="k")._service.idle_seconds == 90.0


@pytest.mark.parametrize("pasted", ["sk-ünlikely", "sk-1\nsk-2"])
def test_what_cannot_be_a_key_is_not_sent(pasted):
    with pytest.raises(AuthError) as caught:
        created("CLAUDEAI", ANTHROPIC_API_KEY=pasted)
    assert pasted not in caught.value.message + caught.value.hint
