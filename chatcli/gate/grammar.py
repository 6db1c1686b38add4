"""A command line as bash reads it: every simple command in it, wherever it is nested.

The syntax tree comes from tree-sitter-bash. Only constructs that are known here are taken as understood; a
line with anything else in it is never judged harmless. Commands are collected from inside of such constructs
too, so that a danger is named wherever it hides.
"""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from chatcli.gate.boundaries import agrees_with_bash
from chatcli.gate.conditions import Condition
from chatcli.gate.reasons import Reason
from chatcli.gate.redirections import Redirections
from chatcli.gate.screen import is_deceptive
from chatcli.gate.script import Assignment, Loop, Script, SimpleCommand
from chatcli.gate.words import WORD_NODES, Part, Word, decode, source_of
from chatcli.i18n import N_

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_COMMANDS = 50
MAX_CHARS = 200_000
_MAX_DEPTH = 60
# The parser reports about every hundred operations: some 5,000 nodes of a tree.
_MAX_PARSING_STEPS = 200
_MAX_PARSING_SECONDS = 1.0
_CHUNK_BYTES = 65_536
_PARSING = threading.Lock()

_SEQUENCES = frozenset(
    {"program", "list", "pipeline", "subshell", "if_statement", "elif_clause", "else_clause"}
)
_REPEATED = frozenset({"do_group", "while_statement"})
_PUNCTUATION = frozenset(
    {";", "\n", "&", "&&", "||", "|", "|&", "(", ")", "{", "}", "!", "in", ";;"}
    | {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "case", "esac"}
)
_RESERVED = _PUNCTUATION | {"select", "function", "coproc", "[[", "]]"}
_DECLARATIONS = frozenset({"export", "declare", "typeset", "local", "readonly", "unset", "unsetenv"})

_PLAIN_ARITHMETIC = re.compile(rb"\$\(\([\s\d+*/%()<>=!&|^~-]*\)\)")
_HARMLESS_EXPANSION = re.compile(
    rb"\$\{#?\w+\}|\$\{\w+(?::?[-+]|##?|%%?)[\w\s./*?:,@+=%-]*\}|\$\{PIPESTATUS\[\d\]\}"
)
NOT_PARSED = N_("it is not a complete shell command")
NOT_KNOWN = N_("it uses a shell construct that is not judged: {about}")


def refused_characters(text: str) -> str:
    """Names of characters that no command may hold: shells, parsers and screens disagree on them."""
    found = {c for c in text if c not in "\n\t" and unicodedata.category(c) in {"Cc", "Cs"}}
    return " ".join(sorted(f"U+{ord(character):04X}" for character in found))


def parse(text: str) -> Script:
    """Take a command line apart. It must hold no refused characters."""
    reading = Walk()
    deceptive = sorted({c for i, c in enumerate(text) if c not in "\n\t" and is_deceptive(text, i)})
    if deceptive:
        names = " ".join(f"U+{ord(character):04X}" for character in deceptive)
        reading.error(N_("it holds invisible or misleading characters: {about}"), names)
    if len(text) > MAX_CHARS:
        reading.error(N_("it is too long to be judged"))
        return reading.script()
    source = text.encode()
    root = _syntax_tree(source)
    if root is None:
        reading.error(N_("it holds too many commands to be judged"))
        return reading.script()
    if not agrees_with_bash(root, source):
        reading.not_parsed()
    reading.visit(root, Where())
    if len(reading.commands) > MAX_COMMANDS:
        reading.error(N_("it holds too many commands to be judged"))
        del reading.commands[MAX_COMMANDS:]
    return reading.script()


