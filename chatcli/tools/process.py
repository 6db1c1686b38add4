"""Runs one program as a tree that can be killed, in constant memory.

The program gets its own session, nothing to read, and a clean bash when it is a command line. Its
output is handed on as it comes. When it ends, is stopped or the caller is cancelled, nothing waits
for a grandchild that still holds the pipe.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from msgspec import Struct

from chatcli.errors import ToolFailed
from chatcli.tools.api import HelperResult, Writer

TIMEOUT_GRACE_SECONDS = 2.0
"""What a program that ran out of time gets between SIGTERM and SIGKILL."""
CANCEL_GRACE_SECONDS = 0.1
DRAIN_SECONDS = 0.25
"""How long output is still taken after the program itself has ended."""

_BLOCK_BYTES = 1 << 16
_MAX_ERROR_BYTES = 1 << 16
_KILL_ATTEMPTS = 10
"""Strays may fork while they are looked for."""
_MARK = "CHATCLI_COMMAND"
"""Variable by which descendants that left the process group are found again."""
_SHELL_START_UP = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS")


class Ended(Struct, frozen=True, kw_only=True):
    """How a program ended."""

    exit_code: int | None
    """None when a signal ended it."""
    signal: int | None
    timed_out: bool
    duration_seconds: float
    left_running: bool
    """Something that it started still held its output."""


async def run_shell(
    command: str,
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_output: Callable[[bytes], object],
    timeout_seconds: float,
) -> Ended:
    """Run a command line with `bash --noprofile --norc`; stderr comes in order with stdout.

    `env` is the whole environment. What `on_output` raises ends the program and is raised here.
    Cancelling kills the whole tree. Raises `ToolFailed` for a command that the system cannot take.
    """
    clean = {k: v for k, v in env.items() if k not in _SHELL_START_UP and not k.startswith("BASH_FUNC_")}
    argv = ["bash", "--noprofile", "--norc", "-c", "--", command]
    try:
        return await _run(argv, cwd=cwd, env=clean, on_output=on_output, timeout_seconds=timeout_seconds)
    except OSError as error:
        if error.errno != errno.E2BIG:
            raise
        raise ToolFailed(
            "The command is too long for the system. Write it to a file and run that."
        ) from error


async def run_helper(
    argv: Sequence[str],
    sink: Writer | None = None,
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout_seconds: float = 60.0,
    max_bytes: int = 50_000_000,
) -> HelperResult:
    """Run a fixed program. Raises OSError when it cannot be started, `ToolFailed` for unusable words."""
    output, errors = bytearray(), bytearray()

    def collect(data: bytes) -> None:
        output.extend(data)
        if len(output) > max_bytes:
            raise _TooMuchError

    def note_error(data: bytes) -> None:
        errors.extend(data[: _MAX_ERROR_BYTES - len(errors)])

    with tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        try:
            ended = await _run(
                argv,
                cwd=cwd,
                env=env,
                stdin=given,
                on_output=sink.write if sink else collect,
                on_errors=note_error,
                timeout_seconds=timeout_seconds,
            )
        except _TooMuchError:
            begun = bytes(output[:max_bytes])
            return HelperResult(exit_code=None, output=begun, errors=bytes(errors), cut=True)
    return HelperResult(
        exit_code=ended.exit_code, output=bytes(output), errors=bytes(errors), timed_out=ended.timed_out
    )


class _TooMuchError(Exception):
    """The output passed the limit of its caller."""


class _Pipe:
    """The reading end of a program's output. `failed` holds what the receiver raised."""

    def __init__(self, receive: Callable[[bytes], object], failed: asyncio.Future[None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._receive = receive
        self._failed = failed
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self._reading, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._reading, _BLOCK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._reading)
            self.ended.set_result(None)
            return
        try:
            self._receive(data)
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the program
            self._loop.remove_reader(self._reading)
            if not self._failed.done():
                self._failed.set_exception(error)

    def close_writing(self) -> None:
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def close(self) -> None:
        self.close_writing()
        self._loop.remove_reader(self._reading)
        os.close(self._reading)


def _require_passable(argv: Sequence[str]) -> None:
    """Raise `ToolFailed` for words, mostly a model's, that no program can be given."""
    for word in argv:
        try:
            passable = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            passable = False
        if not passable:
            raise ToolFailed(f"No program can be given this, it holds NUL or is no valid text: {word!a}")


async def _run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_output: Callable[[bytes], object],
    timeout_seconds: float,
    on_errors: Callable[[bytes], object] | None = None,
    stdin: IO[bytes] | None = None,
) -> Ended:
    _require_passable(argv)
    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    pipes = [_Pipe(receive, failed) for receive in (on_output, on_errors) if receive]
    mark = os.urandom(8).hex()
    began = time.monotonic()
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env={**env, _MARK: mark},
            stdin=stdin or subprocess.DEVNULL,
            stdout=pipes[0].writing,
            stderr=pipes[1].writing if on_errors else subprocess.STDOUT,
            start_new_session=True,
        )
        for pipe in pipes:
            pipe.close_writing()
        timed_out = await _attend(process, failed, mark, timeout_seconds)
        left_running = not await _drain(pipes, failed)
    finally:
        for pipe in pipes:
            pipe.close()
        if not failed.cancel() and not failed.cancelled():
            failed.exception()  # it was raised above, or something weightier is
    code = process.returncode
    return Ended(
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        timed_out=timed_out,
        duration_seconds=time.monotonic() - began,
        left_running=left_running,
    )


async def _attend(
    process: asyncio.subprocess.Process, failed: asyncio.Future[None], mark: str, timeout_seconds: float
) -> bool:
    """Wait for the program's end; True when the time limit ended it. Leaves no tree behind when it raises."""
    exited = asyncio.ensure_future(process.wait())
    grace_seconds = CANCEL_GRACE_SECONDS
    try:
        await asyncio.wait((exited, failed), timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            failed.result()
        if exited.done():
            return False
        grace_seconds = TIMEOUT_GRACE_SECONDS
    finally:
        if not exited.done():
            await _end_tree(process, exited, mark, grace_seconds)
    return True


async def _drain(pipes: Sequence[_Pipe], failed: asyncio.Future[None]) -> bool:
    """Take what is still in the pipes; False when something keeps them open."""
    ends = [pipe.ended for pipe in pipes]
    await asyncio.wait(ends, timeout=DRAIN_SECONDS)
    if failed.done():
        failed.result()
    return all(end.done() for end in ends)


async def _end_tree(
    process: asyncio.subprocess.Process, exited: asyncio.Future[int], mark: str, grace_seconds: float
) -> None:
    """SIGTERM, a moment of grace, then SIGKILL until nobody is left."""
    try:
        _signal_tree(process.pid, mark, signal.SIGTERM)
        await asyncio.wait((exited,), timeout=grace_seconds)
    finally:
        attempts = 0
        while _signal_tree(process.pid, mark, signal.SIGKILL) and attempts < _KILL_ATTEMPTS:
            attempts += 1
    await asyncio.wait((exited,), timeout=TIMEOUT_GRACE_SECONDS)


def _signal_tree(group: int, mark: str, number: signal.Signals) -> bool:
    """Signal the group and all that left it; False when nobody had left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    strays = _strays(group, mark)
    for pid in strays:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    return bool(strays)


def _strays(group: int, mark: str) -> list[int]:
    """Living processes outside the group that inherited the mark. None where there is no /proc."""
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                pid = int(folder.name)
                if os.getpgid(pid) != group:
                    found.append(pid)
    return found
