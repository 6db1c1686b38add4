"""The plugin SDK: all that a tool needs, and the only part of chatcli that a plugin may import."""

from chatcli.errors import Denied, InvalidArguments, ToolFailed
from chatcli.i18n import _, ngettext
from chatcli.messages import Archived
from chatcli.tools.api import (
    CommandResult,
    Fetched,
    FileChange,
    Files,
    HelperResult,
    Memory,
    Network,
    Notes,
    Processes,
    Remembered,
    ScriptResult,
    Sink,
    Store,
    StoreEntry,
    ToolContext,
    ToolOutput,
    User,
    Writer,
)
from chatcli.tools.output import StreamedOutput
from chatcli.tools.sdk import MAX_RESULT_CHARS, Tool, tool
from chatcli.tools.threads import in_thread

__all__ = [
    "MAX_RESULT_CHARS",
    "Archived",
    "CommandResult",
    "Denied",
    "Fetched",
    "FileChange",
    "Files",
    "HelperResult",
    "InvalidArguments",
    "Memory",
    "Network",
    "Notes",
    "Processes",
    "Remembered",
    "ScriptResult",
    "Sink",
    "Store",
    "StoreEntry",
    "StreamedOutput",
    "Tool",
    "ToolContext",
    "ToolFailed",
    "ToolOutput",
    "User",
    "Writer",
    "_",
    "in_thread",
    "ngettext",
    "tool",
]
