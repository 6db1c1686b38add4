"""Ended at any step of a change: the next one finds the facts from before or after it, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatcli.memory import edits
from chatcli.memory.database import Database
from chatcli.memory.log import Log
from chatcli.memory.store import Memory
from tests.memory.labelled import draft

STEPS = [
    (Log, "append"),
    (Database, "apply"),
    (Log, "rewrite"),
    (Database, "log_rewritten"),
    (Database, "wipe_traces"),
    (edits, "write"),
    (Database, "set_state"),
]


class Killed(BaseException):
    """Nobody catches it."""


def killed_at(monkeypatch: pytest.MonkeyPatch, place: object, name: str, *, after: bool, act) -> bool:
    """Whether `act` came to this step, before or after which it ends."""
    real = getattr(place, name)

    def dies(*args, **kwargs):
        if after:
            real(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(place, name, dies)
        try:
            act()
        except Killed:
            return True
    return False


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("place", "name"), STEPS)
@pytest.mark.parametrize("change", ["add", "change", "forget", "edit"])
def test_ended_at_any_step(
    tmp_path: Path, monkeypatch, change: str, place: object, name: str, after: bool
) -> None:
    memory = Memory(tmp_path)
    first, second = memory.add([draft("Dislikes zwieback intensely."), draft("Prefers tabs.")])
    before = {first.text, second.text}
    wanted = {
        "add": before | {"Likes tea."},
        "change": {"Likes rusks.", second.text},
        "forget": {second.text},
        "edit": {second.text, "Likes tea."},
    }[change]

    def act() -> None:
        match change:
            case "add":
                memory.add([draft("Likes tea.")])
            case "change":
                memory.change(first.id, "Likes rusks.")
            case "forget":
                memory.forget([first.id])
            case "edit":
                memory.facts()

    if change == "edit":
        lines = memory.document.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if "zwieback" not in line]
        memory.document.write_text("\n".join(["- Likes tea.", *kept]), encoding="utf-8")
    killed_at(monkeypatch, place, name, after=after, act=act)
    later = Memory(tmp_path)
    texts = [fact.text for fact in later.facts()]
    assert len(texts) == len(set(texts))
    assert set(texts) in (before, wanted)
    act()  # whoever was not told that it was done does it again
    assert sorted(fact.text for fact in Memory(tmp_path).facts()) == sorted(wanted)
    if change != "add":
        left = b"".join(path.read_bytes() for path in memory.folder.iterdir())
        assert b"zwieback" not in left.lower()
    document = memory.document.read_text(encoding="utf-8")
    assert all(text in document for text in wanted)
