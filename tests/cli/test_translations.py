"""Brazilian Portuguese is complete: nothing that a person reads is left in English by accident."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from string import Formatter
from typing import TypeGuard

import pytest

from chatcli.i18n import _, speaking
from chatcli.providers.offline.intents import recognise
from chatcli.providers.offline.table import INTENTS
from docs.translate import SOURCE, in_step, untranslated, updated


def forms(text: str | tuple[str, ...] | list[str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text)


CATALOG = updated()
MESSAGES = [message for message in CATALOG if message.id]
PAIRS = [
    (source, translated)
    for message in MESSAGES
    for source, translated in zip(forms(message.id), forms(message.string or ""), strict=False)
    if translated
]


def placeholders(text: str) -> Counter[str]:
    return Counter(
        f"{name}!{conversion}:{spec}" for _literal, name, spec, conversion in Formatter().parse(text) if name
    )


def test_every_text_of_the_code_is_translated() -> None:
    assert [message.id for message in untranslated(CATALOG)] == []


def test_every_lookup_of_the_code_is_in_the_catalogue() -> None:
    """Also those inside f-strings, which the extraction does not see."""
    known = {form for message in MESSAGES for form in forms(message.id)}
    lookups = [
        argument.value
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _is_lookup(node)
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    assert [text for text in lookups if text not in known] == []


def test_both_files_are_in_step_with_the_code() -> None:
    assert in_step(CATALOG), "run: make locale"


def test_placeholders_are_the_same_in_both_languages() -> None:
    assert [pair for pair in PAIRS if placeholders(pair[0]) != placeholders(pair[1])] == []


def test_edges_are_the_same_in_both_languages() -> None:
    """Spaces and line ends around a text belong to the layout."""
    assert [pair for pair in PAIRS if edges(pair[0]) != edges(pair[1])] == []


def edges(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def test_texts_are_looked_up_when_they_are_shown() -> None:
    """A text that is looked up while a module is imported would keep the language of that moment.

    The command line alone may do that: the language is chosen before it is imported.
    """
    early = []
    command_line = {SOURCE / "app.py", SOURCE / "terminal" / "commands_cli" / "register.py"}
    for path in sorted(set(SOURCE.rglob("*.py")) - command_line):
        module = ast.parse(path.read_text(encoding="utf-8"))
        early += [f"{path.name}:{line}" for line in _lookups_at_import(module)]
    assert early == []


def _lookups_at_import(node: ast.AST) -> list[int]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return []
    here = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"_", "ngettext"}
    )
    found = [node.lineno] if here else []
    return found + [line for child in ast.iter_child_nodes(node) for line in _lookups_at_import(child)]


def _is_lookup(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"_", "ngettext"}
    )


EXAMPLES = [
    message.id
    for message in MESSAGES
    if any(Path(name).name in {"talk.py", "tour.py"} for name, _line in message.locations)
    and isinstance(message.id, str)
    and recognise(message.id.replace("{name}", "main").replace("{command}", "ls"), INTENTS)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_means_the_same_in_both_languages(example: str) -> None:
    """The guide must understand what it suggests."""
    english = recognise(_filled(example), INTENTS)
    with speaking("pt_BR"):
        portuguese = recognise(_filled(_(example)), INTENTS)
    assert english is not None
    assert portuguese is not None
    assert portuguese.intent.name == english.intent.name
    assert portuguese.slots.keys() == english.slots.keys()


def _filled(example: str) -> str:
    return example.replace("{name}", "main").replace("{command}", "ls")


def test_help_speaks_the_chosen_language(cli) -> None:
    assert "Pasta de trabalho." in cli("--help", CHATCLI_LANG="pt_BR").stdout
    assert "Folder to work in." in cli("--help", CHATCLI_LANG="en", LANG="pt_BR.UTF-8").stdout
