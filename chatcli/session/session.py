"""One conversation: its journal, its archive, its workspace, its copies for undo.

Whatever is added is in the journal before it is in memory, and what it names in the archive was
stored before that. A crash at any instant loses at most the reply that was being streamed.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypedDict, TypeVar

from msgspec import structs

from chatcli import __version__
from chatcli.errors import StorageError
from chatcli.messages import (
    Archived,
    AssistantMessage,
    AssistantPart,
    Message,
    ResultStatus,
    StopReason,
    ToolCall,
    ToolResult,
    UserMessage,
    UserPart,
)
from chatcli.session import layout, listing
from chatcli.session.archive import Archive
from chatcli.session.checkpoints import Checkpoints, Undo
from chatcli.session.entries import (
    CallStarted,
    Closed,
    Compacted,
    CompactionUndone,
    Decision,
    Entry,
    MessageAdded,
    NoteSet,
    Opened,
    ResultDeleted,
    Resumed,
    Rewrite,
    Shown,
    StateChanged,
    Undone,
    UsageAdded,
    UsageRecord,
    now,
)
from chatcli.session.fork import copy_session
from chatcli.session.journal import Journal
from chatcli.session.state import State
from chatcli.session.workspace import Workspace

logger = logging.getLogger(__name__)

E = TypeVar("E", bound=Entry)
M = TypeVar("M", bound=Message)

INTERRUPTED = "The call was interrupted while it ran; it may have had effects. Check before you repeat it."
CANCELLED = "The call was cancelled before it ran."


class _Header(TypedDict):
    seq: int
    at: str


class Session(State):
    """Made by `create`, `resume` or `fork`; `close` gives it back. One thread uses it at a time.

    Everything that adds raises `StorageError` when it could not be written: then nothing has changed.
    """

    def __init__(self, opened: Opened, journal: Journal, workspace: Workspace, quota_bytes: int) -> None:
        super().__init__(opened)
        folder = journal.path.parent
        self.archive = Archive(folder / layout.ARCHIVE, quota_bytes)
        self.workspace = workspace
        self.checkpoints = Checkpoints(folder / layout.CHECKPOINTS)
        self.torn_bytes = journal.torn_bytes
        """Length of the unfinished entry that a crash had left and the resume cut off."""
        self.skipped_entries = 0
        """Entries that only a newer chatcli understands: kept on disk, without effect here."""
        self.workspace_moved = False
        """The workspace got another path on resume: markers that name files there change once."""
        self.repaired: tuple[ToolResult, ...] = ()
        """Results that the resume gave to calls which had none."""
        self._journal = journal
        self._closed = False

    # --- beginning and end ----------------------------------------------------------------------

    @classmethod
    def create(
        cls, home: Path, folder: Path, *, tmp: Path, quota_bytes: int, version: str = __version__
    ) -> Session:
        """Start a session about the project `folder`, with its workspace in `tmp`.

        It appears under `home` once its first entry is on disk. Raises `StorageError`.
        """
        session_id = layout.new_session_id()
        with ExitStack() as on_failure:
            workspace = Workspace.create(tmp)
            on_failure.callback(workspace.remove)
            with layout.put_together(home, session_id) as unfinished:
                journal = Journal.create(unfinished / layout.JOURNAL)
                on_failure.callback(journal.close)
                opened = Opened(
                    seq=1,
                    at=now(),
                    session_id=session_id,
                    folder=str(folder.resolve()),
                    workspace=str(workspace.root),
                    version=version,
                )
                journal.append(opened)
            journal.path = layout.session_folder(home, session_id) / layout.JOURNAL
            session = cls(opened, journal, workspace, quota_bytes)
            on_failure.pop_all()
        return session

    @classmethod
    def resume(
        cls, home: Path, session_id: str, *, tmp: Path, quota_bytes: int, version: str = __version__
    ) -> Session:
        """Go on with a session: replay its journal, remake its workspace, close its open calls.

        A unique beginning or end of the id will do. Raises `UsageError` for an unknown one,
        `SessionLocked` when it is open already, `StorageError` when it cannot be read or written.
        """
        folder = layout.session_folder(home, listing.find(home, session_id))
        with ExitStack() as on_failure:
            journal, recorded = Journal.open(folder / layout.JOURNAL)
            on_failure.callback(journal.close)
            opened = recorded.opened(journal.path)
            root = next(e.workspace for e in reversed(recorded.entries) if isinstance(e, Opened | Resumed))
            workspace = _remake(Path(root), tmp)
            on_failure.callback(workspace.remove)
            session = cls(opened, journal, workspace, quota_bytes)
            session.skipped_entries = recorded.skipped
            session.workspace_moved = str(workspace.root) != root
            for entry in recorded.entries:
                session.apply(entry)
            session._repair(version)
            on_failure.pop_all()
        return session

    def _repair(self, version: str) -> None:
        self.archive.make_folder()
        self.archive.remove_unfinished()
        self._append(
            Resumed(
                **self._header(),
                workspace=str(self.workspace.root),
                version=version,
                torn_bytes=self.torn_bytes,
            )
        )
        for sha256 in self.deleted:  # a deletion may have been interrupted
            self._remove_original(sha256)
        for call, started in self.unanswered():
            result = self.add_result(
                call_id=call.id,
                name=call.name,
                status="interrupted" if started else "cancelled",
                original=self.archive.put_text(INTERRUPTED if started else CANCELLED),
            )
            self.repaired = (*self.repaired, result)

    @classmethod
    def fork(
        cls, home: Path, session_id: str, *, tmp: Path, quota_bytes: int, version: str = __version__
    ) -> Session:
        """Go on with a copy of a session, which may be open elsewhere. Raises as `resume` does."""
        copy_id = copy_session(home, listing.find(home, session_id), version=version)
        return cls.resume(home, copy_id, tmp=tmp, quota_bytes=quota_bytes, version=version)

    @staticmethod
    def latest(home: Path, folder: Path) -> str | None:
        """The session about this project folder that was active last; None without one."""
        return listing.latest(home, folder)

    def close(self, keep_workspace: bool = False) -> None:
        """Release the session and remove its workspace. A session in which nothing was said is dropped.

        Never raises for a full disk: what matters was written before. Again does nothing.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if self.transcript:
                self._append(Closed(**self._header(), reason="exit"))
            else:
                layout.drop(self._journal.path.parent)
        except (OSError, StorageError) as error:
            logger.warning("cannot close session %s in order: %s", self.id, error)
        finally:
            self.workspace.remove(keep_workspace)
            self._journal.close()

    # --- what is added --------------------------------------------------------------------------

    def add_user(self, parts: Sequence[UserPart]) -> UserMessage:
        return self._add(UserMessage(seq=self._journal.next_seq, parts=tuple(parts)))

    def add_assistant(
        self, parts: Sequence[AssistantPart], *, provider: str, model: str, stop_reason: StopReason
    ) -> AssistantMessage:
        """Add a finished reply, before any of its calls runs."""
        return self._add(
            AssistantMessage(
                seq=self._journal.next_seq,
                parts=tuple(parts),
                provider=provider,
                model=model,
                stop_reason=stop_reason,
            )
        )

    def start_call(self, message: AssistantMessage, call: ToolCall) -> None:
        """Say that a call begins to run: from here on it may have effects."""
        self._append(
            CallStarted(**self._header(), assistant_seq=message.seq, call_id=call.id, name=call.name)
        )

    def add_result(
        self,
        *,
        call_id: str,
        name: str,
        original: Archived,
        status: ResultStatus = "ok",
        read_only: bool = False,
        verbatim: bool = False,
        cap_chars: int = 30_000,
        self_limited: bool = False,
        duration_seconds: float = 0.0,
        brief: str = "",
        text: str = "",
    ) -> ToolResult:
        """Add a result, whose original is archived.

        `text` is for an original without a key, which no archive could take: what is kept of it.
        """
        return self._add(
            ToolResult(
                seq=self._journal.next_seq,
                call_id=call_id,
                name=name,
                status=status,
                original=original,
                read_only=read_only,
                verbatim=verbatim,
                cap_chars=cap_chars,
                self_limited=self_limited,
                duration_seconds=duration_seconds,
                brief=brief,
                text=text,
            )
        )

    def record_decisions(self, decisions: Sequence[Decision], rewrite: Rewrite | None = None) -> None:
        """Keep how results are shown from now on, before the request that shows them is sent."""
        self._append(Shown(**self._header(), decisions=tuple(decisions), rewrite=rewrite))

    def record_compaction(self, draft: Compacted) -> None:
        """Show the model less of the transcript from now on; `seq` and `at` of the draft do not count."""
        self._append(structs.replace(draft, **self._header()))

    def undo_compaction(self) -> bool:
        """Show what the last compaction left out. False when there is none."""
        if self.compaction is None:
            return False
        self._append(CompactionUndone(**self._header()))
        return True

    def delete_result(self, sha256: str) -> None:
        """Remove an original from the archive and from the workspace, for every result with these bytes.

        The journal keeps key and sizes, and that it was deleted. Copies of the session keep theirs.
        """
        self._append(ResultDeleted(**self._header(), sha256=sha256))
        self._remove_original(sha256)

    def _remove_original(self, sha256: str) -> None:
        self.archive.remove(sha256)
        self.workspace.conceal(sha256)

    def record_usage(self, record: UsageRecord) -> None:
        self._append(UsageAdded(**self._header(), record=record))

    def set_note(self, name: str, value: str) -> None:
        self._append(NoteSet(**self._header(), name=name, value=value))

    def set_state(
        self,
        *,
        mode: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        autonomy: str | None = None,
        prompt_key: str | None = None,
        tools_key: str | None = None,
    ) -> None:
        """Change what is not None."""
        self._append(
            StateChanged(
                **self._header(),
                mode=mode,
                provider=provider,
                model=model,
                autonomy=autonomy,
                prompt_key=prompt_key,
                tools_key=tools_key,
            )
        )

    def undo(self, *, force: bool = False) -> Undo | None:
        """Put back the files of the last turn that wrote: see `Checkpoints.undo`."""
        done = self.checkpoints.undo(force=force)
        if done:
            paths = tuple(str(path) for path in (*done.restored, *done.removed))
            self._append(Undone(**self._header(), turn=done.turn, paths=paths))
        return done

    def _add(self, message: M) -> M:
        entry = MessageAdded(at=now(), seq=message.seq, message=message, number=len(self.transcript) + 1)
        written = self._append(entry).message
        assert isinstance(written, type(message))
        return written

    def _append(self, entry: E) -> E:
        written = self._journal.append(entry)
        self.apply(written)
        return written

    def _header(self) -> _Header:
        return {"seq": self._journal.next_seq, "at": now()}


def _remake(root: Path, tmp: Path) -> Workspace:
    """The workspace at its old path, so that what names files there stays true, else at a new one."""
    try:
        return Workspace.create(root.parent, root.name)
    except StorageError as error:
        logger.warning("the workspace moves: %s", error)
        return Workspace.create(tmp)
