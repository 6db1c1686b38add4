"""`chatcli config`: what every setting is, where its value came from, and changing it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from chatcli.agent.settings_files import PROJECT_FILE, USER_FILE, read_file
from chatcli.errors import UsageError
from chatcli.gate.trust import Trust
from chatcli.i18n import _
from chatcli.session.files import storage_errors, write_durably
from chatcli.session.redact import redact
from chatcli.settings import Loaded, Problem, Row, load, number_text, table
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import settings_here
from chatcli.terminal.layernames import layer_name


def show_config(place: Place, *, output: str = "text") -> int:
    """All settings with their value and where it came from."""
    loaded = settings_here(place)
    if output == "json":
        place.out.json([_as_object(row, loaded) for row in table()])
        return 0
    place.out.table(
        (_("setting"), _("value"), _("from")),
        [(row.variable, spell(_value(row, loaded)), _source(row, loaded)) for row in table()],
    )
    _tell_problems(place, loaded)
    return 0


def explain(place: Place, name: str) -> int:
    """Everything about one setting: meaning, bounds, and each place that sets it."""
    row = find_row(name)
    loaded = settings_here(place)
    out = place.out
    out.line(row.variable, "bold")
    out.line(_(row.help))
    out.line()
    out.table(
        (_("value"), _("from")),
        [(spell(_value(row, loaded)), _source(row, loaded)), *_overruled(place, row, loaded)],
    )
    out.line()
    out.line(_("accepts: {what}").format(what=_accepted(row)))
    out.line(_("in settings.toml: {name}").format(name=row.name))
    _tell_problems(place, loaded, row)
    return 0


def show_paths(place: Place) -> int:
    """The settings files, whether they exist or not."""
    place.out.line(str(place.home / USER_FILE))
    place.out.line(str(place.folder / PROJECT_FILE))
    return 0


def set_value(place: Place, name: str, text: str) -> int:
    """Write one setting into the user's file; comments and everything else in it are kept."""
    row = find_row(name)
    checked = load([("--set", {row.name: text})])
    for problem in checked.problems:
        raise UsageError(
            _("{variable} cannot be {value!r}.").format(variable=row.variable, value=problem.value),
            hint=_("accepts: {what}").format(what=_accepted(row)),
        )
    value = getattr(checked.settings, row.name)
    _edit(place, row, value)
    place.out.line(f"{row.variable} = {spell(value)}  ({place.short(place.home / USER_FILE)})")
    origin = settings_here(place).origins.get(row.name)
    if origin and origin.layer != "user file":
        place.out.line(
            _("Note: the {layer} says {value} and wins.").format(
                layer=layer_name(origin.layer), value=origin.text
            )
        )
    return 0


def unset_value(place: Place, name: str) -> int:
    """Take one setting out of the user's file."""
    row = find_row(name)
    _edit(place, row, None)
    loaded = settings_here(place)
    place.out.line(f"{row.variable} = {spell(_value(row, loaded))}  ({_source(row, loaded)})")
    return 0


def find_row(name: str) -> Row:
    """The setting that is meant, by name, variable or alias. Raises UsageError with the nearest ones."""
    by_key = {key.lower(): row for row in table() for key in (row.name, row.variable, *row.aliases)}
    if row := by_key.get(name.strip().lower()):
        return row
    near = difflib.get_close_matches(name.lower(), by_key, n=3)
    raise UsageError(
        _("There is no setting {name}.").format(name=name),
        hint=_("Did you mean {names}?").format(names=", ".join(by_key[key].variable for key in near))
        if near
        else "chatcli config",
    )


def spell(value: Any) -> str:
    """A value as it is written in a settings file or a variable, without the password of an address."""
    match value:
        case bool():
            return "on" if value else "off"
        case "":
            return '""'
        case _:
            return redact(str(value))


def _value(row: Row, loaded: Loaded) -> Any:
    return getattr(loaded.settings, row.name)


def _source(row: Row, loaded: Loaded) -> str:
    origin = loaded.origins.get(row.name)
    return layer_name(origin.layer) if origin else _("default")


def _as_object(row: Row, loaded: Loaded) -> dict[str, Any]:
    origin = loaded.origins.get(row.name)
    return {
        "name": row.name,
        "variable": row.variable,
        "value": redact(value) if isinstance(value := _value(row, loaded), str) else value,
        "source": origin.layer if origin else "default",
        "default": row.default,
    }


def _overruled(place: Place, row: Row, loaded: Loaded) -> Sequence[tuple[str, str]]:
    """What weaker layers say, and the project's file when it does not count."""
    layers: list[tuple[str, Mapping[str, str]]] = [
        ("environment", place.environment),
        ("project file", read_file(place.folder / PROJECT_FILE)),
        ("user file", read_file(place.home / USER_FILE)),
    ]
    origin = loaded.origins.get(row.name)
    rows = []
    for layer, texts in layers:
        text = next((texts[key] for key in (row.variable, row.name, *row.aliases) if key in texts), None)
        if text is None or (origin and layer == origin.layer):
            continue
        remark = _("{layer}: overruled")
        if layer == "project file" and not Trust(place.home).is_trusted(place.folder):
            remark = _("{layer}: this folder is not trusted")
        rows.append((spell(text), remark.format(layer=layer_name(layer))))
    rows.append((spell(row.default), _("default")))
    return rows if origin else rows[:-1]


def _accepted(row: Row) -> str:
    match row.type:
        case "choice":
            return ", ".join(row.choices)
        case "bool":
            return "on, off"
        case "str":
            return _("text")
    low = "" if row.minimum is None else number_text(row.minimum)
    high = "" if row.maximum is None else number_text(row.maximum)
    if high:
        return _("a number from {low} to {high}").format(low=low, high=high)
    return _("a number, at least {low}").format(low=low) if low else _("a number")


def _tell_problems(place: Place, loaded: Loaded, only: Row | None = None) -> None:
    for problem in loaded.problems:
        if only is None or problem.variable == only.variable:
            place.out.line(tell_problem(problem), "warn")


def tell_problem(problem: Problem) -> str:
    """One line about a value that could not be taken."""
    layer = layer_name(problem.layer)
    if problem.used is None:
        return _("{layer}: {variable}: {why}").format(
            layer=layer, variable=problem.variable, why=problem.reason
        )
    return _("{layer}: {variable} cannot be {value!r} (accepts: {what}); using {used}").format(
        layer=layer,
        variable=problem.variable,
        value=problem.value,
        what=_accepted(find_row(problem.variable)),
        used=spell(problem.used),
    )


def _edit(place: Place, row: Row, value: Any) -> None:
    """Set or (None) remove a setting, under whichever of its names the file already has."""
    import tomlkit

    path = place.home / USER_FILE
    read_file(path)  # a broken file is named, not overwritten
    with storage_errors(path):
        document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else "")
        present = [key for key in (row.variable, row.name, *row.aliases) if key in document]
        for key in present[1:] if value is not None else present:
            del document[key]
        if value is not None:
            document[present[0] if present else row.name] = value
        # Where a link leads, so that a settings file that is kept elsewhere stays there.
        write_durably(path.resolve(), tomlkit.dumps(document).encode())
