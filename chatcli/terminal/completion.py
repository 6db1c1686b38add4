"""Completes slash commands, their arguments, and `@file` paths."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable
from itertools import islice
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from chatcli.gate.screen import one_line
from chatcli.terminal.cells import clip
from chatcli.terminal.fileindex import FileIndex
from chatcli.terminal.fuzzy import best_matches
from chatcli.terminal.mentions import quoted_mention
from chatcli.terminal.slash.command import Command, Commands

_OPEN_MENTION = re.compile(r"""(?:^|(?<=\s))@(?:"([^"\n]*)|'([^'\n]*)|((?:\\.|[^\s\\"'])*))$""")
_SHOWN = 40
_USAGE_CELLS = 32
_FIRST_WAIT_SECONDS = 0.25
_LISTED_ENTRIES = 2_000


class PromptCompleter(Completer):
    """`words` gives what may follow a command."""

    def __init__(
        self, commands: Commands, words: Callable[[Command], Iterable[str]], index: FileIndex
    ) -> None:
        self._commands = commands
        self._words = words
        self._index = index

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text = document.text_before_cursor
        return self._slash(text) if text.startswith("/") and "\n" not in text else ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        text = document.text_before_cursor
        if mention := _OPEN_MENTION.search(text):
            for path in await self._files(mention[1] or mention[2] or mention[3] or ""):
                yield Completion(
                    quoted_mention(path),
                    start_position=-len(mention[0]),
                    display=one_line(path),
                )
            return
        for completion in self.get_completions(document, complete_event):
            yield completion

    def _slash(self, text: str) -> Iterable[Completion]:
        head, space, rest = text[1:].partition(" ")
        if not space:
            for command in self._commands.all:
                if command.name.startswith(head):
                    yield Completion(
                        f"/{command.name}",
                        start_position=-len(text),
                        display=clip(command.usage(), _USAGE_CELLS),
                        display_meta=command.help(),
                    )
            return
        called, _rest = self._commands.find(text)
        if called is None:
            return
        typed, skipped = rest.lstrip(), 0
        action, *earlier, last = typed.split(" ") if " " in typed else ("", typed)
        if earlier:  # `drop A B`: B is completed as A was
            typed, skipped = f"{action} {last}", len(action) + 1
        for candidate in islice(self._words(called), _LISTED_ENTRIES):
            if candidate.lower().startswith(typed.lower()) and candidate != typed:
                start = skipped - len(typed)
                yield Completion(candidate[skipped:], start_position=start, display=one_line(candidate))

    async def _files(self, query: str) -> list[str]:
        query = re.sub(r"\\(.)", r"\1", query)
        if query.startswith(("/", "~", "../", "./")):
            return _entries(query, self._index.folder)
        await self._index.refresh(_FIRST_WAIT_SECONDS)
        if not query:
            return sorted(self._index.paths, key=lambda path: path.count("/"))[:_SHOWN]
        return await best_matches(query, self._index.paths, _SHOWN)


def _entries(query: str, folder: Path) -> list[str]:
    """What lies in the folder that `query` is about, for paths outside the project."""
    place, _slash, start = query.rpartition("/")
    try:
        base = folder / Path(f"{place}/").expanduser()
        with os.scandir(base) as found:
            entries = list(islice(found, _LISTED_ENTRIES))
    except (OSError, RuntimeError, ValueError):
        return []
    names = (entry.name + ("/" if entry.is_dir() else "") for entry in entries)
    shown = (name for name in names if name.startswith(start) and (start or not name.startswith(".")))
    return [f"{place}/{name}" for name in sorted(shown)][:_SHOWN]
