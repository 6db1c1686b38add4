"""The server by hand: `python -m tests.wire.server --script FILE.py`."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from tests.wire.server import serve


def main() -> None:
    """Serve until Ctrl-C; exit code 1 when something was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.wire.server", description=__doc__)
    parser.add_argument("--script", type=Path, required=True, help="Python file that defines `script`")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    arguments = parser.parse_args()
    script = runpy.run_path(str(arguments.script))["script"]
    with serve(script, port=arguments.port) as server:
        print(server.url, flush=True)
        for name, value in server.environment().items():
            print(f"export {name}={value}", file=sys.stderr)
        told = 0
        try:
            while True:
                server.wait_for(lambda s, told=told: len(s.violations) > told, timeout_seconds=1e9)
                for violation in server.violations[told:]:
                    print(
                        f"{violation.wire} request {violation.request}: {violation.rule}: {violation.detail}",
                        flush=True,
                    )
                told = len(server.violations)
        except KeyboardInterrupt:
            sys.exit(bool(server.violations))
