"""One tool result as the model reads it: rendered from the stored original."""

from __future__ import annotations

from msgspec import structs

from chatcli.context.excerpt import Excerpt, read_excerpt
from chatcli.context.previews import render
from chatcli.context.store import ResultStore
from chatcli.errors import DamagedOriginal, StorageError
from chatcli.messages import Archived, Presentation, ToolResult


def is_stored(result: ToolResult) -> bool:
    """Whether the archive holds the original; if not, `text` of the message itself is all there is."""
    return bool(result.original.key)


def size_chars(result: ToolResult) -> int:
    return result.original.size_chars if is_stored(result) else len(result.text)


def excerpt(result: ToolResult, presentation: Presentation, store: ResultStore) -> Excerpt:
    """The original as far as the presentation reaches. Raises `StorageError` when it is gone."""
    if not is_stored(result):
        return Excerpt.of(result.text, result.original)
    if presentation.kind in ("whole", "reduced"):
        return Excerpt.of(store.text(result.original), result.original)
    reach_chars = max(presentation.head_chars, presentation.tail_chars)
    return read_excerpt(result.original, reach_chars, store)


def saved_path(result: ToolResult, store: ResultStore) -> str | None:
    """The file that a marker may name, written if need be; None when there is none."""
    return store.save(result.call_id, result.original) if is_stored(result) else None


def present(result: ToolResult, presentation: Presentation, store: ResultStore) -> ToolResult:
    """`result` with `shown` and `text` set: the same bytes whenever it is called with the same arguments.

    `shown` differs from `presentation` in one case: it is no longer `saved` when the file that the
    marker named cannot be written any more. Raises `StorageError` when the original is gone.
    """
    if presentation.kind == "deleted":
        return structs.replace(result, shown=presentation, text=_deleted(result.original))
    path = saved_path(result, store) if presentation.saved else None
    presentation = structs.replace(presentation, saved=path is not None)
    rendered = render(excerpt(result, presentation, store), presentation, result.original, path)
    return structs.replace(result, shown=presentation, text=rendered.text)


def present_as_lost(result: ToolResult, presentation: Presentation, why: StorageError) -> ToolResult:
    """For an original that the archive no longer has, or that is damaged there."""
    original = result.original
    became = (
        "is damaged in the archive" if isinstance(why, DamagedOriginal) else "is no longer in the archive"
    )
    text = f"[This tool result of {original.size_chars} chars {became}, key {original.key}.]"
    return structs.replace(result, shown=presentation, text=text)


def _deleted(original: Archived) -> str:
    return f"[Tool result deleted by the user — {original.lines} lines, {original.size_chars} chars]"
