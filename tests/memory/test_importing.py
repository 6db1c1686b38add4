"""The earlier chatcli's JSON files, and other shapes, become facts that are marked as imported."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from chatcli.errors import UsageError
from chatcli.memory.importing import read_memory
from chatcli.memory.store import Memory
from tests.memory.labelled import draft

FACT = {
    "id": "5f1d",
    "content": "O deploy usa Helm.",
    "category": "architecture",
    "tags": ["deploy", "k8s"],
    "created_at": "2026-03-01T10:00:00Z",
    "access_count": 3,
    "score": 1.5,
    "source_project": "/srv/site",
    "confidence": 0.9,
}


def put(folder: Path, **files: object) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_a_whole_folder_of_the_earlier_chatcli(tmp_path: Path) -> None:
    folder = put(
        tmp_path / "old",
        memory_index=[FACT],
        user_profile={
            "name": "Edilson",
            "skills": ["Go", "Kubernetes"],
            "top_commands": {"git": 4},
            "preferences": {"editor": "vim"},
            "last_updated": "2026-03-01T10:00:00Z",
        },
        projects=[{"name": "site", "path": "/srv/site", "description": "The shop.", "status": "active"}],
        topics={"deploy": {"name": "deploy", "mentions": 4, "summary": "Helm charts were moved."}},
        episodes=[
            {"date": "2026-04-02T00:00:00Z", "summary": "Fixed the refresh loop", "outcome": "shipped"}
        ],
    )
    found = read_memory(folder, "import old")
    assert not found.refused
    by_text = {fact.text: fact for fact in found.facts}
    assert list(by_text) == [
        "Name: Edilson",
        "Skills: Go, Kubernetes",
        "editor: vim",
        "O deploy usa Helm.",
        "site: The shop.",
        "deploy: Helm charts were moved.",
        "Fixed the refresh loop (shipped)",
    ]
    fact = by_text["O deploy usa Helm."]
    assert (fact.category, fact.tags, fact.scope) == ("architecture", ("deploy", "k8s"), "/srv/site")
    assert (fact.confidence, fact.created) == (0.9, "2026-03-01T10:00:00Z")
    assert by_text["Fixed the refresh loop (shipped)"].category == "episode"
    assert by_text["site: The shop."].category == "project"
    assert all(f.said_by == "import" and f.outside and f.batch == "import old" for f in found.facts)


def test_secrets_are_left_out_and_named(tmp_path: Path) -> None:
    path = (
        put(tmp_path / "old", facts=[{"content": "password: correcthorse1"}, {"content": "Fine."}])
        / "facts.json"
    )
    found = read_memory(path, "b")
    assert [fact.text for fact in found.facts] == ["Fine."]
    assert len(found.refused) == 1


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (["One.", "Two.", 3, None], ["One.", "Two."]),
        ({"facts": {"a": FACT}}, ["O deploy usa Helm."]),
        ({"facts": [{"content": ""}, {"content": 5}, "x"]}, ["x"]),
        ({"a": {"content": "One.", "confidence": 7, "tags": "no list", "category": 3}}, ["One."]),
        ("only a text", []),
        (5, []),
        ([[FACT]], []),
    ],
)
def test_whatever_the_shape_nothing_breaks(tmp_path: Path, content: object, texts: list[str]) -> None:
    path = put(tmp_path / "old", x=content) / "x.json"
    assert [fact.text for fact in read_memory(path, "b").facts] == texts


def test_an_export_comes_back(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "home")
    facts = memory.add([draft("One.", "gotcha", tags=("a",), scope="/srv/x"), draft("Two.")])
    path = tmp_path / "out.json"
    path.write_bytes(msgspec.json.encode({"facts": facts}))
    other = Memory(tmp_path / "other")
    other.add(read_memory(path, "b").facts)
    said = [(fact.text, fact.category, fact.tags, fact.scope) for fact in other.facts()]
    assert said == [(fact.text, fact.category, fact.tags, fact.scope) for fact in facts]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b""])
def test_what_is_no_json_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.json"):
        read_memory(tmp_path / "x.json", "b")


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no memory"):
        read_memory(tmp_path, "b")
