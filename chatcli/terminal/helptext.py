"""The few words of `--help` that are typer's own, in the language of the screen."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO

from chatcli.i18n import _, language

_FLAGS = frozenset({"-h", "--help"})


@contextmanager
def own_words(arguments: Sequence[str]) -> Iterator[None]:
    """Inside, a help that is asked for is printed with its headings translated."""
    if language() == "en" or not _FLAGS.intersection(arguments):
        yield
        return
    with redirect_stdout(StringIO()) as told:
        yield
    sys.stdout.write(translated(told.getvalue()))


def translated(help_text: str) -> str:
    headings = {
        "Usage: ": _("Usage: "),
        "Options:": _("Options:"),
        "Arguments:": _("Arguments:"),
        "Commands:": _("Commands:"),
    }
    remarks = {
        "Show this message and exit.": _("Show this message and exit."),
        "[default: ": _("[default: "),
        "[required]": _("[required]"),
    }
    words = {**headings, **remarks}
    pattern = rf"^(?:{_any_of(headings)})|(?:{_any_of(remarks)})"
    return re.sub(pattern, lambda found: words[found[0]], help_text, flags=re.MULTILINE)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))
