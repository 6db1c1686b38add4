"""What was typed is remembered; files that are named are found; pastes come back whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.terminal.history import HistoryFile
from chatcli.terminal.mentions import find_mentions, missing_mentions, pasted_images, quoted_mention
from chatcli.terminal.screen.paste import Pastes, clean
from tests.providers.pictures import jpeg, png


def entries(path: Path) -> list[str]:
    return list(HistoryFile(path).load_history_strings())


def test_an_entry_is_on_disk_at_once_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "history"
    HistoryFile(path).store_string("one\ntwo – três")
    HistoryFile(path).store_string("three")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text(encoding="utf-8").count("\n") == 2
    assert entries(path) == ["three", "one\ntwo – três"]


def test_secrets_do_not_reach_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "history"
    secret = "sk-" + "ant-api03-" + "Ab1" * 30
    HistoryFile(path).store_string(f"use {secret} please")
    assert "Ab1Ab1" not in path.read_text()
    assert entries(path)[0].startswith("use ")


def test_the_same_entry_is_kept_once_in_a_row(tmp_path: Path) -> None:
    history = HistoryFile(tmp_path / "history")
    for entry in ("a", "a", "b", "a"):
        history.store_string(entry)
    assert entries(tmp_path / "history") == ["a", "b", "a"]


def test_damaged_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'"good"\n{"x": 1}\n"torn\n\xff\xfe\n"also good"\n')
    assert entries(path) == ["also good", "good"]


def test_a_history_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    HistoryFile(tmp_path / "missing" / "history").store_string("x")
    assert entries(tmp_path / "missing" / "history") == []


def test_a_long_history_is_cut_to_its_newest_entries(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f'"entry {number} {"x" * 1_000}"\n' for number in range(3_000)))
    assert len(entries(path)) == 3_000
    kept = entries(path)
    assert len(kept) == 2_000
    assert kept[0].startswith("entry 2999")
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("app.py", "my notes.txt", "café.md", "odd'name.txt", "v1.2", "src/inner.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see @app.py", ["app.py"]),
        ("@app.py, and @src/inner.py.", ["app.py", "src/inner.py"]),
        ('read @"my notes.txt" now', ["my notes.txt"]),
        (r"read @my\ notes.txt", ["my notes.txt"]),
        ("(@café.md)", []),
        ("what of @café.md?", ["café.md"]),
        ('@"odd\'name.txt"', ["odd'name.txt"]),
        ("@v1.2.", ["v1.2"]),
        ("@app.py @app.py", ["app.py"]),
        ("mail me@app.py or @missing.py or @src or @", []),
        ("@" + "x" * 5_000, []),
        ("@\x00", []),
    ],
)
def test_mentions(folder: Path, text: str, names: list[str]) -> None:
    assert find_mentions(text, folder) == [folder / name for name in names]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what is in @missing.png?", ["missing.png"]),
        ("@a.py, @./b and @~/c @'no notes.txt' @a.py", ["a.py", "./b", "~/c", "no notes.txt"]),
        ("(@x.md) user@example.md @app.py @./app.py.", []),
        ("@ana, @app.route and @pytest.fixture of @types/node @... @.", []),
        ("@" + "x" * 5_000 + ".png", []),
    ],
)
def test_missing_files_are_told_from_what_is_none(folder: Path, text: str, names: list[str]) -> None:
    assert missing_mentions(text, folder) == names


def test_absolute_paths_and_the_home_are_understood(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert find_mentions(f"@{folder}/app.py @~/café.md", Path("/")) == [folder / "app.py", folder / "café.md"]


def test_pipes_and_devices_are_not_files(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert find_mentions("@pipe @/dev/null", folder) == []


@given(st.text("ab .'\\", min_size=1, max_size=12).filter(lambda name: name.strip(".") and "/" not in name))
def test_a_completed_mention_is_found_again(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    folder = tmp_path_factory.mktemp("mention")
    (folder / name).write_text("x")
    assert find_mentions(f"see {quoted_mention(name)} please", folder) == [folder / name]


def test_small_pastes_are_inserted_as_they_are() -> None:
    assert Pastes().add("one\r\ntwo") == "one\ntwo"


def test_large_pastes_come_back_when_they_are_sent() -> None:
    pastes = Pastes()
    first, second = "a\n" * 10, "b\n" * 10
    words = [pastes.add(text) for text in (first, second, first)]
    assert words == ["[pasted 11 lines]", "[pasted 11 lines #2]", "[pasted 11 lines]"]
    assert pastes.expand(f"x {words[1]} y {words[0]}") == f"x {second} y {first}"
    assert pastes.word_before("x [pasted 11 lines #2]") == words[1]
    assert pastes.word_before("[pasted 11 lines] ") == ""


def test_a_paste_that_names_another_is_not_expanded_twice() -> None:
    pastes = Pastes()
    outer = "[pasted 11 lines #2]\n" * 10
    words = [pastes.add(outer), pastes.add("b\n" * 10)]
    assert pastes.expand(words[0]) == outer


def test_control_characters_are_taken_out() -> None:
    assert clean("a\x1b[31m\x07b\tc\x7f\r\nd\re") == "a[31mb\tc\nd\ne"


@pytest.mark.parametrize(
    "written",
    ["{path}", "{path}\n", "'{path}'", '"{path}"', "{escaped}", "file://{address}"],
)
def test_the_path_of_an_image_that_is_dropped_on_the_terminal_becomes_a_mention(
    tmp_path: Path, written: str
) -> None:
    path = tmp_path / "my shot.png"
    path.write_bytes(png())
    pasted = written.format(
        path=path, escaped=str(path).replace(" ", "\\ "), address=str(path).replace(" ", "%20")
    )
    mention = pasted_images(pasted)
    assert mention == f'@"{path}" '
    assert find_mentions(mention, tmp_path) == [path]


def test_several_images_that_are_dropped_are_all_mentioned(tmp_path: Path) -> None:
    for name, data in (("a.png", png()), ("b.dat", jpeg())):
        (tmp_path / name).write_bytes(data)
    assert pasted_images(f"{tmp_path}/a.png {tmp_path}/b.dat") == f"@{tmp_path}/a.png @{tmp_path}/b.dat "


def test_other_pastes_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "a.png").write_text("no picture at all")
    for pasted in (
        f"{tmp_path}/a.py",
        f"{tmp_path}/a.png",
        "/none.png",
        "it's",
        "'",
        "/" * 5_000,
        "a.png",
        "",
    ):
        assert pasted_images(pasted) == ""
