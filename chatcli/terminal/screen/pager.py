"""Shows something long in the user's pager, or simply prints it where there is none."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def show_in_pager(lines: Sequence[str]) -> None:
    """Blocks until the pager is left. The lines are safe already; `less -R` keeps their colours."""
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
    command = _pager()
    if command is None:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
        return
    environment = {**os.environ, "LESS": os.environ.get("LESS", "-R"), "LESSSECURE": "1"}
    subprocess.run(command, input=text, env=environment, check=False)


def _pager() -> list[str] | None:
    wanted = os.environ.get("PAGER", "")
    try:
        command = shlex.split(wanted)
    except ValueError:
        command = []
    if command and shutil.which(command[0]):
        return [*command, "-R"] if Path(command[0]).name == "less" else command
    return ["less", "-R"] if shutil.which("less") else None
