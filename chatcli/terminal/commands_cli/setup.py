"""`chatcli setup`: pick a provider, paste a key, one live check, done."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from getpass import getpass

from chatcli.errors import AuthError, NetworkError, ProviderError, UsageError
from chatcli.events import Reply
from chatcli.i18n import _
from chatcli.messages import Text, UserMessage
from chatcli.providers import specs, table
from chatcli.providers.base import Request
from chatcli.providers.credentials import (
    CREDENTIALS_FILE,
    Credential,
    KeyringUnavailable,
    find_key,
    store_key,
)
from chatcli.providers.spec import ProviderSpec
from chatcli.terminal.commands_cli.config import set_value
from chatcli.terminal.commands_cli.place import Place
from chatcli.terminal.commands_cli.used import settings_here

_YES = frozenset({"y", "yes", "s", "sim"})
_CHECK_SECONDS = 60
_CHECK_MAX_OUTPUT_TOKENS = 64


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
    spec = table.find_spec(provider) if provider else _pick(place)
    keys = _ask_keys(place, spec, person)
    if person and not (model or specs.default_model(spec, place.environment)):
        model = _answer(_("Model of {provider}: ").format(provider=spec.name))
    failure = _check(place, spec, keys, model)
    if isinstance(failure, AuthError):
        raise failure
    if keys and not _keep(place, keys, person=person, allow_file=allow_file):
        return 1
    set_value(place, "provider", spec.name)
    if model:
        set_value(place, "model", model)
    if failure:
        raise failure
    place.out.line(_("Done. Start with: chatcli"), "good")
    return 0


def _pick(place: Place) -> ProviderSpec:
    """The row that the person chooses, by number or name."""
    rows = [spec for spec in specs.all_specs() if not spec.retired]
    for number, spec in enumerate(rows, 1):
        place.out.line(f"{number:3}  {spec.name:<16} {_remark(spec)}".rstrip())
    while True:
        answer = _answer(_("Provider (number or name): "))
        if answer.isdecimal() and 1 <= int(answer) <= len(rows):
            return rows[int(answer) - 1]
        try:
            return table.find_spec(answer)
        except UsageError as error:
            place.out.line(error.message)


def _remark(spec: ProviderSpec) -> str:
    if spec.wire == "offline":
        return _("no model: rules and scripts")
    if spec.auth == "none":
        return _("models on your own machine, no key")
    return ", ".join(_names(spec))


def _names(spec: ProviderSpec) -> tuple[str, ...]:
    """Under which names its keys are stored."""
    return () if spec.auth == "none" else (*spec.key_variables[:1], *spec.also_needs)


def _ask_keys(place: Place, spec: ProviderSpec, person: bool) -> dict[str, str]:
    """What the provider needs, by name; nothing for one that can do without and was given nothing."""
    keys: dict[str, str] = {}
    for variable in (*spec.key_variables, *spec.also_needs):
        if place.environment.get(variable):
            text = _("Note: {variable} is set in the environment and wins over a stored key.")
            place.out.line(text.format(variable=variable), "warn")
    for name in _names(spec):
        if person:
            key = _answer(_("{variable} (not shown): ").format(variable=name), getpass)
        else:
            key = sys.stdin.readline().strip()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise UsageError(_("That cannot be a key: it holds spaces or special characters."))
        if key:
            keys[name] = key
        elif spec.needs_key:
            raise UsageError(_("No key was given."), hint=_("Nothing was changed."))
    return keys


def _check(place: Place, spec: ProviderSpec, keys: Mapping[str, str], model: str) -> ProviderError | None:
    """Why one tiny request failed, or None."""
    place.out.line(_("Checking {provider} ...").format(provider=spec.name), "dim")
    try:
        answered_by = asyncio.run(_ask(place, spec, keys, model))
    except TimeoutError:
        return NetworkError(_("{provider} did not answer in time.").format(provider=spec.name))
    except ProviderError as error:
        return error
    place.out.line(_("{provider} answers ({model}).").format(provider=spec.name, model=answered_by))
    return None


async def _ask(place: Place, spec: ProviderSpec, keys: Mapping[str, str], model: str) -> str:
    """The name of the model that answered. What was just given is used, else what is there already."""

    def look_up(names: Sequence[str]) -> Credential | None:
        given = next((name for name in names if name in keys), None)
        if given:
            return Credential(keys[given], "environment", given)
        return find_key(names, place.environment, place.home)

    settings = settings_here(place).settings
    provider = table.create(spec, model, settings, place.environment, look_up, home=place.home)
    request = Request(
        model=provider.model,
        system=(),
        tools=(),
        messages=(UserMessage(seq=1, parts=(Text("Answer with the word OK."),)),),
        max_output_tokens=_CHECK_MAX_OUTPUT_TOKENS,
    )
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            async for event in provider.stream(request):
                if isinstance(event, Reply):
                    return event.model
    finally:
        await provider.aclose()
    return provider.model


def _keep(place: Place, keys: Mapping[str, str], *, person: bool, allow_file: bool) -> bool:
    """Store the keys; False when they may not be stored. The file is used only after a yes."""
    try:
        _store(place, keys, allow_file=allow_file)
    except KeyringUnavailable as error:
        if not person:
            raise UsageError(
                _("The key was not stored: {why}").format(why=error.message),
                hint=_("--allow-file keeps it in a file that only you can read."),
            ) from None
        place.out.line(error.message)
        file = place.short(place.home / CREDENTIALS_FILE)
        question = _("Keep it in {file}, readable only by you? [y/N] ").format(file=file)
        if _answer(question).lower() not in _YES:
            text = _("Not stored. Set {variable} in the environment instead.")
            place.out.line(text.format(variable=", ".join(keys)))
            return False
        _store(place, keys, allow_file=True)
    place.out.line(_("The key is stored."))
    return True


def _store(place: Place, keys: Mapping[str, str], *, allow_file: bool) -> None:
    for name, key in keys.items():
        store_key(name, key, place.home, allow_file=allow_file)


def _answer(question: str, ask: Callable[[str], str] = input) -> str:
    try:
        return ask(question).strip()
    except EOFError:
        raise UsageError(_("Nothing was entered."), hint=_("Nothing was changed.")) from None
