"""Whether bash cuts a line into the same words as the syntax tree does.

The grammar forgives more than bash does: it skips a backslash with a space (for bash a word) and an escaped
line end inside of a word (for bash nothing), takes `[[-f a>b ]]` for a condition, `wc -l2>&1` for a copied
descriptor. So that no word hides between two readings, every byte of the line must belong to a leaf that
looks as its kind demands, or be a blank; and words must end where bash ends them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from chatcli.gate.words import WORD_NODES

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD_ENDS = b" \t\n;&|()<>"
_LINE_BLANK = re.compile(rb"(?:[ \t]|\\\n(?=[ \t])|(?<=[ \t])\\\n)*")
_BLANK = re.compile(rb"(?:[ \t\n]|\\\n(?=[ \t])|(?<=[ \t])\\\n)*")

# Text of their own lies between their children.
_WITH_TEXT = frozenset({"string", "heredoc_body"})
# Judged by their whole text, elsewhere.
_OPAQUE = frozenset({"expansion", "arithmetic_expansion", "translated_string", "regex", "subscript"})
_ON_ONE_LINE = frozenset(
    {"command", "command_name", "concatenation", "file_redirect", "herestring_redirect", "word"}
    | {"variable_assignment", "variable_assignments", "declaration_command", "unset_command"}
    | {"test_command", "binary_expression", "unary_expression", "parenthesized_expression"}
    | {"redirected_statement"}
)
# Below these a word stands by itself.
_HOLDERS = frozenset(
    {"command", "redirected_statement", "file_redirect", "herestring_redirect", "declaration_command"}
    | {"for_statement", "case_statement", "test_command", "binary_expression", "unary_expression"}
    | {"variable_assignments", "unset_command", "program", "list", "pipeline"}
)
_STANDALONE = WORD_NODES | {"command_name", "variable_assignment"}
_RESERVED = frozenset(
    {"{", "}", "!", "in", "[[", "]]", "if", "then", "elif", "else", "fi", "while", "until", "do", "done"}
    | {"for", "case", "esac", "select", "function"}
)
_PLAIN = rb"(?!#)(?:[^ \t\n;&|()<>\"'`\\]|\\[\s\S])+"
_LEAVES = {
    "word": re.compile(_PLAIN),
    "number": re.compile(_PLAIN),
    "raw_string": re.compile(rb"'[^']*'"),
    "ansi_c_string": re.compile(rb"\$'(?:[^'\\]|\\[\s\S])*'"),
    "file_descriptor": re.compile(rb"\d{1,4}"),
    "comment": re.compile(rb"#[^\n]*"),
    "test_operator": re.compile(rb"\s*-\w+\s*"),
}


def agrees_with_bash(root: Node, source: bytes) -> bool:
    """False when bash may see other words than the tree has."""
    return _Check(source).run(root)


class _Check:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._ends_by_backquote: set[int] = set()

    def run(self, root: Node) -> bool:
        around = self._source[: root.start_byte] + self._source[root.end_byte :]
        if not _BLANK.fullmatch(around):
            return False
        pending = [(root, "")]
        while pending:
            node, parent = pending.pop()
            if node.type in _OPAQUE:
                continue
            if node.type == "command_substitution" and node.children and node.children[0].type == "`":
                self._ends_by_backquote |= {node.start_byte + 1, node.end_byte - 1}
            if not self._is_plausible(node, parent) or not self._is_covered(node):
                return False
            pending += [(child, node.type) for child in node.children]
        return True

    def _is_covered(self, node: Node) -> bool:
        """Only blanks lie between the children."""
        if node.type in _WITH_TEXT or not node.children:
            return True
        whole = _LINE_BLANK if node.type in _ON_ONE_LINE else _BLANK
        position = node.start_byte
        for child in node.children:
            value = node.type == "for_statement" and child.type in WORD_NODES
            blank = _LINE_BLANK if value else whole
            if not blank.fullmatch(self._source, position, child.start_byte):
                return False
            position = child.end_byte
        return whole.fullmatch(self._source, position, node.end_byte) is not None

    def _is_plausible(self, node: Node, parent: str) -> bool:
        text = node.text or b""
        leaf = _LEAVES.get(node.type)
        if leaf and not leaf.fullmatch(text):
            return False
        if not node.is_named and parent != "string" and text.strip(b" \t\n") != node.type.strip().encode():
            return False
        if node.type in {"file_descriptor", "comment"}:
            return self._begins(node)
        if node.type in {"[", "]"}:
            return parent != "test_command" or (self._begins(node) and self._ends(node))
        if node.type in _RESERVED or (node.type in _STANDALONE and parent in _HOLDERS):
            return self._begins(node) and self._ends(node)
        return True

    def _begins(self, node: Node) -> bool:
        before = self._source[node.start_byte - 1 : node.start_byte] if node.start_byte else b""
        return before in _WORD_ENDS or node.start_byte in self._ends_by_backquote

    def _ends(self, node: Node) -> bool:
        after = self._source[node.end_byte : node.end_byte + 1]
        return after in _WORD_ENDS or node.end_byte in self._ends_by_backquote
