"""JSON with fewer items: the first, the last and the odd ones of long arrays stay, as they were written.

What is left out is named in its place, by a string, so that the rest stays JSON. Numbers, strings and
keys are those of the original, character by character; white space between them is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from chatcli.tools.json_text import Value, items, members, skip_space, value_at

_LONG_ITEMS = 20
_FIRST_KEPT, _LAST_KEPT, _ODD_KEPT = 8, 2, 20
_LONG_STRING_CHARS, _STRING_HEAD_UNITS, _STRING_TAIL_UNITS = 1_000, 300, 100
_RARE_SHARE = 0.05
_UNIT = re.compile(r"\\u[dD][89abAB]..\\u....|\\u....|\\.|[^\\]")
"""A character of a string as it is written: no escape may be cut."""


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
        start = skip_space(self._text, 0)
        if self._text[start : start + 1] not in ("{", "["):
            return None
        if (value := value_at(self._text, start)) is None:
            return None
        try:
            return self._render(value) + self._keep(self._text[value.end :])
        except RecursionError:
            return None

    def _render(self, value: Value) -> str:
        match self._text[value.start]:
            case "{":
                parts = (
                    f"{self._keep(member.written)}:{self._render(member.value)}"
                    for member in members(self._text, value.start)
                )
                return self._framed("{", parts, "}")
            case "[":
                return self._framed("[", self._items(list(items(self._text, value.start))), "]")
            case '"' if value.end - value.start > _LONG_STRING_CHARS:
                return self._cut(self._text[value.start : value.end])
            case _:
                return self._keep(self._text[value.start : value.end])

    def _items(self, values: Sequence[Value]) -> Iterator[str]:
        before = -1
        for position in [*kept_positions([value.decoded for value in values]), len(values)]:
            if gap := position - before - 1:
                self.omitted_items += gap
                yield f'"... {gap} items omitted: [{before + 1}] to [{position - 1}]"'
            if position < len(values):
                yield self._render(values[position])
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
        self.kept_chars += len(opening) + len(closing) + max(0, len(inside) - 1)
        return f"{opening}{','.join(inside)}{closing}"


def omitted_json_lines(lines: Sequence[str]) -> set[int]:
    """The numbers, from 1, of JSON lines that can be left out; those that are no JSON object stay."""
    numbers: list[int] = []
    found: list[Any] = []
    for number, line in enumerate(lines, 1):
        value = value_at(line, 0) if line.startswith("{") else None
        if value and not line[value.end :].strip():
            found.append(value.decoded)
            numbers.append(number)
    kept = {numbers[position] for position in kept_positions(found)}
    return {number for number in numbers if number not in kept}


def kept_positions(array: Sequence[Any]) -> list[int]:
    """Which items of an array stay: all of a short one, else both ends and what is unlike the rest."""
    if len(array) <= _LONG_ITEMS:
        return list(range(len(array)))
    ends = {*range(_FIRST_KEPT), *range(len(array) - _LAST_KEPT, len(array))}
    odd = [position for position in _odd_positions(array) if position not in ends]
    return sorted(ends.union(odd[:_ODD_KEPT]))


def _odd_positions(array: Sequence[Any]) -> list[int]:
    """Items of another shape, or with a rare value in a field that otherwise has few values."""
    shapes = Counter(_shape(item) for item in array)
    rare = _RARE_SHARE * len(array)
    fields: dict[str, Counter[str]] = {}
    for item in array:
        for key, value in item.items() if isinstance(item, dict) else ():
            if value is None or isinstance(value, bool | str):
                fields.setdefault(key, Counter())[repr(value)[:80]] += 1
    telling = {key: counts for key, counts in fields.items() if len(counts) <= max(2, rare)}
    odd = []
    for position, item in enumerate(array):
        values = item.items() if isinstance(item, dict) else ()
        has_rare_value = any(
            key in telling and telling[key][repr(value)[:80]] <= rare for key, value in values
        )
        if has_rare_value or shapes[_shape(item)] <= rare:
            odd.append(position)
    return odd


def _shape(item: Any) -> str:
    return ",".join(sorted(item)) if isinstance(item, dict) else type(item).__name__
