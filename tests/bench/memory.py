"""Peak memory for things of a size that must not matter: a file of 1 GB, an output of 5 GB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.startup import clean_environment
from tests.bench.table import Figure

GIGABYTE = 1_000_000_000
OUTPUT_BYTES = 5 * GIGABYTE


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "project").mkdir()
        own = peak_megabytes(place, [{"text": ["Hello."]}], "say hello")
        line = b"a line of sixty-three characters, so that a gigabyte has many\n"
        with (place / "project" / "big.txt").open("wb") as file:
            for _ in range(GIGABYTE // len(line) // 10_000):
                file.write(line * 10_000)
        read = [
            {
                "calls": [
                    {"name": "read", "arguments": {"file": "big.txt", "start": 15_000_000, "end": 15_000_050}}
                ]
            }
        ]
        yield _above(
            own,
            "read 50 lines at the end of 1 GB",
            peak_megabytes(place, [*read, {"text": ["Read."]}], "read"),
        )
        command = f"head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' x; echo THE-END"
        run = [{"calls": [{"name": "exec", "arguments": {"command": command}}]}]
        yield _above(
            own, "a command that prints 5 GB", peak_megabytes(place, [*run, {"text": ["Ran."]}], "run")
        )


def _above(own: float, name: str, peak: float) -> Figure:
    return Figure(
        name=f"{name}, above own memory", value=peak - own, bound=60, unit="MB", detail=f"own {own:.0f} MB"
    )


def peak_megabytes(place: Path, script: list[dict], text: str) -> float:
    """Peak resident memory of one scripted one-shot run."""
    path = place / "script.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in script), encoding="utf-8")
    environment = {**clean_environment(place), "CHATCLI_OFFLINE_SCRIPT": str(path)}
    argv = [sys.executable, "-m", "chatcli", "--provider", "OFFLINE", "--cwd", str(place / "project")]
    process = subprocess.Popen(
        [*argv, "--approve", "all", "-p", f"/run {text}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = code
    assert code == 0, f"exit {code}"
    return usage.ru_maxrss / 1024
