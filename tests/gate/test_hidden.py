"""What the programs of the model can see of chatcli's own process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PARENT = """
import ctypes, os, subprocess, sys
from chatcli.gate.hidden import hide_process
if os.geteuid() == 0:  # root sees everything, and who stops being root is hidden by that already
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
if sys.argv[1] == "hidden":
    assert hide_process()
seen = subprocess.run(["cat", f"/proc/{os.getpid()}/environ"], env={}, capture_output=True)
sys.stdout.buffer.write(seen.stdout)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems show no process to another in /proc")
@pytest.mark.parametrize("how", ["open", "hidden"])
def test_a_child_cannot_read_the_keys_of_its_parent(how: str) -> None:
    environment = {**os.environ, "OPENAI_API_KEY": "sk-canary"}
    command = [sys.executable, "-c", PARENT, how]
    told = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert not told.stderr
    assert (b"sk-canary" in told.stdout) == (how == "open")
