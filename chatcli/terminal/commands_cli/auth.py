"""`chatcli auth login|status|logout`: keys that chatcli keeps, and where those that it uses come from."""

from __future__ import annotations

import sys
from functools import partial

from msgspec import Struct

from chatcli.errors import AuthError, StorageError, UsageError
from chatcli.i18n import _
from chatcli.providers import specs, table
from chatcli.providers.credentials import Credential, find_key, forget_key, stored_names
from chatcli.providers.spec import ProviderSpec
from chatcli.terminal.commands_cli.connect import ask_keys, check, keep, pick
from chatcli.terminal.commands_cli.place import Place

_SHOWN_CHARS = 4
_LEAST_KEY_CHARS = 16
"""Of a shorter key even its end would tell too much."""


class KeyState(Struct, frozen=True, kw_only=True):
    """One variable of one provider. `source` is empty when there is no key."""

    provider: str
    variable: str
    source: str
    ending: str = ""
    problem: str = ""


def log_in(place: Place, provider: str, *, allow_file: bool) -> int:
    """Ask for the keys of a provider, try them once, keep them. One that is refused is not kept."""
    person = sys.stdin.isatty()
    if not provider and not person:
        raise UsageError(
            _("Without a terminal, login needs the name of the provider."),
            hint="chatcli auth login CLAUDEAI < key.txt",
        )
    spec = table.find_spec(provider) if provider else pick(place)
    if not spec.key_variables:
        raise UsageError(_("{provider} needs no login.").format(provider=spec.name))
    keys = ask_keys(place, spec, person)
    failure = check(place, spec, keys, "")
    if isinstance(failure, AuthError):
        raise failure
    if keys and not keep(place, keys, person=person, allow_file=allow_file):
        return 1
    if failure:
        raise failure
    place.out.line(_("Start with: chatcli --provider {provider}").format(provider=spec.name), "good")
    return 0


def show_status(place: Place, provider: str, *, output: str = "text") -> int:
    """Of one provider, or of all that have a key: where it comes from. 1 when the one has none."""
    rows = [table.find_spec(provider)] if provider else [s for s in specs.all_specs() if s.key_variables]
    states = [state for spec in rows for state in _states(place, spec)]
    if not provider:
        states = [state for state in states if state.source or state.problem]
    if output == "json":
        place.out.json(states)
    elif states:
        place.out.table((_("provider"), _("variable"), _("key")), [_cells(state) for state in states])
    else:
        place.out.line(_("No key is known. `chatcli auth login` keeps one."))
    return int(bool(provider) and not all(state.source for state in states))


def log_out(place: Place, provider: str, *, everything: bool) -> int:
    """Forget the keys that chatcli keeps of a provider, or all of them."""
    if bool(provider) == everything:
        raise UsageError(
            _("Of which provider shall the keys be forgotten?"), hint="chatcli auth logout NAME | --all"
        )
    names = tuple(stored_names(place.home)) if everything else _variables(table.find_spec(provider))
    forgotten = [name for name in names if forget_key(name, place.home)]
    for name in forgotten:
        place.out.line(_("{variable} is forgotten.").format(variable=name), "good")
    if not forgotten:
        place.out.line(_("Nothing was stored."))
    for name in names:
        if place.environment.get(name):
            text = _("{variable} is still set in the environment.")
            place.out.line(text.format(variable=name), "warn")
    return 0


def _variables(spec: ProviderSpec) -> tuple[str, ...]:
    return (*spec.key_variables, *spec.also_needs)


def _states(place: Place, spec: ProviderSpec) -> list[KeyState]:
    """The key of a provider, and each other thing that it needs."""
    keys = (*spec.key_variables, "AWS_ACCESS_KEY_ID") if spec.auth == "aws" else spec.key_variables
    needed = [keys, *((name,) for name in spec.also_needs)]
    look_up = partial(find_key, environment=place.environment, home=place.home)
    states = []
    for names in filter(None, needed):
        try:
            found, problem = look_up(names), ""
        except StorageError as error:
            found, problem = None, error.message
        states.append(
            KeyState(
                provider=spec.name,
                variable=found.name if found else names[0],
                source=found.source if found else "",
                ending=_ending(found) if found else "",
                problem=problem,
            )
        )
    return states


def _ending(key: Credential) -> str:
    """Enough to tell two keys apart."""
    return key.value[-_SHOWN_CHARS:] if len(key.value) >= _LEAST_KEY_CHARS else ""


def _cells(state: KeyState) -> tuple[str, ...]:
    sources = {"environment": _("environment"), "keyring": _("system keyring"), "file": _("file")}
    told = state.problem or sources.get(state.source) or _("none")
    return (state.provider, state.variable, f"{told} …{state.ending}" if state.ending else told)
