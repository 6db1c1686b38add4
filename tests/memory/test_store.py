"""Facts on disk: noted once, changed, forgotten for good, there again after whatever goes wrong."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from chatcli.errors import StorageError, UsageError
from chatcli.memory.store import Memory
from tests.memory.labelled import draft


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def texts(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.facts()]


def bytes_of(memory: Memory) -> bytes:
    """Everything that lies in the folder of the memory."""
    return b"".join(path.read_bytes() for path in memory.folder.rglob("*") if path.is_file())


def test_a_memory_that_was_never_used_makes_no_file(memory: Memory) -> None:
    assert not memory.exists
    assert memory.facts() == []
    assert memory.forget(["abcdef"]) == []
    assert not memory.folder.exists()


def test_what_is_noted_is_there_for_another_process(memory: Memory, tmp_path: Path) -> None:
    (fact,) = memory.add([draft("Prefers tabs.", "preference", tags=("Style", "two words"))])
    (found,) = Memory(tmp_path).facts()
    assert found == fact
    assert (found.text, found.category, found.tags) == ("Prefers tabs.", "preference", ("style", "two-words"))


def test_the_same_words_in_the_same_scope_are_one_fact(memory: Memory) -> None:
    first, second = memory.add([draft("Prefere café."), draft("prefere  cafe")])
    (third,) = memory.add([draft("PREFERE CAFÉ!")])
    (other,) = memory.add([draft("Prefere café.", scope="/p")])
    assert first == second == third
    assert other.id != first.id
    assert len(memory.facts()) == 2


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_the_user_says_themselves_is_their_own_from_then_on(memory: Memory, by_hand: bool) -> None:
    imported = draft("I prefer tabs", said_by="import", outside=True, tags=("of-strangers",), batch="b")
    (before,) = memory.add([imported])
    (again,) = memory.add([imported])
    assert again == before
    if by_hand:
        lines = memory.document.read_text(encoding="utf-8")
        memory.document.write_text("- I prefer tabs.\n" + lines, encoding="utf-8")
    else:
        memory.add([draft("I prefer tabs.")])
    (fact,) = memory.facts()
    assert (fact.id, fact.text, fact.created) == (before.id, "I prefer tabs.", before.created)
    assert (fact.said_by, fact.outside, fact.tags, fact.batch) == ("user", False, (), "")
    assert fact.seq > before.seq


def test_what_does_not_show_is_left_out(memory: Memory) -> None:
    (fact,) = memory.add([draft("Prefers\u202e tabs\x1b[31m \u200band\n family 👩‍👧.")])
    assert fact.text == "Prefers tabs[31m and family 👩‍👧."


def test_files_are_the_users_alone(memory: Memory) -> None:
    memory.add([draft("Prefers tabs.")])
    assert stat.S_IMODE(memory.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in memory.folder.iterdir()} == {0o600}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n ",
        "x" * 2_001,
        "my key is sk-ant-abcdefghijklmnop1234",
        "login https://ana:hunter22@example.com",
    ],
)
def test_what_is_no_fact_is_refused_and_nothing_is_written(memory: Memory, text: str) -> None:
    with pytest.raises(UsageError):
        memory.add([draft("Fine."), draft(text)])
    assert memory.facts() == []


def test_the_words_that_a_fact_rests_on_hold_no_secret(memory: Memory) -> None:
    quote = "I like tea, my key is sk-ant-abcdefghijklmnop1234"
    (fact,) = memory.add([draft("Likes tea.", said_by="model", quote=quote)])
    assert "I like tea" in fact.quote
    assert b"abcdefghijklmnop1234" not in bytes_of(memory)


def test_what_is_forgotten_is_gone_from_the_disk(memory: Memory) -> None:
    kept, gone = memory.add([draft("Prefers tabs."), draft("Dislikes zwieback intensely.")])
    memory.forget([gone.id])
    assert texts(memory) == [kept.text]
    assert b"zwieback" not in bytes_of(memory).lower()


def test_what_was_replaced_is_gone_from_the_disk(memory: Memory) -> None:
    (fact,) = memory.add([draft("Dislikes zwieback intensely.", said_by="model", outside=True, batch="b")])
    changed = memory.change(fact.id, "Likes rusks.")
    assert memory.forget_last_batch() == []
    assert (changed.id, changed.said_by, changed.outside) == (fact.id, "user", False)
    assert texts(memory) == ["Likes rusks."]
    assert b"zwieback" not in bytes_of(memory).lower()


def test_a_fact_that_is_not_there_cannot_be_changed(memory: Memory) -> None:
    with pytest.raises(UsageError, match="no fact qqqqqq"):
        memory.change("qqqqqq", "Anything.")


def test_the_last_batch_is_taken_back_then_the_one_before(memory: Memory) -> None:
    memory.add([draft("One.", batch="a"), draft("Two.", batch="a")])
    memory.add([draft("Three.")])
    memory.add([draft("Four.", batch="b")])
    assert [fact.text for fact in memory.forget_last_batch()] == ["Four."]
    assert [fact.text for fact in memory.forget_last_batch()] == ["One.", "Two."]
    assert memory.forget_last_batch() == []
    assert texts(memory) == ["Three."]


@pytest.mark.parametrize("damage", ["header", "middle", "empty"])
def test_a_corrupt_database_is_set_aside_and_made_anew(memory: Memory, damage: str) -> None:
    memory.add([draft(f"Fact number {number} about things.") for number in range(300)])
    data = bytearray(memory.database.read_bytes())
    match damage:
        case "header":
            data[:100] = b"x" * 100
        case "middle":
            data[8_192:] = b"\xff" * (len(data) - 8_192)
        case "empty":
            data[:] = b"no database"
    memory.database.write_bytes(data)
    assert len(memory.facts()) == 300
    (told,) = memory.news
    assert "made anew" in told
    assert len(list(memory.folder.glob("memory.db.corrupt-*"))) == 1
    assert len(memory.add([draft("One more.")])) == 1
    assert len(memory.facts()) == 301


def test_a_database_set_aside_goes_with_what_is_forgotten(memory: Memory) -> None:
    (gone,) = memory.add([draft("Dislikes zwieback intensely.")])
    data = bytearray(memory.database.read_bytes())
    data[:100] = b"x" * 100
    memory.database.write_bytes(data)
    memory.forget([gone.id])
    assert b"zwieback" not in bytes_of(memory).lower()


def test_a_database_that_was_removed_is_made_anew(memory: Memory) -> None:
    memory.add([draft("Prefers tabs.")])
    memory.database.unlink()
    assert texts(memory) == ["Prefers tabs."]


def test_a_log_that_was_removed_is_written_anew(memory: Memory, tmp_path: Path) -> None:
    memory.add([draft("Prefers tabs.")])
    (memory.folder / "log.jsonl").unlink()
    assert texts(memory) == ["Prefers tabs."]
    (memory.folder / "log.jsonl").write_bytes(b"")
    assert texts(memory) == ["Prefers tabs."]
    memory.add([draft("Likes tea.")])
    memory.database.unlink()
    assert texts(memory) == ["Prefers tabs.", "Likes tea."]


def test_what_only_the_log_has_is_taken_in(memory: Memory) -> None:
    memory.add([draft("One.")])
    before = memory.database.read_bytes()
    memory.add([draft("Two.")])
    memory.database.write_bytes(before)
    assert texts(memory) == ["One.", "Two."]


def test_an_unfinished_line_was_never_noted(memory: Memory) -> None:
    memory.add([draft("One.")])
    log = memory.folder / "log.jsonl"
    whole = log.read_bytes()
    with log.open("ab") as file:
        file.write(b'{"type":"noted","fact":{"id":"qqqqqq","seq":9,"te')
    assert texts(memory) == ["One."]
    assert log.read_bytes() == whole
    memory.add([draft("Two.")])
    assert texts(memory) == ["One.", "Two."]


def test_lines_that_cannot_be_read_are_counted_and_lose_nothing_else(memory: Memory) -> None:
    memory.add([draft("One.")])
    with (memory.folder / "log.jsonl").open("ab") as file:
        file.write(b"rubbish\n")
    memory.add([draft("Two.")])
    assert texts(memory) == ["One.", "Two."]
    assert ["1 line" in told for told in memory.news] == [True]


def test_what_the_end_of_the_log_has_lost_is_taken_from_the_file_for_people(memory: Memory) -> None:
    memory.add([draft("One."), draft("Two.")])
    log = memory.folder / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    memory.database.unlink()
    assert sorted(texts(memory)) == ["One.", "Two."]
    assert "from before a loss" in memory.news[-1]
    memory.database.unlink()
    assert sorted(texts(memory)) == ["One.", "Two."]


@pytest.mark.parametrize("database", ["whole", "gone", "damaged"])
def test_a_log_whose_beginning_is_damaged_loses_nothing_else(memory: Memory, database: str) -> None:
    memory.add([draft("One."), draft("Two.")])
    log = memory.folder / "log.jsonl"
    log.write_bytes(b"\0" * 10 + log.read_bytes()[10:])
    damaged = log.read_bytes()
    match database:
        case "gone":
            memory.database.unlink()
        case "damaged":
            memory.database.write_bytes(b"no database")
    assert texts(memory) == ["One.", "Two."]
    (copy,) = memory.folder.glob("log.*.jsonl")
    assert copy.read_bytes() == damaged
    assert any(str(copy) in told for told in memory.news)
    memory.add([draft("Three.")])
    assert texts(memory) == ["One.", "Two.", "Three."]
    (gone, *_others) = memory.facts()
    memory.forget([gone.id])
    assert b"One." not in bytes_of(memory)
    assert not copy.exists()


def test_a_folder_that_cannot_be_written_is_told(memory: Memory, tmp_path: Path) -> None:
    memory.folder.write_text("a file stands here", encoding="utf-8")
    with pytest.raises(StorageError):
        memory.add([draft("Prefers tabs.")])


@pytest.mark.parametrize("broken", ["database is a link", "lock is a folder", "log is a folder"])
def test_a_file_that_cannot_be_used_is_told(memory: Memory, broken: str) -> None:
    memory.add([draft("Prefers tabs.")])
    match broken:
        case "database is a link":
            memory.database.rename(memory.folder / "elsewhere")
            memory.database.symlink_to(memory.folder / "elsewhere")
        case "lock is a folder":
            (memory.folder / "memory.db.lock").unlink(missing_ok=True)
            (memory.folder / "memory.db.lock").mkdir()
        case "log is a folder":
            (memory.folder / "log.jsonl").unlink()
            (memory.folder / "log.jsonl").mkdir()
    with pytest.raises(StorageError):
        memory.add([draft("Likes tea.")])
    if broken != "lock is a folder":
        with pytest.raises(StorageError):
            memory.facts()
