"""`chatcli tools`: what the model is offered, and plugins that could not be loaded."""

from __future__ import annotations

from typing import Any

from chatcli.i18n import _
from chatcli.terminal.commands_cli.place import Place
from chatcli.tools.registry import Registry
from chatcli.tools.sdk import Tool


def list_tools(place: Place, *, output: str = "text") -> int:
    """All tools with what they declare; 1 when a plugin is broken."""
    registry = Registry.load(place.home / "plugins")
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
    for broken in registry.broken:
        place.out.line(
            _("not loaded: {source}: {why}").format(source=broken.source, why=broken.reason), "bad"
        )
    return int(bool(registry.broken))


def _cells(registry: Registry, tool: Tool) -> tuple[str, ...]:
    match tool.read_only:
        case bool() as reads:
            does = _("reads") if reads else _("changes")
        case _:
            does = _("depends")
    first_line = tool.description.splitlines()[0]
    return (tool.name, f"{tool.max_result_chars:,}", does, registry.sources[tool.name], first_line)


def _as_object(registry: Registry, tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "source": registry.sources[tool.name],
        "max_result_chars": tool.max_result_chars,
        "read_only": tool.read_only if isinstance(tool.read_only, bool) else "depends",
        "concurrent": tool.concurrent if isinstance(tool.concurrent, bool) else "depends",
        "description": tool.description,
    }
