"""Where a subcommand works and where it prints."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import msgspec
from msgspec import Struct

from chatcli.agent.start import home_folder, project_folder
from chatcli.gate.screen import one_line, safe_text
from chatcli.terminal.cells import clip, width_cells
from chatcli.terminal.failure import output_errors
from chatcli.terminal.look import Look, Style, choose_look

_GAP = "  "
_NOBODYS_COLUMNS = 100
"""Width of what is drawn into a pipe or a file."""


class Output:
    """Prints lines and tables. All text may be foreign: it is made harmless here."""

    def __init__(self, stream: TextIO, look: Look, width_cells: int | None) -> None:
        self._stream = stream
        self._width_cells = width_cells
        """None: nobody's window, nothing is cut."""
        self.look = look

    def line(self, text: str = "", style: Style | None = None) -> None:
        text = safe_text(text)
        self._write(self.look.paint(text, style) if style else text)

    def marked(self, mark: str, style: Style, text: str) -> None:
        """A line behind a short coloured word."""
        self._write(f"{self.look.paint(mark, style)}  {safe_text(text)}")

    def drawn(self, lines: Iterable[str]) -> None:
        """Lines that are safe already and as wide as they should be."""
        for line in lines:
            self._write(line)

    @property
    def columns(self) -> int:
        """For what is drawn to a width."""
        return self._width_cells or _NOBODYS_COLUMNS

    def json(self, value: Any) -> None:
        self._write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns as wide as their content; in a window the last one is cut at its edge."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        widths = [max(map(width_cells, column)) for column in zip(headers, *cells, strict=True)]
        self.line(self._row(headers, widths), "dim")
        for row in cells:
            self.line(self._row(row, widths))

    def _write(self, line: str) -> None:
        with output_errors():
            self._stream.write(line + "\n")
            self._stream.flush()

    def _row(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = [cell + " " * (width - width_cells(cell)) for cell, width in zip(cells, widths, strict=True)]
        text = _GAP.join(padded).rstrip()
        return clip(text, self._width_cells) if self._width_cells else text


class Place(Struct, frozen=True, kw_only=True):
    """What every subcommand gets."""

    home: Path
    folder: Path
    environment: Mapping[str, str]
    out: Output

    @property
    def user_home(self) -> Path:
        return Path(self.environment.get("HOME", "~")).expanduser()

    def short(self, path: Path) -> str:
        """The path with `~` for the user's home."""
        if path.is_relative_to(self.user_home):
            return str(Path("~") / path.relative_to(self.user_home))
        return str(path)


def here(environment: Mapping[str, str], folder: str = "") -> Place:
    """The place of a command that was started in a terminal or a pipe. Raises UsageError."""
    terminal = sys.stdout.isatty()
    return Place(
        home=home_folder(environment),
        folder=project_folder(folder),
        environment=environment,
        out=Output(
            sys.stdout,
            choose_look(environment, terminal=terminal),
            shutil.get_terminal_size().columns if terminal else None,
        ),
    )
