"""Errors for people: one clear line, a hint below it, and the exit code of the process."""

from __future__ import annotations

import sys
from collections.abc import Callable

from chatcli.errors import UserFacingError


def explained(work: Callable[[], int]) -> int:
    """What `work` returns, or the exit code of the error that ended it. A bug keeps its traceback."""
    try:
        return work()
    except UserFacingError as error:
        sys.stderr.write(f"chatcli: {error.message}\n")
        if error.hint:
            sys.stderr.write(f"  {error.hint}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
