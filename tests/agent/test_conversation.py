"""What belongs to a conversation as a whole: attachments, resume, undo, new sessions, memory on disk."""

import io
import os
import re
import shutil
from pathlib import Path

import pytest

from chatcli.errors import BadRequest, StorageError
from chatcli.events import Notice, RunFinished, RunStarted
from chatcli.gate.questions import Answer
from chatcli.messages import Attachment, UserMessage
from tests.memory.labelled import draft
from tests.wire.script import by_turn, call, reply, status


def attachments(session) -> list[Attachment]:
    return [
        p for m in session.transcript if isinstance(m, UserMessage) for p in m.parts if hasattr(p, "path")
    ]


async def test_a_named_file_is_attached_whole_when_it_is_small(talk, project):
    async with talk([reply("It greets.")]) as t:
        await t.conversation.run("what is @hello.py?", attachments=[project / "hello.py"])
        (attached,) = attachments(t.conversation.session)
        assert attached.text == "[attached: hello.py — 2 lines, 30 chars]\ndef hello():\n    return 'olá'\n"
        assert attached.text in "\n".join(t.server.exchanges[0].seen.user_texts)


async def test_a_big_attachment_is_shortened_and_can_be_opened_whole(talk, project):
    content = "".join(f"line {n}\n" for n in range(10_000))
    (project / "big.txt").write_text(content, encoding="utf-8")
    async with talk([reply("Long.")]) as t:
        await t.conversation.run("@big.txt", attachments=[project / "big.txt"])
        (attached,) = attachments(t.conversation.session)
        assert len(attached.text) < 21_000
        saved = attached.text.split("full output saved to ")[1].split(",")[0]
        assert Path(saved).read_text(encoding="utf-8") == content
        assert t.conversation.session.archive.text(attached.original) == content


async def test_a_binary_file_is_refused_with_one_line_and_nothing_is_sent(talk, project):
    (project / "x.bin").write_bytes(b"\x7fELF\0\0")
    async with talk([reply("never")]) as t:
        with pytest.raises(StorageError, match="is not text"):
            await t.conversation.run("@x.bin", attachments=[project / "x.bin"])
        assert t.server.exchanges == []
        assert t.conversation.session.transcript == []


async def test_a_named_pipe_cannot_hang_the_attachment(talk, project):
    os.mkfifo(project / "pipe")
    async with talk([reply("never")]) as t:
        with pytest.raises(StorageError, match="cannot be attached"):
            await t.conversation.run("@pipe", attachments=[project / "pipe"])


async def test_piped_input_is_attached_to_the_text(talk):
    async with talk([reply("Three.")]) as t:
        await t.conversation.run("how many?", piped=io.BytesIO(b"a\nb\nc\n"))
        assert "[attached: stdin — 3 lines, 6 chars]" in "\n".join(t.server.exchanges[0].seen.user_texts)


async def test_undo_restores_what_the_last_run_changed(talk, project):
    before = (project / "hello.py").read_bytes()
    edit = {"file": "hello.py", "edits": [{"old": "olá", "new": "oi"}]}
    script = [
        reply(call("read", file="hello.py")),
        reply(call("patch", **edit), call("write", file="new.txt", content="n")),
        reply("Done."),
    ]
    async with talk(script) as t:
        await t.conversation.run("change it")
        assert b"oi" in (project / "hello.py").read_bytes()
        undone = t.conversation.undo()
        assert undone is not None
        assert (project / "hello.py").read_bytes() == before
        assert not (project / "new.txt").exists()
        assert t.conversation.undo() is None


async def test_a_resumed_session_extends_what_was_sent_byte_for_byte(talk, tmp_path, project):
    (project / "big.txt").write_text("".join(f"line {n}\n" for n in range(9_000)), encoding="utf-8")
    batch = reply(call("exec", command="cat big.txt"), call("read", file="hello.py"))
    async with talk([batch, reply("Big.")], wire="CLAUDEAI", autonomy="all") as t:
        await t.conversation.run("look")
        first = t.server.exchanges[-1].seen
    async with talk([reply("Still big.")], wire="CLAUDEAI", resume="latest") as t:
        await t.conversation.run("and now?")
        second = t.server.exchanges[-1].seen
    sent = [segment.data for segment in first.segments]
    assert [segment.data for segment in second.segments][: len(sent)] == sent


async def test_a_session_whose_archive_was_removed_goes_on(talk, tmp_path, project):
    script = [reply(call("read", file="hello.py")), reply("Read.")]
    async with talk(script) as t:
        await t.conversation.run("read @hello.py")
        archive = t.conversation.session.archive.folder
    shutil.rmtree(archive)
    async with talk([reply("Gone.", rewrite=True)], resume="latest") as t:
        finished = await t.conversation.run("and now?")
        assert (finished.end, finished.text) == ("answered", "Gone.")
        assert "no longer in the archive" in t.server.exchanges[0].seen.last_result


async def test_a_result_that_was_changed_in_the_archive_is_called_damaged(talk):
    async with talk([reply(call("read", file="hello.py")), reply("Read.")]) as t:
        await t.conversation.run("read @hello.py")
        original = t.results()[0].original
        stored = t.conversation.session.archive.folder / original.sha256
    stored.chmod(0o600)
    stored.write_bytes(stored.read_bytes().replace(b"hello", b"HELLO"))
    script = [reply(call("recall", keys=[original.key]), rewrite=True), reply("Damaged.")]
    async with talk(script, resume="latest") as t:
        await t.conversation.run("and now?")
        seen = t.server.exchanges[0].seen.last_result
        assert "is damaged in the archive" in seen
        assert "HELLO" not in seen
        told = f"{original.key}: this result is damaged in the archive. Run the tool again."
        assert t.server.exchanges[1].seen.last_result == told


