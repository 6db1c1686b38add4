"""Files that the user named with `@path`: archived whole, shown to the model like a capped result."""

from __future__ import annotations

from pathlib import Path

from chatcli.agent.store import SessionStore
from chatcli.context.limits import Limits
from chatcli.context.previews import render, choose_first
from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.messages import Archived, Attachment
from chatcli.session.session import Session
from chatcli.settings import Settings
from chatcli.tools.files import open_regular

_BLOCK_BYTES = 1 << 20
_SNIFFED_BYTES = 8_192


def attach(path: Path, session: Session, settings: Settings) -> Attachment:
    """Archive the file and make what the model reads of it.

    The user named the file, which is permission enough. Raises StorageError when it cannot be read
    or is not text.
    """
    try:
        original = _archive(path, session)
    except (OSError, ValueError) as error:
        raise StorageError(_("{path} cannot be attached: {error}").format(path=path, error=error)) from error
    return Attachment(path=str(path), text=text, original=original)
