"""write: a whole file."""

from __future__ import annotations

from chatcli.tools import FileChange, ToolContext, ToolFailed, ToolOutput, _, ngettext, tool
from chatcli.tools.documents import Document, digest_of, read_document
from chatcli.tools.windows import count_lines


@tool("write", summary=lambda arguments: str(arguments["file"]))
async def write(ctx: ToolContext, file: str, content: str) -> ToolOutput:
    """Create a file, or replace one that you have read. To change parts of a file use patch."""
    path = await ctx.files.writable(file)
    document = read_document(ctx, path)
    if document is None:
        change = FileChange(path=path, before=None, after=content.encode())
        return await _write(ctx, change, "Created", content)
    if document.raw and not document.was_read:
        raise ToolFailed(f"{document.shown} exists and you have not read it. Read it first, or patch it.")
    after = _in_the_same_form(document, content)
    if after == document.raw:
        return ToolOutput(text=f"{document.shown} has exactly this content already.", brief=_("unchanged"))
    return await _write(ctx, FileChange(path=path, before=document.raw, after=after), "Replaced", content)


async def _write(ctx: ToolContext, change: FileChange, done: str, content: str) -> ToolOutput:
    diff = await ctx.files.write([change])
    ctx.files.note_read(change.path, digest_of(change.after))
    lines = count_lines(content)
    text = f"{done} {ctx.files.shown(change.path)}: {lines} lines, {len(change.after)} bytes."
    return ToolOutput(text=text, brief=_lines(content), diff=diff)


def _lines(content: str) -> str:
    lines = count_lines(content)
    return ngettext("{n} line", "{n} lines", lines).format(n=lines)


def _in_the_same_form(document: Document, content: str) -> bytes:
    """The content with the line ends and the encoding of the file that it replaces, where it fits them."""
    ends = document.text.count("\n")
    if ends and document.text.count("\r\n") == ends and "\r" not in content:
        content = content.replace("\n", "\r\n")
    try:
        return document.encode(content)
    except ToolFailed:
        return content.encode()
