"""Settings of a git repository that make reading commands run programs.

A clone does not carry `.git/config`, but an archive, a submodule or another tool can. Before a git command
is judged to only read, the configuration that it would load from the repository is searched for settings
that name a program. The user's own global configuration is trusted.
"""

from __future__ import annotations

import re
from pathlib import Path

from chatcli.gate.gitindex import gitlinks
from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

EXECUTES = N_("the repository's configuration runs programs: {about}")
STRANGE = N_("the repository is not laid out as usual: {about}")

_MAX_CONFIG_BYTES = 1_000_000
_MAX_NESTED = 5
_SECTION = re.compile(r"^\s*\[\s*([\w.-]+)(?:\s+\"(?:[^\"\\]|\\.)*\")?\s*\](.*)$")
_KEY = re.compile(r"^\s*([A-Za-z][\w-]*)\s*=?(.*)$")
_EXECUTING_SECTIONS = frozenset({"filter", "include", "includeif"})
_EXECUTING_KEYS = frozenset(
    {
        "core.fsmonitor",
        "core.sshcommand",
        "core.gitproxy",
        "core.pager",
        "core.alternaterefscommand",
        "core.worktree",
        "diff.external",
        "log.showsignature",
        "extensions.partialclone",
    }
)
_EXECUTING_ENDINGS = (".command", ".textconv", ".program", ".uploadpack", ".vcs", ".promisor")
# Runs when a reading command refreshes the index.
_READING_HOOK = "post-index-change"


def repository_risk(folder: Path) -> Reason | None:
    """Why git in this folder might run more than git; None when nothing speaks against it."""
    for place in (folder, *folder.parents):
        if (place / ".git").is_symlink() or (place / ".git").exists():
            return _entry_risk(place / ".git", depth=0)
        # Git takes a folder that looks like a bare repository for one, settings and all.
        if (place / "HEAD").exists() and (place / "objects").exists() and (place / "refs").exists():
            return Reason(STRANGE, str(place))
    return None


def _entry_risk(entry: Path, depth: int) -> Reason | None:
    """A `.git` folder, or the file in its place."""
    if entry.is_symlink() or depth > _MAX_NESTED:
        return Reason(STRANGE, str(entry))
    if entry.is_dir():
        return _settings_risk(entry.parent, entry, entry, depth)
    return _link_risk(entry, depth)


def _link_risk(entry: Path, depth: int) -> Reason | None:
    """A `.git` file of a worktree or submodule: both folders that it leads to are searched."""
    target = _one_line(entry).removeprefix("gitdir:").strip()
    git_folder = (entry.parent / target).resolve()
    if not target or not git_folder.is_dir():
        return Reason(STRANGE, str(entry))
    common = git_folder
    if (git_folder / "commondir").exists():
        common = (git_folder / _one_line(git_folder / "commondir")).resolve()
    # Git itself keeps worktrees and submodules inside the .git folder of the main repository.
    if ".git" not in common.parts or not (git_folder / "HEAD").is_file():
        return Reason(STRANGE, str(entry))
    return _settings_risk(entry.parent, git_folder, common, depth)


def _settings_risk(root: Path, git_folder: Path, common: Path, depth: int) -> Reason | None:
    if git_folder == common and (common / "commondir").exists():
        return Reason(STRANGE, str(common / "commondir"))
    hooks = [common / "hooks"]
    for config in (common / "config", git_folder / "config.worktree"):
        settings = _settings(config)
        if settings is None:
            return Reason(STRANGE, str(config))
        for name, value in settings:
            # The folder of a submodule's files is always set.
            if _executes(name) and not (depth and name == "core.worktree"):
                return Reason(EXECUTES, name)
            if name == "extensions.objectformat":
                return Reason(STRANGE, name)
            if name == "core.hookspath":
                hooks.append(root / Path(value).expanduser())
    for folder in hooks:
        if (folder / _READING_HOOK).exists():
            return Reason(EXECUTES, str(folder / _READING_HOOK))
    return _nested_risk(root, git_folder, depth)


def _nested_risk(root: Path, git_folder: Path, depth: int) -> Reason | None:
    """`status` and `diff` start git in every nested repository of the index."""
    nested = gitlinks(git_folder / "index")
    if nested is None or any(git_folder.glob("sharedindex.*")):
        return Reason(STRANGE, str(git_folder / "index"))
    for path in nested:
        entry = root / path / ".git"
        risk = _entry_risk(entry, depth + 1) if entry.is_symlink() or entry.exists() else None
        if risk:
            return risk
    return None


def _settings(config: Path) -> list[tuple[str, str]] | None:
    """Lower-case `section.key` (or `section.` for its header) and value; None when it cannot be read."""
    try:
        with config.open("rb") as file:
            content = file.read(_MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    if len(content) > _MAX_CONFIG_BYTES:
        return None
    section = ""
    settings: list[tuple[str, str]] = []
    for line in content.decode("utf-8-sig", "replace").splitlines():
        header = _SECTION.match(line)
        if header:
            section = header[1].casefold()
            settings.append((f"{section}.", ""))
        key = _KEY.match(header[2] if header else line)
        if key:
            settings.append((f"{section}.{key[1].casefold()}", key[2].strip().strip('"')))
    return settings


def _executes(name: str) -> bool:
    return (
        name in _EXECUTING_KEYS
        or name.endswith(_EXECUTING_ENDINGS)
        or name.split(".", maxsplit=1)[0] in _EXECUTING_SECTIONS
    )


def _one_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""
