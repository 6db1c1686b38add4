"""Errors for people: one clear line, a hint below it, and the exit code of the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chatcli.errors import StorageError, UserFacingError
from chatcli.i18n import _


@contextmanager
def output_errors() -> Iterator[None]:
    """Turn what keeps stdout from being written into the error that a person reads.

    A `BrokenPipeError` stays one: a reader that has enough is no failure.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still buffered would be tried again at the exit, which has no words for it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise StorageError(
            _("The output cannot be written: {reason}.").format(reason=error.strerror or error)
        ) from error


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
