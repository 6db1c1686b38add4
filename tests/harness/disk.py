"""What a session left on disk, read without any code of chatcli: the harness must not trust it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct


class Result(Struct, frozen=True, kw_only=True):
    """One result of the journal with its original out of the archive."""

    status: str
    text: str


class Call(Struct, frozen=True, kw_only=True):
    """One tool call as far as it got."""

    name: str
    arguments: dict[str, Any]
    started: bool
    result: Result | None


class OnDisk(Struct, frozen=True, kw_only=True):
    """A session as its journal and archive tell it."""

    folder: Path
    entries: list[dict[str, Any]]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [entry["message"] for entry in self.entries if entry["type"] == "message"]

    @property
    def user_texts(self) -> list[str]:
        """What the user said, without the notes that chatcli added."""
        users = [message for message in self.messages if message["type"] == "user"]
        return [
            part["text"] for user in users for part in user["parts"] if part.get("origin", "user") == "user"
        ]

    @property
    def assistant_texts(self) -> list[str]:
        return ["".join(p["text"] for p in parts if p["type"] == "text") for parts in self._replies()]

    @property
    def calls(self) -> list[Call]:
        """Every call, in order. Fails when an original is missing or is not what was stored."""
        started = {entry["call_id"] for entry in self.entries if entry["type"] == "call"}
        results = {m["call_id"]: self._result(m) for m in self.messages if m["type"] == "tool_result"}
        made = [part for parts in self._replies() for part in parts if part["type"] == "tool_call"]
        assert len({part["id"] for part in made}) == len(made)
        return [
            Call(
                name=part["name"],
                arguments=json.loads(part["arguments_json"]),
                started=part["id"] in started,
                result=results.get(part["id"]),
            )
            for part in made
        ]

    def _replies(self) -> Iterator[list[dict[str, Any]]]:
        return (message["parts"] for message in self.messages if message["type"] == "assistant")

    def _result(self, message: dict[str, Any]) -> Result:
        archived = message["original"]
        data = (self.folder / "archive" / archived["sha256"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == archived["sha256"]
        assert len(data) == archived["size_bytes"]
        return Result(status=message.get("status", "ok"), text=data.decode(errors="replace"))


def read_sessions(home: Path) -> list[OnDisk]:
    """The sessions below a CHATCLI_HOME in which something was said, oldest first.

    An unfinished last line is left out.
    """
    found = []
    for folder in sorted((home / "sessions").glob("[!.]*")):
        whole, _, _torn = (folder / "journal.jsonl").read_bytes().rpartition(b"\n")
        entries = [json.loads(line) for line in whole.splitlines()]
        assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
        found.append(OnDisk(folder=folder, entries=entries))
    return [session for session in found if session.messages]
