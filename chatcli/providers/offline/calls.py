"""The tool calls that the guide makes: the one place that knows names and parameters of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatcli.messages import ToolSchema
from chatcli.providers.offline.draft import Call

ALL_LEVELS = 50


def read(path: str, **limits: int) -> Call:
    """`limits`: start and end, head, or tail, counted in lines."""
    return Call("read", {"file": path, **limits})


def tree(path: str = ".", **options: int) -> Call:
    return Call("tree", {"path": path, **options})


def search(pattern: str, path: str = "", **options: Any) -> Call:
    return Call("search", {"pattern": pattern, "path": path or ".", **options})


def files_named(glob: str, path: str = "") -> Call:
    """Files that are not empty, by name; upper and lower case count alike."""
    both_cases = "".join(f"[{char.lower()}{char.upper()}]" if char.isalpha() else char for char in glob)
    return search("^", path, glob=both_cases, show="files", max_results=100)


def count_lines(path: str) -> Call:
    """Every line matches: the totals say how many there are."""
    return search("^", path, show="files", max_results=1)


def git(action: str, **options: Any) -> Call:
    return Call("git", {"action": action, **options})


def execute(command: str) -> Call:
    return Call("exec", {"command": command})


def write(path: str, content: str) -> Call:
    return Call("write", {"file": path, "content": content})


def replace(path: str, before: str, after: str) -> Call:
    """Every occurrence: the diff shows them before anything is written."""
    return Call("patch", {"file": path, "edits": [{"old": before, "new": after, "all": True}]})


def original(key: str, **part: str) -> Call:
    """An archived result: `part` is lines or grep."""
    return Call("recall", {"keys": [key], **part})


def fetch(url: str) -> Call:
    return Call("webfetch", {"url": url})


def remember(text: str) -> Call:
    return Call("memory", {"action": "remember", "text": text})


def recall(text: str) -> Call:
    return Call("memory", {"action": "recall", "text": text})


def fits(call: Call, tools: Mapping[str, ToolSchema]) -> bool:
    """Whether the tool is there and takes these arguments."""
    schema = tools.get(call.name)
    if schema is None:
        return False
    known = schema.parameters.get("properties", {})
    required = schema.parameters.get("required", [])
    return call.arguments.keys() <= known.keys() and set(required) <= call.arguments.keys()
