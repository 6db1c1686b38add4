"""The tool context, filled in: files, processes, archive and user, each behind the gate."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from chatcli.agent.calls.diffs import unified_diff
from chatcli.agent.calls.keptfiles import files_kept_with, keep_file, restore_files
from chatcli.agent.calls.memories import Memories
from chatcli.agent.calls.outside import Outside
from chatcli.agent.calls.results import list_results
from chatcli.agent.person import TimedPerson
from chatcli.errors import DamagedOriginal, ToolFailed
from chatcli.gate.environment import child_environment
from chatcli.gate.gate import ApprovedChange, Gate
from chatcli.gate.hidden import hide_process
from chatcli.gate.paths import check_open_fd
from chatcli.gate.sandbox import ENVIRONMENT, find_sandbox
from chatcli.messages import Archived
from chatcli.providers.credentials import find_key
from chatcli.session.session import Session
from chatcli.settings import Settings, table
from chatcli.tools.api import (
    CommandResult,
    FileChange,
    Files,
    HelperResult,
    Memory,
    Network,
    Notes,
    Processes,
    ScriptResult,
    Sink,
    Store,
    StoreEntry,
    User,
    Writer,
)
from chatcli.tools.files import open_regular, replace_file
from chatcli.tools.process import run_helper, run_shell

if TYPE_CHECKING:
    from chatcli.agent.calls.network import GatedNetwork


class Toolbox:
    """What all calls of a session share; `context` makes the part that belongs to one call."""

    def __init__(
        self,
        *,
        session: Session,
        gate: Gate,
        person: TimedPerson,
        environment: Mapping[str, str],
        settings: Settings,
        home: Path,
        memories: Memories,
    ) -> None:
        self.session = session
        self.gate = gate
        self.settings = settings
        self.home = home
        self.outside = Outside(session, gate)
        self.memories = memories
        self.max_chars = settings.tool_result_max_chars
        self.command_timeout_seconds = settings.command_timeout_seconds
        self.digests: dict[Path, str] = {}
        self.environment = child_environment(environment, session.workspace.environment())
        self.own_environment = environment
        self.person = person
        restore_files(session)
        self.run_seq = 0
        """`seq` of the user message that started this run: what `/undo` goes back to."""

    @cached_property
    def network(self) -> GatedNetwork:
        """Made with the first call: a start needs none of it."""
        from chatcli.agent.calls.network import GatedNetwork

        settings = self.settings
        own = settings.searxng_url.rstrip("/") + "/search" if settings.searxng_url else ""
        return GatedNetwork(
            self.gate,
            self.session.workspace.root,
            own=own,
            proxy=settings.web_proxy,
            ca_bundle=settings.ca_bundle,
        )

    def delete_result(self, original: Archived) -> None:
        """Remove an original, the files that its call kept, and what came from the web in this process."""
        for kept in files_kept_with(self.session, original):
            self.session.delete_result(kept)
        self.session.delete_result(original.sha256)
        if "network" in vars(self):
            self.network.forget()

    def context(self, call_id: str, cap_chars: int, progress: Callable[[str], None]) -> CallContext:
        self.session.workspace.mend(self.session.archive)  # what is read is what was saved
        return CallContext(self, call_id, cap_chars, progress)


class CallContext:
    """`ToolContext` for one call. The approved diff of what it wrote ends up in `diffs`."""

    def __init__(self, box: Toolbox, call_id: str, cap_chars: int, progress: Callable[[str], None]) -> None:
        self.call_id = call_id
        self.cap_chars = cap_chars
        self.max_chars = box.max_chars
        self.diffs: list[str] = []
        self.files: Files = GatedFiles(box, self.diffs)
        self.processes: Processes = GatedProcesses(box, progress)
        self.user: User = box.person
        self.network: Network = box.network
        self.store: Store = ArchiveStore(box.session, call_id)
        self.notes: Notes = SessionNotes(box.session)
        self.memory: Memory = box.memories
        self.so_far: Archived | None = None
        """The result of the call in case it is interrupted."""
        self._box = box
        self._progress = progress

    def setting(self, variable: str) -> str:
        row = next(row for row in table() if row.variable == variable)
        return str(getattr(self._box.settings, row.name))

    def secret(self, variable: str) -> str:
        found = find_key((variable,), self._box.own_environment, self._box.home)
        return found.value if found else ""

    def progress(self, text: str) -> None:
        self._progress(text)

    def keep_so_far(self, output: Archived) -> None:
        self.so_far = output


class GatedFiles:
    """Reading and writing under the gate, with checkpoints and a re-check before every write."""

    def __init__(self, box: Toolbox, diffs: list[str]) -> None:
        self._box = box
        self._diffs = diffs
        self.root = box.session.folder

    async def readable(self, path: str) -> Path:
        return await self._box.gate.read(path)

    def may_show(self, path: Path) -> bool:
        return self._box.gate.may_show(path)

    def open(self, path: Path) -> BinaryIO:
        file = open_regular(path)
        check_open_fd(file.fileno(), path)
        return file

    async def writable(self, path: str) -> Path:
        return self._box.gate.writable(path)

    async def write(self, changes: Sequence[FileChange]) -> str:
        diff = "".join(unified_diff(self.shown(change.path), change) for change in changes)
        approved = await self._box.gate.write(changes, diff)
        modes = [_require_unchanged(change) for change in approved]
        for change, mode in zip(approved, modes, strict=True):
            self._box.session.checkpoints.before_write(
                self._box.run_seq, change.path, content=change.before, mode=mode, after=change.after
            )
        _write_all(approved, modes)
        for change in approved:
            self.note_read(change.path, hashlib.sha256(change.after).hexdigest())
        self._diffs.append(diff)
        return diff

    def note_read(self, path: Path, digest: str) -> None:
        self._box.digests[path] = digest

    def last_read(self, path: Path) -> str | None:
        return self._box.digests.get(path)

    def shown(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


class GatedProcesses:
    """Commands of the model pass the gate; fixed programs of a tool run in a clean environment."""

    def __init__(self, box: Toolbox, progress: Callable[[str], None]) -> None:
        self._box = box
        self._progress = progress

    async def shell(
        self, command: str, sink: Writer, *, cwd: Path | None, timeout_seconds: float | None
    ) -> CommandResult:
        folder = cwd or self._box.session.folder
        verdict = await self._box.gate.command(command, folder)
        hide_process()

        def took(data: bytes) -> None:
            sink.write(data)
            self._progress(data.decode("utf-8", "replace"))

        ended = await run_shell(
            command,
            cwd=folder,
            env=self._box.environment,
            on_output=took,
            timeout_seconds=timeout_seconds or self._box.command_timeout_seconds,
        )
        return CommandResult(
            exit_code=ended.exit_code,
            signal=ended.signal,
            timed_out=ended.timed_out,
            duration_seconds=ended.duration_seconds,
            read_only=verdict.read_only,
            left_running=ended.left_running,
        )

    async def script(self, source: str, sink: Writer, *, timeout_seconds: float) -> ScriptResult:
        sandbox = await asyncio.to_thread(find_sandbox)
        await self._box.gate.script(source, sandbox)
        session = self._box.session
        ended = await run_helper(
            sandbox.argv(
                archive=session.archive.folder,
                readable=[session.workspace.tool_results, session.workspace.scratch],
                cpu_seconds=ceil(timeout_seconds) + 1,
            ),
            sink,
            cwd=session.workspace.scratch,
            env=ENVIRONMENT,
            stdin=source.encode("utf-8", "surrogateescape"),
            timeout_seconds=timeout_seconds,
        )
        return ScriptResult(
            exit_code=ended.exit_code,
            errors=ended.errors,
            timed_out=ended.timed_out,
            sealed=not sandbox.gaps,
        )

    async def helper(
        self,
        argv: Sequence[str],
        sink: Writer | None = None,
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout_seconds: float = 60.0,
        max_bytes: int = 50_000_000,
    ) -> HelperResult:
        return await run_helper(
            argv,
            sink,
            cwd=cwd,
            env={**self._box.environment, **(env or {})},
            stdin=stdin,
            timeout_seconds=timeout_seconds,
            max_bytes=max_bytes,
        )


class ArchiveStore:
    def __init__(self, session: Session, call_id: str) -> None:
        self._session = session
        self._archive = session.archive
        self._call_id = call_id

    def entries(self) -> Sequence[StoreEntry]:
        return [
            StoreEntry(
                key=result.original.key,
                tool=result.name,
                size_bytes=result.original.size_bytes,
                size_chars=result.original.size_chars,
                lines=result.original.lines,
                omitted_bytes=result.original.omitted_bytes,
                state=result.state,
            )
            for result in list_results(self._session)
        ]

    def open(self, key: str) -> BinaryIO:
        with _told_of_damage(key):
            return self._archive.open(key)

    def text(self, key: str) -> str:
        with _told_of_damage(key):
            return self._archive.text(key)

    def sink(self) -> Sink:
        return self._archive.sink()

    def keep_file(self, tool: str, text: str, origin: str) -> Path | None:
        return keep_file(self._session, tool, self._call_id, text, origin)


@contextmanager
def _told_of_damage(key: str) -> Iterator[None]:
    try:
        yield
    except DamagedOriginal:
        raise ToolFailed(f"{key}: this result is damaged in the archive. Run the tool again.") from None


class SessionNotes:
    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, name: str) -> str | None:
        return self._session.notes.get(f"tool:{name}")

    def set(self, name: str, value: str) -> None:
        self._session.set_note(f"tool:{name}", value)


def _require_unchanged(change: ApprovedChange) -> int:
    """Mode bits of the file as it is now. Raises when it is not the file the change was made for."""
    try:
        with open_regular(change.path) as file:
            found: bytes | None = file.read()
            mode = os.fstat(file.fileno()).st_mode & 0o7777
    except FileNotFoundError:
        found, mode = None, 0o666 & ~_umask()
    if found == change.before:
        return mode
    if change.before is None:
        raise ToolFailed(f"{change.path} already exists; read it first.")
    gone = "was deleted" if found is None else "has changed"
    raise ToolFailed(f"{change.path} {gone} since it was read. Read it again before you write.")


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current


def _write_all(changes: Sequence[ApprovedChange], modes: Sequence[int]) -> None:
    """All files or none: what was already replaced is put back when a later one fails."""
    done: list[tuple[ApprovedChange, int]] = []
    try:
        for change, mode in zip(changes, modes, strict=True):
            change.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(change.path, change.after, mode)
            done.append((change, mode))
    except OSError as error:
        for change, mode in reversed(done):
            if change.before is None:
                change.path.unlink(missing_ok=True)
            else:
                replace_file(change.path, change.before, mode)
        raise ToolFailed(f"nothing was written: {error.strerror or error}: {error.filename}") from error
