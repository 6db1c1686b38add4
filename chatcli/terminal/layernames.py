"""Where a setting's value comes from, in the language of the screen."""

from __future__ import annotations

from chatcli.i18n import _


def layer_name(layer: str) -> str:
    """A layer of `chatcli.settings`; what has no words of its own, `--set` or a preset, names itself."""
    names = {
        "user file": _("user file"),
        "project file": _("project file"),
        "environment": _("environment"),
    }
    return names.get(layer, layer)
