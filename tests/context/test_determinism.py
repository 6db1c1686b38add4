"""The same transcript is the same bytes in another process, whatever its hash seed and its locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import hashlib
import msgspec
from chatcli.context.assemble import assemble
from chatcli.context.limits import Ageing, Limits
from chatcli.context.pipeline import Pipeline
from chatcli.context.recovery import cuts, record_of
from chatcli.messages import ToolSchema
from chatcli.providers.base import Block
from chatcli.session.entries import Compacted
from tests.context.builders import Loop, Originals, Story, lines_of

story = Story(Originals())
story.user("Olá, 世界")
loop = Loop(Pipeline(Limits(budget_chars=40_000, max_tokens=9_000), Ageing(), story.store), story.messages)
for n in range(9):
    story.turn(*(f"{n}{m}\\n" + lines_of(9_000 * m, "error: ação 狐狸") for m in range(1, 5)))
    story.call("lost", "lost", "")
    view = loop.prepare()
names = {"read", "exec", "git"}
tools = [ToolSchema(name=name, description="", parameters={"b": 1, "a": 2}) for name in names]
compaction = Compacted(
    seq=900,
    at="",
    upto_seq=view.messages[next(cuts(view.messages))].seq - 1,
    summary=record_of(view.messages),
    reason="asked",
    before_tokens=2,
    after_tokens=1,
)
summed_up = loop.pipeline.prepare(story.messages, loop.shown, None, compaction)
for shown in (view, summed_up):
    request = assemble(shown, [Block("core", "x")], tools, model="m")
    print(hashlib.sha256(msgspec.json.encode(request)).hexdigest())
"""


def digest(seed: str, locale: str) -> str:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def reference() -> str:
    return digest("0", "C.UTF-8")


@pytest.mark.parametrize(("seed", "locale"), [("1", "C.UTF-8"), ("4242", "pt_BR.UTF-8"), ("7", "C")])
def test_a_request_is_the_same_in_another_process(reference: str, seed: str, locale: str) -> None:
    assert digest(seed, locale) == reference
