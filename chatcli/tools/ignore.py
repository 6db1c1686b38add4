"""What git ignores below a folder: `.gitignore` files, folder by folder, and `.git/info/exclude`.

Files and folders of the repository are hostile text: lines that cannot be compiled, or that would
take long to match, are left out as if they were not there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chatcli.tools.files import open_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_MAX_FILE_BYTES = 256_000
_MAX_LINE_CHARS = 500
_MAX_STARS = 4
"""Matching takes the length of a name to the power of this."""


class Layer(Struct, frozen=True):
    """The rules of one file. They are about paths below `prefix`, which ends with a slash."""

    prefix: str
    spec: Any

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """True: ignored, False: taken back by a `!` rule, None: not named."""
        name = path.removeprefix(self.prefix) + ("/" if is_folder else "")
        verdict: bool | None = self.spec.check_file(name).include
        return verdict


class IgnoreRules(Struct, frozen=True):
    """The rules in force in one folder; later layers win."""

    layers: tuple[Layer, ...] = ()

    @classmethod
    def for_folder(cls, folder: Path) -> IgnoreRules:
        """The rules that hold in a resolved folder, those of the folders above it included."""
        rules = cls()
        for above in reversed(folder.parents):
            rules = rules.entered(above)
        # What was asked for by name is looked at even where git ignores all of it.
        if rules.hides(str(folder), is_folder=True):
            rules = cls()
        return rules.entered(folder)

    def entered(self, folder: Path) -> IgnoreRules:
        """The rules one level deeper. A repository of its own begins afresh."""
        layers = () if (folder / ".git").exists() else self.layers
        if not layers and (spec := _compile(folder / ".git" / "info" / "exclude")):
            layers = (Layer(f"{folder}/", spec),)
        if spec := _compile(folder / ".gitignore"):
            layers = (*layers, Layer(f"{folder}/", spec))
        return IgnoreRules(layers)

    def hides(self, path: str, *, is_folder: bool) -> bool:
        """Whether git ignores this entry of a folder that is itself not ignored."""
        for layer in reversed(self.layers):
            verdict = layer.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False


class Entry(Struct, frozen=True):
    """One entry of a folder."""

    found: os.DirEntry[str]
    is_folder: bool
    """A folder itself, not a link to one."""
    is_ignored: bool


def list_folder(folder: str, rules: IgnoreRules) -> Iterator[Entry]:
    """All entries in the order of their names' bytes. Nothing for a folder that cannot be read.

    `.git` counts as ignored.
    """
    try:
        with os.scandir(folder) as scanned:
            found = sorted(scanned, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return
    for entry in found:
        is_folder = entry.is_dir(follow_symlinks=False)
        is_ignored = entry.name == ".git" or rules.hides(entry.path, is_folder=is_folder)
        yield Entry(entry, is_folder, is_ignored)


def compile_patterns(lines: list[str]) -> GitIgnoreSpec | None:
    """The usable ones among these gitignore lines; None when there is none."""
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    patterns = []
    for line in lines:
        if len(line) > _MAX_LINE_CHARS or len(re.findall(r"\*+", line)) > _MAX_STARS:
            continue
        try:
            pattern = GitIgnoreSpecPattern(line)
        except (ValueError, re.error, IndexError):
            continue
        if pattern.include is not None:
            patterns.append(pattern)
    return GitIgnoreSpec(patterns) if patterns else None


def _compile(file: Path) -> GitIgnoreSpec | None:
    try:
        with open_regular(file) as opened:
            data = opened.read(_MAX_FILE_BYTES)
    except OSError:
        return None
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return compile_patterns([line.removesuffix("\r") for line in text.split("\n")])
