"""CPU of a start as a multiple of `python -c pass`, and what a key press waits for.

CPU time of the whole process (user + system), the median of several runs taken in turn with the
baseline, because the machine is noisy.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pexpect

from tests.bench.table import Figure

RUNS = 11
PROMPT = "❯"
KEYS = 120


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        environment = clean_environment(Path(folder))
        python = (sys.executable, "-c", "pass")
        chatcli = (sys.executable, "-m", "chatcli")
        cases: list[tuple[str, float, Callable[[], float]]] = [
            ("chatcli --version", 2, lambda: cpu_seconds([*chatcli, "--version"], environment)),
            ("chatcli --help", 10, lambda: cpu_seconds([*chatcli, "--help"], environment)),
            ("the prompt is ready", 20, lambda: prompt_cpu_seconds(environment)),
        ]
        cpu_seconds([*chatcli, "--help"], environment)  # the first run writes the byte code
        prompt_cpu_seconds(environment)
        for name, bound, measure in cases:
            pairs = [(measure(), cpu_seconds(python, environment)) for _ in range(RUNS)]
            own, base = (statistics.median(column) for column in zip(*pairs, strict=True))
            yield Figure(
                name=f"{name}, CPU",
                value=own / base,
                bound=bound,
                unit="x",
                detail=f"{own * 1000:.0f} ms against {base * 1000:.0f} ms",
            )
        yield Figure(
            name="key to echo while SDKs load, p99",
            value=echo_p99_seconds(environment) * 1000,
            bound=30,
            unit="ms",
        )


def clean_environment(folder: Path) -> dict[str, str]:
    """Nothing of the machine's own settings; no key, no Ollama."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CHATCLI_HOME": str(folder / "home"),
        "TMPDIR": str(folder),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "OLLAMA_BASE_URL": "http://127.0.0.1:9",
    }


def cpu_seconds(argv: Sequence[str], environment: dict[str, str]) -> float:
    """User and system time of one finished process."""
    devnull = os.open(os.devnull, os.O_RDWR)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, devnull, number) for number in (0, 1, 2)]
        pid = os.posix_spawn(argv[0], list(argv), environment, file_actions=actions)
        _, _, usage = os.wait4(pid, 0)
    finally:
        os.close(devnull)
    return usage.ru_utime + usage.ru_stime


def open_prompt(environment: dict[str, str]) -> pexpect.spawn:
    """The REPL in a pseudo-terminal, at its prompt."""
    folder = environment["HOME"]
    child = pexpect.spawn(
        sys.executable,
        ["-m", "chatcli"],
        env=environment,
        cwd=folder,
        dimensions=(24, 80),
        timeout=30,
        encoding="utf-8",
    )
    child.delaybeforesend = None
    if child.expect([PROMPT, r"\[y/N\] "]) == 1:  # the first start offers to set a provider up
        child.sendline("")
        child.expect(PROMPT)
    return child


def prompt_cpu_seconds(environment: dict[str, str]) -> float:
    child = open_prompt(environment)
    try:
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    finally:
        child.close(force=True)


def echo_p99_seconds(environment: dict[str, str]) -> float:
    """Types one key after the other, from the first prompt on, and waits for each to appear."""
    child = open_prompt({**environment, "ANTHROPIC_API_KEY": "sk-ant-none", "OPENAI_API_KEY": "sk-none"})
    waits = []
    try:
        for number in range(KEYS):
            key = "abcdefghij"[number % 10]
            began = time.perf_counter()
            child.send(key)
            child.expect_exact(key)
            waits.append(time.perf_counter() - began)
            time.sleep(0.03)  # a fast typist, so that loading has gaps to fall into
    finally:
        child.close(force=True)
    return statistics.quantiles(waits, n=100)[98]
