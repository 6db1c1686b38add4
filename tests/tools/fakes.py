"""A tool context over real files, real processes and a real store on disk; only the gate is missing."""

from __future__ import annotations

import difflib
import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import urlsplit

from chatcli.errors import Denied
from chatcli.messages import Archived
from chatcli.settings import table
from chatcli.tools.api import (
    CommandResult,
    Fetched,
    FileChange,
    HelperResult,
    ScriptResult,
    Sink,
    StoreEntry,
    ToolOutput,
    Writer,
)
from chatcli.tools.files import open_regular, replace_file
from chatcli.tools.process import run_helper, run_shell
from chatcli.tools.sdk import Tool
from chatcli.tools.text import UTF_8, TextDecoder
from chatcli.tools.web_client import Target, WebClient

State = Literal["stored", "deleted", "lost"]


class FakeFiles:
    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.digests: dict[Path, str] = {}
        self.secret: set[Path] = set()
        self.unshown: set[Path] = set()
        self.writes: list[Sequence[FileChange]] = []

    async def readable(self, path: str) -> Path:
        resolved = Path(os.path.realpath(self.root / Path(path).expanduser()))
        if resolved in self.secret:
            raise Denied(f"{resolved} is not read")
        return resolved

    def may_show(self, path: Path) -> bool:
        return path not in self.secret | self.unshown

    def open(self, path: Path) -> BinaryIO:
        return open_regular(path)

    async def writable(self, path: str) -> Path:
        return await self.readable(path)

    async def write(self, changes: Sequence[FileChange]) -> str:
        self.writes.append(changes)
        diffs = []
        for change in changes:
            found = change.path.read_bytes() if change.path.exists() else None
            assert found == change.before
            change.path.parent.mkdir(parents=True, exist_ok=True)
            mode = change.path.stat().st_mode & 0o7777 if found is not None else 0o644
            replace_file(change.path, change.after, mode)
            old = (change.before or b"").decode("utf-8", "replace").splitlines()
            new = change.after.decode("utf-8", "replace").splitlines()
            diffs += difflib.unified_diff(old, new, lineterm="")
        return "\n".join(diffs)

    def note_read(self, path: Path, digest: str) -> None:
        self.digests[path] = digest

    def last_read(self, path: Path) -> str | None:
        return self.digests.get(path)

    def shown(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


class FakeSink:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / f"{os.urandom(8).hex()}.part").open("wb")
        self._digest = hashlib.sha256()
        self._decoder = TextDecoder(UTF_8)
        self._size_bytes = self._size_chars = self._lines = 0
        self._ends_line = True

    def write(self, data: bytes, /) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._size_bytes += len(data)
        self._size_chars += len(self._decoder.decode(data))
        self._lines += data.count(b"\n")
        self._ends_line = data.endswith(b"\n")

    def discard(self) -> None:
        self._file.close()
        Path(self._file.name).unlink()

    def finish(self) -> Archived:
        self._file.close()
        digest = self._digest.hexdigest()
        Path(self._file.name).rename(self._folder / digest[:16])
        return Archived(
            key=digest[:16],
            sha256=digest,
            size_bytes=self._size_bytes,
            size_chars=self._size_chars + len(self._decoder.decode(b"", final=True)),
            lines=self._lines + (not self._ends_line),
        )


def measured(data: bytes) -> Archived:
    text, digest = data.decode("utf-8", "replace"), hashlib.sha256(data).hexdigest()
    return Archived(
        key=digest[:16],
        sha256=digest,
        size_bytes=len(data),
        size_chars=len(text),
        lines=text.count("\n") + (not text.endswith("\n") and bool(text)),
    )


class FakeStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: list[StoreEntry] = []
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, data: bytes, *, tool: str = "exec", state: State = "stored") -> str:
        """Store a result of an earlier call; its key."""
        original = measured(data)
        if state == "stored":
            (self.folder / original.key).write_bytes(data)
        self.known.append(
            StoreEntry(
                key=original.key,
                tool=tool,
                size_bytes=original.size_bytes,
                size_chars=original.size_chars,
                lines=original.lines,
                state=state,
            )
        )
        return original.key

    def entries(self) -> Sequence[StoreEntry]:
        return self.known

    def open(self, key: str) -> BinaryIO:
        return (self.folder / key).open("rb")

    def text(self, key: str) -> str:
        return (self.folder / key).read_bytes().decode("utf-8", "replace")

    def sink(self) -> Sink:
        return FakeSink(self.folder)

    def keep_file(self, tool: str, text: str, origin: str) -> Path | None:
        path = self.folder / f"{tool}_call_1_{measured(text.encode()).sha256[:8]}.txt"
        path.write_text(text, encoding="utf-8")
        return path


