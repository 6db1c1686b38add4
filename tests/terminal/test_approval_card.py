"""What an approval shows, and how its answer is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.gate.questions import Question
from chatcli.gate.rules import Rule
from chatcli.i18n import LANGUAGES, language, set_language
from chatcli.terminal.approval import (
    approval_card,
    choices,
    is_yes,
    outcome_line,
    read_answer,
    wants_view,
    yes_or_no,
)
from chatcli.terminal.cells import width_cells
from chatcli.terminal.diff import count_changes, diff_head, diff_lines
from chatcli.terminal.look import Look

PLAIN = Look(color=False, live=True)
COLOUR = Look(color=True, live=True)
DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old\tline\n+new \x1b[31mline\n same\n"


def question(**changes: object) -> Question:
    fields: dict[str, object] = {"kind": "command", "title": "Run a command", "subject": "ls", "digest": "d"}
    return Question(**{**fields, **changes})  # type: ignore[arg-type]


RULED = question(rule=Rule("exec", ("pytest",), True))
WRITE = question(kind="write", title="Write a file", subject="/p/x.py", detail=DIFF)


@pytest.mark.parametrize(
    ("line", "choice"), [("y", "once"), (" Y ", "once"), ("yes", "once"), ("s", "session"), ("p", "project")]
)
def test_a_clear_yes(line: str, choice: str) -> None:
    assert read_answer(RULED, line).choice == choice


@given(st.text(max_size=20))
def test_everything_else_denies(line: str) -> None:
    if line.strip().lower() not in {"y", "yes", "s", "p"}:
        assert read_answer(RULED, line).choice == "deny"


@pytest.mark.parametrize(
    ("line", "reason"), [("", ""), ("n", ""), ("no", ""), ("use uv", "use uv"), ("yy", "yy")]
)
def test_words_are_the_reason_of_a_denial(line: str, reason: str) -> None:
    assert read_answer(RULED, line).reason == reason


def test_without_a_rule_only_once_can_be_allowed() -> None:
    assert "session" not in choices(question())
    assert read_answer(question(), "s").choice == "deny"
    assert read_answer(question(), "p").choice == "deny"


def test_many_files_with_the_same_reason_do_not_push_the_command_off_the_screen() -> None:
    outside = tuple(f"it is outside the project: /etc/{n}" for n in range(200))
    card = approval_card(question(reasons=(*outside, "it destroys more: /")), 80, 24, PLAIN)
    assert len(card) < 10
    assert card[2] == "$ ls"
    assert card[-2:] == ["! it is outside the project: /etc/2 … 197 more", "! it destroys more: /"]


@pytest.mark.parametrize("lines", [1, 30])
def test_a_question_that_is_higher_than_the_screen_says_so_at_its_end(lines: int) -> None:
    card = approval_card(question(subject="rm x" + "\n" * (lines - 1) + "ls"), 80, 24, PLAIN)
    assert ("begins above the screen" in card[-1]) == (lines == 30)


def test_the_rule_is_shown_before_it_is_stored() -> None:
    assert "  s and p add the rule exec:pytest *" in approval_card(RULED, 60, 24, PLAIN)


def test_each_line_of_a_command_is_marked_as_one() -> None:
    card = approval_card(question(subject="echo one two three\necho four"), 14, 24, PLAIN)
    assert card[2:] == ["$ echo one two", "   three", "> echo four"]


@given(st.text(max_size=200), st.integers(20, 80))
def test_the_whole_command_is_shown_and_nothing_else_of_it_gets_through(subject: str, columns: int) -> None:
    for line in approval_card(question(subject=subject), columns, 24, PLAIN):
        assert width_cells(line) <= columns
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line)


def test_a_write_shows_its_diff_in_colours() -> None:
    assert wants_view(WRITE, "V ")
    assert not wants_view(question(), "v")
    card = approval_card(WRITE, 60, 24, COLOUR)
    assert "\x1b[31m-old    line\x1b[0m" in card
    assert "\x1b[32m+new ␛[31mline\x1b[0m" in card
    assert "\x1b[2m+1 -1\x1b[0m" in card


def test_the_head_of_a_diff_says_what_is_missing() -> None:
    assert diff_head(DIFF, 40, 4, PLAIN, "v") == [
        "--- a/x.py",
        "+++ b/x.py",
        "@@ -1,2 +1,2 @@",
        "… 3 more lines · v",
    ]
    assert diff_head(DIFF, 40, 6, PLAIN) == diff_lines(DIFF, 40, PLAIN)


def test_broken_lines_of_a_diff_keep_their_colour() -> None:
    assert diff_lines("+" + "x" * 15, 10, COLOUR) == ["\x1b[32m+xxxxxxxxx\x1b[0m", "\x1b[32mxxxxxx\x1b[0m"]


def test_changes_are_counted_without_the_header() -> None:
    assert count_changes("--- a\n+++ b\n@@ @@\n+++x\n---y\n z\n") == (1, 1)


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    before = language()
    set_language(request.param)
    yield request.param
    set_language(before)


@pytest.mark.usefixtures("spoken")
def test_the_key_of_each_choice_is_the_first_word_of_its_label() -> None:
    labels = choices(question(rule=RULED.rule, detail=DIFF)).split(" · ")
    keys = [label.split()[0] for label in labels]
    answers = [read_answer(RULED, key).choice for key in keys[:4]]
    assert answers == ["once", "session", "project", "deny"]
    assert wants_view(WRITE, keys[4])
    assert len(set(keys)) == 5


def test_the_outcome_is_told() -> None:
    assert outcome_line(read_answer(RULED, "use\x1b uv"), 40, PLAIN) == "→ denied: use␛ uv"


def test_a_plain_question_takes_a_yes_in_both_languages_and_nothing_else() -> None:
    try:
        set_language("pt_BR")
        assert [is_yes(line) for line in ("s", "S", " sim ", "y", "Y", "yes")] == [True] * 6
        assert [is_yes(line) for line in ("", "n", "não", "t", "si", "s s")] == [False] * 6
    finally:
        set_language("en")
    assert yes_or_no("Go on?") == "Go on? [y/N]"
    assert [is_yes(line) for line in ("y", "YES", "s")] == [True, True, False]
