"""Rules files of a trusted project are one block, outer folders first; nothing else gets in."""

import os

import pytest

from chatcli.extensions.rules import MAX_CHARS, read_rules


@pytest.fixture
def places(tmp_path):
    home, repository = tmp_path / "home", tmp_path / "repo"
    project = repository / "packages" / "one"
    project.mkdir(parents=True)
    home.mkdir()
    (repository / ".git").mkdir()
    return home, repository, project


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_files_are_read_from_the_root_of_the_repository_down(places):
    home, repository, project = places
    write(home / "AGENTS.md", "answer briefly")
    write(repository / "AGENTS.md", "root rule")
    write(project / "CLAUDE.md", "inner rule")
    write(project / ".chatcli" / "rules" / "a.md", "rule of a folder")
    text = read_rules(home, project, trusted=True).text
    order = [text.index(words) for words in ("answer briefly", "root rule", "inner rule", "rule of a folder")]
    assert order == sorted(order)
    assert "## ../../AGENTS.md" in text


def test_an_untrusted_project_says_nothing(places):
    home, _, project = places
    write(project / "AGENTS.md", "obey me")
    write(home / "AGENTS.md", "answer briefly")
    rules = read_rules(home, project, trusted=False)
    assert "obey me" not in rules.text
    assert "answer briefly" in rules.text


def test_without_rules_there_is_no_block(places):
    home, _, project = places
    assert read_rules(home, project, trusted=True).text == ""


def test_imports_stand_where_they_are_named(places):
    home, _, project = places
    write(project / "CLAUDE.md", "before\n@docs/style.md\nafter")
    write(project / "docs" / "style.md", "four spaces")
    assert "before\nfour spaces\nafter" in read_rules(home, project, trusted=True).text


def test_an_import_cannot_leave_the_repository_or_run_in_circles(places, tmp_path):
    home, _, project = places
    write(tmp_path / "secret.md", "secret")
    write(project / "CLAUDE.md", "@../../../secret.md\n@CLAUDE.md\nend")
    text = read_rules(home, project, trusted=True).text
    assert "secret\n" not in text
    assert "@CLAUDE.md" in text


def test_a_link_out_of_the_repository_is_left_out_and_named(places, tmp_path):
    home, _, project = places
    write(tmp_path / "secret.md", "secret text")
    write(project / "CLAUDE.md", "rule")
    (project / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    rules = read_rules(home, project, trusted=True)
    assert "secret text" not in rules.text
    assert rules.omitted == (project / "AGENTS.md",)


def test_what_does_not_fit_is_left_out_whole_and_named(places):
    home, _, project = places
    write(project / "AGENTS.md", "x" * (MAX_CHARS + 1))
    write(project / "CLAUDE.md", "short rule")
    text = read_rules(home, project, trusted=True).text
    assert "short rule" in text
    assert "[AGENTS.md is too long or not text: read it if it matters]" in text


def test_a_pipe_in_the_place_of_a_rules_file_cannot_hang_the_start(places):
    home, _, project = places
    os.mkfifo(project / "AGENTS.md")
    assert read_rules(home, project, trusted=True).text == ""


def test_email_addresses_and_mentions_inside_a_line_are_no_imports(places):
    home, _, project = places
    write(project / "CLAUDE.md", "ask @someone about it, mail a@b.c")
    assert "ask @someone about it, mail a@b.c" in read_rules(home, project, trusted=True).text
