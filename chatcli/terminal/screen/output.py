"""The one place where bytes go to a live terminal: whole updates in single writes.

An update that erases the live area, prints finished lines and draws the live area again reaches the
terminal as one write between the marks of a synchronized update. No half-drawn state can be seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from chatcli.terminal.screen.hangup import abandon

_BEGIN_UPDATE = "\x1b[?2026h"
_END_UPDATE = "\x1b[?2026l"


class TerminalOutput(Vt100_Output):
    """A terminal that may go away: after a hang-up, writing does nothing."""

    def __init__(self, stdout: TextIO, *, term: str, color: bool) -> None:
        self.gone = False
        self._held = 0
        super().__init__(
            stdout,
            self._measure,
            term=term,
            default_color_depth=ColorDepth.DEPTH_4_BIT if color else ColorDepth.DEPTH_1_BIT,
            # A position report that comes late would be read as typed text.
            enable_cpr=False,
        )

    @contextmanager
    def one_write(self) -> Iterator[None]:
        """Everything written inside reaches the terminal at once."""
        if not self._held:
            self.write_raw(_BEGIN_UPDATE)
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                self.write_raw(_END_UPDATE)
                self.flush()

    def flush(self) -> None:
        if self._held or self.gone:
            return
        try:
            super().flush()
        except OSError:
            self.gone = True
            abandon(self.stdout)

    def _measure(self) -> Size:
        try:
            size = os.get_terminal_size(self.stdout.fileno())
        except OSError:
            return Size(rows=24, columns=80)
        return Size(rows=size.lines or 24, columns=size.columns or 80)
