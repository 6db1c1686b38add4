"""Foreign text on the terminal: no byte of it acts."""

from __future__ import annotations

import unicodedata

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatcli.gate.screen import exact_text, hidden_characters, one_line, safe_text

ATTACKS = [
    "\x1b]52;c;ZXZpbA==\x07",  # clipboard, daintree 3703
    "\x1b]8;;https://evil\x1b\\link\x1b]8;;\x1b\\",  # fake links, claude-hud 485
    "\x1b[6n\x1b[c\x1b]11;?\x07",  # replies that are typed back
    "\x1b[1A\x1b[2Kapproved",  # repaints the approval
    "\x1bc\x1b[?1049h",
    "\x9b2J\x90q\x9c",  # the same in C1
    "harmless\rdangerous",
    "harmless\x08\x08\x08\x7f\x0b\x0c",
    "\u202egnp.exe\u2066\u2069",  # Trojan source
    "a\u200b\u200c\u200d\u2060\ufeffb",
    "\U000e0041\U000e0042",  # tags
    "\u2028\u2029\x85",
]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("show", [safe_text, exact_text, one_line])
def test_attacks_are_shown_as_symbols(attack: str, show) -> None:
    shown = show(attack)
    assert not any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in shown)
    assert shown != attack


@given(st.text())
def test_no_text_moves_the_cursor_of_an_emulated_terminal(text: str) -> None:
    screen = pyte.Screen(200, 5)
    stream = pyte.Stream(screen)
    stream.feed(one_line(text, 100))
    assert screen.cursor.y == 0
    assert screen.mode == pyte.Screen(200, 5).mode
    assert screen.title == ""


@given(st.text())
def test_safe_text_is_stable_and_keeps_lines(text: str) -> None:
    shown = safe_text(text)
    assert safe_text(shown) == shown
    assert shown.count("\n") == text.count("\n")


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_a_line_is_never_wider_than_asked(text: str, width: int) -> None:
    from wcwidth import wcswidth

    shown = one_line(text, width)
    assert "\n" not in shown
    assert wcswidth(shown) <= width


def test_plain_text_of_any_language_passes_unchanged() -> None:
    for text in ("tab\tand\nline", "ação — naïve", "日本語", "👩‍💻 ❤️ 1️⃣ é", "שלום", "हिन्दी", "می\u200cخواهم"):
        assert safe_text(text) == text


def test_odd_spaces_and_padding_are_counted_and_shown_for_approval() -> None:
    text = "rm\u00a0-rf\u2003x\t" + " " * 5
    assert hidden_characters(text) == 3
    assert exact_text(text) == "rm<U+00A0>-rf<U+2003>x␉     "
    assert hidden_characters("ls -la\n  src") == 0


@pytest.mark.parametrize(
    "text", ["a\u200db", "1\u200d2", "rm\ufe0f", "\u200d", "\ufe0f", "a\ufe0f\u200db", "a\u200cb"]
)
def test_joiners_hide_nowhere_but_in_emoji_and_scripts_that_join(text: str) -> None:
    assert hidden_characters(text) >= 1
    assert "<U+" in safe_text(text)


def test_emoji_are_no_deception() -> None:
    assert hidden_characters("git commit -m '👩\u200d💻 ❤️ done'") == 0


def test_symbols_name_what_was_there() -> None:
    assert safe_text("a\x1b[31mb\x7f\u202e") == "a␛[31mb␡<U+202E>"
    assert one_line("a\r\nb\nc\td") == "a↵b↵c d"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("日本語", 4) == "日…"
