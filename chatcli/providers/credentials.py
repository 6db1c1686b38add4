"""Where keys come from and where they are kept.

    environment  >  system keyring  >  `credentials.toml` in the home of chatcli (0600)

The keyring is touched only when `keys.json`, which holds names and no secret, says that chatcli
stored something there: a start without stored keys never wakes a keyring service.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from chatcli.errors import StorageError
from chatcli.i18n import _
from chatcli.session.files import write_private

Source = Literal["environment", "keyring", "file"]

KEYRING_SERVICE = "chatcli"
CREDENTIALS_FILE = "credentials.toml"
INDEX_FILE = "keys.json"


class Credential(Struct, frozen=True):
    """A key and where it was found. Shows itself without the key."""

    value: str
    source: Source
    name: str

    def __repr__(self) -> str:
        return f"Credential(name={self.name!r}, source={self.source!r})"

    __str__ = __repr__


class KeyringUnavailable(StorageError):
    """This system has no keyring, or it refused; the text never holds a key."""


def find_key(variables: Sequence[str], environment: Mapping[str, str], home: Path) -> Credential | None:
    """The key of the first variable that has one, the environment before anything that was stored.

    Raises StorageError when the credentials file is open to others or cannot be read.
    """
    for name in variables:
        if value := environment.get(name, "").strip():
            return Credential(value, "environment", name)
    in_keyring = _keyring_names(home)
    for name in variables:
        if name in in_keyring and (value := _from_keyring(name)):
            return Credential(value, "keyring", name)
    stored = _read_file(home / CREDENTIALS_FILE)
    for name in variables:
        if value := stored.get(name, ""):
            return Credential(value, "file", name)
    return None


def store_key(name: str, value: str, home: Path, *, allow_file: bool) -> Source:
    """Keep a key under the name of its variable; where it was put.

    Raises KeyringUnavailable when there is no keyring and `allow_file` is false.
    """
    try:
        _to_keyring(name, value)
    except KeyringUnavailable:
        if not allow_file:
            raise
        _write_file(home / CREDENTIALS_FILE, {**_read_file(home / CREDENTIALS_FILE), name: value})
        _write_index(home, _keyring_names(home) - {name})
        return "file"
    _write_index(home, _keyring_names(home) | {name})
    _drop_from_file(home, name)
    return "keyring"


def forget_key(name: str, home: Path) -> bool:
    """Remove a stored key from wherever it is; whether there was one."""
    known = _keyring_names(home)
    if name in known:
        _delete_from_keyring(name)
        _write_index(home, known - {name})
    return _drop_from_file(home, name) or name in known


def stored_names(home: Path) -> dict[str, Source]:
    """Names of the keys that chatcli keeps, and where. Touches no keyring."""
    in_file: dict[str, Source] = dict.fromkeys(_read_file(home / CREDENTIALS_FILE), "file")
    return in_file | dict.fromkeys(_keyring_names(home), "keyring")


# --- the keyring ----------------------------------------------------------------------------------


@contextmanager
def _failing_as(message: str, hint: str = "") -> Iterator[None]:
    """Turn whatever a keyring backend raises into one line without its text, which may hold a key."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - backends are foreign code
        why = type(error).__name__
        raise KeyringUnavailable(message.format(why=why), hint=hint) from None


def _from_keyring(name: str) -> str:
    import keyring

    message = _("the system keyring does not give out {name}").format(name=name) + " ({why})"
    with _failing_as(message, _("Unlock it, or set {name} in the environment.").format(name=name)):
        return keyring.get_password(KEYRING_SERVICE, name) or ""


def _to_keyring(name: str, value: str) -> None:
    import keyring

    with _failing_as(_("this system has no keyring that takes a key") + " ({why})"):
        keyring.set_password(KEYRING_SERVICE, name, value)
        kept = keyring.get_password(KEYRING_SERVICE, name) == value
    if not kept:  # some backends accept everything and keep nothing
        raise KeyringUnavailable(_("the system keyring did not keep the key"))


def _delete_from_keyring(name: str) -> None:
    import keyring
    from keyring.errors import PasswordDeleteError

    message = _("the system keyring does not forget {name}").format(name=name) + " ({why})"
    with _failing_as(message), suppress(PasswordDeleteError):  # raised when it is gone already
        keyring.delete_password(KEYRING_SERVICE, name)


def _keyring_names(home: Path) -> frozenset[str]:
    try:
        return frozenset(msgspec.json.decode((home / INDEX_FILE).read_bytes(), type=list[str]))
    except (OSError, msgspec.DecodeError):
        return frozenset()


def _write_index(home: Path, names: frozenset[str]) -> None:
    if names != _keyring_names(home):
        _write_private(home / INDEX_FILE, msgspec.json.encode(sorted(names)))


# --- the file -------------------------------------------------------------------------------------


def _read_file(path: Path) -> dict[str, str]:
    """The keys in the file; nothing when there is none."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as file:
            _refuse_open_to_others(path, os.fstat(file.fileno()))
            content = tomllib.loads(file.read())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StorageError(_("cannot read {file}: {why}").format(file=path, why=why)) from None
    return {name: value for name, value in content.items() if isinstance(value, str)}


def _refuse_open_to_others(path: Path, status: os.stat_result) -> None:
    if status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077:
        return
    raise StorageError(
        _("{file} holds keys but others can read it, so it is not used").format(file=path),
        hint=f"chmod 600 {path}",
    )


def _drop_from_file(home: Path, name: str) -> bool:
    keys = _read_file(home / CREDENTIALS_FILE)
    if name not in keys:
        return False
    del keys[name]
    if keys:
        _write_file(home / CREDENTIALS_FILE, keys)
    else:
        (home / CREDENTIALS_FILE).unlink()
    return True


def _write_file(path: Path, keys: Mapping[str, str]) -> None:
    import tomlkit

    _write_private(path, tomlkit.dumps(dict(keys)).encode())


def _write_private(path: Path, content: bytes) -> None:
    write_private(path, content)
