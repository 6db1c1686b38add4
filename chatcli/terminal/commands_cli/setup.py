"""`chatcli setup`: pick a provider, paste a key, one live check, done."""

from __future__ import annotations

import sys

from chatcli.errors import AuthError, UsageError
from chatcli.i18n import _
from chatcli.providers import specs, table
from chatcli.terminal.commands_cli.config import set_value
from chatcli.terminal.commands_cli.connect import answer, ask_keys, check, keep, pick
from chatcli.terminal.commands_cli.place import Place


def run_setup(place: Place, *, provider: str = "", model: str = "", allow_file: bool = False) -> int:
    """Connect a provider. Keys are typed without echo, or are the lines of a pipe.

    A key that the service refuses is not stored. When the check fails for another reason (no
    network, no credit) the key is stored, and the exit code tells of the failure.
    """
    person = sys.stdin.isatty()
    if not provider and not person:
        raise UsageError(
            _("Without a terminal, setup needs --provider."),
            hint="chatcli setup --provider CLAUDEAI < key.txt",
        )
    spec = table.find_spec(provider) if provider else pick(place)
    keys = ask_keys(place, spec, person)
    if person and not (model or specs.default_model(spec, place.environment)):
        model = answer(_("Model of {provider}: ").format(provider=spec.name))
    failure = check(place, spec, keys, model)
    if isinstance(failure, AuthError):
        raise failure
    if failure and person:
        place.out.line(failure.message, "warn")
    if keys and not keep(place, keys, person=person, allow_file=allow_file):
        return 1
    set_value(place, "provider", spec.name)
    if model:
        set_value(place, "model", model)
    if failure:
        raise failure
    place.out.line(_("Done. Start with: chatcli"), "good")
    return 0
