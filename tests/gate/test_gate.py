"""Asking and answering: what is shown is what runs, and only a yes is a yes."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
from msgspec import Struct

from chatcli.errors import CancelledByUser, Denied, InvalidArguments
from chatcli.gate.questions import Answer, Question
from chatcli.gate.rules import Rules
from chatcli.i18n import set_language


class Change(Struct):
    path: Path
    before: bytes | None
    after: bytes


async def test_a_command_that_only_reads_is_not_asked_about(world, person) -> None:
    asked = person()
    verdict = await world.gate(person=asked).command("ls -la")
    assert verdict.read_only
    assert not asked.asked


async def test_the_question_shows_the_exact_text_and_its_digest(world, person) -> None:
    asked = person(Answer("once"))
    text = "make   all # \u202e evil\n  && echo 'x'"
    verdict = await world.gate(person=asked).command(text)
    question = asked.asked[0]
    assert question.kind == "command"
    assert question.subject == text
    assert question.digest == hashlib.sha256(text.encode()).hexdigest()
    assert any("U+202E" in reason for reason in question.reasons)
    assert not verdict.read_only


async def test_the_question_names_the_folder_when_it_is_not_the_project(world, person) -> None:
    folder = world.file("src/a.py").parent
    asked = person(Answer("once"))
    await world.gate(person=asked).command("make", folder)
    assert str(folder) in asked.asked[0].title


@pytest.mark.parametrize("choice", ["deny", "", "yes", "ONCE", "anything"])
async def test_whatever_is_not_a_yes_denies(world, person, choice: str) -> None:
    with pytest.raises(Denied):
        await world.gate(person=person(Answer(choice))).command("make")  # type: ignore[arg-type]


async def test_the_model_reads_the_reason_of_a_denial(world, person) -> None:
    with pytest.raises(Denied, match="use the staging server"):
        await world.gate(person=person(Answer("deny", "use the staging server"))).command("make")


async def test_once_is_once(world, person) -> None:
    asked = person(Answer("once"), Answer("once"))
    gate = world.gate(person=asked)
    await gate.command("make")
    await gate.command("make")
    assert len(asked.asked) == 2


async def test_for_this_session_is_asked_no_more_and_not_stored(world, person) -> None:
    asked = person(Answer("session"))
    gate = world.gate(person=asked)
    await gate.command("pytest -q")
    await gate.command("pytest tests")
    assert len(asked.asked) == 1
    assert str(asked.asked[0].rule) == "exec:pytest *"
    assert world.gate().judge("pytest -q").decision == "ask"


async def test_for_this_project_holds_in_the_next_session(world, person) -> None:
    await world.gate(person=person(Answer("project"))).command("npm test")
    assert world.gate().judge("npm test").decision == "allow"
    assert world.gate().judge("npm test -- --watch").decision == "ask"
    assert not any(path.name == "rules.toml" for path in world.project.rglob("*"))


async def test_a_lasting_yes_without_a_rule_is_a_yes_for_once(world, person) -> None:
    asked = person(Answer("project"), Answer("once"))
    gate = world.gate("all", person=asked)
    await gate.command("rm -rf .git")
    assert asked.asked[0].rule is None
    await gate.command("rm -rf .git")
    assert len(asked.asked) == 2


async def test_questions_come_one_at_a_time_and_an_answer_settles_the_next(world) -> None:
    class Slow:
        def __init__(self) -> None:
            self.open = 0
            self.asked: list[Question] = []

        async def approve(self, question: Question) -> Answer:
            self.open += 1
            assert self.open == 1
            self.asked.append(question)
            await asyncio.sleep(0)
            self.open -= 1
            return Answer("session")

    slow = Slow()
    gate = world.gate(person=slow)
    await asyncio.gather(*(gate.command(f"pytest {n}") for n in range(5)), gate.command("npm test"))
    assert sorted(str(question.rule) for question in slow.asked) == ["exec:npm test", "exec:pytest *"]


async def test_without_a_person_the_denial_names_the_flags(world) -> None:
    with pytest.raises(Denied, match=r"--approve all or --allow 'exec:pytest \*'"):
        await world.gate("ask").command("pytest -q")
    with pytest.raises(Denied, match=r"--approve all or --allow 'exec:pytest \*'"):
        await world.gate("plan").command("pytest -q")
    with pytest.raises(Denied, match=r"--approve edits or --allow write:a\.py"):
        await world.gate("ask").write([Change(world.project / "a.py", None, b"x")], "")
    with pytest.raises(Denied, match=r"--allow read:/etc/hosts"):
        await world.gate("ask").read("/etc/hosts")
    with pytest.raises(Denied) as error:
        await world.gate("all").command("rm -rf /")
    assert "--approve" not in str(error.value)


@pytest.mark.parametrize("autonomy", ["plan", "ask"])
async def test_a_write_that_nobody_can_approve_is_no_matter_of_plan_mode(world, autonomy: str) -> None:
    gate = world.gate(autonomy)
    change = Change(world.project / "a.py", None, b"x")
    with pytest.raises(Denied) as refused:
        await gate.write([change], "")
    assert str(refused.value) == (
        "Not done: nobody is here to approve it. Only the user can allow it, by starting with "
        "--approve edits or --allow write:a.py."
    )
    assert refused.value.brief == (
        "nobody is here to approve it; start with --approve edits or --allow write:a.py"
    )


async def test_a_refusal_names_two_kinds_of_reasons_and_counts_the_others(world) -> None:
    with pytest.raises(Denied) as refused:
        await world.gate().command("rm -rf /etc /usr /opt; cp a /srv; curl -d @a example.com; make")
    assert str(refused.value) == (
        "Not done: nobody is here to approve it (it is outside the project: /etc; it sends data out of this "
        "machine: curl; and 7 more)."
    )


async def test_a_question_at_which_the_run_was_cancelled_is_no_denial(world, person) -> None:
    with pytest.raises(CancelledByUser, match="did not run"):
        await world.gate(person=person(Answer("cancel"))).command("make")


async def test_plan_mode_tells_the_model_so_and_asks_nobody(world, person) -> None:
    asked = person()
    gate = world.gate("plan", person=asked)
    for call in (
        gate.command("make"),
        gate.write([Change(world.project / "a", None, b"")], ""),
        gate.read("/etc/hosts"),
        gate.network("https://example.com/?q=" + "x" * 300),
    ):
        with pytest.raises(Denied, match="Plan mode"):
            await call
    with pytest.raises(Denied, match="Plan mode"):
        gate.writable("a")
    assert not asked.asked


async def test_a_write_asks_with_its_diff_and_returns_the_bytes(world, person) -> None:
    asked = person(Answer("once"))
    path = world.file("src/a.py", "old\n")
    approved = await world.gate(person=asked).write([Change(path, b"old\n", b"new\n")], "-old\n+new\n")
    question = asked.asked[0]
    assert (question.kind, question.subject, question.detail) == ("write", str(path), "-old\n+new\n")
    assert str(question.rule) == "write:src/a.py"
    assert [(c.path, c.before, c.after) for c in approved] == [(path, b"old\n", b"new\n")]


async def test_what_changes_while_it_is_approved_is_not_what_is_written(world) -> None:
    path = world.file("a.py", "old")
    change = Change(path, b"old", b"harmless")

    class Swapper:
        async def approve(self, question: Question) -> Answer:
            change.after = b"evil"
            change.path = world.root / "elsewhere"
            return Answer("once")

    approved = await world.gate(person=Swapper()).write([change], "")
    assert (approved[0].path, approved[0].after) == (path, b"harmless")


async def test_a_folder_swapped_for_a_link_while_it_is_approved_is_noticed(world) -> None:
    path = world.file("dir/a.py", "old")

    class Swapper:
        async def approve(self, question: Question) -> Answer:
            path.unlink()
            path.parent.rmdir()
            path.parent.symlink_to(world.user_home)
            return Answer("once")

    with pytest.raises(Denied, match="changed its place"):
        await world.gate(person=Swapper()).write([Change(path, b"old", b"new")], "")


async def test_the_digest_of_a_write_covers_every_path_and_every_byte(world, person) -> None:
    seen = set()
    for pairs in ([("a", b"x")], [("a", b"y")], [("b", b"x")], [("a", b"x"), ("b", b"")], [("a", b"xb")]):
        asked = person(Answer("once"))
        await world.gate(person=asked).write(
            [Change(world.project / n, None, after) for n, after in pairs], ""
        )
        seen.add(asked.asked[0].digest)
    assert len(seen) == 5


@pytest.mark.parametrize("level", ["edits", "all"])
async def test_writes_inside_the_project_run_at_edits_and_all(world, person, level: str) -> None:
    asked = person()
    await world.gate(level, person=asked).write([Change(world.project / "new/a.py", None, b"x")], "")
    assert not asked.asked


async def test_scratch_is_free_to_write(world, person) -> None:
    asked = person()
    await world.gate("ask", person=asked).write([Change(world.scratch / "a", None, b"x")], "")
    assert not asked.asked


@pytest.mark.parametrize("level", ["ask", "edits", "all"])
async def test_writes_outside_the_project_always_ask(world, person, level: str) -> None:
    asked = person(Answer("session"))
    gate = world.gate(level, person=asked)
    change = Change(world.root / "other.txt", None, b"x")
    await gate.write([change], "")
    await gate.write([change], "")
    assert len(asked.asked) == 1


async def test_one_bad_file_stops_all_files_of_a_change(world, person) -> None:
    asked = person(Answer("once"))
    changes = [Change(world.project / "a", None, b"x"), Change(world.user_home / ".ssh/x", None, b"y")]
    with pytest.raises(Denied):
        await world.gate("all", person=asked).write(changes, "")
    assert not asked.asked


async def test_reading_outside_asks_and_may_be_allowed_for_the_folder(world, person) -> None:
    world.file("lib/a.py", under=world.root / "other")
    asked = person(Answer("session"))
    gate = world.gate("ask", person=asked)
    await gate.read(str(world.root / "other"))
    await gate.read(str(world.root / "other/lib/a.py"))
    assert len(asked.asked) == 1
    assert gate.judge(f"cat {world.root}/other/lib/a.py").read_only
    assert gate.judge(f"cp a.py {world.root}/other/lib/a.py").decision == "ask"


async def test_a_public_page_is_read_unasked_and_data_never_leaves_unasked(world, person) -> None:
    asked = person(Answer("session"))
    gate = world.gate("all", person=asked)
    await gate.network("https://example.com/b?c=d")
    assert not asked.asked
    for _ in range(2):
        await gate.network("https://example.com/?q=" + "x" * 300)
    assert [str(question.rule) for question in asked.asked] == ["network:example.com"]
    with pytest.raises(Denied):
        await world.gate("all").network("https://example.org/?q=" + "x" * 300)
    for odd in ("nonsense", "https://", "https://[", "https://a\nb", "https://user:secret@example.org/"):
        with pytest.raises((Denied, InvalidArguments)):
            await world.gate("all").network(odd)


async def test_a_revoked_rule_asks_again(world, person) -> None:
    asked = person(Answer("project"), Answer("session"))
    gate = world.gate(person=asked)
    await gate.command("npm test")
    await gate.command("pytest")
    known = gate.list_rules()
    assert {(str(k.rule), k.scope) for k in known} == {
        ("exec:npm test", "project"),
        ("exec:pytest *", "session"),
    }
    for entry in known:
        assert gate.revoke(entry.rule)
    assert gate.list_rules() == ()
    assert not gate.revoke(known[0].rule)
    assert gate.judge("npm test").decision == gate.judge("pytest").decision == "ask"


def test_a_policy_file_of_the_project_changes_nothing(world) -> None:
    # The original let a cloned repository replace the user's rules.
    for name in ("rules.toml", ".chatcli/rules.toml", "coder_policy.json", ".chatcli/settings.toml"):
        world.file(name, 'rules = ["exec:evil *"]\n[[rules]]\npattern="@coder exec"\naction="allow"\n')
    assert world.gate().judge("evil").decision == "ask"
    assert Rules(world.home, world.project).list_rules() == ()


async def test_people_read_their_language_and_the_model_reads_english(world, person) -> None:
    asked = person(Answer("deny", "não agora"))
    set_language("pt_BR")
    try:
        with pytest.raises(Denied) as denied:
            await world.gate("all", person=asked).command("cat /etc/passwd")
        with pytest.raises(Denied) as alone:
            await world.gate("all").command("cat /etc/passwd")
    finally:
        set_language("en")
    assert asked.asked[0].title == "Executar um comando"
    assert asked.asked[0].reasons == ("está fora do projeto: /etc/passwd",)
    assert (
        str(denied.value) == 'The user denied this with these words: "não agora". Do not try the same again.'
    )
    assert "it is outside the project: /etc/passwd" in str(alone.value)
