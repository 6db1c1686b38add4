"""All tools of this run, by name, and what could not be loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, structs

from chatcli.i18n import _
from chatcli.messages import ToolSchema
from chatcli.tools.discovery import Broken, built_in_tools, folder_tools, installed_tools
from chatcli.tools.sdk import Tool


class Registry(Struct, frozen=True, kw_only=True):
    """The tools that the model is offered. The list does not change during a session."""

    tools: Mapping[str, Tool]
    broken: tuple[Broken, ...] = ()
    sources: Mapping[str, str] = {}
    """Where each tool came from."""

    @classmethod
    def load(cls, plugin_folder: Path | None = None, *, entry_points: bool = True) -> Registry:
        """Built-ins, then installed packages, then the user's folder. The first to take a name keeps it."""
        found = [*built_in_tools()]
        if entry_points:
            found += installed_tools()
        if plugin_folder is not None:
            found += folder_tools(plugin_folder)
        tools: dict[str, Tool] = {}
        sources: dict[str, str] = {}
        broken: list[Broken] = []
        for source, item in found:
            if isinstance(item, Broken):
                broken.append(item)
            elif item.name in tools:
                taken = _("the name {name} is taken by {source}")
                broken.append(Broken(source, taken.format(name=item.name, source=sources[item.name])))
            else:
                tools[item.name], sources[item.name] = item, source
        return cls(tools=tools, broken=tuple(broken), sources=sources)

    def without(self, name: str) -> Registry:
        """The same without one tool."""
        return structs.replace(self, tools={n: tool for n, tool in self.tools.items() if n != name})

    def narrower(self) -> dict[str, str]:
        """All tools by name, each with the parameters that make its answer smaller."""
        return {name: tool.narrower for name, tool in self.tools.items()}

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is told, sorted by name."""
        return tuple(self.tools[name].as_schema() for name in sorted(self.tools))
