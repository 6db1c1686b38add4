"""The tool calls that the guide makes: the one place that knows names and parameters of tools."""

from __future__ import annotations

from typing import Any

from chatcli.providers.offline.draft import Call


def read(path: str, **limits: Any) -> Call:
    """`limits`: start and end, head, or tail, counted in lines."""
    return Call("read", {"file": path, **limits})


def tree(path: str = ".", **options: Any) -> Call:
    return Call("tree", {"path": path, **options})


def search(pattern: str, path: str = "", **options: Any) -> Call:
    return Call("search", {"pattern": pattern, **({"path": path} if path else {}), **options})


def git(operation: str, **options: Any) -> Call:
    return Call("git", {"operation": operation, **options})


def execute(command: str) -> Call:
    return Call("exec", {"command": command})


def write(path: str, content: str) -> Call:
    return Call("write", {"file": path, "content": content})


def replace(path: str, before: str, after: str) -> Call:
    return Call("patch", {"file": path, "edits": [{"search": before, "replace": after}]})
