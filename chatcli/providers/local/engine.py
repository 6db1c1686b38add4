"""The worker process as the provider sees it: started at the first request, one request at a time."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from chatcli.errors import ProviderError
from chatcli.i18n import _
from chatcli.providers.encoding import encode
from chatcli.providers.local.models import NAME
from chatcli.providers.local.worker import Ask, Cancel, Load, Order, Said

_MOST_LINE_BYTES = 16_000_000
_END_SECONDS = 2.0
_KEPT_VARIABLES = ("HOME", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "PYTHONPATH", "TMPDIR")
"""What the worker may know of the environment: no keys."""


class Engine:
    """One model. Its memory is given back by `aclose`; the next request would load it anew."""

    def __init__(self, model: Path, window_tokens: int) -> None:
        self._load = Load(path=str(model), window_tokens=window_tokens, threads=threads())
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._asked = 0

    async def ask(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The objects that llama.cpp streams for a body of its chat API. Closing it cancels the request.

        Raises ProviderError when the model cannot be loaded, or the process ends.
        """
        async with self._turn:
            process = await self._started()
            self._asked += 1
            id = self._asked
            self._order(process, Ask(id=id, body=msgspec.Raw(encode(body))))
            complete = False
            try:
                while (said := await self._next(process)).chunk is not None or said.id != id:
                    if said.id == id and said.chunk is not None:
                        yield said.chunk
                complete = True
            finally:
                if not complete:
                    self._order(process, Cancel(id=id))

    async def aclose(self) -> None:
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _END_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # nothing is imported from the folder it is started in
            "-m",
            "chatcli.providers.local.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_LINE_BYTES,
            env=_environment(),
            start_new_session=True,  # Ctrl-C is for us alone
        )
        self._order(process, self._load)
        try:
            loaded = await self._next(process)
        except BaseException:
            process.kill()
            raise
        if loaded.chunk is not None:
            await self.aclose()
            raise ProviderError(
                _("{provider}: llama.cpp cannot load {file}.").format(provider=NAME, file=self._load.path),
                hint=_("The file may be damaged, of a kind that is not known, or too large for the memory."),
                provider=NAME,
            )
        return process

    def _order(self, process: asyncio.subprocess.Process, order: Order) -> None:
        if process.stdin is not None:
            with suppress(ConnectionError):  # that it has ended is noticed where it is read from
                process.stdin.write(msgspec.json.encode(order) + b"\n")

    async def _next(self, process: asyncio.subprocess.Process) -> Said:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if line.endswith(b"\n"):
            return msgspec.json.decode(line, type=Said)
        code = await process.wait()
        raise ProviderError(
            _("{provider}: the process of the model has ended ({code}).").format(provider=NAME, code=code),
            hint=_("With a smaller CHATCLI_CONTEXT_WINDOW it needs less memory."),
            provider=NAME,
        )


def threads() -> int:
    """One for each core that may be used, but never more than eight: memory is the limit then."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(count, 8))


def _environment() -> dict[str, str]:
    known = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    # Threads that wait by turning round stop everything else on a machine that is busy.
    return {**known, "OMP_WAIT_POLICY": "passive"}
