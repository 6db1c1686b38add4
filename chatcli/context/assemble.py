"""View, prompt blocks and tools make one request, independent of any wire format."""

from __future__ import annotations

from collections.abc import Sequence

from chatcli.context.breakpoints import plan_marks
from chatcli.context.pipeline import View
from chatcli.messages import ToolSchema
from chatcli.providers.base import Block, Request, ToolForm
from chatcli.settings import CacheTtl


def assemble(
    view: View,
    blocks: Sequence[Block],
    tools: Sequence[ToolSchema],
    *,
    model: str,
    cache_key: str = "",
    max_output_tokens: int = 0,
    previous: tuple[int, ...] = (),
    ttl: CacheTtl = "5m",
    fence: str = "",
    calls_run: bool = True,
    tool_form: ToolForm = "schema",
) -> Request:
    """The request for `view`. `previous` are the `stored_marks` of the session's last request.

    `blocks` are stable ones only: what changes from turn to turn stands in the user message it came
    with. Tools are sorted by name, so that their order never depends on how they were found.
    """
    tools = tuple(sorted(tools, key=lambda tool: tool.name))
    return Request(
        model=model,
        system=tuple(blocks),
        tools=tools,
        tool_form=tool_form,
        messages=view.messages,
        marks=plan_marks(
            view.messages,
            system=blocks,
            tools=tools,
            settled_messages=view.settled_messages,
            unchanged_messages=view.unchanged_messages,
            previous=previous,
            ttl=ttl,
        ),
        max_output_tokens=max_output_tokens,
        cache_key=cache_key,
        fence=fence,
        calls_run=calls_run,
    )
