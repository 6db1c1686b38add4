"""What a script can do in each sandbox, tried on the real kernel; and that a leaky sandbox is none."""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chatcli.gate import sandbox as sandboxes
from chatcli.gate.jail import landlock
from chatcli.gate.jail import main as jail
from chatcli.gate.reasons import Reason
from chatcli.gate.sandbox import ENVIRONMENT, Sandbox, find_sandbox

BUBBLEWRAP = shutil.which("bwrap")
ROWS = [{"id": n, "name": f"n{n}"} for n in range(100)]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.skipif(not BUBBLEWRAP, reason="no bwrap here")),
        pytest.param("landlock", marks=pytest.mark.skipif(not landlock.version(), reason="no Landlock here")),
    ]
)
def sandbox(request) -> Sandbox:
    if request.param == "bubblewrap":
        return Sandbox(tier="bubblewrap", program=BUBBLEWRAP or "")
    return Sandbox(tier="landlock", gaps=(Reason("network"),))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    folder.mkdir()
    return folder


@pytest.fixture
def run(sandbox: Sandbox, archive: Path, tmp_path: Path) -> Run:
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def start(script: str, *, cpu_seconds: int = 10) -> subprocess.CompletedProcess[str]:
        argv = sandbox.argv(archive=archive, readable=[scratch], cpu_seconds=cpu_seconds)
        return subprocess.run(
            argv,
            input=script,
            capture_output=True,
            env=ENVIRONMENT,
            cwd="/",
            timeout=30,
            text=True,
            check=False,
        )

    return start


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def store(archive: Path, data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()
    (archive / digest).write_bytes(data)
    return digest[:16]


def printed(ended: subprocess.CompletedProcess[str]) -> str:
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_results_are_read_as_text_lines_and_records(run: Run, archive: Path) -> None:
    text = store(archive, "é\nzwei\r\ndrei".encode())
    rows = store(archive, json.dumps(ROWS).encode() + b"\n[exit 0 in 0.1 s]")
    several = store(archive, b"".join(json.dumps(row).encode() + b"\n" for row in ROWS))
    one = store(archive, b'{"a": 1}')
    script = f"""
print(ascii(result("<<ccr:{text}>>")))
print(list(lines("{text.upper()}")))
print(len(records("ccr:{rows}")), records("{several}")[99]["name"], records("{one}"))
"""
    assert printed(run(script)) == "'\\xe9\\nzwei\\r\\ndrei'\n['é', 'zwei', 'drei']\n100 n99 [{'a': 1}]\n"


def test_an_unknown_key_says_so(run: Run) -> None:
    ended = run('result("0123456789abcdef")')
    assert ended.returncode == 1
    assert "no result has the key '0123456789abcdef'" in ended.stderr


def test_nothing_else_can_be_read(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    paths = [str(secret), "/etc/passwd", "/etc/shadow", "/proc/1/environ", str(Path.home() / ".profile")]
    script = f"""
for path in {paths}:
    try:
        print(open(path).read())
    except OSError as error:
        print(type(error).__name__)
"""
    said = printed(run(script)).split()
    assert "secret" not in said
    assert set(said[:3]) <= {"FileNotFoundError", "PermissionError"}


def test_nothing_can_be_written(run: Run, archive: Path, tmp_path: Path) -> None:
    key = store(archive, b"original")
    script = f"""
import glob, os, shutil
(original,) = glob.glob({str(archive)!r} + "/*")
attempts = [
    lambda: open(original, "w"), lambda: os.remove(original), lambda: os.mkdir({str(archive)!r} + "/new"),
    lambda: open({str(tmp_path)!r} + "/scratch/new", "w").write("x"), lambda: os.symlink("a", "/tmp/link"),
    lambda: open("/tmp/new", "w").write("x"), lambda: os.chmod(original, 0o777),
]
for attempt in attempts:
    try:
        attempt()
        print("done")
    except OSError as error:
        print(type(error).__name__)
print(result("{key}"))
"""
    said = printed(run(script)).split()
    assert said[-1] == "original"
    assert (archive / next(archive.iterdir()).name).read_bytes() == b"original"
    assert [path.name for path in tmp_path.rglob("*") if path.name in ("new", "link")] == []
    assert not Path("/tmp/link").is_symlink()


def test_nobody_is_reached_over_tcp(run: Run, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    script = f"""
import socket
try:
    socket.create_connection(("127.0.0.1", {port}), 2)
    print("connected")
except OSError as error:
    print(type(error).__name__)
"""
    assert printed(run(script)).strip() in {"PermissionError", "ConnectionRefusedError"}


def test_memory_and_time_are_limited(run: Run) -> None:
    ended = run("print('before', flush=True)\nbytearray(2 << 30)")
    assert (ended.returncode, ended.stdout) == (1, "before\n")
    assert "MemoryError" in ended.stderr
    assert run("while True: pass", cpu_seconds=1).returncode != 0


def test_neither_environment_nor_packages_nor_chatcli_are_there(run: Run) -> None:
    script = """
import os
print(sorted(os.environ.keys() - {"PWD", "LC_CTYPE"}))
for name in ("chatcli", "msgspec"):
    try:
        __import__(name)
        print("there")
    except ImportError:
        print("not there")
"""
    assert printed(run(script)) == "['HOME', 'LANG', 'PATH']\nnot there\nnot there\n"


def test_an_error_shows_the_script_alone(run: Run) -> None:
    ended = run("def f(x):\n    return 1 / x\n\nprint('é')\nf(0)\n")
    assert (ended.returncode, ended.stdout) == (1, "é\n")
    assert ended.stderr.startswith(
        'Traceback (most recent call last):\n  File "<script>", line 5, in <module>\n'
    )
    assert "    return 1 / x" in ended.stderr
    assert "jail" not in ended.stderr
    assert "SyntaxError" in run("def").stderr
    assert run("import sys; sys.exit(3)").returncode == 3


def test_a_sandbox_that_lets_everything_through_is_none(tmp_path: Path) -> None:
    leaky = tmp_path / "bwrap"
    leaky.write_text('#!/bin/sh\nwhile [ "$1" != -I ]; do last=$1; shift; done\nexec "$last" "$@"\n')
    leaky.chmod(0o700)
    assert not sandboxes._holds(Sandbox(tier="bubblewrap", program=str(leaky)))
    leaky.write_text("#!/bin/sh\necho held; echo alone; exit 1\n")
    assert not sandboxes._holds(Sandbox(tier="bubblewrap", program=str(leaky)))
    assert not sandboxes._holds(Sandbox(tier="bubblewrap", program=str(tmp_path / "not there")))
    assert not sandboxes._holds(Sandbox(tier="none"))


@pytest.fixture
def fresh() -> Iterator[None]:
    find_sandbox.cache_clear()
    yield
    find_sandbox.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_the_strongest_that_holds_is_taken_and_its_gaps_are_named(monkeypatch) -> None:
    held: list[str] = []
    monkeypatch.setattr(sandboxes, "_holds", lambda sandbox: sandbox.tier in held)
    monkeypatch.setattr(sandboxes.shutil, "which", lambda name, path: "/usr/bin/bwrap")
    monkeypatch.setattr(landlock, "version", lambda: 4)
    for tier, gap in (("none", "no sandbox"), ("landlock", "cannot cut all network"), ("bubblewrap", "")):
        find_sandbox.cache_clear()
        held.append(tier)
        found = find_sandbox()
        assert found.tier == tier
        assert [gap in str(reason) for reason in found.gaps] == ([True] if gap else [])
    assert find_sandbox() is found


def test_macos_has_no_landlock_and_takes_no_limit_of_memory(monkeypatch) -> None:
    limited: list[int] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(resource, "setrlimit", lambda which, _most: limited.append(which))
    assert landlock.version() == 0
    jail._limit(1_000_000_000, 30)
    assert resource.RLIMIT_AS not in limited
    assert resource.RLIMIT_CPU in limited
