"""Translation of everything that a person reads. What a model reads stays English.

`_("...")` looks a text up at call time, so that the language may be chosen after imports. `filled` and
`figure` write numbers as the language does. Source texts are English; catalogues lie in
`chatcli/locale/<language>/LC_MESSAGES/chatcli.mo`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gettext import NullTranslations

LANGUAGES = ("en", "pt_BR")


_catalogue: NullTranslations | None = None
_language = "en"


def choose_language(wanted: str, environment: Mapping[str, str]) -> str:
    """`wanted` (the setting), else the locale variables, else English."""
    for value in (wanted, *(environment.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))):
        word = value.split(".")[0].replace("-", "_").lower()
        if not word:
            continue
        return "pt_BR" if word.startswith("pt") else "en"
    return "en"


def set_language(language: str) -> None:
    """Use this language from now on; one of `LANGUAGES`."""
    global _catalogue, _language
    _language = language
    _catalogue = _read_catalogue(language) if language != "en" else None


def _read_catalogue(language: str) -> NullTranslations:
    import gettext

    return gettext.translation(
        "chatcli", Path(__file__).parent / "locale", languages=[language], fallback=True
    )


def language() -> str:
    return _language


def _(message: str) -> str:
    return _catalogue.gettext(message) if _catalogue else message


def N_(text: str) -> str:
    """Mark a text for the catalogue; it is looked up when it is shown."""
    return text


def in_all_languages(text: str) -> set[str]:
    """What a file says here that may have been written in another language."""
    return {text} | {_read_catalogue(language).gettext(text) for language in LANGUAGES}


def ngettext(singular: str, plural: str, count: int) -> str:
    if _catalogue:
        return _catalogue.ngettext(singular, plural, count)
    return singular if count == 1 else plural


_DECIMAL_COMMA = str.maketrans(",.", ".,")


def figure(text: str) -> str:
    """A number that was formatted the English way, `2,019.5`, as the language of the screen writes it."""
    return text.translate(_DECIMAL_COMMA) if _language == "pt_BR" else text


def filled(text: str, /, **values: Any) -> str:
    """`text.format(**values)`, with numbers written as the language of the screen does."""
    return _Filler().vformat(text, (), values)


class _Filler(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        text = str(super().format_field(value, format_spec))
        return figure(text) if isinstance(value, int | float) else text


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Another language inside this block: for an answer in the language of its question."""
    before = _language
    set_language(language)
    try:
        yield
    finally:
        set_language(before)
