"""SDKs load in the background, but never while somebody types."""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
import threading
import time
from pathlib import Path

import pytest

from chatcli.terminal.warmup import QUIET_SECONDS, warm_up


class Typing:
    """What `warm_up` looks at of a screen."""

    def __init__(self) -> None:
        self.last_key_seconds = time.monotonic()
        self.busy = False


class Load:
    """A preload of a package with several modules; it waits between them until it `may_go_on`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached = threading.Event()
        self.may_go_on = threading.Event()
        package = folder / "slow_sdk"
        package.mkdir()
        (package / "__init__.py").write_text(
            "import slow_sdk.first\nfrom slow_sdk.hook import wait\nwait()\nimport slow_sdk.second\n"
        )
        (package / "hook.py").write_text(
            "def wait(): HOOK()\nimport builtins\nHOOK = builtins.SLOW_SDK_HOOK\n"
        )
        for name in ("first", "second"):
            (package / f"{name}.py").write_text("")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setattr("builtins.SLOW_SDK_HOOK", self._hook, raising=False)
        self.threads: list[threading.Thread] = []

    def _hook(self) -> None:
        self.reached.set()
        self.may_go_on.wait(10)

    def start(self) -> None:
        thread = threading.Thread(target=importlib.import_module, args=("slow_sdk",), daemon=True)
        self.threads.append(thread)
        thread.start()


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    for name in [name for name in sys.modules if name.startswith("slow_sdk")]:
        del sys.modules[name]
    return Load(tmp_path, monkeypatch)


async def test_nothing_is_loaded_before_a_moment_of_quiet(load: Load) -> None:
    load.may_go_on.set()
    screen, began = Typing(), time.monotonic()
    await warm_up(load.start, screen)  # type: ignore[arg-type]
    assert time.monotonic() - began >= QUIET_SECONDS
    assert "slow_sdk.second" in sys.modules


async def test_a_key_stops_the_import_between_two_modules(load: Load) -> None:
    screen = Typing()
    warming = asyncio.create_task(warm_up(load.start, screen))  # type: ignore[arg-type]
    await asyncio.to_thread(load.reached.wait, 10)
    screen.last_key_seconds = time.monotonic() + 3_600
    load.may_go_on.set()
    load.threads[0].join(3 * QUIET_SECONDS)
    assert "slow_sdk.second" not in sys.modules
    screen.busy = True
    screen.last_key_seconds = 0
    await warming
    assert "slow_sdk.second" in sys.modules


async def test_everything_is_as_before_when_it_has_ended(load: Load) -> None:
    load.may_go_on.set()
    before = (list(sys.meta_path), sys.getswitchinterval(), gc.isenabled())
    await warm_up(load.start, Typing())  # type: ignore[arg-type]
    assert (list(sys.meta_path), sys.getswitchinterval(), gc.isenabled()) == before
