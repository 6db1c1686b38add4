"""Key bindings on top of the usual line editing of prompt_toolkit."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from prompt_toolkit.application.current import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, Filter, has_completions, has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from chatcli.terminal.mentions import pasted_images
from chatcli.terminal.screen.paste import Pastes
from chatcli.terminal.screen.picker import PAGE_ROWS, Picker


class Actions(Struct, frozen=True, kw_only=True):
    """What the keys do outside the text being edited."""

    submit: Callable[[], None]
    answer: Callable[[], None]
    interrupt: Callable[[], None]
    leave: Callable[[], None]
    cycle_autonomy: Callable[[], None]
    open_editor: Callable[[], None]


def bindings(draft: Buffer, answer: Buffer, picker: Picker, pastes: Pastes, actions: Actions) -> KeyBindings:
    """All keys of the prompt. `draft` is the line being written, `answer` the reply to a question."""
    keys = KeyBindings()
    writing = has_focus(draft)
    _bind_enter(keys, writing, has_focus(answer), actions)
    _bind_leaving(keys, actions)
    _bind_pastes(keys, writing, pastes)
    _bind_picker(keys, picker)

    @keys.add("s-tab", filter=~has_completions)
    def _cycle(event: KeyPressEvent) -> None:
        actions.cycle_autonomy()

    @keys.add("c-x", "c-e", filter=writing)
    def _editor(event: KeyPressEvent) -> None:
        actions.open_editor()

    @keys.add("escape", filter=has_completions)
    def _close_menu(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    return keys


def _bind_enter(keys: KeyBindings, writing: Filter, answering: Filter, actions: Actions) -> None:
    chosen = Condition(_has_chosen_completion)

    @keys.add("enter", filter=writing)
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        before = buffer.document.current_line_before_cursor
        if before.endswith("\\") and not buffer.document.text_after_cursor.strip():
            buffer.delete_before_cursor()
            buffer.newline()
        else:
            actions.submit()

    @keys.add("enter", filter=writing & chosen)
    def _take_completion(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @keys.add("escape", "enter", filter=writing)
    def _newline(event: KeyPressEvent) -> None:
        event.current_buffer.newline()

    @keys.add("enter", filter=answering)
    def _answer(event: KeyPressEvent) -> None:
        actions.answer()


def _bind_leaving(keys: KeyBindings, actions: Actions) -> None:
    @keys.add("c-c")
    @keys.add(Keys.SIGINT)
    def _interrupt(event: KeyPressEvent) -> None:
        actions.interrupt()

    @keys.add("c-d", filter=Condition(_nothing_written))
    def _leave(event: KeyPressEvent) -> None:
        actions.leave()

    @keys.add("c-z")
    def _suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()


def _bind_pastes(keys: KeyBindings, writing: Filter, pastes: Pastes) -> None:
    @keys.add(Keys.BracketedPaste, filter=writing)
    def _paste(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if mentions := pasted_images(event.data):
            before = buffer.document.char_before_cursor
            buffer.insert_text(f" {mentions}" if before.strip() else mentions)
        else:
            buffer.insert_text(pastes.add(event.data))

    @keys.add("backspace", filter=writing)
    def _delete(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        word = pastes.word_before(buffer.document.text_before_cursor)
        buffer.delete_before_cursor(len(word) or event.arg)


def _bind_picker(keys: KeyBindings, picker: Picker) -> None:
    picking = has_focus(picker.words)
    moves = {"up": -1, "c-p": -1, "down": 1, "c-n": 1, "pageup": -PAGE_ROWS, "pagedown": PAGE_ROWS}

    def bind_move(key: str, steps: int) -> None:
        @keys.add(key, filter=picking)
        def _move(event: KeyPressEvent) -> None:
            picker.move(steps)

    for key, steps in moves.items():
        bind_move(key, steps)

    @keys.add("enter", filter=picking)
    def _take(event: KeyPressEvent) -> None:
        picker.take()

    @keys.add("escape", filter=picking, eager=True)
    @keys.add("c-c", filter=picking)
    @keys.add("c-d", filter=picking)
    @keys.add(Keys.SIGINT, filter=picking)
    def _leave(event: KeyPressEvent) -> None:
        picker.leave()


def _nothing_written() -> bool:
    return not get_app().current_buffer.text


def _has_chosen_completion() -> bool:
    state = get_app().current_buffer.complete_state
    return state is not None and state.complete_index is not None
