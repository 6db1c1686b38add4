"""Where settings come from: the user's file, the project's file, the environment, `--set`."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chatcli.errors import StorageError, UsageError
from chatcli.i18n import N_, _
from chatcli.providers.own import use_own
from chatcli.settings import Loaded, Problem, load, table

USER_FILE = "settings.toml"
OWN_TABLES = ("providers", "models", "prices")
"""Tables of the user's file that are no settings: his own providers, what he knows of models, prices."""
PROJECT_FILE = Path(".chatcli", "settings.toml")
PERSONAL = ("ca_bundle", "web_proxy", "searxng_url", "copilot_client_id", "memory_learn")
"""Whom to trust on the network, and what the user agrees to: no project can say it for him."""


def load_settings(
    home: Path,
    folder: Path,
    *,
    trusted: bool,
    environment: Mapping[str, str],
    assignments: Sequence[str] = (),
) -> Loaded:
    """All layers. The project's file counts only in a trusted folder.

    The user's own providers and models are in use from here on. Raises UsageError for a file that is
    not TOML (naming the line) or an assignment without `=`.
    """
    user = _parsed(home / USER_FILE)
    own_problems = use_own({name: user.pop(name, {}) for name in OWN_TABLES}, home)
    layers = [("user file", _flat(user))]
    project = _flat(_parsed(folder / PROJECT_FILE)) if trusted else {}
    personal = _personal(project)
    layers.append(("project file", {key: text for key, text in project.items() if key not in personal}))
    unknown = [p for layer, texts in layers for p in _unknown(layer, texts)]
    given = _assignments(assignments)
    if strangers := _unknown("--set", given):
        raise UsageError(
            _("There is no setting {name}.").format(name=strangers[0].variable),
            hint=_("`chatcli config` lists them."),
        )
    loaded = load([*layers, ("environment", environment), ("--set", given)])
    problems = (*own_problems, *unknown, *personal.values(), *loaded.problems)
    return Loaded(settings=loaded.settings, problems=problems, origins=loaded.origins)


def read_file(path: Path) -> dict[str, str]:
    """The settings of one TOML file as texts; empty when there is no file."""
    values = _parsed(path)
    return _flat({name: value for name, value in values.items() if name not in OWN_TABLES})


def _parsed(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            _("Settings file {path} is not valid TOML: {error}").format(path=path, error=error),
            hint=_("Mend that line, or move the file away to start with the defaults."),
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(
            _("Settings file {path} cannot be read: {error}").format(path=path, error=error)
        ) from error


def _flat(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in values.items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _assignments(pairs: Sequence[str]) -> dict[str, str]:
    given = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                _("--set needs NAME=VALUE, not {pair!r}.").format(pair=pair), hint="--set CHATCLI_LANG=pt_BR"
            )
        given[name.strip()] = value
    return given


def _personal(project: Mapping[str, str]) -> dict[str, Problem]:
    """What the project's file says and may not, by the key that it stands under."""
    why = N_("only your own settings, the environment or --set can say this")
    return {
        key: Problem(variable=row.variable, layer="project file", value=project[key], why=why, used=None)
        for row in table()
        if row.name in PERSONAL
        for key in (row.name, row.variable, *row.aliases)
        if key in project
    }


def _unknown(layer: str, texts: Mapping[str, str]) -> list[Problem]:
    known = {key for row in table() for key in (row.name, row.variable, *row.aliases)}
    problems = []
    for key in texts:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            why = _("unknown setting")
            if near:
                why = _("unknown setting; did you mean {name}?").format(name=near[0])
            problems.append(Problem(variable=key, layer=layer, value=texts[key], why=why, used=None))
    return problems
