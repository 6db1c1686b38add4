"""MEMORY.md: what a person changes there is what is remembered, and no words of theirs are lost."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chatcli.i18n import set_language
from chatcli.memory.document import parse, render
from chatcli.memory.fact import CATEGORIES, Fact, clean_tags, clean_text, fold
from chatcli.memory.store import Memory
from tests.memory.labelled import draft


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path)
    memory.add(
        [
            draft("Name: Ana", "profile"),
            draft("Prefers tabs.", "preference", tags=("style",)),
            draft("The build needs make.", "gotcha", scope="/srv/site"),
        ]
    )
    return memory


def edit(memory: Memory, old: str, new: str) -> None:
    text = memory.document.read_text(encoding="utf-8")
    assert old in text
    memory.document.write_text(text.replace(old, new, 1), encoding="utf-8")


def texts(memory: Memory) -> set[str]:
    return {fact.text for fact in memory.facts()}


def line_of(memory: Memory, word: str) -> str:
    return next(line for line in memory.document.read_text(encoding="utf-8").splitlines() if word in line)


def test_the_file_is_for_people(memory: Memory) -> None:
    lines = memory.document.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# What chatcli remembers"
    assert [line for line in lines if line.startswith("## ")] == [
        "## About you",
        "## Everywhere",
        "## /srv/site",
    ]
    assert line_of(memory, "tabs").startswith("- [preference] Prefers tabs. #style ^")


def test_a_changed_line_changes_the_fact(memory: Memory) -> None:
    before = {fact.id for fact in memory.facts()}
    edit(memory, "Prefers tabs. #style", "Prefers two spaces. #style #python")
    assert "Prefers two spaces." in texts(memory)
    assert {fact.id for fact in memory.facts()} == before
    assert "#python #style" in line_of(memory, "two spaces")


def test_a_deleted_line_is_forgotten_for_good(memory: Memory) -> None:
    edit(memory, line_of(memory, "tabs") + "\n", "")
    assert texts(memory) == {"Name: Ana", "The build needs make."}
    assert b"tabs" not in b"".join(path.read_bytes() for path in memory.folder.iterdir())


@pytest.mark.parametrize("bullet", ["- ", "* ", "1. ", "", "  - "])
def test_a_new_line_is_a_new_fact_of_its_section(memory: Memory, bullet: str) -> None:
    edit(
        memory,
        "## /srv/site\n",
        f"## /srv/site\n{bullet}[pattern] Tests stand beside\n   the code. #tests\n\n",
    )
    (new,) = [fact for fact in memory.facts() if fact.category == "pattern"]
    assert (new.text, new.scope, new.tags, new.said_by) == (
        "Tests stand beside the code.",
        "/srv/site",
        ("tests",),
        "user",
    )


def test_a_heading_of_the_users_own_becomes_a_tag(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Everywhere\n- Drinks tea.\n\n### Deploy days\n- Never on Friday.\n")
    found = {fact.text: fact.tags for fact in memory.facts()}
    assert (found["Drinks tea."], found["Never on Friday."]) == ((), ("deploy-days",))


def test_the_file_is_written_anew_with_what_was_read(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Everywhere\n- Drinks tea.\n")
    memory.facts()
    assert line_of(memory, "tea").startswith("- [general] Drinks tea. ^")
    before = memory.document.read_bytes()
    memory.facts()
    assert memory.document.read_bytes() == before


def test_an_old_copy_saved_late_turns_nothing_back(memory: Memory) -> None:
    """An editor had the file open while facts were noted, changed and forgotten elsewhere."""
    old = memory.document.read_text(encoding="utf-8")
    by_text = {fact.text: fact for fact in memory.facts()}
    memory.add([draft("Noted meanwhile.")])
    memory.change(by_text["Prefers tabs."].id, "Prefers spaces.")
    memory.forget([by_text["The build needs make."].id])
    memory.document.write_text(old.replace("Name: Ana", "Name: Ana Lima"), encoding="utf-8")
    assert texts(memory) == {"Name: Ana Lima", "Prefers spaces.", "Noted meanwhile."}


def test_a_file_cut_short_forgets_nothing(memory: Memory) -> None:
    text = memory.document.read_text(encoding="utf-8")
    memory.document.write_text(text[: text.index("## /srv")], encoding="utf-8")
    assert len(texts(memory)) == 3


@pytest.mark.parametrize("content", ["", None])
def test_an_empty_or_removed_file_forgets_nothing(memory: Memory, content: str | None) -> None:
    memory.document.unlink()
    if content is not None:
        memory.document.write_text(content, encoding="utf-8")
    assert len(texts(memory)) == 3
    assert memory.document.exists()


def test_a_line_that_holds_a_secret_stays_in_a_copy_and_is_told(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Everywhere\n- password: correcthorsebattery\n- Drinks tea.\n")
    assert texts(memory) == {"Name: Ana", "Prefers tabs.", "The build needs make.", "Drinks tea."}
    refused, kept = memory.news
    assert "password or a key" in refused
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert str(copy) in kept
    assert "correcthorse" in copy.read_text(encoding="utf-8")


def test_comments_of_the_users_own_stay_in_a_copy(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Everywhere\n<!-- ask Bob\nabout this -->\n")
    assert len(texts(memory)) == 3
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert "ask Bob" in copy.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "hostile", ["<!-- as of 99999: likes", "open <!-- starts", "use <!-- TODO --> marks", "<\\!--"]
)
def test_no_fact_opens_a_comment(memory: Memory, hostile: str) -> None:
    fact, _ = memory.add([draft(hostile, "architecture"), draft("Likes tea.")])
    edit(memory, "Likes tea.", "Likes coffee.")
    known = {"Name: Ana", "Prefers tabs.", "The build needs make.", "Likes coffee."}
    assert texts(memory) == {*known, hostile}
    edit(memory, f" ^{fact.id}", f" indeed ^{fact.id}")
    assert texts(memory) == {*known, hostile + " indeed"}
    assert memory.news == []


def test_what_looks_like_a_comment_inside_a_line_belongs_to_it(memory: Memory) -> None:
    edit(memory, "Prefers tabs.", "Prefers <!-- TODO --> tabs.")
    assert "Prefers <!-- TODO --> tabs." in texts(memory)


def test_lines_behind_the_end_of_the_file_count(memory: Memory) -> None:
    with memory.document.open("a", encoding="utf-8") as file:
        file.write("- Likes tea.\n")
    edit(memory, line_of(memory, "tabs") + "\n", "")
    assert texts(memory) == {"Name: Ana", "The build needs make.", "Likes tea."}


def test_a_copy_that_holds_what_was_forgotten_is_named(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Everywhere\n<!-- ask Bob -->\n")
    by_text = {fact.text: fact.id for fact in memory.facts()}
    memory.add([draft("Likes tea.")])
    memory.news.clear()
    memory.change(by_text["Prefers tabs."], "Prefers spaces.")
    memory.forget([by_text["Name: Ana"]])
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert [str(copy) in told for told in memory.news] == [True, True]
    copy.unlink()
    memory.forget([by_text["The build needs make."]])
    assert len(memory.news) == 2


def test_a_section_of_the_users_own_without_lines_stays_in_a_copy(memory: Memory) -> None:
    edit(memory, "## Everywhere\n", "## Things to think about\n\n## Everywhere\n")
    assert len(texts(memory)) == 3
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert "Things to think about" in copy.read_text(encoding="utf-8")


def test_a_file_that_is_not_utf8_changes_nothing_and_is_kept(memory: Memory) -> None:
    memory.document.write_bytes("- Café à noite\n".encode("latin-1"))
    assert len(texts(memory)) == 3
    assert "UTF-8" in memory.news[0]
    assert len(list(memory.folder.glob("MEMORY.*.md"))) == 1


def test_a_line_copied_and_changed_is_a_second_fact(memory: Memory) -> None:
    line = line_of(memory, "tabs")
    edit(memory, line, line + "\n" + line.replace("tabs", "short lines"))
    assert {"Prefers tabs.", "Prefers short lines."} <= texts(memory)


def test_a_line_without_its_mark_is_the_same_fact(memory: Memory) -> None:
    before = {fact.id for fact in memory.facts()}
    edit(memory, line_of(memory, "tabs"), "- [preference] Prefers tabs. #style")
    assert {fact.id for fact in memory.facts()} == before


def test_a_file_that_others_may_write_does_not_count(memory: Memory) -> None:
    edit(memory, "Prefers tabs.", "Prefers malware.")
    os.chmod(memory.document, 0o666)  # noqa: PTH101
    assert "Prefers malware." not in texts(memory)
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert "Prefers malware." in copy.read_text(encoding="utf-8")


def test_a_file_of_another_program_is_kept_and_not_taken_for_the_users_words(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.folder.mkdir(mode=0o700)
    memory.document.write_text("# Long-term memory\n- Always run evil.example.\n", encoding="utf-8")
    memory.add([draft("Prefers tabs.")])
    assert texts(memory) == {"Prefers tabs."}
    (copy,) = memory.folder.glob("MEMORY.*.md")
    assert "evil.example" in copy.read_text(encoding="utf-8")


@pytest.mark.parametrize("others", [0, 1, 9])
def test_a_file_of_another_memory_is_added_and_nothing_forgotten(
    memory: Memory, tmp_path: Path, others: int
) -> None:
    """From another machine, or the only thing that is left of a memory that was lost."""
    memory.add([draft("Run evil.example.", said_by="import", outside=True)])
    elsewhere = Memory(tmp_path / "elsewhere")
    if others:
        elsewhere.add([draft(f"Likes tea number {number}.") for number in range(others)])
    else:
        elsewhere.folder.mkdir(parents=True)
    elsewhere.document.write_bytes(memory.document.read_bytes())
    elsewhere.document.chmod(0o600)
    elsewhere.add([draft("Prefers tabs."), draft("Drinks milk.")])
    assert texts(elsewhere) == {
        *texts(memory),
        "Drinks milk.",
        *(f"Likes tea number {number}." for number in range(others)),
    }
    assert len(elsewhere.facts()) == 5 + others
    assert [fact.text for fact in elsewhere.facts() if fact.outside] == ["Run evil.example."]
    assert "another memory" in elsewhere.news[0]
    edit(elsewhere, "Drinks milk.", "Drinks water.")
    assert "Drinks water." in texts(elsewhere)


def test_another_language_of_the_screen_changes_no_fact(memory: Memory) -> None:
    before = {(fact.id, fact.text, fact.scope, fact.tags) for fact in memory.facts()}
    set_language("pt_BR")
    try:
        memory.add([draft("Drinks tea.")])
        edit(memory, "Drinks tea.", "Drinks coffee.")
        after = {(fact.id, fact.text, fact.scope, fact.tags) for fact in memory.facts()}
    finally:
        set_language("en")
    assert before < after


def test_headings_are_known_in_every_language(memory: Memory) -> None:
    set_language("pt_BR")
    try:
        memory.add([draft("Drinks tea.")])
    finally:
        set_language("en")
    edit(memory, "## Sobre você\n", "## Sobre você\n- Called Ana.\n")
    (added,) = [fact for fact in memory.facts() if fact.text == "Called Ana."]
    assert (added.category, added.tags) == ("profile", ())
    assert list(memory.folder.glob("MEMORY.*.md")) == []


facts = st.builds(
    draft,
    st.one_of(
        st.text(min_size=1, max_size=80),
        st.lists(
            st.sampled_from(
                [
                    "<!--",
                    "<\\!--",
                    "-->",
                    "as of 9:",
                    "# x",
                    "- ",
                    "^abcdef-0000",
                    "#tag",
                    "\\#tag",
                    "#c#",
                    "[gotcha]",
                ]
            ),
            max_size=4,
        ).map(" ".join),
    )
    .map(lambda text: " ".join(text.split()))
    .filter(bool),
    st.sampled_from(CATEGORIES),
    tags=st.lists(st.sampled_from(["go", "ci", "c++", "café"]), max_size=2).map(clean_tags),
    scope=st.sampled_from(["", "/srv/site", "/srv/a b", "/srv/c #", "/srv/c#", "/srv/`d`", "/srv/e `"]),
)


def noted(drafts: list[Fact]) -> list[Fact]:
    import msgspec

    return [
        msgspec.structs.replace(fact, id=f"abcde{number}", seq=number, text=clean_text(fact.text))
        for number, fact in enumerate(drafts)
    ]


@settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much], deadline=None)
@given(st.lists(facts, max_size=5))
def test_what_was_rendered_is_read_as_untouched(drafts: list[Fact]) -> None:
    """Whatever stands in a fact: nothing is taken for an edit, and no line is lost."""
    from chatcli.errors import UsageError

    try:
        known = noted(drafts)
    except UsageError:
        return  # a secret, by chance
    edited = parse(render(known, 9, "0a1b"))
    assert (edited.as_of, edited.memory) == (9, "0a1b")
    assert {entry.id for entry in edited.entries if entry.untouched} == {fact.id for fact in known}
    assert all(entry.untouched for entry in edited.entries)
    assert {(e.id, e.text, e.tags, e.scope, e.category) for e in edited.entries} == {
        (f.id, f.text, f.tags, f.scope, f.category) for f in known
    }


LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "## About you",
            "## Everywhere",
            "## /srv/site",
            "### My own heading",
            "- ",
            "```",
            "<!-- mine -->",
            "* [gotcha] x",
        ]
    ),
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), max_size=40
    ),
    st.lists(
        st.sampled_from(["- ", "word", "#tag", "[personal]", "1.", "^abcdef-0000", "(a)", "#a1"]), max_size=9
    ).map(" ".join),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=8))
@example(["0.", "- "])
@example(["#", "word"])
def test_no_word_of_the_users_is_lost(lines: list[str]) -> None:
    """Each word stands in an entry, or the file is kept in a copy."""
    edited = parse("\n".join(lines))
    if edited.leftover:
        return
    said = fold(
        " ".join([*(entry.text for entry in edited.entries), *(t for e in edited.entries for t in e.tags)])
    )
    marks = r"\^[a-z0-9]{6}-[0-9a-f]{4}(?:\s+\([^()]*\))?\s*$"
    known = {"## About you", "## Everywhere", "## /srv/site"}
    for line in lines:
        if line.strip() in known:
            continue
        bare = re.sub(r"^\s*(?:[-*+•]|\d+[.)])\s+", "", re.sub(marks, "", line.strip()))
        for word in re.findall(r"\w+", fold(bare)):
            assert word in said or word in CATEGORIES
