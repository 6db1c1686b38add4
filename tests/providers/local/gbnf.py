"""An independent reader of llama.cpp's grammars: which texts they accept, and texts that they make."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:(?P<rule>[a-z][a-zA-Z0-9-]*)\s*::=|(?P<name>[a-z][a-zA-Z0-9-]*)|"(?P<text>(?:\\.|[^"\\])*)"
    |\[(?P<set>\^?(?:\\.|[^\]\\])+)\]|(?P<count>\{\d+(?:,\d*)?\})|(?P<mark>[|()*+?]))""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_MOST_REPEATS = 3
"""In texts that are made."""

Node = tuple[Any, ...]


class Gbnf:
    def __init__(self, text: str) -> None:
        self.rules: dict[str, Node] = {}
        tokens = list(_tokens(text))
        starts = [i for i, (kind, _value) in enumerate(tokens) if kind == "rule"]
        for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
            body = tokens[start + 1 : end]
            self.rules[tokens[start][1]] = _either(body)
            assert not body, f"left over: {body}"

    def accepts(self, text: str) -> bool:
        return len(text) in self._ends(self.rules["root"], text, 0, {})

    def make(self, draw: Callable[[int], int], root: str = "root") -> str:
        """A text of the grammar. `draw(n)` chooses from 0 to n."""
        return self._made(self.rules[root], draw, 0)

    def _ends(self, node: Node, text: str, at: int, known: dict[Any, set[int]]) -> set[int]:
        """Where a text that begins at `at` may end."""
        key = (id(node), at)
        if key not in known:
            known[key] = set()
            known[key] = self._found(node, text, at, known)
        return known[key]

    def _found(self, node: Node, text: str, at: int, known: dict[Any, set[int]]) -> set[int]:
        match node:
            case ("rule", name):
                return self._ends(self.rules[name], text, at, known)
            case ("text", wanted):
                return {at + len(wanted)} if text.startswith(wanted, at) else set()
            case ("set", ranges, inverted):
                inside = at < len(text) and any(low <= text[at] <= high for low, high in ranges)
                return {at + 1} if at < len(text) and inside is not inverted else set()
            case ("either", *branches):
                return {end for branch in branches for end in self._ends(branch, text, at, known)}
            case ("each", *parts):
                ends = {at}
                for part in parts:
                    ends = {later for end in ends for later in self._ends(part, text, end, known)}
                return ends
            case ("repeat", part, least, most):
                return self._repeated(part, least, most, text, at, known)
        raise AssertionError(node)

    def _repeated(
        self, part: Node, least: int, most: int | None, text: str, at: int, known: dict[Any, set[int]]
    ) -> set[int]:
        ends, newest = ({at} if not least else set()), {at}
        count = 0
        while newest and (most is None or count < most):
            newest = {later for end in newest for later in self._ends(part, text, end, known)}
            count += 1
            if count >= least:
                newest -= ends
                ends |= newest
        return ends

    def _made(self, node: Node, draw: Callable[[int], int], depth: int) -> str:
        match node:
            case ("rule", name):
                return self._made(self.rules[name], draw, depth + 1)
            case ("text", wanted):
                return str(wanted)
            case ("set", ranges, inverted):
                return _character(ranges, inverted, draw)
            case ("either", *branches):
                deep = depth > 12
                return self._made(branches[0 if deep else draw(len(branches) - 1)], draw, depth + 1)
            case ("each", *parts):
                return "".join(self._made(part, draw, depth) for part in parts)
            case ("repeat", part, least, most):
                more = 0 if depth > 12 else draw(_MOST_REPEATS if most is None else min(most - least, 3))
                return "".join(self._made(part, draw, depth + 1) for _time in range(least + more))
        raise AssertionError(node)


def _tokens(text: str) -> Any:
    at, text = 0, text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found, text[at : at + 40]
        at = found.end()
        assert found.lastgroup
        yield found.lastgroup, found[found.lastgroup]


def _either(tokens: list[tuple[str, str]]) -> Node:
    branches = [_each(tokens)]
    while tokens and tokens[0] == ("mark", "|"):
        tokens.pop(0)
        branches.append(_each(tokens))
    return branches[0] if len(branches) == 1 else ("either", *branches)


def _each(tokens: list[tuple[str, str]]) -> Node:
    parts: list[Node] = []
    while tokens and tokens[0] not in (("mark", "|"), ("mark", ")")):
        kind, value = tokens.pop(0)
        match kind, value:
            case "name", _:
                parts.append(("rule", value))
            case "text", _:
                parts.append(("text", _unescaped(value)))
            case "set", _:
                parts.append(_set(value))
            case "mark", "(":
                parts.append(_either(tokens))
                assert tokens.pop(0) == ("mark", ")")
            case "mark", _:
                least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[value]
                parts.append(("repeat", parts.pop(), least, most))
            case "count", _:
                least, _comma, most = value[1:-1].partition(",")
                parts.append(("repeat", parts.pop(), int(least), int(most or least)))
    return ("each", *parts)


def _set(text: str) -> Node:
    inverted = text.startswith("^")
    characters = [_unescaped(piece) for piece in re.findall(r"\\x..|\\.|[^\\]", text.removeprefix("^"))]
    ranges = []
    while characters:
        low = characters.pop(0)
        if len(characters) > 1 and characters[0] == "-":
            characters.pop(0)
            ranges.append((low, characters.pop(0)))
        else:
            ranges.append((low, low))
    return ("set", ranges, inverted)


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(?:x(..)|(.))", lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]), text
    )


def _character(ranges: list[tuple[str, str]], inverted: bool, draw: Callable[[int], int]) -> str:
    if inverted:
        choices = [c for c in 'aZ0 {}[]",:\\é漢😀' if not any(low <= c <= high for low, high in ranges)]
        return choices[draw(len(choices) - 1)]
    low, high = ranges[draw(len(ranges) - 1)]
    return chr(ord(low) + draw(ord(high) - ord(low)))
