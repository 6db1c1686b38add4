"""What a conversation started here would use: settings, language, provider."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from chatcli.agent.settings_files import load_settings
from chatcli.errors import UserFacingError
from chatcli.gate.trust import Trust
from chatcli.i18n import choose_language, set_language
from chatcli.providers import table
from chatcli.providers.credentials import find_key
from chatcli.settings import Loaded
from chatcli.terminal.commands_cli.place import Place


def settings_here(place: Place, assignments: Sequence[str] = ()) -> Loaded:
    """All layers of settings, as a conversation in this folder would get them with these `--set`."""
    trusted = Trust(place.home).is_trusted(place.folder)
    return load_settings(
        place.home,
        place.folder,
        trusted=trusted,
        environment=place.environment,
        assignments=assignments,
    )


def speak_language(place: Place) -> None:
    """Use the language of the settings; a broken settings file is for the command itself to tell."""
    try:
        wanted = settings_here(place).settings.lang
    except UserFacingError:
        wanted = place.environment.get("CHATCLI_LANG", "")
    set_language(choose_language(wanted, place.environment))


def provider_in_use(place: Place) -> table.Choice:
    """Raises UsageError for an unknown name, StorageError for keys that cannot be read."""
    look_up = partial(find_key, environment=place.environment, home=place.home)
    return table.choose(settings_here(place).settings.provider, place.environment, look_up, home=place.home)
