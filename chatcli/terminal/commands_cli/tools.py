"""`chatcli tools` and `chatcli plugins`: what the model is offered, where it comes from, what is broken."""

from __future__ import annotations

from typing import Any

from chatcli.gate.screen import one_line
from chatcli.i18n import _
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.figures import number
from chatcli.tools.registry import Registry
from chatcli.tools.sdk import Tool

PLUGIN_FOLDER = "plugins"


def list_tools(place: Place, *, output: str = "text") -> int:
    """All tools with what they declare; 1 when a plugin is broken."""
    registry = Registry.load(place.home / PLUGIN_FOLDER)
    if output == "json":
        place.out.json(
            {
                "tools": [_as_object(registry, tool) for tool in registry.tools.values()],
                "broken": registry.broken,
            }
        )
        return int(bool(registry.broken))
    place.out.table(
        (_("tool"), _("chars"), _("does"), _("from"), _("what for")),
        [_cells(registry, registry.tools[name]) for name in sorted(registry.tools)],
    )
    return _tell_broken(place, registry)


def list_plugins(place: Place, *, output: str = "text") -> int:
    """Where tools come from; 1 when a plugin is broken."""
    registry = Registry.load(place.home / PLUGIN_FOLDER)
    by_source: dict[str, list[str]] = {}
    for name, source in sorted(registry.sources.items()):
        by_source.setdefault(source, []).append(name)
    if output == "json":
        place.out.json({"plugins": by_source, "broken": registry.broken})
        return int(bool(registry.broken))
    place.out.table(
        (_("from"), _("tools")), [(source, ", ".join(names)) for source, names in by_source.items()]
    )
    place.out.line(_("Your own go into {folder}.").format(folder=place.short(place.home / PLUGIN_FOLDER)))
    return _tell_broken(place, registry)


def _tell_broken(place: Place, registry: Registry) -> int:
    for broken in registry.broken:
        text = _("not loaded: {source}: {why}").format(source=broken.source, why=one_line(broken.reason))
        place.out.line(text, "bad")
    return int(bool(registry.broken))


def _cells(registry: Registry, tool: Tool) -> tuple[str, ...]:
    match tool.read_only:
        case bool() as reads:
            does = _("reads") if reads else _("changes")
        case _:
            does = _("depends")
    first_line = tool.description.splitlines()[0]
    return (tool.name, number(tool.max_result_chars), does, registry.sources[tool.name], first_line)


def _as_object(registry: Registry, tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "source": registry.sources[tool.name],
        "max_result_chars": tool.max_result_chars,
        "read_only": tool.read_only if isinstance(tool.read_only, bool) else "depends",
        "concurrent": tool.concurrent if isinstance(tool.concurrent, bool) else "depends",
        "description": tool.description,
    }
