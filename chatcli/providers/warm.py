"""Imports SDKs before they are needed, without holding anybody up: they cost 1 to 3 s of CPU."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from importlib import import_module
from threading import Thread

from chatcli.providers.base import Wire

_MODULES: dict[Wire, str] = {
    "anthropic": "anthropic",
    "responses": "openai",
    "chat": "openai",
    "ollama": "httpx",
    "offline": "json",
}
_PRICED: frozenset[Wire] = frozenset({"anthropic", "responses", "chat"})

_loading: dict[Wire, Future[None]] = {}


def preload(wire: Wire) -> Future[None]:
    """Start to import what this wire needs, in a background thread. Later calls do nothing more."""
    if wire not in _loading:
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        _loading[wire] = future
        Thread(target=_load, args=(wire, future), name=f"preload-{wire}", daemon=True).start()
    return _loading[wire]


async def loaded(wire: Wire) -> None:
    """Wait until this wire can be used; the event loop goes on meanwhile. Raises ImportError."""
    await asyncio.wrap_future(preload(wire))


def _load(wire: Wire, future: Future[None]) -> None:
    try:
        import_module(_MODULES[wire])
    except BaseException as error:  # noqa: BLE001 — belongs to whoever waits for it
        future.set_exception(error)
        return
    future.set_result(None)
    if wire in _PRICED:
        import_module("genai_prices")  # needed once the reply is there
