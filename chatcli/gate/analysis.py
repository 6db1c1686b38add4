"""What a command line does, whatever the autonomy and the rules say about it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

WRITES = N_("it writes to {about}")


class Unit(Struct, frozen=True, kw_only=True):
    """One simple command as it was judged.

    `reason` is why its words are not known to only read (None: they do). `words` is what a rule may cover;
    a None among them is a file pattern. Without words no rule covers it. `inner` is what a transparent
    wrapper runs, `writes` are the files that its redirections write. `calls` are the known words of every
    program that it starts, without those of `inner`; `code` are files whose text these programs run.
    """

    reason: Reason | None = None
    words: tuple[str | None, ...] = ()
    dangers: tuple[Reason, ...] = ()
    inner: tuple[Unit, ...] = ()
    writes: tuple[Path, ...] = ()
    calls: tuple[tuple[str, ...], ...] = ()
    code: tuple[Path, ...] = ()

    @property
    def all_calls(self) -> tuple[tuple[str, ...], ...]:
        return (*self.calls, *(call for unit in self.inner for call in unit.all_calls))

    @property
    def all_code(self) -> tuple[Path, ...]:
        return (*self.code, *(path for unit in self.inner for path in unit.all_code))


class Analysis(Struct, frozen=True):
    """What a command line does, whatever the autonomy and the rules say about it.

    `refused`: it must not run at all. `errors`: it is not understood, so that it always asks. `unjudged`:
    some construct is not looked into.
    """

    units: tuple[Unit, ...] = ()
    refused: Reason | None = None
    errors: tuple[Reason, ...] = ()
    unjudged: tuple[Reason, ...] = ()

    @property
    def read_only(self) -> bool:
        doubtful = self.refused or self.errors or self.unjudged
        return not doubtful and all(not (u.reason or u.writes or u.dangers) for u in self.units)

    @property
    def dangers(self) -> tuple[Reason, ...]:
        found = [reason for unit in self.units for reason in unit.dangers]
        return tuple(dict.fromkeys((*self.errors, *found)))

    @property
    def doubts(self) -> tuple[Reason, ...]:
        found = [unit.reason for unit in self.units if unit.reason]
        written = [Reason(WRITES, str(path)) for unit in self.units for path in unit.writes]
        return tuple(dict.fromkeys((*self.unjudged, *found, *written)))
