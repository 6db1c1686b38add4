"""The words of `--help` that are not ours."""

from __future__ import annotations

from gettext import NullTranslations

from chatcli import i18n
from chatcli.terminal.helptext import translated

HELP = """Usage: chatcli tools [OPTIONS]

  Options: what the text says stays.

Options:
  --output <str>  text or json.  [default: text]
  -h, --help      Show this message and exit.
"""


def test_headings_and_remarks_are_translated_and_nothing_else(monkeypatch) -> None:
    portuguese = NullTranslations()
    words = {"Usage: ": "Uso: ", "Options:": "Opções:", "[default: ": "[padrão: "}
    monkeypatch.setattr(portuguese, "gettext", lambda text: words.get(text, text))
    monkeypatch.setattr(i18n, "_catalogue", portuguese)
    assert translated(HELP) == HELP.replace("Usage: ", "Uso: ").replace("\nOptions:", "\nOpções:").replace(
        "[default: ", "[padrão: "
    )


def test_what_a_narrow_terminal_has_wrapped_is_translated_too(monkeypatch) -> None:
    portuguese = NullTranslations()
    words = {"Show this message and exit.": "Mostrar esta ajuda e sair.", "[default: ": "[padrão: "}
    monkeypatch.setattr(portuguese, "gettext", lambda text: words.get(text, text))
    monkeypatch.setattr(i18n, "_catalogue", portuguese)
    wrapped = "  --output <str>  json.  [default:\n    text]\n  --help  Show this message and\n    exit.\n"
    assert translated(wrapped) == (
        "  --output <str>  json.  [padrão:\n    text]\n  --help  Mostrar esta ajuda e\n    sair.\n"
    )
