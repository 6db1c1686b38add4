"""Tools that are programs of any language.

`PROGRAM --metadata` prints `{"name", "description"}` and, if it likes, `read_only`, `concurrent`,
`max_result_chars` and `timeout_seconds`; `PROGRAM --schema` prints the JSON schema of the arguments.
A call is PROGRAM with the arguments as JSON on its stdin; what it prints is the result, an exit code
other than 0 makes it an error. What a program says of itself is kept until the file changes.
"""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from chatcli.i18n import _
from chatcli.tools.api import CommandResult, HelperResult, ToolContext, ToolOutput
from chatcli.tools.files import replace_file
from chatcli.tools.output import StreamedOutput
from chatcli.tools.schema import Parameter
from chatcli.tools.sdk import MAX_RESULT_CHARS, Tool, require_name

ANSWER_SECONDS = 2.0
"""How long a program may take to say what it is."""
_MAX_ANSWER_BYTES = 64_000
_MAX_DESCRIPTION_CHARS = 2_000
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""All that a program sees of ours while it says what it is."""
_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


class Metadata(Struct, frozen=True, kw_only=True):
    """What `--metadata` prints."""

    name: str
    description: str
    read_only: bool = False
    concurrent: bool = False
    max_result_chars: int = 30_000
    timeout_seconds: float = 600.0


class _Known(Struct, frozen=True, kw_only=True):
    """What one program said about itself; `reason` when that was no use."""

    changed_ns: int
    size_bytes: int
    metadata: Metadata | None = None
    schema: dict[str, Any] = {}
    reason: str = ""


def load_executables(paths: Sequence[Path], *, cache: Path) -> Iterator[tuple[Path, Tool | str]]:
    """Each program with its tool, or with the reason why it has none."""
    known = _read_cache(cache) if paths else {}
    fresh: dict[str, _Known] = {}
    for path in paths:
        status = path.stat()
        said = known.get(path.name)
        if said is None or (said.changed_ns, said.size_bytes) != (status.st_mtime_ns, status.st_size):
            said = _interview(path, status)
        fresh[path.name] = said
        yield path, _as_tool(path, said)
    if fresh != known:
        with suppress(OSError):  # it is only slower without
            replace_file(cache, msgspec.json.encode(fresh), 0o600)


def _read_cache(cache: Path) -> dict[str, _Known]:
    try:
        return msgspec.json.decode(cache.read_bytes(), type=dict[str, _Known])
    except (OSError, msgspec.MsgspecError):
        return {}


def _interview(path: Path, status: os.stat_result) -> _Known:
    changed_ns, size_bytes = status.st_mtime_ns, status.st_size
    try:
        metadata = msgspec.json.decode(_answer(path, "--metadata"), type=Metadata)
        schema = msgspec.json.decode(_answer(path, "--schema"), type=dict[str, Any])
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        return _Known(changed_ns=changed_ns, size_bytes=size_bytes, reason=str(error))
    return _Known(changed_ns=changed_ns, size_bytes=size_bytes, metadata=metadata, schema=schema)


def _answer(path: Path, flag: str) -> bytes:
    """What the program prints, within time and size. Raises ValueError with the reason."""
    process = subprocess.Popen(
        [str(path), flag],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        start_new_session=True,
    )
    try:
        with process.stdout as pipe, selectors.DefaultSelector() as selector:  # type: ignore[union-attr]
            selector.register(pipe, selectors.EVENT_READ)
            until = time.monotonic() + ANSWER_SECONDS
            said = bytearray()
            while selector.select(until - time.monotonic()):
                if not (data := os.read(pipe.fileno(), _MAX_ANSWER_BYTES)):
                    return bytes(said)
                said += data
                if len(said) > _MAX_ANSWER_BYTES:
                    said_much = _("{flag} printed more than {n} bytes")
                    raise ValueError(said_much.format(flag=flag, n=_MAX_ANSWER_BYTES))
        silent = _("{flag} did not answer within {n:g} s")
        raise ValueError(silent.format(flag=flag, n=ANSWER_SECONDS))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _as_tool(path: Path, said: _Known) -> Tool | str:
    if said.metadata is None:
        return said.reason
    metadata = said.metadata
    if len(metadata.description) > _MAX_DESCRIPTION_CHARS:
        too_long = _("its description is longer than {n} characters")
        return too_long.format(n=_MAX_DESCRIPTION_CHARS)
    try:
        require_name(metadata.name)
        parameters = _parameters(said.schema)
    except (TypeError, ValueError, AttributeError) as error:
        return str(error)

    async def body(ctx: ToolContext, **arguments: Any) -> ToolOutput:
        return await _call(ctx, path, metadata, arguments)

    return Tool(
        name=metadata.name,
        description=metadata.description,
        schema=said.schema,
        parameters=parameters,
        max_result_chars=min(metadata.max_result_chars, MAX_RESULT_CHARS),
        body=body,
        read_only=metadata.read_only,
        concurrent=metadata.concurrent,
        describe=None,
    )


def _parameters(schema: dict[str, Any]) -> tuple[Parameter, ...]:
    if schema.get("type") != "object" or not isinstance(schema.get("properties", {}), dict):
        raise TypeError(_("--schema does not describe an object"))
    required = schema.get("required", [])
    return tuple(
        Parameter(name=name, type=_type(member), required=name in required)
        for name, member in schema.get("properties", {}).items()
    )


def _type(member: dict[str, Any]) -> Any:
    choices = member.get("enum")
    if choices and all(isinstance(choice, str) for choice in choices):
        return Literal[tuple(choices)]
    if member.get("type") == "array":
        return list[_type(member.get("items", {}))]  # type: ignore[misc]
    return _TYPES.get(member.get("type", ""), Any)


async def _call(ctx: ToolContext, path: Path, metadata: Metadata, arguments: dict[str, Any]) -> ToolOutput:
    """Programs that only read run at once; others are a command line that passes the gate."""
    payload = msgspec.json.encode(arguments)
    seconds = metadata.timeout_seconds
    ended: CommandResult | HelperResult
    with StreamedOutput(ctx) as output:
        if metadata.read_only:
            ended = await ctx.processes.helper(
                [str(path)], output, cwd=ctx.files.root, stdin=payload, timeout_seconds=seconds
            )
            output.write(ended.errors)
        else:
            command = f"{shlex.quote(str(path))} <<< {shlex.quote(payload.decode())}"
            ended = await ctx.processes.shell(command, output, cwd=None, timeout_seconds=seconds)
    failed = ended.exit_code != 0
    how = "stopped by the time limit" if ended.timed_out else f"exit {ended.exit_code}"
    return ToolOutput(archived=output.finish(f"[{how}]" if failed else ""), is_error=failed)
