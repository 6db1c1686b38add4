"""`chatcli auth`: logging in, where keys come from, logging out; the key itself is shown nowhere."""

from __future__ import annotations

import io
import json
import stat
import sys

import pexpect
import pytest

from tests.wire.script import reply
from tests.wire.server import serve
from tests.wire.services import DEVICE_CODE

KEY = "sk-ant-test-0123456789abcdef"
TOKEN = "ghu_canary0123456789wxyz"

KEYRING = """
import json, os
from keyring.backend import KeyringBackend

class Keyring(KeyringBackend):
    priority = 1
    path = os.environ["TEST_KEYRING"]

    def _all(self):
        return json.load(open(self.path)) if os.path.exists(self.path) else {}

    def get_password(self, service, name):
        return self._all().get(f"{service}/{name}")

    def set_password(self, service, name, value):
        json.dump({**self._all(), f"{service}/{name}": value}, open(self.path, "w"))

    def delete_password(self, service, name):
        kept = self._all()
        del kept[f"{service}/{name}"]
        json.dump(kept, open(self.path, "w"))
"""


@pytest.fixture
def keyring(tmp_path) -> dict[str, str]:
    """A system keyring that keeps what it is given."""
    folder = tmp_path / "backend"
    folder.mkdir()
    (folder / "fake_system_keyring.py").write_text(KEYRING)
    return {
        "PYTHONPATH": str(folder),
        "PYTHON_KEYRING_BACKEND": "fake_system_keyring.Keyring",
        "TEST_KEYRING": str(tmp_path / "keyring.json"),
    }


@pytest.fixture
def at_terminal(cli):
    children = []

    def spawn(*arguments: str, **variables: str) -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable,
            ["-m", "chatcli", *arguments],
            cwd=str(cli.project),
            env={**cli.environment, "TERM": "xterm", "NO_COLOR": "1", **variables},
            encoding="utf-8",
            timeout=30,
            dimensions=(40, 100),
        )
        child.logfile_read = io.StringIO()
        children.append(child)
        return child

    yield spawn
    for child in children:
        child.close(force=True)


def finish(child: pexpect.spawn) -> int:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def anthropic(server) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": server.environment()["ANTHROPIC_BASE_URL"]}


def copilot(server) -> dict[str, str]:
    return {"COPILOT_API_URL": server.environment()["COPILOT_API_URL"]}


def written(cli) -> str:
    """Everything below the home but the file that holds keys."""
    files = [path for path in cli.home.rglob("*") if path.is_file() and path.name != "credentials.toml"]
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def test_a_key_goes_into_the_keyring_and_comes_from_there(cli, keyring) -> None:
    with serve([reply("OK"), reply("Hello.")], key=KEY) as server:
        ran = cli("auth", "login", "claude", stdin=f"{KEY}\n", **anthropic(server), **keyring)
        assert (ran.returncode, ran.stderr) == (0, "")
        status = cli("auth", "status", **keyring)
        answered = cli("-p", "hi", "--provider", "CLAUDEAI", **anthropic(server), **keyring)
    assert not (cli.home / "credentials.toml").exists()
    assert "system keyring …cdef" in status.stdout
    assert answered.stdout == "Hello.\n"
    assert KEY not in ran.stdout + status.stdout + answered.stdout + answered.stderr + written(cli)
    assert not (cli.home / "settings.toml").exists()  # who answers without being named is for setup


def test_without_a_keyring_a_private_file_is_used_after_leave(cli) -> None:
    with serve([reply("OK")], key=KEY) as server:
        refused = cli("auth", "login", "CLAUDEAI", stdin=f"{KEY}\n", **anthropic(server))
        assert (refused.returncode, "--allow-file" in refused.stderr) == (2, True)
        server.play([reply("OK")])
        ran = cli("auth", "login", "CLAUDEAI", "--allow-file", stdin=f"{KEY}\n", **anthropic(server))
    assert ran.returncode == 0
    assert stat.S_IMODE((cli.home / "credentials.toml").stat().st_mode) == 0o600
    assert "file …cdef" in cli("auth", "status", "CLAUDEAI").stdout


def test_a_key_that_is_refused_is_not_kept(cli, keyring) -> None:
    with serve([reply("OK")], key="another") as server:
        ran = cli("auth", "login", "CLAUDEAI", stdin=f"{KEY}\n", **anthropic(server), **keyring)
    assert ran.returncode == 3
    assert KEY not in ran.stdout + ran.stderr
    assert cli("auth", "status", "CLAUDEAI", **keyring).returncode == 1


def test_a_key_is_typed_unseen(cli, keyring, at_terminal) -> None:
    with serve([reply("OK")], key=KEY) as server:
        child = at_terminal("auth", "login", "CLAUDEAI", **anthropic(server), **keyring)
        child.expect("not shown")
        child.sendline(KEY)
        assert finish(child) == 0
    assert KEY not in child.logfile_read.getvalue()


