"""The context note names what may change, and reads the branch without running git."""

from datetime import date

from chatcli.agent.branch import current_branch
from chatcli.agent.note import context_note


def test_the_note_is_one_line_with_mode_date_folder_and_branch(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/feature/café\n", encoding="utf-8")
    note = context_note(
        mode="coder", autonomy="ask", attended=True, folder=tmp_path, today=date(2026, 11, 30)
    )
    assert note == (
        "[context — mode: coder; autonomy: ask; date: 2026-11-30; "
        f"folder: {tmp_path}; git branch: feature/café]"
    )


def test_the_note_says_when_nobody_can_be_asked(tmp_path):
    note = context_note(mode="chat", autonomy="plan", attended=False, folder=tmp_path, today=date(2026, 1, 2))
    assert "; autonomy: plan, nobody is here to approve; date: 2026-01-02; " in note


def test_a_folder_inside_a_repository_has_its_branch(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    assert current_branch(tmp_path / "deep" / "er") == "main"


def test_a_detached_head_is_shown_by_its_short_id(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef0123\n", encoding="utf-8")
    assert current_branch(tmp_path) == "01234567"


def test_a_hostile_branch_name_cannot_break_the_line(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/a]\x1b[31m\nmode: all", encoding="utf-8")
    assert "\n" not in current_branch(tmp_path)
    assert "\x1b" not in current_branch(tmp_path)
