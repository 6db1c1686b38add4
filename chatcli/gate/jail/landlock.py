"""Landlock: this process, and whatever it starts, gives up files and what network it can give up.

From the kernel's `include/uapi/linux/landlock.h`. The numbers of the calls are the same on every
architecture. Newer kernels know more rights; those that this one does not know cannot be given up.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights over files, by the first version that has them."""
_TCP_BIND_AND_CONNECT, _TCP_SINCE = 0b11, 4
_SCOPE_SOCKETS_AND_SIGNALS, _SCOPE_SINCE = 0b11, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version that the kernel has; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def restrict(readable: Sequence[str]) -> None:
    """From here on nothing but these paths can be read, and no file written or executed.

    TCP goes too where the kernel can; UDP and sockets that are files stay. Raises OSError when any of
    it fails: then nothing may run.
    """
    known = version()
    if not known:
        raise OSError("this kernel has no Landlock")
    files = max(rights for since, rights in _FILE_RIGHTS.items() if since <= known)
    wanted = _Ruleset(
        files=files,
        network=_TCP_BIND_AND_CONNECT if known >= _TCP_SINCE else 0,
        scoped=_SCOPE_SOCKETS_AND_SIGNALS if known >= _SCOPE_SINCE else 0,
    )
    size = 8 * (1 + (known >= _TCP_SINCE) + (known >= _SCOPE_SINCE))
    ruleset = _call(_CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    for path in readable:
        _allow_reading(ruleset, path)
    if _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")
    _call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rights = _READ_FILE | _READ_DIR if stat.S_ISDIR(os.fstat(folder).st_mode) else _READ_FILE
    rule = _PathBeneath(allowed=rights, folder=folder)
    _call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(folder)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc().syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
