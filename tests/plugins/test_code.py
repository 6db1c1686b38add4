"""code: what it prints comes back, what it says on standard error only when it fails."""

from __future__ import annotations

import pytest

from chatcli.tools import InvalidArguments
from chatcli_plugins.code import code
from tests.tools.fakes import FakeContext


async def test_only_what_it_prints_comes_back(context: FakeContext) -> None:
    script = "import sys\nprint('out')\nprint('noise', file=sys.stderr)"
    output = await context.call(code, script=script)
    assert context.store.text(output.archived.key) == "out\n"
    assert not output.is_error


async def test_a_script_that_prints_nothing_says_so(context: FakeContext) -> None:
    assert await context.text(code, script="x = 1") == "[it printed nothing]"


async def test_a_failure_brings_the_end_of_its_errors_after_what_it_printed(context: FakeContext) -> None:
    script = "import sys\nprint('so far')\nprint('e' * 9_000, file=sys.stderr)\nraise ValueError('why')"
    output = await context.call(code, script=script)
    said = context.store.text(output.archived.key)
    assert output.is_error
    assert said.startswith("so far\neeee")
    assert said.endswith("ValueError: why\n[exit 1]")
    assert len(said) < 2_100


async def test_a_script_without_end_is_stopped(context: FakeContext) -> None:
    output = await context.call(code, script="while True: pass", timeout=1)
    assert output.is_error
    assert context.store.text(output.archived.key) == "[stopped after 1 s]"


async def test_an_endless_print_is_stored_and_stopped(context: FakeContext) -> None:
    output = await context.call(code, script="while True: print('x' * 1000)", timeout=1)
    assert output.archived.size_bytes > 100_000
    assert "[stopped after 1 s]" in context.store.text(output.archived.key)[-100:]


@pytest.mark.parametrize("sealed", [True, False])
async def test_it_counts_as_reading_only_when_the_sandbox_held_it(context: FakeContext, sealed: bool) -> None:
    context.processes.read_only = sealed
    assert (await context.call(code, script="print(1)")).read_only is sealed
    assert (await context.call(code, script="1/0")).read_only is False


async def test_an_empty_script_is_refused(context: FakeContext) -> None:
    with pytest.raises(InvalidArguments, match="empty"):
        await context.call(code, script=" \n")


def test_its_summary_is_its_first_line() -> None:
    assert code.summary({"script": "import json\nprint(1)\n"}) == "import json ... (2 lines)"
    assert code.summary({"script": "print(1)"}) == "print(1)"
