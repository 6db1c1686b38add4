"""`chatcli setup` against the strict scripted server."""

from __future__ import annotations

import io
import stat
import sys

import pexpect
import pytest

from tests.wire.script import reply, status
from tests.wire.server import serve

KEY = "sk-ant-test-0123456789abcdef"


def _anthropic(server) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": server.environment()["ANTHROPIC_BASE_URL"]}


def test_a_key_from_a_pipe_is_checked_and_stored(cli) -> None:
    with serve([reply("OK")], key=KEY) as server:
        ran = cli("setup", "--provider", "claude", "--allow-file", stdin=f"{KEY}\n", **_anthropic(server))
        assert server.violations == []
        assert len(server.exchanges) == 1
    assert (ran.returncode, ran.stderr) == (0, "")
    file = cli.home / "credentials.toml"
    assert KEY in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert KEY not in ran.stdout
    assert 'provider = "CLAUDEAI"' in (cli.home / "settings.toml").read_text(encoding="utf-8")
    assert "CLAUDEAI" in cli("doctor").stdout


def test_a_refused_key_is_not_stored(cli) -> None:
    with serve([reply("OK")], key="another") as server:
        ran = cli("setup", "--provider", "CLAUDEAI", "--allow-file", stdin=f"{KEY}\n", **_anthropic(server))
    assert ran.returncode == 3
    assert KEY not in ran.stdout + ran.stderr
    assert len(ran.stderr.splitlines()) <= 2
    assert not (cli.home / "credentials.toml").exists()
    assert not (cli.home / "settings.toml").exists()


def test_a_key_that_cannot_be_judged_is_stored_and_the_failure_told(cli) -> None:
    with serve([status(529)], key=KEY) as server:
        ran = cli("setup", "--provider", "CLAUDEAI", "--allow-file", stdin=f"{KEY}\n", **_anthropic(server))
    assert ran.returncode == 3
    assert KEY in (cli.home / "credentials.toml").read_text(encoding="utf-8")


def test_without_a_keyring_a_pipe_needs_permission_for_the_file(cli) -> None:
    with serve([reply("OK")], key=KEY) as server:
        ran = cli("setup", "--provider", "CLAUDEAI", stdin=f"{KEY}\n", **_anthropic(server))
    assert ran.returncode == 2
    assert "--allow-file" in ran.stderr
    assert not (cli.home / "credentials.toml").exists()


def test_an_empty_or_impossible_key_changes_nothing(cli) -> None:
    for given in ("", "\n", "two words\n", "ключ\n"):
        ran = cli("setup", "--provider", "CLAUDEAI", "--allow-file", stdin=given)
        assert ran.returncode == 2
    assert list(cli.home.iterdir()) == []


def test_a_pipe_without_a_provider_is_told_what_to_do(cli) -> None:
    ran = cli("setup", stdin=f"{KEY}\n")
    assert ran.returncode == 2
    assert "--provider" in ran.stderr


def test_offline_needs_no_key(cli, out) -> None:
    assert "OFFLINE" in out("setup", "--provider", "offline")


@pytest.fixture
def at_terminal(cli):
    children = []

    def spawn(**variables: str) -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable,
            ["-m", "chatcli", "setup"],
            cwd=str(cli.project),
            env={**cli.environment, "TERM": "xterm", "NO_COLOR": "1", **variables},
            encoding="utf-8",
            timeout=30,
            dimensions=(40, 100),
        )
        children.append(child)
        return child

    yield spawn
    for child in children:
        child.close(force=True)


def finish(child: pexpect.spawn) -> int:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_at_a_terminal_the_key_is_typed_unseen_and_kept_after_a_yes(cli, at_terminal) -> None:
    with serve([reply("OK")], key=KEY) as server:
        child = at_terminal(**_anthropic(server))
        child.logfile_read = shown = io.StringIO()
        child.expect("number or name")
        child.sendline("1")
        child.expect("not shown")
        child.sendline(KEY)
        child.expect("answers")
        child.expect(r"\[y/N\]")
        child.sendline("y")
        assert finish(child) == 0
    assert KEY not in shown.getvalue()
    assert KEY in (cli.home / "credentials.toml").read_text(encoding="utf-8")


def test_without_a_yes_no_file_is_written(cli, at_terminal) -> None:
    with serve([reply("OK")], key=KEY) as server:
        child = at_terminal(**_anthropic(server))
        child.expect("number or name")
        child.sendline("nonsense")
        child.expect("number or name")
        child.sendline("claudeai")
        child.expect("not shown")
        child.sendline(KEY)
        child.expect(r"\[y/N\]")
        child.sendline("")
        assert finish(child) == 1
    assert not (cli.home / "credentials.toml").exists()


@pytest.mark.parametrize(("keys", "code"), [("\x04", 2), ("\x03", 130)])
def test_setup_can_be_left(at_terminal, keys, code) -> None:
    child = at_terminal()
    child.expect(r"number or name\): ")
    child.send(keys)
    assert finish(child) == code
    assert child.before.removeprefix("^C").startswith("\r\n")


def test_a_check_that_fails_is_told_before_the_key_is_kept(cli, at_terminal) -> None:
    child = at_terminal(ANTHROPIC_BASE_URL="http://127.0.0.1:9")
    child.expect("number or name")
    child.sendline("1")
    child.expect("not shown")
    child.sendline(KEY)
    child.expect("CLAUDEAI: no connection to")
    child.expect(r"\[y/N\]")
    child.sendline("")
    assert finish(child) == 1


def test_a_provider_that_needs_two_values_reads_two_lines(cli) -> None:
    ran = cli(
        "setup", "--provider", "STACKSPOT", "--model", "agent-1", "--allow-file",
        stdin="the-key\nthe-client\n",
        STACKSPOT_API_URL="http://127.0.0.1:9", STACKSPOT_AUTH_URL="http://127.0.0.1:9",
    )  # fmt: skip
    assert ran.returncode == 3
    stored = (cli.home / "credentials.toml").read_text(encoding="utf-8")
    assert 'STACKSPOT_CLIENT_KEY = "the-key"' in stored
    assert 'CLIENT_ID = "the-client"' in stored


def test_aws_credentials_do_without_a_key(cli) -> None:
    ran = cli("setup", "--provider", "BEDROCK", stdin="\n", BEDROCK_BASE_URL="http://127.0.0.1:9")
    assert ran.returncode == 3
    assert not (cli.home / "credentials.toml").exists()
