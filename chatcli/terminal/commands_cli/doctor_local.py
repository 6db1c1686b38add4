"""The checks of `chatcli doctor` about models on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from chatcli.errors import UserFacingError
from chatcli.i18n import _, filled
from chatcli.providers.local.engine import threads
from chatcli.providers.local.models import LocalModel, find_model, kept_models
from chatcli.providers.specs import default_model, find_spec
from chatcli.terminal.commands_cli.doctor_checks import Finding, Level
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import settings_here
from chatcli.terminal.figures import short_count

_READ_BYTES_PER_SECOND = 8e9
"""For each word a model is read as a whole: on two cores 5 to 11 GB/s were measured."""
_INSTALL = "pip install 'chatcli[local]'"


def local(place: Place) -> Iterator[Finding]:
    """Nothing for somebody who has neither the library nor a model and asks for neither."""
    chosen = _is_chosen(place)
    try:
        library = version("xllamacpp")
    except PackageNotFoundError:
        library = ""
    models = kept_models(place.home)
    if not (chosen or library or models):
        return
    if not library:
        level: Level = "bad" if chosen else "note"
        yield Finding(level=level, about="llama.cpp", found=_("not installed"), fix=_INSTALL)
    else:
        found = _("xllamacpp {version}, threads: {n}").format(version=library, n=threads())
        yield Finding(about="llama.cpp", found=found)
    yield from _models(place, models, chosen=chosen)


def _is_chosen(place: Place) -> bool:
    try:
        name = settings_here(place).settings.provider
        return bool(name) and find_spec(name).wire == "local"
    except UserFacingError:
        return False  # told by the checks of settings and provider


def _models(place: Place, models: list[LocalModel], *, chosen: bool) -> Iterator[Finding]:
    about = _("local model")
    named = settings_here(place).settings.model if chosen else ""
    named = named or default_model(find_spec("LOCAL"), place.environment)
    if named and all(model.name != named for model in models):
        try:
            models = [find_model(named, place.home), *models]
        except UserFacingError as error:
            yield Finding(level="bad", about=about, found=error.message, fix=error.hint)
    if not models:
        yield Finding(level="note", about=about, found=_("none"), fix="chatcli local get")
    for model in models:
        yield Finding(level="good" if model.usable else "note", about=about, found=_told(model))


def _told(model: LocalModel) -> str:
    text = _("{name}: {worth}; {size:,.0f} MB, window {window}, about {speed:.0f} tokens a second")
    return filled(
        text,
        name=model.name,
        worth=model.worth,
        size=model.size_bytes / 1e6,
        window=short_count(model.window_tokens),
        speed=max(1.0, _READ_BYTES_PER_SECOND / model.size_bytes),
    )
