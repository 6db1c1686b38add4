"""Hostile repositories: real git, settings that start a program, and a judgement that sees it first."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chatcli.gate.environment import child_environment

READERS = ["git status", "git diff", "git log -p", "git show HEAD", "git blame a.txt", "git -C . status"]


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *identity, *words], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def repository(world):
    git(world.project, "init", "-q")
    world.file("a.txt", "one\n")
    git(world.project, "add", ".")
    git(world.project, "commit", "-qm", "first")
    world.file("a.txt", "two\n")
    return world


def append(repository, text: str) -> None:
    with (repository.project / ".git/config").open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.parametrize("text", READERS)
def test_an_ordinary_repository_is_read_freely(repository, text: str) -> None:
    append(repository, '[remote "origin"]\n\turl = https://example.com/x\n[alias]\n\tst = status\n')
    append(repository, '[core]\n\thooksPath = .husky\n[branch "main"]\n\tremote = origin\n')
    assert repository.gate().judge(text).reasons == ()


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\tfsmonitor = {evil}",
        "[core] fsmonitor = {evil}",
        "[CORE]\nFSMonitor={evil}",
        "\ufeff[core]\nfsmonitor = {evil}",
        "[diff]\n\texternal = {evil}",
        '[diff "x"]\n\ttextconv = {evil}',
        '[diff "x"]\n\tcommand = {evil}',
        "[diff.x]\n\ttextconv = {evil}",
        '[filter "x"]\n\tclean = {evil}',
        "[include]\n\tpath = ../other",
        '[includeIf "gitdir:**"]\n\tpath = ../other',
        "[core]\n\tpager = {evil}",
        "[core]\n\tsshCommand = {evil}",
        "[core]\n\tworktree = /",
        "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {evil}",
        "[extensions]\n\tpartialClone = origin",
        '[remote "origin"]\n\tpromisor = true\n\tuploadpack = {evil}',
        '[remote "origin"]\n\tvcs = evil',
    ],
)
def test_settings_that_start_a_program_are_seen(repository, setting: str) -> None:
    evil = repository.file("evil.sh", "#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    append(repository, "\n" + setting.format(evil=evil) + "\n")
    for text in READERS:
        verdict = repository.gate().judge(text)
        assert (verdict.read_only, verdict.decision) == (False, "ask"), text
    assert repository.gate("plan").judge("git status").decision == "deny"


def test_a_byte_order_mark_does_not_hide_the_first_section(repository) -> None:
    config = repository.project / ".git/config"
    config.write_text("\ufeff[core]\n\tfsmonitor = evil\n", encoding="utf-8")
    assert not repository.gate().judge("git status").read_only


@pytest.mark.parametrize("folder", [".git/hooks", ".husky"])
def test_the_one_hook_that_reading_runs_is_seen(repository, folder: str) -> None:
    append(repository, "[core]\n\thooksPath = .husky\n" if folder == ".husky" else "")
    repository.file(f"{folder}/pre-commit", "#!/bin/sh\n")
    assert repository.gate().judge("git status").read_only
    repository.file(f"{folder}/post-index-change", "#!/bin/sh\ntouch pwned\n")
    assert not repository.gate().judge("git status").read_only


def test_what_is_judged_to_only_read_starts_nothing_and_writes_nothing(repository) -> None:
    """Every reader that the gate lets through is run on the repository for real."""
    evil = repository.file("evil.sh", "#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    index = (repository.project / ".git/index").read_bytes()
    environment = child_environment({"PATH": os.environ["PATH"], "HOME": str(repository.user_home)}, {})
    for text in READERS:
        assert repository.gate().judge(text).read_only
        subprocess.run(
            ["bash", "-c", text], cwd=repository.project, env=environment, check=True, capture_output=True
        )
    assert not (repository.project / "pwned").exists()
    assert (repository.project / ".git/index").read_bytes() == index


def test_a_submodule_and_a_worktree_are_looked_into(repository) -> None:
    git(repository.project, "worktree", "add", "-q", "../tree")
    gate = repository.gate(allow=[f"read:{repository.root}/tree"])
    tree = repository.root / "tree"
    assert gate.judge("git status", tree).read_only
    append(repository, "\n[core]\n\tfsmonitor = evil\n")
    assert not gate.judge("git status", tree).read_only


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_nested_repository_of_the_index_is_looked_into(repository, version: str) -> None:
    """`git status` starts git inside of it: here for real, to show that it would."""
    nested = repository.file("deep/nested/b.txt").parent
    git(nested, "init", "-q")
    git(nested, "add", ".")
    git(nested, "commit", "-qm", "first")
    git(repository.project, "add", "deep/nested")
    git(repository.project, "update-index", "--index-version", version)
    assert repository.gate().judge("git status").read_only
    evil = repository.file("evil.sh", f"#!/bin/sh\ntouch {repository.root}/pwned\n")
    evil.chmod(0o755)
    with (nested / ".git/config").open("a", encoding="utf-8") as file:
        file.write(f"[core]\n\tfsmonitor = {evil}\n")
    git(repository.project, "status")
    assert (repository.root / "pwned").exists()
    assert not repository.gate().judge("git status").read_only


def test_a_submodule_may_name_its_work_tree(repository) -> None:
    git(repository.project, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    config = repository.file(".git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n")
    repository.file(".git/modules/sub/HEAD", "ref: refs/heads/main\n")
    repository.file("sub/.git", "gitdir: ../.git/modules/sub\n")
    assert repository.gate().judge("git status").read_only
    config.write_text("[core]\n\tfsmonitor = evil\n", encoding="utf-8")
    assert not repository.gate().judge("git status").read_only


def test_an_index_that_is_not_understood_is_not_taken_for_harmless(repository) -> None:
    index = repository.project / ".git/index"
    for content in (
        b"DIRC\0\0\0\x09\0\0\0\x01\0\0\xe0\0",
        b"\0\0\xe0\0",
        b"DIRC\0\0\0\x02\0\0\0\x09\0\0\xe0\0",
    ):
        index.write_bytes(content)
        assert not repository.gate().judge("git status").read_only


@pytest.mark.parametrize("content", ["gitdir: ../evil", "gitdir: /nowhere", "nonsense", ""])
def test_a_git_file_that_leads_elsewhere_is_not_followed(world, content: str) -> None:
    # CVE-2026-40068
    world.file("config", "[core]\n\tfsmonitor = evil\n", under=world.root / "evil")
    world.file("HEAD", "ref: refs/heads/main\n", under=world.root / "evil")
    world.file(".git", content)
    assert not world.gate().judge("git status").read_only


def test_a_bare_repository_in_a_folder_of_the_project_is_not_taken_for_harmless(repository) -> None:
    for name in ("HEAD", "objects/x", "refs/x"):
        repository.file(f"docs/{name}")
    repository.file("docs/config", "[core]\n\tfsmonitor = evil\n\tbare = false\n\tworktree = .\n")
    assert not repository.gate().judge("git status", repository.project / "docs").read_only
    assert not repository.gate().judge("cd docs && git status").read_only
    assert not repository.gate().judge("git -C docs status").read_only


def test_links_and_strange_layouts_are_not_taken_for_harmless(repository) -> None:
    repository.file(".git/commondir", "../../evil")
    assert not repository.gate().judge("git status").read_only
    (repository.project / ".git/commondir").unlink()
    (repository.project / ".git").rename(repository.root / "elsewhere")
    (repository.project / ".git").symlink_to(repository.root / "elsewhere")
    assert not repository.gate().judge("git status").read_only
