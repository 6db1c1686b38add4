"""The model files of this machine: those in the home of chatcli, and any that is named by its path."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from msgspec import Struct

from chatcli.errors import ModelNotFound
from chatcli.i18n import _
from chatcli.providers.listing import FOLDER
from chatcli.providers.local.gguf import BadGguf, read_gguf

NAME = "LOCAL"
"""Of the provider."""
ENDING = ".gguf"
_USABLE_PARAMETERS = 490_000_000
"""Models sold as 0.5B have 494 million. Of thirteen tools, one of 135M chose the right one in 5 of 10 tasks,
one of 0.5B in 10 of 10: what is smaller is never chosen by itself."""
_DECIDES_PARAMETERS = 3_000_000_000
"""Smaller models answer from imagination when they may, one of 0.5B in 4 of 10 tasks."""

_MOST_WINDOW_TOKENS = 32_768
_LEAST_WINDOW_TOKENS = 4_096
_MOST_CACHE_BYTES = 1_000_000_000
"""What the window may take of a laptop's memory, beside the model itself."""


class LocalModel(Struct, frozen=True, kw_only=True):
    """A GGUF file that can be read. `name` is what chooses it: its path, unless it lies in the home."""

    name: str
    path: Path
    parameters: int
    window_tokens: int
    """What it is run with: as much as it was trained for, within the memory of a laptop."""
    size_bytes: int

    @property
    def usable(self) -> bool:
        return self.parameters >= _USABLE_PARAMETERS

    @property
    def decides(self) -> bool:
        """Whether it may answer at once; smaller ones have to look first."""
        return self.parameters >= _DECIDES_PARAMETERS

    @property
    def size(self) -> str:
        """As models are named: 135M, 1.5B."""
        if self.parameters < 999_500_000:
            return f"{self.parameters / 1e6:.0f}M"
        return f"{self.parameters / 1e9:.1f}B"

    @property
    def worth(self) -> str:
        """One line for a person: what to expect of it."""
        if not self.usable:
            return _("a {size} model: a demonstration, not an assistant").format(size=self.size)
        if not self.decides:
            return _("a {size} model: good for single steps, not for long tasks").format(size=self.size)
        return _("a {size} model").format(size=self.size)


def is_installed() -> bool:
    """Whether the library is there that runs models."""
    return importlib.util.find_spec("xllamacpp") is not None


def kept_models(home: Path | None) -> list[LocalModel]:
    """Those in the home of chatcli that can be read, the largest first."""
    found: list[LocalModel] = []
    if home is None:
        return found
    for path in sorted((home / FOLDER).glob("*" + ENDING)):
        try:
            found.append(_model(path.stem, path))
        except (BadGguf, OSError):
            continue
    return sorted(found, key=lambda model: -model.parameters)


def find_model(name: str, home: Path | None) -> LocalModel:
    """The model of that name or path; without one, the largest in the home. Raises ModelNotFound."""
    if not name:
        models = kept_models(home)
        if not models:
            raise _not_found(_("LOCAL has no model yet."))
        return models[0]
    kept = home / FOLDER / (name.removesuffix(ENDING) + ENDING) if home and "/" not in name else None
    path = kept if kept and kept.is_file() else Path(name).expanduser().absolute()
    try:
        return _model(path.stem if path == kept else str(path), path)
    except BadGguf as error:
        raise _not_found(_("{file} is no model: {why}.").format(file=path, why=error)) from error
    except OSError as error:
        text = _("LOCAL has no model {name!r}: {why}.")
        raise _not_found(text.format(name=name, why=error.strerror)) from error


def _model(name: str, path: Path) -> LocalModel:
    known = read_gguf(path)
    window_tokens = min(known.window_tokens or _LEAST_WINDOW_TOKENS, _MOST_WINDOW_TOKENS)
    if known.cache_bytes_per_token:
        affordable_tokens = max(_MOST_CACHE_BYTES // known.cache_bytes_per_token, _LEAST_WINDOW_TOKENS)
        window_tokens = min(window_tokens, affordable_tokens // 256 * 256)
    return LocalModel(
        name=name,
        path=path,
        parameters=known.parameters,
        window_tokens=window_tokens,
        size_bytes=known.size_bytes,
    )


def _not_found(text: str) -> ModelNotFound:
    hint = _("`chatcli local get` fetches a small one; LOCAL_MODEL_PATH or --model names any GGUF file.")
    return ModelNotFound(text, hint=hint, provider=NAME)
