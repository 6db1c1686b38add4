"""Drives the real command in a pseudo terminal and shows what a person would see.

`Terminal` runs a program on a pty and feeds everything it writes to a pyte screen with scrollback.
Nothing here sleeps: every wait is a read that ends when what is waited for is on the screen.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pexpect
import pyte

from tests.terminal.screenshot import ShownScreen

TIMEOUT_SECONDS = 20.0


class Terminal:
    """One program on one terminal."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        columns: int = 80,
        rows: int = 24,
        program: Sequence[str] = (sys.executable, "-m", "chatcli"),
    ) -> None:
        self.raw = b""
        """Every byte the program wrote."""
        self.screen = ShownScreen(columns, rows, history=5_000, ratio=0.001)
        self._stream = pyte.ByteStream(self.screen)
        self._child = pexpect.spawn(
            program[0],
            [*program[1:], *arguments],
            env=dict(environment),
            cwd=str(folder),
            dimensions=(rows, columns),
            timeout=TIMEOUT_SECONDS,
        )
        self._child.delaybeforesend = None

    @property
    def pid(self) -> int:
        return self._child.pid

    def modes(self) -> list[object]:
        """The settings of the terminal itself, as `stty` would show them."""
        return termios.tcgetattr(self._child.child_fd)

    def lines(self) -> list[str]:
        """The visible rows, without blanks on the right."""
        return [line.rstrip() for line in self.screen.display]

    def scrollback(self) -> list[str]:
        """The rows that left the screen at the top, then the visible ones."""
        gone = [
            "".join(row[column].data for column in range(self.screen.columns)).rstrip()
            for row in self.screen.history.top
        ]
        return [*gone, *self.lines()]

    def text(self) -> str:
        return "\n".join(self.scrollback())

    def send(self, keys: str | bytes) -> None:
        self._child.send(keys)

    def line(self, text: str) -> None:
        """Type a line and press Enter."""
        self.send(text + "\r")

    def wait(self, holds: Callable[[], object], what: str = "") -> None:
        """Read until `holds()`; fails with the screen when it does not happen in time."""
        until = time.monotonic() + TIMEOUT_SECONDS
        while not holds():
            if not self.read(until - time.monotonic()):
                shown = "\n".join(self.scrollback())
                raise AssertionError(f"did not happen: {what}\n--- screen\n{shown}\n---")

    def expect(self, text: str, count: int = 1) -> None:
        """Read until `text` is on the screen or above it, at least `count` times."""
        self.wait(lambda: self.text().count(text) >= count, f"{text!r} x{count}")

    def gone(self, text: str) -> None:
        """Read until `text` is no longer among the visible rows."""
        self.wait(lambda: all(text not in line for line in self.lines()), f"no {text!r}")

    def read(self, timeout_seconds: float) -> bool:
        """Take what the program writes next; False when it writes nothing in time or has ended."""
        if timeout_seconds <= 0:
            return False
        try:
            data = self._child.read_nonblocking(65_536, timeout_seconds)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def kill(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def end(self) -> int:
        """Read to the end; the exit code, or minus the signal that ended it."""
        while self.read(TIMEOUT_SECONDS):
            pass
        self._child.wait()
        return -self._child.signalstatus if self._child.signalstatus else self._child.exitstatus

    def hang_up(self) -> None:
        """The terminal goes away, as when its window is closed."""
        self._child.ptyproc.fileobj.close()
        self._child.ptyproc.closed = True

    def wait_for_end(self) -> int:
        """The exit code, or minus the signal, of a program whose terminal is gone."""
        _pid, status = os.waitpid(self.pid, 0)
        self._child.ptyproc.terminated = True
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        self._child.close(force=True)
