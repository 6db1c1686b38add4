from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.errors import DamagedOriginal, StorageError
from chatcli.messages import Archived
from chatcli.session.archive import Archive
from chatcli.session.measure import measure_unstored

Full = Callable[[int], AbstractContextManager[None]]

BYTES = st.one_of(
    st.binary(max_size=300), st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace"))
)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path, 1_000_000)


def chunks(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def expected(data: bytes) -> tuple[int, int, int, str]:
    text = data.decode("utf-8", "replace")
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    return len(data), len(text), lines, hashlib.sha256(data).hexdigest()


def measured(original: Archived) -> tuple[int, int, int, str]:
    return original.size_bytes, original.size_chars, original.lines, original.sha256


@given(data=BYTES, cuts=st.lists(st.integers(min_value=0), max_size=6))
def test_any_bytes_in_any_pieces_come_back(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cuts: list[int]
) -> None:
    archive = Archive(tmp_path_factory.mktemp("archive"), 1_000_000)
    sink = archive.sink()
    for chunk in chunks(data, cuts):
        sink.write(chunk)
    original = sink.finish()
    assert measured(original) == expected(data)
    assert original.key == original.sha256[:16]
    with archive.open(original) as file:
        assert file.read() == data
    assert archive.text(original.key) == data.decode("utf-8", "replace")


@given(
    data=st.binary(min_size=21, max_size=400),
    cuts=st.lists(st.integers(min_value=0), max_size=8),
    room=st.integers(min_value=0, max_value=200),
)
def test_past_the_quota_both_ends_are_kept_and_the_loss_is_counted(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cuts: list[int], room: int
) -> None:
    archive = Archive(tmp_path_factory.mktemp("archive"), room, end_bytes=10)
    sink = archive.sink()
    for chunk in chunks(data, cuts):
        sink.write(chunk)
    original = sink.finish()
    with archive.open(original) as file:
        stored = file.read()
    if len(data) <= room:
        assert (stored, original.omitted_bytes) == (data, 0)
        return
    assert original.omitted_bytes == len(data) - 20
    assert stored.startswith(data[:10] + b"\n[... ")
    assert stored.endswith(b" ...]\n" + data[-10:])
    assert f"{original.omitted_bytes} bytes were not stored" in archive.text(original)
    assert measured(original) == expected(stored)
    assert [path.name for path in archive.folder.iterdir()] == [original.sha256]


def test_a_result_of_twice_the_end_is_kept_whole_whatever_the_quota(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, end_bytes=10)
    assert archive.put(b"x" * 20).omitted_bytes == 0
    assert archive.put(b"x" * 21).omitted_bytes == 1


def test_the_quota_counts_what_earlier_processes_stored(tmp_path: Path) -> None:
    Archive(tmp_path, 100).put(b"x" * 80)
    archive = Archive(tmp_path, 100, end_bytes=10)
    assert archive.used_bytes == 80
    assert archive.put(b"y" * 40).omitted_bytes == 20


def test_the_same_bytes_are_stored_once(archive: Archive) -> None:
    assert archive.put(b"same") == archive.put_text("same")
    assert len(list(archive.folder.iterdir())) == 1
    assert archive.used_bytes == 4


def test_files_are_private_and_nothing_else_stays(archive: Archive) -> None:
    original = archive.put(b"secret")
    (path,) = archive.folder.iterdir()
    assert path.name == original.sha256
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("olá", "olá".encode()),
        (b"\xff\xfe caf\xe9".decode("utf-8", "surrogateescape"), b"\xff\xfe caf\xe9"),
        ("half \ud83d", "half \ufffd".encode()),
        ("both \udcff\ud83d", b"both \xff\xef\xbf\xbd"),
    ],
)
def test_text_with_lone_surrogates_is_stored(archive: Archive, text: str, stored: bytes) -> None:
    with archive.open(archive.put_text(text)) as file:
        assert file.read() == stored


def test_keys_resolve_from_sixteen_digits_on(archive: Archive) -> None:
    original = archive.put(b"data")
    assert archive.resolve(original.key) == archive.resolve(original.sha256) == original.sha256
    assert archive.has(original.key)
    assert not archive.has(original.key[:15])


