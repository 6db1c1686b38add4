"""ask: a question to the user."""

from __future__ import annotations

from typing import Annotated

from chatcli.tools import ToolContext, ToolOutput, _, tool

DISMISSED = "The user did not want to answer. Go on without, or stop."
NOBODY = "Nobody is there to answer. Decide by yourself, and say in your answer what you assumed."


@tool("ask", read_only=True, summary=lambda arguments: str(arguments["question"]))
async def ask(
    ctx: ToolContext,
    question: str,
    options: Annotated[list[str] | None, "answers to choose from; others stay possible"] = None,
) -> ToolOutput:
    """Ask the user something only they can decide, and wait for the answer."""
    if not ctx.user.present:
        return ToolOutput(text=NOBODY, brief=_("nobody is there"))
    answer = await ctx.user.ask(question, options or [])
    if answer is None:
        return ToolOutput(text=DISMISSED, brief=_("dismissed"))
    return ToolOutput(text=answer, brief=_("answered"))
