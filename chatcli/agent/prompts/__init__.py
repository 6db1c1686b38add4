"""What chatcli itself says to the model, one file each."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The text of `NAME.md`."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
