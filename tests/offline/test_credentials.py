"""Keys: found in the right order, kept privately, shown nowhere."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from chatcli.errors import StorageError
from chatcli.providers.credentials import (
    CREDENTIALS_FILE,
    INDEX_FILE,
    Credential,
    KeyringUnavailable,
    find_key,
    forget_key,
    store_key,
    stored_names,
)

SECRET = "sk-test-0123456789"


class MemoryKeyring(KeyringBackend):
    """A keyring as a desktop has it, in memory."""

    priority = 1.0  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("not there")


class ForgetfulKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        """Accepts everything, keeps nothing."""


class BrokenKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise ZeroDivisionError(f"the bus dropped {password}")

    def get_password(self, service: str, username: str) -> str | None:
        raise ZeroDivisionError("the bus is gone")


@pytest.fixture
def use_keyring() -> Iterator[type[None]]:
    before = keyring.get_keyring()
    yield lambda backend: keyring.set_keyring(backend) or backend  # type: ignore[misc]
    keyring.set_keyring(before)


@pytest.fixture
def memory(use_keyring) -> MemoryKeyring:
    return use_keyring(MemoryKeyring())


@pytest.fixture
def no_keyring(use_keyring) -> None:
    from keyring.backends.fail import Keyring

    use_keyring(Keyring())


def test_the_environment_wins_over_what_is_stored(tmp_path: Path, memory: MemoryKeyring) -> None:
    store_key("A_KEY", "stored", tmp_path, allow_file=False)
    found = find_key(["A_KEY"], {"A_KEY": " given \n"}, tmp_path)
    assert found == Credential("given", "environment", "A_KEY")


def test_variables_are_tried_in_their_order(tmp_path: Path) -> None:
    found = find_key(["FIRST", "SECOND"], {"SECOND": "2", "FIRST": "1"}, tmp_path)
    assert found is not None
    assert found.name == "FIRST"


def test_an_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    assert find_key(["A_KEY"], {"A_KEY": "  "}, tmp_path) is None


def test_a_stored_key_comes_back_from_the_keyring(tmp_path: Path, memory: MemoryKeyring) -> None:
    assert store_key("A_KEY", SECRET, tmp_path, allow_file=False) == "keyring"
    assert find_key(["A_KEY"], {}, tmp_path) == Credential(SECRET, "keyring", "A_KEY")
    assert SECRET not in (tmp_path / INDEX_FILE).read_text(encoding="utf-8")
    assert not (tmp_path / CREDENTIALS_FILE).exists()


def test_without_a_keyring_the_file_needs_permission(tmp_path: Path, no_keyring: None) -> None:
    with pytest.raises(KeyringUnavailable):
        store_key("A_KEY", SECRET, tmp_path, allow_file=False)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_private_and_gives_the_key_back(tmp_path: Path, no_keyring: None) -> None:
    home = tmp_path / "home"
    assert store_key("A_KEY", 'quo"ted\\ ç', home, allow_file=True) == "file"
    assert stat.S_IMODE((home / CREDENTIALS_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert find_key(["A_KEY"], {}, home) == Credential('quo"ted\\ ç', "file", "A_KEY")
    assert [path.name for path in home.iterdir()] == [CREDENTIALS_FILE]


def test_a_file_that_others_can_read_is_refused(tmp_path: Path, no_keyring: None) -> None:
    store_key("A_KEY", SECRET, tmp_path, allow_file=True)
    (tmp_path / CREDENTIALS_FILE).chmod(0o640)
    with pytest.raises(StorageError) as caught:
        find_key(["A_KEY"], {}, tmp_path)
    assert "chmod 600" in caught.value.hint


def test_a_link_in_place_of_the_file_is_refused(tmp_path: Path, no_keyring: None) -> None:
    store_key("A_KEY", SECRET, tmp_path / "other", allow_file=True)
    (tmp_path / CREDENTIALS_FILE).symlink_to(tmp_path / "other" / CREDENTIALS_FILE)
    with pytest.raises(StorageError):
        find_key(["A_KEY"], {}, tmp_path)


def test_a_broken_file_is_named_with_its_line_and_without_its_keys(tmp_path: Path, no_keyring: None) -> None:
    path = tmp_path / CREDENTIALS_FILE
    path.write_text(f"A_KEY = {SECRET}\n", encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(StorageError) as caught:
        find_key(["A_KEY"], {}, tmp_path)
    assert "line 1" in caught.value.message
    assert str(path) in caught.value.message
    assert SECRET not in caught.value.message


def test_moving_to_a_keyring_removes_the_key_from_the_file(
    tmp_path: Path, use_keyring, no_keyring: None
) -> None:
    store_key("A_KEY", SECRET, tmp_path, allow_file=True)
    use_keyring(MemoryKeyring())
    assert store_key("A_KEY", "new", tmp_path, allow_file=True) == "keyring"
    assert not (tmp_path / CREDENTIALS_FILE).exists()


@pytest.mark.parametrize("backend", [ForgetfulKeyring, BrokenKeyring])
def test_a_keyring_that_keeps_nothing_counts_as_none(tmp_path: Path, use_keyring, backend) -> None:
    use_keyring(backend())
    with pytest.raises(KeyringUnavailable) as caught:
        store_key("A_KEY", SECRET, tmp_path, allow_file=False)
    assert SECRET not in caught.value.message
    assert caught.value.__cause__ is None


def test_a_locked_keyring_is_one_line_with_a_hint(tmp_path: Path, use_keyring, memory: MemoryKeyring) -> None:
    store_key("A_KEY", SECRET, tmp_path, allow_file=False)
    use_keyring(BrokenKeyring())
    with pytest.raises(KeyringUnavailable) as caught:
        find_key(["A_KEY"], {}, tmp_path)
    assert "A_KEY" in caught.value.hint


def test_forgetting_removes_the_key_everywhere(tmp_path: Path, memory: MemoryKeyring) -> None:
    store_key("A_KEY", SECRET, tmp_path, allow_file=False)
    assert forget_key("A_KEY", tmp_path)
    assert memory.kept == {}
    assert find_key(["A_KEY"], {}, tmp_path) is None
    assert not forget_key("A_KEY", tmp_path)


def test_forgetting_one_key_of_the_file_keeps_the_other(tmp_path: Path, no_keyring: None) -> None:
    store_key("A_KEY", "a", tmp_path, allow_file=True)
    store_key("B_KEY", "b", tmp_path, allow_file=True)
    assert forget_key("A_KEY", tmp_path)
    assert stored_names(tmp_path) == {"B_KEY": "file"}


def test_a_credential_shows_itself_without_its_key() -> None:
    shown = Credential(SECRET, "file", "A_KEY")
    assert SECRET not in f"{shown} {shown!r}"


def test_looking_for_a_key_that_was_never_stored_imports_no_keyring(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from chatcli.providers.credentials import find_key;"
        f"assert find_key(['A_KEY'], {{}}, Path({str(tmp_path)!r})) is None;"
        "assert 'keyring' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
