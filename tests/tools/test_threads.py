"""Work in a thread gives its result, and ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from chatcli.tools import ToolFailed, in_thread


async def test_the_result_comes_back_from_another_thread() -> None:
    assert await in_thread(lambda check: threading.get_ident()) != threading.get_ident()


async def test_what_it_raises_is_raised() -> None:
    def fail(check: Callable[[], None]) -> None:
        raise ToolFailed("no")

    with pytest.raises(ToolFailed, match="no"):
        await in_thread(fail)


async def test_a_cancel_ends_the_thread() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(check: Callable[[], None]) -> None:
        begun.set()
        try:
            while True:
                check()
        finally:
            ended.set()

    running = asyncio.ensure_future(in_thread(work))
    await asyncio.to_thread(begun.wait)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(ended.wait, 10)
