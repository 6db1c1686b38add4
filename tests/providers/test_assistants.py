"""Assistants that OpenAI no longer runs: kept at home, answered by Responses."""

from __future__ import annotations

import json
import stat

import pytest

from chatcli.errors import StorageError, UsageError
from chatcli.providers.assistants import connect, import_assistant, kept_assistants
from tests.providers.conversation import receive, request, service
from tests.providers.loopback import loopback, sse

EXPORTED = {
    "id": "asst_abc123",
    "object": "assistant",
    "created_at": 1_698_984_975,
    "name": "Math Tutor",
    "description": None,
    "model": "gpt-4.1",
    "instructions": "You are a math tutor.",
    "tools": [{"type": "code_interpreter"}],
    "metadata": {},
    "temperature": 1.0,
}


def exported(tmp_path, **fields):
    file = tmp_path / "exported.json"
    file.write_text(json.dumps({**EXPORTED, **fields}), encoding="utf-8")
    return file


def asked(model="", url="http://service"):
    return service("OPENAI_ASSISTANT", model, url)


def test_an_exported_assistant_is_kept_for_its_owner_alone(tmp_path):
    kept = import_assistant(exported(tmp_path), tmp_path / "home")
    assert kept_assistants(tmp_path / "home") == (kept,)
    file = next((tmp_path / "home" / "assistants").iterdir())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"id": 3}', '{"id": "asst_1"}'])
def test_what_is_no_assistant_is_named(tmp_path, content):
    file = tmp_path / "other.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"other\.json"):
        import_assistant(file, tmp_path / "home")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StorageError, match="nowhere"):
        import_assistant(tmp_path / "nowhere.json", tmp_path)


def test_a_hostile_id_stays_in_the_folder(tmp_path):
    import_assistant(exported(tmp_path, id="../../x/../evil"), tmp_path / "home")
    assert [f.parent.name for f in tmp_path.rglob("*evil*.json")] == ["assistants"]


@pytest.mark.parametrize("wanted", ["", "asst_abc123", "Math Tutor"])
def test_it_is_chosen_by_id_by_name_or_because_it_is_the_only_one(tmp_path, wanted):
    import_assistant(exported(tmp_path), tmp_path)
    provider = connect(asked(wanted), tmp_path)
    assert (provider.name, provider.model) == ("OPENAI_ASSISTANT", "gpt-4.1")
    assert provider.window_tokens == 1_000_000


@pytest.mark.parametrize("kept", [0, 2])
def test_which_one_must_be_clear(tmp_path, kept):
    for i in range(kept):
        import_assistant(exported(tmp_path, id=f"asst_{i}", name=f"Tutor {i}"), tmp_path)
    with pytest.raises(UsageError) as caught:
        connect(asked(), tmp_path)
    assert ("Tutor 1" in caught.value.message) is bool(kept)
    assert "--import" in caught.value.hint
    assert "26 Aug 2026" in caught.value.hint


async def test_its_instructions_stand_in_front(tmp_path):
    import_assistant(exported(tmp_path), tmp_path)
    done = sse({"type": "response.completed", "response": {"model": "gpt-4.1", "usage": None}})
    async with loopback(done) as server:
        await receive(connect(asked(url=f"{server.url}/v1"), tmp_path), request(model="gpt-4.1"))
        sent = server.received[0]
    assert sent.path == "/v1/responses"
    assert sent.json["instructions"] == "You are a math tutor.\n\nBe brief."
    assert sent.json["model"] == "gpt-4.1"
