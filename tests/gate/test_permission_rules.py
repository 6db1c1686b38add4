"""Rules: how they are written, what they cover, and that two processes may store them at once."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.errors import StorageError, UsageError
from chatcli.gate.rules import Rule, Rules, parse_rule
from chatcli.session.layout import record_folder

WORDS = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=5), st.booleans())
def test_a_rule_for_commands_survives_its_own_spelling(words: list[str], any_arguments: bool) -> None:
    rule = Rule("exec", tuple(words), any_arguments)
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    "text", ["exec:pytest *", "exec:git status", "exec:grep '*' 'a b' *", "write:docs/**", "read:/some/dir"]
)
def test_rules_are_written_as_they_are_read(text: str) -> None:
    assert str(parse_rule(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pytest",
        "exec:",
        "exec:*",
        "exec:* x",
        "exec:a * b",
        "exec:'a",
        "run:x",
        "exec:a\nb",
        "write:",
        ":x",
    ],
)
def test_an_unreadable_rule_is_one_clear_error(text: str) -> None:
    with pytest.raises(UsageError, match="rule"):
        parse_rule(text)


@pytest.mark.parametrize(
    ("rule", "path", "covers"),
    [
        ("write:docs/**", "docs/a.md", True),
        ("write:docs/**", "docs/deep/a.md", True),
        ("write:docs/**", "docs-evil/a.md", False),
        ("write:docs/**", "src/docs/a.md", False),
        ("write:docs", "docs/deep/a.md", True),
        ("write:docs/*.md", "docs/a.md", True),
        ("write:docs/*.md", "docs/deep/a.md", False),
        ("write:**/*.md", "docs/deep/a.md", True),
        ("write:**/*.md", "a.md", True),
        ("write:a.md", "a.md", True),
        ("write:a.md", "A.md", False),
        ("write:a.md", "a.md.bak", False),
        ("write:docs/../src", "src/a", True),
        ("write:docs/*/../../x", "x", False),
        ("write:**", "a", True),
        ("write:**", "../a", False),
        ("write:~/notes", "../user/notes/a", True),
    ],
)
def test_path_rules_match_component_by_component(world, rule: str, path: str, covers: bool) -> None:
    resolved = (world.project / path).resolve()
    assert parse_rule(rule).covers_path(resolved, world.project, world.user_home) is covers


def test_a_rule_below_a_link_means_what_the_link_leads_to(world) -> None:
    outside = world.file("x", under=world.root / "outside").parent
    (world.project / "link").symlink_to(outside)
    rule = parse_rule("read:link")
    assert rule.covers_path(outside / "x", world.project, world.user_home)


@pytest.mark.parametrize(
    ("rule", "host", "covers"),
    [
        ("network:example.com", "example.com", True),
        ("network:example.com", "EXAMPLE.com", True),
        ("network:example.com", "a.example.com", False),
        ("network:example.com", "example.com.evil.com", False),
        ("exec:example.com", "example.com", False),
    ],
)
def test_network_rules_name_one_host(rule: str, host: str, covers: bool) -> None:
    assert parse_rule(rule).covers_host(host) is covers


def test_a_network_rule_for_many_hosts_is_refused_and_not_ignored() -> None:
    with pytest.raises(UsageError, match="names one host"):
        parse_rule("network:*.example.com")


def test_project_rules_are_private_readable_and_outside_of_the_project(world) -> None:
    rules = Rules(world.home, world.project)
    rules.add(parse_rule("exec:pytest tests/ação.py *"), "project")
    path = record_folder(world.home, world.project) / "rules.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.is_relative_to(world.home)
    assert "exec:pytest tests/ação.py *" in path.read_text(encoding="utf-8")
    assert [str(k.rule) for k in Rules(world.home, world.project).list_rules()] == [
        "exec:pytest tests/ação.py *"
    ]


def test_rules_belong_to_one_project(world) -> None:
    Rules(world.home, world.project).add(parse_rule("exec:make"), "project")
    assert Rules(world.home, world.root).list_rules() == ()


def test_a_rule_that_another_process_stores_counts_at_once(world) -> None:
    mine, other = Rules(world.home, world.project), Rules(world.home, world.project)
    assert mine.of_kind("exec") == ()
    other.add(parse_rule("exec:make"), "project")
    assert mine.of_kind("exec") == (parse_rule("exec:make"),)
    other.revoke(parse_rule("exec:make"))
    assert mine.of_kind("exec") == ()


@pytest.mark.parametrize(
    "content", ["rules = [", "rules = 3", 'rules = ["nonsense"]', "", 'rules = ["exec:a", 3]']
)
def test_a_broken_file_allows_nothing_and_is_not_overwritten(world, content: str) -> None:
    path = world.file("rules.toml", content, under=record_folder(world.home, world.project))
    path.chmod(0o600)
    rules = Rules(world.home, world.project, allow=["exec:ls"])
    assert rules.of_kind("exec") == (parse_rule("exec:ls"),)
    with pytest.raises(StorageError):
        rules.list_rules()
    with pytest.raises(StorageError):
        rules.add(parse_rule("exec:make"), "project")
    assert path.read_text(encoding="utf-8") == content


def test_a_file_that_others_may_write_allows_nothing(world) -> None:
    rules = Rules(world.home, world.project)
    rules.add(parse_rule("exec:make"), "project")
    (record_folder(world.home, world.project) / "rules.toml").chmod(0o666)
    assert Rules(world.home, world.project).of_kind("exec") == ()


def test_a_link_in_the_place_of_the_file_allows_nothing(world) -> None:
    evil = world.file("evil.toml", 'rules = ["exec:evil"]\n')
    evil.chmod(0o600)
    folder = record_folder(world.home, world.project)
    folder.mkdir(parents=True)
    (folder / "rules.toml").symlink_to(evil)
    assert Rules(world.home, world.project).of_kind("exec") == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_home_that_cannot_be_written_is_one_clear_error(world) -> None:
    world.home.chmod(0o500)
    with pytest.raises(StorageError):
        Rules(world.home, world.project).add(parse_rule("exec:make"), "project")


def test_two_processes_store_rules_at_once_and_none_is_lost(world) -> None:
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=_store, args=(world.home, world.project, name))
        for name in ("one", "two", "three")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    stored = {str(known.rule) for known in Rules(world.home, world.project).list_rules()}
    assert stored == {f"exec:{name} {n}" for name in ("one", "two", "three") for n in range(20)}


def _store(home: Path, project: Path, name: str) -> None:
    rules = Rules(home, project)
    for number in range(20):
        rules.add(Rule("exec", (name, str(number))), "project")
