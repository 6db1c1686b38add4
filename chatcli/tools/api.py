"""What a tool may use: the context that chatcli hands to every call.

A plugin reaches files, processes, the archive and the user through `ToolContext` alone. Every
member passes the gate, so that a plugin cannot forget it: a refusal is raised as `Denied` and
becomes the result that the model reads. The members are Protocols; the agent fills them in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from msgspec import Struct

from chatcli.messages import Archived


class FileChange(Struct, frozen=True, kw_only=True):
    """A whole new content for one file. `before` is None for a file that must not exist yet."""

    path: Path
    before: bytes | None
    """The bytes on which the change was based: writing fails if the file has others by then."""
    after: bytes


class CommandResult(Struct, frozen=True, kw_only=True):
    """How a command ended. Its output is in the sink that was given."""

    exit_code: int | None
    """None when it was killed by the time limit or by a cancel."""
    signal: int | None
    timed_out: bool
    duration_seconds: float
    read_only: bool
    """What the gate judged this very command to be."""
    left_running: bool = False
    """Something that it started still held its output when it ended."""


class HelperResult(Struct, frozen=True, kw_only=True):
    """How a fixed program of a tool ended."""

    exit_code: int | None
    """None when it was stopped: by the time limit, or because it said too much."""
    output: bytes
    """Its standard output; empty when that went to a sink."""
    errors: bytes
    """The first 64 KB of its standard error."""
    timed_out: bool = False
    cut: bool = False
    """It was stopped because its output passed `max_bytes`."""


class ScriptResult(Struct, frozen=True, kw_only=True):
    """How a script ended. What it printed is in the sink that was given."""

    exit_code: int | None
    """None when it was stopped by the time limit, or by the kernel for its memory."""
    errors: bytes
    """The first 64 KB of its standard error."""
    timed_out: bool
    sealed: bool
    """The sandbox held it altogether: whatever it did, nothing was changed or sent."""


class ToolOutput(Struct, frozen=True, kw_only=True):
    """What a tool returns when a plain string does not say enough."""

    text: str = ""
    archived: Archived | None = None
    """Set when the output was streamed into a sink: then `text` is ignored."""
    is_error: bool = False
    read_only: bool | None = None
    """Overrides the declared capability for this call."""
    self_limited: bool = False
    """The tool paged its own output: only its cap limits it."""
    verbatim: bool = False
    brief: str = ""
    """A few words for people: `480 lines`, `exit 1`."""
    diff: str = ""
    """Unified diff for the screen; not for the model."""
    origin: str = ""
    """Where `text` comes from, when strangers wrote it: it is then fenced, and what hides in it shown."""
    preface: str = ""
    """With an `origin`: what the tool itself says, before the fence."""


class Writer(Protocol):
    """Takes output as it comes."""

    def write(self, data: bytes, /) -> object: ...


class Sink(Protocol):
    """Streams output of any size into the archive in constant memory."""

    def write(self, data: bytes, /) -> object: ...

    def finish(self) -> Archived:
        """Sync and name what was written. The sink is closed afterwards."""
        ...

    def discard(self) -> None:
        """Close the sink and forget what was written."""
        ...


class Files(Protocol):
    """Files that the gate lets the tool see. Paths are relative to the project, absolute or `~`."""

    root: Path
    """The project folder, resolved."""

    async def readable(self, path: str) -> Path:
        """The resolved path, checked and approved for reading. It need not exist."""
        ...

    def may_show(self, path: Path) -> bool:
        """Whether a file found below a readable folder may be shown as well. Never asks.

        False for key stores, devices, links that lead elsewhere, and files that by their names hold
        passwords or keys.
        """
        ...

    def open(self, path: Path) -> BinaryIO:
        """Open a path that `readable` returned: a regular file, no link, no device."""
        ...

    async def writable(self, path: str) -> Path:
        """The resolved path of a file that may be asked to be written. It need not exist."""
        ...

    async def write(self, changes: Sequence[FileChange]) -> str:
        """Approve with a diff, keep copies for `/undo`, then write all files or none.

        Mode bits are kept; each file is replaced atomically. Returns the unified diff.
        """
        ...

    def note_read(self, path: Path, digest: str) -> None:
        """Remember the SHA-256 of a file as the model last saw it."""
        ...

    def last_read(self, path: Path) -> str | None:
        """The digest that was last noted for this file in this session."""
        ...

    def shown(self, path: Path) -> str:
        """The path as it is written in results: relative inside the project, else absolute."""
        ...


class Processes(Protocol):
    """Commands. The model's own pass the gate; `helper` is for fixed programs of the tool."""

    async def shell(
        self, command: str, sink: Writer, *, cwd: Path | None, timeout_seconds: float | None
    ) -> CommandResult:
        """Judge, approve and run the exact text with `bash --noprofile --norc`, as one killable tree.

        Without a time limit of its own the user's setting holds.
        """
        ...

    async def script(self, source: str, sink: Writer, *, timeout_seconds: float) -> ScriptResult:
        """Approve and run a Python script in the strongest sandbox that there is.

        It can read originals of results and the workspace, and has no packages. Where the sandbox has
        gaps, the person is told and asked each time.
        """
        ...

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
        """Run a fixed, reading program (ripgrep, git) in a clean environment, plus `env`.

        With a sink the output goes there, however long it is; without one the program is stopped
        when its output passes `max_bytes`.
        """
        ...


