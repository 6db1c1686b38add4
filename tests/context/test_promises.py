"""The promises about tool results, over sessions in which anything may happen in any order.

A real session on a real disk: turns of any results, messages in between, views under whatever settings
are in force, crashes and resumes, compactions and their undoing, files that go away.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import structs

from chatcli.agent.store import SessionStore
from chatcli.context.assemble import assemble
from chatcli.context.budget import enforce_tool_result_budget
from chatcli.context.limits import Ageing, Limits
from chatcli.context.microcompact import apply_microcompact, clear
from chatcli.context.pairing import PairingReport, ensure_tool_result_pairing
from chatcli.context.pipeline import Pipeline, View
from chatcli.context.recovery import cuts
from chatcli.context.scheduler import Occasion
from chatcli.messages import AssistantMessage, Message, Text, ToolCall, ToolResult, UserMessage
from chatcli.providers import anthropic_body
from chatcli.providers.encoding import encode
from chatcli.session.entries import PINNED, RELEASED, Compacted, Decision
from chatcli.session.session import Session
from tests.context.builders import Originals, Story, lines_of
from tests.context.sessions import ageings, limits, occasions
from tests.context.texts import contents

QUOTA_BYTES = 1_000_000_000
BIG = lines_of(4_000)
"""Every session has a saved result from its beginning."""
NOTE = Text("[context — mode: agent]", origin="context")


@st.composite
def outputs(draw: st.DrawFn) -> tuple[bytes, bool, bool]:
    """What a tool returned, whether it only read, whether that was asked for verbatim."""
    text = draw(contents)
    data = draw(st.sampled_from([text.encode("utf-8", "surrogatepass"), b"\xff\x00\xe2\x82"]))
    return data, draw(st.booleans()), draw(st.booleans())


class AnySession(RuleBasedStateMachine):
    """One session. What the tools returned is kept here as well, to be compared with."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="chatcli-promises-"))
        for name in ("tmp", "project"):
            (self.root / name).mkdir()
        self.returned: dict[int, bytes] = {}
        self.said: list[str] = []
        self.before: View | None = None
        self.moved: set[int] = set()
        """Results whose presentation was decided anew since the view before; -1: everything may differ."""
        self.lost = False
        """The workspace went away since the last view, whose markers may name its files."""

    @initialize(limits=limits, ageing=ageings)
    def begin(self, limits: Limits, ageing: Ageing) -> None:
        self.session = Session.create(
            self.root / "home", self.root / "project", tmp=self.root / "tmp", quota_bytes=QUOTA_BYTES
        )
        self._use(limits, ageing)
        self.user("Begin.")
        self.turn([(BIG.encode(), False, False)], interrupted=1)
        self.ask(Occasion(schedule="off"))

    @rule(limits=limits, ageing=ageings)
    def change_settings(self, limits: Limits, ageing: Ageing) -> None:
        self._use(limits, ageing)

    @rule(text=st.sampled_from(["Go on.", "And the\nother thing.", "Stop."]))
    def user(self, text: str) -> None:
        words = f"{text} ({len(self.said)})"
        self.said.append(words)
        self.session.add_user((Text(words), NOTE))

    @rule(results=st.lists(outputs(), min_size=1, max_size=3), interrupted=st.integers(0, 6))
    def turn(self, results: Sequence[tuple[bytes, bool, bool]], interrupted: int) -> None:
        """Calls with their results; a crash may come before the last of them."""
        calls = [ToolCall(id=f"c{number}", name="read") for number in range(len(results))]
        self.session.add_assistant(calls, provider="X", model="m", stop_reason="tool_calls")
        for call, (data, read_only, verbatim) in zip(calls, results, strict=True):
            if interrupted == 0 and call is calls[-1]:
                self.crash()
                return
            sink = self.session.archive.sink()
            sink.write(data)
            result = self.session.add_result(
                call_id=call.id,
                name=call.name,
                original=sink.finish(),
                read_only=read_only,
                verbatim=verbatim,
            )
            self.returned[result.seq] = data

    @rule()
    def crash(self) -> None:
        """Another process goes on; the workspace of the dead one is gone."""
        self.lost = True
        self.session.close()
        self.session = Session.resume(
            self.root / "home", self.session.id, tmp=self.root / "tmp", quota_bytes=QUOTA_BYTES
        )
        self._use(self.limits, self.ageing)
        self.moved |= {-1} if self.session.workspace_moved else set()

    @precondition(lambda self: self.before is not None)
    @rule(data=st.data())
    def compact(self, data: st.DataObject) -> None:
        assert self.before is not None
        session = self.session
        borders = list(cuts(self.before.messages, session.summed_up_to))
        if not borders:
            return
        cut = data.draw(st.sampled_from(borders))
        upto_seq = self.before.messages[cut].seq - 1
        draft = Compacted(
            seq=0,
            at="",
            upto_seq=upto_seq,
            pinned=tuple(seq for seq, shown in session.shown.items() if shown.pinned and seq <= upto_seq),
            summary="## Task\nAnything.",
            reason="asked",
            before_tokens=2,
            after_tokens=1,
        )
        self.session.record_compaction(draft)
        self.moved.add(-1)

    @rule()
    def undo_compaction(self) -> None:
        if self.session.undo_compaction():
            self.moved.add(-1)

    @rule(
        gone=st.sampled_from(["workspace", "results", "file"]), number=st.integers(0, 9), occasion=occasions
    )
    def lose_files(self, gone: str, number: int, occasion: Occasion) -> None:
        """Somebody cleans the temporary folder, before a request: its markers name files that are there."""
        workspace = self.session.workspace
        if gone == "workspace":
            shutil.rmtree(workspace.root)
        elif gone == "results":
            shutil.rmtree(workspace.tool_results)
        elif path := self._saved_file(number):
            path.unlink()
            os.utime(workspace.tool_results, (1, 1))  # clocks of file systems are coarse
        self.ask(occasion)

    @rule(number=st.integers(0, 9))
    def change_file(self, number: int) -> None:
        """A command writes into a saved result, as many bytes as there were."""
        if path := self._saved_file(number):
            path.chmod(0o600)
            path.write_bytes(b"X" * path.stat().st_size)

    @precondition(lambda self: bool(self.session.shown))
    @rule(data=st.data(), pinned=st.booleans())
    def pin(self, data: st.DataObject, pinned: bool) -> None:
        """By hand: a result stays as it is, or no longer. Nothing that is sent changes."""
        seq = data.draw(st.sampled_from(sorted(self.session.shown)))
        shown = structs.replace(self.session.shown[seq], pinned=pinned)
        self.session.record_decisions([Decision(seq, shown, PINNED if pinned else RELEASED)])

    @precondition(lambda self: self.before is not None)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        """By hand: some results are one line from now on."""
        assert self.before is not None
        view = self._prepare(
            Pipeline(self.limits, self.ageing, SessionStore(self.session)), Occasion(schedule="off")
        )
        seqs = [m.seq for m in view.messages if isinstance(m, ToolResult) and m.seq in self.session.shown]
        if not seqs:
            return
        chosen = set(data.draw(st.lists(st.sampled_from(seqs), min_size=1)))
        dropped = clear(view.messages, chosen, SessionStore(self.session), Occasion())
        if dropped.decisions:
            self.session.record_decisions(dropped.decisions, dropped.rewrite)
        self.moved |= {decision.seq for decision in dropped.decisions}

    @rule(occasion=occasions)
    def ask(self, occasion: Occasion) -> None:
        """Prepare the next request, and hold everything against it that was ever promised."""
        session, before = self.session, self.before
        self.pipeline.look_again(session.workspace.disturbances())
        view = self._prepare(self.pipeline, occasion)
        for message in view.messages:
            if isinstance(message, ToolResult):
                assert all(path.exists() for path in self._named_files(message))
        fresh = self._prepare(Pipeline(self.limits, self.ageing, SessionStore(session)), occasion)
        assert (view.messages, view.decisions) == (fresh.messages, fresh.decisions)
        if view.decisions:
            session.record_decisions(view.decisions, view.rewrite)
        self.moved |= {decision.seq for decision in view.decisions if decision.reason != "first"}
        pinned = {seq for seq, shown in session.shown.items() if shown.pinned}
        assert not pinned & {decision.seq for decision in view.decisions}
        in_view = {m.seq for m in session.transcript if isinstance(m, ToolResult) and session.in_view(m)}
        assert in_view <= {message.seq for message in view.messages}
        if occasion.schedule == "off":
            assert all(decision.reason == "first" for decision in view.decisions)
        if before is not None and -1 not in self.moved:
            self._shares_its_beginning(before, view)
        self.before, self.moved, self.lost = view, set(), False

    @invariant()
    def every_byte_can_be_recovered(self) -> None:
        for message in self.session.transcript if self.said else ():
            if message.seq in self.returned:
                with self.session.archive.open(message.original) as file:
                    assert file.read() == self.returned[message.seq]

    @invariant()
    def the_last_view_says_the_truth(self) -> None:
        if self.before is None:
            return
        messages = self.before.messages
        assert isinstance(messages[0], UserMessage)
        assert ensure_tool_result_pairing(messages)[1] == PairingReport()
        for message in messages:
            if isinstance(message, ToolResult) and message.seq in self.returned:
                self._is_whole_or_names_the_rest(message)

    @invariant()
    def what_the_user_said_is_in_every_view(self) -> None:
        if self.before is None:
            return
        last_seq = self.before.messages[-1].seq
        shown = "\n".join(
            part.text for m in self.before.messages if isinstance(m, UserMessage) for part in m.parts
        )
        for message in self.session.transcript:
            if isinstance(message, UserMessage) and message.seq <= last_seq:
                assert message.text in shown

    def teardown(self) -> None:
        if self.said:
            self.session.close()
        shutil.rmtree(self.root, ignore_errors=True)

    # --- what the rules need --------------------------------------------------------------------

    def _use(self, limits: Limits, ageing: Ageing) -> None:
        self.limits, self.ageing = limits, ageing
        self.pipeline = Pipeline(limits, ageing, SessionStore(self.session))

    def _prepare(self, pipeline: Pipeline, occasion: Occasion) -> View:
        session = self.session
        return pipeline.prepare(session.transcript, session.shown, occasion, session.compaction)

    def _shares_its_beginning(self, before: View, view: View) -> None:
        """On the wire, byte for byte, up to the first message that was decided anew."""
        same = next((at for at, m in enumerate(before.messages) if m.seq in self.moved), len(before.messages))
        assert wire(before)[:same] == wire(view)[:same]

    def _is_whole_or_names_the_rest(self, result: ToolResult) -> None:
        original = self.session.archive.text(result.original)
        if result.text == original:
            return
        assert f"<<ccr:{result.original.key}>>" in result.text
        if not self.lost:
            self.session.workspace.mend(self.session.archive)  # as before every call
            for path in self._named_files(result):
                assert path.read_bytes() == self.returned[result.seq]

    def _saved_file(self, number: int) -> Path | None:
        saved = sorted(self.session.workspace.tool_results.iterdir())
        return saved[number % len(saved)] if saved else None

    def _named_files(self, result: ToolResult) -> list[Path]:
        """Those of this session: any text may name others."""
        named = re.findall(r"full output saved to (\S+), @recall", result.text)
        return [Path(path) for path in named if path.startswith(str(self.root))]


