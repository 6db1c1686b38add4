"""Translation of everything that a person reads. What a model reads stays English.

`_("...")` looks a text up at call time, so that the language may be chosen after imports. Source
texts are English; catalogues lie in `chatcli/locale/<language>/LC_MESSAGES/chatcli.mo`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
    _catalogue = None
    if language != "en":
        import gettext

        _catalogue = gettext.translation(
            "chatcli", Path(__file__).parent / "locale", languages=[language], fallback=True
        )


def language() -> str:
    return _language


def _(message: str) -> str:
    return _catalogue.gettext(message) if _catalogue else message


def ngettext(singular: str, plural: str, count: int) -> str:
    if _catalogue:
        return _catalogue.ngettext(singular, plural, count)
    return singular if count == 1 else plural


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Another language inside this block: for an answer in the language of its question."""
    before = _language
    set_language(language)
    try:
        yield
    finally:
        set_language(before)
