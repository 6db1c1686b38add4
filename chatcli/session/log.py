"""The log file: rotating, private, without secrets. Nothing is ever printed to the terminal."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from chatcli.session.files import make_private_folder, storage_errors
from chatcli.session.redact import redact

_MAX_BYTES = 2_000_000
_BACKUPS = 3


def log_path(home: Path) -> Path:
    return home / "chatcli.log"


def configure_log(home: Path, debug: bool = False) -> Path:
    """Send all logging and all warnings of this process to the log file; returns its path.

    Ours from INFO on and the libraries' from WARNING on; with `debug` one level more. The libraries
    never log at DEBUG: there they write whole requests. Raises `StorageError` when there can be no
    log file.
    """
    path = log_path(home)
    with storage_errors(path):
        make_private_folder(home)
        handler = _PrivateRotatingFile(path, maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8")
    handler.setFormatter(_RedactingFormatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    for former in [h for h in root.handlers if isinstance(h, _PrivateRotatingFile)]:
        root.removeHandler(former)
        former.close()
    root.addHandler(handler)
    root.setLevel(logging.INFO if debug else logging.WARNING)
    logging.getLogger("chatcli").setLevel(logging.DEBUG if debug else logging.INFO)
    logging.captureWarnings(True)
    return path


class _RedactingFormatter(logging.Formatter):
    """Redacts the finished text: the message, its arguments, the exception and the stack."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class _PrivateRotatingFile(RotatingFileHandler):
    """Files are created 0600. A log that cannot be written is given up silently."""

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename, "a", encoding=self.encoding, errors="backslashreplace", opener=_open_private
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """The default prints a traceback over the screen; a full disk shows itself elsewhere."""


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)
