"""OpenAI's assistants after their service has ended: kept here, answered by Responses.

An assistant is its instructions and its model. The tools that it had at OpenAI ran there or in its
owner's program: they are kept in the file, and chatcli's own are used.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from chatcli.errors import StorageError, UsageError
from chatcli.events import ReplyEvent
from chatcli.i18n import _
from chatcli.providers.base import Block, Provider, Request
from chatcli.providers.catalogue import facts
from chatcli.providers.openai_responses import OpenAIResponses
from chatcli.providers.rows import ROWS
from chatcli.providers.service import Service
from chatcli.session.files import write_private

FOLDER = "assistants"
_ENDED = "26 Aug 2026"


class Assistant(Struct, frozen=True, kw_only=True):
    """As OpenAI exported it: the fields that still mean something, and the tools as they were."""

    id: str = ""
    name: str | None = None
    model: str = ""
    instructions: str | None = None
    tools: list[dict[str, Any]] = []

    @property
    def title(self) -> str:
        return self.name or self.id


def import_assistant(file: Path, home: Path) -> Assistant:
    """Keep an exported assistant. Raises UsageError for a file that is none, StorageError for the disk."""
    try:
        assistant = msgspec.json.decode(file.read_bytes(), type=Assistant)
    except OSError as error:
        raise StorageError(_("{file} cannot be read: {why}").format(file=file, why=error.strerror)) from error
    except msgspec.MsgspecError as error:
        raise UsageError(
            _("{file} is not an exported assistant: {why}").format(file=file, why=error)
        ) from error
    if not assistant.title or not (assistant.model or assistant.instructions):
        raise UsageError(
            _("{file} is not an exported assistant: {why}").format(file=file, why="id, model, instructions")
        )
    path = home / FOLDER / f"{_file_name(assistant)}.json"
    write_private(path, msgspec.json.encode(assistant))
    return assistant


def kept_assistants(home: Path | None) -> tuple[Assistant, ...]:
    """All of them, by file name. Files that are none are left out."""
    if home is None:
        return ()
    found = []
    for path in sorted((home / FOLDER).glob("*.json")):
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Assistant))
        except (OSError, msgspec.MsgspecError):
            continue
    return tuple(found)


def connect(service: Service, home: Path | None) -> Provider:
    """The assistant whose id or name is the model asked for; the only one when none is named.

    Raises UsageError when it is not there.
    """
    kept = kept_assistants(home)
    wanted = service.model
    chosen = [a for a in kept if not wanted or wanted in (a.id, a.name)]
    if not chosen or (len(chosen) > 1 and not wanted):
        known = ", ".join(a.title for a in kept) or _("none")
        raise UsageError(
            _("Which assistant shall answer? Kept here: {names}.").format(names=known),
            hint=_(
                "The Assistants service ended on {day}. Keep an exported one with: "
                "chatcli models --import FILE; then choose it with --model."
            ).format(day=_ENDED),
        )
    usual = next(row.default_model for row in ROWS if row.name == "OPENAI")
    model = chosen[0].model or usual
    known_facts = facts(model, service.name)
    service = structs.replace(
        service,
        model=model,
        window_tokens=known_facts.window_tokens,
        max_output_tokens=known_facts.max_output_tokens,
        vision=known_facts.vision,
    )
    return AssistantOnResponses(service, chosen[0].instructions or "")


class AssistantOnResponses(OpenAIResponses):
    """Its instructions stand in front of everything else."""

    def __init__(self, service: Service, instructions: str) -> None:
        super().__init__(service)
        self._instructions = Block("assistant", instructions)

    def stream(self, request: Request) -> AsyncIterator[ReplyEvent]:
        return super().stream(structs.replace(request, system=(self._instructions, *request.system)))


def _file_name(assistant: Assistant) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", assistant.id or assistant.title).lstrip(".")[:100] or "_"
