"""One tool result as the model reads it: rendered from the stored original."""

from __future__ import annotations

from msgspec import structs

from chatcli.context.previews import render
from chatcli.context.store import ResultStore
from chatcli.messages import Presentation, ToolResult


def is_stored(result: ToolResult) -> bool:
    """Whether the archive holds the original; if not, `text` of the message itself is all there is."""
    return bool(result.original.key)


def original_text(result: ToolResult, store: ResultStore) -> str:
    """The whole original. Raises `StorageError` when the archive no longer has it."""
    return store.text(result.original) if is_stored(result) else result.text


def saved_path(result: ToolResult, store: ResultStore) -> str | None:
    """The file that a marker may name, written if need be; None when there is none."""
    return store.save(result.call_id, result.original) if is_stored(result) else None


def present(result: ToolResult, presentation: Presentation, store: ResultStore) -> ToolResult:
    """`result` with `shown` and `text` set: the same bytes whenever it is called with the same arguments.

    `shown` differs from `presentation` in one case: it is no longer `saved` when the file that the
    marker named cannot be written any more. Raises `StorageError` when the original is gone.
    """
    path = saved_path(result, store) if presentation.saved else None
    presentation = structs.replace(presentation, saved=path is not None)
    rendered = render(original_text(result, store), presentation, result.original, path)
    return structs.replace(result, shown=presentation, text=rendered.text)


def present_as_gone(result: ToolResult, presentation: Presentation) -> ToolResult:
    """For an original that the archive no longer has."""
    original = result.original
    text = (
        f"[This tool result of {original.size_chars} chars is no longer in the archive, key {original.key}.]"
    )
    return structs.replace(result, shown=presentation, text=text)
