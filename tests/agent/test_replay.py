"""A replay makes the requests that were made, and changes nothing of what was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import structs

from chatcli.agent.foreign_recording import read_foreign
from chatcli.agent.recording import Recording, read_recording
from chatcli.agent.rehearsal import Service, Variant
from chatcli.agent.replay import Replayed, bills_of, replay
from chatcli.context.limits import Ageing
from chatcli.errors import UsageError
from chatcli.messages import AssistantMessage, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers.base import Block
from chatcli.session.entries import Compacted
from chatcli.session.session import Session
from chatcli.settings import Settings
from tests.wire.script import call, reply, think

CLAUDE = Service.of("CLAUDEAI", "claude-sonnet-5-5")
UNCACHED = Service(name="ZAI", model="unknown-model", cache="none")
LONG = "a line of a file that is read again and again\n" * 350


def record(session: Session, turns: int) -> None:
    session.add_user((Text("Read it all."),))
    for turn in range(turns):
        id = f"call_{turn}"
        session.add_assistant(
            (ToolCall(id=id, name="read"),), provider="CLAUDEAI", model="claude-sonnet-5-5", stop_reason="end"
        )
        original = session.archive.put_text(f"{turn}\n{LONG}")
        session.add_result(call_id=id, name="read", original=original, read_only=True, self_limited=True)
    session.add_assistant((Text("Done."),), provider="CLAUDEAI", model="claude-sonnet-5-5", stop_reason="end")


@pytest.fixture
def session(tmp_path: Path):
    (tmp_path / "tmp").mkdir()
    made = Session.create(tmp_path / "home", tmp_path, tmp=tmp_path / "tmp", quota_bytes=10**9)
    record(made, 30)
    yield made
    made.close()


def run(recording: Recording, schedule: str, service: Service = CLAUDE, **changed: object) -> Replayed:
    ageing = Ageing.from_settings(structs.replace(Settings(), **changed))
    return replay(recording, Variant(schedule=schedule, ageing=ageing), service, ())


def test_a_session_that_is_open_is_read_and_nothing_is_written(session: Session, tmp_path: Path) -> None:
    def everything() -> dict[str, tuple[int, int]]:
        files = (path for path in tmp_path.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    before = everything()
    recording = read_recording(tmp_path / "home", session.id)
    assert recording.messages == tuple(session.transcript)
    assert recording.answered_by == ("CLAUDEAI", "claude-sonnet-5-5")
    replayed = run(recording, "auto")
    assert len(replayed.steps) == 31
    assert everything() == before


def test_rewriting_when_it_pays_is_cheaper_than_always_and_never(session: Session, tmp_path: Path) -> None:
    recording = read_recording(tmp_path / "home", session.id)
    auto, eager, off = (run(recording, schedule) for schedule in ("auto", "eager", "off"))
    assert off.rewrites == 0
    assert 0 < auto.rewrites <= eager.rewrites
    assert auto.cost_usd < min(eager.cost_usd, off.cost_usd)
    assert eager.peak_tokens < auto.peak_tokens < off.peak_tokens


def test_all_that_is_sent_is_billed_once(session: Session, tmp_path: Path) -> None:
    recording = read_recording(tmp_path / "home", session.id)
    cached, plain = run(recording, "off"), run(recording, "off", structs.replace(CLAUDE, cache="none"))
    assert [step.usage.context for step in cached.steps] == pytest.approx(
        [step.usage.input for step in plain.steps], abs=2
    )


def test_without_a_cache_auto_is_eager_and_an_unknown_price_stays_unknown(
    session: Session, tmp_path: Path
) -> None:
    recording = read_recording(tmp_path / "home", session.id)
    auto, eager = run(recording, "auto", UNCACHED), run(recording, "eager", UNCACHED)
    assert auto.steps == eager.steps
    assert auto.cost_usd is None


def test_settings_change_what_would_have_been_sent(session: Session, tmp_path: Path) -> None:
    recording = read_recording(tmp_path / "home", session.id)
    usual = run(recording, "eager")
    assert run(
        recording, "eager", microcompact_truncate_turns=9, microcompact_summarize_turns=9
    ).peak_tokens > (usual.peak_tokens)


def test_a_long_pause_makes_rewriting_free(session: Session, tmp_path: Path) -> None:
    recording = read_recording(tmp_path / "home", session.id)
    paused = {seq: seconds + 3_600.0 * (seq > 20) for seq, seconds in recording.seconds.items()}
    blocks = (Block("core", "Some words of a long prompt. " * 200),)
    replayed = run(structs.replace(recording, seconds=paused, blocks=blocks), "auto")
    (cold,) = (n for n, step in enumerate(replayed.steps) if n and step.usage.cache_read == 0)
    assert replayed.steps[cold].rewrites > 0


CLAUDE_CODE = [
    {"type": "summary", "summary": "x"},
    {"type": "user", "timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "Hi"}},
    {
        "type": "assistant",
        "timestamp": "2026-11-01T10:00:05.000Z",
        "message": {
            "id": "msg_1",
            "model": "claude-opus-5",
            "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "I look."}],
        },
    },
    {
        "type": "assistant",
        "timestamp": "2026-11-01T10:00:06.000Z",
        "message": {
            "id": "msg_1",
            "model": "claude-opus-5",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a"}}],
        },
    },
    {"type": "assistant", "isSidechain": True, "message": {"id": "msg_9", "content": "not this"}},
    {
        "type": "user",
        "timestamp": "2026-11-01T10:00:07.000Z",
        "message": {
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "one\n"}, {"type": "image"}],
                }
            ]
        },
    },
    {"type": "assistant", "message": {"id": "msg_2", "model": "claude-opus-5", "content": "Done."}},
]
GO_CHATCLI = [
    {"from": "system", "value": "You are"},
    {"from": "human", "value": "Hi"},
    {"from": "gpt", "value": 'I look.\n<tool_call name="@coder">{"cmd":"read","args":{}}</tool_call>'},
    {"from": "tool", "value": "<tool_response>one\n</tool_response>"},
    {"from": "gpt", "value": "Done."},
]


@pytest.mark.parametrize("lines", [CLAUDE_CODE, GO_CHATCLI])
def test_transcripts_of_other_agents_can_be_replayed(tmp_path: Path, lines: list[dict]) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n", encoding="utf-8")
    recording = read_foreign(path)
    user, first, result, last = recording.messages
    assert isinstance(user, UserMessage)
    assert isinstance(first, AssistantMessage)
    assert isinstance(result, ToolResult)
    assert (user.text, first.text, last.text) == ("Hi", "I look.", "Done.")
    assert result.call_id == first.calls[0].id
    assert recording.store.text(result.original) == "one\n"
    assert result.read_only
    assert len(run(recording, "auto").steps) == 2


def test_a_file_without_a_conversation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n[]\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no conversation"):
        read_foreign(path)


def test_a_summary_of_the_session_is_in_force_in_the_replay_too(session: Session, tmp_path: Path) -> None:
    compaction = Compacted(
        seq=0,
        at="",
        upto_seq=session.transcript[-2].seq - 2,
        summary="## Task\nRead it all.",
        reason="asked",
        before_tokens=2,
        after_tokens=1,
    )
    session.record_compaction(compaction)
    record(session, 2)
    session.undo_compaction()
    record(session, 2)
    sizes = [step.usage.context for step in run(read_recording(tmp_path / "home", session.id), "off").steps]
    assert len(sizes) == 31 + 3 + 3
    assert max(sizes[31:34]) < sizes[30] / 5
    assert min(sizes[34:]) > sizes[30]


async def test_the_variant_that_was_recorded_comes_near_its_bill(talk, tmp_path: Path, project: Path) -> None:
    """The server counts a token in four bytes: less than what is known of this model."""
    for number in range(12):
        (project / f"{number}.py").write_text(f"# {number}\n{LONG}", encoding="utf-8")
    script = [
        *(reply(think("Hm. " * 300), call("read", file=f"{n}.py"), rewrite=True) for n in range(12)),
        reply("Done.", rewrite=True),
    ]
    async with talk(script, wire="CLAUDEAI") as t:
        await t.conversation.run("Read it all.")
        session, tools = t.conversation.session, t.conversation.registry.schemas()
        recording = read_recording(tmp_path / "home", session.id)
    service = Service.of(*recording.answered_by)
    replayed = replay(recording, Variant(), service, tools)
    sizes = [record.usage.context for record in session.usage]
    assert service.tokens_ratio * sum(record.estimated_tokens for record in session.usage) > 1.2 * sum(sizes)
    assert replayed.usage.context == pytest.approx(sum(sizes), rel=0.05)
    assert replayed.peak_tokens == pytest.approx(max(sizes), rel=0.05)
    assert replayed.usage.output == sum(record.usage.output for record in session.usage)
    assert replayed.cost_usd == pytest.approx(sum(record.cost_usd for record in session.usage), rel=0.1)
    assert not bills_of(recording, Service.of("OPENAI", "gpt-5.1"))
