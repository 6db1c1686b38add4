"""The screen where there is no cursor: a dumb terminal, or output that goes into a pipe.

Lines in, lines out; nothing is redrawn and nothing but text is written. The terminal itself edits
the line.
"""

from __future__ import annotations

import asyncio
import os
import termios
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TextIO

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.look import Look
from chatcli.terminal.screen.hangup import abandon
from chatcli.terminal.screen.paste import clean
from chatcli.terminal.screen.screen import Entry, Interrupted, Key, Line

_READ_BYTES = 65_536
_COLUMNS = 80
_SIGN = "❯ "


class PlainScreen:
    """See `chatcli.terminal.screen.screen.Screen`. Prompts go to `prompts`, so that `output` stays clean."""

    def __init__(self, *, look: Look, stdin: TextIO, output: TextIO, prompts: TextIO) -> None:
        self.look = look
        self._busy = False
        self.keeps_typed = stdin.isatty() and output.isatty()
        self._waiting = False
        self.last_key_seconds = time.monotonic()
        self._stdin = stdin.fileno()
        self._output = output
        self._prompts = prompts
        self._inputs: asyncio.Queue[Line | Key] = asyncio.Queue()
        self._partial = b""
        self._asking = asyncio.Lock()
        self._asked: asyncio.Future[str] | None = None

    @property
    def columns(self) -> int:
        return self._size().columns

    @property
    def rows(self) -> int:
        return self._size().lines

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Lines are read inside."""
        import signal

        loop = asyncio.get_running_loop()
        loop.add_reader(self._stdin, self._read)
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            loop.remove_reader(self._stdin)
            loop.remove_signal_handler(signal.SIGINT)

    def print(self, lines: Sequence[str]) -> None:
        self._write(self._output, "".join(f"{line}\n" for line in lines))

    def live(self, lines: Callable[[], Sequence[str]] | None) -> None:
        """There is no live area: finished lines say it all."""

    def refresh(self) -> None:
        """Nothing is ever redrawn."""

    @property
    def busy(self) -> bool:
        return self._busy

    @busy.setter
    def busy(self, busy: bool) -> None:
        if self._busy and not busy and self._waiting:
            self._prompt(_SIGN)
        self._busy = busy

    async def next_input(self) -> Line | Key:
        if not self._busy and self._inputs.empty():
            self._prompt(_SIGN)
        self._waiting = True
        try:
            return await self._inputs.get()
        finally:
            self._waiting = False

    def give_back(self, text: str) -> None:
        self._prompt(_("Not sent: {text}").format(text=one_line(text)) + "\n")

    async def ask(self, label: str) -> str:
        async with self._asking:
            self._partial = b""
            with suppress(termios.error):
                termios.tcflush(self._stdin, termios.TCIFLUSH)
            self._prompt(f"{label}\n? ")
            self._asked = asyncio.get_running_loop().create_future()
            try:
                return await self._asked
            finally:
                self._asked = None

    async def choose(self, label: str, entries: Sequence[Entry], start: int = 0) -> int | None:
        self.print([f"{'*' if at == start else ' '} {entry.shown}" for at, entry in enumerate(entries)])
        return None

    async def page(self, lines: Sequence[str]) -> None:
        self.print(lines)

    def _size(self) -> os.terminal_size:
        try:
            return os.get_terminal_size(self._output.fileno())
        except OSError:
            return os.terminal_size((_COLUMNS, 24))

    def _prompt(self, text: str) -> None:
        self._write(self._prompts, text)

    def _write(self, stream: TextIO, text: str) -> None:
        try:
            stream.write(text)
            stream.flush()
        except OSError:
            abandon(stream)
            self._end()

    def _read(self) -> None:
        try:
            data = os.read(self._stdin, _READ_BYTES)
        except OSError:
            data = b""
        self.last_key_seconds = time.monotonic()
        if not data:
            asyncio.get_running_loop().remove_reader(self._stdin)
            self._end()
            return
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._take(clean(line.decode("utf-8", "replace").removesuffix("\r")))

    def _take(self, text: str) -> None:
        if self._asked and not self._asked.done():
            self._asked.set_result(text)
        else:
            self._inputs.put_nowait(Line(text.strip(), text.strip()))

    def _interrupt(self) -> None:
        self._partial = b""
        self._prompt("\n")
        if self._asked and not self._asked.done():
            self._asked.set_exception(Interrupted())
        else:
            self._inputs.put_nowait("interrupt")

    def _end(self) -> None:
        if self._asked and not self._asked.done():
            self._asked.set_exception(Interrupted())
        self._inputs.put_nowait("leave")
