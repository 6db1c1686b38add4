"""What a plugin may rely on. A name that comes or goes here is a change of the SDK."""

from __future__ import annotations

import chatcli.tools


def test_the_public_names_are_these() -> None:
    assert sorted(chatcli.tools.__all__) == [
        "Archived",
        "CommandResult",
        "Denied",
        "Fetched",
        "FileChange",
        "Files",
        "HelperResult",
        "InvalidArguments",
        "MAX_RESULT_CHARS",
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
    assert all(hasattr(chatcli.tools, name) for name in chatcli.tools.__all__)
