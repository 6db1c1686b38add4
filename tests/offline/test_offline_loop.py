"""What OFFLINE answers when it drives the real loop and the real tools."""

from __future__ import annotations

import pytest

CLOSING = "OFFLINE: answered by rules, not by a model. `chatcli setup` connects one."


async def test_a_folder_is_summed_up(ask) -> None:
    told = await ask("what is in this folder?")
    assert "7 files in 2 folders" in told.text
    assert "Python project (`pyproject.toml`)" in told.text
    assert "`sample/` (3)" in told.text
    assert "`.py` 3" in told.text
    assert (told.end, told.turns) == ("answered", 2)


@pytest.mark.parametrize("question", ["hello", "what is in this folder?", "show nothing.txt", "paint a cat"])
async def test_every_answer_says_that_no_model_gave_it(ask, question) -> None:
    assert (await ask(question)).text.rstrip().endswith(f"*{CLOSING}*")


async def test_a_question_in_portuguese_is_answered_in_portuguese(ask) -> None:
    told = await ask("o que há nesta pasta?")
    assert "7 arquivos" in told.text
    assert "nenhum modelo" in told.text or "não por um modelo" in told.text


async def test_a_file_is_shown_with_its_range(ask) -> None:
    told = await ask("show docs/guide.md")
    assert "`docs/guide.md`, lines 1 to 5 of 5" in told.text
    assert "```markdown\none\ntwo\nthree\nfour\nfive\n```" in told.text


async def test_lines_are_shown_by_range(ask) -> None:
    told = await ask("show lines 2-3 of docs/guide.md")
    assert "lines 2 to 3 of 5" in told.text
    assert "two\nthree\n```" in told.text


async def test_the_end_of_a_file_is_shown(ask) -> None:
    assert "four\nfive\n```" in (await ask("show the last 2 lines of docs/guide.md")).text


async def test_a_folder_that_was_taken_for_a_file_is_listed(ask) -> None:
    told = await ask("show sample")
    assert "adder.py" in told.text
    assert told.turns == 3


async def test_a_name_that_is_nearly_right_is_corrected(ask) -> None:
    told = await ask("show adder.py")
    assert "`sample/adder.py`" in told.text
    assert "def add(a, b):" in told.text


async def test_a_file_that_is_not_there_is_told(ask) -> None:
    told = await ask("show nothing.txt")
    assert "nothing.txt does not exist" in told.text


async def test_a_file_full_of_backticks_cannot_leave_its_block(ask, project) -> None:
    (project / "evil.md").write_text("```\n# big\n````\n", encoding="utf-8")
    assert "`````markdown\n```\n# big\n````\n`````" in (await ask("show evil.md")).text


async def test_the_readme_is_found(ask) -> None:
    assert "A project that adds numbers." in (await ask("mostre o readme")).text


async def test_where_finds_definition_files_and_mentions(ask) -> None:
    told = await ask("where is main?")
    assert "`main` is defined in `sample/main.py:4`: `def main():`" in told.text
    assert "`sample/main.py`" in told.text


async def test_where_finds_other_spellings(ask) -> None:
    assert "`sample/adder.py:4`" in (await ask("onde fica a retry policy?")).text


async def test_a_definition_is_found(ask) -> None:
    assert "`sample/adder.py:8`" in (await ask("find the function add")).text


