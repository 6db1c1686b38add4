"""Files of secrets that are committed: what git would show of them is asked about, and nothing else is."""

from __future__ import annotations

import asyncio
import os
import subprocess

import pytest

from chatcli.gate.questions import Answer


def run(world, *words: str) -> str:
    ended = subprocess.run(["git", *words], cwd=world.project, check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def commit(world, message: str) -> None:
    run(world, "add", "-Af")
    run(world, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", message)


@pytest.fixture
def repository(world):
    """Two commits that hold a secret, one on top that does not; nothing changed since."""
    run(world, "init", "-q", "-b", "main")
    world.file("a.py", "one\n")
    world.file(".env", "TOKEN=abc\n")
    world.file("conf/credentials.json", "{}\n")
    commit(world, "first")
    world.file(".env", "TOKEN=abcd\n")
    commit(world, "second")
    world.file("a.py", "two\n")
    commit(world, "third")
    return world


def asks(world, text: str) -> bool:
    verdicts = [world.gate(autonomy).judge(text) for autonomy in ("ask", "all")]
    return all(verdict.decision == "ask" for verdict in verdicts)


@pytest.mark.parametrize(
    "text",
    [
        "git show HEAD~1",
        "git show main~1 --format=%h",
        "git show --stat -p HEAD~1",
        "git show HEAD HEAD~1",
        "git show HEAD:.env",
        "git show HEAD:./.env",
        "git show HEAD~2:conf/credentials.json",
        "git show :0:conf/credentials.json",
        "git cat-file -p :conf/credentials.json",
        "git cat-file blob HEAD:conf/credentials.json",
        "git diff HEAD~2",
        "git diff HEAD~2..HEAD -- .",
        "git diff HEAD~2 -- '.e*'",
        "git diff HEAD~2 -- .e*",
        "git diff HEAD~2 -- . ':!.ENV' ':!conf'",
        "git diff --check HEAD~2",
        "git diff HEAD~2:conf/credentials.json a.py",
        "git diff HEAD~1:.env..HEAD~2:.env",
        "git -C conf show HEAD~1",
        "cd conf && git show HEAD~1",
        "git log -p",
        "git log --patch -3",
        "git log -2 -U1",
        "git log -L1,1:conf/credentials.json",
        "git log -L 1,1:.env",
        "git log -p --follow a.py .env",
        "git whatchanged -p",
        "git diff-tree -p HEAD~1",
        "git reflog -p",
        "git grep TOKEN",
        "git grep -n TOKEN HEAD",
        "git grep -h abc HEAD~2 -- '*.e*'",
        "git blame .env",
        "git archive HEAD .env",
        "x=HEAD~1; git show $x",
        "git show $(git rev-parse HEAD~1)",
    ],
)
def test_content_of_a_committed_secret_asks(repository, text: str) -> None:
    assert repository.gate("ask").judge(text).decision == "ask"


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "git diff",
        "git diff HEAD",
        "git diff --cached -- a.py",
        "git diff HEAD~1",
        "git diff HEAD~2 -- a.py",
        "git diff HEAD~2 -- *.py",
        "git diff HEAD~2 -- . ':!.env' ':(exclude)conf'",
        "git show HEAD~1 -- . ':^.env'",
        "git diff HEAD~2 --stat",
        "git diff --name-only HEAD~2",
        "git show",
        "git show HEAD",
        "git show HEAD:a.py",
        "git show --stat HEAD~1",
        "git show -s HEAD~1",
        "git log",
        "git log --oneline --stat",
        "git log -p -1",
        "git log -p -- a.py",
        "git log -p --follow a.py",
        "git log -L1,1:a.py",
        "git log -S TOKEN",
        "git grep -n two",
        "git grep -l TOKEN",
        "git blame a.py",
        "git ls-files",
        "git cat-file -t HEAD",
        "git cat-file -p HEAD",
        "git show no-such-commit",
        "git stash list",
        "git stash show -p",
        "for f in a.py conf; do git diff $f; done",
    ],
)
def test_whatever_shows_none_only_reads(repository, text: str) -> None:
    assert repository.gate("plan").judge(text).read_only, repository.gate().judge(text).reasons


@pytest.mark.parametrize(
    "text", ["git diff", "git diff HEAD", "git status -v", "git status -vv", "git add -A; git diff --cached"]
)
def test_a_change_of_it_asks(repository, text: str) -> None:
    repository.file(".env", "TOKEN=xyz\n")
    if "--cached" in text:
        run(repository, "add", "-A")
    assert asks(repository, text.removeprefix("git add -A; "))
    assert repository.gate(allow=["read:.env"]).judge("git diff").read_only


def test_its_old_name_counts_when_it_was_renamed(repository) -> None:
    run(repository, "mv", ".env", "settings.txt")
    repository.file("settings.txt", "TOKEN=abcd\nX=1\n")
    assert asks(repository, "git diff HEAD")
    assert asks(repository, "git diff -M HEAD")


def test_a_stash_of_it_asks(repository) -> None:
    repository.file(".env", "TOKEN=xyz\n")
    run(repository, "-c", "user.email=a@b", "-c", "user.name=a", "stash")
    assert asks(repository, "git stash show -p")
    assert asks(repository, "git stash list -p")
    assert repository.gate().judge("git stash show").read_only


def test_an_object_without_a_name_asks(repository) -> None:
    env, code = run(repository, "rev-parse", "HEAD:.env"), run(repository, "rev-parse", "HEAD:a.py")
    for text in (f"git show {env}", f"git cat-file -p {env}", f"git cat-file blob {env[:8]}"):
        assert asks(repository, text)
    for text in (f"git diff {code} {env}", f"git diff {code}..{env}", f"git grep TOKEN {env}"):
        assert asks(repository, text)
    assert repository.gate().judge(f"git cat-file -t {env}").read_only


def test_folders_outside_of_a_repository_are_compared_file_by_file(world) -> None:
    for name in ("one/a.py", "two/a.py", "two/.env"):
        world.file(name)
    assert asks(world, "git diff one two")
    assert world.gate("plan").judge("git diff one/a.py two/a.py").read_only


def test_a_repository_without_secrets_holds_nothing_up(world) -> None:
    run(world, "init", "-q", "-b", "main")
    world.file("a.py")
    commit(world, "first")
    world.file(".env", "not committed\n")
    world.file("a.py", "y\n")
    for text in ("git diff", "git log -p", "git show", "git grep x", "git stash show", "git status -v"):
        assert world.gate("plan").judge(text).read_only, text


def test_a_git_that_does_not_tell_in_time_asks_where_a_secret_is_tracked(repository, tmp_path) -> None:
    stub = repository.file("git", "#!/bin/sh\nsleep 9\n", under=tmp_path / "bin")
    stub.chmod(0o700)
    path = f"{stub.parent}:{os.environ['PATH']}"
    for autonomy in ("ask", "all"):
        assert repository.gate(autonomy, path=path).judge("git log -p").decision == "ask"
    assert repository.gate("all", path=path).judge("git log -5").decision == "allow"


async def test_a_slow_git_holds_nothing_else_up_and_is_asked_once(repository, person, tmp_path) -> None:
    calls = tmp_path / "calls"
    stub = repository.file("git", f"#!/bin/sh\necho x >> {calls}\nsleep 0.3\n", under=tmp_path / "bin")
    stub.chmod(0o700)
    gate = repository.gate(person=person(Answer("once")), path=f"{stub.parent}:{os.environ['PATH']}")
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    counting = asyncio.create_task(count())
    await gate.command("git log -p | make")
    counting.cancel()
    assert turns > 10
    assert calls.read_text().count("x") == 1
