"""todo: the list of what is to be done in this session."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from chatcli.tools import InvalidArguments, ToolContext, ToolOutput, _, ngettext, tool

State = Literal["pending", "in_progress", "done"]

_NOTE = "todo"
_MAX_ITEMS = 100
_MAX_ITEM_CHARS = 300
"""The user sees the list, and it outlives every summary."""
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}


class Item(Struct, frozen=True):
    """One thing to do."""

    text: str
    state: State = "pending"


@tool("todo", read_only=True, summary=lambda arguments: _summary(arguments["items"], arguments["mark"]))
async def todo(
    ctx: ToolContext,
    items: Annotated[list[Item] | None, "the whole new list"] = None,
    mark: Annotated[int | None, "number of the item to mark, from 1"] = None,
    state: State = "done",
) -> ToolOutput:
    """Keep a task list that the user sees: write it whole, mark items, or read it (no arguments)."""
    listed = msgspec.json.decode(ctx.notes.get(_NOTE) or "[]", type=list[Item]) if items is None else items
    if len(listed) > _MAX_ITEMS or any(len(item.text) > _MAX_ITEM_CHARS for item in listed):
        raise InvalidArguments(f"todo: at most {_MAX_ITEMS} items of {_MAX_ITEM_CHARS} characters")
    if mark is not None:
        if not 1 <= mark <= len(listed):
            raise InvalidArguments(f"todo: 'mark' must be 1 to {len(listed)}, the number of an item")
        listed[mark - 1] = Item(listed[mark - 1].text, state)
    if items is not None or mark is not None:
        ctx.notes.set(_NOTE, msgspec.json.encode(listed).decode())
    text = "\n".join(f"{number}. {_MARKS[i.state]} {i.text}" for number, i in enumerate(listed, 1))
    done = sum(item.state == "done" for item in listed)
    brief = _("{done}/{all} done").format(done=done, all=len(listed))
    return ToolOutput(text=text or "The list is empty.", brief=brief)


def _summary(items: list[Item] | None, mark: int | None) -> str:
    if items is not None:
        return ngettext("{n} item", "{n} items", len(items)).format(n=len(items))
    return "" if mark is None else _("item {number}").format(number=mark)
