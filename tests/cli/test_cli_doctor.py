"""`chatcli doctor`, `models` and `tools` as a person meets them."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from chatcli.providers.specs import all_specs
from chatcli.terminal.commands_cli.models import list_models
from chatcli.terminal.commands_cli.place import Output, Place
from chatcli.terminal.look import Look
from tests.wire.script import reply
from tests.wire.server import serve


def _findings(ran) -> dict[str, dict[str, str]]:
    return {finding["about"]: finding for finding in json.loads(ran.stdout)}


def test_a_healthy_machine_ends_with_zero(cli) -> None:
    ran = cli("doctor")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "!!" not in ran.stdout


def test_the_provider_and_the_reason_are_named(cli) -> None:
    assert "OFFLINE" in _findings(cli("doctor", "--output", "json"))["provider"]["found"]
    found = _findings(cli("doctor", "--output", "json", ANTHROPIC_API_KEY="sk-ant-x"))["provider"]["found"]
    assert found.startswith("CLAUDEAI")
    assert "ANTHROPIC_API_KEY" in found
    assert "sk-ant-x" not in found


def test_an_open_home_is_bad_and_the_fix_is_named(cli) -> None:
    cli.home.chmod(0o755)
    ran = cli("doctor", "--output", "json")
    assert ran.returncode == 1
    assert _findings(ran)["home"]["fix"] == f"chmod 700 {cli.home}"


def test_a_broken_settings_file_is_one_finding(cli) -> None:
    (cli.home / "settings.toml").write_text("x = = 1\n", encoding="utf-8")
    ran = cli("doctor", "--output", "json")
    assert ran.returncode == 1
    assert "line 1" in _findings(ran)["settings"]["found"]


def test_missing_programs_are_named_with_what_they_are_for(cli) -> None:
    ran = cli("doctor", "--output", "json", PATH="/nowhere")
    assert ran.returncode == 1
    assert _findings(ran)["bash"]["level"] == "bad"
    assert _findings(ran)["git"]["level"] == "note"


def test_keys_that_others_can_read_are_told(cli) -> None:
    file = cli.home / "credentials.toml"
    file.write_text('ANTHROPIC_API_KEY = "sk-ant-x"\n', encoding="utf-8")
    file.chmod(0o644)
    ran = cli("doctor", "--output", "json")
    assert ran.returncode == 1
    assert "chmod 600" in _findings(ran)["provider"]["fix"]


def test_a_broken_plugin_breaks_nothing_and_is_listed(cli) -> None:
    (cli.home / "plugins").mkdir()
    (cli.home / "plugins" / "wrong.py").write_text("import no_such_module\n", encoding="utf-8")
    ran = cli("tools")
    assert ran.returncode == 1
    assert "no_such_module" in ran.stdout
    assert "read" in ran.stdout


def test_plugins_are_listed_by_where_they_come_from(cli, out) -> None:
    (cli.home / "plugins").mkdir()
    (cli.home / "plugins" / "mine.py").write_text(
        "from chatcli.tools import tool\n\n\n"
        '@tool(\'mine\')\nasync def mine(ctx) -> str:\n    """Mine."""\n    return \'\'\n',
        encoding="utf-8",
    )
    plugins = json.loads(out("plugins", "--output", "json"))["plugins"]
    assert ["mine"] in plugins.values()
    assert any("read" in names for names in plugins.values())
    assert str(cli.home / "plugins") in out("plugins")


def test_tools_are_listed_with_their_caps(cli, out) -> None:
    tools = {tool["name"]: tool for tool in json.loads(out("tools", "--output", "json"))["tools"]}
    assert tools["read"]["max_result_chars"] == 80_000
    assert tools["read"]["read_only"] is True
    assert "80,000" in out("tools")


def test_models_show_window_and_price(cli, out) -> None:
    rows = {row["id"]: row for row in json.loads(out("models", "--provider", "claude", "--output", "json"))}
    usual = [row for row in rows.values() if row["usual"]]
    assert len(usual) == 1
    assert usual[0]["window_tokens"] > 100_000
    assert usual[0]["output_usd"] > usual[0]["input_usd"] > 0
    assert "sonnet" not in out("models", "haiku", "--provider", "claude").replace("CLAUDEAI", "")


def test_the_word_of_models_may_name_a_provider(out) -> None:
    assert "sonnet" in out("models", "claude")


def test_a_word_that_no_model_holds_is_told_and_not_an_empty_table(cli) -> None:
    ran = cli("models", "nope", "--provider", "claude")
    assert ran.returncode == 2
    assert "'nope'" in ran.stderr


def test_a_current_folder_that_was_removed_is_one_clear_line(cli) -> None:
    script = 'mkdir gone; cd gone; rmdir ../gone; exec "$0" -m chatcli sessions'
    ran = subprocess.run(
        ["sh", "-c", script, sys.executable],
        cwd=cli.project,
        env=cli.environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1


def test_models_of_a_silent_ollama_is_one_clear_line(cli) -> None:
    ran = cli("models", "--provider", "ollama")
    assert ran.returncode == 3
    assert "127.0.0.1:9" in ran.stderr


def test_an_exported_assistant_is_kept_and_listed(cli, out) -> None:
    exported = cli.project / "assistant.json"
    exported.write_text('{"id": "asst_1", "name": "Law Expert", "model": "gpt-6.1-sol"}', encoding="utf-8")
    assert "--model 'Law Expert'" in out("models", "--import", "assistant.json")
    assert "Law Expert" in out("models", "--provider", "OPENAI_ASSISTANT")


@pytest.mark.parametrize("name", [spec.name for spec in all_specs() if spec.wire != "ollama"])
def test_every_provider_has_a_list_of_models(tmp_path, name) -> None:
    printed = io.StringIO()
    out = Output(printed, Look(color=False, live=False), None)
    place = Place(home=tmp_path, folder=tmp_path, environment={}, out=out)
    assert list_models(place, provider=name, output="json") == 0
    assert all(row["id"] for row in json.loads(printed.getvalue()))


def test_it_says_where_scripts_of_the_model_run(cli) -> None:
    finding = _findings(cli("doctor", "--output", "json"))["sandbox for scripts"]
    assert finding["level"] == ("good" if finding["found"] == "bubblewrap" else "note")


def test_the_model_is_described_by_what_it_can(cli) -> None:
    def model(**variables: str) -> str:
        return _findings(cli("doctor", "--output", "json", **variables))["model"]["found"]

    assert model(ANTHROPIC_API_KEY="sk-ant-x") == "calls tools natively, sees images"
    blind = model(ZAI_API_KEY="x", CHATCLI_TOOL_PROTOCOL="text")
    assert blind == "calls tools in text, is not known to see images"


def test_the_live_check_asks_the_provider_once_and_only_on_demand(cli) -> None:
    with serve([reply("OK")], key="sk-ant-x") as server:
        given = {name: server.environment()[name] for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")}
        cli("doctor", **given)
        assert server.exchanges == []
        found = _findings(cli("doctor", "--live", "--output", "json", **given))
        assert len(server.exchanges) == 1
    assert found["live check"]["level"] == "good"
    assert "claude" in found["live check"]["found"]


def test_a_live_check_that_fails_is_bad_and_names_the_fix(cli) -> None:
    with serve([reply("OK")], key="another") as server:
        given = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-ant-canary"}
        ran = cli("doctor", "--live", "--output", "json", **given)
    assert ran.returncode == 1
    assert "chatcli setup" in _findings(ran)["live check"]["fix"]
    assert "sk-ant-canary" not in ran.stdout


def test_the_way_to_the_provider_is_shown_without_the_password_of_the_proxy(cli, tmp_path) -> None:
    given = {"ANTHROPIC_API_KEY": "sk-ant-x", "HTTPS_PROXY": "http://ann:hunter2@proxy:3128"}
    ran = cli("doctor", "--output", "json", CHATCLI_CA_BUNDLE=str(tmp_path / "none.pem"), **given)
    assert ran.returncode == 1
    found = _findings(ran)
    assert found["proxy"]["found"] == "http://proxy:3128"
    assert "CHATCLI_CA_BUNDLE" in found["certificates"]["found"]
    assert ".pem" in found["certificates"]["fix"]
    assert "hunter2" not in ran.stdout


def test_a_certificate_file_that_is_not_there_is_told(cli) -> None:
    ran = cli("doctor", "--output", "json", ANTHROPIC_API_KEY="sk-ant-x", SSL_CERT_FILE="/none.pem")
    assert _findings(ran)["SSL_CERT_FILE"]["level"] == "bad"


def test_files_that_others_can_read_are_told(cli) -> None:
    (cli.home / "settings.toml").write_text("", encoding="utf-8")
    (cli.home / "settings.toml").chmod(0o644)
    ran = cli("doctor", "--output", "json")
    assert ran.returncode == 1
    assert _findings(ran)["permissions"]["fix"] == f"chmod -R go-rwx {cli.home}"


def test_clock_and_optional_parts_are_there(cli) -> None:
    found = _findings(cli("doctor", "--output", "json"))
    assert found["clock"]["level"] == "good"
    assert {"chatcli[bedrock]", "chatcli[local]"} <= set(found)