def wire(view: View) -> list[bytes]:
    """The messages as Anthropic's wire has them, one by one and without marks."""
    body = anthropic_body.render(
        structs.replace(assemble(view, (), (), model="m"), marks=assemble(_EMPTY, (), (), model="m").marks),
        provider="X",
        max_output_tokens=1_000,
    )
    return [encode(block) for message in body["messages"] for block in message["content"]]


_EMPTY = View(messages=(), decisions=(), pairing=PairingReport(), unchanged_messages=0, settled_messages=0)

TestAnySession = AnySession.TestCase
TestAnySession.settings = hypothesis.settings(
    max_examples=25, stateful_step_count=14, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)


@hypothesis.settings(deadline=None, max_examples=60)
@hypothesis.given(
    st.lists(st.tuples(contents, st.booleans(), st.booleans()), min_size=1, max_size=6), limits, ageings
)
def test_every_stage_leaves_its_own_output_alone(
    drawn: list[tuple[str, bool, bool]], limits: Limits, ageing: Ageing
) -> None:
    story = Story(Originals())
    story.user()
    for text, read_only, verbatim in drawn:
        story.turn(text, read_only=read_only, verbatim=verbatim)
    messages: Sequence[Message] = story.messages
    paired, _ = ensure_tool_result_pairing(messages)
    assert ensure_tool_result_pairing(paired)[0] is paired
    budgeted, first = enforce_tool_result_budget(paired, {}, limits, story.store)
    assert ensure_tool_result_pairing(budgeted)[0] is budgeted
    shown = {decision.seq: decision.presentation for decision in first.decisions}
    again, none = enforce_tool_result_budget(budgeted, shown, limits, story.store)
    assert (again is budgeted, none.decisions) == (True, ())
    old = [*budgeted, *(AssistantMessage(seq=900 + n, parts=(), provider="X", model="m") for n in range(9))]
    aged, _ = apply_microcompact(old, ageing, story.store)
    assert apply_microcompact(aged, ageing, story.store)[0] is aged
    assert ensure_tool_result_pairing(aged)[0] is aged
