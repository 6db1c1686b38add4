"""The server by hand: `python -m tests.wire.server --script FILE.py`."""

from __future__ import annotations

import argparse
import itertools
import math
import runpy
import sys
from functools import partial
from pathlib import Path

from tests.wire.server import WireServer, serve


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
        try:
            tell_violations(server)
        except KeyboardInterrupt:
            sys.exit(bool(server.violations))


def tell_violations(server: WireServer) -> None:
    """Print each violation as it happens."""
    for number in itertools.count(1):
        server.wait_for(partial(_has_violations, number), timeout_seconds=math.inf)
        told = server.violations[number - 1]
        print(f"{told.wire} request {told.request}: {told.rule}: {told.detail}", flush=True)


def _has_violations(count: int, server: WireServer) -> bool:
    return len(server.violations) >= count