def _syntax_tree(source: bytes) -> Node | None:
    """None when the line is so involved that parsing it would take seconds, or gigabytes."""
    steps = 0
    deadline = time.monotonic() + _MAX_PARSING_SECONDS

    def chunk(offset: int, _point: object) -> bytes:
        return source[offset : offset + _CHUNK_BYTES]

    def is_too_much(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > _MAX_PARSING_STEPS or time.monotonic() > deadline

    with _PARSING:
        parser = _parser()
        try:
            return parser.parse(chunk, progress_callback=is_too_much).root_node
        except ValueError:
            parser.reset()
            return None


@cache
def _parser() -> Parser:
    # Loading the grammar takes about 30 ms: only a session that runs commands pays for it.
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class Where(Struct, frozen=True):
    depth: int = 0
    repeated: bool = False
    fed: bool = False

    def inside(self, *, repeated: bool = False, fed: bool = False) -> Where:
        return Where(self.depth + 1, self.repeated or repeated, self.fed or fed)


class Walk:
    """One walk over one syntax tree."""

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.loops: list[Loop] = []
        self._errors: dict[Reason, None] = {}
        self._unjudged: dict[Reason, None] = {}

    def script(self) -> Script:
        in_order = sorted(self.commands, key=lambda command: command.start)
        return Script(tuple(in_order), tuple(self.loops), tuple(self._errors), tuple(self._unjudged))

    def error(self, text: str, about: str = "") -> None:
        self._errors[Reason(text, about)] = None

    def not_judged(self, construct: str) -> None:
        self._unjudged[Reason(NOT_KNOWN, construct)] = None

    def not_parsed(self) -> None:
        self.error(NOT_PARSED)

    def visit(self, node: Node, where: Where) -> None:
        if where.depth > _MAX_DEPTH:
            self.error(N_("it is nested too deeply to be judged"))
            return
        if node.type == "ERROR" or node.is_missing:
            self.not_parsed()
            self.children(node, where)
        elif not node.is_named:
            if node.type not in _PUNCTUATION:
                self.not_judged(node.type)
        elif node.type == "pipeline":
            self._pipeline(node, where)
        elif node.type in _SEQUENCES:
            self.children(node, where)
        elif node.type in _REPEATED:
            self.children(node, where.inside(repeated=True))
        elif node.type in WORD_NODES:
            self.word(node, where)
        elif node.type != "comment":
            self._statement(node, where)

    def _statement(self, node: Node, where: Where) -> None:
        match node.type:
            case "command" | "declaration_command" | "unset_command":
                self._command(node, where)
            case "variable_assignment" | "variable_assignments":
                assigned = [node] if node.type == "variable_assignment" else node.children
                self.commands.append(
                    SimpleCommand(
                        assignments=tuple(self._assignment(child, where) for child in assigned),
                        repeated=where.repeated,
                        start=node.start_byte,
                    )
                )
            case "redirected_statement":
                self._redirected(node, where)
            case "compound_statement" if node.children and node.children[0].type == "{":
                self.children(node, where)
            case "negated_command":
                self.children(node, where)
            case "test_command":
                Condition(self).read(node, where)
            case "for_statement" if node.children[0].type == "for":
                self._for(node, where)
            case "case_statement" | "case_item":
                self._case(node, where)
            case _:
                self.not_judged(node.type.replace("_", " "))
                self.children(node, where.inside(repeated=True))

    def children(self, node: Node, where: Where) -> None:
        inner = where.inside()
        for child in node.children:
            self.visit(child, inner)

    def _pipeline(self, node: Node, where: Where) -> None:
        fed = False
        for child in node.children:
            self.visit(child, where.inside(fed=fed))
            fed = fed or child.type in {"|", "|&"}

    def _command(self, node: Node, where: Where, around: Redirections | None = None) -> None:
        """`around`: the redirections that the grammar puts outside of the command."""
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirections = Redirections(self)
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(self._assignment(child, where))
            elif child.type.endswith("_redirect"):
                redirections.read(child, where)
            elif child.type in WORD_NODES or child.type == "command_name":
                words.append(self.word(child, where))
            elif child.type in _DECLARATIONS:
                words.append(Word(child.type, (Part("text", child.type),)))
            else:
                self.not_judged(child.type.replace("_", " "))
                self.visit(child, where.inside())
        if node.type == "command" and words and words[0].raw in _RESERVED:
            self.not_judged(words[0].raw)
        if around:
            redirections.redirects += around.redirects
            redirections.words += around.words
        self.commands.append(
            SimpleCommand(
                words=(*words, *redirections.words),
                assignments=tuple(assignments),
                redirects=tuple(redirections.redirects),
                repeated=where.repeated,
                fed=where.fed or redirections.feed,
                start=node.start_byte,
            )
        )

    def _redirected(self, node: Node, where: Where) -> None:
        around = Redirections(self)
        bodies: list[Node] = []
        for child in node.children:
            if child.type.endswith("_redirect"):
                around.read(child, where)
            else:
                bodies.append(child)
        if len(bodies) == 1 and bodies[0].type == "command":
            self._command(bodies[0], where.inside(), around)
            return
        if around.words:
            self.not_judged(around.words[0].raw)
        for body in bodies:
            self.visit(body, where.inside(fed=around.feed))
        self.commands.append(
            SimpleCommand(redirects=tuple(around.redirects), repeated=where.repeated, start=node.start_byte)
        )

    def _assignment(self, node: Node, where: Where) -> Assignment:
        name, *rest = node.children
        values = [child for child in rest if child.is_named]
        operator = next((child.type for child in rest if not child.is_named), "")
        known = name.type == "variable_name" and operator == "=" and len(values) <= 1
        value = None
        for child in values:
            if child.type in WORD_NODES:
                value = self.word(child, where)
            else:
                known = False
                self.visit(child, where.inside())
        if not known:
            self.not_judged(source_of(node)[:40])
        if not values:
            value = Word("", (Part("text", "", quoted=True),))
        return Assignment(source_of(name), value)

    def _for(self, node: Node, where: Where) -> None:
        name = ""
        values: list[Word] = []
        for child in node.children:
            if child.type == "variable_name":
                name = source_of(child)
            elif child.type in WORD_NODES:
                values.append(self.word(child, where))
            else:
                self.visit(child, where.inside())
        self.loops.append(Loop(name, tuple(values)))

    def _case(self, node: Node, where: Where) -> None:
        for child in node.children:
            if child.type == "extglob_pattern":
                if any(sign in (child.text or b"") for sign in (b"$", b"`", b"(")):
                    self.not_judged("case pattern")
            else:
                self.visit(child, where.inside())

    def word(self, node: Node, where: Where) -> Word:
        """Decode a word, and walk through the commands that stand inside it."""
        self._expansions(node, where.inside())
        return decode(node)

    def _expansions(self, node: Node, where: Where) -> None:
        source = (node.text or b"").strip()
        match node.type:
            case "command_substitution":
                if source.startswith(b"`") and b"\\" in source:
                    self.not_judged("backquotes")
                self._substitution(node, where)
                return
            case "process_substitution":
                self._substitution(node, where)
                return
            case "expansion" if not _HARMLESS_EXPANSION.fullmatch(source):
                self.not_judged(source_of(node)[:40])
            case "arithmetic_expansion" if not _PLAIN_ARITHMETIC.fullmatch(source):
                self.not_judged(source_of(node)[:40])
            case "ERROR":
                self.not_parsed()
            case _ if node.is_missing:
                self.not_parsed()
        for child in node.children:
            self._expansions(child, where)

    def _substitution(self, node: Node, where: Where) -> None:
        if where.depth > _MAX_DEPTH:
            self.error(N_("it is nested too deeply to be judged"))
            return
        for child in node.children:
            if child.type == "file_redirect":
                reading = Redirections(self)
                reading.read(child, where)
                redirects = tuple(reading.redirects)
                self.commands.append(SimpleCommand(redirects=redirects, start=node.start_byte))
            elif child.is_named:
                self.visit(child, where.inside())