class User(Protocol):
    """The person at the terminal, if there is one."""

    present: bool

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        """The answer, or None when nobody is there or the question was dismissed."""
        ...


class StoreEntry(Struct, frozen=True, kw_only=True):
    """One earlier result of this session."""

    key: str
    tool: str
    """What it is the result of; of an attached file, its path."""
    size_bytes: int
    size_chars: int
    lines: int
    omitted_bytes: int = 0
    """Bytes in the middle that were not stored."""
    state: Literal["stored", "deleted", "lost"] = "stored"
    """`deleted` by the user; `lost`: gone or damaged, nobody knows why."""


class Store(Protocol):
    """Originals of earlier results, by key."""

    def entries(self) -> Sequence[StoreEntry]:
        """All results of this session, in the order in which they came."""
        ...

    def open(self, key: str) -> BinaryIO:
        """The bytes of a stored one, to read in pieces: it may be larger than memory."""
        ...

    def text(self, key: str) -> str: ...

    def sink(self) -> Sink: ...

    def keep_file(self, tool: str, text: str, origin: str) -> Path | None:
        """A file with a text from outside that the model can read, named after tool, call and content.

        What hides in the text is written out there, as in a result. None when the file could not be
        written: then no result may name it.
        """
        ...


class Fetched(Struct, frozen=True, kw_only=True):
    """What an address answered, whatever the status."""

    url: str
    """The last one, after `hops` redirects."""
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """Decompressed."""
    stopped: Literal["", "size", "ratio", "time", "connection"] = ""
    """Why the body ends early: a limit (`ratio`: of decompression), or the connection broke."""
    hops: tuple[str, ...] = ()
    """The addresses that redirected."""

    @property
    def content_type(self) -> str:
        """Without parameters, in lower case; empty when it is none."""
        named = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        return named if re.fullmatch(r"[\w.+-]{1,40}/[\w.+-]{1,80}", named, re.ASCII) else ""


class Network(Protocol):
    """The web, one GET at a time. Every address passes the gate, every hop and machine is checked."""

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10 << 20,
        timeout_seconds: float = 30.0,
        reuse: bool = False,
    ) -> Fetched:
        """GET without cookies and credentials. `headers` go to the first host alone.

        Answers are kept for the session and asked for anew with their ETag; with `reuse` one that is
        there is taken as it is. Raises `Denied`, and `ToolFailed` when there is no answer.
        """
        ...


class Notes(Protocol):
    """Small state of a tool that belongs to the session and survives a resume."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...


class Remembered(Struct, frozen=True, kw_only=True):
    """One fact that is kept for later sessions."""

    id: str
    text: str
    category: str
    tags: tuple[str, ...] = ()
    project: str = ""
    """Name of the folder that it is about; empty: it holds everywhere."""
    day: str = ""
    """When it was last changed: ISO date."""
    by: str = ""
    """Who noted it, in words: a model, an import; empty: the user."""
    outside: bool = False
    """Strangers may have written it: show it with an `origin`."""


class Memory(Protocol):
    """What is known beyond this session. What is to be kept or forgotten passes the gate."""

    async def recall(self, question: str, limit: int) -> Sequence[Remembered]:
        """Facts that the question is about, the best first."""
        ...

    async def remember(self, text: str, category: str, tags: Sequence[str]) -> Remembered:
        """Keep a fact. One that is known already comes back as it is."""
        ...

    async def forget(self, fact_id: str) -> Remembered:
        """Remove a fact for good. What it was."""
        ...

    async def profile(self) -> Sequence[Remembered]:
        """Who the user is."""
        ...

    async def timeline(self, limit: int) -> Sequence[Remembered]:
        """The newest facts but those of other projects, and what happened in sessions, oldest first."""
        ...

    async def map(self) -> str:
        """The names of projects and topics, and how many facts are behind each."""
        ...


class ToolContext(Protocol):
    """Everything that one call may use."""

    call_id: str
    files: Files
    processes: Processes
    network: Network
    user: User
    store: Store
    notes: Notes
    memory: Memory
    max_chars: int
    """The per-result limit in force: `CHATCLI_TOOL_RESULT_MAX_CHARS`."""
    cap_chars: int
    """This tool's own cap, clamped."""

    def setting(self, variable: str) -> str:
        """The value in force of a setting of chatcli, as text."""
        ...

    def secret(self, variable: str) -> str:
        """A key that the user keeps in the environment, the keyring or the credentials; else empty."""
        ...

    def progress(self, text: str) -> None:
        """Show something while the tool runs."""
        ...

    def keep_so_far(self, output: Archived) -> None:
        """The result of this call in case it is interrupted."""
        ...
