"""Counts tokens with the vocabulary of OpenAI's models, where tiktoken has its file on this disk.

Nothing is downloaded, and nobody waits: the file is checked and loaded in a thread (0.8 s), and
until that has happened there is no count.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

logger = logging.getLogger(__name__)

_FILES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""Name of each vocabulary, and the SHA-256 that tiktoken expects of its file."""
_URL = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
"""tiktoken names the file in its cache after this."""
_OLD = ("gpt-4-", "gpt-3.5")
_NEW = ("gpt-", "chatgpt-", "o1", "o3", "o4")

_loading: dict[str, Future[Encoding | None]] = {}


def begin(model: str) -> None:
    """Start to load the vocabulary of a model in a thread, if it has one. Again does nothing."""
    name = vocabulary_of(model)
    if name and name not in _loading:
        _loading[name] = Future()
        Thread(target=_load, args=(name,), name="vocabulary", daemon=True).start()


def count_tokens(model: str, texts: Iterable[str]) -> int | None:
    """Tokens of some texts; None while the vocabulary is not loaded. About 60 ms per million chars."""
    loading = _loading.get(vocabulary_of(model))
    if loading is None or not loading.done() or (encoding := loading.result()) is None:
        return None
    return sum(len(encoding.encode_ordinary(text)) for text in texts)


def vocabulary_of(model: str) -> str:
    """By the name of the model; for one newer than we know the newest. Empty for those of other makers."""
    name = model.removeprefix("openai/")
    if name == "gpt-4" or name.startswith(_OLD):
        return "cl100k_base"
    return "o200k_base" if name.startswith(_NEW) else ""


def _load(name: str) -> None:
    encoding = None
    try:
        if _is_on_disk(name):  # otherwise tiktoken would fetch it
            import tiktoken

            encoding = tiktoken.get_encoding(name)
    except Exception:
        logger.warning("the vocabulary %s could not be loaded", name, exc_info=True)
    finally:
        _loading[name].set_result(encoding)


def _is_on_disk(name: str) -> bool:
    """Whether the file lies whole where tiktoken looks for it."""
    default = str(Path(tempfile.gettempdir()) / "data-gym-cache")
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", default))
    path = Path(folder) / hashlib.sha1(_URL.format(name=name).encode(), usedforsecurity=False).hexdigest()
    try:
        return bool(folder) and hashlib.sha256(path.read_bytes()).hexdigest() == _FILES[name]
    except OSError:
        return False
