"""The signature of a tool is its JSON schema, with the same bytes every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Struct

from chatcli.tools import Denied, ToolContext, ToolFailed, ToolOutput, tool
from tests.tools.fakes import FakeContext


class Point(Struct, frozen=True):
    x: Annotated[int, "to the right"]
    y: int = 0


@tool("sample")
async def sample(
    ctx: ToolContext,
    name: Annotated[str, "what it is called"],
    points: list[Point],
    kind: Literal["a", "b"] = "a",
    ratio: float | None = None,
    tags: Annotated[list[str] | None, "free"] = None,
    deep: bool = False,
    extra: dict[str, Any] | None = None,
) -> str:
    """Do a sample."""
    return name


def test_every_supported_type_has_a_schema_in_the_order_of_the_signature() -> None:
    point = (
        '{"type":"object","properties":{"x":{"type":"integer","description":"to the right"},'
        '"y":{"type":"integer"}},"required":["x"]}'
    )
    assert msgspec.json.encode(sample.schema).decode() == (
        '{"type":"object","properties":{'
        '"name":{"type":"string","description":"what it is called"},'
        f'"points":{{"type":"array","items":{point}}},'
        '"kind":{"type":"string","enum":["a","b"]},'
        '"ratio":{"type":"number"},'
        '"tags":{"type":"array","items":{"type":"string"},"description":"free"},'
        '"deep":{"type":"boolean"},'
        '"extra":{"type":"object"}},'
        '"required":["name","points"]}'
    )


def test_the_bytes_are_the_same_under_another_hash_seed() -> None:
    program = (
        "import msgspec; from chatcli.tools.registry import Registry;"
        "print(msgspec.json.encode(Registry.load(entry_points=False).schemas()).decode())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_docstring_is_the_description() -> None:
    assert sample.as_schema().description == "Do a sample."


def test_a_type_without_schema_is_found_when_the_tool_is_declared() -> None:
    async def odd(ctx: ToolContext, value: int | str) -> str:
        """Odd."""
        return ""

    with pytest.raises(TypeError, match="union"):
        tool("odd")(odd)

    async def set_of(ctx: ToolContext, value: set[int]) -> str:
        """Odd."""
        return ""

    with pytest.raises(TypeError, match="no schema"):
        tool("odd")(set_of)


def test_a_parameter_without_type_or_name_is_refused() -> None:
    async def untyped(ctx: ToolContext, value) -> str:  # type: ignore[no-untyped-def]
        """Odd."""
        return ""

    async def open_ended(ctx: ToolContext, **values: int) -> str:
        """Odd."""
        return ""

    with pytest.raises(TypeError, match="value has no type"):
        tool("odd")(untyped)
    with pytest.raises(TypeError, match="values has no schema"):
        tool("odd")(open_ended)


def test_a_tool_is_an_async_function_with_docstring_and_a_plain_name() -> None:
    def plain(ctx: ToolContext) -> str:
        """Odd."""
        return ""

    async def silent(ctx: ToolContext) -> str:
        return ""

    with pytest.raises(TypeError, match="async"):
        tool("odd")(plain)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="docstring"):
        tool("odd")(silent)
    with pytest.raises(TypeError, match="no name"):
        tool("Odd one")


def test_declared_caps_are_clamped() -> None:
    async def big(ctx: ToolContext) -> ToolOutput:
        """Big."""
        return ToolOutput()

    assert tool("big", max_result_chars=1_000_000)(big).max_result_chars == 80_000


def test_capabilities_may_depend_on_the_call_and_are_off_where_they_cannot_tell() -> None:
    async def either(ctx: ToolContext, action: str) -> str:
        """Either."""
        return ""

    either_tool = tool("either", read_only=lambda a: bool(a["action"] == "look"), concurrent=True)(either)
    assert either_tool.is_read_only({"action": "look"})
    assert not either_tool.is_read_only({"action": "change"})
    assert not either_tool.is_read_only({})
    assert either_tool.is_concurrent({})


async def test_a_fault_of_a_tool_is_logged_and_becomes_a_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class OddError(Exception):
        pass

    async def faulty(ctx: ToolContext) -> str:
        """Faulty."""
        raise OddError("oops")

    async def denied(ctx: ToolContext) -> str:
        """Denied."""
        raise Denied("no")

    with pytest.raises(ToolFailed, match="faulty failed: OddError: oops"):
        await FakeContext(tmp_path).call(tool("faulty")(faulty))
    assert "OddError" in caplog.text
    with pytest.raises(Denied):
        await FakeContext(tmp_path).call(tool("denied")(denied))


def test_the_summary_comes_from_the_arguments() -> None:
    async def save(ctx: ToolContext, file: str) -> str:
        """Save."""
        return ""

    plain = tool("save")(save)
    assert plain.summary({"file": "a"}) == "a"
    told = tool("save", summary=lambda a: f"to {a['file']}")(save)
    assert told.summary({"file": "a"}) == "to a"
