"""The files of a folder, for completion: found in the background, never in the way of a key.

ripgrep lists them, because it knows `.gitignore` and does it in another process; without it a walk
in a thread takes what it finds in a short time.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from pathlib import Path

_MAX_FILES = 50_000
_MAX_SECONDS = 3.0
_FRESH_SECONDS = 10.0
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build"})


class FileIndex:
    """Paths relative to `folder`, with `/`. Empty until the first search has ended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: list[str] = []
        self._listed_seconds = 0.0
        self._task: asyncio.Task[None] | None = None

    async def refresh(self, wait_seconds: float) -> None:
        """Look again when the last look is old; wait a moment for it when there is nothing yet."""
        if self._task is None and time.monotonic() - self._listed_seconds > _FRESH_SECONDS:
            self._task = asyncio.create_task(self._list())
        if self._task and not self.paths:
            await asyncio.wait([self._task], timeout=wait_seconds)

    async def _list(self) -> None:
        try:
            program = find_ripgrep()
            if program:
                self.paths = await _ask_ripgrep(program, self.folder)
            else:
                self.paths = await asyncio.to_thread(_walk, self.folder)
        except OSError:
            self.paths = []
        finally:
            self._listed_seconds = time.monotonic()
            self._task = None


def find_ripgrep() -> str | None:
    """On PATH, or installed beside this Python."""
    return shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))


async def _ask_ripgrep(program: str, folder: Path) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        *(program, "--no-config", "--files", "--hidden", "--null", "--no-messages", "--glob", "!.git"),
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout
    data = bytearray()
    try:
        async with asyncio.timeout(_MAX_SECONDS):
            while (chunk := await process.stdout.read(1 << 16)) and data.count(b"\0") < _MAX_FILES:
                data += chunk
    except TimeoutError:
        pass
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
    names = bytes(data).split(b"\0")[:-1]
    return sorted(os.fsdecode(name) for name in names[:_MAX_FILES])


def _walk(folder: Path) -> list[str]:
    paths: list[str] = []
    until = time.monotonic() + _MAX_SECONDS / 3
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED_FOLDERS)
        prefix = Path(root).relative_to(folder).as_posix()
        paths += (name if prefix == "." else f"{prefix}/{name}" for name in files)
        if len(paths) >= _MAX_FILES or time.monotonic() > until:
            break
    return sorted(paths)
