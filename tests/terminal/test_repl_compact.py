"""/compact in a real terminal."""

from __future__ import annotations

from tests.terminal.conftest import World
from tests.wire.script import call, hold, reply
from tests.wire.seen import Seen

LINE = "    name, size = entry.name, entry.size_bytes\n"


def told(seen: Seen) -> str:
    return f"{len(seen.results)} results, {'Four files.' in seen.user_texts[0]}"


def test_it_is_summed_up_gone_on_with_and_undone(world: World) -> None:
    for number in range(4):
        (world.project / f"{number}.py").write_text(f"# {number}\n" + LINE * 200)
    summary = "## Task\nFour files.\n## Next steps\n\x1b[31mNone."
    world.serve(
        [
            *(reply(call("read", file=f"{number}.py")) for number in range(4)),
            reply("Read."),
            reply(summary, side=True),
            lambda seen: reply("After: " + told(seen), rewrite=True),
            lambda seen: reply("Undone: " + told(seen), rewrite=True),
            reply("## Ta", hold(), side=True),
        ]
    )
    terminal = world.prompt("--approve", "all", columns=120)
    terminal.line("/compact undo")
    terminal.expect("Nothing was summed up in this session.")
    terminal.line("/compact")
    terminal.expect("would not make the conversation shorter")
    terminal.line("/agent read four")
    terminal.expect("Read.")
    terminal.line("/compact the names")
    terminal.expect("/compact undo shows the model all of it again")
    assert "## Task" in terminal.text()
    assert "the names" in world.server.exchanges[5].seen.user_texts[-1]
    terminal.line("and now?")
    terminal.expect("After: 1 results, True")
    terminal.line("/compact undo")
    terminal.expect("sees again")
    terminal.line("and now?")
    terminal.expect("Undone: 4 results, False")
    terminal.line("/compact")
    world.server.wait_for_state("holding")
    terminal.send("\x03")
    terminal.expect("would not make the conversation shorter")
    assert world.server.violations == []
