"""Finds and replaces text whose line ends may be CRLF, LF or mixed, and changes nothing else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence


class PatchText:
    """A text, compared with plain line ends. Places are offsets of the plain text.

    What is put in gets the line end of the line where it is put. A text without any CRLF is compared
    and changed literally.
    """

    def __init__(self, text: str) -> None:
        self.plain = text.replace("\r\n", "\n")
        self._text = text
        # Where the plain text has a line end that is one character longer in the text.
        self._longer = [found.start() - i for i, found in enumerate(re.finditer("\r\n", text))]

    def find(self, old: str, *, overlapping: bool) -> list[int]:
        """All places where `old` stands."""
        old = self._compared(old)
        step = 1 if overlapping else len(old)
        places = []
        place = self.plain.find(old)
        while place >= 0:
            places.append(place)
            place = self.plain.find(old, place + step)
        return places

    def replaced(self, places: Sequence[int], old: str, new: str) -> str:
        """The whole text with `new` instead of `old` at these places, which do not overlap."""
        if self._longer or old not in self._text:
            old, new = self._compared(old), new.replace("\r\n", "\n")
        # What both have in common at either end is left alone, so that mixed line ends stay mixed.
        before = _common(old, new)
        after = _common(old[before:][::-1], new[before:][::-1])
        inserted = new[before : len(new) - after]
        parts: list[str] = []
        done = 0
        for place in places:
            begin, end = self._offset(place + before), self._offset(place + len(old) - after)
            parts += [self._text[done:begin], self._with_line_ends(inserted, begin)]
            done = end
        return "".join([*parts, self._text[done:]])

    def line_number(self, place: int) -> int:
        """The line of a place, from 1."""
        return self.plain.count("\n", 0, place) + 1

    def _compared(self, old: str) -> str:
        return old.replace("\r\n", "\n")

    def _offset(self, place: int) -> int:
        return place + bisect_left(self._longer, place)

    def _with_line_ends(self, inserted: str, begin: int) -> str:
        if not self._longer or "\n" not in inserted:
            return inserted
        end = self._text.find("\n", begin)
        if end < 0:
            end = self._text.rfind("\n", 0, begin)
        return inserted.replace("\n", "\r\n") if self._text[end - 1] == "\r" else inserted


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
