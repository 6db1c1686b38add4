"""Where a path really leads, and what kind of place that is.

Paths are resolved through every link before they are compared, and compared component by component:
`/work-evil` is not inside `/work`. What a place allows is decided in `chatcli.gate.gate`.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

from msgspec import Struct

from chatcli.errors import Denied, InvalidArguments
from chatcli.gate.reasons import Reason
from chatcli.gate.secretnames import is_key
from chatcli.i18n import N_

PlaceKind = Literal["project", "scratch", "results", "outside", "secret", "special"]

# Folders and files below the user's home that hold keys, tokens and passwords.
KEY_STORES = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".config/hub",
    ".config/rclone",
    ".config/git/credentials",
    ".docker/config.json",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
)
SYSTEM_SECRETS = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private")

_MAX_SECRET_FILES = 20_000

# Written, these run by themselves the next time that an editor, a shell or git looks at the folder.
_SELF_RUNNING = frozenset({".git", ".chatcli", ".vscode", ".idea", ".husky", ".devcontainer"})
_SELF_RUNNING_FILES = frozenset(
    {".mcp.json", ".envrc", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".gitconfig", ".gitmodules"}
)


class Place(Struct, frozen=True):
    """A resolved path and what lies there. The path need not exist."""

    path: Path
    kind: PlaceKind
    exists: bool
    is_folder: bool
    other_names: int
    """Further hard links of an existing regular file."""


class Territory:
    """What belongs to the session: project, scratch, results; and what nobody may see."""

    def __init__(
        self,
        project: Path,
        *,
        home: Path,
        user_home: Path,
        readable: Sequence[Path] = (),
        writable: Sequence[Path] = (),
    ) -> None:
        self.project = project.resolve()
        self.user_home = user_home.resolve()
        self._results = tuple(path.resolve() for path in readable)
        self._scratch = tuple(path.resolve() for path in writable)
        stores = [self.user_home / name for name in KEY_STORES] + [Path(name) for name in SYSTEM_SECRETS]
        self.secrets = (home.resolve(), *(store.resolve() for store in stores))
        self._folded_secrets = tuple(_folded(store) for store in self.secrets)
        self._secret_files: frozenset[tuple[int, int]] | None = None

    def resolve(self, text: str, folder: Path | None = None) -> Path:
        """Follow `~`, `..` and all links; relative to `folder`, else the project.

        Raises `InvalidArguments` for what can be no path, `Denied` for a home of somebody else.
        """
        if not text:
            raise InvalidArguments("the path is empty")
        if any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text):
            raise InvalidArguments("the path holds control characters or is not valid text")
        if text == "~" or text.startswith("~/"):
            text = str(self.user_home) + text[1:]
        elif text.startswith("~"):
            raise Denied(f"Paths of other users are not opened: {text}")
        try:
            return Path(os.path.realpath((folder or self.project) / text))
        except (OSError, ValueError) as error:
            raise Denied(f"The path cannot be resolved: {error}") from error

    def place(self, path: Path) -> Place:
        """Look at a resolved path."""
        try:
            status = path.lstat()
        except OSError:
            return Place(path, self._kind(path), exists=False, is_folder=False, other_names=0)
        kind = self._kind(path)
        regular = stat.S_ISREG(status.st_mode)
        is_folder = stat.S_ISDIR(status.st_mode)
        if not (regular or is_folder) and kind != "secret":
            kind = "special"
        names = status.st_nlink - 1 if regular else 0
        if names and kind != "secret" and self._shares_file_with_secret(status):
            kind = "secret"
        return Place(path, kind, exists=True, is_folder=is_folder, other_names=names)

    def secrets_below(self, folder: Path) -> tuple[Path, ...]:
        """Key stores that a search of this folder would walk through."""
        return tuple(store for store in self.secrets if is_within(store, folder) and store.exists())

    def _kind(self, path: Path) -> PlaceKind:
        folded = _folded(path)
        if any(folded[: len(s)] == s for s in self._folded_secrets) or _is_process_state(path):
            return "secret"
        if any(is_within(path, root) for root in self._results):
            return "results"
        if any(is_within(path, root) for root in self._scratch):
            return "scratch"
        if is_within(path, self.project):
            return "project"
        return "secret" if is_key(path.name) else "outside"

    def _shares_file_with_secret(self, status: os.stat_result) -> bool:
        # Package stores link whole trees of files, so the walk is done once and not for every file.
        if self._secret_files is None:
            self._secret_files = frozenset(islice(_identities(self.secrets), _MAX_SECRET_FILES))
        return (status.st_dev, status.st_ino) in self._secret_files


def is_within(path: Path, root: Path) -> bool:
    """Whether `path` is `root` or below it; both resolved.

    A file system that ignores case shows one folder under many names: there the identity of the
    folders decides.
    """
    head = Path(*path.parts[: len(root.parts)])
    return head == root or (_folded(head) == _folded(root) and _same_folder(head, root))


def runs_by_itself(path: Path) -> Reason | None:
    """Why a file is dangerous to write wherever it lies: git, editors or shells execute it."""
    folders = _folded(path)
    if ".git" in folders:
        return Reason(N_("it lies in a .git folder, from which git runs programs: {about}"), str(path))
    if folders[-1] in _SELF_RUNNING_FILES or _SELF_RUNNING.intersection(folders):
        return Reason(N_("other programs run or load this file by themselves: {about}"), str(path))
    return None


def check_open_fd(descriptor: int, path: Path) -> None:
    """After opening an approved path: it is still that file, and a regular one. Raises `Denied`.

    Between the check of a path and its opening somebody may swap a folder for a link.
    """
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise Denied(f"Not a regular file: {path}")
    if _folded(_opened_path(descriptor)) != _folded(path):
        raise Denied(f"The file changed its place while it was opened: {path}")


def _opened_path(descriptor: int) -> Path:
    if sys.platform == "darwin":
        raw = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))  # MAXPATHLEN
        return Path(os.fsdecode(raw.split(b"\0", 1)[0]))
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def _folded(path: Path) -> tuple[str, ...]:
    """One spelling for paths that some file systems take for the same, part by part."""
    text = str(path)
    if not text.isascii():
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
        text = unicodedata.normalize("NFC", text)
    return Path(text.casefold()).parts


def _same_folder(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _is_process_state(path: Path) -> bool:
    """`/proc/<pid>/environ` holds the keys of the provider; memory and the rest are no better."""
    parts = path.parts
    return len(parts) > 2 and parts[1] == "proc" and (parts[2].isdigit() or parts[2] in {"kcore", "kmem"})


def _identities(stores: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Device and inode of every file in the stores: the other name of a hard link."""
    for store in stores:
        files = [store] if store.is_file() else store.rglob("*")
        for file in files:
            try:
                status = file.lstat()
            except OSError:
                continue
            yield status.st_dev, status.st_ino
