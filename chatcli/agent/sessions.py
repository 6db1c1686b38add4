"""Where this conversation's sessions come from: new ones, earlier ones, copies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from chatcli import __version__
from chatcli.errors import UsageError
from chatcli.i18n import _, filled
from chatcli.session.quota import sweep
from chatcli.session.session import Session
from chatcli.settings import Settings

LATEST = "latest"


class Sessions(Struct, frozen=True, kw_only=True):
    """The sessions of one folder under one home."""

    home: Path
    folder: Path
    tmp: Path
    quota_bytes: int

    def new(self) -> Session:
        return Session.create(
            self.home, self.folder, tmp=self.tmp, quota_bytes=self.quota_bytes, version=__version__
        )

    def resume(self, wanted: str, *, fork: bool = False) -> Session:
        """An earlier session by id, or the `latest` of the folder; with `fork` a copy of it.

        Raises `SessionLocked` when another process holds it and no copy was asked for.
        """
        found = Session.latest(self.home, self.folder) if wanted == LATEST else wanted
        if found is None:
            raise UsageError(
                _("There is no earlier session of {folder}.").format(folder=self.folder),
                hint="chatcli sessions",
            )
        reopen = Session.fork if fork else Session.resume
        return reopen(self.home, found, tmp=self.tmp, quota_bytes=self.quota_bytes, version=__version__)

    def sweep(self, settings: Settings) -> Iterator[str]:
        """Drop closed sessions beyond the quota, and say which."""
        for gone in sweep(self.home, quota_bytes=settings.archive_quota_bytes, days=settings.archive_days):
            text = _("Session {id} is gone: idle for {days:.0f} days, {megabytes:.1f} MB.")
            yield filled(text, id=gone.id, days=gone.idle_days, megabytes=gone.size_bytes / 1e6)
