"""The examples load as a user's plugins do, and run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chatcli.tools.registry import Registry
from tests.tools.fakes import FakeContext

EXAMPLES = Path(__file__).parents[2] / "plugins" / "examples"


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    folder = tmp_path / "plugins"
    shutil.copytree(EXAMPLES, folder)
    for path in (folder, *folder.iterdir()):
        path.chmod(path.stat().st_mode & ~0o022)
    return Registry.load(folder, entry_points=False)


def test_all_examples_load(registry: Registry) -> None:
    assert registry.broken == ()
    assert {"outline", "count-words"} <= registry.tools.keys()


async def test_the_python_example_outlines_a_file(registry: Registry, tmp_path: Path) -> None:
    context = FakeContext(tmp_path)
    (context.root / "a.py").write_text("class A:\n    def f(self):\n        pass\n\ndef g(): ...\n")
    assert await context.text(registry.tools["outline"], file="a.py") == (
        "class A (lines 1-3)\n  def f (lines 2-3)\ndef g (lines 5-5)"
    )


async def test_the_shell_example_counts_words(registry: Registry, tmp_path: Path) -> None:
    context = FakeContext(tmp_path)
    assert await context.text(registry.tools["count-words"], text="three small words") == "3 words\n"
