from __future__ import annotations

import logging
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from chatcli.errors import StorageError
from chatcli.session.log import configure_log, log_path

SECRET = "sk-ant-api03-Ab3dEf6hIj9lMn2pQr5t"


@pytest.fixture(autouse=True)
def other_logging_stays_as_it_was() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("chatcli")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(False)


def test_the_log_is_private_and_redacted(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = configure_log(home)
    assert path == log_path(home)
    logger = logging.getLogger("chatcli.test")
    logger.info("calling with %s", SECRET)
    try:
        raise RuntimeError(f"401 for {SECRET}")
    except RuntimeError:
        logger.exception("failed", stack_info=True)
    text = path.read_text(encoding="utf-8")
    assert "calling with sk-ant-[redacted]" in text
    assert "RuntimeError: 401 for sk-ant-[redacted]" in text
    assert SECRET not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert capfd.readouterr() == ("", "")


def test_warnings_and_libraries_go_to_the_log(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = configure_log(home)
    logging.getLogger("httpx").info("chatter")
    logging.getLogger("asyncio").error("Task exception was never retrieved")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old habit", stacklevel=1)
        logging.captureWarnings(False)
    text = path.read_text(encoding="utf-8")
    assert "never retrieved" in text
    assert "old habit" in text
    assert "chatter" not in text
    assert capfd.readouterr() == ("", "")


def test_debug_logs_more_but_never_the_requests_of_libraries(home: Path) -> None:
    path = configure_log(home, debug=True)
    logging.getLogger("chatcli.x").debug("ours")
    logging.getLogger("httpx").info("theirs")
    logging.getLogger("openai").debug("body")
    text = path.read_text(encoding="utf-8")
    assert "ours" in text
    assert "theirs" in text
    assert "body" not in text


def test_configuring_again_does_not_log_twice(home: Path) -> None:
    configure_log(home)
    path = configure_log(home)
    logging.getLogger("chatcli").info("once")
    assert path.read_text(encoding="utf-8").count("once") == 1


def test_it_rotates_and_stays_private(home: Path) -> None:
    path = configure_log(home)
    path.chmod(0o600)
    for _number in range(50):
        logging.getLogger("chatcli").info("x" * 100_000)
    files = list(home.glob("chatcli.log*"))
    assert 2 <= len(files) <= 4
    assert sum(file.stat().st_size for file in files) < 10_000_000
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_full_disk_is_silent(
    home: Path, full_at: Callable[[int], AbstractContextManager[None]], capfd: pytest.CaptureFixture[str]
) -> None:
    configure_log(home)
    with full_at(10):
        logging.getLogger("chatcli").info("x" * 1_000)
    assert capfd.readouterr() == ("", "")


def test_half_characters_do_not_stop_the_log(home: Path) -> None:
    path = configure_log(home)
    half = logging.makeLogRecord({"name": "chatcli", "levelno": logging.INFO, "msg": "half \ud83d"})
    next(h for h in logging.getLogger().handlers if h.__class__.__module__.startswith("chatcli")).handle(half)
    assert "half \\ud83d" in path.read_text(encoding="utf-8")


def test_a_log_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "chatcli.log").mkdir()
    with pytest.raises(StorageError, match=r"chatcli\.log"):
        configure_log(tmp_path)
