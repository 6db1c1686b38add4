"""JSON with fewer items: the first, the last and the odd ones of long arrays stay, as they were written.

What is left out is named in its place, by a string, so that the rest stays JSON. Numbers, strings and
keys are those of the original, character by character; white space between them is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_LONG_ITEMS = 20
_FIRST_KEPT, _LAST_KEPT, _ODD_KEPT = 8, 2, 20
_LONG_STRING_CHARS, _STRING_HEAD_UNITS, _STRING_TAIL_UNITS = 1_000, 300, 100
_RARE_SHARE = 0.05
_SPACE = re.compile(r"[ \t\r\n]*")
_UNIT = re.compile(r"\\u[dD][89abAB]..\\u....|\\u....|\\.|[^\\]")
"""A character of a string as it is written: no escape may be cut."""
_DECODER = json.JSONDecoder(strict=False)


class Value(NamedTuple):
    """`text[start:end]` decodes to `value`."""

    start: int
    end: int
    value: Any


class Reducer:
    """Renders one document; counts what it keeps and what it leaves out."""

    def __init__(self, text: str) -> None:
        self.kept_chars = 0
        """Characters of the original that are shown."""
        self.omitted_items = 0
        self.cut_strings = 0
        self._text = text

    def document(self) -> str | None:
        """The reduced text; None when it does not begin with a JSON object or array.

        Text behind that value is no JSON and stays.
        """
        start = _skip(self._text, 0)
        if self._text[start : start + 1] not in ("{", "["):
            return None
        try:
            value = self._value_at(start)
        except (ValueError, StopIteration, RecursionError):
            return None
        return self._render(value) + self._keep(self._text[value.end :])

    def _value_at(self, start: int) -> Value:
        value, end = _DECODER.scan_once(self._text, start)  # type: ignore[attr-defined]
        return Value(start, end, value)

    def _render(self, value: Value) -> str:
        match value.value:
            case dict():
                members = (
                    f"{self._keep(key)}:{self._render(member)}" for key, member in self._members(value)
                )
                return self._framed("{", members, "}")
            case list():
                return self._framed("[", self._rendered_items(list(self._items(value))), "]")
            case str() if value.end - value.start > _LONG_STRING_CHARS:
                return self._cut(self._text[value.start : value.end])
            case _:
                return self._keep(self._text[value.start : value.end])

    def _rendered_items(self, items: Sequence[Value]) -> Iterator[str]:
        kept = kept_positions([item.value for item in items])
        before = -1
        for position in [*kept, len(items)]:
            if gap := position - before - 1:
                self.omitted_items += gap
                yield f'"... {gap} items omitted: [{before + 1}] to [{position - 1}]"'
            if position < len(items):
                yield self._render(items[position])
            before = position

    def _cut(self, written: str) -> str:
        """A long string without its middle."""
        self.cut_strings += 1
        units = _UNIT.findall(written)
        head, tail = "".join(units[:_STRING_HEAD_UNITS]), "".join(units[-_STRING_TAIL_UNITS:])
        self._keep(head + tail)
        return f"{head}... {len(written) - len(head) - len(tail)} chars omitted ...{tail}"

    def _keep(self, written: str) -> str:
        self.kept_chars += len(written)
        return written

    def _framed(self, opening: str, parts: Iterator[str], closing: str) -> str:
        inside = list(parts)
        self.kept_chars += 2 + max(0, len(inside) - 1)
        return f"{opening}{','.join(inside)}{closing}"

    def _members(self, value: Value) -> Iterator[tuple[str, Value]]:
        """Each key as it is written, with its value."""
        text, at = self._text, _skip(self._text, value.start + 1)
        while text[at] != "}":
            end = scanstring(text, at + 1, False)[1]
            member = self._value_at(_skip(text, _skip(text, end) + 1))
            yield text[at:end], member
            at = self._after(member.end)

    def _items(self, value: Value) -> Iterator[Value]:
        text, at = self._text, _skip(self._text, value.start + 1)
        while text[at] != "]":
            item = self._value_at(at)
            yield item
            at = self._after(item.end)

    def _after(self, end: int) -> int:
        """Where the next member begins, or the closing bracket."""
        at = _skip(self._text, end)
        return _skip(self._text, at + 1) if self._text[at] == "," else at


def omitted_json_lines(lines: Sequence[str]) -> set[int]:
    """The numbers, from 1, of JSON lines that can be left out; those that are no JSON object stay."""
    numbers, items = [], []
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            with suppress(ValueError, RecursionError):
                items.append(_DECODER.decode(line))
                numbers.append(number)
    kept = {numbers[position] for position in kept_positions(items)}
    return {number for number in numbers if number not in kept}


def kept_positions(items: Sequence[Any]) -> list[int]:
    """Which items of an array stay: all of a short one, else both ends and what is unlike the rest."""
    if len(items) <= _LONG_ITEMS:
        return list(range(len(items)))
    ends = {*range(_FIRST_KEPT), *range(len(items) - _LAST_KEPT, len(items))}
    odd = [position for position in _odd_positions(items) if position not in ends]
    return sorted(ends.union(odd[:_ODD_KEPT]))


def _odd_positions(items: Sequence[Any]) -> list[int]:
    """Items of another shape, or with a rare value in a field that otherwise has few values."""
    shapes = Counter(_shape(item) for item in items)
    rare = _RARE_SHARE * len(items)
    fields: dict[str, Counter[str]] = {}
    for item in items:
        for key, value in item.items() if isinstance(item, dict) else ():
            if value is None or isinstance(value, bool | int | str):
                fields.setdefault(key, Counter())[repr(value)[:80]] += 1
    telling = {key: counts for key, counts in fields.items() if len(counts) <= max(2, rare)}
    odd = []
    for position, item in enumerate(items):
        values = item.items() if isinstance(item, dict) else ()
        has_rare_value = any(
            key in telling and telling[key][repr(value)[:80]] <= rare for key, value in values
        )
        if has_rare_value or shapes[_shape(item)] <= rare:
            odd.append(position)
    return odd


def _shape(item: Any) -> str:
    return ",".join(sorted(item)) if isinstance(item, dict) else type(item).__name__


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
