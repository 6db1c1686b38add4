"""The log file: rotating, private, without secrets. Nothing is ever printed to the terminal.

The file is opened at the first record: a start that has nothing to log does not wait for it.
"""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from chatcli.errors import StorageError
from chatcli.session.files import make_private_folder, storage_errors

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
        os.close(_open_private(str(path), os.O_WRONLY | os.O_CREAT | os.O_APPEND))
    root = logging.getLogger()
    for former in [h for h in root.handlers if isinstance(h, _LogFile)]:
        root.removeHandler(former)
        former.close()
    root.addHandler(_LogFile(path))
    root.setLevel(logging.INFO if debug else logging.WARNING)
    logging.getLogger("chatcli").setLevel(logging.DEBUG if debug else logging.INFO)
    logging.captureWarnings(True)
    return path


class _LogFile(logging.Handler):
    """Makes the rotating file, and whatever that needs to be imported, when there is something to write."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._file = self._file or _rotating_file(self._path)
        except (OSError, StorageError):
            return  # a log that cannot be written is given up; a full disk shows itself elsewhere
        self._file.handle(record)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def _rotating_file(path: Path) -> logging.Handler:
    from logging.handlers import RotatingFileHandler

    from chatcli.session.redact import redact

    class RedactingFormatter(logging.Formatter):
        """Redacts the finished text: the message, its arguments, the exception and the stack."""

        def format(self, record: logging.LogRecord) -> str:
            return redact(super().format(record))

    class PrivateRotatingFile(RotatingFileHandler):
        """Files are created 0600."""

        def _open(self) -> TextIOWrapper:
            return open(
                self.baseFilename,
                "a",
                encoding=self.encoding,
                errors="backslashreplace",
                opener=_open_private,
            )

        def handleError(self, record: logging.LogRecord) -> None:
            """The default prints a traceback over the screen."""

    file = PrivateRotatingFile(path, maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8")
    file.setFormatter(RedactingFormatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    return file


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)
