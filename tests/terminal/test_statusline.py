"""The bottom line at every width."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from chatcli.agent.branch import current_branch
from chatcli.terminal.cells import width_cells
from chatcli.terminal.statusline import Status, status_line

STATUS = Status(
    mode="coder",
    provider="CLAUDEAI",
    model="claude-sonnet-5-5",
    folder=Path("/home/ana/projetos/ação"),
    branch="feature/long-branch",
    autonomy="edits",
    context_tokens=40_000,
    window_tokens=200_000,
    cost_usd=0.1234,
    requests=3,
    queued=2,
)


def test_everything_is_there_when_there_is_room() -> None:
    line = status_line(STATUS, 120, Path("/home/ana"))
    assert line == (
        "coder (edits) · CLAUDEAI/claude-sonnet-5-5 · ~/projetos/ação · feature/long-branch"
        " · 20 % · $0.12 · 2 queued"
    )


def test_the_least_important_parts_go_first() -> None:
    assert status_line(STATUS, 80, Path("/home/ana")) == (
        "coder (edits) · CLAUDEAI/claude-sonnet-5-5 · 20 % · $0.12 · 2 queued"
    )
    assert status_line(STATUS, 40) == "coder (edits) · CLAUDEAI/claude-sonnet-…"
    assert status_line(STATUS, 3) == "co…"


@pytest.mark.parametrize("columns", range(1, 130))
def test_the_line_always_fits(columns: int) -> None:
    wide = structs.replace(STATUS, model="模型" * 20, branch="\x1b[31mred", folder=Path("/" + "長い" * 40))
    line = status_line(wide, columns)
    assert width_cells(line) <= columns
    assert "\x1b" not in line


def test_an_unknown_price_is_not_shown_as_nothing() -> None:
    assert "cost unknown" in status_line(structs.replace(STATUS, cost_usd=None), 120)
    assert "$" not in status_line(structs.replace(STATUS, requests=0), 120)


def test_the_branch_is_read_from_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert current_branch(inner) == ""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n")
    assert current_branch(inner) == "feature/x"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef\n")
    assert current_branch(inner) == "01234567"


def test_the_branch_of_a_worktree_is_found(tmp_path: Path) -> None:
    (tmp_path / "main" / "worktrees" / "w").mkdir(parents=True)
    (tmp_path / "main" / "worktrees" / "w" / "HEAD").write_text("ref: refs/heads/side\n")
    work = tmp_path / "work"
    work.mkdir()
    (work / ".git").write_text("gitdir: ../main/worktrees/w\n")
    assert current_branch(work) == "side"