async def test_a_capital_is_meant_so_that_the_class_is_not_lost_among_variables(ask, project) -> None:
    lines = [*(f"    console = Console({n})" for n in range(12)), "class Console:", "    pass"]
    (project / "screen.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = await ask("where is Console defined?")
    assert "`Console` is defined in `screen.py:13`: `class Console:`" in told.text


async def test_what_is_defined_nowhere_is_searched(ask) -> None:
    told = await ask("where is numbers defined?")
    assert "no definition of `numbers`" in told.text
    assert "README.md" in told.text


async def test_matches_are_grouped_by_file_with_line_numbers(ask) -> None:
    told = await ask("search for 'add(' in sample")
    assert "sample/adder.py\n  8: def add(a, b):" in told.text
    assert "sample/main.py\n  5: print(add(1, 2))" in told.text


async def test_nothing_found_is_said(ask) -> None:
    assert "Nothing found for `xyzzy`" in (await ask("search for xyzzy")).text


async def test_todos_are_listed(ask) -> None:
    assert "9: # TODO: check types" in (await ask("list the TODOs")).text


async def test_files_are_found_by_name(ask) -> None:
    told = await ask("list *.md files")
    assert "2 files" in told.text
    assert "docs/guide.md" in told.text


async def test_lines_and_files_are_counted(ask) -> None:
    assert "5 lines" in (await ask("how many lines does docs/guide.md have?")).text
    assert "7 files" in (await ask("quantos arquivos há aqui?")).text.replace("arquivos", "files")
    assert "3 files" in (await ask("how many files are in sample?")).text
    assert "There is 1 file here." in (await ask("how many files are in docs?")).text


async def test_the_kind_of_project_is_told(ask) -> None:
    told = await ask("what kind of project is this?")
    assert "Python project" in told.text
    assert "Name: `sample`" in told.text
    assert "A project that adds numbers." in told.text


async def test_the_tests_are_run_the_way_the_project_says(ask, person) -> None:
    told = await ask("run the tests")
    assert [tool.summary for tool in told.tools if tool.name == "exec"] == ["make test"]
    assert "two tests passed" in told.text
    assert "`make test` succeeded" in told.text
    assert len(person.questions) == 1


async def test_a_command_that_fails_is_told_with_its_exit_code(ask) -> None:
    told = await ask("run ls no-such-file")
    assert "failed with exit code 2" in told.text
    assert "no-such-file" in told.text


async def test_a_long_output_is_told_by_its_end(ask) -> None:
    told = await ask("run seq 1 20000")
    assert "19999\n20000\n```" in told.text
    assert "lines before" not in told.text


async def test_a_replacement_is_approved_with_a_diff_and_written(ask, project, person) -> None:
    told = await ask("replace two by 2 in docs/guide.md")
    assert "-two\n+2\n" in person.questions[0].detail
    assert (project / "docs/guide.md").read_text(encoding="utf-8") == "one\n2\nthree\nfour\nfive\n"
    assert "/undo" in told.text


async def test_a_denied_change_is_not_done_and_said(ask, project, person) -> None:
    person.choice = "deny"
    told = await ask("create notes.txt with text hello")
    assert not (project / "notes.txt").exists()
    assert "not allowed" in told.text


async def test_a_file_is_created(ask, project) -> None:
    await ask("crie o arquivo notas.txt com o texto Olá mundo")
    assert (project / "notas.txt").read_text(encoding="utf-8") == "Olá mundo\n"


@pytest.mark.usefixtures("repository")
class TestGit:
    async def test_nothing_changed(self, ask) -> None:
        assert "Nothing has changed" in (await ask("what changed?")).text

    async def test_changes_are_told_with_their_diff(self, ask, project) -> None:
        (project / "docs/guide.md").write_text("one\n2\nthree\nfour\nfive\n", encoding="utf-8")
        (project / "new.txt").write_text("new\n", encoding="utf-8")
        told = await ask("o que mudou?")
        assert "docs/guide.md" in told.text
        assert "new.txt" in told.text
        assert "-two\n+2" in told.text

    async def test_the_branch_is_told(self, ask) -> None:
        assert "`trunk`" in (await ask("which branch am I on?")).text

    async def test_commits_are_listed(self, ask) -> None:
        assert "Add numbers" in (await ask("show the last 5 commits")).text

    async def test_blame_names_the_author(self, ask) -> None:
        assert "Ana" in (await ask("who wrote docs/guide.md?")).text


async def test_outside_a_repository_git_says_so(ask) -> None:
    assert "repository" in (await ask("git log")).text


async def test_chat_runs_nothing_and_says_how_to_go_on(ask) -> None:
    told = await ask("what is in this folder?", mode="chat")
    assert "`/agent what is in this folder?`" in told.text
    assert (told.tools, told.turns) == ([], 1)


async def test_talk_works_in_chat(ask) -> None:
    told = await ask("o que você pode fazer?", mode="chat")
    assert told.tools == []
    assert "/agent" not in told.text


@pytest.mark.parametrize("question", ["remember that x is 1", "recall x"])
async def test_what_needs_a_tool_that_is_not_there_says_so(ask, environment, question) -> None:
    environment["CHATCLI_MEMORY_MODE"] = "off"
    told = await ask(question)
    assert "not there" in told.text
    assert told.tools == []


async def test_what_it_is_told_to_remember_it_recalls(ask) -> None:
    assert "x is 1" in (await ask("remember that x is 1")).text
    assert "x is 1" in (await ask("recall x is")).text


async def test_what_is_not_understood_gets_five_examples(ask) -> None:
    told = await ask("escreva um poema sobre o mar")
    assert told.text.count("\n- `") == 5
