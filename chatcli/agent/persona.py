"""The persona: how the user wants to be spoken to, in `persona.md` of the home of chatcli."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from chatcli.tools.files import open_regular

FILE_NAME = "persona.md"
MAX_CHARS = 4_000


class Persona(Struct, frozen=True, kw_only=True):
    """At most 4,000 characters, empty without a file; `omitted_chars` were left out of its end."""

    text: str = ""
    omitted_chars: int = 0


def read_persona(home: Path) -> Persona:
    """A file that cannot be read as UTF-8 text is none."""
    try:
        with open_regular((home / FILE_NAME).resolve()) as file:
            text = file.read().decode("utf-8-sig").strip()
    except (OSError, ValueError):
        return Persona()
    kept = text[:MAX_CHARS]
    return Persona(text=kept, omitted_chars=len(text) - len(kept))
