"""Trust: bound to the folder and to the content of what it would execute."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.gate.trust import Trust


@pytest.fixture
def trust(world) -> Trust:
    return Trust(world.home)


def test_nothing_is_trusted_at_first(world, trust: Trust) -> None:
    assert trust.state(world.project) == "unknown"
    assert not trust.is_trusted(world.project)


def test_a_trusted_folder_stays_trusted_in_other_processes(world, trust: Trust) -> None:
    world.file(".chatcli/settings.toml", "a = 1")
    trust.trust(world.project)
    assert Trust(world.home).is_trusted(world.project)
    assert Trust(world.home).folders() == (world.project,)
    record = next(world.home.rglob("trust.json"))
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name", [".chatcli/settings.toml", ".chatcli/hooks/start.sh", ".mcp.json", ".chatcli/new"]
)
def test_changed_configuration_is_not_trusted_until_asked_again(world, trust: Trust, name: str) -> None:
    # CVE-2025-59536, CVE-2026-21852, Mindgard 2026: trust of a path, for ever
    world.file(".chatcli/settings.toml", "a = 1")
    trust.trust(world.project)
    world.file(name, "changed")
    assert trust.state(world.project) == "changed"
    trust.trust(world.project)
    assert trust.is_trusted(world.project)
    (world.project / name).unlink()
    assert trust.state(world.project) == "changed"


def test_moving_content_between_files_changes_the_digest(world, trust: Trust) -> None:
    world.file(".chatcli/a", "xy")
    first = trust.digest(world.project)
    (world.project / ".chatcli/a").rename(world.project / ".chatcli/ax")
    world.file(".chatcli/ax", "y")
    assert trust.digest(world.project) != first


def test_source_files_and_instructions_do_not_touch_the_trust(world, trust: Trust) -> None:
    trust.trust(world.project)
    for name in ("src/a.py", "AGENTS.md", ".env", ".gitignore"):
        world.file(name, "new")
    assert trust.is_trusted(world.project)


def test_trust_does_not_spread_to_folders_below_above_or_beside(world, trust: Trust) -> None:
    trust.trust(world.project)
    for folder in (world.project / "sub", world.root, Path(f"{world.project}-evil")):
        folder.mkdir(exist_ok=True)
        assert not trust.is_trusted(folder)


def test_git_cannot_make_a_folder_pass_for_another(world, trust: Trust) -> None:
    # CVE-2026-40068: a commondir that led to a trusted repository
    world.file(".git/config")
    trust.trust(world.project)
    evil = world.root / "evil"
    world.file(".git/commondir", str(world.project / ".git"), under=evil)
    world.file(".chatcli/settings.toml", "evil", under=evil)
    assert not trust.is_trusted(evil)


def test_only_what_was_shown_is_trusted(world, trust: Trust) -> None:
    world.file(".chatcli/settings.toml", "harmless")
    shown = trust.digest(world.project)
    world.file(".chatcli/settings.toml", "evil")
    with pytest.raises(StorageError, match="changed meanwhile"):
        trust.trust(world.project, shown)
    assert not trust.is_trusted(world.project)


@pytest.mark.parametrize("kind", ["file", "folder", "loop", "pipe"])
def test_links_and_pipes_among_the_configuration_are_never_trusted(world, trust: Trust, kind: str) -> None:
    world.file(".chatcli/settings.toml", "a = 1")
    trust.trust(world.project)
    target = world.file("elsewhere/x", under=world.root)
    place = world.project / ".chatcli" / "hooks"
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to({"file": target, "folder": target.parent, "loop": place}[kind])
    assert not trust.is_trusted(world.project)
    with pytest.raises(StorageError):
        trust.trust(world.project)


def test_an_endless_configuration_is_refused(world, trust: Trust) -> None:
    for number in range(1_100):
        world.file(f".chatcli/{number}", "")
    with pytest.raises(StorageError, match="too large"):
        trust.trust(world.project)


def test_a_link_to_a_trusted_folder_is_that_folder(world, trust: Trust) -> None:
    trust.trust(world.project)
    (world.root / "link").symlink_to(world.project)
    assert trust.is_trusted(world.root / "link")


def test_the_home_of_chatcli_is_no_configuration_of_the_users_home(world) -> None:
    home = world.user_home / ".chatcli"
    world.file("sessions/x/journal.jsonl", under=home)
    trust = Trust(home)
    assert trust.config_files(world.user_home) == ()
    trust.trust(world.user_home)
    world.file("sessions/y/journal.jsonl", under=home)
    assert trust.is_trusted(world.user_home)


def test_trust_can_be_taken_back(world, trust: Trust) -> None:
    trust.trust(world.project)
    assert trust.untrust(world.project)
    assert not trust.is_trusted(world.project)
    assert not trust.untrust(world.project)


@pytest.mark.parametrize("content", [b"", b"{}", b"nonsense", b'{"folder": "/other", "digest": ""}'])
def test_a_broken_record_is_no_trust(world, trust: Trust, content: bytes) -> None:
    trust.trust(world.project)
    next(world.home.rglob("trust.json")).write_bytes(content)
    assert not trust.is_trusted(world.project)


def test_a_record_planted_by_others_is_no_trust(world, trust: Trust) -> None:
    trust.trust(world.project)
    next(world.home.rglob("trust.json")).chmod(0o666)
    assert not trust.is_trusted(world.project)
