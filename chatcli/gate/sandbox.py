"""Where a script of the model runs: bubblewrap, else Landlock, else a process with limits alone.

Which of them is at hand is tried once, with a script that attempts what it must not be able to do. A
sandbox that lets it through, or does not start, is none.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

import chatcli
from chatcli.gate.reasons import Reason
from chatcli.i18n import N_

MEMORY_BYTES = 1 << 30
_PROBE_SECONDS = 10.0
_PROGRAMS = "/usr/bin:/bin:/usr/local/bin"
_PACKAGE = Path(chatcli.__file__).resolve().parent
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from chatcli.gate.jail.main import main; main()"
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/nix/store", "/etc/ld.so.cache")
"""What an interpreter needs to start. Homes, /etc and /var are not there at all."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/"}

OPEN_NETWORK = N_("the sandbox (Landlock) cannot cut all network: UDP and local sockets stay open")
NO_SANDBOX = N_("there is no sandbox on this machine: it can read your files and use the network")

Tier = Literal["bubblewrap", "landlock", "none"]


class Sandbox(Struct, frozen=True, kw_only=True):
    """What holds a script. `gaps` are what it does not hold: why a person is asked each time."""

    tier: Tier
    program: str = ""
    gaps: tuple[Reason, ...] = ()

    def argv(self, *, archive: Path, readable: Sequence[Path], cpu_seconds: int) -> list[str]:
        """The command that runs the script on its standard input, in an environment of `ENVIRONMENT`.

        `archive` is where its helpers find originals; it can be read as well as `readable`.
        """
        python = getattr(sys, "_base_executable", sys.executable)
        seen = [sys.base_prefix, str(_PACKAGE), str(archive), *map(str, readable)]
        settings = {
            "archive": str(archive),
            "memory_bytes": MEMORY_BYTES,
            "cpu_seconds": cpu_seconds,
            "landlock": [*_SYSTEM, *_DEVICES, *seen] if self.tier == "landlock" else [],
        }
        run = [python, "-I", "-S", "-B", "-c", _BOOT, str(_PACKAGE.parent), json.dumps(settings)]
        return [*self._bubblewrap(seen), *run] if self.tier == "bubblewrap" else run

    def _bubblewrap(self, seen: Sequence[str]) -> list[str]:
        argv = [self.program, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        for name, value in ENVIRONMENT.items():
            argv += ["--setenv", name, value]
        for path in _SYSTEM:
            argv += ["--ro-bind-try", path, path]
        argv += ["--proc", "/proc", "--dev", "/dev"]
        for path in seen:
            argv += ["--ro-bind", path, path]
        return [*argv, "--remount-ro", "/", "--chdir", "/"]


@cache
def find_sandbox() -> Sandbox:
    """The strongest sandbox that holds on this machine. Takes a moment when it is first called."""
    from chatcli.gate.jail import landlock

    if (program := shutil.which("bwrap", path=_PROGRAMS)) is not None:
        sandbox = Sandbox(tier="bubblewrap", program=program)
        if _holds(sandbox):
            return sandbox
    sandbox = Sandbox(tier="landlock", gaps=(Reason(OPEN_NETWORK),))
    if landlock.version() and _holds(sandbox):
        return sandbox
    return Sandbox(tier="none", gaps=(Reason(NO_SANDBOX),))


def _holds(sandbox: Sandbox) -> bool:
    """Whether a script in it can neither read nor change files and, if it has no gaps, sees no network."""
    with tempfile.TemporaryDirectory() as folder:
        secret, archive = Path(folder, "secret"), Path(folder, "archive")
        secret.write_text("secret", encoding="utf-8")
        archive.mkdir()
        attempts = _ATTEMPTS.format(secret=str(secret), new=str(archive / "new"))
        try:
            ended = subprocess.run(
                sandbox.argv(archive=archive, readable=(), cpu_seconds=5),
                input=attempts.encode(),
                capture_output=True,
                env=ENVIRONMENT,
                cwd="/",
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        if secret.read_text(encoding="utf-8") != "secret" or any(archive.iterdir()):
            return False
    said = ended.stdout.decode("utf-8", "replace").split()
    return ended.returncode == 0 and said == (["held"] if sandbox.gaps else ["held", "alone"])


_ATTEMPTS = """
import os, socket
def succeeds(attempt, *arguments):
    try:
        attempt(*arguments)
    except OSError:
        return False
    return True
if not succeeds(open, {secret!r}):
    print("held")
succeeds(open, {secret!r}, "w")
succeeds(os.mkdir, {new!r})
if {{name for _, name in socket.if_nameindex()}} <= {{"lo"}}:
    print("alone")
"""
