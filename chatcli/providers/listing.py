"""What services say about their own models, kept in the home of chatcli between starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from chatcli.session.files import write_private

FOLDER = "models"


class Listed(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model as its service lists it; None: it does not say."""

    id: str
    window_tokens: int | None = None
    max_output_tokens: int | None = None
    tools: bool | None = None
    vision: bool | None = None

    def said(self) -> dict[str, Any]:
        """The facts that the service gave."""
        given = {name: getattr(self, name) for name in self.__struct_fields__ if name != "id"}
        return {name: value for name, value in given.items() if value is not None}


def read_list(folder: Path, provider: str) -> Mapping[str, Listed]:
    """The models by id; none when they were never asked for, or the file is of another version."""
    try:
        models = msgspec.json.decode((folder / f"{provider}.json").read_bytes(), type=list[Listed])
    except (OSError, msgspec.MsgspecError):
        return {}
    return {model.id: model for model in models}


def write_list(folder: Path, provider: str, models: Iterable[Listed]) -> None:
    """Raises StorageError."""
    path = folder / f"{provider}.json"
    write_private(path, msgspec.json.encode(list(models)))
