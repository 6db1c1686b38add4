"""Files that the user named with `@path`, and piped input: archived whole, shown like a capped result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from chatcli.agent.images import attach_image, taken_over, unseen
from chatcli.agent.inbox import Inbox
from chatcli.agent.store import SessionStore
from chatcli.context.excerpt import read_excerpt
from chatcli.context.limits import Limits
from chatcli.context.previews import fit, render
from chatcli.errors import StorageError, UserFacingError
from chatcli.events import Listener, Notice
from chatcli.i18n import _
from chatcli.messages import Archived, Attachment, Image, Text
from chatcli.providers.base import Provider
from chatcli.session.session import Session
from chatcli.settings import Settings
from chatcli.tools.files import open_regular
from chatcli.tools.images import MAGIC_BYTES, image_format

_BLOCK_BYTES = 1 << 20


class Attaching(Struct, frozen=True, kw_only=True):
    """Takes files into a session, for the provider that will be sent them."""

    session: Session
    settings: Settings
    provider: Provider
    listen: Listener

    def files(self, paths: Sequence[Path], piped: BinaryIO | None = None) -> list[Attachment | Image]:
        """What goes with a message; `piped` is what came on standard input. Raises a `UserFacingError`."""
        found = [attach_file(path, self.session, self.settings, self.provider) for path in paths]
        images = [file for file in found if isinstance(file, Image)]
        if told := unseen([*taken_over(self.session, self.provider), *images], self.provider):
            self.listen(Notice("warning", told))
        if piped is not None:
            found.append(attach_stream("stdin", piped, self.session, self.settings))
        return found

    def queued(self, inbox: Inbox) -> Iterator[tuple[Text, list[Attachment | Image]]]:
        """A file that cannot be attached is told: the message was waited for and goes without it."""
        for waiting in inbox.take():
            files: list[Attachment | Image] = []
            for path in waiting.files:
                try:
                    files += self.files([path])
                except UserFacingError as error:
                    self.listen(Notice("error", error.message))
            yield Text(waiting.text), files


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
