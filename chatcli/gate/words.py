"""Words of a shell command: what is known of their value before the shell expands them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node

WORD_NODES = frozenset(
    {
        "word",
        "number",
        "string",
        "raw_string",
        "ansi_c_string",
        "translated_string",
        "concatenation",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
        "brace_expression",
        "variable_name",
        "special_variable_name",
    }
)
PIPE_NAME = "/dev/fd/63"
"""What a process substitution becomes: the exact number is the shell's choice."""

PartKind = Literal["text", "pattern", "home", "variable", "opaque"]

_EXPANDERS = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_NAMED_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_LIVE_IN_STRING = re.compile(r"\$[\w{(*@#?!$'\"-]|`")
_PATTERN = re.compile(r"[*?\[]")
# `{a,b}` and `{1..3}` become several words; `{}` and `@{1}` stay what they are.
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)")
_ASSIGNED_TILDE = re.compile(r"[A-Za-z_]\w*\+?=.*(?<=[=:])~")


class Part(Struct, frozen=True):
    """`text` is literal text, a glob pattern, or the name of a variable; `opaque` is known to nobody."""

    kind: PartKind
    text: str = ""
    quoted: bool = False


class Word(Struct, frozen=True):
    """One word as it is written (`raw`) and the parts that its value is made of."""

    raw: str
    parts: tuple[Part, ...]

    @property
    def text(self) -> str | None:
        """The value after quote removal; None when the shell decides it while running."""
        if all(part.kind == "text" for part in self.parts):
            return "".join(part.text for part in self.parts)
        return None

    @property
    def stays_one(self) -> bool:
        """Whether the shell makes exactly one word of it, whatever its value is."""
        return all(part.quoted for part in self.parts) and "@" not in self.raw


def literal(text: str) -> Word:
    return Word(text, (Part("text", text, quoted=True),))


def decode(node: Node) -> Word:
    """The word that a node of the syntax tree stands for."""
    raw = source_of(node)
    parts = _parts(node)
    unquoted = "".join(part.text if not part.quoted else "\0" for part in parts if part.kind != "opaque")
    if _BRACES.search(unquoted) or _ASSIGNED_TILDE.match(unquoted):
        return Word(raw, (Part("opaque"),))
    return Word(raw, _with_home(parts))


def _parts(node: Node) -> tuple[Part, ...]:
    match node.type:
        case "word" | "number" | "variable_name" | "test_operator" | "special_variable_name":
            return _plain(source_of(node))
        case "raw_string":
            raw = source_of(node)
            closed = len(raw) > 1 and raw[0] == raw[-1] == "'"
            return (Part("text", raw[1:-1], quoted=True) if closed else Part("opaque"),)
        case "string":
            return _double_quoted(node)
        case "simple_expansion" | "expansion":
            return (_variable(source_of(node), quoted=False),)
        case "command_name" | "concatenation":
            return tuple(part for child in node.children for part in _parts(child))
        case "process_substitution" if source_of(node).startswith("<("):
            return (Part("text", PIPE_NAME, quoted=True),)
        case _:
            return (Part("opaque"),)


def _plain(raw: str) -> tuple[Part, ...]:
    """Unquoted text: backslashes removed; glob characters stay live."""
    text, escaped = "", False
    live_pattern = quoted_pattern = False
    for character in raw:
        if character == "\\" and not escaped:
            escaped = True
            continue
        if escaped and character == "\n":
            escaped = False
            continue
        if _PATTERN.match(character):
            live_pattern |= not escaped
            quoted_pattern |= escaped
        text += character
        escaped = False
    if "`" in raw or "$" in raw or (live_pattern and quoted_pattern):
        return (Part("opaque"),)
    if live_pattern:
        return (Part("pattern", text),)
    return (Part("text", text, quoted="\\" in raw),)


def _double_quoted(node: Node) -> tuple[Part, ...]:
    source = node.text or b""
    if len(source) < 2 or source[-1:] != b'"' or node.has_error:
        return (Part("opaque"),)
    start = node.start_byte
    parts: list[Part] = []
    position = 1
    for child in node.children:
        if child.type not in _EXPANDERS:
            continue
        # The grammar counts blanks in front of an expansion as part of it.
        text = child.text or b""
        begin = child.end_byte - start - len(text.lstrip())
        parts.append(_string_text(source[position:begin]))
        parts.append(_variable(text.decode().lstrip(), quoted=True))
        position = child.end_byte - start
    parts.append(_string_text(source[position:-1]))
    return tuple(part for part in parts if part.kind != "text" or part.text) or (Part("text", "", True),)


def _string_text(source: bytes) -> Part:
    """A stretch of a double-quoted string without expansions; opaque if the shell might see one."""
    raw = source.decode()
    text = re.sub(r"\\([$`\"\\])|\\\n", lambda match: "\0" if match[1] else "", raw)
    if _LIVE_IN_STRING.search(text):
        return Part("opaque")
    return Part("text", re.sub(r"\\([$`\"\\])|\\\n", lambda match: match[1] or "", raw), quoted=True)


def _variable(source: str, *, quoted: bool) -> Part:
    named = _NAMED_VARIABLE.fullmatch(source)
    name = (named[1] or named[2]) if named else ""
    if _IDENTIFIER.fullmatch(name):
        return Part("variable", name, quoted=quoted)
    return Part("opaque", quoted=quoted)


def _with_home(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """A leading unquoted `~` or `~/`; other users' homes and `~+` are not resolved."""
    first = parts[0] if parts else Part("text")
    if first.quoted or first.kind not in {"text", "pattern"} or not first.text.startswith("~"):
        return parts
    if first.text.startswith("~/") or (first.text == "~" and len(parts) == 1):
        rest = Part(first.kind, first.text[1:])
        return (Part("home"), *((rest,) if rest.text else ()), *parts[1:])
    return (Part("opaque"),)


def source_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
