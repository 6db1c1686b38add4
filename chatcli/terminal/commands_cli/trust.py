"""`chatcli trust`: whose settings, rules and servers may take effect."""

from __future__ import annotations

from pathlib import Path

from chatcli.errors import UsageError
from chatcli.gate.trust import Trust
from chatcli.i18n import _
from chatcli.terminal.commands_cli.place import Place


def trust_folder(place: Place, folder: str = "") -> int:
    """Trust a folder as it is now, and say what that lets in."""
    path = _folder(place, folder)
    trust = Trust(place.home)
    files = trust.config_files(path)
    trust.trust(path)
    place.out.line(_("Trusted: {folder}").format(folder=place.short(path)))
    for file in files:
        place.out.line(f"  {file.relative_to(path)}")
    if not files:
        place.out.line(_("It has no settings of its own yet; when some appear, you are asked again."))
    return 0


def revoke(place: Place, folder: str = "") -> int:
    path = _folder(place, folder)
    if Trust(place.home).untrust(path):
        place.out.line(_("No longer trusted: {folder}").format(folder=place.short(path)))
        return 0
    place.out.line(_("{folder} was not trusted.").format(folder=place.short(path)))
    return 0


def list_trusted(place: Place) -> int:
    trust = Trust(place.home)
    states = {
        "trusted": _("trusted"),
        "changed": _("changed since: asked again"),
        "unknown": _("gone"),
    }
    rows = [(place.short(folder), states[trust.state(folder)]) for folder in trust.folders()]
    if rows:
        place.out.table((_("folder"), _("state")), rows)
    else:
        place.out.line(_("No folder is trusted yet."))
    return 0


def _folder(place: Place, folder: str) -> Path:
    path = (place.folder / Path(folder).expanduser()).resolve() if folder else place.folder
    if not path.is_dir():
        raise UsageError(_("{folder} is not a folder.").format(folder=path))
    return path
