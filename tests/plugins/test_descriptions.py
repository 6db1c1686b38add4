"""The bytes that every request carries for the tools: a change moves all cached prefixes and costs tokens.

To accept a change: `python -m tests.plugins.test_descriptions`, and look at the difference.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from chatcli.tools.registry import Registry

GOLDEN = Path(__file__).with_name("descriptions.json")
MAX_TOKENS = 1_700
"""Of the nine tools of the main job, at four characters a token."""
NINE = {"ask", "exec", "git", "patch", "read", "search", "todo", "tree", "write"}


def rendered() -> str:
    """One line a tool, so that a difference is easily read."""
    schemas = Registry.load(entry_points=False).schemas()
    return "[\n" + ",\n".join(msgspec.json.encode(schema).decode() for schema in schemas) + "\n]\n"


def test_names_descriptions_and_schemas_are_these() -> None:
    assert rendered() == GOLDEN.read_text(encoding="utf-8")


def test_they_are_small() -> None:
    schemas = [s for s in Registry.load(entry_points=False).schemas() if s.name in NINE]
    assert len(schemas) == len(NINE)
    assert sum(len(msgspec.json.encode(schema)) for schema in schemas) / 4 <= MAX_TOKENS


@pytest.mark.parametrize("name", ["code", "recall", "webfetch", "websearch"])
def test_the_others_are_small_too(name: str) -> None:
    assert len(msgspec.json.encode(Registry.load(entry_points=False).tools[name].as_schema())) / 4 <= 150


@pytest.mark.parametrize(
    ("name", "cap_chars", "read_only", "concurrent"),
    [
        ("ask", 30_000, True, False),
        ("code", 30_000, False, False),
        ("exec", 30_000, False, False),
        ("git", 30_000, True, True),
        ("memory", 30_000, False, False),
        ("patch", 30_000, False, False),
        ("read", 80_000, True, True),
        ("recall", 30_000, True, True),
        ("search", 60_000, True, True),
        ("todo", 30_000, True, False),
        ("tree", 50_000, True, True),
        ("webfetch", 80_000, True, True),
        ("websearch", 30_000, True, True),
        ("write", 30_000, False, False),
    ],
)
def test_capabilities_are_declared(name: str, cap_chars: int, read_only: bool, concurrent: bool) -> None:
    tool = Registry.load(entry_points=False).tools[name]
    assert tool.max_result_chars == cap_chars
    assert tool.is_read_only({}) is read_only
    assert tool.is_concurrent({}) is concurrent


if __name__ == "__main__":
    GOLDEN.write_text(rendered(), encoding="utf-8")
