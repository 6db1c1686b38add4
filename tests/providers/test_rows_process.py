"""The real command with providers of every kind of login, and with one of the user's own."""

from __future__ import annotations

import json

import pytest

from tests.harness.driver import Place
from tests.providers.rows import ROWS
from tests.wire.script import by_turn, call, reply, think
from tests.wire.server import serve

LOOK = by_turn(reply(think("Look."), call("read", file="a.py")), reply("It has one line."))


@pytest.fixture
def place(tmp_path) -> Place:
    made = Place.make(tmp_path / "place")
    (made.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    return made


def chosen(name: str) -> dict[str, str]:
    row = ROWS[name]
    return {"LLM_PROVIDER": row.provider, **({"CHATCLI_MODEL": row.model} if row.model else {})}


@pytest.mark.parametrize("name", ["bedrock-converse", "googleai", "copilot-chat", "moonshot"])
def test_an_agent_reads_and_answers(place, name):
    with serve(LOOK) as server:
        environment = place.environment(server=server) | chosen(name)
        finished = place.run(environment, "-p", "/agent how long is a.py?", "--output", "json")
    assert (finished.code, finished.err) == (0, "")
    assert finished.json["text"] == "It has one line."
    assert finished.json["tool_calls"] == 1
    assert finished.json["usage"]["output"] > 0
    assert server.violations == []


def test_an_agent_of_stackspot_reads_a_file_and_answers(place):
    with serve(LOOK) as server:
        environment = place.environment(server=server) | chosen("stackspot-flat")
        finished = place.run(environment, "-p", "/agent how long is a.py?", "--output", "json")
    assert (finished.code, finished.json["text"]) == (0, "It has one line.")
    assert finished.json["tool_calls"] == 1
    assert "x = 1" in server.exchanges[-1].seen.last_result
    assert server.violations == []


def test_a_retired_service_ends_with_one_line_and_a_way_out(place):
    environment = place.environment() | {"LLM_PROVIDER": "GITHUB_MODELS", "GITHUB_TOKEN": "k"}
    finished = place.run(environment, "-p", "hi")
    assert (finished.code, finished.out) == (3, "")
    assert "retired on 30 Jul 2026" in finished.err
    assert "OPENROUTER" in finished.err


def test_a_provider_of_ones_own_is_a_table_in_the_settings(place):
    with serve(LOOK) as server:
        table = (
            f'[providers.MINE]\nbase_url = "{server.url}/v1"\nkey_variable = "MINE_KEY"\nmodel = "gpt-5.4"\n'
        )
        (place.home / "settings.toml").write_text(table, encoding="utf-8")
        environment = place.environment() | {"MINE_KEY": server.options.key}
        finished = place.run(environment, "--provider", "mine", "-p", "/agent look", "--output", "json")
    assert (finished.code, finished.err) == (0, "")
    assert finished.json["text"] == "It has one line."
    assert finished.json["cost_usd"] is None
    assert server.violations == []


def test_an_imported_assistant_answers_with_its_instructions(place):
    exported = {"id": "asst_1", "name": "Tutor", "model": "gpt-6.1-sol", "instructions": "You are a tutor."}
    (place.project / "asst.json").write_text(json.dumps(exported), encoding="utf-8")
    with serve([reply("Two.")]) as server:
        environment = place.environment(server=server)
        kept = place.run(environment, "models", "--import", "asst.json")
        finished = place.run(environment, "--provider", "OPENAI_ASSISTANT", "-p", "1 + 1?")
    assert kept.code == 0
    assert (finished.code, finished.out.strip()) == (0, "Two.")
    assert server.exchanges[0].seen.body["instructions"].startswith("You are a tutor.\n\n")
    assert server.violations == []
