"""`[ ... ]` and `[[ ... ]]`: harmless, except where bash does arithmetic or looks up an array element.

`[[ 'a[$(command)]' -eq 0 ]]` and `[ -v 'a[$(command)]' ]` run the command although it stands in quotes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from chatcli.gate.words import WORD_NODES

if TYPE_CHECKING:
    from tree_sitter import Node

    from chatcli.gate.grammar import Walk, Where

UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuwxzLNOGS")
_NUMBERS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
BINARY = _NUMBERS | {"=", "==", "!=", "-nt", "-ot", "-ef"}
_SINGLE = UNARY | BINARY | {"!"}
_DOUBLE = _SINGLE | {"=~", "&&", "||", "(", ")", "<", ">"}
_LIVE_IN_REGEX = re.compile(r"`|[<>]\(|\$[^\s)|]")
"""A `$` at the end of a branch is only its end."""
_EXPRESSIONS = frozenset({"binary_expression", "unary_expression", "parenthesized_expression"})


class Condition:
    """One pair of brackets, read part by part."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._double = False
        self._dynamic: list[str] = []
        self._operators: list[str] = []

    def read(self, node: Node, where: Where) -> None:
        bracket = node.children[0].type if node.children else ""
        if bracket not in {"[", "[["}:
            self._walk.not_judged(bracket)
        self._double = bracket == "[["
        for child in node.children[1:-1]:
            self._part(child, where.inside(), numeric=False)
        # Several operators in single brackets: what is an operand and what not, the values decide.
        joined = {"-a", "-o"}.intersection(self._operators) or len(self._operators) > 1
        if not self._double and self._dynamic and joined:
            self._walk.not_judged(self._dynamic[0])

    def _part(self, node: Node, where: Where, *, numeric: bool) -> None:
        if node.type in _EXPRESSIONS:
            numeric = numeric or any(_source(child) in _NUMBERS for child in node.children)
            for child in node.children:
                self._part(child, where.inside(), numeric=numeric)
        elif node.type in WORD_NODES:
            self._operand(node, where, numeric=numeric)
        elif node.type == "test_operator" or not node.is_named:
            operator = _source(node)
            self._operators.append(operator)
            if operator not in (_DOUBLE if self._double else _SINGLE):
                self._walk.not_judged(operator)
        elif node.type not in {"regex", "extglob_pattern"} or _LIVE_IN_REGEX.search(_source(node)):
            self._walk.not_judged(node.type.replace("_", " "))
            self._walk.visit(node, where)

    def _operand(self, node: Node, where: Where, *, numeric: bool) -> None:
        word = self._walk.word(node, where)
        if self._double:
            if numeric and not (word.text or "").lstrip("-").isdigit():
                self._walk.not_judged(word.raw)
        elif word.text is None:
            self._dynamic.append(word.raw)
            # Unquoted it may become several words, and operators among them.
            if not word.raw.startswith('"'):
                self._walk.not_judged(word.raw)


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip()
