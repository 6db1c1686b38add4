"""The stops of the tour, made for the folder in which it is taken.

Most stops are requests that the person could type as they are; where the answer shall tell more,
OFFLINE plays a script. Files are changed in a copy alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from chatcli.i18n import _
from chatcli.providers.offline import calls
from chatcli.providers.offline.draft import Call
from chatcli.providers.offline.script import Script, ScriptedCall, ScriptedReply

_LONG_COMMAND = "seq 1 20000"
_DEFINITION = re.compile(
    r"^(?:def|class|func|function|fn|pub fn|export function|interface|struct) +(\w{4,})", re.M
)
_SOURCE_SUFFIXES = frozenset({".py", ".go", ".rs", ".js", ".ts", ".java", ".rb", ".c", ".cpp", ".sh"})
_NOT_OURS = frozenset({"node_modules", "vendor", "venv", "build", "dist", "target"})
_MAX_SAMPLE_BYTES = 64_000
_MAX_SEARCHED_FILES = 200
_MAX_SEARCHED_FOLDERS = 1_000


class Stop(Struct, frozen=True, kw_only=True):
    """`words` are what is typed; without `replies` the guide answers them."""

    title: str
    about: str
    words: str
    replies: tuple[ScriptedReply, ...] = ()

    def script(self, replies_before: int) -> Script | None:
        """What OFFLINE plays here, in a conversation that has so many replies already."""
        return Script("tour", self.replies, replies_before) if self.replies else None


def looking(folder: Path) -> tuple[Stop, ...]:
    """Stops that only read, ending with a result that is far too long."""
    return (
        Stop(
            title=_("Reading"),
            about=_("Plain words become tool calls. Reading needs no permission."),
            words=_("what is in this folder?"),
        ),
        Stop(
            title=_("Searching"),
            about=_("Definitions, file names and mentions are searched at the same time."),
            words=_("where is {name}?").format(name=_something_to_find(folder)),
        ),
        Stop(
            title=_("A huge result"),
            about=_(
                "This prints 20,000 lines. All of it is kept on disk; the model sees the beginning, the end, "
                "and where the rest is."
            ),
            words=_("run {command}").format(command=_LONG_COMMAND),
        ),
    )


def reopening(saved: Path, key: str) -> Stop:
    """The full result, opened again in one turn: its file by range, its original by search."""
    return Stop(
        title=_("Nothing is lost"),
        about=_("What was left out is opened again: by range and by search, never whole."),
        words=_("what is in the middle of that result?"),
        replies=(
            _reply(
                _("The full result lies in a file and under a key: I read three lines and search for 12345."),
                calls.read(str(saved), start=10_000, end=10_002),
                calls.original(key, grep="^12345$"),
            ),
            _reply(
                _("Lines 10,000 to 10,002 are there, and 12345 stands in one line. The rest stayed on disk.")
            ),
        ),
    )


class Sample(Struct, frozen=True, kw_only=True):
    """A copy of a small file, and the line of it that will be changed."""

    file: Path
    line: str


def changing(sample: Sample) -> Stop:
    """One change that asks first, with a diff."""
    name = sample.file.name
    return Stop(
        title=_("A change asks first"),
        about=_("This changes a copy of {file}. What you approve is exactly what is written.").format(
            file=name
        ),
        words=_("mark one line of {file}").format(file=name),
        replies=(
            _reply(
                "",
                calls.read(name, head=20),
                calls.replace(name, sample.line, sample.line + " " + _("(marked on the tour)")),
            ),
            _reply(_("Your answer decided. /undo would take it back, also after a crash.")),
        ),
    )


def copy_sample(folder: Path, into: Path) -> Sample:
    """Copy a small text file of the folder, or write one; `into` is created."""
    into.mkdir(mode=0o700)
    for path in _small_files(folder):
        if (text := _text_of(path)) and (line := _unique_line(text)):
            copy = into / path.name
            copy.write_text(text, encoding="utf-8")
            return Sample(file=copy, line=line)
    line = _("This line will be marked.")
    copy = into / "notes.txt"
    copy.write_text(line + "\n", encoding="utf-8")
    return Sample(file=copy, line=line)


def _reply(text: str, *made: Call) -> ScriptedReply:
    return ScriptedReply(
        text=(text,) if text else (), calls=tuple(ScriptedCall(call.name, call.arguments) for call in made)
    )


def _something_to_find(folder: Path) -> str:
    """A name that is defined in the folder; else what nearly every folder mentions."""
    for path in islice(_sources(folder), _MAX_SEARCHED_FILES):
        if found := _DEFINITION.search(_text_of(path)):
            return found[1]
    return "README"


def _sources(folder: Path) -> Iterator[Path]:
    """Source files, those on top first; hidden folders are left alone."""
    for top, folders, names in islice(os.walk(folder), _MAX_SEARCHED_FOLDERS):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_OURS)
        yield from (Path(top, name) for name in sorted(names) if Path(name).suffix in _SOURCE_SUFFIXES)


def _small_files(folder: Path) -> list[Path]:
    """Plain files on top, README first."""
    files = (path for path in folder.glob("[!.]*") if path.is_file() and not path.is_symlink())
    return sorted(files, key=lambda path: (not path.name.lower().startswith("readme"), path.name))


def _text_of(path: Path) -> str:
    """The text of a small file; empty for anything else."""
    try:
        if path.stat().st_size > _MAX_SAMPLE_BYTES:
            return ""
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "\0" in text else text


def _unique_line(text: str) -> str:
    """The first line with words that stands in the text only once."""
    lines = [line for line in text.splitlines() if re.search(r"\w{3}", line)]
    return next((line for line in lines if text.count(line) == 1), "")