@pytest.mark.parametrize("key", ["0" * 16, "../../../etc/passwd", "", ".spool-0000000000", "A" * 16])
def test_unknown_keys_and_paths_are_refused(archive: Archive, key: str) -> None:
    assert not archive.has(key)
    with pytest.raises(StorageError, match="Nothing is stored"):
        archive.text(key)


def test_a_key_of_two_originals_opens_neither(archive: Archive) -> None:
    original = archive.put(b"data")
    forged = original.key + "0" * 48
    (archive.folder / forged).write_bytes(b"forged")
    other = Archive(archive.folder, 1_000_000)
    assert not other.has(original.key)
    assert other.text(original) == "data"


def test_an_original_that_is_gone_is_an_error_that_names_its_file(archive: Archive) -> None:
    original = archive.put(b"data")
    (archive.folder / original.sha256).unlink()
    with pytest.raises(StorageError, match=original.sha256):
        archive.text(original)


def test_an_original_that_was_cut_behind_its_back_is_no_original(archive: Archive) -> None:
    original = archive.put(b"data, all of it")
    path = archive.folder / original.sha256
    path.chmod(0o600)
    path.write_bytes(b"data")
    with pytest.raises(StorageError, match="damaged"):
        archive.text(original)
    assert not Archive(archive.folder, 1_000).holds(original)


def test_changed_bytes_of_the_same_length_are_no_original(archive: Archive) -> None:
    original = archive.put(b"what was stored")
    path = archive.folder / original.sha256
    assert archive.open(original).read() == b"what was stored"
    path.chmod(0o600)
    path.write_bytes(b"WHAT was stored")
    for reader in (archive, Archive(archive.folder, 1_000)):
        for original_or_key in (original, original.key):
            with pytest.raises(DamagedOriginal, match="damaged"):
                reader.text(original_or_key)
            with pytest.raises(DamagedOriginal, match="damaged"):
                reader.open(original_or_key)
    path.write_bytes(b"what was stored")
    assert archive.text(original) == "what was stored"


def test_a_full_disk_leaves_nothing_behind(archive: Archive, full_at: Full) -> None:
    with full_at(1_000), pytest.raises(StorageError) as caught:
        archive.put(b"x" * 5_000)
    assert caught.value.exit_code == 6
    assert list(archive.folder.iterdir()) == []
    assert archive.used_bytes == 0


def test_a_full_disk_while_both_ends_are_joined_leaves_nothing_behind(tmp_path: Path, full_at: Full) -> None:
    archive = Archive(tmp_path, 0, end_bytes=100)
    sink = archive.sink()
    sink.write(b"x" * 1_000)
    with full_at(250), pytest.raises(StorageError):
        sink.finish()
    assert list(tmp_path.iterdir()) == []


def test_a_sink_that_failed_tells_why_at_each_later_use(archive: Archive, full_at: Full) -> None:
    sink = archive.sink()
    with full_at(10), pytest.raises(StorageError, match="File too large"):
        sink.write(b"x" * 50)
    with pytest.raises(StorageError, match="File too large"):
        sink.write(b"x")
    with pytest.raises(StorageError, match="File too large"):
        sink.finish()


def test_a_sink_that_was_closed_takes_nothing_more(archive: Archive) -> None:
    sink = archive.sink()
    sink.finish()
    with pytest.raises(ValueError, match="closed"):
        sink.write(b"x")
    with pytest.raises(ValueError, match="closed"):
        sink.finish()


def test_a_discarded_sink_leaves_nothing(archive: Archive) -> None:
    sink = archive.sink()
    sink.write(b"x")
    sink.discard()
    sink.discard()
    assert list(archive.folder.iterdir()) == []


def test_what_a_killed_sink_left_is_removed_and_originals_stay(archive: Archive) -> None:
    original = archive.put(b"data")
    archive.sink().write(b"x")
    archive.remove_unfinished()
    assert [path.name for path in archive.folder.iterdir()] == [original.sha256]


def test_unfinished_spools_are_no_originals(archive: Archive) -> None:
    archive.sink().write(b"x" * 1_000)
    assert Archive(archive.folder, 1).used_bytes == 0


def test_what_could_not_be_stored_has_sizes_and_no_key() -> None:
    original = measure_unstored("olá\n")
    assert (original.key, original.size_bytes, original.size_chars, original.lines) == ("", 5, 4, 1)
