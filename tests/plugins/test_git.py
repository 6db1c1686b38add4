"""A repository is read, and nothing that it brings along is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from chatcli.tools import Denied, InvalidArguments, ToolFailed
from chatcli_plugins.git import git
from tests.tools.fakes import FakeContext

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def command(folder: Path, *argv: str) -> str:
    environment = {**os.environ, **_IDENTITY}
    done = subprocess.run(["git", *argv], cwd=folder, env=environment, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.fixture
def repository(context: FakeContext) -> Path:
    """Two commits; then one file changed, one staged and one new."""
    root = context.root
    command(root, "init", "-q", "-b", "main")
    (root / "a.txt").write_text("one\ntwo\n")
    command(root, "add", ".")
    command(root, "commit", "-q", "-m", "First")
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    (root / "b.txt").write_text("b\n")
    command(root, "add", ".")
    command(root, "commit", "-q", "-m", "Second")
    (root / "a.txt").write_text("ONE\ntwo\nthree\n")
    (root / "b.txt").write_text("B\n")
    command(root, "add", "b.txt")
    (root / "new.txt").write_text("new\n")
    return root


pytestmark = pytest.mark.usefixtures("repository")


async def test_status(context: FakeContext) -> None:
    assert await context.text(git, action="status") == "## main\n M a.txt\nM  b.txt\n?? new.txt\n"


async def test_diff_of_the_work_tree_the_index_and_against_a_commit(context: FakeContext) -> None:
    assert "-one\n+ONE\n" in await context.text(git, action="diff")
    staged = await context.text(git, action="diff", staged=True)
    assert "-b\n+B\n" in staged
    assert "ONE" not in staged
    assert "+three\n" in await context.text(git, action="diff", ref="HEAD~1", path="a.txt")
    assert await context.text(git, action="diff", path="new.txt") == "No differences."


async def test_log_is_one_line_a_commit(context: FakeContext) -> None:
    lines = (await context.text(git, action="log")).splitlines()
    assert [line.partition(" ")[2] for line in lines] == [
        "2026-01-02 Ada: Second (HEAD -> main)",
        "2026-01-02 Ada: First",
    ]
    assert (await context.text(git, action="log", limit=1)).count("\n") == 1
    assert "First" not in await context.text(git, action="log", path="b.txt")
    assert "Second" not in await context.text(git, action="log", ref="HEAD~1")


async def test_show_is_a_commit_or_a_file_of_it(context: FakeContext) -> None:
    text = await context.text(git, action="show")
    assert "    Second\n" in text
    assert " a.txt | 1 +\n" in text
    assert "+three\n" in text
    assert await context.text(git, action="show", ref="HEAD~1:a.txt") == "one\ntwo\n"


async def test_blame_of_some_lines(context: FakeContext) -> None:
    text = await context.text(git, action="blame", path="a.txt", start=2, end=3)
    assert [line.rpartition(") ")[2] for line in text.splitlines()] == ["two", "three"]
    with pytest.raises(InvalidArguments, match="blame needs a file"):
        await context.call(git, action="blame")


@pytest.mark.parametrize("ref", ["--output=/tmp/evil", "-p", "a\nb", "\x1b[2J"])
async def test_a_ref_that_is_an_option_is_refused(context: FakeContext, ref: str) -> None:
    with pytest.raises(InvalidArguments, match="'ref' must name"):
        await context.call(git, action="log", ref=ref)


async def test_a_path_is_no_pattern_and_no_option(context: FakeContext) -> None:
    (context.root / "--stat").write_text("x\n")
    assert await context.text(git, action="status", path="--stat") == "## main\n?? --stat\n"
    assert await context.text(git, action="status", path="*.txt") == "## main\n"


async def test_an_unknown_ref_is_a_clear_error(context: FakeContext) -> None:
    with pytest.raises(ToolFailed, match="bad revision 'nowhere'"):
        await context.call(git, action="log", ref="nowhere")


async def test_no_repository_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    context = FakeContext(tmp_path / "other")
    with pytest.raises(ToolFailed, match="not a git repository"):
        await context.call(git, action="status")


async def test_a_project_inside_a_larger_repository_sees_only_itself(
    context: FakeContext, repository: Path
) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "c.txt").write_text("c\n")
    context.files.root = repository / "sub"
    assert await context.text(git, action="status") == "## main\n?? ./\n"
    assert await context.text(git, action="diff") == "No differences."


async def test_nothing_is_written_into_the_repository(context: FakeContext, repository: Path) -> None:
    index = repository / ".git" / "index"
    os.utime(repository / "b.txt", (1, 1))
    before = (index.stat().st_mtime_ns, index.read_bytes())
    for action in ("status", "diff", "log", "show"):
        await context.call(git, action=action)
    assert "b.txt" not in await context.text(git, action="diff")
    assert (index.stat().st_mtime_ns, index.read_bytes()) == before


# --- hostile repositories -------------------------------------------------------------------------


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that must never run; it leaves a file when it does."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    program.chmod(0o755)
    return program


async def run_everything(context: FakeContext) -> None:
    for arguments in (
        {"action": "status"},
        {"action": "diff"},
        {"action": "diff", "ref": "HEAD~1"},
        {"action": "log"},
        {"action": "log", "path": "a.txt"},
        {"action": "show"},
        {"action": "show", "ref": "HEAD:a.txt"},
        {"action": "blame", "path": "a.txt"},
    ):
        await context.call(git, **arguments)


@pytest.mark.parametrize(
    "setting",
    [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "diff.external",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "gpg.program",
        "pager.log",
        "pager.diff",
        "alias.status",
        "alias.log",
        "credential.helper",
        "interactive.diffFilter",
    ],
)
async def test_commands_in_the_configuration_are_not_run(
    context: FakeContext, repository: Path, trap: Path, setting: str
) -> None:
    command(repository, "config", setting, f"!{trap}" if setting.startswith("alias.") else str(trap))
    command(repository, "config", "log.showSignature", "true")
    (repository / ".gitattributes").write_text("* filter=evil diff=evil\n")
    os.utime(repository / "b.txt", (1, 1))
    await run_everything(context)
    assert not (trap.parent / "sprung").exists()


async def test_filters_that_are_required_or_included_are_not_run(
    context: FakeContext, repository: Path, trap: Path
) -> None:
    (repository / "more.config").write_text(f'[filter "evil"]\n\tclean = {trap}\n\trequired = true\n')
    command(repository, "config", "include.path", "../more.config")
    (repository / ".gitattributes").write_text("* filter=evil\n")
    os.utime(repository / "a.txt", (1, 1))
    await run_everything(context)
    assert not (trap.parent / "sprung").exists()


async def test_a_filter_whose_name_would_hide_it_is_refused(context: FakeContext, repository: Path) -> None:
    command(repository, "config", "filter.a=b.clean", "false")
    with pytest.raises(ToolFailed, match="filter with an odd name"):
        await context.call(git, action="status")


async def test_hooks_are_not_run(context: FakeContext, repository: Path, trap: Path) -> None:
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
    command(repository, "config", "core.hooksPath", str(hooks))
    (trap.parent / "sprung").unlink(missing_ok=True)
    os.utime(repository / "a.txt", (1, 1))
    await run_everything(context)
    assert not (trap.parent / "sprung").exists()


async def test_missing_objects_are_not_fetched(context: FakeContext, repository: Path, trap: Path) -> None:
    blob = command(repository, "rev-parse", "HEAD:a.txt").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    command(repository, "config", "remote.origin.url", f"ext::{trap}")
    command(repository, "config", "remote.origin.promisor", "true")
    command(repository, "config", "extensions.partialClone", "origin")
    command(repository, "config", "protocol.ext.allow", "always")
    command(repository, "config", "core.repositoryFormatVersion", "1")
    with pytest.raises(ToolFailed):
        await context.call(git, action="show", ref="HEAD:a.txt")
    assert not (trap.parent / "sprung").exists()


async def test_a_bare_repository_inside_the_project_is_not_trusted(
    context: FakeContext, repository: Path, trap: Path
) -> None:
    bare = repository / "bare"
    command(repository, "init", "-q", "--bare", str(bare))
    command(bare, "config", "core.fsmonitor", str(trap))
    with pytest.raises(ToolFailed, match="cannot use bare repository"):
        await context.call(git, action="status", path="bare")
    assert not (trap.parent / "sprung").exists()


async def test_a_work_tree_elsewhere_is_refused(context: FakeContext, repository: Path) -> None:
    elsewhere = repository.parent / "elsewhere"
    elsewhere.mkdir()
    command(repository, "config", "core.worktree", str(elsewhere))
    with pytest.raises(ToolFailed, match="lies elsewhere"):
        await context.call(git, action="status")


async def test_submodules_are_not_entered(context: FakeContext, repository: Path, trap: Path) -> None:
    sub = repository / "sub"
    sub.mkdir()
    command(sub, "init", "-q")
    (sub / "x").write_text("x\n")
    command(sub, "add", ".")
    command(sub, "commit", "-q", "-m", "Sub")
    command(repository, "add", "sub")
    command(repository, "commit", "-q", "-m", "Add sub")
    command(sub, "config", "filter.other.clean", str(trap))
    command(repository, "config", "diff.submodule", "diff")
    (sub / ".gitattributes").write_text("* filter=other\n")
    (sub / "x").write_text("X\n")
    await run_everything(context)
    assert not (trap.parent / "sprung").exists()


async def test_a_file_of_a_commit_is_read_like_the_file_itself(
    context: FakeContext, repository: Path
) -> None:
    context.files.secret.add(repository / "a.txt")
    for ref in ("HEAD:a.txt", "HEAD:./a.txt", ":a.txt", ":0:a.txt", "HEAD:b.txt..HEAD~1:a.txt"):
        with pytest.raises(Denied):
            await context.text(git, action="show", ref=ref)
    assert await context.text(git, action="show", ref="HEAD:b.txt") == "b\n"
    assert "Second" in await context.text(git, action="show", ref=":/Second")


async def test_an_object_is_named_by_its_file(context: FakeContext, repository: Path) -> None:
    blob = command(repository, "rev-parse", "HEAD:a.txt").strip()
    command(repository, "tag", "to-a-file", blob)
    for ref in (blob, blob[:8], "to-a-file", f"{blob}..HEAD"):
        with pytest.raises(InvalidArguments, match="REV:FILE"):
            await context.text(git, action="show", ref=ref)


async def test_files_that_are_not_shown_are_left_out_of_diffs_and_commits(
    context: FakeContext, repository: Path
) -> None:
    context.files.unshown.add(repository / "a.txt")
    note = "[not shown, by name they may hold passwords or keys: a.txt]"
    for arguments in ({"action": "diff", "ref": "HEAD"}, {"action": "diff", "ref": "HEAD", "path": "."}):
        text = await context.text(git, **arguments)
        assert "+B\n" in text
        assert "ONE" not in text
        assert text.endswith(note)
    text = await context.text(git, action="show")
    assert "+b\n" in text
    assert "three" not in text
    assert await context.text(git, action="diff") == note
    command(repository, "commit", "-qam", "Third")
    text = await context.text(git, action="show", ref="HEAD~2..HEAD")
    assert "+b\n" in text
    assert "ONE" not in text
    assert "three" not in text
    # Asked for by name it was approved by name.
    assert "+ONE\n" in await context.text(git, action="diff", ref="HEAD~1", path="a.txt")
    assert note not in await context.text(git, action="diff", staged=True)


async def test_a_file_that_was_renamed_away_from_such_a_name_is_left_out_too(
    context: FakeContext, repository: Path
) -> None:
    context.files.unshown.add(repository / "a.txt")
    command(repository, "reset", "-q", "--hard")
    command(repository, "mv", "a.txt", "plain.txt")
    (repository / "plain.txt").write_text("one\ntwo\nthree\nfour\n")
    assert "four" not in await context.text(git, action="diff", ref="HEAD")