LIE = """
import os, pathlib
for path in pathlib.Path(os.environ["CHATCLI_AGENT_TMPDIR"]).parent.glob("tool-results/*"):
    path.chmod(0o600)
    path.write_bytes(path.read_bytes().replace(b"line", b"LIES"))
print("done")
"""


async def test_what_a_command_did_to_a_saved_result_is_not_what_is_read(talk, project):
    (project / "big.txt").write_text(
        "".join(f"line {n} of the file\n" for n in range(4_000)), encoding="utf-8"
    )
    (project / "lie.py").write_text(LIE, encoding="utf-8")
    lie = "python3 lie.py"

    def saved(seen):
        return re.search(r"saved to (\S+?),", seen.results[0].text)[1]

    script = by_turn(
        reply(call("exec", command="cat big.txt")),
        lambda seen: reply(call("exec", command=lie), call("read", file=saved(seen), start=1, end=3)),
        lambda seen: reply(
            call("exec", command=lie), call("search", pattern="(?i)l[a-z]+ 3999 ", path=saved(seen))
        ),
        reply("Read."),
    )
    async with talk(script, autonomy="all") as t:
        await t.conversation.run("go")
        assert [result.status for result in t.results()] == ["ok"] * 5
        assert [t.result_text(index)[:5] for index in (1, 3)] == ["done\n"] * 2
        assert "line 1 of the file" in t.result_text(2)
        assert "line 3999 of the file" in t.result_text(4)
        assert all("LIES" not in t.result_text(index) for index in (2, 4))


async def test_clear_starts_a_new_session_and_the_old_one_can_be_resumed(talk):
    async with talk([reply("One."), reply("Two."), reply("Three.")]) as t:
        await t.conversation.run("1")
        first = t.conversation.session.id
        t.conversation.start_anew()
        assert t.conversation.session.id != first
        await t.conversation.run("2")
        assert len(t.server.exchanges[-1].seen.user_texts) == 1
        t.conversation.resume(first)
        await t.conversation.run("3")
        texts = " ".join(t.server.exchanges[-1].seen.user_texts)
        assert "1" in texts
        assert "3" in texts


async def test_what_was_allowed_for_the_session_is_not_asked_again(talk):
    script = [
        reply(call("exec", command="touch a.txt")),
        reply(call("exec", command="touch a.txt")),
        reply("ok"),
    ]
    async with talk(script, autonomy="ask", answers=[Answer("session")]) as t:
        await t.conversation.run("touch it twice")
        assert len(t.person.questions) == 1
        assert [r.status for r in t.results()] == ["ok", "ok"]


async def test_a_request_that_the_service_rejects_is_an_error_and_the_session_goes_on(talk):
    async with talk([status(400, "no"), reply("Hi.")], wire="CLAUDEAI") as t:
        with pytest.raises(BadRequest):
            await t.conversation.run("hello")
        assert t.events[-1].end == "failed"
        assert (await t.conversation.run("hello?")).text == "Hi."


async def test_costs_are_summed_up(talk):
    async with talk([reply("One."), reply("Two.")], wire="CLAUDEAI") as t:
        await t.conversation.run("1")
        await t.conversation.run("2")
        spent = t.conversation.spent
        assert spent.requests == 2
        assert spent.usd == pytest.approx(sum(r.cost_usd for r in t.conversation.session.usage))


async def test_a_file_that_a_marker_names_is_written_again_when_somebody_removed_it(talk, project):
    (project / "long.txt").write_text("a line of a long file\n" * 3_000, encoding="utf-8")
    script = [reply(call("exec", command="cat long.txt")), reply("Read."), reply("Yes.")]
    async with talk(script, autonomy="all") as t:
        await t.conversation.run("read it")
        folder = t.conversation.session.workspace.tool_results
        (saved,) = folder.iterdir()
        shutil.rmtree(folder)
        await t.conversation.run("is it there?")
        assert str(saved) in t.server.exchanges[-1].seen.results[0].text
        assert saved.read_text(encoding="utf-8").startswith("a line of a long file\n")


async def test_a_run_that_cannot_begin_ends_like_any_other(talk):
    async with talk([reply("Hi."), reply("Hi again.")]) as t:
        session = t.conversation.session
        archive = session.archive.folder
        archive.rmdir()
        archive.write_bytes(b"")
        with pytest.raises(StorageError):
            await t.conversation.run("hello")
        assert [type(event) for event in t.events] == [RunStarted, RunFinished]
        assert t.events[-1].end == "failed"
        assert not t.conversation.running
        archive.unlink()
        archive.mkdir()
        assert (await t.conversation.run("hello again")).end == "answered"
        assert [m.text for m in session.transcript if isinstance(m, UserMessage)] == ["hello", "hello again"]


async def test_whatever_fails_in_the_memory_the_run_goes_on(talk, monkeypatch):
    def broken(*_given, **_named):
        raise RuntimeError("a bug")

    async with talk([reply("Hi.")]) as t:
        t.conversation.memory.add([draft("Prefers tabs.")])
        monkeypatch.setattr("chatcli.memory.recall.Recall.find", broken)
        assert (await t.conversation.run("tabs?", mode="chat")).end == "answered"
        assert [notice.text for notice in t.told(Notice)] == [
            "The memory cannot be used: RuntimeError. The log file has the details."
        ]