class FakeProcesses:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {"PATH": os.environ["PATH"], "HOME": str(root), "LC_ALL": "C.UTF-8"}
        self.commands: list[str] = []
        self.read_only = False

    async def shell(
        self, command: str, sink: Writer, *, cwd: Path | None, timeout_seconds: float | None
    ) -> CommandResult:
        self.commands.append(command)
        ended = await run_shell(
            command,
            cwd=cwd or self.root,
            env=self.env,
            on_output=sink.write,
            timeout_seconds=30.0 if timeout_seconds is None else timeout_seconds,
        )
        return CommandResult(
            exit_code=ended.exit_code,
            signal=ended.signal,
            timed_out=ended.timed_out,
            duration_seconds=ended.duration_seconds,
            read_only=self.read_only,
            left_running=ended.left_running,
        )

    async def script(self, source: str, sink: Writer, *, timeout_seconds: float) -> ScriptResult:
        """Without a sandbox and without helpers; the real ones are tested with the gate and the agent."""
        ended = await run_helper(
            [sys.executable, "-I", "-c", source],
            sink,
            cwd=self.root,
            env=self.env,
            timeout_seconds=timeout_seconds,
        )
        return ScriptResult(
            exit_code=ended.exit_code, errors=ended.errors, timed_out=ended.timed_out, sealed=self.read_only
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
            env={**self.env, **(env or {})},
            stdin=stdin,
            timeout_seconds=timeout_seconds,
            max_bytes=max_bytes,
        )


class FakeNetwork:
    """The real client without the gate: every host is the machine that `machines` says, else itself.

    Answers in `canned` are given without a connection.
    """

    def __init__(self) -> None:
        self.machines: dict[str, str] = {}
        self.canned: dict[str, Fetched | Exception] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self._kept: dict[str, Fetched] = {}

    async def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10 << 20,
        timeout_seconds: float = 30.0,
        reuse: bool = False,
    ) -> Fetched:
        if reuse and url in self._kept:
            return self._kept[url]
        self.asked.append((url, dict(headers or {})))
        canned = self.canned.get(url) or self.canned.get(url.partition("?")[0])
        if isinstance(canned, Exception):
            raise canned
        self._kept[url] = canned or await WebClient(self._admit).fetch(
            url, headers=headers or {}, max_bytes=max_bytes, timeout_seconds=timeout_seconds
        )
        return self._kept[url]

    async def _admit(self, url: str, redirected: bool) -> Target:
        host = urlsplit(url).hostname or ""
        return Target(url=url, machines=(self.machines.get(host, host),))


class FakeUser:
    def __init__(self, answer: str | None = None, *, present: bool = False) -> None:
        self.present = present
        self.answer = answer
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        self.asked.append((question, tuple(options)))
        return self.answer


class FakeNotes:
    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def set(self, name: str, value: str) -> None:
        self.values[name] = value


class FakeContext:
    """`tmp_path / "project"` is the project; what tools store lies beside it."""

    call_id = "call_1"

    def __init__(self, tmp_path: Path, *, max_chars: int = 20_000, cap_chars: int = 80_000) -> None:
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        self.root = project.resolve()
        self.files = FakeFiles(project)
        self.processes = FakeProcesses(self.root)
        self.network = FakeNetwork()
        self.user = FakeUser()
        self.store = FakeStore(tmp_path / "store")
        self.notes = FakeNotes()
        self.max_chars = max_chars
        self.cap_chars = cap_chars
        self.shown: list[str] = []
        self.settings: dict[str, str] = {}
        self.secrets: dict[str, str] = {}

    def setting(self, variable: str) -> str:
        return self.settings.get(
            variable, next(str(row.default) for row in table() if row.variable == variable)
        )

    def secret(self, variable: str) -> str:
        return self.secrets.get(variable, "")

    def progress(self, text: str) -> None:
        self.shown.append(text)

    def keep_so_far(self, output: Archived) -> None:
        self.so_far = output

    async def call(self, tool: Tool, **arguments: object) -> ToolOutput:
        """Validate and run, as dispatch does."""
        return await tool.run(self, tool.validate(arguments))

    async def text(self, tool: Tool, **arguments: object) -> str:
        """What the model would read."""
        output = await self.call(tool, **arguments)
        return self.store.text(output.archived.key) if output.archived else output.text
