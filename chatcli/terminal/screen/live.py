"""The screen of a terminal with a cursor: scrollback above, a short live area and the input below.

Finished lines are appended and never touched again. Only the live area, the input and the bottom
line are ever redrawn, and prompt_toolkit writes just the cells that changed.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.input import Input

from chatcli.terminal.look import Look
from chatcli.terminal.screen.draft import Draft
from chatcli.terminal.screen.keys import Actions, bindings
from chatcli.terminal.screen.layout import STYLE, build_layout
from chatcli.terminal.screen.output import TerminalOutput
from chatcli.terminal.screen.pager import show_in_pager
from chatcli.terminal.screen.picker import Picker
from chatcli.terminal.screen.reflow import added_rows
from chatcli.terminal.screen.screen import Entry, Interrupted, Key, Line

_FRAME_SECONDS = 0.08
_SETTLED_SECONDS = 0.08
"""A window that is dragged has a new size every few milliseconds."""
_QUIET_SECONDS = 0.3
"""A question takes the keys only after this long without one: nobody answers in mid-word."""


class LiveScreen:
    """See `chatcli.terminal.screen.screen.Screen`."""

    def __init__(
        self,
        *,
        look: Look,
        output: TerminalOutput,
        input: Input,
        draft: Draft,
        status: Callable[[int], str],
        reflows: bool,
    ) -> None:
        """`reflows`: the terminal breaks rows anew when it becomes narrower."""
        self.look = look
        self.busy = False
        self.last_key_seconds = time.monotonic()
        self._output = output
        self._reflows = reflows
        self._inputs: asyncio.Queue[Line | Key] = asyncio.Queue()
        self._draft = draft
        self._answer = Buffer(multiline=False, name="answer")
        self._picker = Picker()
        self._asking = asyncio.Lock()
        self._asked: asyncio.Future[str] | None = None
        self._label = ""
        self.keeps_typed = False
        self._live: Callable[[], Sequence[str]] | None = None
        self._rows: Sequence[str] = ()
        """The live area of this frame: looked up once, however often it is drawn."""
        self._ticker: asyncio.Task[None] | None = None
        self._drawn_columns = 0
        self._drawn_cursor = Point(0, 0)
        """How wide the terminal was, and where the cursor stood, when the live area was last drawn."""
        self._settling: asyncio.TimerHandle | None = None
        self._kept: list[str] | None = None
        """Lines that wait while another program has the terminal."""
        self._layout = build_layout(
            draft=draft.buffer,
            answer=self._answer,
            picker=self._picker,
            live=lambda: self._rows,
            label=lambda: self._label,
            status=lambda: status(self.columns),
            rows=lambda: self.rows,
            columns=lambda: self.columns,
        )
        actions = Actions(
            submit=self._submit,
            answer=self._take_answer,
            interrupt=self._interrupt,
            leave=self._leave,
            cycle_autonomy=lambda: self._inputs.put_nowait("cycle"),
            open_editor=self._open_editor,
        )
        self._app: Application[None] = Application(
            layout=self._layout,
            key_bindings=bindings(draft.buffer, self._answer, self._picker, draft.pastes, actions),
            style=STYLE,
            include_default_pygments_style=False,
            erase_when_done=True,
            terminal_size_polling_interval=None,
            input=input,
            output=output,
        )
        self._app.ttimeoutlen = 0.05
        self._app.timeoutlen = 0.4
        self._app.key_processor.before_key_press += self._note_key
        self._app.before_render += self._before_render
        self._app.after_render += self._note_drawn

    @property
    def columns(self) -> int:
        return self._output.get_size().columns

    @property
    def rows(self) -> int:
        return self._output.get_size().rows

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The input is on inside; the terminal is as it was before, whatever happens."""
        task = asyncio.create_task(self._app.run_async(pre_run=self._watch_size, set_exception_handler=False))
        task.add_done_callback(self._input_ended)
        try:
            yield
        finally:
            if self._ticker:
                self._ticker.cancel()
            if self._settling:
                self._settling.cancel()
            if not self._app.is_running:
                task.cancel()
            elif not self._app.is_done:
                self._app.exit()
            with suppress(EOFError, asyncio.CancelledError):
                await task

    def print(self, lines: Sequence[str]) -> None:
        if self._kept is not None:
            self._kept += lines
            return
        if not lines:
            return
        text = "".join(f"{line}\r\n" for line in lines)
        if not self._app.is_running:
            self._output.write_raw(text)
            self._output.flush()
            return
        self._look_up_rows()
        with self._output.one_write(), set_app(self._app):
            self._erase()
            self._output.write_raw(text)
            self._render()

    def live(self, lines: Callable[[], Sequence[str]] | None) -> None:
        self._live = lines
        if lines and self._ticker is None:
            self._ticker = asyncio.create_task(self._tick())
        elif lines is None and self._ticker:
            self._ticker.cancel()
            self._ticker = None
        self.refresh()

    def refresh(self) -> None:
        self._look_up_rows()
        self._app.invalidate()

    async def next_input(self) -> Line | Key:
        return await self._inputs.get()

    def give_back(self, text: str) -> None:
        self._draft.put_first(text)
        self.refresh()

    async def ask(self, label: str) -> str:
        async with self._asking:
            await self._until_quiet()
            self._answer.reset()
            self._label = label
            self._asked = asyncio.get_running_loop().create_future()
            self._layout.focus(self._answer)
            self.refresh()
            try:
                return await self._asked
            finally:
                self._asked = None
                self._layout.focus(self._draft.buffer)
                self.refresh()

    async def choose(self, label: str, entries: Sequence[Entry], start: int = 0) -> int | None:
        async with self._asking:
            taken = self._picker.open(label, entries, start)
            self._layout.focus(self._picker.words)
            self.refresh()
            try:
                return await taken
            finally:
                self._layout.focus(self._draft.buffer)
                self.refresh()

    async def page(self, lines: Sequence[str]) -> None:
        with set_app(self._app):
            async with self._elsewhere(), in_terminal():
                await asyncio.to_thread(show_in_pager, lines)

    @asynccontextmanager
    async def _elsewhere(self) -> AsyncIterator[None]:
        """Another program has the terminal: lines wait until it gives it back."""
        self._kept = []
        try:
            yield
        finally:
            kept, self._kept = self._kept, None
            if kept:
                self.print(kept)

    def _watch_size(self) -> None:
        # prompt_toolkit sets its own handler when it starts; this one takes its place.
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.add_signal_handler, signal.SIGWINCH, self._resized)

    def _resized(self) -> None:
        if self._settling:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().call_later(_SETTLED_SECONDS, self._draw_anew)

    def _draw_anew(self) -> None:
        if not self._app.is_running or self._kept is not None:
            return
        with self._output.one_write(), set_app(self._app):
            self._erase()
            self._look_up_rows()
            self._render()

    def _erase(self) -> None:
        """Take the live area away, with the rows that it has grown by in a narrower window."""
        renderer, columns = self._app.renderer, self.columns
        if self._reflows and renderer.last_rendered_screen and columns < self._drawn_columns:
            x, y = self._drawn_cursor
            self._output.cursor_up(added_rows(renderer.last_rendered_screen, x, y, columns))
        renderer.erase()

    def _render(self) -> None:
        self._app.render_counter += 1  # texts are kept for one frame: this is another one
        self._app.renderer.render(self._app, self._layout)
        self._note_drawn(self._app)

    def _before_render(self, _app: object) -> None:
        """Of a frame that prompt_toolkit draws by itself: after a key, or for the clock."""
        if self._drawn_columns not in (0, self.columns):
            self._erase()

    def _note_drawn(self, _app: object) -> None:
        drawn = self._app.renderer.last_rendered_screen
        if drawn:
            self._drawn_columns = self.columns
            self._drawn_cursor = drawn.get_cursor_position(self._layout.current_window)

    async def _until_quiet(self) -> None:
        remaining = 1.0
        while remaining > 0:
            remaining = self.last_key_seconds + _QUIET_SECONDS - time.monotonic()
            await asyncio.sleep(max(remaining, 0))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_FRAME_SECONDS)
            self.refresh()

    def _look_up_rows(self) -> None:
        self._rows = self._live() if self._live and not self._asked else ()

    def _note_key(self, _sender: object) -> None:
        self.last_key_seconds = time.monotonic()

    def _submit(self) -> None:
        self._inputs.put_nowait(self._draft.take())

    def _input_ended(self, _task: asyncio.Task[None]) -> None:
        self._picker.leave()
        if self._asked and not self._asked.done():
            self._asked.set_exception(Interrupted())
        self._inputs.put_nowait("leave")

    def _take_answer(self) -> None:
        if self._asked and not self._asked.done():
            self._asked.set_result(self._answer.text)

    def _interrupt(self) -> None:
        if self._kept is not None:
            return  # meant for the program that has the terminal
        if self._asked:
            if not self._asked.done():
                self._asked.set_exception(Interrupted())
        elif self._draft.buffer.text and not self.busy:
            self._draft.clear()
        else:
            self._inputs.put_nowait("interrupt")

    def _leave(self) -> None:
        if self._asked:
            self._interrupt()
        else:
            self._inputs.put_nowait("leave")

    def _open_editor(self) -> None:
        self._app.create_background_task(self._edit())

    async def _edit(self) -> None:
        async with self._elsewhere():
            await self._draft.edit()
