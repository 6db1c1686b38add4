"""Runs one script: gives up what it must not have, then executes what standard input says.

Started as `python -I -S -B -c ... ROOT SETTINGS` by `chatcli.gate.sandbox`. Whatever cannot be given
up ends it before the script has begun.
"""

from __future__ import annotations

import json
import linecache
import resource
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from chatcli.gate.jail import landlock
from chatcli.gate.jail.results import Results

_NAME = "<script>"


def main() -> None:
    """`sys.argv` ends with the settings as JSON: archive, memory_bytes, cpu_seconds, landlock."""
    settings = json.loads(sys.argv[-1])
    _hide_chatcli()
    source = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    _limit(settings["memory_bytes"], settings["cpu_seconds"])
    if settings["landlock"]:
        landlock.restrict(settings["landlock"])
    sys.exit(_run(source, Results(Path(settings["archive"]))))


def _hide_chatcli() -> None:
    """A script that imports a name of ours must not find it."""
    sys.path = sys.path[1:]
    for name in [name for name in sys.modules if name.partition(".")[0] == "chatcli"]:
        del sys.modules[name]


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Memory and time; and no file can be written, no further process started."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform == "darwin":  # refuses a limit of memory
        del limits[resource.RLIMIT_AS]
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))


def _run(source: str, results: Results) -> int:
    module = ModuleType("__main__")
    names: dict[str, Any] = {
        "result": results.result,
        "lines": results.lines,
        "records": results.records,
    }
    module.__dict__.update(names)
    sys.modules["__main__"] = module
    sys.argv = [_NAME]
    linecache.cache[_NAME] = (len(source), None, source.splitlines(keepends=True), _NAME)
    try:
        exec(compile(source, _NAME, "exec"), module.__dict__)
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the script's own
        with suppress(OSError):
            sys.stdout.flush()
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, frames)
        return 1
    return 0
