"""patch: replace pieces of text files, all of them or none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Struct

from chatcli.tools import FileChange, InvalidArguments, ToolContext, ToolFailed, ToolOutput, ngettext, tool
from chatcli.tools.documents import Document, digest_of, read_document
from chatcli_plugins.patch_nearest import nearest
from chatcli_plugins.patch_text import PatchText

_MAX_LINES_NAMED = 8


class Edit(Struct, frozen=True, kw_only=True):
    """One replacement. `file` is empty where the call names the file for all."""

    old: Annotated[str, "exact text, unique in the file"]
    new: str
    all: Annotated[bool, "replace every match"] = False
    file: Annotated[str, "if not the file above"] = ""


class Draft:
    """A file and what it shall become."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.lines: list[int] = []
        """Where it was changed."""

    def apply(self, edit: Edit) -> None:
        """Raises `ToolFailed` with what the model needs to get it right."""
        if not edit.old:
            raise ToolFailed("'old' is empty: to insert, take a line beside the place into 'old' and 'new'")
        if edit.old == edit.new:
            raise ToolFailed("'old' and 'new' are the same")
        text = PatchText(self.text)
        places = text.find(edit.old, overlapping=not edit.all)
        lines = [text.line_number(place) for place in places]
        if not places:
            raise ToolFailed(f"'old' is not in {self.document.shown}.{nearest(text.plain, edit.old)}")
        if len(places) > 1 and not edit.all:
            raise ToolFailed(
                f"'old' is {len(places)} times in {self.document.shown}, at {_named(lines)}."
                " Take more lines around it into 'old', or set all=true."
            )
        self.text = text.replaced(places, edit.old, edit.new)
        self.lines += lines

    def change(self) -> FileChange:
        after = self.document.encode(self.text)
        return FileChange(path=self.document.path, before=self.document.raw, after=after)


@tool(
    "patch",
    summary=lambda arguments: _summary(arguments["file"], arguments["edits"]),
)
async def patch(ctx: ToolContext, *, file: str = "", edits: list[Edit]) -> ToolOutput:
    """Replace exact text in one or more files: edits apply in order, all or none."""
    drafts: dict[Path, Draft] = {}
    if not edits:
        raise InvalidArguments("patch: 'edits' is empty")
    for number, edit in enumerate(edits, 1):
        try:
            draft = await _draft(ctx, drafts, edit.file or file)
            draft.apply(edit)
        except ToolFailed as error:
            which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
            raise ToolFailed(f"{which}{error} Nothing was changed.") from error
    changes = [draft.change() for draft in drafts.values()]
    diff = await ctx.files.write(changes)
    for change in changes:
        ctx.files.note_read(change.path, digest_of(change.after))
    done = "; ".join(f"{draft.document.shown} at {_named(draft.lines)}" for draft in drafts.values())
    return ToolOutput(text=f"Patched {done}.", brief=_edits(len(edits)), diff=diff)


async def _draft(ctx: ToolContext, drafts: dict[Path, Draft], file: str) -> Draft:
    if not file:
        raise InvalidArguments("patch: 'file' is missing")
    path = await ctx.files.writable(file)
    if path not in drafts:
        document = read_document(ctx, path)
        if document is None:
            raise ToolFailed(f"{ctx.files.shown(path)} does not exist; create it with write.")
        if not (document.was_read or ctx.files.may_show(path)):
            raise ToolFailed(
                f"{document.shown} may hold passwords or keys. Read it first: the user is asked."
            )
        drafts[path] = Draft(document)
    return drafts[path]


def _summary(file: str, edits: list[Edit]) -> str:
    return ", ".join(dict.fromkeys(edit.file or file for edit in edits))


def _named(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:_MAX_LINES_NAMED])) + ", ..." * (len(lines) > _MAX_LINES_NAMED)
    return f"line{'s' * (len(lines) > 1)} {shown}"


def _edits(count: int) -> str:
    return ngettext("{n} edit", "{n} edits", count).format(n=count)
