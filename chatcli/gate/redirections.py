"""Redirections and here-documents of a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from chatcli.gate.script import OUTPUTS, Redirect
from chatcli.gate.words import WORD_NODES, Word

if TYPE_CHECKING:
    from tree_sitter import Node

    from chatcli.gate.grammar import Walk, Where

_OPERATORS = OUTPUTS | {"<", "<<<", ">&", "<&", ">&-", "<&-"}
_DELIMITER = re.compile(rb"(?P<quote>['\"]?)\w+(?P=quote)")


class Redirections:
    """What was found around one command, and the arguments of the command among them."""

    def __init__(self, walk: Walk) -> None:
        self.redirects: list[Redirect] = []
        self.words: list[Word] = []
        self._walk = walk

    @property
    def feed(self) -> bool:
        """Whether the command reads its input from here."""
        return any(redirect.operator.startswith("<") for redirect in self.redirects)

    def read(self, node: Node, where: Where) -> None:
        if node.type == "heredoc_redirect":
            self._here_document(node, where)
            return
        operator = next((child.type for child in node.children if not child.is_named), "")
        targets = [child for child in node.children if child.type in WORD_NODES]
        others = [child for child in node.children if child.is_named and child not in targets]
        if (
            operator not in _OPERATORS
            or any(child.type != "file_descriptor" for child in others)
            or any(child.is_missing for child in node.children)
        ):
            self._walk.not_judged(operator or "redirection")
        words = [self._walk.word(target, where) for target in targets]
        if operator.endswith("-"):
            self.words += words
        elif words:
            self._add(operator, words)
        else:
            self._walk.not_parsed()

    def _add(self, operator: str, words: list[Word]) -> None:
        target, *further = words
        # The grammar hands arguments that follow the target to the redirection.
        self.words += further
        copies = operator in {">&", "<&"} and (target.text or "").removesuffix("-").isdigit()
        if operator == "<<<" or copies:
            self.redirects.append(Redirect(operator, None))
        else:
            # `>& file` writes both outputs, as `&> file` does.
            self.redirects.append(Redirect({">&": "&>", "<&": "<"}.get(operator, operator), target))

    def _here_document(self, node: Node, where: Where) -> None:
        self.redirects.append(Redirect("<<", None))
        quoted = False
        for child in node.children:
            source = child.text or b""
            match child.type:
                case "<<" | "<<-" | "heredoc_end":
                    pass
                case "heredoc_start":
                    quoted = source[:1] in {b"'", b'"'}
                    if not _DELIMITER.fullmatch(source):
                        self._walk.not_judged("here-document")
                case "heredoc_body":
                    if not quoted and any(sign in source for sign in (b"$", b"`", b"\\")):
                        self._walk.not_judged("here-document")
                        self._walk.children(child, where)
                case "file_redirect" | "herestring_redirect":
                    self.read(child, where)
                case "pipeline" | "command" | "list" | "redirected_statement" | "&&" | "||" | "|" | "|&":
                    # What follows the operator on the same line.
                    self._walk.visit(child, where.inside(fed=True))
                case _:
                    self._walk.not_judged("here-document")
                    self._walk.visit(child, where.inside())
