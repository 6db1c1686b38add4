"""The process in which llama.cpp runs: a line of JSON in for each request, a line out for each piece.

A process of its own, because the library holds the interpreter's lock while it loads a model, and a
fault in native code must not take the session along. It ends when its input does. Nothing else can
reach it: the server inside listens on a socket whose folder is gone before the first request.
"""

from __future__ import annotations

import os
import queue
import sys
import tempfile
from threading import Thread
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

_QUIET = -1
_BATCH_TOKENS = 128
"""Of a prompt that are read at once: a cancelled request ends between two batches."""


class Load(Struct, frozen=True, tag="load", kw_only=True):
    path: str
    window_tokens: int
    threads: int


class Ask(Struct, frozen=True, tag="ask", kw_only=True):
    id: int
    body: msgspec.Raw
    """Of the chat API."""


class Cancel(Struct, frozen=True, tag="cancel", kw_only=True):
    id: int


Order = Load | Ask | Cancel


class Said(Struct, frozen=True, kw_only=True):
    """`id` is that of the request, 0 while the model is loaded; without a chunk the reply has ended."""

    id: int
    chunk: dict[str, Any] | None = None


def main() -> None:
    # What native code prints must not get among the lines.
    lines = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    orders = sys.stdin.buffer
    load = msgspec.json.decode(orders.readline(), type=Load)
    asked: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    cancelled: set[int] = set()
    Thread(target=_listen, args=(orders, asked, cancelled), daemon=True).start()
    try:
        server = _start(load)
    except (ImportError, RuntimeError, OSError) as error:
        _say(lines, Said(id=0, chunk={"error": str(error)}))
        return
    _say(lines, Said(id=0))
    while True:
        _answer(server, asked.get(), cancelled, lines)


def _listen(orders: BinaryIO, asked: queue.SimpleQueue[Ask], cancelled: set[int]) -> None:
    for line in orders:
        match msgspec.json.decode(line, type=Order):
            case Ask() as ask:
                asked.put(ask)
            case Cancel(id=id):
                cancelled.add(id)
    os._exit(0)  # whoever asked is gone; native threads wait for nobody


def _start(load: Load) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = load.path
    params.n_ctx = load.window_tokens
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = load.threads
    params.cache_ram_mib = 0
    params.ctx_shift = False
    params.use_jinja = True
    params.warmup = False
    params.verbosity = _QUIET
    with tempfile.TemporaryDirectory(prefix="chatcli-local-") as folder:
        os.chdir(folder)  # by its full name the socket could be too long
        params.hostnames = ["unused.sock"]
        server = xllamacpp.Server(params)
        os.chdir("/")
    return server


def _answer(server: Any, ask: Ask, cancelled: set[int], lines: BinaryIO) -> None:
    def hear(chunk: dict[str, Any]) -> bool:
        """Whether to stop."""
        if ask.id in cancelled:
            return True
        _say(lines, Said(id=ask.id, chunk=chunk))
        return False

    if ask.id not in cancelled:
        server.handle_chat_completions(msgspec.json.decode(ask.body), hear)
    _say(lines, Said(id=ask.id))


def _say(lines: BinaryIO, said: Said) -> None:
    lines.write(msgspec.json.encode(said) + b"\n")
    lines.flush()


if __name__ == "__main__":
    main()
