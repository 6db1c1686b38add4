"""`chatcli trust` as a person meets it."""

from __future__ import annotations


def test_trusting_names_what_takes_effect(cli, out) -> None:
    (cli.project / ".chatcli").mkdir()
    (cli.project / ".chatcli" / "settings.toml").write_text("max_turns = 3\n", encoding="utf-8")
    text = out("trust")
    assert str(cli.project) in text
    assert ".chatcli/settings.toml" in text


def test_list_and_revoke(cli, out) -> None:
    (cli.project / "sub").mkdir()
    out("trust")
    out("trust", "sub")
    assert len(out("trust", "--list").splitlines()) == 3
    assert str(cli.project) in out("trust", "--revoke")
    listed = out("trust", "--list").splitlines()
    assert [line.split() for line in listed[1:]] == [[str(cli.project / "sub"), "trusted"]]


def test_a_changed_folder_is_asked_about_again(cli, out) -> None:
    out("trust")
    (cli.project / ".mcp.json").write_text("{}", encoding="utf-8")
    assert "changed" in out("trust", "--list")


def test_what_is_no_folder_cannot_be_trusted(cli) -> None:
    ran = cli("trust", "nowhere")
    assert ran.returncode == 2
    assert "nowhere" in ran.stderr


def test_home_paths_are_short(cli, out) -> None:
    assert "~/" not in out("trust")
    (cli.project.parent / "user" / "code").mkdir()
    assert "Trusted: ~/code" in out("trust", str(cli.project.parent / "user" / "code"))


def test_a_hostile_name_cannot_reach_the_terminal(cli, out) -> None:
    (cli.project / "a\x1b[2Jb").mkdir()
    text = out("trust", "a\x1b[2Jb") + out("trust", "--list") + out("trust", "--revoke", "a\x1b[2Jb")
    assert "\x1b" not in text
