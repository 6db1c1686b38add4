"""Where things stand below the scrollback: live area, question, input, menu, bottom line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, has_completions, has_focus
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    ScrollOffsets,
    VerticalAlign,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.menus import CompletionsMenuControl
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar

from chatcli.terminal.cells import fill
from chatcli.terminal.screen.picker import PAGE_ROWS, Picker

_MENU_ROWS = 8

STYLE = Style.from_dict(
    {
        "prompt": "bold ansicyan",
        "label": "bold",
        "status": "dim",
        "completion-menu": "noinherit",
        "completion-menu.completion": "noinherit",
        "completion-menu.completion.current": "noinherit reverse",
        "completion-menu.meta.completion": "noinherit dim",
        "completion-menu.meta.completion.current": "noinherit reverse",
    }
)


def build_layout(
    *,
    draft: Buffer,
    answer: Buffer,
    picker: Picker,
    live: Callable[[], Sequence[str]],
    label: Callable[[], str],
    status: Callable[[], str],
    rows: Callable[[], int],
    columns: Callable[[], int],
) -> Layout:
    """`live`, `label`, `status`, `rows` and `columns` are asked anew for each frame."""
    asking, picking = has_focus(answer), has_focus(picker.words)
    search = SearchToolbar(ignore_case=True)
    input_window = Window(
        BufferControl(draft, search_buffer_control=search.control, preview_search=True),
        get_line_prefix=_prefix("class:prompt", "❯ "),
        wrap_lines=True,
        height=lambda: Dimension(min=1, max=max(rows() // 2, 1)),
        dont_extend_height=True,
    )
    shown_live = Window(FormattedTextControl(lambda: ANSI("\n".join(live()))), dont_extend_height=True)
    bottom = FormattedTextControl(lambda: [("class:status", status())])
    return Layout(
        HSplit(
            [
                ConditionalContainer(shown_live, Condition(lambda: bool(live()))),
                ConditionalContainer(_question(answer, label, columns), asking),
                ConditionalContainer(_picker(picker, columns), picking),
                ConditionalContainer(input_window, ~asking & ~picking),
                search,
                ConditionalContainer(_menu(), has_completions),
                Window(bottom, height=1, dont_extend_height=True),
            ],
            align=VerticalAlign.TOP,
        ),
        focused_element=input_window,
    )


def _question(answer: Buffer, label: Callable[[], str], columns: Callable[[], int]) -> HSplit:
    """What is asked, broken between words, and the line for the answer below it."""
    asked = FormattedTextControl(lambda: [("class:label", "\n".join(fill(label(), columns())))])
    line = Window(
        BufferControl(answer),
        get_line_prefix=_prefix("class:prompt", "? "),
        wrap_lines=True,
        dont_extend_height=True,
    )
    return HSplit([Window(asked, dont_extend_height=True), line])


def _menu() -> Window:
    return Window(
        CompletionsMenuControl(),
        height=Dimension(min=1, max=_MENU_ROWS),
        scroll_offsets=ScrollOffsets(top=1, bottom=1),
        dont_extend_height=True,
    )


def _picker(picker: Picker, columns: Callable[[], int]) -> HSplit:
    return HSplit(
        [
            Window(
                FormattedTextControl(lambda: [("class:label", picker.label)]),
                wrap_lines=True,
                dont_extend_height=True,
            ),
            Window(
                BufferControl(picker.words),
                get_line_prefix=_prefix("class:prompt", "/ "),
                height=1,
                dont_extend_height=True,
            ),
            Window(
                FormattedTextControl(lambda: picker.rows(columns())),
                height=Dimension(min=1, max=PAGE_ROWS),
                dont_extend_height=True,
            ),
        ]
    )


def _prefix(style: str, text: str) -> Callable[[int, int], StyleAndTextTuples]:
    def prefix(line: int, wrapped: int) -> StyleAndTextTuples:
        return [(style, text if line == 0 and wrapped == 0 else " " * len(text))]

    return prefix
