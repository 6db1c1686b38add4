"""Providers and models of the user's own, from the tables of his settings file."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatcli.agent.settings_files import load_settings
from chatcli.errors import AuthError
from chatcli.messages import Usage
from chatcli.providers.anthropic_messages import AnthropicMessages
from chatcli.providers.catalogue import UNKNOWN, facts
from chatcli.providers.credentials import find_key
from chatcli.providers.listing import FOLDER, Listed, write_list
from chatcli.providers.openai_chat import OpenAIChat
from chatcli.providers.own import use_own
from chatcli.providers.prices import cost_usd
from chatcli.providers.specs import all_specs
from chatcli.providers.table import choose, create, find_spec
from chatcli.settings import Settings
from tests.providers.conversation import receive, request
from tests.providers.loopback import loopback, sse

DONE = sse({"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]}, "data: [DONE]\n\n")


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path):
    yield
    use_own({}, tmp_path)


def load(home: Path, text: str):
    """The problems that the file has."""
    (home / "settings.toml").write_text(text, encoding="utf-8")
    loaded = load_settings(home, home, trusted=False, environment={})
    return [(problem.variable, problem.why) for problem in loaded.problems]


def created(name, model="", **environment):
    keys = lambda names: find_key(names, environment, Path("/nonexistent"))  # noqa: E731
    return create(find_spec(name), model, Settings(), environment, keys)


async def test_a_compatible_service_is_a_few_lines(tmp_path):
    async with loopback(DONE) as server:
        problems = load(
            tmp_path,
            f"""
            lang = "en"
            [providers.DeepSeek]
            base_url = "{server.url}/v1/"
            key_variable = "DEEPSEEK_API_KEY"
            model = "deepseek-chat"
            price_id = "deepseek"
            """,
        )
        provider = created("deepseek", DEEPSEEK_API_KEY="k")
        await receive(provider, request(model=provider.model))
        got = server.received[0]
    assert problems == []
    assert (type(provider), provider.name, provider.model) == (OpenAIChat, "DEEPSEEK", "deepseek-chat")
    assert (got.path, got.headers["authorization"]) == ("/v1/chat/completions", "Bearer k")
    assert cost_usd("DEEPSEEK", "deepseek-chat", Usage(input=1000)) is not None


def test_its_key_is_needed_when_it_has_one_and_it_is_chosen_for_it(tmp_path):
    load(tmp_path, '[providers.X]\nbase_url = "http://x/v1"\nkey_variable = "X_KEY"\nmodel = "m"')
    with pytest.raises(AuthError, match="X needs a key"):
        created("X")
    keys = {"X_KEY": "k"}
    choice = choose("", keys, lambda names: find_key(names, keys, Path("/nonexistent")))
    assert choice.spec.name == "X"


def test_a_server_without_a_key_on_another_wire(tmp_path):
    load(tmp_path, '[providers.LOCALCLAUDE]\nbase_url = "http://x"\nmodel = "m"\nwire = "anthropic"')
    assert type(created("localclaude")) is AnthropicMessages
    assert cost_usd("LOCALCLAUDE", "m", Usage(input=1000)) is None


def test_a_row_of_a_known_name_takes_its_place(tmp_path):
    load(tmp_path, '[providers.OPENAI]\nbase_url = "http://proxy/v1"\nmodel = "gpt-x"')
    assert find_spec("OPENAI").base_url == "http://proxy/v1"
    assert [spec.name for spec in all_specs()].count("OPENAI") == 1


@pytest.mark.parametrize(
    ("text", "variable", "why"),
    [
        ('[providers.X]\nmodel = "m"', "providers.X", "base_url"),
        ('[providers.X]\nbase_url = "nowhere"', "providers.X", "not an address"),
        ('[providers.X]\nbase_url = "http://x"\nwire = "grpc"', "providers.X", "grpc"),
        ('[providers.X]\nbase_url = "http://x"\nurl = "y"', "providers.X", "url"),
        ('[models."m"]\nwindow_tokens = "many"', "models.m", "int"),
        ("providers = 3", "providers", "tables"),
    ],
)
def test_what_cannot_be_understood_is_told_and_left_out(tmp_path, text, variable, why):
    ((told, reason),) = load(tmp_path, text)
    assert told == variable
    assert why in reason
    assert "X" not in [spec.name for spec in all_specs()]


def test_the_file_of_a_project_has_no_such_tables(tmp_path):
    (tmp_path / ".chatcli").mkdir()
    (tmp_path / ".chatcli" / "settings.toml").write_text('[providers.EVIL]\nbase_url = "http://evil"')
    loaded = load_settings(tmp_path, tmp_path, trusted=True, environment={})
    assert [problem.variable for problem in loaded.problems] == ["providers"]
    assert "EVIL" not in [spec.name for spec in all_specs()]


def test_what_the_user_says_about_a_model_comes_before_everything_else(tmp_path):
    (tmp_path / FOLDER).mkdir()
    write_list(tmp_path / FOLDER, "X", [Listed(id="m", window_tokens=50_000, vision=True)])
    load(tmp_path, '[models."m"]\nwindow_tokens = 32_000\n[models."claude-haiku-5-5"]\nvision = false')
    assert facts("m").window_tokens == 32_000
    assert facts("m").max_output_tokens == UNKNOWN.max_output_tokens
    assert facts("claude-haiku-5-5").vision is False
    assert facts("claude-haiku-5-5").window_tokens == 1_000_000


def test_what_a_service_said_comes_before_the_table(tmp_path):
    (tmp_path / FOLDER).mkdir()
    write_list(tmp_path / FOLDER, "X", [Listed(id="gpt-6.1-sol", window_tokens=50_000)])
    load(tmp_path, "")
    assert facts("gpt-6.1-sol", "X").window_tokens == 50_000
    assert facts("gpt-6.1-sol", "X").max_output_tokens == 128_000
    assert facts("gpt-6.1-sol", "OPENAI").window_tokens == 922_000