def test_the_status_names_the_source_and_no_more_of_a_key_than_its_end(out) -> None:
    short = "sk-short"
    shown = out("auth", "status", "--output", "json", OPENAI_API_KEY=KEY, XAI_API_KEY=short)
    rows = {row["provider"]: row for row in json.loads(shown)}
    assert rows["OPENAI"] == {
        "provider": "OPENAI",
        "variable": "OPENAI_API_KEY",
        "source": "environment",
        "ending": "cdef",
        "problem": "",
    }
    assert rows["XAI"]["ending"] == ""
    assert KEY not in shown
    assert short not in shown


def test_credentials_of_aws_are_a_key_too(out) -> None:
    shown = out("auth", "status", AWS_ACCESS_KEY_ID="AKIA0123456789ABCDEF", AWS_SECRET_ACCESS_KEY=KEY)
    assert "AWS_ACCESS_KEY_ID  environment …CDEF" in shown
    assert KEY[-4:] not in shown


def test_the_status_without_any_key_says_what_to_do(out) -> None:
    assert "chatcli auth login" in out("auth", "status")


def test_logging_out_forgets_the_key_and_tells_of_the_environment(cli, keyring, tmp_path) -> None:
    with serve([reply("OK")], key=KEY) as server:
        cli("auth", "login", "CLAUDEAI", stdin=f"{KEY}\n", **anthropic(server), **keyring)
    assert KEY in (tmp_path / "keyring.json").read_text()
    ran = cli("auth", "logout", "CLAUDEAI", ANTHROPIC_API_KEY="other-key", **keyring)
    assert ran.returncode == 0
    assert "ANTHROPIC_API_KEY is forgotten." in ran.stdout
    assert "still set in the environment" in ran.stdout
    assert "other-key" not in ran.stdout
    assert KEY not in (tmp_path / "keyring.json").read_text()
    assert "Nothing was stored." in cli("auth", "logout", "--all", **keyring).stdout


def test_logging_out_needs_a_name_or_all(cli) -> None:
    assert cli("auth", "logout").returncode == 2
    assert cli("auth", "logout", "CLAUDEAI", "--all").returncode == 2


@pytest.mark.parametrize("name", ["OFFLINE", "nobody"])
def test_a_provider_without_a_login_is_told(cli, name) -> None:
    ran = cli("auth", "login", name, stdin=f"{KEY}\n")
    assert ran.returncode == 2
    assert ran.stderr


def test_copilot_logs_in_by_a_code_in_the_browser(cli, keyring, at_terminal) -> None:
    with serve([reply("OK"), reply("Hello.")], key=TOKEN) as server:
        given = {**copilot(server), **keyring}
        child = at_terminal("auth", "login", "COPILOT", CHATCLI_COPILOT_CLIENT_ID="Iv1.test", **given)
        child.expect("https://github.com/login/device")
        child.expect("ABCD-1234")
        assert finish(child) == 0
        answered = cli("-p", "hi", "--provider", "COPILOT", **given)
        assert server.violations == []
    assert answered.stdout == "Hello.\n"
    shown = child.logfile_read.getvalue() + answered.stderr + written(cli)
    assert TOKEN not in shown
    assert DEVICE_CODE["device_code"] not in shown


def test_the_wait_for_github_can_be_left(cli, at_terminal) -> None:
    with serve([], key=TOKEN, device_interval_seconds=60) as server:
        child = at_terminal(
            "auth", "login", "COPILOT", CHATCLI_COPILOT_CLIENT_ID="Iv1.test", **copilot(server)
        )
        child.expect("Waiting")
        child.sendintr()
        assert finish(child) == 130
    assert "Traceback" not in child.logfile_read.getvalue()
    assert list(cli.home.glob("credentials*")) == []


def test_without_the_id_of_an_app_a_token_can_be_typed(at_terminal) -> None:
    child = at_terminal("auth", "login", "COPILOT")
    child.expect("CHATCLI_COPILOT_CLIENT_ID")
    child.expect("GITHUB_COPILOT_TOKEN .not shown")


def test_no_key_is_taken_from_the_project(cli) -> None:
    """Neither from its `.env` nor from its settings, trusted or not."""
    (cli.project / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\nOPENAI_API_KEY={KEY}\n")
    (cli.project / ".chatcli").mkdir()
    (cli.project / ".chatcli" / "settings.toml").write_text(
        f'ANTHROPIC_API_KEY = "{KEY}"\nprovider = "CLAUDEAI"\n[providers.MINE]\nbase_url = "http://127.0.0.1:1"\n'
    )
    (cli.project / "credentials.toml").write_text(f'ANTHROPIC_API_KEY = "{KEY}"\n')
    for trust in ((), ("--trust",)):
        assert cli("auth", "status", "CLAUDEAI").returncode == 1
        ran = cli(*trust, "-p", "hi")
        assert KEY not in ran.stdout + ran.stderr + written(cli)
    assert "CLAUDEAI needs a key" in ran.stderr  # trusted, its choice of a provider counts
