"""What a person sees when choosing a model: windows that are known or assumed, prices or none."""

from __future__ import annotations

import json

import pytest

from chatcli.providers.catalogue import use_own_models
from chatcli.providers.listing import FOLDER, Listed, write_list
from chatcli.providers.model_rows import model_rows
from chatcli.providers.specs import find_spec
from chatcli.terminal.commands_cli.models import list_models
from chatcli.terminal.commands_cli.place import here
from tests.providers.rows import keep_reviewer
from tests.wire.server import serve


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    use_own_models({}, None)


def rows(name, home, word="", **environment):
    return {row.id: row for row in model_rows(find_spec(name), environment, home, word=word)}


def test_without_a_list_those_with_a_price_are_shown(tmp_path):
    found = rows("CLAUDEAI", tmp_path, word="SONNET-5-5")
    usual = found["claude-sonnet-5-5"]
    assert (usual.window_tokens, usual.window_known, usual.usual) == (1_000_000, True, True)
    assert (usual.input_usd, usual.output_usd) == (2.0, 10.0)
    assert (usual.tools, usual.vision, usual.cache_minimum_tokens, usual.tokens_ratio) == (
        True,
        True,
        512,
        1.4,
    )
    assert all("sonnet-5-5" in model for model in found)


def test_a_list_of_the_service_takes_their_place_and_says_what_it_said(tmp_path):
    write_list(tmp_path / FOLDER, "MOONSHOT", [Listed(id="kimi-x", window_tokens=9_000, tools=False)])
    use_own_models({}, tmp_path / FOLDER)
    found = rows("MOONSHOT", tmp_path)
    assert set(found) == {"kimi-x", "kimi-k3.1-pro"}
    assert (found["kimi-x"].window_tokens, found["kimi-x"].tools) == (9_000, False)
    assert found["kimi-x"].input_usd is None


def test_what_is_assumed_is_marked(tmp_path):
    (row,) = rows("OPENAI", tmp_path, word="my-model", OPENAI_MODEL="my-model").values()
    assert (row.window_tokens, row.window_known) == (128_000, False)


def test_google_offers_its_own_models_alone(tmp_path):
    assert {model[:3] for model in rows("GOOGLEAI", tmp_path)} == {"gem"}


def test_assistants_are_models_and_an_agent_takes_no_tools(tmp_path):
    keep_reviewer(tmp_path)
    assert set(rows("OPENAI_ASSISTANT", tmp_path)) == {"Reviewer"}
    assert rows("STACKSPOT", tmp_path, STACKSPOT_AGENT_ID="01A")["01A"].tools is False


def test_the_command_asks_the_service_when_told_to(tmp_path, capsys):
    with serve([]) as server:
        environment = {"CHATCLI_HOME": str(tmp_path / "home"), **server.environment()}
        place = here(environment, str(tmp_path))
        assert list_models(place, provider="COPILOT", fresh=True, output="json") == 0
    listed = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["gpt-5.4"]["window_tokens"] == 264_000
    assert listed["gpt-5.4"]["max_output_tokens"] == 64_000
