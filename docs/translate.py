"""Collects the texts that people read and compiles their translations: `make locale`.

The texts stand in the code as `_("...")` and `ngettext(...)`, and in the table of settings. With
`--check` nothing is written; the exit code is 1 when the catalogue is not in step with the code.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "chatcli"
PLUGINS = ROOT / "plugins" / "chatcli_plugins"
LANGUAGE = "pt_BR"
FOLDER = SOURCE / "locale" / LANGUAGE / "LC_MESSAGES"
PO, MO = FOLDER / "chatcli.po", FOLDER / "chatcli.mo"

_KEYWORDS = {**DEFAULT_KEYWORDS, "_meta": (2,)}
"""`_meta(variable, help)` is one row of the table of settings."""
_UNDATED = datetime(2026, 1, 1, tzinfo=UTC)
"""Dates in the header would change with every run and say nothing."""


def collect() -> Catalog:
    """All texts of the code, with the files in which they stand."""
    template = Catalog(project="chatcli", copyright_holder="chatcli", charset="utf-8")
    for folder in (SOURCE, PLUGINS):
        found = extract_from_dir(folder, [("**.py", "python")], keywords=_KEYWORDS)
        for name, _line, text, _comments, context in found:
            place = (folder.relative_to(ROOT) / name).as_posix()
            template.add(text, locations=[(place, None)], context=context)
    return template


def updated() -> Catalog:
    """The Portuguese catalogue with exactly the texts of the code; new ones are untranslated."""
    with PO.open("rb") as file:
        catalog = read_po(file, locale=LANGUAGE)
    catalog.update(collect(), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    catalog.creation_date = catalog.revision_date = _UNDATED
    return catalog


def untranslated(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id and (message.fuzzy or not _is_full(message))]


def texts(catalog: Catalog) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Every text with its translation; headers, which name the tool's version, are left out."""
    return {_tuple(message.id): _tuple(message.string or "") for message in catalog if message.id}


def in_step(catalog: Catalog) -> bool:
    """Whether both files say what `catalog` says."""
    with PO.open("rb") as po, MO.open("rb") as mo:
        return texts(read_po(po)) == texts(read_mo(mo)) == texts(catalog)


def write(catalog: Catalog) -> None:
    with PO.open("wb") as po, MO.open("wb") as mo:
        write_po(po, catalog, sort_output=True, include_lineno=False, width=110)
        write_mo(mo, catalog)


def _is_full(message: Message) -> bool:
    return all(_tuple(message.string or ""))


def _tuple(text: str | Sequence[str]) -> tuple[str, ...]:
    """Singular and plural, or the one text alone."""
    return (text,) if isinstance(text, str) else tuple(text)


def main(arguments: list[str]) -> int:
    catalog = updated()
    missing = untranslated(catalog)
    for message in missing:
        sys.stderr.write(f"not translated: {message.id!r}\n")
    if "--check" not in arguments:
        write(catalog)
    return 0 if in_step(catalog) and not missing else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
