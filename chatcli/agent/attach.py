"""Files that the user named with `@path`, and piped input: archived whole, shown like a capped result."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO

from chatcli.agent.images import attach_image
from chatcli.agent.store import SessionStore
from chatcli.context.excerpt import read_excerpt
from chatcli.context.limits import Limits
from chatcli.context.previews import fit, render
from chatcli.errors import StorageError, UserFacingError
from chatcli.i18n import _
from chatcli.messages import Archived, Attachment, Image
from chatcli.providers.base import Provider
from chatcli.session.session import Session
from chatcli.settings import Settings
from chatcli.tools.files import open_regular
from chatcli.tools.images import MAGIC_BYTES, image_format

_BLOCK_BYTES = 1 << 20


def attach_file(path: Path, session: Session, settings: Settings, provider: Provider) -> Attachment | Image:
    """Archive the file and make what the model reads, or sees, of it.

    The user named the file, which is permission enough. Raises StorageError when it cannot be read
    or is neither text nor a picture, UsageError for a picture that the provider does not take.
    """
    name = _name(path, session.folder)
    try:
        with open_regular(path) as file:
            beginning = file.read(MAGIC_BYTES)
            file.seek(0)
            if image_format(beginning):
                return attach_image(name, file, session, provider)
            return attach_stream(name, file, session, settings)
    except UserFacingError:
        raise
    except (OSError, ValueError) as error:
        raise StorageError(_("{path} cannot be attached: {error}").format(path=path, error=error)) from error


def attach_stream(name: str, stream: BinaryIO, session: Session, settings: Settings) -> Attachment:
    """The same for a stream of any size, in constant memory but for what is shown."""
    original = _archive(name, stream, session)
    limits = Limits.from_settings(settings)
    store = SessionStore(session)
    if original.size_chars <= limits.max_chars:
        text = store.text(original)
    else:
        call_id = "attached_" + hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
        path = store.save(call_id, original)
        excerpt = read_excerpt(original, limits.max_chars, store)
        shown = fit(excerpt, limits.preview, original, path, max_chars=limits.max_chars)
        text = render(excerpt, shown, original, path).text
    header = f"[attached: {name} — {original.lines} lines, {original.size_chars} chars]"
    return Attachment(path=name, text=f"{header}\n{text}", original=original)


def _archive(name: str, stream: BinaryIO, session: Session) -> Archived:
    first = stream.read(_BLOCK_BYTES)
    if b"\0" in first[:8_192]:
        raise StorageError(
            _("{name} is not text: it cannot be attached.").format(name=name),
            hint=_("Ask for what you need of it; the agent can run programs that read it."),
        )
    sink = session.archive.sink()
    while first:
        sink.write(first)
        first = stream.read(_BLOCK_BYTES)
    return sink.finish()


def _name(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
