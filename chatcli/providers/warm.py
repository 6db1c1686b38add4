"""Imports SDKs before they are needed, without holding anybody up: they cost 1 to 3 s of CPU."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from importlib import import_module
from threading import Thread
from types import ModuleType

from chatcli.providers.base import Wire

_MODULES: dict[Wire, tuple[str, ...]] = {
    "anthropic": ("anthropic", "genai_prices"),
    "responses": ("openai", "genai_prices"),
    "chat": ("openai", "genai_prices"),
    "assistant": ("openai", "genai_prices"),
    "copilot": ("httpx", "openai", "genai_prices"),
    "gemini": ("httpx", "genai_prices"),
    "bedrock": ("httpx", "genai_prices"),
    "stackspot": ("httpx",),
    "ollama": ("httpx",),
    "local": (),
    "offline": (),
}
"""What a wire needs, in the order in which it is needed."""

_loading: dict[str, Future[ModuleType]] = {}


def preload(wire: Wire) -> None:
    """Start to import what this wire needs, in a background thread. Later calls do nothing more."""
    _start(_MODULES[wire])


def begin(name: str) -> None:
    """Start to import one module, in a background thread. Later calls do nothing more."""
    _start((name,))


async def module(name: str) -> ModuleType:
    """A module, imported while the event loop goes on. Raises ImportError."""
    _start((name,))
    return await asyncio.wrap_future(_loading[name])


def _start(names: tuple[str, ...]) -> None:
    new = [name for name in names if name not in _loading]
    for name in new:
        _loading[name] = Future()
        _loading[name].set_running_or_notify_cancel()  # who stops waiting does not stop the import
    if new:
        Thread(target=_import, args=(new,), name="preload", daemon=True).start()


def _import(names: list[str]) -> None:
    for name in names:
        try:
            _loading[name].set_result(import_module(name))
        except BaseException as error:  # noqa: BLE001 - belongs to whoever waits for the module
            _loading[name].set_exception(error)
