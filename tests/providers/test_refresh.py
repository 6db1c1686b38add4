"""Lists of models, asked of the services in their own ways and kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from chatcli.errors import AuthError, UsageError
from chatcli.providers.catalogue import facts, use_own_models
from chatcli.providers.credentials import find_key
from chatcli.providers.listing import FOLDER, Listed, read_list
from chatcli.providers.refresh import refresh
from chatcli.providers.specs import find_spec
from chatcli.settings import Settings
from tests.providers.loopback import loopback, refusal

OPENAI = {"object": "list", "data": [{"id": "gpt-6.1-sol"}, {"id": "gpt-x"}, "odd"]}
ANTHROPIC = {"data": [{"type": "model", "id": "claude-x", "max_input_tokens": 500_000, "max_tokens": 64_000}]}
GOOGLE = {"models": [{"name": "models/gemini-x", "inputTokenLimit": 2_000, "outputTokenLimit": 300}]}
OPENROUTER = {
    "data": [
        {
            "id": "a/b",
            "context_length": 9_000,
            "top_provider": {"max_completion_tokens": None},
            "supported_parameters": ["tools"],
            "architecture": {"input_modalities": ["text", "image"]},
        }
    ]
}
COPILOT = {
    "data": [
        {
            "id": "gpt-x",
            "capabilities": {
                "limits": {"max_prompt_tokens": 264_000, "max_output_tokens": 64_000},
                "supports": {"tool_calls": True},
            },
        }
    ]
}
MOONSHOT = {"data": [{"id": "kimi-x", "context_length": 262_144, "supports_image_in": True}]}
LLAMA = {"data": [{"id": "local", "meta": {"n_ctx": 4_096}}]}


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    use_own_models({}, None)


async def asked(name, variable, home, *answers, **environment):
    async with loopback(*answers) as server:
        given = {variable: server.url, **environment}
        models = await refresh(
            find_spec(name), given, lambda names: find_key(names, given, Path("/no")), home, Settings()
        )
        return models, server.received


@pytest.mark.parametrize(
    ("name", "variable", "key", "answer", "path", "proof", "expected"),
    [
        (
            "OPENAI",
            "OPENAI_BASE_URL",
            "OPENAI_API_KEY",
            OPENAI,
            "/models",
            ("authorization", "Bearer k"),
            (Listed(id="gpt-6.1-sol"), Listed(id="gpt-x")),
        ),
        (
            "CLAUDEAI",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_API_KEY",
            ANTHROPIC,
            "/v1/models?limit=1000",
            ("x-api-key", "k"),
            (Listed(id="claude-x", window_tokens=500_000, max_output_tokens=64_000),),
        ),
        (
            "GOOGLEAI",
            "GOOGLEAI_API_URL",
            "GOOGLEAI_API_KEY",
            GOOGLE,
            "/models?pageSize=1000",
            ("x-goog-api-key", "k"),
            (Listed(id="gemini-x", window_tokens=2_000, max_output_tokens=300),),
        ),
        (
            "OPENROUTER",
            "OPENROUTER_API_URL",
            "OPENROUTER_API_KEY",
            OPENROUTER,
            "/models",
            ("authorization", "Bearer k"),
            (Listed(id="a/b", window_tokens=9_000, tools=True, vision=True),),
        ),
        (
            "MOONSHOT",
            "MOONSHOT_API_URL",
            "MOONSHOT_API_KEY",
            MOONSHOT,
            "/models",
            ("authorization", "Bearer k"),
            (Listed(id="kimi-x", window_tokens=262_144, vision=True),),
        ),
        (
            "OPENAI",
            "OPENAI_BASE_URL",
            "NO_KEY",
            LLAMA,
            "/models",
            ("host", None),
            (Listed(id="local", window_tokens=4_096),),
        ),
    ],
)
async def test_each_service_lists_in_its_own_way(
    tmp_path, name, variable, key, answer, path, proof, expected
):
    models, received = await asked(name, variable, tmp_path, refusal(200, answer), **{key: "k"})
    assert models == expected
    assert received[0].path == path
    assert proof[1] in (None, received[0].headers[proof[0]])


async def test_copilot_lists_behind_its_exchange(tmp_path):
    granted = refusal(200, {"token": "t", "expires_at": 9e9})
    models, received = await asked(
        "COPILOT", "COPILOT_API_URL", tmp_path, granted, refusal(200, COPILOT), GITHUB_COPILOT_TOKEN="k"
    )
    assert models == (Listed(id="gpt-x", window_tokens=264_000, max_output_tokens=64_000, tools=True),)
    assert received[1].headers["authorization"] == "Bearer t"


async def test_what_was_said_is_known_at_once_and_kept(tmp_path):
    use_own_models({}, tmp_path / FOLDER)
    assert facts("kimi-x", "MOONSHOT").window_tokens == 128_000
    await asked("MOONSHOT", "MOONSHOT_API_URL", tmp_path, refusal(200, MOONSHOT), MOONSHOT_API_KEY="k")
    assert facts("kimi-x", "MOONSHOT").window_tokens == 262_144
    assert read_list(tmp_path / FOLDER, "MOONSHOT")["kimi-x"].vision is True
    file = tmp_path / FOLDER / "MOONSHOT.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_kept_list_that_is_broken_is_no_list(tmp_path):
    (tmp_path / "X.json").write_text('[{"id": 3}]')
    assert read_list(tmp_path, "X") == {}


@pytest.mark.parametrize("name", ["ZAI", "BEDROCK", "STACKSPOT", "OPENAI_ASSISTANT", "OFFLINE"])
async def test_a_service_without_a_list_says_so(tmp_path, name):
    with pytest.raises(UsageError, match="no list"):
        await refresh(find_spec(name), {}, lambda names: None, tmp_path, Settings())


async def test_a_wrong_key_is_told(tmp_path):
    with pytest.raises(AuthError):
        await asked(
            "MOONSHOT", "MOONSHOT_API_URL", tmp_path, refusal(401, {"error": {}}), MOONSHOT_API_KEY="k"
        )


async def test_ollama_is_asked_what_each_of_its_models_can(tmp_path):
    tags = refusal(200, {"models": [{"name": "llava:7b"}, {"name": "old:1b"}]})
    shown = (refusal(200, {"capabilities": ["completion", "vision"]}), refusal(200, {"details": {}}))
    models, received = await asked("OLLAMA", "OLLAMA_BASE_URL", tmp_path, tags, *shown)
    assert models == (Listed(id="llava:7b", tools=False, vision=True), Listed(id="old:1b"))
    assert [one.path for one in received] == ["/api/tags", "/api/show", "/api/show"]
    assert received[1].json == {"model": "llava:7b"}
    assert facts("llava:7b", "OLLAMA").vision
