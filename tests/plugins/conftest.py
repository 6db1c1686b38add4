from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.fakes import FakeContext


@pytest.fixture
def context(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)
