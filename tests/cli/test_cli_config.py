"""`chatcli config` as a person meets it."""

from __future__ import annotations

import json
import stat

import pytest

from chatcli.settings import table


def test_every_setting_is_listed_with_its_origin(cli, out) -> None:
    (cli.home / "settings.toml").write_text("max_turns = 7\n", encoding="utf-8")
    lines = out("config", CHATCLI_LANG="en").splitlines()
    rows = {line.split()[0]: line for line in lines[1:]}
    assert set(rows) == {row.variable for row in table()}
    assert rows["CHATCLI_AGENT_PLUGIN_MAX_TURNS"].split()[1:] == ["7", "user", "file"]
    assert rows["CHATCLI_LANG"].split()[1:] == ["en", "environment"]
    assert rows["MAX_RETRIES"].split()[1:] == ["5", "default"]


def test_json_holds_typed_values(cli, out) -> None:
    settings = {entry["name"]: entry for entry in json.loads(out("config", "--output", "json"))}
    assert settings["early_exit"]["value"] is True
    assert settings["max_turns"] == {
        "name": "max_turns",
        "variable": "CHATCLI_AGENT_PLUGIN_MAX_TURNS",
        "value": 50,
        "source": "default",
        "default": 50,
    }


def test_explain_shows_who_wins_and_who_loses(cli, out) -> None:
    (cli.home / "settings.toml").write_text("max_turns = 7\n", encoding="utf-8")
    text = out("config", "explain", "max_turns", CHATCLI_AGENT_PLUGIN_MAX_TURNS="9")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line]
    assert ["9", "environment"] in lines
    assert ["7", "user file: overruled"] in lines
    assert ["50", "default"] in lines
    assert "1 to 200" in text


def test_explain_tells_that_an_untrusted_folder_does_not_count(cli, out) -> None:
    (cli.project / ".chatcli").mkdir()
    (cli.project / ".chatcli" / "settings.toml").write_text("max_turns = 3\n", encoding="utf-8")
    assert "not trusted" in out("config", "explain", "max_turns")
    out("trust")
    assert "not trusted" not in out("config", "explain", "max_turns")
    assert "3      project file" in out("config", "explain", "max_turns")


def test_set_keeps_comments_and_the_rest_of_the_file(cli, out) -> None:
    file = cli.home / "settings.toml"
    file.write_text("# mine\nlang = 'pt_BR'  # always\n\n[table]\nx = 1\n", encoding="utf-8")
    out("config", "set", "CHATCLI_LANG", "en")
    out("config", "set", "early_exit", "off")
    text = file.read_text(encoding="utf-8")
    assert text == '# mine\nlang = "en"  # always\nearly_exit = false\n\n[table]\nx = 1\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_set_follows_the_spelling_that_the_file_has(cli, out) -> None:
    file = cli.home / "settings.toml"
    file.write_text("CHATCLI_AGENT_PLUGIN_MAX_TURNS = 7\n", encoding="utf-8")
    out("config", "set", "max_turns", "8")
    assert file.read_text(encoding="utf-8") == "CHATCLI_AGENT_PLUGIN_MAX_TURNS = 8\n"


def test_set_says_when_another_layer_wins(out) -> None:
    assert "environment" in out("config", "set", "max_turns", "8", CHATCLI_AGENT_PLUGIN_MAX_TURNS="9")


def test_set_refuses_what_the_setting_cannot_be(cli) -> None:
    ran = cli("config", "set", "max_turns", "0")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.splitlines() == [
        "chatcli: CHATCLI_AGENT_PLUGIN_MAX_TURNS cannot be '0'.",
        "  accepts: a number from 1 to 200",
    ]
    assert not (cli.home / "settings.toml").exists()


def test_bounds_are_told_as_they_can_be_typed(cli) -> None:
    ran = cli("config", "set", "CHATCLI_ARCHIVE_QUOTA_BYTES", "1")
    assert ran.stderr.splitlines()[1] == "  accepts: a number, at least 1000000"


def test_an_unknown_name_gets_the_nearest_ones(cli) -> None:
    ran = cli("config", "set", "CHATCLI_LANGG", "en")
    assert ran.returncode == 2
    assert "CHATCLI_LANG" in ran.stderr.splitlines()[1]


def test_unset_goes_back_to_the_default(cli, out) -> None:
    out("config", "set", "max_turns", "8")
    assert "50" in out("config", "unset", "max_turns")
    assert (cli.home / "settings.toml").read_text(encoding="utf-8") == ""


def test_a_broken_file_is_named_with_its_line_and_not_overwritten(cli) -> None:
    file = cli.home / "settings.toml"
    file.write_text("lang = 'en'\nmax_turns = = 3\n", encoding="utf-8")
    for command in (["config"], ["config", "set", "lang", "en"]):
        ran = cli(*command)
        assert ran.returncode == 2
        assert str(file) in ran.stderr
        assert "line 2" in ran.stderr
    assert "= = 3" in file.read_text(encoding="utf-8")


def test_a_value_out_of_bounds_is_reported_once_with_what_is_used(cli) -> None:
    ran = cli("config", CHATCLI_AGENT_PLUGIN_MAX_TURNS="900")
    reported = [line for line in ran.stdout.splitlines() if "900" in line]
    assert len(reported) == 1
    assert "1 to 200" in reported[0]
    assert reported[0].endswith("using 200")


def test_path_names_both_files(cli, out) -> None:
    assert out("config", "path").splitlines() == [
        str(cli.home / "settings.toml"),
        str(cli.project / ".chatcli" / "settings.toml"),
    ]


def test_the_language_of_the_settings_is_used(cli, out) -> None:
    out("config", "set", "lang", "pt_BR")
    assert "padrão" in out("config")


@pytest.mark.parametrize("arguments", [(), ("--output", "json"), ("explain", "CHATCLI_WEB_PROXY")])
def test_the_password_of_a_proxy_is_not_shown(cli, arguments):
    ran = cli("config", *arguments, CHATCLI_WEB_PROXY="http://ann:s3cretpw@proxy.example:3128")
    assert "@proxy.example:3128" in ran.stdout
    assert "s3cretpw" not in ran.stdout + ran.stderr


def test_what_a_preset_sets_says_so(cli, out) -> None:
    listed = out("config", CHATCLI_TOOL_RESULT_PRESET="trueforge", CHATCLI_LANG="pt_BR").splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in listed}
    assert rows["CHATCLI_TOOL_RESULT_PRESET"] == ["trueforge", "ambiente"]
    assert rows["CHATCLI_TOOL_RESULT_MAX_TOKENS"][1:] == ["preset", "trueforge"]
