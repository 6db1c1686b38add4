"""`@tool`: a typed function becomes a tool.

The signature is the schema, the docstring is what the model reads, the decorator declares what the
tool does. Capabilities that depend on the call are functions of the validated arguments.
"""

from __future__ import annotations

import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from chatcli.errors import ChatcliError, ToolFailed
from chatcli.messages import ToolSchema
from chatcli.tools.api import ToolContext, ToolOutput
from chatcli.tools.schema import Parameter, object_schema, parameters_of
from chatcli.tools.validate import validate

MAX_RESULT_CHARS = 80_000
"""No tool may show the model more at once, whatever it declares."""

_MAX_NARROWER_CHARS = 80
_log = logging.getLogger(__name__)

Arguments = Mapping[str, Any]
Flag = bool | Callable[[Arguments], bool]
Body = Callable[..., Awaitable[str | ToolOutput]]


class Tool(Struct, frozen=True, kw_only=True):
    """One tool. `arguments` below are always those that `validate` returned."""

    name: str
    description: str
    schema: dict[str, Any]
    """JSON schema of the arguments."""
    parameters: tuple[Parameter, ...]
    max_result_chars: int
    body: Body
    read_only: Flag
    concurrent: Flag
    describe: Callable[[Arguments], str] | None
    narrower: str = ""
    """Parameters that make its answer smaller, in a few words for the model."""

    def validate(self, arguments: Arguments) -> dict[str, Any]:
        """Arguments by canonical name, converted, with defaults. Raises `InvalidArguments`."""
        return validate(self.name, self.parameters, arguments)

    def is_read_only(self, arguments: Arguments) -> bool:
        """Whether this call changes nothing."""
        return _answer(self.read_only, arguments)

    def is_concurrent(self, arguments: Arguments) -> bool:
        """Whether this call may run beside others."""
        return _answer(self.concurrent, arguments)

    def summary(self, arguments: Arguments) -> str:
        """The call in a few words, for people."""
        if self.describe:
            return self.describe(arguments)
        return next((value for value in arguments.values() if isinstance(value, str)), "")

    def as_schema(self) -> ToolSchema:
        """The tool as the model sees it."""
        return ToolSchema(name=self.name, description=self.description, parameters=self.schema)

    async def run(self, ctx: ToolContext, arguments: Arguments) -> ToolOutput:
        """Run with validated arguments. Raises `Denied`, `ToolFailed` and what the context raises.

        A fault of the tool is logged and becomes a `ToolFailed`: it must not end the run.
        """
        try:
            result = await self.body(ctx, **arguments)
        except ChatcliError:
            raise
        except Exception as error:
            _log.exception("The tool %s failed", self.name)
            raise ToolFailed(f"{self.name} failed: {type(error).__name__}: {error}") from error
        return ToolOutput(text=result) if isinstance(result, str) else result


def tool(
    name: str,
    *,
    max_result_chars: int = 30_000,
    read_only: Flag = False,
    concurrent: Flag = False,
    summary: Callable[[Arguments], str] | None = None,
    narrower: str = "",
) -> Callable[[Body], Tool]:
    """Declare an async function `(ctx, ...)` as a tool.

    Args:
        name: what the model calls; lower-case letters, digits, `_` and `-`.
        max_result_chars: the most that one result may show, clamped to 80,000.
        read_only: the call changes nothing, neither on disk nor elsewhere.
        concurrent: the call may run beside others.
        summary: the call in a few words, for people; else its first text argument.
        narrower: the parameters that make an answer smaller, in a few words: told to the model when a
            result was too long to be shown whole.

    Raises TypeError when the function is not async, has no docstring, or has a type without schema,
    and for a `narrower` of more than 80 characters.
    """
    require_name(name)
    if len(narrower) > _MAX_NARROWER_CHARS:
        raise TypeError(f"{name}: 'narrower' must have at most {_MAX_NARROWER_CHARS} characters")

    def declare(function: Body) -> Tool:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"{name}: a tool is an async function")
        if not function.__doc__:
            raise TypeError(f"{name}: the docstring is what the model reads; it is missing")
        parameters = parameters_of(function)
        return Tool(
            name=name,
            description=inspect.cleandoc(function.__doc__),
            schema=object_schema(parameters),
            parameters=parameters,
            max_result_chars=min(max_result_chars, MAX_RESULT_CHARS),
            body=function,
            read_only=read_only,
            concurrent=concurrent,
            describe=summary,
            narrower=narrower,
        )

    return declare


def require_name(name: str) -> None:
    """Raise TypeError unless this is a name that every provider accepts for a tool."""
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", name):
        raise TypeError(f"{name!r} is no name for a tool")


def _answer(flag: Flag, arguments: Arguments) -> bool:
    """A capability that cannot be told for these arguments is not there."""
    if isinstance(flag, bool):
        return flag
    try:
        return flag(arguments)
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
