"""The few words of `--help` that are typer's own, in the language of the screen."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    return re.sub(pattern, lambda found: _as_wrapped(found[0], words), help_text, flags=re.MULTILINE)


def _any_of(words: Iterable[str]) -> str:
    """Also where a narrow terminal has wrapped them."""
    return "|".join(re.escape(text).replace(r"\ ", r"\s+") for text in words)


def _as_wrapped(found: str, words: Mapping[str, str]) -> str:
    gaps = iter(re.findall(r"\s+", found))
    return re.sub(" ", lambda _gap: next(gaps, " "), words[re.sub(r"\s+", " ", found)])
