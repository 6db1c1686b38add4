"""Draws a pyte screen as a picture, cell by cell, to look at it.

By hand, OFFLINE in this folder:
    python -m tests.terminal.screenshot OUT.png 80x24 'what is in this folder?' '/cost'
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyte
from PIL import Image, ImageDraw, ImageFont

_FONTS = Path("/usr/share/fonts/truetype")
_REGULAR = _FONTS / "dejavu/DejaVuSansMono.ttf"
_BOLD = _FONTS / "dejavu/DejaVuSansMono-Bold.ttf"
_WIDE = _FONTS / "wqy/wqy-microhei.ttc"
_SIZE_PX = 16
_QUIET_SECONDS = 1.0
_PALETTE = {
    "default": "#d4d4d4",
    "black": "#3b3b3b",
    "red": "#f14c4c",
    "green": "#23d18b",
    "brown": "#e5c07b",
    "blue": "#3b8eea",
    "magenta": "#d670d6",
    "cyan": "#29b8db",
    "white": "#e5e5e5",
    "brightblack": "#7f7f7f",
}
_BACKGROUND = "#1e1e1e"


class ShownScreen(pyte.HistoryScreen):
    """A screen that keeps `dim`, which pyte does not know, as a colour."""

    def select_graphic_rendition(self, *attributes: int, **options: bool) -> None:
        super().select_graphic_rendition(*(90 if code == 2 else code for code in attributes), **options)


def draw(screen: pyte.Screen, path: Path) -> None:
    """Write the visible screen to a PNG file."""
    regular = ImageFont.truetype(str(_REGULAR), _SIZE_PX)
    bold = ImageFont.truetype(str(_BOLD), _SIZE_PX)
    wide = ImageFont.truetype(str(_WIDE), _SIZE_PX) if _WIDE.exists() else regular
    width, height = round(regular.getlength("M")), _SIZE_PX + 4
    image = Image.new("RGB", (screen.columns * width, screen.lines * height), _BACKGROUND)
    pen = ImageDraw.Draw(image)
    for y in range(screen.lines):
        for x in range(screen.columns):
            cell = screen.buffer[y][x]
            front, back = _color(cell.fg, _PALETTE["default"]), _color(cell.bg, _BACKGROUND)
            if cell.reverse:
                front, back = back, front
            left, top = x * width, y * height
            if back != _BACKGROUND:
                pen.rectangle((left, top, left + width - 1, top + height - 1), fill=back)
            if cell.data.strip():
                font = wide if ord(cell.data[0]) > 0x2E80 else bold if cell.bold else regular
                pen.text((left, top), cell.data, font=font, fill=front)
            if cell.underscore:
                pen.line((left, top + height - 2, left + width, top + height - 2), fill=front)
    if not screen.cursor.hidden:
        left, top = screen.cursor.x * width, screen.cursor.y * height
        pen.rectangle((left, top, left + width, top + height), outline="#ffffff")
    image.save(path)


def _color(name: str, otherwise: str) -> str:
    if name == "default":
        return otherwise
    if name in _PALETTE:
        return _PALETTE[name]
    return f"#{name}" if len(name) == 6 else otherwise


def main(arguments: list[str]) -> None:
    """Type the lines one after the other, each when nothing has moved for a moment, and draw the end."""
    from tempfile import TemporaryDirectory

    from tests.terminal.driver import Terminal

    path, size, *lines = arguments
    columns, rows = map(int, size.split("x"))
    with TemporaryDirectory() as home:
        terminal = Terminal(
            ("--provider", "OFFLINE"),
            environment={**os.environ, "CHATCLI_HOME": home, "TERM": "xterm-256color"},
            folder=Path.cwd(),
            columns=columns,
            rows=rows,
        )
        terminal.expect("❯")
        for line in lines:
            terminal.line(line)
            while terminal.read(_QUIET_SECONDS):
                continue
        draw(terminal.screen, Path(path))
        terminal.close()


if __name__ == "__main__":
    main(sys.argv[1:])
