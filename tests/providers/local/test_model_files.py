"""What model files say, which of them is used, and which is never used by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.errors import ModelNotFound
from chatcli.providers.local.gguf import BadGguf, read_gguf, read_turn_marks
from chatcli.providers.local.models import find_model, kept_models
from chatcli.providers.table import choose
from tests.providers.local.gguf_files import write_gguf


@pytest.fixture
def home(tmp_path):
    (tmp_path / "models").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "m.gguf").read_bytes()


def test_a_header_says_weights_window_and_memory(tmp_path):
    known = read_gguf(write_gguf(tmp_path / "m.gguf"))
    assert (known.parameters, known.window_tokens) == (135_000_000, 8_192)
    assert known.cache_bytes_per_token == 30 * 3 * (64 + 64) * 2


def test_layers_may_differ_in_what_they_keep(tmp_path):
    known = read_gguf(write_gguf(tmp_path / "m.gguf", layers=2, cached_heads=[3, 0]))
    assert known.cache_bytes_per_token == 3 * (64 + 64) * 2


def test_the_words_that_tell_turns_apart_are_read_from_the_file(tmp_path):
    assert read_turn_marks(write_gguf(tmp_path / "m.gguf")) == ("<|im_start|>", "<|im_end|>")
    older = write_gguf(tmp_path / "old.gguf", turn_marks=(), template="{{ '[INST]' + words + '[/INST]' }}")
    assert read_turn_marks(older) == ("[INST]", "[/INST]")


@given(data=st.data())
def test_a_broken_file_is_told_and_nothing_worse(data, whole, tmp_path_factory):
    cut = data.draw(st.integers(0, len(whole) - 1))
    at, byte = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "broken.gguf"
    path.write_bytes(whole[:cut])
    with pytest.raises(BadGguf):
        read_gguf(path)
    path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
    try:
        read_gguf(path)
    except BadGguf:
        return


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**31])
def test_a_text_that_is_longer_than_the_file_is_told(whole, tmp_path, length):
    for word in (b"general.architecture", b"llama", b"<s>", b"mundo", b"token_embd.weight"):
        at = whole.index(word) - 8
        path = tmp_path / "broken.gguf"
        path.write_bytes(whole[:at] + length.to_bytes(8, "little") + whole[at + 8 :])
        with pytest.raises(BadGguf):
            read_gguf(path)


@pytest.mark.parametrize("odd", ["many", ["many"], -1, [3, -1]])
def test_a_number_that_is_none_is_told(tmp_path, odd):
    with pytest.raises(BadGguf, match="block_count"):
        read_gguf(write_gguf(tmp_path / "m.gguf", layers=odd))


def test_a_window_is_as_large_as_training_and_memory_allow(home):
    write_gguf(home / "models" / "small.gguf")
    write_gguf(home / "models" / "long.gguf", window_tokens=1_000_000)
    write_gguf(home / "models" / "thirsty.gguf", window_tokens=131_072, layers=32, heads=32, cached_heads=32)
    windows = {model.name: model.window_tokens for model in kept_models(home)}
    assert windows == {"small": 8_192, "long": 32_768, "thirsty": 13_312}


def test_the_largest_is_meant_when_none_is_named(home):
    write_gguf(home / "models" / "small.gguf")
    write_gguf(home / "models" / "large.gguf", parameters=1_500_000_000)
    (home / "models" / "broken.gguf").write_bytes(b"GGUF")
    assert find_model("", home).name == "large"
    assert find_model("small", home).name == "small"
    assert [model.size for model in kept_models(home)] == ["1.5B", "135M"]


def test_any_file_is_named_by_its_path(home, tmp_path):
    path = write_gguf(tmp_path / "elsewhere" / "m.gguf")
    assert find_model(str(path), home).name == str(path)


@pytest.mark.parametrize("content", [b"", b"something else, and long enough to be a header", None])
def test_what_is_no_model_is_told_by_name(home, content):
    if content is not None:
        (home / "models" / "odd.gguf").write_bytes(content)
    with pytest.raises(ModelNotFound, match="odd"):
        find_model("odd", home)
    with pytest.raises(ModelNotFound, match="no model yet"):
        find_model("", home)


def nothing_found(_names):
    return None


@pytest.mark.parametrize(("parameters", "provider"), [(135_000_000, "OFFLINE"), (494_000_000, "LOCAL")])
def test_a_model_below_half_a_billion_is_never_chosen_by_itself(home, stand_in_here, parameters, provider):
    write_gguf(home / "models" / "m.gguf", parameters=parameters)
    environment = {"OLLAMA_BASE_URL": "http://127.0.0.1:9"}
    assert choose("", environment, nothing_found, home=home).spec.name == provider
    assert choose("local", environment, nothing_found, home=home).spec.name == "LOCAL"


def test_a_named_file_is_chosen_by_its_size_too(tmp_path, stand_in_here):
    small = write_gguf(tmp_path / "small.gguf")
    large = write_gguf(tmp_path / "large.gguf", parameters=3_000_000_000)
    environment = {"OLLAMA_BASE_URL": "http://127.0.0.1:9"}
    chosen = {
        path: choose("", environment | {"LOCAL_MODEL_PATH": str(path)}, nothing_found, home=tmp_path)
        for path in (small, large)
    }
    assert chosen[small].spec.name == "OFFLINE"
    assert (chosen[large].spec.name, chosen[large].model) == ("LOCAL", str(large))
