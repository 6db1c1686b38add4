"""Folders of a session, and a disk that is full at a chosen size."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from chatcli.session.session import Session


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def tmp(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def create(home: Path, project: Path, tmp: Path) -> Callable[[], Session]:
    return lambda: Session.create(home, project, tmp=tmp, quota_bytes=1_000_000)


@pytest.fixture
def resume(home: Path, tmp: Path) -> Callable[[str], Session]:
    return lambda session_id: Session.resume(home, session_id, tmp=tmp, quota_bytes=1_000_000)


@pytest.fixture
def fork(home: Path, tmp: Path) -> Callable[[str], Session]:
    return lambda session_id: Session.fork(home, session_id, tmp=tmp, quota_bytes=1_000_000)


@pytest.fixture
def full_at() -> Callable[[int], AbstractContextManager[None]]:
    """Within the block no file grows beyond this size: writes come back short, then fail."""

    @contextmanager
    def limited(size_bytes: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited
